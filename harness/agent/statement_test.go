package agent

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/all"
)

// TestStatement brings edits and plans into the form in which they are judged.
func TestStatement(t *testing.T) {
	t.Parallel()
	const head = `{"properties":{"todos":{"type":"array","items":{"type":"object","properties":{"description":{},"status":{"enum":` +
		`["pending","completed","blocked"]}}`
	open := newStatement(all.Find("todos"), jsontext.Value(head+`}}}}`))
	closed := newStatement(all.Find("todos"), jsontext.Value(head+`,"additionalProperties":false}}}}`))
	verbatim := open
	verbatim.verbatim = true
	for _, x := range []struct {
		name, got, want string
	}{
		{
			"a member of the tool stays, one that its schema allows goes",
			open.edit(`{"todos":[{"description":"a","status":"pending","note":1}]}`),
			`{"todos":[{"description":"a","status":"pending"}]}`,
		},
		{
			"a member that the schema forbids stays in an edit",
			closed.edit(`{"todos":[{"description":"a","status":"pending","note":1}]}`),
			`{"todos":[{"description":"a","status":"pending","note":1}]}`,
		},
		{
			"and is ignored in a plan",
			string(closed.plan(jsontext.Value(`{"items":[{"content":"a","status":"pending","note":1}]}`))),
			`{"items":[{"content":"a","status":"pending"}]}`,
		},
		{
			"texts are trimmed, and a status of the tool alone is one of the dialect",
			open.edit(`{"todos":[{"description":" a  b ","status":"blocked"}]}`),
			`{"todos":[{"description":"a b","status":"pending"}]}`,
		},
		{
			"ids are trimmed",
			open.edit(`{"todos":[{"id":" 1","description":"a","status":"pending"}]}`),
			`{"todos":[{"id":"1","description":"a","status":"pending"}]}`,
		},
		{
			"ids that the agent does not trim stay different",
			verbatim.edit(`{"todos":[{"id":" 1","description":"a","status":"pending"}]}`),
			`{"todos":[{"id":"_1","description":"a","status":"pending"}]}`,
		},
	} {
		if x.got != x.want {
			t.Errorf("%s:\n got %s\nwant %s", x.name, x.got, x.want)
		}
	}
	if !keepsPadding(jsontext.Value(`{"items":[{"id":"1 "}]}`)) || keepsPadding(jsontext.Value(`{"items":[{"id":"1"}]}`)) {
		t.Error("padding of ids is not recognised")
	}
}
