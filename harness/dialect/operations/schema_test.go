package operations_test

import (
	"testing"

	"replanbench/harness/testdata/schematest"
)

func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "operations", []string{
		`{"operations":[]}`,
		`{"plan_metadata":{"update_reason":"r"},"operations":[{"type":"add","step_data":{"name":"n"}},{"type":"modify","step_id":"a","step_data":{"parameters":{}}},{"type":"remove","step_id":"a","reason":"r"},{"type":"reorder","step_id":"a","position":0}]}`,
	}, []string{
		`{}`,
		`{"operations":null}`,
		`{"operations":[null]}`,
		`{"operations":[{"type":"replace","step_id":"a"}]}`,
		`{"operations":[{"type":"add","step_data":{"id":"a","name":" "}}]}`,
		`{"operations":[{"type":"modify","step_id":"a","step_data":{"id":"b"}}]}`,
		`{"operations":[{"type":"modify","step_id":"a","step_data":{"status":"completed"}}]}`,
		`{"operations":[{"type":"reorder","step_id":"a","position":"2"}]}`,
		`{"operations":[{"type":"remove","stepID":"a"}]}`,
	})
}
