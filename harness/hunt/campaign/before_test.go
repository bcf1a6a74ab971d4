package campaign

import (
	"strings"
	"sync/atomic"
	"testing"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// poisoned is an engine that, once it has read a fence, refuses replies without one.
func poisoned() (harness.Engine, error) {
	var fenced atomic.Bool
	return altered{reference.New(), func(c harness.Case, o *harness.Outcome) error {
		if strings.Contains(string(c.Replies[0]), "```") {
			fenced.Store(true)
		} else if fenced.Load() {
			*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.BadType}
		}
		return nil
	}}, nil
}

// TestBefore: of an engine that remembers, the example holds the one request behind
// which its case fails.
func TestBefore(t *testing.T) {
	c := config(nil)
	c.Fresh, c.Apart, c.Workers, c.Cases = nil, poisoned, 1, 100
	c.Engine, _ = poisoned()
	r := start(t, c).Result
	source, err := all.Source(c.Dialect, c.Generator)
	if err != nil {
		t.Fatal(err)
	}
	remembering := 0
	for _, x := range r.Causes {
		if len(x.Before) == 0 {
			continue
		}
		remembering++
		ask := func(before []uint64) harness.Code {
			e, _ := poisoned()
			hello, _ := e.Hello(t.Context())
			j := judge.New(e, hello, all.Rules(c.Dialect), judge.Options{Reference: reference.New(), Every: 1})
			for _, index := range before {
				if _, err := j.Judge(t.Context(), cause.ItemOf(source.At(c.Seed, index), index)); err != nil {
					t.Fatal(err)
				}
			}
			out, err := e.Eval(t.Context(), *x.Example)
			if err != nil {
				t.Fatal(err)
			}
			return out.Code
		}
		alone, behind := ask(nil), ask(x.Before)
		if len(x.Before) != 1 || behind != harness.BadType || alone == behind || alone != "" && x.Class != judge.OnlyCode {
			t.Errorf("%s: %q alone, %q behind %v", x.Sentence, alone, behind, x.Before)
		}
	}
	if remembering == 0 {
		t.Errorf("no cause tells of requests before it: %+v", r.Findings())
	}
}

// TestFewProcesses: a new process tries the example of each cause, but not the examples of other groups, because the
// engine has no memory.
func TestFewProcesses(t *testing.T) {
	c := config(nil)
	c.Engine = altered{reference.New(), func(c harness.Case, o *harness.Outcome) error {
		if o.Tier == harness.TierExtracted || o.Tier == harness.TierRepaired {
			*o = harness.Outcome{Verdict: harness.Rejected, Code: harness.NoDocument}
		}
		return nil
	}}
	var opened atomic.Int64
	c.Fresh, c.Workers, c.Cases, c.Generator.Traits = nil, 1, 1500, nil
	c.Apart = func() (harness.Engine, error) {
		opened.Add(1)
		return c.Engine, nil
	}
	r := start(t, c).Result
	examples := 0
	for _, g := range r.Groups {
		if g.Example != nil {
			examples++
		}
	}
	if n := int(opened.Load()); n != len(r.Causes) || examples <= 2*n {
		t.Errorf("%d processes for %d examples of %d causes", n, examples, len(r.Causes))
	}
}
