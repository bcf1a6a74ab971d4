package gate_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/shard"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// open opens an engine for a gate over one dialect, which ends with the test.
func open(t *testing.T, use string) (*gate.Gate, *config.Config) {
	t.Helper()
	g, err := gate.Open(t.Context(), byname.Engine{Use: use}, "check", "test", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Engine.Close() })
	c := config.Default()
	c.Dialects, c.Workers = []string{"planpatch"}, 2
	c.Suites.Fuzz.Cases, c.Suites.Scenarios.Run = 400, false
	return g, c
}

// failures are the names of what failed, a list of what is known among it that names what
// is not there.
func failures(r *reports.Report) (names []string) {
	for _, f := range r.Failures {
		names = append(names, f.ID)
	}
	return names
}

// TestCheck: a gate passes the reference, and no engine with a defect, which it writes down
// as known; then it passes that one, too.
func TestCheck(t *testing.T) {
	g, c := open(t, "reference")
	if err := g.Check(t.Context(), c, []gate.Part{gate.Fuzz(c)}); err != nil {
		t.Fatal(err)
	}
	if !g.Conclude() {
		t.Errorf("the reference does not pass: %+v", g.Report.Failures)
	}
	const defect = "defect:accepts-cycle"
	g, c = open(t, defect)
	if err := g.Check(t.Context(), c, []gate.Part{gate.Fuzz(c)}); err != nil {
		t.Fatal(err)
	}
	failed := failures(g.Report)
	if g.Conclude() || len(failed) == 0 {
		t.Fatalf("%s passes", defect)
	}
	file := filepath.Join(t.TempDir(), "known.txt")
	if n, err := g.WriteKnown(file, finding.Baseline{}); err != nil || n < len(failed) {
		t.Fatalf("%d known, want at least %d (error %v)", n, len(failed), err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, c = open(t, defect)
	g.KnownFile = file
	if g.Known, err = finding.ParseBaseline(file, data); err != nil {
		t.Fatal(err)
	}
	if err := g.Check(t.Context(), c, []gate.Part{gate.Fuzz(c)}); err != nil {
		t.Fatal(err)
	}
	if !g.Conclude() {
		t.Errorf("%s fails with all that is known: %v", defect, failures(g.Report))
	}
}

// TestParts: what does not come to its end fails the gate, but for a mistake of the one who
// asks, which makes no report; and nothing runs behind it.
func TestParts(t *testing.T) {
	for _, test := range []struct {
		name   string
		err    error
		failed bool
		ran    []string
	}{
		{"all", nil, false, []string{"first", "second"}},
		{"an engine that is gone", io.ErrUnexpectedEOF, true, []string{"first"}},
		{"a mistake", harness.Mistakef("no such file"), false, []string{"first"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, c := open(t, "reference")
			var ran []string
			part := func(name string, err error) gate.Part {
				return gate.Part{Name: name, Runs: true, Run: func(context.Context, *gate.Gate) error {
					ran = append(ran, name)
					return err
				}}
			}
			err := g.Check(t.Context(), c, []gate.Part{part("first", test.err), part("second", nil)})
			if !errors.Is(err, test.err) {
				t.Errorf("the error is %v, want %v", err, test.err)
			}
			if diff := cmp.Diff(test.ran, ran); diff != "" {
				t.Error(diff)
			}
			if got := slices.Contains(failures(g.Report), "first"); got != test.failed {
				t.Errorf("it fails the gate: %t, want %t", got, test.failed)
			}
		})
	}
}

// TestSpeaks: a gate over a dialect that the engine does not have is refused.
func TestSpeaks(t *testing.T) {
	g, c := open(t, "reference")
	delete(g.Hello.Dialects, "planpatch")
	err := g.Check(t.Context(), c, nil)
	if !harness.IsMistake(err) || !strings.Contains(err.Error(), "does not declare planpatch") {
		t.Errorf("the error is %v", err)
	}
}

// TestSound: senseless options of a campaign are rejected, and missing ones are set.
func TestSound(t *testing.T) {
	for _, test := range []struct {
		name  string
		asked campaign.Config
		want  string
	}{
		{"nothing", campaign.Config{MaxFindings: 1}, ""},
		{
			"a part of what has no end",
			campaign.Config{MaxFindings: 1, Time: time.Minute, Shard: shard.Shard{I: 1, N: 2}},
			"a part needs a whole",
		},
		{"on from nowhere", campaign.Config{MaxFindings: 1, Resume: true}, "name the directory"},
		{"no findings", campaign.Config{}, "must be positive"},
	} {
		err := gate.Sound(&test.asked)
		switch {
		case test.want == "" && (err != nil || test.asked.Cases != gate.DefaultCases):
			t.Errorf("%s: %d cases, error %v", test.name, test.asked.Cases, err)
		case test.want != "" && (!harness.IsMistake(err) || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: the error is %v, want %q", test.name, err, test.want)
		}
	}
}

// TestDefaults: a file of settings that says nothing of it stops where the flag does.
func TestDefaults(t *testing.T) {
	if got := config.Default().Suites.Fuzz.MaxFindings; got != campaign.DefaultMaxFindings {
		t.Errorf("a campaign of check stops at %d findings, and one of fuzz at %d", got, campaign.DefaultMaxFindings)
	}
}
