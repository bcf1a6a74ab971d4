package scenarios

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
)

// InYAML reports whether a file is a scenario in YAML, which editors can check with the JSON
// Schema of scenarios. Its members are those of a case, with why, level, source and want. A
// reply may be an object, which becomes its JSON text.
func InYAML(name string) bool { return strings.HasSuffix(name, yamlExtension) }

const yamlExtension = ".scenario.yaml"

// fromYAML writes a scenario in YAML in the form of the other scenario files.
func fromYAML(name string, data []byte) ([]byte, error) {
	fail := func(message string) ([]byte, error) { return nil, &Error{File: name, Message: message} }
	var members map[string]any
	if err := yaml.Unmarshal(data, &members); err != nil {
		return fail(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	check, err := schema.Compile("scenario", Schema())
	if err != nil {
		return nil, err
	}
	for _, f := range check.Faults(members) {
		return fail("at " + strings.Join(f.Path, ".") + ": " + f.Message + " (replanbench schema scenario)")
	}
	var head struct {
		Why, Level, Source string
		Want               jsontext.Value
	}
	replies, _ := members["replies"].([]any)
	for i, r := range replies {
		if edit, ok := r.(map[string]any); ok && edit["base64"] == nil {
			replies[i] = string(strictjson.Encode(edit))
		}
	}
	var c harness.Case
	if err := json.Unmarshal(strictjson.Encode(members), &head, json.MatchCaseInsensitiveNames(true)); err != nil {
		return fail(err.Error())
	}
	for _, name := range []string{"why", "level", "source", "want"} {
		delete(members, name)
	}
	if err := json.Unmarshal(strictjson.Encode(members), &c); err != nil {
		return fail(err.Error())
	}
	if head.Level == "" {
		head.Level = Must
	}
	return Scenario{Doc: head.Why, Level: head.Level, Source: head.Source, Case: c, Want: head.Want}.Format(), nil
}

// Schema returns the JSON Schema (draft 2020-12) of a scenario in YAML. It is made from those
// of its case and of what it wants.
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
