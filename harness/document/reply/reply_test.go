package reply_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
)

// note is a small document for these tests: {"text":…,"tags":[…]}.
func noteShape() *document.Value {
	id := document.ID()
	id.Digits = true
	note := document.Object(
		document.May("text", document.Text()), document.May("id", id), document.May("tags", document.List(document.Text())),
		document.May("parts", document.List(document.Object(document.May("id", document.ID())))),
	)
	note.Markers = []string{"steps"}
	return &note
}

func decodeNote(v *strictjson.Value) (string, []harness.Warning, *harness.Refusal) {
	for _, m := range v.Members {
		switch m.Name {
		case "text", "id":
			if m.Value.Kind != strictjson.String {
				at := "/" + m.Name
				return "", nil, &harness.Refusal{Code: harness.BadType, At: &at}
			}
		case "tags", "parts":
			if m.Value.Kind != strictjson.Array {
				at := "/" + m.Name
				return "", nil, &harness.Refusal{Code: harness.BadType, At: &at}
			}
		default:
			at := "/" + m.Name
			return "", nil, &harness.Refusal{Code: harness.ExtraField, At: &at}
		}
	}
	t := v.Get("text")
	if t == nil {
		return "", nil, nil
	}
	return t.Text, nil, nil
}

var (
	strict    = harness.Reading{}
	extract   = harness.Reading{Extract: true}
	repair    = harness.Reading{Extract: true, Repair: true}
	mendWhole = harness.Reading{Repair: true}
	lenient   = harness.Reading{Extract: true, Repair: true, Coerce: true}
	coerce    = harness.Reading{Extract: true, Coerce: true}
)

func read(raw string, r harness.Reading) reply.Reading[string] {
	opt := reply.Options{MaxBytes: 1 << 20, MaxDepth: 8, Reading: r, DuplicateKeys: harness.Reject}
	return reply.ReadText(reply.NewText(harness.Reply(raw), opt), noteShape(), decodeNote, func(a, b string) bool { return a == b })
}

