package reply_test

import (
	"strings"
	"testing"

	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
)

// TestFault finds the first fault of a document by its declaration, with its place.
func TestFault(t *testing.T) {
	item := document.Object(
		document.Needs("id", document.ID()), document.May("note", document.Text()), document.May("on", document.List(document.ID())),
	)
	item.Called = "a task"
	kind := document.Enum("list")
	kind.Code = "wrong_document"
	fresh := document.ID()
	fresh.Except = func(text string) bool { return strings.HasPrefix(text, "$") }
	full := document.List(item)
	full.Filled = true
	doc := document.Object(
		document.Needs("kind", kind), document.Needs("items", full), document.May("new", fresh),
		document.May("title", document.Prose()), document.May("n", document.Integer("", "")), document.May("any", document.Any("")),
		document.May("args", document.Value{Kind: document.ObjectKind}),
	).As("List")
	for text, want := range map[string]string{
		`{"kind":"list","items":[{"id":"a","note":null,"on":["b"]}],"any":[7],"args":{"x":1},"n":null}`: "",
		`[]`:                           "bad_type : a List must be an object, not a list",
		`{"kind":"x","items":7}`:       `wrong_document /kind: the kind is "x", not list`,
		`{"items":[],"more/":1}`:       `extra_field /more~1: a List has no member "more/" (only kind, items, new, title, n, any, args)`,
		`{"kind":"list"}`:              `missing_field : the member "items" is missing`,
		`{"kind":"list","items":[]}`:   "bad_type /items: items is empty",
		`{"kind":"list","items":null}`: "bad_type /items: items must be a list, not null",
		`{"kind":"list","items":[{"id":"a"},{"id":" "}]}`:              "empty_id /items/1/id: the id is blank",
		`{"kind":"list","items":[{"id":"a","on":["b",7]}]}`:            "bad_type /items/0/on/1: an item of on must be a string, not a number",
		`{"kind":"list","items":["a"]}`:                                "bad_type /items/0: a task must be an object, not a string",
		`{"kind":"list","items":[{"id":"a","x":1}]}`:                   `extra_field /items/0/x: a task has no member "x" (only id, note, on)`,
		`{"kind":"list","items":[{"id":"a"}],"new":" $1"}`:             `bad_type /new: new cannot be " $1"`,
		`{"kind":"list","items":[{"id":"a"}],"title":" ","n":"text"}`:  "empty_id /title: the title is blank",
		`{"kind":"list","items":[{"id":"a"}],"title":"t","n":"text"}`:  "bad_type /n: n must be a number, not a string",
		`{"kind":"list","items":[{"id":"a"}],"title":"t","args":true}`: "bad_type /args: args must be an object, not a boolean",
	} {
		value, err := strictjson.Parse([]byte(text), 10)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if f := reply.Fault(&doc, &value.Root); f != nil {
			got = string(f.Code) + " " + f.Pointer + ": " + f.Message
		}
		if got != want {
			t.Errorf("%s\ngot  %s\nwant %s", text, got, want)
		}
	}
}
