package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// marks follow a content in a sketch: "A!#1 B*" is A, done, with
// the id 1, and B, in progress; a bare one is pending.
var marks = map[string]plan.Status{"!": plan.Completed, "*": plan.InProgress, "-": plan.Cancelled, "": plan.Pending}

// items reads a sketch; ~ is a blank in a content.
func items(sketch string) (list []spec.Item) {
	for word := range strings.FieldsSeq(sketch) {
		word, id, _ := strings.Cut(word, "#")
		content := strings.TrimRight(word, "!*-")
		list = append(list, spec.Item{
			ID: id, Content: strings.ReplaceAll(content, "~", " "),
			Status: marks[word[len(content):]],
		})
	}
	return list
}

func sketch(list []spec.Item) string {
	var b []string
	for _, item := range list {
		word := strings.ReplaceAll(item.Content, " ", "~")
		for mark, status := range marks {
			if status == item.Status {
				word += mark
			}
		}
		if item.ID != "" {
			word += "#" + item.ID
		}
		b = append(b, word)
	}
	return strings.Join(b, " ")
}

func document(t failer, list []spec.Item) []byte {
	t.Helper()
	doc, err := json.Marshal(spec.Plan(list))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// todos is a rewrite in the format todos; of a sketch, or as it is written.
func todos(t failer, text string) harness.Reply {
	t.Helper()
	if strings.HasPrefix(text, "{") || text == "" || strings.HasPrefix(text, "raw:") {
		return harness.Reply(strings.TrimPrefix(text, "raw:"))
	}
	type todo struct {
		ID      string      `json:"id,omitzero"`
		Content string      `json:"content"`
		Status  plan.Status `json:"status"`
	}
	list := []todo{}
	for _, item := range items(strings.TrimPrefix(text, "()")) {
		list = append(list, todo{item.ID, item.Content, item.Status})
	}
	doc, err := json.Marshal(map[string]any{"todos": list})
	if err != nil {
		t.Fatal(err)
	}
	return harness.Reply(doc)
}

func eval(t testing.TB, settings string, limit int, old string, replies ...string) harness.Outcome {
	t.Helper()
	p := harness.Reference()
	for s := range strings.FieldsSeq(settings) {
		if err := p.Apply(s, spec.Knobs()...); err != nil {
			t.Fatal(err)
		}
	}
	c := harness.Case{Dialect: "todos", Plan: []byte(old)}
	if !strings.HasPrefix(old, "{") {
		c.Plan = document(t, items(old))
	}
	for _, r := range replies {
		c.Replies = append(c.Replies, todos(t, r))
	}
	if limit != 0 {
		c.Limits.MaxPlanSteps = &limit
	}
	return rules.Eval(c, p)
}

// told writes an outcome as one line: the list or the code with its place, then the
// warnings, then the repairs.
func told(out harness.Outcome) string {
	parts := []string{sketch(spec.Items(out.Plan))}
	if out.Verdict != harness.Applied {
		parts[0] = string(out.Code)
		if out.At != nil {
			parts[0] += " at " + *out.At
		}
	}
	for _, w := range out.Warnings {
		parts = append(parts, w.Code+"("+strings.Join(w.IDs, ",")+")")
	}
	for _, r := range out.Repairs {
		parts = append(parts, r.Rule+"["+strings.Join(r.IDs, ",")+"]")
	}
	return strings.Join(parts, "; ")
}

// TestRules goes through the text, section by section.
func TestRules(t *testing.T) {
	tests := []struct {
		name, settings string
		limit          int
		old, reply     string
		want           string
	}{
		// 1 The list
		{"an empty list", "", 0, `{"items":[]}`, "A", "A"},
		{"a list of another shape", "", 0, `{"todos":[]}`, "A", "invalid_plan"},
		{"an item that is no object", "", 0, `{"items":["A"]}`, "A", "invalid_plan"},
		{"another member of the list", "", 0, `{"items":[],"title":"t"}`, "A", "invalid_plan"},
		{
			"another member of an item", "", 0, `{"items":[{"content":"A","status":"pending","activeForm":"x"}]}`, "A",
			"invalid_plan",
		},
		{"a blank content in the list", "", 0, `{"items":[{"content":" ","status":"pending"}]}`, "A", "invalid_plan"},
		{"a blank id in the list", "", 0, `{"items":[{"id":"","content":"A","status":"pending"}]}`, "A", "invalid_plan"},
		{"a padded id in the list", "", 0, `{"items":[{"id":" 1","content":"A","status":"pending"}]}`, "A", "invalid_plan"},
		{"an id twice in the list", "", 0, "A#1 B#1", "A", "invalid_plan"},
		{"another status in the list", "", 0, `{"items":[{"content":"A","status":"done"}]}`, "A", "invalid_plan"},
		{
			"a priority that is no text", "", 0, `{"items":[{"content":"A","status":"pending","priority":1}]}`, "A",
			"invalid_plan",
		},
		{"equal contents and two in progress are no fault", "", 0, "A* A*", "B! A*", "B! A* A; restored(A); demoted(A)"},
		{
			"contents are equal in NFC", "", 0, "{\"items\":[{\"content\":\"e\u0301t\u00e9\",\"status\":\"pending\"}]}", "été!",
			"e\u0301té!",
		},
		{
			"runs of white space are one space", "", 0, `{"items":[{"content":" a  b ","status":"pending"}]}`, "a~b!",
			"~a~~b~!",
		},
		{"case counts", "omitted_open=drop", 0, "Aa", "aa!", "aa!; dropped(Aa)"},

		// 2 Replies
		{"the order of members counts nowhere", "", 0, "A", `{"todos":[{"status":"completed","content":"A"}]}`, "A!"},
		{"plan", "format=plan", 0, "A", `{"explanation":"why","plan":[{"step":"A","status":"completed"}]}`, "A!"},
		{
			"plan without a reason", "format=plan", 0, "A", `{"explanation":null,"plan":[{"step":"A","status":"completed"}]}`,
			"A!",
		},
		{"plan with another reason", "format=plan", 0, "A", `{"explanation":1,"plan":[]}`, "bad_type at /explanation"},
		{
			"plan has no cancelled", "format=plan", 0, "A", `{"plan":[{"step":"A","status":"cancelled"}]}`,
			"bad_type at /plan/0/status",
		},
		{
			"plan has no id", "format=plan", 0, "A", `{"plan":[{"step":"A","status":"completed","id":"1"}]}`,
			"extra_field at /plan/0/id",
		},
		{"todos has no merge", "", 0, "A", `{"todos":[],"merge":false}`, "extra_field at /merge"},
		{"merge may be null", "format=merge", 0, "A", `{"todos":[{"content":"A","status":"completed"}],"merge":null}`, "A!"},
		{"merge is a boolean", "format=merge", 0, "A", `{"todos":5,"merge":"yes"}`, "bad_type at /merge"},
		{
			"content by another name", "text_name=description", 0, "A", `{"todos":[{"description":"A","status":"completed"}]}`,
			"A!",
		},
		{
			"content by the old name", "text_name=title", 0, "A", `{"todos":[{"content":"A","status":"completed"}]}`,
			"extra_field at /todos/0/content",
		},
		{"content by any name", "text_name=any", 0, "A", `{"todos":[{"task":"A","status":"completed"}]}`, "A!; text_name[A]"},
		{"content by any name, its own", "text_name=any", 0, "A", `{"todos":[{"content":"A","status":"completed"}]}`, "A!"},
		{
			"the first name counts", "text_name=any extra_fields=drop", 0, "A",
			`{"todos":[{"step":"B","title":"A","status":"completed"}]}`, "A!; unknown_field(step); text_name[A]",
		},
		{"content by no name", "text_name=any", 0, "A", `{"todos":[{"status":"completed"}]}`, "missing_field at /todos/0"},
		{"ids required", "ids=required", 0, "A", "A!", "missing_field at /todos/0"},
		{"a bare array", "reading.coerce=true", 0, "A", `raw:[{"content":"A","status":"completed"}]`, "A!; bare_array[]"},
		{
			"a bare array in a fence", "reading.coerce=true", 0, "A",
			"raw:Here:\n```json\n[{\"content\":\"A\",\"status\":\"completed\"}]\n```", "A!; bare_array[]",
		},
		{
			"a bare array in prose", "reading.coerce=true", 0, "A", `raw:Here: [{"content":"A","status":"completed"}]`,
			"no_document",
		},
		{"a bare array, not coerced", "", 0, "A", `raw:[{"content":"A","status":"completed"}]`, "no_document"},
		{
			"a list of one document", "reading.coerce=true", 0, "A", `raw:[{"todos":[{"content":"A","status":"completed"}]}]`,
			"A!; one_element_array[]",
		},
		{"a bare empty array", "reading.coerce=true", 0, "A!", "raw:[]", "; cleared(A); bare_array[]"},
		{
			"a JSON string", "reading.coerce=true", 0, "A", `raw:"{\"todos\":[{\"content\":\"A\",\"status\":\"completed\"}]}"`,
			"A!; json_string[]",
		},
		{
			"a JSON string with a bare array", "reading.coerce=true", 0, "A",
			`raw:"[{\"content\":\"A\",\"status\":\"completed\"}]"`, "A!; json_string[]; bare_array[]",
		},
		{
			"a wrapper", "reading.coerce=true", 0, "A", `{"input":{"todos":[{"content":"A","status":"completed"}]}}`,
			"A!; wrapper[]",
		},
		{
			"a wrapper, not coerced", "", 0, "A", `{"input":{"todos":[{"content":"A","status":"completed"}]}}`,
			"extra_field at /input",
		},
		{
			"the list as a string", "reading.coerce=true", 0, "A", `{"todos":"[{\"content\":\"A\",\"status\":\"completed\"}]"}`,
			"A!; json_string[todos]",
		},
		{"the list as a string, not coerced", "", 0, "A", `{"todos":"[]"}`, "bad_type at /todos"},
		{
			"an item in place of the list", "reading.coerce=true", 0, "A", `{"todos":{"content":"A","status":"completed"}}`,
			"A!; wrapped_list[todos]",
		},
		{
			"an item as a string in place of the list", "reading.coerce=true", 0, "A",
			`{"todos":"{\"content\":\"A\",\"status\":\"completed\"}"}`, "A!; json_string[todos]; wrapped_list[todos]",
		},
		{"a number in place of the list", "reading.coerce=true", 0, "A", `{"todos":5}`, "bad_type at /todos"},
		{
			"unknown members stripped", "reading.coerce=true", 0, "A",
			`{"v":1,"todos":[{"content":"A","status":"completed","createdAt":3}]}`, "A!; stripped_member[v,createdAt]",
		},
		{
			"a number for an id", "reading.coerce=true", 0, "A#1", `{"todos":[{"content":"A","status":"completed","id":1}]}`,
			"A!#1; number_id[1]",
		},
		{
			"a fraction for an id", "reading.coerce=true", 0, "A#1",
			`{"todos":[{"content":"A","status":"completed","id":1.0}]}`, "bad_type at /todos/0/id",
		},
		{
			"a number for an id, not coerced", "", 0, "A#1", `{"todos":[{"content":"A","status":"completed","id":1}]}`,
			"bad_type at /todos/0/id",
		},
		{"null is absent", "", 0, "A#1", `{"todos":[{"content":"A","status":"completed","id":null,"priority":null,"activeForm":null}]}`, "A!#1"},
		{
			"null for the content", "", 0, "A", `{"todos":[{"content":null,"status":"completed"}]}`,
			"bad_type at /todos/0/content",
		},
		{"null in the list", "", 0, "A", `{"todos":[null]}`, "bad_type at /todos/0"},
		{"an empty object", "", 0, "A", `{}`, "missing_field at "},
		{"null for the list", "", 0, "A", `{"todos":null}`, "bad_type at /todos"},
		{"a blank reply", "", 0, "A", "raw: ", "no_document"},
		{"null for the reply", "reading.coerce=true", 0, "A", "raw:null", "no_document"},
		{
			"an unknown member", "", 0, "A", `{"todos":[{"content":"A","status":"completed","createdAt":3}]}`,
			"extra_field at /todos/0/createdAt",
		},
		{
			"an unknown member dropped", "extra_fields=drop", 0, "A",
			`{"x":1,"todos":[{"content":"A","status":"completed","x":3,"y":4}]}`, "A!; unknown_field(x,y)",
		},
		{"a word for a status", "", 0, "A", `{"todos":[{"content":"A","status":"done"}]}`, "bad_type at /todos/0/status"},
		{
			"a status spelled otherwise", "", 0, "A", `{"todos":[{"content":"A","status":"Completed"}]}`,
			"bad_type at /todos/0/status",
		},
		{
			"words for a status", "status_words=any in_progress=any", 0, "A B C D#4",
			`{"todos":[{"content":"A","status":" Finished"},{"content":"B","status":"In - Progress"},{"content":"C","status":"TO-DO"},{"content":"D","status":"skipped"}]}`, "A! B* C D-#4; status_word[A,B,C,D]",
		},
		{
			"an unknown word for a status", "status_words=any", 0, "A", `{"todos":[{"content":"A","status":"maybe"}]}`,
			"bad_type at /todos/0/status",
		},
		{
			"cancelled in other words is none of plan", "status_words=any format=plan", 0, "A",
			`{"plan":[{"step":"A","status":"skipped"}]}`, "bad_type at /plan/0/status",
		},
		{
			"a fence", "", 0, "A", "raw:Done:\n```json\n{\"todos\":[{\"content\":\"A\",\"status\":\"completed\"}]}\n```\n",
			"A!",
		},
		{
			"a name twice", "", 0, "A", `{"todos":[{"content":"A","status":"pending","status":"completed"}]}`,
			"duplicate_key at /todos/0/status",
		},
		{
			"a name twice in a bare array", "reading.coerce=true", 0, "A",
			`raw:[{"content":"A","status":"pending","status":"completed"}]`, "duplicate_key at /todos/0/status",
		},

		// 3 Markdown
		{
			"boxes", "format=markdown", 0, "A B C", "raw:- [x] A\n* [-] B\n+ [ ] C\n1. [~] D",
			"too_many_in_progress at /todos/3/status",
		},
		{
			"bullets", "format=markdown", 0, "A B C",
			"raw:- [X] A\r\n* [-] B\n\n+ [ ] C\n12) [ ] D\n[ ] E\n-[ ]  F  \n\t1.[ x ] G", "A! B* C D E F G!",
		},
		{"text in brackets is text", "format=markdown", 0, "A", "raw:- [x] A\n- [ ] [x] **b**", "A! [x]~**b**"},
		{"a link and no box", "format=markdown", 0, "A", "raw:- [x] A\n- [x](url)\n- []\n[a] b", "A!; ignored_line(2,3,4)"},
		{"a line without text", "format=markdown", 0, "A", "raw:- [x] A\n- [x]", "empty_id at /todos/1/content"},
		{"another mark", "format=markdown", 0, "A", "raw:- [?] A", "bad_type at /todos/0/status"},
		{"another mark without a bullet", "format=markdown", 0, "A", "raw:- [x] A\n[?] B", "A!; ignored_line(2)"},
		{"other marks", "format=markdown status_words=any", 0, "A B", "raw:- [✓] A\n- [/] B", "A! B*; status_word[A,B]"},
		{"other lines", "format=markdown", 0, "A", "raw:# Plan\n\n- [x] A\n  more\n> quote", "A!; ignored_line(1,4,5)"},
		{"items beside a fence", "format=markdown", 0, "A", "raw:- [x] A\n```\n- [ ] B\n```", "A!; ignored_line(2,3,4)"},
		{
			"items in the second fence", "format=markdown", 0, "A",
			"raw:Look:\n```sh\nls\n```\n~~~~\n- [x] A\n~~~\n```\n~~~~\n```\n- [ ] B\n",
			"A!; ignored_line(1,2,3,4,5,7,8,9,10,11)",
		},
		{"no item", "format=markdown", 0, "A", "raw:All done.", "no_document"},
		{"a blank text clears nothing", "format=markdown clear=allow", 0, "A", "raw:\n", "no_document"},
		{"other lines, not extracted", "format=markdown reading.extract=false", 0, "A", "raw:# Plan\n- [x] A", "no_document"},
		{"only items, not extracted", "format=markdown reading.extract=false", 0, "A", "raw:\n- [x] A\n\n", "A!"},
		{"thoughts", "format=markdown", 0, "A", "raw:<think>\n- [ ] B\n</think>\n- [x] A\nend", "A!; ignored_line(5)"},
		{
			"boxes in a call", "format=markdown reading.coerce=true", 0, "A", `{"task_progress":"- [x] A\n- [ ] B"}`,
			"A! B; wrapper[]",
		},
		{"boxes in a call, not coerced", "format=markdown", 0, "A", `{"todos":"- [x] A"}`, "no_document"},

		// 4 Identity
		{"ids renumbered do no harm", "", 0, "A#1 B#2", "B!#1 A#2", "B!#1 A#2"},
		{"ids left out do no harm", "", 0, "A#1 B#2", "A! B", "A!#1 B#2"},
		{"an id finds a reworded item", "", 0, "A#1 B#2", "A#1 C!#2", "A#1 C!#2; reworded(2)"},
		{"equal content and id first", "", 0, "A#1 A!#2", "A!#2 B", "A#1 A!#2 B; restored(1)"},
		{"equal content before id", "", 0, "A#1 B!#2", "B!#1", "A B!#1; restored(1); id_taken(1)"},
		{"reworded without an id is new", "", 0, "A", "B!", "A B!; restored(A)"},
		{"by content alone", "identity=content", 0, "A#1", "B!#1", "A B!#1; restored(1); id_taken(1)"},
		{"by id alone", "identity=id", 0, "A#1 B", "A! B!", "A#1 A! B!; restored(1)"},
		{"similar", "identity=similar", 0, "Write~tests", "write~test!", "write~test!; reworded(Write tests)"},
		{"not similar enough", "identity=similar", 0, "abcd", "abce!", "abcd abce!; restored(abcd)"},
		{
			"the nearest first", "identity=similar", 0, "aaaaaaaaaa aaaaaaaaab", "aaaaaaaacb! aaaaaaaaac",
			"aaaaaaaacb! aaaaaaaaac; reworded(aaaaaaaaaa,aaaaaaaaab)",
		},
		{
			"the old spelling stays", "", 0, `{"items":[{"content":"a  b","status":"pending"}]}`,
			`{"todos":[{"content":" a b ","status":"completed"}]}`, "a~~b!",
		},
		{
			"a new content is trimmed", "", 0, "A#1", `{"todos":[{"content":" b  c ","status":"completed","id":" 1 "}]}`,
			"b~~c!#1; reworded(1)",
		},
		{"an id taken from one that inherits it", "", 0, "A#1", "A! B#1", "A! B#1; id_taken(1)"},

		// 5 Rules
		{"extra members come first", "", 0, "A", `{"todos":[{"content":"","status":1,"x":1}]}`, "extra_field at /todos/0/x"},
		{"id before content", "", 0, "A", `{"todos":[{"id":" ","content":" ","status":1}]}`, "empty_id at /todos/0/id"},
		{"content before status", "", 0, "A", `{"todos":[{"content":" ","status":1}]}`, "empty_id at /todos/0/content"},
		{"status before priority", "", 0, "A", `{"todos":[{"content":"A","priority":1}]}`, "missing_field at /todos/0"},
		{
			"priority before active form", "", 0, "A",
			`{"todos":[{"content":"A","status":"pending","priority":1,"active_form":1}]}`, "bad_type at /todos/0/priority",
		},
		{
			"active form by its other name", "", 0, "A", `{"todos":[{"content":"A","status":"pending","active_form":1}]}`,
			"bad_type at /todos/0/active_form",
		},
		{"items by index", "", 0, "A", `{"todos":[{"content":"A"},5]}`, "missing_field at /todos/0"},
		{"an empty list with open items", "", 0, "A! B", "()", "empty_plan at /todos"},
		{"an empty list when all is closed", "", 0, "A! B-", "()", "; cleared(A,B)"},
		{"an empty list refused", "clear=reject", 0, "A!", "()", "empty_plan at /todos"},
		{"an empty list allowed", "clear=allow", 0, "A B*#2", "()", "; cleared(A,2)"},
		{"an empty list of an empty list", "", 0, "", "()", "empty_patch"},
		{"a duplicate id", "", 0, "A", "A!#1 B#1", "duplicate_id at /todos/1/id"},
		{"a duplicate content", "", 0, "A", "A! A", "duplicate_content at /todos/1/content"},
		{"equal contents with other ids", "", 0, "A#1", "A!#1 A#2", "A!#1 A#2"},
		{
			"equal contents with other ids, by content", "identity=content", 0, "A#1", "A!#1 A#2",
			"duplicate_content at /todos/1/content",
		},
		{"equal contents, one with an id", "", 0, "A#1", "A!#1 A", "duplicate_content at /todos/1/content"},
		{"the first item that duplicates, id before content", "", 0, "A", "A#1 A#2 A#1", "duplicate_id at /todos/2/id"},
		{"the first of duplicates", "duplicates=first", 0, "A B", "A! A B!", "A! B!; duplicate_dropped(A)"},
		{"the last of duplicates", "duplicates=last", 0, "A B", "A B! A!", "B! A!; duplicate_dropped(A)"},
		{"duplicates of what is kept", "duplicates=first", 0, "A#1 B#2", "A!#1 B#1 B!#2", "A!#1 B!#2; duplicate_dropped(1)"},
		{"duplicates kept", "duplicates=keep", 0, "A", "A! A", "A! A"},
		{"a done item reopened", "", 0, "A! B", "A B", "done_immutable at /todos/0/status"},
		{"a done item cancelled", "", 0, "A! B", "A- B", "done_immutable at /todos/0/status"},
		{"a done item kept so", "reopen=keep", 0, "A!#1 B", "A* B!", "A!#1 B!; kept_done(1)"},
		{"a done item reopened by leave", "reopen=allow", 0, "A! B", "A B", "A B; reopened(A)"},
		{"a cancelled item revived", "", 0, "A-", "A", "A"},
		{"two in progress", "", 0, "A B", "A* B*", "too_many_in_progress at /todos/1/status"},
		{"two in progress, the first counts", "in_progress=first", 0, "A B#2", "A* B*", "A* B#2; demoted(2)"},
		{"two in progress by leave", "in_progress=any", 0, "A B", "A* B*", "A* B*"},
		{"kept done is not in progress", "reopen=keep", 0, "A! B", "A* B*", "A! B*; kept_done(A)"},
		{"cancelled items left out go", "", 0, "A B-", "A!", "A!; dropped(B)"},
		{"done items left out come back", "", 0, "A! B C", "B! C", "A! B! C; restored(A)"},
		{"open items left out come back", "", 0, "A B C", "A! C", "A! B C; restored(B)"},
		{"restored ones go behind their neighbour", "", 0, "A B C D", "D! N A", "D! N A B C; restored(B,C)"},
		{"left out and refused", "omitted_done=reject", 0, "A! B", "B!", "item_lost at /todos"},
		{"left out and dropped", "omitted_done=drop omitted_open=drop", 0, "A! B C", "C!", "C!; dropped(A,B)"},
		{"a restored item gives way", "", 0, "A* B", "B*", "A B*; restored(A); demoted(A)"},
		{"a restored item gives way to one restored", "", 0, "A* B* C", "C!", "A* B C!; restored(A,B); demoted(B)"},
		{"a restored item stays in progress by leave", "in_progress=any", 0, "A* B", "B*", "A* B*; restored(A)"},
		{"new items are cut", "", 3, "A B", "A! B C D!", "A! B D!; truncated(C)"},
		{"the last new item first", "", 3, "A B", "A! B C D E", "A! B C; truncated(E,D)"},
		{"new items that are done are not cut", "", 2, "A B", "A! B C!", "over_capacity at /todos"},
		{"old ones alone may stay", "", 1, "A B", "A! B C", "A! B; truncated(C)"},
		{"restored items are old ones", "unchanged=allow", 2, "A B", "C", "A B; restored(A,B); truncated(C)"},
		{"nothing changed", "", 0, "A#1 B", "A B", "empty_patch"},
		{"order is a change", "", 0, "A B", "B A", "B A"},
		{"nothing changed by leave", "unchanged=allow", 0, "A#1 B", "A B", "A#1 B"},
		{"nothing changed behind a repair", "reopen=keep", 0, "A!", "A", "empty_patch; kept_done(A)"},

		// 6 Merge
		{
			"merge changes what it names", "format=merge", 0, "A#1 B#2",
			`{"merge":true,"todos":[{"id":"2","status":"completed"}]}`, "A#1 B!#2",
		},
		{
			"merge adds at the end", "format=merge", 0, "A#1",
			`{"merge":true,"todos":[{"id":"3","content":"C","status":"pending"},{"id":"1","content":null,"status":"completed"}]}`, "A!#1 C#3",
		},
		{
			"merge needs ids", "format=merge", 0, "A#1", `{"merge":true,"todos":[{"content":"A","status":"completed"}]}`,
			"missing_field at /todos/0",
		},
		{
			"merge of an unknown id", "format=merge", 0, "A#1", `{"merge":true,"todos":[{"id":"9","status":"completed"}]}`,
			"unknown_step at /todos/0/id",
		},
		{"merge rewords", "format=merge", 0, "A#1", `{"merge":true,"todos":[{"id":"1","content":"B"}]}`, "B#1; reworded(1)"},
		{
			"merge goes by id alone", "format=merge", 0, "A#1 B#2",
			`{"merge":true,"todos":[{"id":"2","content":"A","status":"completed"},{"id":"3","content":"A","status":"pending"}]}`, "A#1 A!#2 A#3; reworded(2)",
		},
		{"merge of nothing", "format=merge unchanged=allow", 0, "A#1", `{"merge":true,"todos":[]}`, "A#1"},
		{"merge of nothing is nothing", "format=merge", 0, "A#1", `{"merge":true,"todos":[]}`, "empty_patch"},
		{
			"what merge does not name gives way", "format=merge", 0, "A*#1 B#2",
			`{"merge":true,"todos":[{"id":"2","status":"in_progress"}]}`, "A#1 B*#2; demoted(1)",
		},
		{
			"what merge gives no status gives way", "format=merge", 0, "A*#1 B#2",
			`{"merge":true,"todos":[{"id":"1","priority":"high"},{"id":"2","status":"in_progress"}]}`, "A#1 B*#2; demoted(1)",
		},
		{
			"merge that is false rewrites", "format=merge", 0, "A B",
			`{"merge":false,"todos":[{"content":"B","status":"completed"}]}`, "A B!; restored(A)",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := told(eval(t, test.settings, test.limit, test.old, test.reply)); got != test.want {
				t.Errorf("\nwant %s\ngot  %s", test.want, got)
			}
		})
	}
}

