package orchestrator_test

import (
	"testing"

	"replanbench/harness/testdata/schematest"
)

func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "orchestrator", []string{
		`{"tool":"grep","args":{"pattern":"x"}}`,
		`{"tool":"grep"}`,
		`{"control":"step_done"}`,
		`{"control":"replan","reason":"a step is missing"}`,
	}, []string{
		`{"control":"done"}`,
		`{"control":"step_done","tool":"grep"}`,
		`{"control":"step_done","confidence":1}`,
		`{"tool":" "}`,
		`{"tool":"grep","args":[]}`,
		`{"reason":"x"}`,
	})
}
