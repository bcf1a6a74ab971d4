//go:build unix

// Command growth runs every long command of replanbench on one size of input, on ten
// times as much and, where it says so, on a hundred times, and prints processor time and
// the most memory of each. Cost is to be linear, and memory flat where the table does not
// say what is kept: it ends with exit code 1 if ten times the work takes more than twelve
// times the time, or more memory by a tenth. In the place of commands, "aims" prints how
// fast the program is beside what is aimed at.
//
//	go run ./cmd/growth bin/replanbench [COMMAND...]
//	go run ./cmd/growth bin/replanbench aims
package main

import (
	"bufio"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"replanbench/harness/agent/agenttest"
)

// How many times the time and the memory ten times the work may take.
const (
	most = 12
	flat = 1.1
)

// command is a command line for a size of its input.
type command struct {
	name    string
	size    int    // so large that the heap has grown as far as it may
	hundred bool   // try a hundred times the size as well
	keeps   string // what it has to keep of everything; "" is nothing
	args    func(dir string, size int) ([]string, error)
}

func main() {
	if bug, ok := os.LookupEnv(playsAgent); ok {
		os.Exit(agenttest.Main(bug))
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "growth:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("give the program, such as bin/replanbench, and commands to try (default all)")
	}
	program, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	model := httptest.NewServer(http.HandlerFunc(answer))
	defer model.Close()
	if slices.Equal(args[1:], []string{"aims"}) {
		return aims(program, model.URL+"/v1")
	}
	fmt.Printf("%-10s %9s %9s %9s %7s %9s %9s %7s  %s\n", "command", "size", "1x s", "10x s", "ratio", "1x MiB", "10x MiB", "ratio", "keeps")
	var over []string
	for _, c := range commands(program, model.URL+"/v1") {
		if len(args) > 1 && !slices.Contains(args[1:], c.name) {
			continue
		}
		time, memory, err := c.measure(program)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if time > most {
			over = append(over, fmt.Sprintf("%s takes %.1f times the time for ten times the work", c.name, time))
		}
		if memory > flat && c.keeps == "" {
			over = append(over, fmt.Sprintf("%s takes %.2f times the memory for ten times the work", c.name, memory))
		}
	}
	if over != nil {
		return errors.New(strings.Join(over, "; "))
	}
	return nil
}

// What the commands are given, with the places for numbers.
var (
	//go:embed check.yaml
	checkFormat string
	//go:embed reply.json
	replyFormat string
	//go:embed scenario.txtar
	scenarioFormat string
)

// playsAgent is the variable that makes this program the agent that is tested, with the bug
// that it names.
const playsAgent = "GROWTH_AGENT"

// commands are those that take long.
func commands(program, model string) []command {
	fixed := func(format string) func(string, int) ([]string, error) {
		return func(_ string, n int) ([]string, error) { return strings.Fields(fmt.Sprintf(format, n)), nil }
	}
	return []command{
		{"fuzz", 20_000, false, "", fixed("fuzz --cases %d --workers 1")},
		{"check", 12_000, true, "", func(dir string, n int) ([]string, error) {
			text := fmt.Sprintf(checkFormat, n)
			return []string{"check", "--config", "check.yaml"}, os.WriteFile(filepath.Join(dir, "check.yaml"), []byte(text), 0o600)
		}},
		{"score", 6_000, true, "", func(dir string, n int) ([]string, error) {
			return []string{"score", "replies.jsonl", "--workers", "1"}, replies(filepath.Join(dir, "replies.jsonl"), n)
		}},
		{"validate", 10_000, false, "all ids", func(dir string, n int) ([]string, error) {
			return []string{"corpus", "validate", "replies.jsonl"}, replies(filepath.Join(dir, "replies.jsonl"), n)
		}},
		{"trim", 1_000, false, "", fixed("trim --cases %d --tokenizer chars/4 --workers 1")},
		{"calibrate", 4, false, "", fixed("calibrate --defects half-applied,accepts-cycle --cases 300 --seeds %d --workers 1")},
		{"run", 200, false, "all scenarios, which the report lists", func(dir string, n int) ([]string, error) {
			return []string{"run", "scenarios", "--workers", "1"}, scenarios(filepath.Join(dir, "scenarios"), n)
		}},
		{"live", 1_000, false, "", func(_ string, n int) ([]string, error) {
			return []string{"live", "--model", "m", "--base-url", model, "--cases", fmt.Sprintf("generated:%d", n), "--tokenizer", "chars/4"}, nil
		}},
		{"agent", 12, false, "", func(dir string, n int) ([]string, error) {
			self, err := os.Executable()
			args := strings.Fields(fmt.Sprintf("agent --as agent.yaml --sessions %d --env %s=drops-done --", n, playsAgent))
			return append(args, self), errors.Join(err, os.WriteFile(filepath.Join(dir, "agent.yaml"), agenttest.Profile, 0o600))
		}},
		{"report", 30, false, "", func(dir string, n int) ([]string, error) { return shards(program, dir, n) }},
	}
}

// measure runs the command on both sizes, or on three, and prints a line each.
func (c command) measure(program string) (time, memory float64, err error) {
	sizes := []int{c.size, 10 * c.size}
	if c.hundred {
		sizes = append(sizes, 100*c.size)
	}
	var before used
	for i, size := range sizes {
		now, err := c.run(program, size)
		if err != nil {
			return 0, 0, err
		}
		if i > 0 {
			x, y := now.seconds/before.seconds, now.mib/before.mib
			fmt.Printf("%-10s %9d %9.2f %9.2f %7.1f %9.0f %9.0f %7.2f  %s\n", c.name, sizes[i-1], before.seconds, now.seconds, x, before.mib, now.mib, y, c.keeps)
			time, memory = max(time, x), max(memory, y)
		}
		before = now
	}
	return time, memory, nil
}

// used is what a process took.
type used struct{ seconds, mib float64 }

func (c command) run(program string, size int) (used, error) {
	dir, err := os.MkdirTemp("", "growth-")
	if err != nil {
		return used{}, err
	}
	defer os.RemoveAll(dir)
	args, err := c.args(dir, size)
	if err != nil {
		return used{}, err
	}
	return process(program, dir, args)
}

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

// replies writes a corpus of three samples of each case.
func replies(file string, cases int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriter(f) // what this process holds is counted as its children's memory
	for i := range 3 * cases {
		reply := `{\"remove_steps\":[\"a\"]}`
		if i%7 == 0 {
			reply = "I cannot"
		}
		fmt.Fprintf(b, replyFormat, i, i/3, i%3, reply)
	}
	return b.Flush()
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
		if _, err := process(program, dir, []string{"trim", "--cases", fmt.Sprint(n), "--tokenizer", "chars/4", "--shard", fmt.Sprintf("%d/%d", i, n), "--format", "json", "--out", file}); err != nil {
			return nil, err
		}
		args = append(args, file)
	}
	return args, nil
}

// answer plays a model that changes nothing.
func answer(w http.ResponseWriter, r *http.Request) {
	io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"update_steps\":[]}"}}],"usage":{"prompt_tokens":100,"completion_tokens":20}}`)
}
