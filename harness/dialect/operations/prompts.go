package operations

import (
	"embed"
	"fmt"
	"io/fs"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/words"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts are those that ask for updates by operations.
func prompts() dialect.Prompts {
	files, err := fs.Sub(templates, "prompts")
	if err != nil {
		panic(err) // the directory is embedded
	}
	return dialect.Prompts{
		Files: files,
		List: []harness.Term{
			{Name: "plan_update", Text: "asks for operations on the plan, with the rules"},
			{Name: "plan_update.zh", Text: "the same in Chinese"},
			{Name: "plan_update_retry", Text: "asks again, with what was wrong"},
			{Name: "plan_update_retry.zh", Text: "the same in Chinese"},
		},
		First: "plan_update", Retry: "plan_update_retry",
	}
}

// climb asks for one update after the other until one can be applied.
func climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	return dialect.Climb(c, p, ask, rules.Eval, why)
}

// why says what refused an update: where nothing applied, what became of each
// operation.
func why(o harness.Outcome) *harness.Refusal {
	r := &harness.Refusal{Code: o.Code, At: o.At, Message: o.Message}
	for i, op := range o.Operations {
		if op.Result != words.Applied && op.Result != words.NotRun && op.Result != words.Undone {
			r.Message += fmt.Sprintf("; operation %d (%s %s): %s", i+1, op.Type, op.StepID, op.Result)
		}
	}
	return r
}
