package scenarios

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// planModeDialect says what a scenario of the dialect planmode has.
func planModeDialect() dialect {
	return dialect{
		harness.PlanMode,
		[]document{
			{"context.json", false, func(c *harness.Case) *jsontext.Value { return &c.Context }},
			{"files.json", false, func(c *harness.Case) *jsontext.Value { return &c.Files }},
			{"calls.json", true, func(c *harness.Case) *jsontext.Value { return &c.Calls }},
		},
		false,
		[]string{"trace", "mode", "phase", "path", "content"},
	}
}
