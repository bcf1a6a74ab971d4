package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// warnConfusable warns of ids, of the new plan and of the reply, that differ but
// look alike: equal after NFKC and full case folding (Unicode Standard, section
// 3.13). Such pairs are legal, and usually a slip of the model.
func (a *application) warnConfusable(next *plan.Plan) {
	if !slices.ContainsFunc(a.mentioned, isUnfolded) &&
		!slices.ContainsFunc(next.Steps, func(s plan.Step) bool { return isUnfolded(s.ID) }) {
		return // such ids are alike only if they are equal
	}
	ids := make([]string, 0, len(next.Steps)+len(a.mentioned))
	for i := range next.Steps {
		ids = append(ids, next.Steps[i].ID)
	}
	fold := cases.Fold()
	groups := make(map[string][]string, len(ids))
	var order []string
	for _, id := range collect.Unique(append(ids, a.mentioned...)) {
		key := norm.NFKC.String(fold.String(norm.NFKC.String(id)))
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], id)
	}
	for _, key := range order {
		if len(groups[key]) > 1 {
			a.warnings.Add(harness.WarnConfusableID, groups[key]...)
		}
	}
}

// isUnfolded reports whether normalisation or folding may change the id: it is not ASCII, or
// has capitals.
func isUnfolded(id string) bool {
	return strings.ContainsFunc(id, func(r rune) bool { return r >= utf8.RuneSelf || r >= 'A' && r <= 'Z' })
}
