package operations

import (
	"embed"
	"fmt"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts returns the templates that request updates.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: []harness.Term{
			{Name: "plan_update", Text: "requests operations on the plan and states the rules"},
			{Name: "plan_update.zh", Text: "the same in Chinese"},
			{Name: "plan_update_retry", Text: "retries with the reason of the rejection"},
			{Name: "plan_update_retry.zh", Text: "the same in Chinese"},
		},
		First: "plan_update", Retry: "plan_update_retry",
	}
}

// climb requests updates until one can be applied.
func climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	return dialect.Climb(c, p, ask, rules.Eval, why)
}

// why returns the reason of a rejection. If no operation was applied, it adds the
// result of each one.
func why(o harness.Outcome) *harness.Refusal {
	r := &harness.Refusal{Code: o.Code, At: o.At, Message: o.Message}
	for i, op := range o.Operations {
		if op.Result != spec.Applied && op.Result != spec.NotRun && op.Result != spec.Undone {
			r.Message += fmt.Sprintf("; operation %d (%s %s): %s", i+1, op.Type, op.StepID, op.Result)
		}
	}
	return r
}
