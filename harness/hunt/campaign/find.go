package campaign

import (
	"context"
	"strconv"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// asItIs completes a finding of a case that is neither asked for again nor shrunk.
func (r *runner) asItIs(ctx context.Context, f *finding.Finding, item judge.Item, j judge.Judgement) {
	r.describe(f, j.Breaks[0])
	for _, also := range j.Breaks[1:] {
		f.Also = append(f.Also, also.Check)
	}
	f.Case, f.Reproduced = shown(item.Case, j.Breaks[0]), finding.Unexamined
	f.Shrunk.From = finding.Measure(f.Case)
	f.Shrunk.To = f.Shrunk.From
	r.explain(f, &hunt{ctx: ctx, runner: r, item: item, judgement: j})
}

// Tell returns a finding for one sample that was judged outside of a campaign: the first
// break, with the case as it is. It uses only the dialect and the judging of the
// configuration.
func Tell(ctx context.Context, c Config, hello harness.Hello, s generators.Sample, j judge.Judgement) finding.Finding {
	f := finding.Finding{Faults: append([]string{}, s.Traits...), GeneratorVersion: generatorVersion()}
	(&runner{Config: c, hello: hello}).asItIs(ctx, &f, cause.ItemOf(s, 0), j)
	return f
}

// generatorVersion says what a seed and an index mean.
func generatorVersion() string { return strconv.Itoa(generators.Version) }

// shown is the case that shows a break: the one that was judged, or one derived
// from it.
func shown(c harness.Case, b judge.Break) harness.Case {
	if b.Case != nil {
		return *b.Case
	}
	return c
}

// describe says what broke in the case as it was.
func (r *runner) describe(f *finding.Finding, b judge.Break) {
	f.V, f.Dialect, f.Engine = finding.Version, r.Dialect, engineName(r.hello)
	f.Invariant, f.Kind, f.Message = b.Check, finding.KindOf(b), b.Message
	f.Class, f.CheckKind = b.Class, b.Kind
	f.Step, f.Field, f.Want, f.Got = b.Step, b.Field, b.Want, b.Got
}

func engineName(h harness.Hello) string { return strings.TrimSpace(h.Name + " " + h.Version) }

// explain completes a finding from its small case: what broke there, what the
// right answer is, and what differs.
func (r *runner) explain(f *finding.Finding, h *hunt) {
	if b := h.last; b != nil {
		f.Message, f.Step = b.Message, b.Step
	}
	profile, _ := r.hello.Resolve(f.Case, all.Rules(r.Dialect).Knobs)
	if h.judgement.Exercised != 0 {
		profile = h.judgement.Profile
	}
	f.Case.Profile = &profile
	switch label := h.item.Label; {
	case f.Invariant == judge.Expected && label != nil:
		if label.More != nil {
			f.Answer = *label.More
		}
		f.Answer.Verdict = label.Verdict
		if f.Field == "rung" { // undisputed members are left out
			f.Answer.Rung = label.Rung
		}
		if len(label.Codes) > 0 && label.Verdict == harness.Rejected {
			f.Answer.Code = label.Codes[0]
		}
	case r.Judging.Reference != nil:
		if out, err := r.Judging.Reference.Eval(h.ctx, rightly(f.Case, f.Invariant)); err == nil {
			f.Answer = all.Members(r.Dialect).Essence(&out, f.Field)
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

// rightly returns a case under rules that keep an invariant: under by_id the reference
// itself may lose finished work.
func rightly(c harness.Case, name string) harness.Case {
	if name == check.DoneImmutable && c.Profile != nil {
		p := *c.Profile
		p.CarryOver = harness.Restore
		c.Profile = &p
	}
	return c
}

// maxDiff bounds the kept part of a difference, in bytes.
const maxDiff = 4000

// difference compares the given plan with the right one, or with the plan before.
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
