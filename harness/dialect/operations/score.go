package operations

import (
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/plan"
)

// scored applies one update after the other: a retry replaces an update that was
// rejected.
func scored(c harness.Case, old *plan.Plan, p harness.Profile) dialect.Scored {
	if old == nil {
		return dialect.Unread(rules.Eval(c, p))
	}
	s := dialect.Tries(c, p, rules.Eval, func(raw harness.Reply) []harness.Danger {
		return rules.Dangers(old, c.Limits, p, raw)
	})
	for _, o := range s.First.Operations {
		if o.Result == spec.Applied {
			s.Named = append(s.Named, o.StepID)
		}
	}
	return s
}
