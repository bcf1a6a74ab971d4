// Package schema holds the JSON Schemas (draft 2020-12) of the documents that
// pass between engines, models and the harness: cases, outcomes, what scenarios
// want, patches and plans. Those of patches and plans can be handed to a model
// as structured output.
//
// They are written by hand, since the Go types do not say enough; the tests
// hold them to the types and to the reference. The schema of reports stands
// with the reports.
package schema

import (
	"embed"

	"replanbench/harness"
)

//go:embed *.json
var files embed.FS

// Names lists the schemas.
func Names() []harness.Term {
	return []harness.Term{
		{Name: "case", Text: "what an engine is asked"},
		{Name: "outcome", Text: "what an engine answers"},
		{Name: "planpatch", Text: "a patch, as a model should write it"},
		{Name: "operations", Text: "an update by operations, as a model should write it"},
		{Name: "orchestrator", Text: "a tool call or a control, as a model should write it within a step"},
		{Name: "fullplan", Text: "a whole plan, as input or as a model's reply"},
		{Name: "planmode", Text: "a session with a plan mode: context, files and calls of a case"},
		{Name: "trim", Text: "messages, budget and policy of a case of the dialect trim"},
		{Name: "want", Text: "want.json of a scenario"},
	}
}

// Get returns the schema of that name, or false.
func Get(name string) ([]byte, bool) {
	data, err := files.ReadFile(name + ".json")
	return data, err == nil
}
