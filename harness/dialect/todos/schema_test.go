package todos_test

import (
	"testing"

	"replanbench/harness/testdata/schematest"
)

// TestGoodAndBad: what a rewrite may say, whichever name it has for the active form.
func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "todos", []string{
		`{"todos":[]}`,
		`{"todos":[{"content":"a","status":"pending","activeForm":"b"}]}`,
		`{"todos":[{"content":"a","status":"pending","active_form":null}]}`,
	}, []string{
		`{"todos":[{"content":"a","status":"pending","active_form":1}]}`,
		`{"todos":[{"content":"a","status":"done"}]}`,
		`{"todos":[{"status":"pending"}]}`,
	})
}