func TestRead(t *testing.T) {
	type want struct {
		Tier    harness.Tier
		Text    string
		Code    harness.Code
		At      string
		Repairs string
		Warn    string
	}
	tests := []struct {
		name    string
		reading harness.Reading
		raw     string
		want    want
	}{
		{"whole", strict, ` {"text":"a"}` + "\n", want{Tier: "strict", Text: "a"}},
		{"no-break space round it", strict, "\u00a0{\"text\":\"a\"}\u3000", want{Tier: "strict", Text: "a"}},
		{"empty reply", lenient, " \n", want{Code: "no_document"}},
		{"whole reply is a list", extract, `[{"text":"a"}]`, want{Code: "no_document"}},
		{"whole reply is a string", repair, `"text"`, want{Code: "no_document"}},
		{"prose is not strict", strict, `ok {"text":"a"}`, want{Code: "no_document"}},
		{"prose", extract, `Sure! {"text":"a"} Done.`, want{Tier: "extracted", Text: "a"}},
		{"BOM", extract, "\ufeff{\"text\":\"a\"}", want{Tier: "extracted", Text: "a"}},
		{"fence", extract, "```json\n{\"text\":\"a\"}\n```", want{Tier: "extracted", Text: "a"}},
		{"tilde fence", extract, "~~~\n{\"text\":\"a\"}\n~~~", want{Tier: "extracted", Text: "a"}},
		{"think block", extract, `<think>{"text":"no"}</think>{"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"unclosed think block is prose", extract, `<think>{"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{
			"a later think block is prose", extract, `so <think>{"text":"a"}</think>{"text":"b"}`,
			want{Tier: "extracted", Text: "a", Warn: "ambiguous_reply"},
		},
		{"braces in prose", extract, `Use {braces} and {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"doubled braces", extract, `{{"text":"a"}}`, want{Tier: "extracted", Text: "a"}},
		{
			"first wins", extract, `{"text":"draft"} then {"text":"final"}`,
			want{Tier: "extracted", Text: "draft", Warn: "ambiguous_reply"},
		},
		{"the same twice", extract, `{"text":"a"} {"text" : "a"}`, want{Tier: "extracted", Text: "a"}},
		{"first that decodes wins", extract, `{"text":1} {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"error of the first", extract, `{"text":1} {"text":"a","x":1}`, want{Code: "bad_type", At: "/text"}},
		{"stranger in prose", extract, `{"control":"x"} {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"only a stranger in prose", extract, `see {"control":"x"}`, want{Code: "no_document"}},
		{"stranger is the reply", extract, `{"control":"x"}`, want{Code: "extra_field", At: "/control"}},
		{"stranger is the fence", extract, "so:\n```\n{\"control\":\"x\"}\n```\n", want{Code: "extra_field", At: "/control"}},
		{"marker makes a candidate", extract, `so {"steps":1}`, want{Code: "extra_field", At: "/steps"}},
		{"object in a list is none", extract, `say [{"text":"a"}]`, want{Code: "no_document"}},
		{"behind the failure", extract, `{"text": oops {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"duplicate name", extract, `{"text":"a","text":"b"}`, want{Code: "duplicate_key", At: "/text"}},
		{"lone surrogate", extract, `{"text":"\ud83d"}`, want{Code: "invalid_utf8", At: "/text"}},
		{"surrogate pair", extract, `{"text":"\ud83d\ude00"}`, want{Tier: "strict", Text: "😀"}},
		{"not UTF-8", extract, "{\"text\":\"a\"} \xff", want{Code: "invalid_utf8"}},
		{"too deep", extract, strings.Repeat(`{"a":`, 9), want{Code: "too_deep"}},
		{"deep as allowed", extract, `{"parts":[[[[[[[]]]]]]]}`, want{Tier: "strict"}},
		{
			"too deep behind a good one", extract, `{"text":"a"} ` + strings.Repeat(`{"a":`, 9),
			want{Tier: "extracted", Text: "a"},
		},
		{"deep list is no object", extract, strings.Repeat("[", 100000), want{Code: "no_document"}},

		{"nothing is repaired unasked", extract, `{"text":"a",}`, want{Code: "no_document"}},
		{
			"trailing commas", repair, `{"text":"a","tags":[1,],}`,
			want{Tier: "repaired", Text: "a", Repairs: "trailing_comma trailing_comma"},
		},
		{
			"comments", repair, "{// one\n\"text\":/* two */\"a\" # three\n}",
			want{Tier: "repaired", Text: "a", Repairs: "comment comment comment"},
		},
		{"comment signs in strings", repair, `{"text":"http://x /* # */",}`, want{
			Tier: "repaired", Text: "http://x /* # */",
			Repairs: "trailing_comma",
		}},
		{"single quotes", repair, `{'text':'it\'s "a"'}`, want{Tier: "repaired", Text: `it's "a"`, Repairs: "quotes quotes"}},
		{"typographic quotes", repair, `{“text”:“say "hi"”}`, want{
			Tier: "repaired", Text: `say "hi"`,
			Repairs: "quotes quotes",
		}},
		{"quotes within good strings stay", repair, `{text:"‘x’ 'y' “z”"}`, want{
			Tier: "repaired", Text: "‘x’ 'y' “z”",
			Repairs: "unquoted_name",
		}},
		{
			"name-like text in strings stays", repair, `{"text":"note: None, x",}`,
			want{Tier: "repaired", Text: "note: None, x", Repairs: "trailing_comma"},
		},
		{
			"python literals", repair, `{"text":"a","tags":[True,False,None]}`,
			want{Tier: "repaired", Text: "a", Repairs: "python_literal python_literal python_literal"},
		},
		{"cut in a string", repair, `{"text":"a","tags":["b","c`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut in a name", repair, `{"text":"a","ta`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut behind a colon", repair, `{"text":"a","tags":`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut in a literal", repair, `{"text":"a","tags":[tru`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut in an escape", repair, `{"text":"a","tags":["\u00`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut behind a container", repair, `{"text":"a","tags":[[1]`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{
			"cut by the fence", repair, "```json\n{\"text\":\"a\",\n```\nbye",
			want{Tier: "repaired", Text: "a", Repairs: "unclosed"},
		},
		{"cut before a name, in a fence", repair, "```json\n{\"te", want{Tier: "repaired", Repairs: "unclosed"}},
		{
			"cut by a fence of tildes", repair, "~~~\n{\"text\":\"a\",\n~~~\nbye",
			want{Tier: "repaired", Text: "a", Repairs: "unclosed"},
		},
		{
			"comment behind the whole", mendWhole, `{"text":"a"} // done`,
			want{Tier: "repaired", Text: "a", Repairs: "comment"},
		},
		{"nothing and a comment", repair, `{} // done`, want{Code: "no_document"}},
		{"NaN is not repaired", repair, `{"text":NaN}`, want{Code: "no_document"}},
		{"a lost quote is not guessed", repair, `{"text":"a,"tags":[]}`, want{Code: "no_document"}},
		{"a raw line break is not repaired", repair, "{\"text\":\"a\nb\"}", want{Code: "no_document"}},
		{"two commas are not repaired", repair, `{"text":"a",,"tags":[]}`, want{Code: "no_document"}},

		{"nothing is coerced unasked", repair, `{"tags":"x"}`, want{Code: "bad_type", At: "/tags"}},
		{"JSON in a string", coerce, `"{\"text\":\"a\"}"`, want{Tier: "coerced", Text: "a", Repairs: "json_string"}},
		{"list of one", coerce, `[{"text":"a"}]`, want{Tier: "coerced", Text: "a", Repairs: "one_element_array"}},
		{"list of two", coerce, `[{"text":"a"},{"text":"b"}]`, want{Code: "no_document"}},
		{"wrapper", coerce, `{"name":"f","note":{"text":"a"}}`, want{Tier: "coerced", Text: "a", Repairs: "wrapper"}},
		{
			"arguments in a string", coerce, `{"arguments":"{\"text\":\"a\"}","name":"f"}`,
			want{Tier: "coerced", Text: "a", Repairs: "wrapper"},
		},
		{
			"arguments in a string are a list", coerce, `{"arguments":"[{\"text\":\"a\"}]","name":"f"}`,
			want{Tier: "coerced", Repairs: "stripped_member stripped_member"},
		},
		{
			"lone value for a list", coerce, `{"text":"a","tags":"x"}`,
			want{Tier: "coerced", Text: "a", Repairs: "wrapped_list"},
		},
		{
			"list in a string", coerce, `{"text":"a","tags":"[\"x\"]"}`,
			want{Tier: "coerced", Text: "a", Repairs: "json_string"},
		},
		{
			"white space round a list in a string", coerce, `{"text":"a","tags":"\n[1] "}`,
			want{Tier: "coerced", Text: "a", Repairs: "json_string"},
		},
		{
			"unknown members", coerce, `{"text":"a","x":1,"parts":[{"id":"p","y":2}]}`,
			want{Tier: "coerced", Text: "a", Repairs: "stripped_member stripped_member"},
		},
		{"duplicate below a wrapper", coerce, `[{"text":"a","text":"b"}]`, want{Code: "duplicate_key", At: "/text"}},
		{"duplicate in a wrapper", coerce, `so {"a":1,"a":2,"args":{"text":"a"}}`, want{Code: "duplicate_key", At: ""}},
		{
			"duplicate round arguments in a string", coerce, `so {"a":1,"a":2,"args":"{\"text\":\"a\"}"}`,
			want{Code: "duplicate_key", At: ""},
		},
		{"lone surrogate round JSON in a string", coerce, `"{\"text\":\"\ud83d\"}"`, want{Code: "invalid_utf8", At: ""}},
		{
			"lone surrogate in a list in a string", coerce, `[{"tags":"[1,\"\\ud83d\"]"}]`,
			want{Code: "invalid_utf8", At: "/tags/1"},
		},
		{
			"duplicate in a list in a string", coerce, `so {"args":{"parts":"[{\"id\":1,\"id\":2}]"}}`,
			want{Code: "duplicate_key", At: "/parts/0/id"},
		},
		{
			"object of the fence in a string", coerce, "so:\n```\n{\"args\":\"{}\"}\n```",
			want{Tier: "coerced", Repairs: "wrapper"},
		},
		{"cut in a number", repair, `{"text":"a","tags":[1],"parts":12`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut in a value", repair, `{"text":"a","tags":nul`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"cut behind a literal", repair, `{"text":"a","tags":null`, want{Code: "bad_type", At: "/tags"}},
		{"cut in a bare name", repair, `{"text":"a",ta`, want{Tier: "repaired", Text: "a", Repairs: "unclosed"}},
		{"a word that is no literal", repair, `{"text":"a","tags":nil`, want{Code: "no_document"}},
		{"cut before a word", repair, `{"text":"a","tags":[nul,1]}`, want{Code: "no_document"}},
		{"first and last digit", repair, `{"text":"a","tags":[0,9],}`, want{
			Tier: "repaired", Text: "a", Repairs: "trailing_comma",
		}},
		{"no digit", repair, `{"text":"a","tags":[:,],}`, want{Code: "no_document"}},
		{"too deep to repair", repair, `{'a':` + strings.Repeat(`{"a":`, 8), want{Code: "too_deep"}},
		{"behind what nests too deep", repair, strings.Repeat(`{'a':`, 9) + ` {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"deep whole reply", strict, strings.Repeat(`{"a":`, 9), want{Code: "too_deep"}},
		{"a brace in front", repair, `{ {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"brackets in front", lenient, `[[[{"text":"a",}`, want{Code: "no_document"}},
		{"a broken list in front", extract, `[1 {"text":"a"}`, want{Tier: "extracted", Text: "a"}},
		{"words behind the fence", extract, "so:\n``` c++ \n{\"control\":\"x\"}\n```", want{
			Code: "extra_field", At: "/control",
		}},
		{"a sentence behind the fence", extract, "so:\n``` c plan \n{\"control\":\"x\"}\n```", want{Code: "no_document"}},
		{"other members in the wrappers", coerce, `{"a":{"text":"x"},"b":{"text":"y"}}`, want{
			Tier: "coerced", Repairs: "stripped_member stripped_member",
		}},
		{"input before the only member", coerce, `{"a":{"text":"x"},"input":{"text":"y"}}`, want{
			Tier: "coerced", Text: "y", Repairs: "wrapper",
		}},
		{"a string that holds no object", coerce, `"text"`, want{Code: "no_document"}},
		{"a repaired string", lenient, `"{'text':\"a\"}"`, want{
			Tier: "coerced", Text: "a", Repairs: "quotes json_string",
		}},
		{"digits for text", coerce, `{"id":1029384756}`, want{Tier: "coerced", Text: "", Repairs: "number_id"}},
		{"a fraction for text", coerce, `{"id":1.0}`, want{Code: "bad_type", At: "/id"}},
		{"a number below 0 for text", coerce, `{"id":-1}`, want{Code: "bad_type", At: "/id"}},
		{"deep as allowed, in a list", coerce, `[{"text":"a","parts":[[[[[[[]]]]]]]}]`, want{
			Tier: "coerced", Text: "a",
			Repairs: "one_element_array",
		}},
		{"deep as allowed, in a list that is repaired", lenient, `[{"text":"a","parts":[[[[[[[]]]]]]],}]`, want{
			Tier: "coerced", Text: "a",
			Repairs: "trailing_comma one_element_array",
		}},
		{"deeper than allowed, in a list", coerce, `[{"text":"a","parts":[[[[[[[[]]]]]]]]}]`, want{Code: "no_document"}},
		{"hexadecimal digits", repair, `{'text':"\u09afAF\u0000"}`, want{
			Tier: "repaired", Text: "\u09af" + "AF\x00", Repairs: "quotes",
		}},
		{"all hexadecimal digits", repair, `{'text':"\u0aAf\u9F90"}`, want{
			Tier: "repaired", Text: "\u0aaf\u9f90", Repairs: "quotes",
		}},
		{"no hexadecimal digit", repair, `{'text':"\u00g0"}`, want{Code: "no_document"}},
		{"before a hexadecimal digit", repair, `{'text':"\u00@0"}`, want{Code: "no_document"}},
		{"an unclosed comment", mendWhole, `{"text":"a"} /* b`, want{Tier: "repaired", Text: "a", Repairs: "comment"}},
		{"a comment at the end", mendWhole, `{"text":"a"} # b`, want{Tier: "repaired", Text: "a", Repairs: "comment"}},
		{"a slash is no comment", mendWhole, `{"text":"a"} / b`, want{Code: "no_document"}},
		{"object in a list of one in prose", coerce, `see [{"text":"a"}]`, want{
			Tier: "coerced", Text: "a", Repairs: "one_element_array",
		}},
		{
			"repaired and coerced", lenient, `{'note':{'text':'a',},}`,
			want{Tier: "coerced", Text: "a", Repairs: "quotes quotes quotes trailing_comma trailing_comma wrapper"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := read(tt.raw, tt.reading)
			got := want{Tier: r.Tier, Text: r.Doc}
			if r.Refusal != nil {
				got = want{Code: r.Refusal.Code}
				if r.Refusal.At != nil {
					got.At = *r.Refusal.At
				}
			}
			var rules []string
			for _, p := range r.Repairs {
				rules = append(rules, p.Rule)
			}
			got.Repairs = strings.Join(rules, " ")
			for _, w := range r.Warnings {
				got.Warn += w.Code
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("reading %q (-want +got):\n%s", tt.raw, d)
			}
		})
	}
}

func TestNewOptions(t *testing.T) {
	tests := []struct {
		limits harness.Limits
		want   string
	}{
		{harness.Limits{}, ""},
		{harness.Limits{MaxReplyBytes: new(1), MaxDepth: new(1), MaxPlanSteps: new(1), MaxStepToolCalls: new(1)}, ""},
		{harness.Limits{MaxReplans: new(0), PlanningRetries: new(0)}, ""},
		{harness.Limits{MaxReplyBytes: new(0)}, "max_reply_bytes is 0, and must be at least 1"},
		{harness.Limits{MaxDepth: new(-3)}, "max_depth is -3, and must be at least 1"},
		{harness.Limits{MaxPlanSteps: new(0), MaxReplans: new(-1)}, "max_plan_steps is 0, and must be at least 1"},
		{harness.Limits{MaxStepToolCalls: new(0)}, "max_step_tool_calls is 0, and must be at least 1"},
		{harness.Limits{MaxReplans: new(-1)}, "max_replans is -1, and must be at least 0"},
		{harness.Limits{PlanningRetries: new(-1)}, "planning_retries is -1, and must be at least 0"},
	}
	for _, tt := range tests {
		opt, refusal := reply.NewOptions(tt.limits, harness.Reference())
		got := ""
		if refusal != nil {
			got = refusal.Message
		} else if n := tt.limits.MaxReplyBytes; n != nil && (opt.MaxBytes != *n || opt.MaxDepth != *tt.limits.MaxDepth) {
			t.Errorf("options %+v do not hold the limits of the case", opt)
		}
		if got != tt.want {
			t.Errorf("%+v: refused with %q, want %q", tt.limits, got, tt.want)
		}
	}
}

// TestReadBare reads a document whose list may be the whole reply.
func TestReadBare(t *testing.T) {
	shape := noteShape()
	shape.Bare = "tags"
	for raw, want := range map[string]string{
		`["a"]`:                  "coerced bare_array",
		`[]`:                     "coerced bare_array",
		"so:\n```\n[\"a\"]\n```": "coerced bare_array",
		`see ["a"]`:              "none no_document",
		`[{"tags":["a"]}]`:       "coerced one_element_array",
		`[{"text":"a"}]`:         "coerced bare_array",
		`[{"tags":[]},1]`:        "coerced bare_array",
		`see [{"tags":["a"]}]`:   "none no_document",
	} {
		opt := reply.Options{MaxBytes: 1 << 20, MaxDepth: 8, Reading: coerce, DuplicateKeys: harness.Reject}
		r := reply.ReadText(reply.NewText(harness.Reply(raw), opt), shape, decodeNote, func(a, b string) bool { return a == b })
		got := string(r.Tier) + " "
		if r.Refusal != nil {
			got += string(r.Refusal.Code)
		}
		for _, p := range r.Repairs {
			got += p.Rule
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", raw, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"strict", "{\n  \"text\": 5}", "line 2, column 11"},
		{"prose of more than ASCII", "日本: {\"text\": 5}", "line 1, column 14"},
		{"repaired", "{ // c\n'tags': [],\n 'text' : 5 }", "line 3, column 11"},
		{"in a string there is no place", `"{\"text\": 5}"`, ""},
	}
	for _, tt := range tests {
		r := read(tt.raw, lenient)
		if r.Refusal == nil {
			t.Fatalf("%s: read without refusal", tt.name)
		}
		if got := r.Where(r.Refusal.At); got != tt.want {
			t.Errorf("%s: where = %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestWhereInAString: what is in a string is at the place of the string.
func TestWhereInAString(t *testing.T) {
	for _, at := range []string{"/parts", "/parts/0", "/parts/0/id"} {
		refuse := func(v *strictjson.Value) (string, []harness.Warning, *harness.Refusal) {
			if v.At("/parts/0") == nil {
				return "", nil, harness.RefuseAt(harness.BadType, "/parts", "no list")
			}
			return "", nil, nil
		}
		opt := reply.Options{MaxBytes: 1 << 20, MaxDepth: 8, Reading: coerce}
		r := reply.ReadText(reply.NewText(harness.Reply("\n  {\"parts\":  \"  [{\\\"id\\\":1}]\"}"), opt), noteShape(), refuse, nil)
		if got := r.Where(&at); got != "line 2, column 14" {
			t.Errorf("%s: where = %q", at, got)
		}
	}
}

func TestReadLimits(t *testing.T) {
	const raw = `{"text":"a","text":"b","tags":[1],"tags":[2],"text":"c"}`
	opt := reply.Options{MaxBytes: len(raw), MaxDepth: 2, DuplicateKeys: harness.Last}
	r := reply.ReadText(reply.NewText(raw, opt), noteShape(), decodeNote, func(a, b string) bool { return a == b })
	want := []harness.Warning{{Code: harness.WarnDuplicateKey, IDs: []string{"text", "tags"}}}
	if diff := cmp.Diff(want, r.Warnings); diff != "" || r.Refusal != nil {
		t.Errorf("refused with %v, warnings -want +got:\n%s", r.Refusal, diff)
	}
	opt.MaxBytes--
	r = reply.ReadText(reply.NewText(raw, opt), noteShape(), decodeNote, func(a, b string) bool { return a == b })
	if r.Refusal == nil || r.Refusal.Code != harness.ReplyTooLarge {
		t.Errorf("a reply above max_reply_bytes: %v", r.Refusal)
	}
}

// TestShapes reads documents with a choice of lists, which only objects become.
func TestShapes(t *testing.T) {
	todos := document.List(document.Any(""))
	todos.Lone = true
	shape := document.Object(document.May("todos", todos))
	shape.Choice = []string{"items", "entries"}
	names := func(v *strictjson.Value) (got string, _ []harness.Warning, _ *harness.Refusal) {
		for _, m := range v.Members {
			if m.Name == "x" || m.Name == "todos" && m.Value.Kind != strictjson.Array {
				return "", nil, harness.RefuseAt(harness.BadType, "/"+m.Name, "no")
			}
			got += m.Name
		}
		return got, nil, nil
	}
	for raw, want := range map[string]string{
		`{"todos":{}}`:                    "todos",
		`{"todos":"x"}`:                   "bad_type",
		`{"todos":"{}"}`:                  "todos",
		`{"todos":"[]"}`:                  "todos",
		`{"todos":"1"}`:                   "bad_type",
		`{"todos":null}`:                  "bad_type",
		`{"x":1,"entries":1,"items":[2]}`: "items",
		`{"x":1,"entries":1}`:             "entries",
	} {
		opt := reply.Options{MaxBytes: 1 << 20, MaxDepth: 8, Reading: harness.Reading{Coerce: true}}
		r := reply.ReadText(reply.NewText(harness.Reply(raw), opt), &shape, names, func(a, b string) bool { return a == b })
		got := r.Doc
		if r.Refusal != nil {
			got = string(r.Refusal.Code)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

func TestObjects(t *testing.T) {
	opt := reply.Options{MaxBytes: 100, MaxDepth: 3, Reading: lenient}
	for raw, want := range map[string]int{
		`{"text":1}`:                           2, // as it is written, and coerced
		`so {"text":1} and {"text":2}`:         6,
		`so {'text':1} and {"text":2}`:         5,
		`so {"text":1} and {"a":{"b":{"c":{}}`: 1,
		`nothing`:                              0,
		strings.Repeat(" ", 91) + `{"text":1}`: 0,
	} {
		text := reply.NewText(harness.Reply(raw), opt)
		if got := len(text.Objects(noteShape())); got != want {
			t.Errorf("%s: %d objects, want %d", raw, got, want)
		}
		if !text.Of(harness.Reply(raw)) || text.Of("other") || (*reply.Text)(nil).Of(harness.Reply(raw)) {
			t.Errorf("%s: it is the text of another reply", raw)
		}
		text.Release()
		text.Release()
		(*reply.Text)(nil).Release()
	}
}

func TestProseAroundChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 12, -1).Draw(t, "text")
		prose := rapid.StringMatching(`[a-z .,'"{}<>\n-]{0,40}`)
		quoted, _ := jsontext.AppendQuote(nil, text)
		doc := `{"text":` + string(quoted) + `}`
		got := read(prose.Draw(t, "before")+"\n"+doc+"\n"+prose.Draw(t, "after"), extract)
		if got.Refusal != nil || got.Doc != text {
			t.Fatalf("read %q, refusal %+v", got.Doc, got.Refusal)
		}
	})
}

func TestCutAnywhereNeverInvents(t *testing.T) {
	whole := `{"text":"a\u00e9\"b","tags":["x",true,12.5,null,{"k":[1]}],"parts":[{"id":"p"}]}`
	unclosed := []harness.Repair{{Rule: "unclosed"}}
	for i := 1; i < len(whole); i++ {
		r := read(whole[:i], repair)
		if r.Refusal != nil || r.Doc != "" && r.Doc != "aé\"b" {
			t.Errorf("cut at %d: read the text %q, which the reply does not hold, with refusal %v", i, r.Doc, r.Refusal)
		}
		if diff := cmp.Diff(unclosed, r.Repairs); diff != "" {
			t.Errorf("cut at %d (-want +got):\n%s", i, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		`{"text":"a"}`, "```json\n{'text':'a',}\n```", `<think>x</think>{"text":"\ud83d"}`,
		`"{\"text\":1}"`, `{"a":{"text":"x"}}`, `{“text”:“x`, "{\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, reading := range []harness.Reading{strict, extract, repair, lenient, coerce} {
			r := read(s, reading)
			if (r.Refusal == nil) == (r.Tier == harness.TierNone) {
				t.Fatalf("%+v: tier %s with refusal %+v", reading, r.Tier, r.Refusal)
			}
		}
	})
}
