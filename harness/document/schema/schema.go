// Package schema has the JSON Schemas (draft 2020-12) of the documents between
// engines and the harness that do not depend on a dialect: cases, outcomes, and the
// outcomes that scenarios want. Each dialect has the schemas of its own documents,
// which can be given to a model as structured output.
//
// They are written by hand, because the Go types do not say enough. Tests compare
// them with the types and the reference. Package reports has the schema of reports.
package schema

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Schema is the JSON Schema of one document.
type Schema struct {
	Name, Text string
	Data       []byte
}

// File returns the name of the file with the JSON Schema of a kind of YAML file, for editors.
func File(kind string) string { return kind + ".schema.json" }

// FirstLine returns the first line of such a YAML file, which editors read.
func FirstLine(kind string) string { return "# yaml-language-server: $schema=" + File(kind) + "\n" }

//go:embed *.json
var files embed.FS

// Case is a case as an engine receives it, with the knobs that dialects have of their own, and the
// documents that have no field.
func Case(dialects []string, own []harness.Knob, documents []harness.Term) Schema {
	var knobs []string
	for _, k := range own {
		one := fmt.Sprintf(`{"enum": ["%s"]}`, strings.Join(k.Values, `", "`))
		if k.Values == nil {
			one = fmt.Sprintf(`{"oneOf": [{"const": %q}, {"type": "integer", "minimum": 1}, {"type": "string", "pattern": "^[1-9][0-9]*$"}]}`,
				k.Default)
		}
		if k.List {
			one = fmt.Sprintf(`{"oneOf": [%s, {"type": "array", "items": %[1]s}]}`, one)
		}
		knobs = append(knobs, fmt.Sprintf(`%q: %s`, k.Name, one))
	}
	s := filled("case", "a case, as an engine receives it", map[string][]string{"dialects": dialects})
	return s.with("(own)", knobs).further(documents)
}

// further adds members that have no field in the Go type.
func (s Schema) further(more []harness.Term) Schema {
	var members []string
	for _, m := range more {
		members = append(members, fmt.Sprintf(`%q: {"description": %q}`, m.Name, m.Text))
	}
	return s.with("(further)", members)
}

// with replaces a placeholder by members.
func (s Schema) with(name string, members []string) Schema {
	var b bytes.Buffer
	for line := range bytes.Lines(s.Data) {
		indent, _, ok := bytes.Cut(line, []byte(`"`+name+`"`))
		if !ok {
			b.Write(line)
			continue
		}
		for _, m := range members {
			fmt.Fprintf(&b, "%s%s,\n", indent, m)
		}
	}
	s.Data = b.Bytes()
	return s
}

// Outcome is the answer of an engine, in the words of all dialects.
// more are members that have no field, each of enough is all that an applied outcome needs,
// and required describes the members that each dialect requires.
func Outcome(words harness.Vocabulary, more []harness.Term, enough []string, required string) Schema {
	lists := lists(words)
	lists["codes"] = append(lists["codes"], string(harness.Refused))
	s := filled("outcome", "an outcome, as an engine returns it", lists).further(more)
	each := collect.Map(enough, func(name string) string { return fmt.Sprintf(`{"required": [%q]}`, name) })
	s = s.with("(enough)", each)
	s.Data = bytes.Replace(s.Data, []byte("(required)"), []byte(required), 1)
	return s
}

// Hello is the declaration of an engine. optional are the members of outcomes that
// it may give.
func Hello(words harness.Vocabulary, dialects, optional []string) Schema {
	return filled("hello", "the declaration of an engine: the result of initialize", map[string][]string{
		"dialects": dialects, "features": harness.Names(harness.Features()), "profiles": harness.Names(harness.Profiles()),
		"capabilities": collect.Unique(harness.Names(words.Capabilities)), "optional": optional,
	})
}

// Want is what a scenario wants, in the words of all dialects.
// more are members that there is no field for.
func Want(words harness.Vocabulary, more []harness.Term) Schema {
	return filled("want", "want.json of a scenario", lists(words)).further(more)
}

// lists are the closed lists that dialects add to.
func lists(words harness.Vocabulary) map[string][]string {
	return map[string][]string{
		"codes": harness.Names(words.Codes), "tiers": harness.Names(words.Tiers), "rungs": harness.Names(words.Rungs),
		"repairs": harness.Names(words.Repairs), "warnings": harness.Names(words.Warnings),
		"updates": harness.Names(words.Updates),
	}
}

// filled reads a schema and replaces each "@LIST" in it by the names of the list.
func filled(name, text string, lists map[string][]string) Schema {
	data, err := files.ReadFile(name + ".json")
	if err != nil {
		panic(err) // it is built in
	}
	const width = 117
	var b strings.Builder
	for line := range strings.Lines(string(data)) {
		before, rest, _ := strings.Cut(line, `"@`)
		list, after, ok := strings.Cut(rest, `"`)
		if !ok {
			b.WriteString(line)
			continue
		}
		b.WriteString(before)
		column := len(before)
		for i, n := range lists[list] {
			word := `"` + n + `"`
			switch {
			case i == 0:
			case strings.TrimSpace(before) == "" && column+len(word)+3 > width:
				b.WriteString(",\n" + before)
				column = len(before)
			default:
				word = ", " + word
			}
			b.WriteString(word)
			column += len(word)
		}
		b.WriteString(after)
	}
	return Schema{name, text, []byte(b.String())}
}
