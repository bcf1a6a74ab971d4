package campaign

import (
	"context"
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/finding"
	"replanbench/harness/invariant"
	"replanbench/harness/plan"
	"replanbench/harness/shrink"
)

// times is how often a break must show again.
const times = 3

// find makes a finding of a case that broke something: reproduces it on an
// engine of its own, makes it small, and tells what it shows.
func (r *runner) find(ctx context.Context, h hit) (finding.Finding, error) {
	ctx = engine.Free(ctx)
	e, done, err := r.open()
	if err != nil {
		return finding.Finding{}, err
	}
	defer done()
	s := r.sample(h.index)
	hunt := &hunt{ctx: ctx, judge: invariant.New(e, r.hello, r.Judging), item: r.item(s, h.index), first: h.breaks[0]}
	f := r.describe(h)
	f.Faults = append(f.Faults, s.Faults...)
	shown := 0
	for range times {
		if hunt.shows(hunt.item) {
			shown++
		}
	}
	f.Reproduced = fmt.Sprintf("%d/%d", shown, times)
	f.Case = s.Case
	f.Shrunk.From = finding.Measure(s.Case)
	if shown < times {
		f.Kind = finding.Flaky
	} else {
		f.Case = hunt.shrink(r.ShrinkBudget)
	}
	f.Shrunk.To = finding.Measure(f.Case)
	if err := ctx.Err(); err != nil {
		return f, err
	}
	r.explain(&f, hunt)
	return f, nil
}

// describe begins a finding with what is known of the case as generated.
func (r *runner) describe(h hit) finding.Finding {
	b := h.breaks[0]
	f := finding.Finding{
		V: finding.Version, Dialect: r.Dialect, Invariant: b.Check, Kind: finding.KindOf(b), Message: b.Message,
		Step: b.Step, Field: b.Field, Want: b.Want, Got: b.Got, Faults: []string{},
		Seed: r.Seed, CaseIndex: h.index, GeneratorVersion: harness.Version, Engine: r.result.Engine,
	}
	for _, also := range h.breaks[1:] {
		f.Also = append(f.Also, also.Check)
	}
	return f
}

// explain completes a finding from its small case: what broke there, what the
// right answer is, and what differs.
func (r *runner) explain(f *finding.Finding, h *hunt) {
	if b := h.last; b != nil {
		f.Message, f.Step = b.Message, b.Step
	}
	profile := h.judgement.Profile
	f.Case.Profile = &profile
	switch label := h.item.Label; {
	case f.Invariant == invariant.Expected && label != nil:
		f.Answer = harness.Outcome{Verdict: label.Verdict, Plan: label.Plan}
		if len(label.Codes) > 0 && label.Verdict == harness.Rejected {
			f.Answer.Code = label.Codes[0]
		}
	case r.Judging.Reference != nil:
		if out, err := r.Judging.Reference.Eval(h.ctx, f.Case); err == nil {
			f.Answer = harness.Outcome{Verdict: out.Verdict, Code: out.Code, Plan: out.Plan}
		}
	}
	if f.Answer.Verdict == "" {
		f.Answer = harness.Outcome{Verdict: harness.Rejected}
	}
	f.Diff = difference(f, h.judgement.Outcome.Plan)
	if failure := h.judgement.Failure; failure != nil {
		f.Stderr = failure.Stderr
	}
	f.Fingerprint = finding.Fingerprint(f.Invariant, f.Field, f.Want, f.Got, f.Case)
}

// maxDiff bounds what is kept of a difference, in bytes.
const maxDiff = 4000

// difference shows the given plan beside the right one, or the one before.
func difference(f *finding.Finding, got *plan.Plan) string {
	want := f.Answer.Plan
	if want == nil {
		want, _ = plan.Decode(f.Case.Plan)
	}
	if want == nil || got == nil {
		return ""
	}
	s := plan.Diff(want, got).String()
	if len(s) > maxDiff {
		s = strings.ToValidUTF8(s[:maxDiff], "") + "…\n"
	}
	return s
}

// hunt looks for the smallest case that shows a break.
type hunt struct {
	ctx       context.Context
	judge     *invariant.Judge
	item      invariant.Item
	first     invariant.Break // what to look for
	last      *invariant.Break
	judgement invariant.Judgement // in which last was seen
}

// shows reports whether the break shows in an item.
func (h *hunt) shows(item invariant.Item) bool {
	j, err := h.judge.Only(h.ctx, item, h.first.Check)
	if err != nil {
		return false
	}
	if h.judgement.Exercised == 0 {
		h.judgement = j
	}
	for i := range j.Breaks {
		if j.Breaks[i].Key() == h.first.Key() {
			h.last, h.judgement = &j.Breaks[i], j
			return true
		}
	}
	return false
}

// shrink makes the case small. What only its maker knows to be wrong stays as
// it is: of a smaller case there is no such knowledge.
func (h *hunt) shrink(budget int) harness.Case {
	switch {
	case budget < 0 || h.first.Check == invariant.Expected:
		return h.item.Case
	case h.first.Got == string(harness.Hang):
		budget = 8 // each costs the deadline
	case h.first.Check == invariant.Bounded:
		budget = 50 // each is slow
	case budget == 0:
		budget = shrink.DefaultBudget
	}
	small, _ := shrink.Case(h.item.Case, budget, func(c harness.Case) bool {
		return h.ctx.Err() == nil && h.shows(invariant.Item{Case: c, Salt: h.item.Salt, Faults: h.item.Faults})
	})
	return small
}
