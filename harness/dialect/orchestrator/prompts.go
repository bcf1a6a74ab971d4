package orchestrator

import (
	"embed"

	"replanbench/harness"
	"replanbench/harness/dialect"
)

//go:embed prompts/*.j2
var templates embed.FS

// prompts are those that a run asks by.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: []harness.Term{
			{Name: "orchestrator", Text: "requests the first plan of a run"},
			{Name: "orchestrator.zh", Text: "the same in Chinese"},
			{Name: "orchestrator_step", Text: "requests the next action in a step of a run"},
			{Name: "orchestrator_step.zh", Text: "the same in Chinese"},
			{Name: "orchestrator_replan", Text: "requests a replan within a run"},
			{Name: "orchestrator_replan.zh", Text: "the same in Chinese"},
		},
		First: "orchestrator", Retry: "orchestrator_replan", Step: "orchestrator_step",
	}
}
