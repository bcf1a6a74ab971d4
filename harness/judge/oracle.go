package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
)

// reference: the outcome is the reference's, under the profile that the engine
// declares. What an engine does not give is not compared.
func (x *Examination) reference() Result {
	j := x.Judge
	if j.Options.Reference == nil || j.Options.SampleReference && !x.Drawn() {
		return Skip()
	}
	c := x.Item.Case
	if free := j.rules.Free; free != nil && free(x) {
		return Skip()
	}
	c.Profile = &x.Profile
	want, err := j.Options.Reference.Eval(x.Ctx, c)
	if err != nil {
		x.err = fmt.Errorf("the reference failed on a case: %w (this is a bug in replanbench)", err)
		return Skip()
	}
	d := j.rules.compare(&want, x.aligned(&want))
	if d == nil {
		return Held()
	}
	r := Broke(d.Step, d.Field, "the reference under the same profile: "+d.Words)
	r.Broken.Want = Answer(want)
	return r
}

// expected: the outcome is what the maker of the case knows.
func (x *Examination) expected() Result {
	l := x.Item.Label
	if l == nil {
		return Skip()
	}
	var r Result
	switch {
	case l.Verdict != x.Out.Verdict, l.Verdict == harness.Rejected && len(l.Codes) > 0 && !slices.Contains(l.Codes, x.Out.Code):
		r = Broke("", "verdict", fmt.Sprintf("the case was made to be %s, the engine answers %s", l.answer(), Answer(x.Out)))
	case l.Plan != nil && x.Out.Plan == nil:
		r = Broke("", "plan", "the case was made to give a plan, and there is none")
	default:
		d := l.difference(&x.Judge.rules, x.aligned(&harness.Outcome{Plan: l.Plan}))
		if d == nil {
			return Held()
		}
		r = Broke(d.Step, d.Field, "the case was made to give another outcome: "+d.Words)
	}
	r.Broken.Want = l.answer()
	return r
}

// difference finds the first difference between what is known of the right
// outcome and an outcome.
func (l *Label) difference(r *Rules, out *harness.Outcome) *Difference {
	if l.Plan != nil {
		if step, field, words, differ := FirstDifference(l.Plan, out.Plan); differ {
			return &Difference{step, field, words}
		}
	}
	switch {
	case l.Rung != "" && out.Rung != "" && l.Rung != out.Rung:
		return Differs("rung", "the rung is %s and not %s", out.Rung, l.Rung)
	case l.Tier != "" && out.Tier != "" && l.Tier != out.Tier:
		return Differs("tier", "the tier is %s and not %s", out.Tier, l.Tier)
	}
	if l.More == nil {
		return nil
	}
	return r.compareMembers(l.More, out)
}

func (l *Label) answer() string {
	if l.Verdict != harness.Rejected || len(l.Codes) == 0 {
		return string(l.Verdict)
	}
	s := string(l.Verdict)
	for i, c := range l.Codes {
		if i > 0 {
			s += " or"
		}
		s += " " + string(c)
	}
	return s
}

// Difference is where two outcomes part, in words too.
type Difference struct{ Step, Field, Words string }

func Differs(field, format string, args ...any) *Difference {
	return &Difference{"", field, fmt.Sprintf(format, args...)}
}

// compare finds the first difference between two outcomes, of what both give;
// nil if there is none. Messages are for people and not compared.
func (r *Rules) compare(want, got *harness.Outcome) *Difference {
	switch {
	case want.Verdict != got.Verdict || want.Code != got.Code:
		return Differs("verdict", "the answer is %s and not %s", Answer(*got), Answer(*want))
	case want.Plan != nil && got.Plan == nil:
		return Differs("plan", "there is no plan, and should be one")
	case want.Plan == nil && got.Plan != nil && !failedRun(got):
		return Differs("plan", "there is a plan, and should be none")
	}
	if want.Plan != nil {
		if step, field, words, differ := FirstDifference(want.Plan, got.Plan); differ {
			return &Difference{step, field, words}
		}
	}
	switch {
	case want.Rung != "" && got.Rung != "" && want.Rung != got.Rung:
		return Differs("rung", "the rung is %s and not %s", got.Rung, want.Rung)
	case want.Tier != "" && got.Tier != "" && want.Tier != got.Tier:
		return Differs("tier", "the tier is %s and not %s", got.Tier, want.Tier)
	case want.At != nil && got.At != nil && *want.At != *got.At:
		return Differs("at", "the place to blame is %q and not %q", *got.At, *want.At)
	}
	return r.compareLists(want, got)
}

// failedRun reports whether an outcome is of a run that failed on its way. It may
// show the plan that it left, as the schema of outcomes says.
func failedRun(o *harness.Outcome) bool {
	return o.Verdict == harness.Rejected && o.Trace != nil
}

