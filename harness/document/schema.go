package document

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/collect"
)

// draft is the version of JSON Schema that [Value.Schema] writes.
const draft = "https://json-schema.org/draft/2020-12/schema"

// Schema returns the JSON Schema of a document, whose title is the value's name.
func (v Value) Schema() []byte {
	var w schemaWriter
	w.WriteString(`{"$schema": "` + draft + `"`)
	w.keyword("title", quoted(v.Name))
	v.Name = ""
	w.body(&v)
	for i := range v.Defs {
		w.define(&v.Defs[i])
	}
	if len(w.defs) > 0 {
		var list []string
		for i := 0; i < len(w.defs); i++ { // a definition may add others
			d := *w.defs[i]
			d.Name = ""
			var one schemaWriter
			one.defs = w.defs
			one.value(&d)
			w.defs = one.defs
			list = append(list, quoted(w.defs[i].Name)+": "+one.String())
		}
		w.keyword("$defs", "{"+strings.Join(list, ", ")+"}")
	}
	w.WriteString("}")
	text := jsontext.Value(w.Bytes())
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic("document: the keywords of " + v.Text + " are not JSON: " + err.Error())
	}
	return append(text, '\n')
}

// schemaWriter writes a schema without layout.
type schemaWriter struct {
	bytes.Buffer
	defs []*Value // in the order of their first use
}

func quoted(s string) string {
	b, _ := jsontext.AppendQuote(nil, s) // any text can be quoted
	return string(b)
}

func (w *schemaWriter) keyword(name, json string) {
	if b := w.Bytes(); b[len(b)-1] != '{' {
		w.WriteString(", ")
	}
	w.WriteString(quoted(name) + ": " + json)
}

func (w *schemaWriter) value(v *Value) {
	w.WriteByte('{')
	w.body(v)
	w.WriteByte('}')
}

// define adds a definition and returns a reference to it.
func (w *schemaWriter) define(v *Value) string {
	if !slices.ContainsFunc(w.defs, func(d *Value) bool { return d.Name == v.Name }) {
		w.defs = append(w.defs, v)
	}
	return quoted("#/$defs/" + v.Name)
}

// body writes the keywords of a value.
func (w *schemaWriter) body(v *Value) {
	if v.Name != "" {
		w.keyword("$ref", w.define(v))
		return
	}
	whole := v.Members != nil || v.Of != nil // its description goes first
	if v.Text != "" && whole {
		w.keyword("description", quoted(v.Text))
	}
	if v.Kind != EnumKind && v.Kind != AnyKind {
		w.keyword("type", v.types())
	}
	if v.Kind == IDKind {
		w.keyword("pattern", `"\\S"`)
	}
	for _, bound := range [...][2]string{{"minimum", v.Least}, {"maximum", v.Most}} {
		if bound[1] != "" {
			w.keyword(bound[0], bound[1])
		}
	}
	w.enum(v)
	if v.Text != "" && !whole {
		w.keyword("description", quoted(v.Text))
	}
	if v.Members != nil {
		w.members(v)
	}
	if v.Item != nil {
		w.keyword("items", w.inner(v.Item))
	}
	if v.Of != nil {
		var list []string
		for i := range v.Of {
			list = append(list, w.inner(&v.Of[i]))
		}
		w.keyword("oneOf", "["+strings.Join(list, ", ")+"]")
	}
	if v.Keywords != "" {
		if w.Len() > 1 {
			w.WriteString(", ")
		}
		w.WriteString(v.Keywords)
	}
}

func (w *schemaWriter) enum(v *Value) {
	if v.Values == nil {
		return
	}
	list := collect.Map(v.Values, quoted)
	if v.Null {
		list = append(list, "null")
	}
	switch all := "[" + strings.Join(list, ", ") + "]"; {
	case v.Kind != EnumKind:
		w.keyword("examples", all)
	case len(list) == 1:
		w.keyword("const", list[0])
	default:
		w.keyword("enum", all)
	}
}

func (v *Value) types() string {
	kind := v.Kind
	if kind == IDKind {
		kind = TextKind
	}
	if v.Null {
		return "[" + strconv.Quote(string(kind)) + `, "null"]`
	}
	return strconv.Quote(string(kind))
}

// members writes the members of an object, and whether there may be others.
func (w *schemaWriter) members(v *Value) {
	var list, required []string
	for i := range v.Members {
		m := &v.Members[i]
		list = append(list, quoted(m.Name)+": "+w.member(m))
		for _, alias := range m.Alias {
			other := m.Value
			other.Text = "Another name of " + m.Name + ", which counts where both are given."
			list = append(list, quoted(alias)+": "+w.inner(&other))
		}
		if m.Required {
			required = append(required, quoted(m.Name))
		}
	}
	w.keyword("properties", "{"+strings.Join(list, ", ")+"}")
	if required != nil {
		w.keyword("required", "["+strings.Join(required, ", ")+"]")
	}
	if !v.Open {
		w.keyword("additionalProperties", "false")
	}
}

// member returns the schema of a member. A shared value that is not null by itself may be
// null where the member is optional.
func (w *schemaWriter) member(m *Member) string {
	if m.Value.Name == "" || m.Null || !m.Nullable {
		return w.inner(&m.Value)
	}
	text := ""
	if m.Note != "" {
		text = `, "description": ` + quoted(m.Note)
	}
	return `{"anyOf": [{"$ref": ` + w.define(&m.Value) + `}, {"type": "null"}]` + text + `}`
}

func (w *schemaWriter) inner(v *Value) string {
	one := schemaWriter{defs: w.defs}
	one.value(v)
	w.defs = one.defs
	return one.String()
}
