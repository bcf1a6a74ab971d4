// Package mutanttest holds what the tests of defects share.
package mutanttest

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// Difference describes how an engine with a defect differs from one without on a
// case; "" if it does not.
func Difference(t testing.TB, right mutant.Eval, d mutant.Defect, c harness.Case) string {
	t.Helper()
	sound := mutant.New("none", "nothing is wrong", func(right mutant.Eval) mutant.Eval { return right })
	return difference(look(t, mutant.Engine(c.Dialect, sound, right, harness.Declaration{Profile: harness.Reference()}),
		c), look(t, mutant.Engine(c.Dialect, d, right, harness.Declaration{Profile: harness.Reference()}), c))
}

// seen is all that can be seen of an engine: two answers to one request, or
// how it failed, and the plan in the caller's hands afterwards.
type seen struct {
	Outcomes [2]harness.Outcome
	Failure  string
	Plan     string
}

// look asks an engine twice. The context is over, which no engine minds that
// does not wait.
func look(t testing.TB, e harness.Engine, c harness.Case) (s seen) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c.Plan = c.Plan.Clone()
	defer func() {
		if p := recover(); p != nil {
			s.Failure = fmt.Sprint(p)
		}
		s.Plan = string(c.Plan)
	}()
	for i := range s.Outcomes {
		var err error
		if s.Outcomes[i], err = e.Eval(ctx, c); err != nil {
			s.Failure = err.Error()
		}
	}
	return s
}

// difference compares what was seen of two engines, as far as both say it.
func difference(want, got seen) string {
	for i := range want.Outcomes {
		w, g := &want.Outcomes[i], &got.Outcomes[i]
		if w.Rung == "" || g.Rung == "" {
			w.Rung, g.Rung = "", ""
		}
		if w.Tier == "" || g.Tier == "" {
			w.Tier, g.Tier = "", ""
		}
		if w.Repairs == nil || g.Repairs == nil {
			w.Repairs, g.Repairs = nil, nil
		}
		if w.Warnings == nil || g.Warnings == nil {
			w.Warnings, g.Warnings = nil, nil
		}
		if w.Events == nil || g.Events == nil {
			w.Events, g.Events = nil, nil
		}
		if w.Meta == nil || g.Meta == nil {
			w.Meta, g.Meta = nil, nil
		}
		if w.At == nil || g.At == nil {
			w.At, g.At = nil, nil
		}
	}
	return cmp.Diff(want, got,
		cmpopts.IgnoreFields(harness.Outcome{}, "Message"), cmpopts.IgnoreFields(harness.Event{}, "Message"),
		cmpopts.EquateEmpty())
}
