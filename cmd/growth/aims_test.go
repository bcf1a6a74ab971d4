//go:build unix

package growth

import (
	"bufio"
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"replanbench/corpora"
)

// TestAims logs the program's speed on one processor, with the settings of the command
// line, next to its aims. It fails only if a command fails: the machine decides the figures.
func TestAims(t *testing.T) {
	program := program(t)
	t.Setenv("GOMAXPROCS", "1")
	t.Logf("%-44s %10s %12s %8s", "", "figure", "aim", "ratio")
	starting(t, program)
	scoring(t, program)
	loop(t, program)
}

// atLeast logs a figure that should be large, atMost one that should be small. A ratio of 1
// or more means that the aim is reached.
func atLeast(t *testing.T, item string, figure, aim float64) {
	row(t, item, figure, "≥", aim, figure/aim)
}

func atMost(t *testing.T, item string, figure, aim float64) {
	row(t, item, figure, "≤", aim, aim/figure)
}

func row(t *testing.T, item string, figure float64, sign string, aim, ratio float64) {
	t.Helper()
	t.Logf("%-44s %10.1f %10s %g %7.2f×", item, figure, sign, aim, ratio)
}

// scoring scores 10 MB of replies and ten times as much.
func scoring(t *testing.T, program string) {
	t.Helper()
	const replies = 20_000
	for _, c := range []struct {
		tokenizer string
		aim       float64
	}{{"none", 100_000}, {"o200k_base", 50_000}} {
		score := command{args: func(dir string, n int) ([]string, error) {
			args := []string{"score", "replies.jsonl", "--tokenizer", c.tokenizer, "--workers", "1"}
			return args, documented(filepath.Join(dir, "replies.jsonl"), n)
		}}
		one, ten := score.run(t, program, replies), score.run(t, program, 10*replies)
		atLeast(t, "score, replies/s, tokenizer "+c.tokenizer, 10*replies/ten.seconds, c.aim)
		atMost(t, fmt.Sprintf("  memory of ten times as many (%.0f MiB)", ten.mib), ten.mib/one.mib, maxMemory)
	}
}

// documented writes n replies to n cases. One in ten is a retry.
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

// loop runs a campaign, and compares it with two libraries for property-based tests.
func loop(t *testing.T, program string) {
	t.Helper()
	const cases = 40_000
	u, err := process(program, t.TempDir(), strings.Fields(fmt.Sprintf("fuzz --cases %d --workers 1 --quiet", cases)))
	if err != nil {
		t.Fatal(err)
	}
	atLeast(t, "fuzz, cases/s of the default order", cases/u.seconds, 30_000)
	python := cmp.Or(os.Getenv("PYTHON"), "python3")
	peers := filepath.Join("..", "..", "harness", "hunt", "campaign", "testdata", "peers", "compare.py")
	out, err := exec.CommandContext(t.Context(), python, peers, program, strconv.Itoa(cases/2)).CombinedOutput()
	if err != nil {
		t.Logf("  the peers are left out: %v", err)
	}
	t.Logf("%s", out)
}

// starting starts the program.
func starting(t *testing.T, program string) {
	t.Helper()
	var ms, mib []float64
	for range 20 {
		u, err := process(program, t.TempDir(), []string{"list", "codes"})
		if err != nil {
			t.Fatal(err)
		}
		ms, mib = append(ms, u.seconds*1000), append(mib, u.mib)
	}
	slices.Sort(ms)
	slices.Sort(mib)
	atMost(t, "start-up, ms (list codes, median of 20)", ms[len(ms)/2], 15)
	atMost(t, "  MiB", mib[len(mib)/2], 20)
}
