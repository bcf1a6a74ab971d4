package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/check"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine"
	"replanbench/harness/finding"
	"replanbench/harness/judge"
	"replanbench/harness/plan"
	"replanbench/harness/shrink"
)

// times is how often a break must show again.
const times = 3

// find makes a finding of a case that broke something. Where it is late, the
// case is told as it is: not asked for again, not shrunk.
func (r *runner) find(ctx context.Context, h hit, late bool) (finding.Finding, error) {
	s := r.sample(h.index)
	f := finding.Finding{Faults: append([]string{}, s.Traits...), Seed: r.Seed, CaseIndex: h.index, GeneratorVersion: generatorVersion()}
	item, breaks := r.item(s, h.index), h.judgement.Breaks
	if !late {
		err := r.investigate(ctx, &f, item, breaks)
		return f, err
	}
	r.asItIs(context.WithoutCancel(ctx), &f, item, h.judgement)
	return f, nil
}

// asItIs completes a finding of a case that is neither asked for again nor shrunk.
func (r *runner) asItIs(ctx context.Context, f *finding.Finding, item judge.Item, j judge.Judgement) {
	r.describe(f, j.Breaks)
	f.Case, f.Reproduced = item.Case, finding.Unexamined
	f.Shrunk.From = finding.Measure(f.Case)
	f.Shrunk.To = f.Shrunk.From
	r.explain(f, &hunt{ctx: ctx, runner: r, item: item, judgement: j})
}

// Tell makes a finding of what was judged of one sample outside of a campaign: the
// first break, with the case as it is. Of the configuration it needs the dialect
// and the judging.
func Tell(ctx context.Context, c Config, hello harness.Hello, s generators.Sample, j judge.Judgement) finding.Finding {
	f := finding.Finding{Faults: append([]string{}, s.Traits...), GeneratorVersion: generatorVersion()}
	(&runner{Config: c, hello: hello}).asItIs(ctx, &f, Item(s, 0), j)
	return f
}

// generatorVersion says what a seed and an index mean.
func generatorVersion() string { return strconv.Itoa(generators.Version) }

// Minimize makes a finding of any case that breaks something on the engine,
// by the check of that name, or by any if the name is "". Of the configuration
// it needs what belongs to the engine, the judging and the shrinking. It
// returns [ErrHolds] if nothing breaks.
func Minimize(ctx context.Context, c Config, hello harness.Hello, target harness.Case, check string) (finding.Finding, error) {
	r := &runner{Config: c, hello: hello}
	r.Dialect, r.Judging.Every, r.Judging.SampleReference = target.Dialect, 1, false
	r.Deadline = cmp.Or(r.Deadline, DefaultDeadline)
	e, done, err := r.open()
	if err != nil {
		return finding.Finding{}, err
	}
	defer done()
	item := judge.Item{Case: target}
	j, err := judge.New(e, hello, all.Rules(r.Dialect), r.Judging).Judge(ctx, item)
	if err != nil {
		return finding.Finding{}, err
	}
	if j.Unsupported != "" {
		return finding.Finding{}, errors.New(j.Unsupported)
	}
	if check != "" {
		j.Breaks = slices.DeleteFunc(j.Breaks, func(b judge.Break) bool { return b.Check != check })
	}
	if len(j.Breaks) == 0 {
		return finding.Finding{}, ErrHolds
	}
	f := finding.Finding{Faults: []string{}, GeneratorVersion: generatorVersion()}
	err = r.investigate(ctx, &f, item, j.Breaks)
	return f, err
}

// ErrHolds says that a case breaks nothing.
var ErrHolds = errors.New("the case breaks nothing on this engine")

// investigate reproduces the first break of a case, makes the case small, and
// tells what it shows.
func (r *runner) investigate(ctx context.Context, f *finding.Finding, item judge.Item, breaks []judge.Break) error {
	ctx = engine.Free(ctx)
	hunt := &hunt{ctx: ctx, runner: r, item: item, first: breaks[0]}
	r.describe(f, breaks)
	shown := 0
	for range times {
		if hunt.shows(hunt.item) {
			shown++
		}
	}
	f.Reproduced = fmt.Sprintf("%d/%d", shown, times)
	f.Case = item.Case
	f.Shrunk.From = finding.Measure(item.Case)
	if shown < times {
		f.Kind = finding.Flaky
	} else {
		f.Case = hunt.shrink(r.ShrinkBudget)
	}
	f.Shrunk.To = finding.Measure(f.Case)
	if err := cmp.Or(hunt.err, ctx.Err()); err != nil {
		return err
	}
	r.explain(f, hunt)
	return nil
}

