//go:build unix

package main

import (
	"bufio"
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// aims prints how fast the program is where users wait for it, beside what is aimed at:
// processor time on one processor, with the settings of the command line. What this process
// holds is counted as its children's: what needs the least comes first, what holds much
// itself last.
func aims(program, model string) error {
	os.Setenv("GOMAXPROCS", "1")
	fmt.Printf("%-44s %10s %12s %8s\n", "", "figure", "aim", "ratio")
	for _, measure := range []func(program, model string) error{starting, scoring, loop, asking, causes, hostile} {
		if err := measure(program, model); err != nil {
			return err
		}
	}
	fmt.Println("\nmake growth says what ten times the work takes.")
	return nil
}

// atLeast prints a figure that is to be large, atMost one that is to be small; their
// ratios are above 1 where the aim is reached.
func atLeast(item string, figure, aim float64) { row(item, figure, "≥", aim, figure/aim) }
func atMost(item string, figure, aim float64)  { row(item, figure, "≤", aim, aim/figure) }

func row(item string, figure float64, sign string, aim, ratio float64) {
	digits := 1
	if math.Abs(figure) >= 1000 {
		digits = 0
	}
	fmt.Printf("%-44s %10.*f %10s %g %7.2f×\n", item, digits, figure, sign, aim, ratio)
}

func leftOut(item string, why error) error {
	fmt.Printf("%-44s left out: %v\n", item, why)
	return nil
}

// hostile reads texts that careless readers choke on, as the first dialect of plans.
func hostile(string, string) error {
	debug.SetGCPercent(800)
	runtime.GOMAXPROCS(1)
	const size = 128 << 10
	slowest, worst := "", math.Inf(1)
	for _, name := range []string{harness.ProfileReference, harness.ProfileLenient} {
		p, _ := harness.Named(name)
		for _, unit := range []string{"{", `"`, "a", "```\n", "[", `{"`, `{"a":`, "{a:", "[{", "'", "{/*", "\\", "<think>"} {
			c := harness.Case{Plan: []byte(`{"title":"t","steps":[{"id":"a","description":"d"}]}`), Replies: []harness.Reply{harness.Reply(strings.Repeat(unit, size/len(unit)))}}
			n, begun := 0, cpu()
			for ; cpu()-begun < 50*time.Millisecond; n++ {
				all.Dialects()[0].Eval(c, p)
			}
			if speed := float64(n) * size / 1e6 / (cpu() - begun).Seconds(); speed < worst {
				slowest, worst = name+", "+unit, speed
			}
		}
	}
	atLeast("hostile replies, MB/s ("+slowest+")", worst, 20)
	return nil
}

// cpu is the processor time of this process.
func cpu() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// scoring scores 10 MB of replies and ten times as much.
func scoring(program, _ string) error {
	const replies = 20_000
	for _, c := range []struct {
		tokenizer string
		aim       float64
	}{{"none", 50_000}, {"o200k_base", 20_000}} {
		one, ten := used{}, used{}
		for n, u := range map[int]*used{replies: &one, 10 * replies: &ten} {
			var err error
			of := command{args: func(dir string, n int) ([]string, error) {
				return []string{"score", "replies.jsonl", "--tokenizer", c.tokenizer, "--workers", "1"}, documented(filepath.Join(dir, "replies.jsonl"), n)
			}}
			if *u, err = of.run(program, n); err != nil {
				return err
			}
		}
		atLeast("score, replies/s, tokenizer "+c.tokenizer, 10*replies/ten.seconds, c.aim)
		atMost(fmt.Sprintf("  memory of ten times as many (%.0f MiB)", ten.mib), ten.mib/one.mib, 1.1)
	}
	return nil
}

// documented writes so many replies to as many cases, one in ten of them a retry.
func documented(file string, n int) error {
	var records []corpora.Record
	for r, err := range corpora.Builtin()[1].Records() {
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriter(f)
	var line []byte
	for i := range n {
		r := records[i%len(records)]
		round := fmt.Sprint("-", i/len(records))
		r.ID, r.Case, r.Source = r.ID+round, r.Case+round, corpora.Synthetic
		if r.RetryOf != "" {
			r.RetryOf += round
		}
		if line, err = r.Append(line[:0]); err != nil {
			return err
		}
		out.Write(line)
	}
	return out.Flush()
}

// loop runs a campaign, and the loops of two libraries for property-based tests.
func loop(program, _ string) error {
	const cases = 40_000
	u, err := process(program, ".", strings.Fields(fmt.Sprintf("fuzz --cases %d --workers 1 --quiet", cases)))
	if err != nil {
		return err
	}
	atLeast("fuzz, cases/s of the default order", cases/u.seconds, 20_000)
	out, err := exec.Command(python(), "harness/campaign/testdata/peers/compare.py", program, strconv.Itoa(cases/2)).CombinedOutput()
	if err != nil {
		return leftOut("  times its peers", fmt.Errorf("compare.py: %w", err))
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0] == "replanbench" {
			continue
		}
		times, err := strconv.ParseFloat(strings.TrimSuffix(f[2], "×"), 64)
		switch {
		case strings.Contains(line, "left out"):
			leftOut("  times "+f[0], errors.New("it is not installed (see harness/campaign/testdata/peers)"))
		case err == nil:
			atLeast("  times "+f[0], times, 2)
		}
	}
	return nil
}

// python is the interpreter that PYTHON names.
func python() string { return cmp.Or(os.Getenv("PYTHON"), "python3") }

// asking asks a model that answers at once, three times for each case.
func asking(program, model string) error {
	const cases, lines = 1_000, 3_000
	list := commands(program, model)
	c := list[slices.IndexFunc(list, func(c command) bool { return c.name == "live" })]
	one, err := c.run(program, cases)
	if err != nil {
		return err
	}
	ten, err := c.run(program, 10*cases)
	if err != nil {
		return err
	}
	atMost("live, ms a line", (ten.seconds-one.seconds)/(9*lines)*1000, 0.5)
	atMost(fmt.Sprintf("  memory of ten times as many (%.0f MiB)", ten.mib), ten.mib/one.mib, 1.1)
	return nil
}

// starting starts the program.
func starting(program, _ string) error {
	var ms, mib []float64
	for range 20 {
		u, err := process(program, ".", []string{"list", "codes"})
		if err != nil {
			return err
		}
		ms, mib = append(ms, u.seconds*1000), append(mib, u.mib)
	}
	slices.Sort(ms)
	slices.Sort(mib)
	atMost("start-up, ms (list codes, median of 20)", ms[len(ms)/2], 15)
	atMost("  MiB", mib[len(mib)/2], 20)
	return nil
}

//go:embed slow.py
var slowEngine []byte

// causes looks for the bugs of an engine in Python that takes 5 ms for a case.
func causes(program, _ string) error {
	const item = "bugs of four found, engine of 5 ms, in 30 s"
	if _, err := exec.LookPath(python()); err != nil {
		return leftOut(item, err)
	}
	dir, err := os.MkdirTemp("", "engine-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	planner, err := os.ReadFile("cmd/replanbench/testdata/engines/planner.py")
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "planner.py"), planner, 0o600), os.WriteFile(filepath.Join(dir, "slow.py"), slowEngine, 0o600)); err != nil {
		return err
	}
	if _, err := process(program, dir, []string{"init", "--adapter", "python"}); err != nil {
		return err
	}
	args := strings.Fields("fuzz --time 30s --quiet --report json=report.json -- " + python() + " slow.py 1 2 3 4")
	if _, err := process(program, dir, args); err != nil {
		return err
	}
	var report struct {
		Fuzz struct {
			Campaigns []struct {
				Cases, Calls float64
				Causes       []struct{ Check string }
			}
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "report.json"))
	if err == nil {
		err = json.Unmarshal(data, &report, json.MatchCaseInsensitiveNames(true))
	}
	if err != nil || len(report.Fuzz.Campaigns) == 0 {
		return fmt.Errorf("the report of the slow engine: %v", err)
	}
	said, err := os.ReadFile(filepath.Join(dir, "calls"))
	if err != nil {
		return err
	}
	asked := 0.0
	for _, n := range strings.Fields(string(said)) {
		x, _ := strconv.ParseFloat(n, 64)
		asked += x
	}
	c := report.Fuzz.Campaigns[0]
	bugs := map[string]bool{"done-immutable": false, "deps-exist": false, "within-limit": false, "no-silent-loss": false} // by what shows them
	found := 0.0
	for _, x := range c.Causes {
		if seen, ok := bugs[x.Check]; ok && !seen {
			bugs[x.Check] = true
			found++
		}
	}
	atLeast(item, found, float64(len(bugs)))
	atMost("  causes told, of a bug", float64(len(c.Causes))/max(found, 1), 2)
	atMost("  calls to find and shrink them, of a case", (asked-c.Calls)/c.Cases+0.001, 1)
	return nil
}
