package check

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

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

// alike reports whether two different ids of the plans differ only in surrounding
// white space. A patch cannot distinguish them.
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
