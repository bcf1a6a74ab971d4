package tasks

import (
	"embed"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/tasks/rules"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts returns the templates that request calls.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: []harness.Term{
			{Name: "task_calls", Text: "requests calls that change a graph of tasks, with the rules"},
			{Name: "task_calls.zh", Text: "the same in Chinese"},
			{Name: "task_calls_retry", Text: "requests a retry, with the error"},
			{Name: "task_calls_retry.zh", Text: "the same in Chinese"},
		},
		First: "task_calls", Retry: "task_calls_retry",
	}
}

// climb requests turns until a call of one is carried out.
func climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	return dialect.Climb(c, p, ask, rules.Eval, func(o harness.Outcome) *harness.Refusal {
		return &harness.Refusal{Code: o.Code, At: o.At, Message: o.Message}
	})
}