// TestOrder refuses a case before any reply, and replies one after the other.
func TestOrder(t *testing.T) {
	if got := told(eval(t, "", -1, "{}", "A")); got != "bad_limit" {
		t.Errorf("a limit comes first: %s", got)
	}
	if got := told(eval(t, "", 0, "A")); got != "replies_exhausted" {
		t.Errorf("no reply: %s", got)
	}
	for _, test := range []struct{ replies, want, was string }{
		{"A!/A! B", "A! B", "[0,null]"},
		{"A-/B", "B; dropped(A)", "[null]"},
		{"A A/A!", "A!; reply_refused(1)", "[0]"},
		{"A!/A A/A! B/B", "A! B; reply_refused(2,4)", "[0,null]"},
		{"A A/A", "empty_patch", ""},
		{"A!/A!", "A!; reply_refused(2)", "[0]"},
	} {
		out := eval(t, "", 0, "A", strings.Split(test.replies, "/")...)
		if got := told(out); got != test.want || string(out.More[spec.Was]) != test.was {
			t.Errorf("%s\nwant %s %s\ngot  %s %s", test.replies, test.want, test.was, got, out.More[spec.Was])
		}
	}
}

// TestMembers fills in what a reply leaves out, and counts.
func TestMembers(t *testing.T) {
	const old = `{"items":[{"id":"1","content":"A","status":"pending","priority":"high","active_form":"doing A"},{"content":"B","status":"pending"},{"content":"C","status":"cancelled"}]}`
	out := eval(t, "", 0, old, `{"todos":[{"content":"A","status":"in_progress","priority":" "},{"content":"B","status":"pending","active_form":"b","activeForm":"doing B"},{"content":"N","status":"pending","id":"4"}]}`)
	want := []spec.Item{
		{ID: "1", Content: "A", Status: plan.InProgress, Priority: "high", ActiveForm: "doing A"},
		{Content: "B", Status: plan.Pending, ActiveForm: "doing B"},
		{ID: "4", Content: "N", Status: plan.Pending},
	}
	if diff := cmp.Diff(want, spec.Items(out.Plan)); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	meta := &harness.Meta{Added: 1, Removed: 1, Updated: 2, Dropped: []string{}}
	if diff := cmp.Diff(meta, out.Meta); diff != "" {
		t.Errorf("meta (-want +got):\n%s", diff)
	}
	if got := eval(t, "", 0, "A#1", "B#1").Meta; got.Reworded != 1 || got.Updated != 1 {
		t.Errorf("reworded: %+v", got)
	}
}

