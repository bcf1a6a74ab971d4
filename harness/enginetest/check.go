package enginetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/generators/rapidgen"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
)

// Check is a rapid.Check of one dialect: it draws samples as a campaign does,
// makes every check on each, and lets rapid shrink the first that breaks one.
// The flags of rapid say how many samples (-rapid.checks) and from which seed
// (-rapid.seed). Of the options only [Deadline], [Judge] and [Known] count; a known
// failure is dialect/check/*, since only findings of a campaign have a
// fingerprint. It does not close the engine.
func Check(t *testing.T, engine harness.Engine, dialect string, opts ...Option) {
	t.Helper()
	r := newRunner(t, engine, opts)
	d := all.Find(dialect)
	if d == nil {
		t.Fatalf("unknown dialect %q (the dialects are %s)", dialect, strings.Join(all.Names(), ", "))
	}
	if _, ok := r.hello.Dialects[dialect]; !ok {
		t.Fatalf("the engine %s does not declare the dialect %s", r.hello.Name, dialect)
	}
	c := r.config(t, dialect)
	c.Judging.Every = 1
	j := judge.New(c.Engine, r.hello, d.Judging, c.Judging)
	samples := rapid.Map(rapidgen.Samples(d.Generate, c.Generator), func(s generators.Sample) drawn { return drawn{s} })
	broken := "" // the check that broke first: shrinking keeps to it
	rapid.Check(t, func(t *rapid.T) {
		s := samples.Draw(t, "sample")
		result, err := j.Judge(t.Context(), cause.ItemOf(s.Sample, 0))
		if err != nil {
			t.Fatalf("the sample could not be judged: %v", err)
		}
		result.Breaks = slices.DeleteFunc(result.Breaks, func(b judge.Break) bool {
			return b.Advisory || broken != "" && b.Check != broken || r.expects(dialect, b)
		})
		if len(result.Breaks) == 0 {
			return
		}
		broken = result.Breaks[0].Check
		f := campaign.Tell(t.Context(), c, r.hello, s.Sample, result)
		text := describe(f)
		if f.Given != nil {
			if given, err := json.Marshal(f.Given, json.Deterministic(true)); err == nil {
				text += harmless(fmt.Sprintf("the engine returned:\n%s\n", given))
			}
		}
		t.Fatalf("%s", text)
	})
}

// expects reports whether breaks of that check are known.
func (r *runner) expects(dialect string, b judge.Break) bool {
	_, ok := r.known.Find(dialect + "/" + b.Check + "/any")
	return ok
}

// drawn is a sample that rapid shows by its traits: the case itself is shown with
// what broke.
type drawn struct{ generators.Sample }

func (d drawn) GoString() string {
	if len(d.Traits) == 0 {
		return "a case without a trait"
	}
	return "a case with " + strings.Join(d.Traits, ", ")
}

// describe describes a finding of a sample, with the small case that shows it.
func describe(f finding.Finding) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n", f.Invariant, f.Message)
	if f.Want != "" {
		fmt.Fprintf(&b, "expected %s\ngot      %s\n", f.Want, f.Got)
	}
	if f.Diff != "" {
		fmt.Fprintf(&b, "%s\n", f.Diff)
	}
	if f.Stderr != "" {
		fmt.Fprintf(&b, "standard error:\n%s\n", f.Stderr)
	}
	if s, err := f.Scenario(); err == nil {
		s.Source = ""
		fmt.Fprintf(&b, "as a scenario:\n%s", s.Format())
	}
	return harmless(b.String())
}