func (r *Rules) compareLists(want, got *harness.Outcome) *Difference {
	switch {
	case want.Repairs != nil && got.Repairs != nil && !slices.EqualFunc(want.Repairs, got.Repairs, sameRepair):
		return Differs("repairs", "the repairs are %s and not %s", repairsInWords(got.Repairs), repairsInWords(want.Repairs))
	case want.Warnings != nil && got.Warnings != nil && !sameWarnings(want.Warnings, got.Warnings):
		return Differs("warnings", "the warnings are %s and not %s", warningsInWords(got.Warnings), warningsInWords(want.Warnings))
	case want.Meta != nil && got.Meta != nil && !sameMeta(want.Meta, got.Meta):
		return Differs("meta", "the meta is %s and not %s", metaInWords(got.Meta), metaInWords(want.Meta))
	case want.Events != nil && got.Events != nil && !slices.EqualFunc(want.Events, got.Events, sameEvent):
		return eventsDifference(want.Events, got.Events)
	}
	return r.compareMembers(want, got)
}

// sameGiven reports whether two outcomes give the same members, so that one
// engine's two answers to one request can be told apart by what they leave out.
func sameGiven(a, b *harness.Outcome) bool {
	return (a.Rung == "") == (b.Rung == "") && (a.Tier == "") == (b.Tier == "") && (a.At == nil) == (b.At == nil) &&
		len(a.Repairs) == len(b.Repairs) && len(a.Warnings) == len(b.Warnings) &&
		(a.Plan == nil) == (b.Plan == nil) && (a.Meta == nil) == (b.Meta == nil) && len(a.Events) == len(b.Events) &&
		(a.Results == nil) == (b.Results == nil) && len(a.Operations) == len(b.Operations) && (a.UpdateType == "") == (b.UpdateType == "") &&
		len(a.Trace) == len(b.Trace) && (a.Messages == nil) == (b.Messages == nil) && (a.Tokens == nil) == (b.Tokens == nil)
}

func sameRepair(a, b harness.Repair) bool {
	return a.Rule == b.Rule && slices.Equal(a.IDs, b.IDs)
}

// sameWarnings compares what is warned of. There is one warning a code, and
// which of them comes first means nothing.
func sameWarnings(a, b []harness.Warning) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(w harness.Warning) bool {
		return !slices.ContainsFunc(b, func(v harness.Warning) bool { return sameWarning(w, v) })
	})
}

func sameWarning(a, b harness.Warning) bool {
	return a.Code == b.Code && slices.Equal(a.IDs, b.IDs)
}

func sameMeta(a, b *harness.Meta) bool {
	return a.Added == b.Added && a.Updated == b.Updated && a.Removed == b.Removed &&
		a.TruncatedAdd == b.TruncatedAdd && slices.Equal(a.Dropped, b.Dropped)
}

func sameEvent(a, b harness.Event) bool {
	return a.Event == b.Event && a.Code == b.Code && a.Reason == b.Reason &&
		(a.Meta == nil) == (b.Meta == nil) && (a.Meta == nil || sameMeta(a.Meta, b.Meta))
}

// eventsDifference says in which event, and in what of it, two ladders part.
func eventsDifference(want, got []harness.Event) *Difference {
	if w, g := names(want), names(got); !slices.Equal(w, g) {
		return Differs("events", "the events are %v and not %v", g, w)
	}
	for i, w := range want {
		switch g := got[i]; {
		case sameEvent(w, g):
		case w.Reason != g.Reason:
			return Differs("events", "event %d, %s, gives the reason %q and not %q", i+1, g.Event, Brief(g.Reason), Brief(w.Reason))
		default:
			return Differs("events", "the meta of event %d, %s, is %s and not %s", i+1, g.Event, metaInWords(g.Meta), metaInWords(w.Meta))
		}
	}
	return nil
}

func names(events []harness.Event) []string {
	list := make([]string, len(events))
	for i, e := range events {
		list[i] = e.Event
		if e.Code != "" {
			list[i] += " " + string(e.Code)
		}
	}
	return list
}

// longestList bounds what a sentence tells of a list, in bytes: the finding
// keeps the whole.
const longestList = 300

func repairsInWords(list []harness.Repair) string {
	var b strings.Builder
	for _, r := range list {
		listed(&b, r.Rule, r.IDs)
	}
	return cut(cmp.Or(b.String(), "none"), longestList)
}

func warningsInWords(list []harness.Warning) string {
	var b strings.Builder
	for _, w := range list {
		listed(&b, w.Code, w.IDs)
	}
	return cut(cmp.Or(b.String(), "none"), longestList)
}

func listed(b *strings.Builder, name string, ids []string) {
	if b.Len() > 0 {
		b.WriteString(", ")
	}
	b.WriteString(name)
	if len(ids) > 0 {
		fmt.Fprintf(b, " %q", ids)
	}
}

func metaInWords(m *harness.Meta) string {
	if m == nil {
		return "absent"
	}
	s := fmt.Sprintf("%d added, %d updated, %d removed", m.Added, m.Updated, m.Removed)
	if m.TruncatedAdd || len(m.Dropped) > 0 {
		s += fmt.Sprintf(", truncated_add %t, dropped %q", m.TruncatedAdd, m.Dropped)
	}
	return cut(s, longestList)
}
