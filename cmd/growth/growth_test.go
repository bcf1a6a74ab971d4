//go:build unix

// Package growth measures the compiled program: how time and memory grow with the work,
// and how fast it is compared with its aims. It contains only tests, which
// run if -program names the program:
//
//	go test ./cmd/growth -run Growth -v -program bin/replanbench [-only fuzz,score]
//	go test ./cmd/growth -run Aims -v -program bin/replanbench
package growth

import (
	"bufio"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/stat"

	"replanbench/harness/testdata/agenttest"
)

// Limits of what more work may take: the exponent by which time grows, and the multiple of the
// memory for ten times the work.
const (
	maxExponent = 1.1
	maxMemory   = 1.1
)

// command is a command line for a size of its input.
type command struct {
	name  string
	what  string // the unit of the sizes
	sizes []int
	keeps string // the data that it has to keep in memory; "" if it streams everything
	args  func(dir string, size int) ([]string, error)
}

var (
	ids         = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	programFlag = flag.String("program", "", "the compiled replanbench to measure")
	onlyFlag    = flag.String("only", "", "commands to measure, separated by commas (default all)")
)

func TestMain(m *testing.M) {
	if bug, ok := os.LookupEnv(playsAgent); ok {
		os.Exit(agenttest.Main(bug))
	}
	os.Exit(m.Run())
}

