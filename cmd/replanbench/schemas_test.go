package main

import (
	"bytes"
	"maps"
	"path"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
	"go.yaml.in/yaml/v4"

	"replanbench/harness/agent/profile"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
	"replanbench/harness/mcp"
	"replanbench/harness/plan/toolmap"
	"replanbench/harness/testdata/golden"
	"replanbench/reports"
)

// TestProfileSchemas makes the JSON Schemas of profiles from their types and comments
// (-update writes them). All built-in profiles fit them, and a wrong member does not.
func TestProfileSchemas(t *testing.T) {
	agents := withSection(t, "agent", &profile.Agent{}, "agent/profile", "How to drive an agent.")
	agents.Required = []string{"dialect", "tools", "agent"}
	servers := withSection(t, "server", &mcp.Settings{}, "mcp", "How to drive a server.")
	servers.Required = []string{"dialect", "tools"}
	dialects := &jsonschema.Schema{Description: "The dialect of the edits."}
	for _, name := range all.Names() {
		dialects.Enum = append(dialects.Enum, name)
	}
	list, _ := agentProfiles().builtin()
	servermaps, _ := serverProfiles().builtin()
	builtin := map[string][]string{"agent-profile": nil, "mcp-profile": nil}
	for _, p := range list {
		builtin["agent-profile"] = append(builtin["agent-profile"], p.Name)
	}
	for _, m := range servermaps {
		builtin["mcp-profile"] = append(builtin["mcp-profile"], m.Name)
	}
	for name, s := range map[string]*jsonschema.Schema{"agent-profile": agents, "mcp-profile": servers} {
		s.Title, s.Description = name, "A profile; see replanbench help "+map[bool]string{true: "agents", false: "mcp"}[s == agents]+"."
		s.Properties.Set("dialect", dialects)
		var b bytes.Buffer
		if err := reports.WriteJSON(&b, s); err != nil {
			t.Fatal(err)
		}
		golden.Check(t, path.Join("schemas", name+".json"), b.Bytes())
		check, err := schema.Schema{Name: name, Data: b.Bytes()}.Checker()
		if err != nil {
			t.Fatal(err)
		}
		source := mcp.Source
		if s == agents {
			source = profile.Source
		}
		for _, one := range builtin[name] {
			var v map[string]any
			if text, err := source(one); err != nil {
				t.Fatal(err)
			} else if err := yaml.Unmarshal(text, &v); err != nil {
				t.Fatal(err)
			}
			for _, f := range check.Faults(v) {
				t.Errorf("%s: %s: at %s: %s", name, one, f.Pointer, f.Message)
			}
			if v["tols"] = 1; len(check.Faults(v)) == 0 {
				t.Errorf("%s: %s: an unknown member fits", name, one)
			}
		}
	}
}

// withSection makes the schema of maps with a section.
func withSection(t *testing.T, name string, section any, pkg, text string) *jsonschema.Schema {
	t.Helper()
	s, settings := reflected(t, &toolmap.Map{}, "plan/toolmap", pkg), reflected(t, section, "plan/toolmap", pkg)
	for _, other := range []string{"server", "agent"} {
		s.Properties.Delete(other)
	}
	s.Properties.Set(name, &jsonschema.Schema{Ref: "#/$defs/section", Description: text})
	maps.Copy(s.Definitions, settings.Definitions)
	settings.Definitions, settings.Version = nil, ""
	s.Definitions["section"] = settings
	return s
}

// reflected makes the schema of a type, with the comments of packages below harness.
func reflected(t *testing.T, v any, packages ...string) *jsonschema.Schema {
	t.Helper()
	r := jsonschema.Reflector{
		Anonymous: true, FieldNameTag: "yaml", RequiredFromJSONSchemaTags: true, ExpandedStruct: true,
		Namer: func(t reflect.Type) string {
			if t.Name() == "" {
				return ""
			}
			return path.Base(t.PkgPath()) + "." + t.Name()
		},
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			switch t {
			case reflect.TypeFor[toolmap.Pattern]():
				return &jsonschema.Schema{Type: "string", Description: "a regular expression"}
			case reflect.TypeFor[yaml.Node]():
				return &jsonschema.Schema{}
			}
			return nil
		},
	}
	for _, p := range packages {
		if err := r.AddGoComments("replanbench/cmd/replanbench", "../../harness/"+p); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range r.CommentMap {
		r.CommentMap[name] = strings.ReplaceAll(text, "\n", " ")
	}
	s := r.Reflect(v)
	if member := s.Definitions["toolmap.Member"]; member != nil { // or its name alone
		whole := *member
		s.Definitions["toolmap.Member"] = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "string"}, &whole}}
	}
	return s
}