// TestTiers says how far reading went.
func TestTiers(t *testing.T) {
	for _, test := range []struct {
		settings, reply string
		tier            harness.Tier
	}{
		{"", "A!", harness.TierStrict},
		{"", `raw:Sure: {"todos":[{"content":"A","status":"completed"}]}`, harness.TierExtracted},
		{"reading.repair=true", `raw:{"todos":[{"content":"A","status":"completed",}]}`, harness.TierRepaired},
		{"reading.coerce=true", `raw:[{"content":"A","status":"completed"}]`, harness.TierCoerced},
		{"", "raw:nothing", harness.TierNone},
		{"", "A A", harness.TierStrict}, // read, and refused
		{"format=markdown", "raw:- [x] A", harness.TierStrict},
		{"format=markdown", "raw:# A\n- [x] A", harness.TierExtracted},
		{"format=markdown", "raw:\ufeff- [x] A", harness.TierExtracted},
		{"format=markdown reading.coerce=true", `{"todos":"- [x] A"}`, harness.TierCoerced},
		{"format=markdown", "raw:- [?] A", harness.TierNone},
	} {
		if got := eval(t, test.settings, 0, "A", test.reply).Tier; got != test.tier {
			t.Errorf("%s %s: %s, want %s", test.settings, test.reply, got, test.tier)
		}
	}
}