// program returns the path of the program to measure.
func program(t *testing.T) string {
	t.Helper()
	if *programFlag == "" {
		t.Skip("a measurement that takes minutes: it runs with -program bin/replanbench")
	}
	path, err := filepath.Abs(filepath.Join("..", "..", *programFlag))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// shortest is the processor time, in seconds, from which on a measurement counts for the exponent:
// below it, starting the program takes most of the time. NaN is logged if too few count.
const shortest = 0.05

// TestGrowth logs the time and memory of every long command for growing inputs. It fails if time grows by
// more than maxExponent, or if the largest input takes more than maxMemory times the memory of the one before
// where the command keeps nothing. What starting the program takes does not count.
func TestGrowth(t *testing.T) {
	program := program(t)
	model := httptest.NewServer(http.HandlerFunc(answer))
	defer model.Close()
	start, err := process(program, t.TempDir(), []string{"list", "codes"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%-8s %-10s %9s %9s %9s  %s", "command", "input", "size", "seconds", "MiB", "exponent; keeps")
	for _, c := range commands(program, model.URL+"/v1") {
		if *onlyFlag != "" && !slices.Contains(strings.Split(*onlyFlag, ","), c.name) {
			continue
		}
		var list []used
		for _, size := range c.sizes {
			u := c.run(t, program, size)
			u.seconds = max(0, u.seconds-start.seconds)
			list = append(list, u)
			t.Logf("%-8s %-10s %9d %9.2f %9.0f", c.name, c.what, size, u.seconds, u.mib)
		}
		exponent, memory := exponent(c.sizes, list), list[len(list)-1].mib/list[len(list)-2].mib
		t.Logf("%-8s %-10s %9s %9s %9s  %.2f; %s", c.name, c.what, "", "", "", exponent, cmp.Or(c.keeps, "nothing"))
		if exponent > maxExponent || memory > maxMemory && c.keeps == "" {
			t.Errorf("%s: time grows by the exponent %.2f, and the largest input takes %.2f times the memory", c.name,
				exponent, memory)
		}
	}
}

// exponent fits a line through the logarithms of size and time, by least squares: NaN if fewer than
// two measurements are long enough.
func exponent(sizes []int, list []used) float64 {
	var x, y []float64
	for i, u := range list {
		if u.seconds >= shortest {
			x, y = append(x, math.Log(float64(sizes[i]))), append(y, math.Log(u.seconds))
		}
	}
	if len(x) < 2 {
		return math.NaN()
	}
	_, slope := stat.LinearRegression(x, y, nil, false)
	return slope
}

// Inputs of the commands, as formats for a number.
var (
	//go:embed testdata/check.yaml
	checkFormat string
	//go:embed testdata/reply.json
	replyFormat string
	//go:embed testdata/scenario.txtar
	scenarioFormat string
)

// playsAgent is the environment variable that makes this program the agent under test. Its
// value names the agent's bug.
const playsAgent = "GROWTH_AGENT"

// commands returns the long commands.
func commands(program, model string) []command {
	fixed := func(format string) func(string, int) ([]string, error) {
		return func(_ string, n int) ([]string, error) { return strings.Fields(fmt.Sprintf(format, n)), nil }
	}
	return []command{
		{"fuzz", "cases", []int{2_000, 20_000, 200_000}, "", fixed("fuzz --cases %d --workers 1")},
		{"check", "cases", []int{12_000, 120_000}, "", func(dir string, n int) ([]string, error) {
			text := fmt.Sprintf(checkFormat, n)
			return []string{"check", "--config", "check.yaml"}, os.WriteFile(filepath.Join(dir, "check.yaml"), []byte(text),
				0o600)
		}},
		{"score", "replies", []int{18_000, 180_000, 1_800_000}, "", func(dir string, n int) ([]string, error) {
			return []string{"score", "replies.jsonl", "--workers", "1"}, replies(filepath.Join(dir, "replies.jsonl"), n/3)
		}},
		{"trim", "cases", []int{1_000, 10_000}, "", fixed("trim --cases %d --tokenizer chars/4 --workers 1")},
		{"run", "scenarios", []int{1_000, 10_000}, "all scenarios, which the report lists", func(dir string, n int) ([]string, error) {
			return []string{"run", "scenarios", "--workers", "1"}, scenarios(filepath.Join(dir, "scenarios"), n)
		}},
		{"live", "cases", []int{1_000, 10_000}, "", func(_ string, n int) ([]string, error) {
			return []string{
				"live", "--model", "m", "--base-url", model, "--cases", fmt.Sprintf("generated:%d", n),
				"--tokenizer", "chars/4",
			}, nil
		}},
		{"agent", "sessions", []int{12, 120}, "", func(dir string, n int) ([]string, error) {
			self, err := os.Executable()
			args := strings.Fields(fmt.Sprintf("agent --as agent.yaml --sessions %d --env %s=drops-done --", n, playsAgent))
			return append(args, self), errors.Join(err, os.WriteFile(filepath.Join(dir, "agent.yaml"), agenttest.Profile, 0o600))
		}},
		{"apply", "steps", []int{10, 1_000, 10_000, 100_000}, "the plan", func(dir string, n int) ([]string, error) {
			args := []string{
				"apply", "--plan", "plan.json", "--reply", "reply.json", "--format", "json",
				"--limit", "max_reply_bytes=100000000",
			}
			return args, bigPlan(dir, n)
		}},
		{"history", "messages", []int{10, 10_000, 100_000, 1_000_000}, "the history", func(dir string, n int) ([]string, error) {
			args := []string{"trim", "--history", "history.json", "--policy", "pinned", "--tokenizer", "chars/4"}
			return args, longHistory(filepath.Join(dir, "history.json"), n)
		}},
		{"merge", "shards", []int{10, 100, 1_000}, "what each shard ran", func(dir string, n int) ([]string, error) {
			return shards(program, dir, n)
		}},
		{"report", "causes", []int{10, 100, 1_000, 5_000}, "the causes", func(dir string, n int) ([]string, error) {
			return []string{"report", "report.json", "--format", "html", "--out", "report.html"}, causes(program, dir, n)
		}},
	}
}

// used is the processor time and the peak memory of a process.
type used struct{ seconds, mib float64 }

func (c command) run(t *testing.T, program string, size int) used {
	t.Helper()
	dir := t.TempDir()
	args, err := c.args(dir, size)
	if err != nil {
		t.Fatal(err)
	}
	u, err := process(program, dir, args)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// process runs the program until it ends.
func process(program, dir string, args []string) (used, error) {
	cmd := exec.Command(program, args...)
	var said strings.Builder
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, io.Discard, &said
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none")
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 1 { // 1: something was found
		return used{}, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	u := used{seconds: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.mib = float64(usage.Maxrss) / 1024
	}
	return u, nil
}

// replies writes a corpus with three samples of each case.
func replies(file string, cases int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f) // the kernel counts memory of this process as its children's
	for i := range 3 * cases {
		reply := `{\"remove_steps\":[\"a\"]}`
		if i%7 == 0 {
			reply = "I cannot"
		}
		fmt.Fprintf(b, replyFormat, i, i/3, i%3, reply)
	}
	return b.Flush()
}

// bigPlan writes a plan of n steps, which depend on every fourth of them, and a patch that
// removes a quarter of the steps and adds as many.
func bigPlan(dir string, n int) error {
	var steps, removed, added []string
	for i := range n {
		steps = append(steps, fmt.Sprintf(`{"id":"s%d","description":"step %d","dependencies":["s%d"]}`, i, i, i-i%4))
		if i%4 == 1 {
			removed = append(removed, fmt.Sprintf(`"s%d"`, i))
			added = append(added, fmt.Sprintf(`{"id":"new%d","description":"added","dependencies":["s%d"]}`, i, i-1))
		}
	}
	for i := 0; i < n; i += 4 {
		steps[i] = fmt.Sprintf(`{"id":"s%d","description":"step %d"}`, i, i)
	}
	plan := `{"title":"t","steps":[` + strings.Join(steps, ",") + "]}"
	reply := `{"remove_steps":[` + strings.Join(removed, ",") + `],"add_steps":[` + strings.Join(added, ",") + "]}"
	return errors.Join(os.WriteFile(filepath.Join(dir, "plan.json"), []byte(plan), 0o600),
		os.WriteFile(filepath.Join(dir, "reply.json"), []byte(reply), 0o600))
}

// longHistory writes a history of n messages. They are short: a million of them must not exceed the size of a file that
// the program reads.
func longHistory(file string, n int) error {
	messages := []string{`{"role":"system","content":"You are an agent."}`}
	for i := 1; i < n; i++ {
		role := [...]string{"assistant", "user"}[i%2]
		messages = append(messages, fmt.Sprintf(`{"role":%q,"content":"m"}`, role))
	}
	return os.WriteFile(file, []byte("["+strings.Join(messages, ",")+"]"), 0o600)
}

// scenarios writes hand-written cases.
func scenarios(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i := range n {
		text := fmt.Sprintf(scenarioFormat, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("s%d.txtar", i)), []byte(text), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// shards runs a campaign in so many shards, and returns the command that merges them.
func shards(program, dir string, n int) ([]string, error) {
	args := []string{"report"}
	for i := 1; i <= n; i++ {
		file := fmt.Sprintf("shard-%d.json", i)
		if _, err := process(program, dir, []string{
			"trim", "--cases", fmt.Sprint(n), "--tokenizer", "chars/4", "--shard",
			fmt.Sprintf("%d/%d", i, n), "--format", "json", "--out", file,
		}); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	return args, nil
}

// causes writes the report of a campaign with n causes: copies of one cause with its groups.
func causes(program, dir string, n int) error {
	args := strings.Fields("fuzz --engine defect:done-by-id-only --cases 300 --seed 4 --format json --out report.json")
	if _, err := process(program, dir, args); err != nil {
		return err
	}
	file := filepath.Join(dir, "report.json")
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var report map[string]any
	if err := json.Unmarshal(data, &report); err != nil {
		return err
	}
	campaign := report["fuzz"].(map[string]any)["campaigns"].([]any)[0].(map[string]any)
	for _, list := range []struct {
		in   map[string]any
		name string
	}{{campaign, "causes"}, {campaign, "groups"}, {report, "failures"}} {
		if list.in[list.name], err = copies(list.in[list.name], n); err != nil {
			return err
		}
	}
	if data, err = json.Marshal(report); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// copies repeats the items of a list. In each copy, ids, also within names, are others.
func copies(items any, n int) (list []any, err error) {
	text, err := json.Marshal(items)
	for i := 0; i < n && err == nil; i++ {
		var copied []any
		id := func(id string) string { return id[:6] + fmt.Sprintf("%06x", i) }
		err = json.Unmarshal([]byte(ids.ReplaceAllStringFunc(string(text), id)), &copied)
		list = append(list, copied...)
	}
	return list, err
}

// answer plays a model that changes nothing.
func answer(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"update_steps\":[]}"}}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`)
}
