package agent

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/judge"
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

// TestHiddenIDs judges an applied list without the ids that the agent does not show, and a refused one with them.
func TestHiddenIDs(t *testing.T) {
	t.Parallel()
	list, err := profile.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(p *profile.Profile) bool { return p.Name == "qwen-code" })
	s, err := newSubject(list[i], nil)
	if err != nil {
		t.Fatal(err)
	}
	says := statement{hides: func(member string) bool { return member == "id" }}
	did := func(refused bool, second string) session.Did {
		d := session.Did{Before: jsontext.Value(`{"items":[]}`), Refused: refused}
		d.Edit = `{"todos":[{"id":"1","content":"a","status":"pending"},{"id":"` + second + `","content":"b","status":"pending"}]}`
		if !refused {
			d.After = jsontext.Value(`{"items":[{"content":"a","status":"pending"},{"content":"b","status":"pending"}]}`)
		}
		return d
	}
	for _, x := range []struct {
		name string
		did  session.Did
		want []judge.Class
	}{
		{"ids are not missing in what is not shown", did(false, "2"), nil},
		{"two items with one id may be refused", did(true, "1"), nil},
		{"two ids may not", did(true, "2"), []judge.Class{judge.Refuses}},
	} {
		broken, judged, err := s.transition(t.Context(), says, x.did, true)
		if err != nil || !judged {
			t.Fatalf("%s: judged %v, %v", x.name, judged, err)
		}
		var got []judge.Class
		for _, b := range broken {
			got = append(got, b.Class)
		}
		if diff := cmp.Diff(x.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.name, diff)
		}
	}
}
