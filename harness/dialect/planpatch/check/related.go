package check

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

// permuteLists checks that the order of remove_steps and update_steps has no effect.
func permuteLists(x *judge.Examination) judge.Result {
	r := single(x)
	if r == nil || r.full || len(r.remove) < 2 && len(r.update) < 2 || repeats(ids(r.update)) { // the last one may win
		return judge.Skip()
	}
	c := check.WithReply(x, r.Rewrite(check.ReverseSets(spec.Layout())))
	return x.Related(c, x.Out.Plan, "remove_steps and update_steps are reversed")
}

// diffPatch checks that a patch derived from the two plans gives the same new plan.
func diffPatch(x *judge.Examination) judge.Result {
	if !x.Edited() || !slices.Contains(x.Profile.Ladder, harness.RungPatch) {
		return judge.Skip()
	}
	doc, ok := patch(x.Before, x.After)
	if !ok || len(doc) > harness.DefaultMaxReplyBytes {
		return judge.Skip()
	}
	c := check.WithReply(x, string(doc))
	c.Limits = harness.Limits{}
	out, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	if out.Plan == nil {
		return x.Parted(c, out, judge.Broke("", "", "verdict", "the patch derived from the two plans gives "+
			judge.Answer(out)))
	}
	if d := outcome.Plans(x.After, out.Plan); d != nil {
		return x.Parted(c, out, judge.Broke("", d.Step, d.Field, "the patch derived from the two plans gives another plan: "+
			d.Words))
	}
	return judge.Held()
}

// applyTwice checks that an accepted reply is also safe on the plan that it made.
func applyTwice(x *judge.Examination) judge.Result {
	i, ok := check.AppliedReply(x)
	if !ok {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Replies = c.Replies[i : i+1]
	return check.Twice(x, c, plans(), judge.Check{Name: Progress, Run: progress},
		judge.Check{Name: check.UntouchedKept, Run: untouchedKept}, judge.Check{Name: check.NoSilentLoss, Run: noSilentLoss})
}

// patch returns the PlanPatch document that turns the old plan into the new
// one. It returns false if no patch can: a plan is invalid or nothing differs; a
// status, an unknown member, the order of common steps, or the verification policy
// changes; or a finished step changes or is removed. It also returns false if a
// reader would not get the new value back: an untrimmed title or id, a duplicate
// dependency, or text that is not UTF-8.
//
// The patch assumes no limits: a plan above its step limit takes no new steps.
func patch(old, new *plan.Plan) ([]byte, bool) {
	if old.Check() != nil || new.Check() != nil || alike(old, new) {
		return nil, false
	}
	if d := plan.Diff(old, new); d.Empty() || !patchable(old, new, &d) {
		return nil, false
	}
	b, err := json.Marshal(spec.Change(old, new))
	return b, err == nil
}

// patchable reports whether a patch can express every difference of two plans.
func patchable(old, new *plan.Plan, d *plan.Difference) bool {
	before, after := old.Index(), new.Index()
	ok := len(d.Moved) == 0 && old.VerificationPolicy == new.VerificationPolicy &&
		(old.Title == new.Title || trimmed(new.Title)) &&
		!slices.ContainsFunc(d.Removed, func(s plan.Step) bool { return s.Status == plan.Done })
	for _, c := range d.Changed {
		a, b := &old.Steps[before[c.ID]], &new.Steps[after[c.ID]]
		ok = ok && a.Status != plan.Done && a.Status == b.Status && strictjson.Equal(a.Extra, b.Extra) &&
			(slices.Equal(a.Dependencies, b.Dependencies) || !repeats(b.Dependencies))
	}
	for i, s := range d.Added {
		last := new.Steps[len(new.Steps)-len(d.Added)+i].ID
		ok = ok && last == s.ID && s.Status == plan.Pending && s.Extra == nil && trimmed(s.ID) && !repeats(s.Dependencies)
	}
	return ok
}

// alike reports whether two ids of the plans differ only in surrounding white space, which a patch cannot express.
func alike(old, new *plan.Plan) bool {
	seen := make(map[string]string, len(old.Steps)+len(new.Steps))
	for _, s := range slices.Concat(old.Steps, new.Steps) {
		t := strings.TrimSpace(s.ID)
		if id, ok := seen[t]; ok && id != s.ID {
			return true
		}
		seen[t] = s.ID
	}
	return false
}

// trimmed reports whether the text is neither blank nor padded with white space.
func trimmed(s string) bool { return s != "" && strings.TrimSpace(s) == s }

func repeats(list []string) bool { return len(collect.Unique(list)) < len(list) }