// describe says what broke in the case as it was.
func (r *runner) describe(f *finding.Finding, breaks []judge.Break) {
	b := breaks[0]
	f.V, f.Dialect, f.Engine = finding.Version, r.Dialect, engineName(r.hello)
	f.Invariant, f.Kind, f.Message = b.Check, finding.KindOf(b), b.Message
	f.Step, f.Field, f.Want, f.Got = b.Step, b.Field, b.Want, b.Got
	for _, also := range breaks[1:] {
		f.Also = append(f.Also, also.Check)
	}
}

func engineName(h harness.Hello) string { return strings.TrimSpace(h.Name + " " + h.Version) }

// explain completes a finding from its small case: what broke there, what the
// right answer is, and what differs.
func (r *runner) explain(f *finding.Finding, h *hunt) {
	if b := h.last; b != nil {
		f.Message, f.Step = b.Message, b.Step
	}
	profile := h.judgement.Profile
	f.Case.Profile = &profile
	switch label := h.item.Label; {
	case f.Invariant == judge.Expected && label != nil:
		if label.More != nil {
			f.Answer = *label.More
		}
		f.Answer.Verdict, f.Answer.Plan = label.Verdict, label.Plan
		switch f.Field { // what is not disputed is left out
		case "tier":
			f.Answer.Tier = label.Tier
		case "rung":
			f.Answer.Rung = label.Rung
		}
		if len(label.Codes) > 0 && label.Verdict == harness.Rejected {
			f.Answer.Code = label.Codes[0]
		}
	case r.Judging.Reference != nil:
		if out, err := r.Judging.Reference.Eval(h.ctx, rightly(f.Case, f.Invariant)); err == nil {
			disputed := ""
			if f.Invariant == judge.Reference {
				disputed = f.Field
			}
			f.Answer = all.Members(r.Dialect).Essence(&out, disputed)
		}
	}
	if f.Answer.Verdict == "" {
		f.Answer = harness.Outcome{Verdict: harness.Rejected}
	}
	f.Diff = difference(f, h.judgement.Outcome.Plan)
	if out := h.judgement.Outcome; out.Verdict != "" {
		given := all.Members(r.Dialect).Shown(&out, f.Field)
		f.Given = &given
	}
	if failure := h.judgement.Failure; failure != nil {
		f.Stderr = failure.Stderr
	}
	f.Fingerprint = finding.Fingerprint(f.Invariant, f.Field, f.Want, f.Got, f.Case)
}

// rightly returns a case under rules that keep an invariant: only under those of
// by_id may the reference itself lose finished work.
func rightly(c harness.Case, name string) harness.Case {
	if name == check.DoneImmutable && c.Profile != nil {
		p := *c.Profile
		p.CarryOver = harness.Restore
		c.Profile = &p
	}
	return c
}

// maxDiff bounds what is kept of a difference, in bytes.
const maxDiff = 4000

// difference shows the given plan beside the right one, or the one before.
func difference(f *finding.Finding, got *plan.Plan) string {
	want := f.Answer.Plan
	if want == nil {
		want, _ = all.Plan(f.Case)
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
	runner    *runner
	item      judge.Item
	first     judge.Break // what to look for
	last      *judge.Break
	judgement judge.Judgement // in which last was seen
	err       error           // no engine could be opened
}

// shows reports whether the break shows in an item, on an engine of its own:
// one with a memory remembers nothing of other tries.
func (h *hunt) shows(item judge.Item) bool {
	e, done, err := h.runner.open()
	if err != nil {
		h.err = err
		return false
	}
	defer done()
	j, err := judge.New(e, h.runner.hello, all.Rules(h.runner.Dialect), h.runner.Judging).Only(h.ctx, item, h.first.Check)
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
	case budget < 0 || h.first.Check == judge.Expected:
		return h.item.Case
	case h.first.Got == string(harness.Hang):
		budget = 8 // each costs the deadline
	case h.first.Check == check.Bounded:
		budget = 50 // each is slow
	case budget == 0:
		budget = shrink.DefaultBudget
	}
	// A sound plan stays sound: what an engine makes of one that is not is
	// another question. So is what it makes of a case without any reply.
	_, unsound := all.Plan(h.item.Case)
	silent := len(h.item.Case.Replies) == 0
	small, _ := shrink.Case(all.Find(h.item.Case.Dialect), h.item.Case, budget, func(c harness.Case) bool {
		if _, err := all.Plan(c); err != nil && unsound == nil {
			return false
		}
		if len(c.Replies) == 0 && !silent {
			return false
		}
		return h.ctx.Err() == nil && h.shows(judge.Item{Case: c, Salt: h.item.Salt, Traits: h.item.Traits})
	})
	return small
}