// TestTotal gives an answer to anything, the same again, and changes nothing.
func TestTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom([]string{"A", "A!", "B*#2", "B#1", "a~b-", "C!#3", "A#1"})
		old := strings.Join(rapid.SliceOfN(word, 0, 5).Draw(t, "old"), " ")
		var replies []string
		for range rapid.IntRange(1, 3).Draw(t, "replies") {
			replies = append(replies, "()"+strings.Join(rapid.SliceOfN(word, 0, 6).Draw(t, "reply"), " "))
		}
		profile := harness.Reference()
		for _, k := range append(spec.Knobs(), harness.Knobs()[7:10]...) {
			values := k.Values
			if values == nil {
				values = []string{k.Default, "5"}
			}
			if err := profile.Set(k.Name, rapid.SampledFrom(values).Draw(t, k.Name), spec.Knobs()...); err != nil {
				t.Fatal(err)
			}
		}
		c := harness.Case{Dialect: "todos", Plan: document(t, items(old))}
		for _, r := range replies {
			c.Replies = append(c.Replies, todos(t, r))
		}
		before := fmt.Sprint(c)
		out, again := rules.Eval(c, profile), rules.Eval(c, profile)
		if diff := cmp.Diff(out, again); diff != "" || fmt.Sprint(c) != before {
			t.Fatalf("asked again (-first +second):\n%s", diff)
		}
		if out.Verdict == harness.Applied && out.Plan.Check() != nil && profile.More["duplicates"] != "keep" {
			t.Fatalf("an unsound list: %v", out.Plan.Check())
		}
	})
}

// failer is a test of either kind.
type failer interface {
	Helper()
	Fatal(args ...any)
}
