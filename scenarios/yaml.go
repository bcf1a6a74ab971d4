package scenarios

import (
	"bytes"
	"cmp"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/yamlfile"
	"replanbench/harness/document/yamljson"
)

// InYAML reports whether a file is a scenario in YAML, which editors can check with the JSON
// Schema of scenarios. It has the members of a case, and why, level, source and want. A reply may
// be an object, which becomes its JSON text.
func InYAML(name string) bool { return strings.HasSuffix(name, yamlExtension) }

const yamlExtension = ".scenario.yaml"

// fromYAML writes a scenario in YAML in the form of the other scenario files.
func fromYAML(name string, data []byte) ([]byte, error) {
	doc, err := yamljson.Parse(data)
	if at := (*yamlfile.SyntaxError)(nil); errors.As(err, &at) {
		return nil, &Error{name, at.Line, at.Column, at.Message}
	} else if err != nil {
		return nil, &Error{File: name, Message: err.Error()}
	}
	check, err := schema.Compile("scenario", Schema())
	if err != nil {
		return nil, err
	}
	var value any
	var members map[string]jsontext.Value
	var head struct {
		Why     string           `json:"why"`
		Level   string           `json:"level"`
		Source  string           `json:"source"`
		Want    jsontext.Value   `json:"want"`
		Replies []jsontext.Value `json:"replies"`
	}
	_ = json.Unmarshal(doc.JSON, &value) // it is JSON
	if faults := check.Faults(value); len(faults) > 0 {
		f := faults[0]
		line, column := doc.Place(f.Path)
		message := "at /" + strings.Join(f.Path, "/") + ": " + f.Message + " (replanbench schema scenario)"
		return nil, &Error{name, line, column, message}
	}
	_ = errors.Join(json.Unmarshal(doc.JSON, &members), json.Unmarshal(doc.JSON, &head)) // it fits the schema
	for i, r := range head.Replies {
		if edit := (map[string]jsontext.Value{}); json.Unmarshal(r, &edit) == nil && edit["base64"] == nil {
			head.Replies[i] = strictjson.Encode(string(r))
		}
	}
	if head.Replies != nil {
		members["replies"] = strictjson.Encode(head.Replies)
	}
	for _, name := range []string{"why", "level", "source", "want"} {
		delete(members, name)
	}
	var c harness.Case
	if err := json.Unmarshal(strictjson.Encode(members), &c); err != nil {
		return nil, &Error{File: name, Message: strictjson.Plain(err).Error()}
	}
	return Scenario{
		Doc: head.Why, Level: cmp.Or(head.Level, Must), Source: head.Source, Case: c, Want: head.Want,
	}.Format(), nil
}

// Schema returns the JSON Schema (draft 2020-12) of a scenario in YAML. It is made from the
// schemas of cases and of expected outcomes.
func Schema() map[string]any {
	members := func(name, refs string) (m map[string]any) {
		data, _ := all.Schema(name)
		_ = json.Unmarshal(bytes.ReplaceAll(data, []byte(`"#/$defs/`), []byte(`"#/$defs/`+refs)), &m) // it is built in
		return m
	}
	s, want := members("case", ""), members("want", "want/$defs/")
	s["title"], s["description"] = "Scenario", "A case with its expected outcome."
	s["required"] = []any{"why", "dialect", "want"}
	s["$defs"] = map[string]any{"want": want}
	properties := s["properties"].(map[string]any)
	properties["why"] = map[string]any{"type": "string", "description": "Why the scenario exists."}
	properties["level"] = map[string]any{
		"enum": []any{Must, Should}, "default": Must, "description": "A scenario of the level should never fails the gate.",
	}
	properties["source"] = map[string]any{"type": "string", "description": "Where the scenario comes from."}
	properties["want"] = map[string]any{"$ref": "#/$defs/want"}
	reply := properties["replies"].(map[string]any)["items"].(map[string]any)
	reply["oneOf"] = append(reply["oneOf"].([]any), map[string]any{
		"type": "object", "description": "An edit, which the engine gets as text.", "not": map[string]any{"required": []any{"base64"}},
	})
	return s
}
