package corpora_test

import (
	"bytes"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"replanbench/corpora"
)

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(corpora.Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("record", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("record")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, line []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// Every record of the built-in corpus is valid by the schema.
func TestSchemaTakesRecords(t *testing.T) {
	s := compiled(t)
	for _, source := range corpora.Builtin() {
		for r, err := range source.Records() {
			if err != nil {
				t.Fatal(err)
			}
			line, err := r.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := valid(t, s, line); err != nil {
				t.Errorf("%s: %v", r.ID, err)
			}
		}
	}
}

// Where the schema and the reader can both say no, they say it of the same
// lines.
func TestSchemaRefusesWhatTheReaderRefuses(t *testing.T) {
	s := compiled(t)
	whole := strings.Replace(line("x"), `"reply"`,
		`"sample":0,"attempt":2,"retry_of":"w","params":{},"messages":[{"role":"user","content":"c"}],"reply"`, 1)
	for _, change := range [][2]string{
		{"", ""},
		{`"v":1`, `"v":2`},
		{`"v":1,`, ``},
		{`"v":1`, `"v":"1"`},
		{`"id":"x"`, `"id":""`},
		{`"id":"x",`, ``},
		{`"dialect":"planpatch",`, ``},
		{`"model":"m"`, `"model":""`},
		{`"model":"m"`, `"model":3`},
		{`"reply":"{}",`, ``},
		{`"reply":"{}"`, `"reply":{"base64":"e30="}`},
		{`"reply":"{}"`, `"reply":[]`},
		{`"recorded"`, `"guessed"`},
		{`,"source":"recorded"`, ``},
		{`"sample":0`, `"sample":-1`},
		{`"attempt":2`, `"attempt":0`},
		{`"retry_of":"w"`, `"retry_of":null`},
		{`"params":{}`, `"params":[]`},
		{`[{"role":"user","content":"c"}]`, `{}`},
		{`[{"role":"user","content":"c"}]`, `null`},
		{`"id":"x"`, `"id":"x","colour":"red"`},
		{`"id":"x"`, `"id":"x","limits":{"max_plan_steps":3}`},
		{`"id":"x"`, `"id":"x","limits":{"max_plan_steps":"3"}`},
		{`"id":"x"`, `"id":"x","tags":["a:b"]`},
		{`"id":"x"`, `"id":"x","tags":"a:b"`},
		{`"id":"x"`, `"id":"x","trim":{"policy":"window","budget":9,"before":12,"after":8,"overflow":1.33,"lost":[{"index":1,"role":"user","before":4,"after":0,"action":"dropped","by":"window"}]}`},
		{`"id":"x"`, `"id":"x","trim":{"policy":"","budget":9}`},
		{`"id":"x"`, `"id":"x","trim":{"policy":"window","budget":0}`},
		{`"id":"x"`, `"id":"x","trim":{"policy":"window","budget":"9"}`},
	} {
		text := []byte(strings.Replace(whole, change[0], change[1], 1))
		_, err := corpora.Decode(text)
		if refused := valid(t, s, text); (err == nil) != (refused == nil) {
			t.Errorf("%s: the reader says %v, the schema %v", text, err, refused)
		}
	}
}

// The schema knows the members that a record has, and no other.
func TestSchemaHasTheMembersOfRecord(t *testing.T) {
	var document struct {
		Properties map[string]any `json:"properties"`
	}
	if err := json.Unmarshal(corpora.Schema(), &document); err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for name := range document.Properties {
		got = append(got, name)
	}
	for f := range reflect.TypeFor[corpora.Record]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		want = append(want, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-record +schema:\n%s", diff)
	}
}
