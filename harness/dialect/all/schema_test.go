package all_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/testdata/schematest"
	"replanbench/scenarios"
)

func TestEveryNameHasASchema(t *testing.T) {
	for _, n := range all.Schemas() {
		schematest.Compile(t, n.Name)
	}
	if _, ok := all.Schema("nothing"); ok {
		t.Error("there is a schema of nothing")
	}
}

// TestScenarios validates the built-in cases, what they want, and what the
// reference makes of them.
func TestScenarios(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	cases, outcomes, wants := schematest.Compile(t, "case"), schematest.Compile(t, "outcome"),
		schematest.Compile(t, "want")
	engine := reference.New()
	for _, s := range list {
		// A damaged plan is a case as well.
		raw, err := json.Marshal(s.Case, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err == nil {
			err = schematest.Validate(cases, raw)
		}
		if err != nil {
			t.Errorf("%s: case: %v", s.ID, err)
		}
		if err := schematest.Validate(wants, s.Want); err != nil {
			t.Errorf("%s: want: %v", s.ID, err)
		}
		out, err := engine.Eval(t.Context(), s.Case)
		if err == nil {
			raw, err = json.Marshal(out)
		}
		if err == nil {
			err = schematest.Validate(outcomes, raw)
		}
		if err != nil {
			t.Errorf("%s: outcome: %v", s.ID, err)
		}
	}
}

func TestGoodAndBad(t *testing.T) {
	schematest.GoodAndBad(t, "case", []string{
		`{"dialect":"planpatch","profile":"strict","replies":[{"base64":"/w=="}]}`,
		`{"dialect":"planpatch","profile":{"conflicts":"keep","reading":{"repair":true}},"limits":{"max_plan_steps":0}}`,
	}, []string{
		`{"dialect":"planpatch","profile":{"conflict":"keep"}}`,
		`{"dialect":"planpatch","profile":"stern"}`,
		`{"dialect":"planpatch","replies":[7]}`,
		`{"dialect":"planpatch","limits":{"max_steps":3}}`,
		`{"dialect":"poker"}`,
	})
	schematest.GoodAndBad(t, "outcome", []string{
		`{"verdict":"rejected","code":"bad_type","at":"/add_steps/0"}`,
		`{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":"d"}]}}`,
		`{"verdict":"applied","plan":{"version":2,"steps":[{"id":"a","name":"A"}],"history":[{"version":1,"steps":[]}]},"results":{},"operations":[{"type":"remove","step_id":"b","result":"applied"}],"update_type":"structure"}`,
		`{"verdict":"rejected","code":"max_replans_reached","plan":{"title":"t","steps":[]},"trace":[]}`,
		`{"verdict":"rejected","code":"refused","plan":{"title":"t","steps":[]}}`,
		`{"verdict":"applied","rung":"react"}`,
	}, []string{
		`{"verdict":"rejected"}`,
		`{"verdict":"rejected","code":"because"}`,
		`{"verdict":"applied"}`,
		`{"verdict":"applied","code":"bad_type"}`,
		`{"verdict":"applied","plan":{"steps":[]}}`,
		`{"verdict":"applied","plan":{"version":2,"steps":[]},"operations":[{"type":"remove","result":"gone"}]}`,
		`{"verdict":"applied","plan":{"version":0,"steps":[]}}`,
		`{"verdict":"rejected","code":"bad_type","at":"add_steps"}`,
		`{"verdict":"maybe"}`,
	})
	schematest.GoodAndBad(t, "hello", []string{
		`{"protocol":1,"engine":{"name":"toy"},"dialects":{"planpatch":{"profile":{"conflicts":"keep"},"codes":"exact","without":["title"],"gives":["warnings"]}}}`,
	}, []string{
		`{"protocol":1,"engine":{"name":"toy"},"dialects":{}}`,
		`{"protocol":1,"engine":{"name":"toy"},"dialects":{"planpatch":{"codes":"some"}}}`,
		`{"protocol":1,"engine":{"name":"toy"},"dialects":{"planpatch":{"without":["titles"]}}}`,
		`{"protocol":1,"engine":{"name":"toy"},"dialects":{"planpatch":{"gives":["plan"]}}}`,
	})
	schematest.GoodAndBad(t, "want", []string{
		`{"verdict":"applied","code":null,"plan":{"steps":[{"id":"a"}]}}`,
	}, []string{
		`{"code":"bad_type"}`,
		`{"verdict":"rejected","message":"no"}`,
		`{"verdict":"rejected","plan":{"step":[]}}`,
	})
}

// TestListsAndMembers holds the hand-written schemas to the Go types: every
// member and every name of a closed list must be in them, and no other.
func TestListsAndMembers(t *testing.T) {
	for _, test := range []struct {
		schema, path string
		want         []string
	}{
		{"case", "properties", append(members(harness.Case{}), "store")},
		{"case", "properties/limits/properties", members(harness.Limits{})},
		{"case", "properties/profile/oneOf/0/enum", names(harness.Profiles())},
		{"case", "properties/profile/oneOf/1/properties", append(members(harness.Profile{}), own()...)},
		{"case", "properties/profile/oneOf/1/properties/reading/properties", members(harness.Reading{})},
		{"outcome", "properties", append(members(harness.Outcome{}), "created", "notes", "was")},
		{"outcome", "properties/tier/enum", names(harness.Tiers())},
		{"outcome", "properties/rung/enum", names(harness.Rungs())},
		{"outcome", "properties/operations/items/properties", members(harness.OperationResult{})},
		{"outcome", "properties/trace/items/properties", members(harness.TraceItem{})},
		{"outcome", "$defs/code/enum", append(names(all.Words().Codes), string(harness.Refused))},
		{"outcome", "$defs/meta/properties", members(harness.Meta{})},
		{"outcome", "$defs/repairs/items/properties", members(harness.Repair{})},
		{"outcome", "$defs/repairs/items/properties/rule/enum", names(all.Words().Repairs)},
		{"outcome", "$defs/warnings/items/properties", members(harness.Warning{})},
		{"outcome", "$defs/warnings/items/properties/code/enum", names(all.Words().Warnings)},
		{"outcome", "$defs/events/items/properties", members(harness.Event{})},
		{"outcome", "$defs/events/items/properties/event/enum", names(harness.Events())},
		{"want", "properties", slices.DeleteFunc(append(members(harness.Outcome{}), "created", "notes", "was"),
			func(m string) bool { return m == "message" })},
		{"want", "$defs/code/enum", names(all.Words().Codes)},
		{"want", "$defs/warnings/items/properties/code/enum", names(all.Words().Warnings)},
		{"want", "$defs/repairs/items/properties/rule/enum", names(all.Words().Repairs)},
		{"want", "$defs/events/items/properties/event/enum", names(harness.Events())},
	} {
		got := schematest.Look(t, test.schema, test.path)
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s (-types +schema):\n%s", test.schema, test.path, diff)
		}
	}
	for _, k := range harness.Knobs(all.Words().Own...) {
		if k.Values == nil || k.List || slices.Contains(k.Values, "true") {
			continue
		}
		got := schematest.Look(t, "case", "properties/profile/oneOf/1/properties/"+k.Name+"/enum")
		if diff := cmp.Diff(k.Values, got); diff != "" {
			t.Errorf("knob %s (-types +schema):\n%s", k.Name, diff)
		}
	}
}

// members lists the JSON names of a struct's fields.
func members(v any) []string {
	var list []string
	for field := range reflect.TypeOf(v).Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name != "" && name != "-" { // set for further members
			list = append(list, name)
		}
	}
	return list
}

// own are the knobs that dialects have of their own.
func own() (list []string) {
	for _, k := range all.Words().Own {
		list = append(list, k.Name)
	}
	return list
}

func names(terms []harness.Term) []string {
	var list []string
	for _, t := range terms {
		list = append(list, t.Name)
	}
	return list
}
