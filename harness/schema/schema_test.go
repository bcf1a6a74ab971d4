package schema_test

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/plan"
	"replanbench/harness/reference"
	"replanbench/harness/schema"
	"replanbench/scenarios"
)

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	data, ok := schema.Get(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, data []byte) error {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(doc)
}

func TestEveryNameHasASchema(t *testing.T) {
	for _, n := range schema.Names() {
		compile(t, n.Name)
	}
	if _, ok := schema.Get("nothing"); ok {
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
	cases, outcomes, wants := compile(t, "case"), compile(t, "outcome"), compile(t, "want")
	patches := compile(t, "planpatch")
	engine := reference.New()
	judged := map[bool]int{}
	for _, s := range list {
		// A damaged plan is a case as well.
		raw, err := json.Marshal(s.Case, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
		if err == nil {
			err = validate(cases, raw)
		}
		if err != nil {
			t.Errorf("%s: case: %v", s.ID, err)
		}
		if err := validate(wants, s.Want); err != nil {
			t.Errorf("%s: want: %v", s.ID, err)
		}
		out, err := engine.Eval(t.Context(), s.Case)
		if err == nil {
			raw, err = json.Marshal(out)
		}
		if err == nil {
			err = validate(outcomes, raw)
		}
		if err != nil {
			t.Errorf("%s: outcome: %v", s.ID, err)
		}
		if fits, told := patchVerdict(s.Case, out); told {
			judged[fits]++
			if err := validate(patches, []byte(s.Case.Replies[0])); (err == nil) != fits {
				t.Errorf("%s: the reference says that the patch fits its form: %t; the schema says %v", s.ID, fits, err)
			}
		}
	}
	if judged[true] < 20 {
		t.Errorf("only %d patches were judged", judged[true])
	}
}

// TestSessions compares what the schema and the reference take for a session,
// over the built-in scenarios and many generated cases.
func TestSessions(t *testing.T) {
	sessions := compile(t, "planmode")
	judged := map[bool]int{}
	judge := func(name string, c harness.Case) {
		doc, err := json.Marshal(map[string]jsontext.Value{"context": c.Context, "files": c.Files, "calls": c.Calls})
		if err != nil || strings.Contains(string(doc), `[[[[`) {
			return // what is no JSON, or nests too deep, is no matter of a schema
		}
		var members map[string]jsontext.Value
		if err := json.Unmarshal(doc, &members); err != nil {
			t.Fatal(err)
		}
		for name, v := range members {
			if len(v) == 0 || v.Kind() == 'n' {
				delete(members, name)
			}
		}
		if doc, err = json.Marshal(members); err != nil {
			t.Fatal(err)
		}
		out, err := reference.Judge(c, harness.Reference())
		if err != nil {
			t.Fatal(err)
		}
		// That a file stands below another, no schema can say.
		fits := out.Trace != nil || out.Code == harness.SlugExhausted || strings.Contains(out.Message, "stands below")
		judged[fits]++
		if err := validate(sessions, doc); (err == nil) != fits {
			t.Errorf("%s: the reference says that the session fits its form: %t; the schema says %v", name, fits, err)
		}
	}
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Case.Dialect == "planmode" {
			judge(s.ID, s.Case)
		}
	}
	for i := range uint64(600) {
		s, err := all.At("planmode", generators.Options{}, 1, i)
		if err != nil {
			t.Fatal(err)
		}
		judge(fmt.Sprintf("case %d %v", i, s.Faults), s.Case)
	}
	if judged[false] < 30 {
		t.Errorf("only %d documents that are no session were judged", judged[false])
	}
}

// TestTrimming compares what the schema and the reference take for a case of the
// dialect trim, over the built-in scenarios and many generated cases.
func TestTrimming(t *testing.T) {
	trimming := compile(t, "trim")
	judged := map[bool]int{}
	judge := func(name string, c harness.Case) {
		out, err := reference.Judge(c, harness.Reference())
		if err != nil {
			t.Fatal(err)
		}
		switch out.Code {
		case harness.DuplicateKey, harness.InvalidUTF8, harness.TooDeep, harness.NoDocument:
			return // no matter of a schema
		}
		doc, err := json.Marshal(map[string]jsontext.Value{"messages": c.Messages, "budget": c.Budget, "policy": c.Policy})
		if err != nil {
			t.Fatal(err)
		}
		fits := out.Verdict == harness.Applied || out.Code == harness.CannotFit
		judged[fits]++
		if err := validate(trimming, doc); (err == nil) != fits {
			t.Errorf("%s: the reference says that the case fits its form: %t (%s); the schema says %v", name, fits, out.Message, err)
		}
	}
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range list {
		if s.Case.Dialect == "trim" {
			judge(s.ID, s.Case)
		}
	}
	for i := range uint64(400) {
		s, err := all.At("trim", generators.Options{}, 1, i)
		if err != nil {
			t.Fatal(err)
		}
		judge(fmt.Sprintf("case %d %v", i, s.Faults), s.Case)
	}
	for _, policy := range []string{
		`[]`, `["none",{"name":"pinned","keep":0}]`, `" clamp ( 25 ) | none"`, `[{"name":"window","n":1048576}]`,
		`[{"name":"window","n":-1}]`, `[{"name":"window","keep":3}]`, `[{"name":"priority","over":0}]`, `[{}]`, `[7]`, `{}`, `""`,
	} {
		c := harness.Case{Dialect: "trim", Messages: []byte(`[]`), Budget: []byte(`{"max_tokens":5}`), Policy: []byte(policy)}
		judge(policy, c)
	}
	if judged[false] < 30 || judged[true] < 100 {
		t.Errorf("only %v cases that fit, or not, were judged", judged)
	}
}

// patchVerdict says whether the reference read a single strict reply as a
// well-formed patch, where its outcome tells.
func patchVerdict(c harness.Case, out harness.Outcome) (fits, told bool) {
	if c.Dialect != "planpatch" || len(c.Replies) != 1 || !strings.HasPrefix(string(c.Replies[0]), "{") || c.Profile != nil {
		return false, false
	}
	switch out.Code {
	case "", harness.IDConflict, harness.UnknownStep, harness.DoneImmutable, harness.MissingDependency, harness.DependencyCycle, harness.EmptyPatch:
		return true, out.Tier == harness.TierStrict && out.Rung != harness.RungFullPlan
	case harness.ExtraField, harness.MissingField, harness.BadType, harness.EmptyID:
		return false, true
	}
	return false, false
}

func TestGoodAndBad(t *testing.T) {
	for _, test := range []struct {
		schema, doc string
		good        bool
	}{
		{"planpatch", `{}`, true},
		{"planpatch", `{"type":null,"title":null,"remove_steps":null,"update_steps":null,"add_steps":null,"reason":null}`, true},
		{"planpatch", `{"type":"PlanPatch","add_steps":[{"id":"a","description":"d","status":"Done"}]}`, true},
		{"planpatch", `{"type":"FullPlan"}`, false},
		{"planpatch", `{"steps":[]}`, false},
		{"planpatch", `{"remove_steps":"a"}`, false},
		{"planpatch", `{"remove_steps":[1]}`, false},
		{"planpatch", `{"remove_steps":[" "]}`, false},
		{"planpatch", `{"update_steps":[{"id":"a","status":"done"}]}`, false},
		{"planpatch", `{"add_steps":[{"id":"a"}]}`, false},
		{"planpatch", `[]`, false},
		{"orchestrator", `{"tool":"grep","args":{"pattern":"x"}}`, true},
		{"orchestrator", `{"tool":"grep"}`, true},
		{"orchestrator", `{"control":"step_done"}`, true},
		{"orchestrator", `{"control":"replan","reason":"a step is missing"}`, true},
		{"orchestrator", `{"control":"done"}`, false},
		{"orchestrator", `{"control":"step_done","tool":"grep"}`, false},
		{"orchestrator", `{"control":"step_done","confidence":1}`, false},
		{"orchestrator", `{"tool":" "}`, false},
		{"orchestrator", `{"tool":"grep","args":[]}`, false},
		{"orchestrator", `{"reason":"x"}`, false},
		{"operations", `{"operations":[]}`, true},
		{"operations", `{"plan_metadata":{"update_reason":"r"},"operations":[{"type":"add","step_data":{"name":"n"}},{"type":"modify","step_id":"a","step_data":{"parameters":{}}},{"type":"remove","step_id":"a","reason":"r"},{"type":"reorder","step_id":"a","position":0}]}`, true},
		{"operations", `{}`, false},
		{"operations", `{"operations":null}`, false},
		{"operations", `{"operations":[null]}`, false},
		{"operations", `{"operations":[{"type":"replace","step_id":"a"}]}`, false},
		{"operations", `{"operations":[{"type":"add","step_data":{"id":"a","name":" "}}]}`, false},
		{"operations", `{"operations":[{"type":"modify","step_id":"a","step_data":{"id":"b"}}]}`, false},
		{"operations", `{"operations":[{"type":"modify","step_id":"a","step_data":{"status":"completed"}}]}`, false},
		{"operations", `{"operations":[{"type":"reorder","step_id":"a","position":"2"}]}`, false},
		{"operations", `{"operations":[{"type":"remove","stepID":"a"}]}`, false},
		{"fullplan", `{"title":"t","steps":[{"id":"a","description":"d","status":"done","result":1}],"risks":[]}`, true},
		{"fullplan", `{"title":"t","steps":[]}`, false},
		{"fullplan", `{"title":"t","steps":[{"id":"a","description":"d","status":"Done"}]}`, false},
		{"fullplan", `{"steps":[{"id":"a","description":"d"}]}`, false},
		{"case", `{"dialect":"planpatch","profile":"strict","replies":[{"base64":"/w=="}]}`, true},
		{"case", `{"dialect":"planpatch","profile":{"conflicts":"keep","reading":{"repair":true}},"limits":{"max_plan_steps":0}}`, true},
		{"case", `{"dialect":"planpatch","profile":{"conflict":"keep"}}`, false},
		{"case", `{"dialect":"planpatch","profile":"stern"}`, false},
		{"case", `{"dialect":"planpatch","replies":[7]}`, false},
		{"case", `{"dialect":"planpatch","limits":{"max_steps":3}}`, false},
		{"case", `{"dialect":"poker"}`, false},
		{"planmode", `{"calls":[]}`, true},
		{"planmode", `{"context":{"agent":"plan","seed":18446744073709551615},"files":{"a/b":"","c":{"link":"../x"}},"calls":[{"tool":"EnterPlanMode","approval":true},{"phase":"design"}]}`, true},
		{"planmode", `{"context":{"seed":1.5},"calls":[]}`, false},
		{"planmode", `{"files":{"/a":""},"calls":[]}`, false},
		{"planmode", `{"files":{"a//b":""},"calls":[]}`, false},
		{"planmode", `{"calls":[{"tool":"ExitPlanMode","approval":"approve"}]}`, false},
		{"planmode", `{"calls":[{"tool":"read","approval":"manual"}]}`, false},
		{"outcome", `{"verdict":"rejected","code":"bad_type","at":"/add_steps/0"}`, true},
		{"outcome", `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":"d"}]}}`, true},
		{"outcome", `{"verdict":"rejected"}`, false},
		{"outcome", `{"verdict":"rejected","code":"because"}`, false},
		{"outcome", `{"verdict":"rejected","code":"bad_type","plan":{"title":"t","steps":[]}}`, false},
		{"outcome", `{"verdict":"applied","code":"bad_type"}`, false},
		{"outcome", `{"verdict":"applied","plan":{"steps":[]}}`, false},
		{"outcome", `{"verdict":"applied","plan":{"version":2,"steps":[{"id":"a","name":"A"}],"history":[{"version":1,"steps":[]}]},"results":{},"operations":[{"type":"remove","step_id":"b","result":"applied"}],"update_type":"structure"}`, true},
		{"outcome", `{"verdict":"applied","plan":{"version":2,"steps":[]},"operations":[{"type":"remove","result":"gone"}]}`, false},
		{"outcome", `{"verdict":"applied","plan":{"version":0,"steps":[]}}`, false},
		{"outcome", `{"verdict":"rejected","code":"bad_type","at":"add_steps"}`, false},
		{"outcome", `{"verdict":"maybe"}`, false},
		{"want", `{"verdict":"applied","code":null,"plan":{"steps":[{"id":"a"}]}}`, true},
		{"outcome", `{"verdict":"rejected","code":"max_replans_reached","plan":{"title":"t","steps":[]},"trace":[]}`, true},
		{"want", `{"code":"bad_type"}`, false},
		{"want", `{"verdict":"rejected","message":"no"}`, false},
		{"want", `{"verdict":"rejected","plan":{"step":[]}}`, false},
	} {
		if err := validate(compile(t, test.schema), []byte(test.doc)); (err == nil) != test.good {
			t.Errorf("%s: %s: good is %t, but the schema says: %v", test.schema, test.doc, test.good, err)
		}
	}
}

// TestListsAndMembers holds the hand-written schemas to the Go types: every
// member and every name of a closed list must stand in them, and no other.
func TestListsAndMembers(t *testing.T) {
	for _, test := range []struct {
		schema, path string
		want         []string
	}{
		{"case", "properties", members(harness.Case{})},
		{"case", "properties/limits/properties", members(harness.Limits{})},
		{"case", "properties/profile/oneOf/0/enum", names(harness.Profiles())},
		{"case", "properties/profile/oneOf/1/properties", members(harness.Profile{})},
		{"case", "properties/profile/oneOf/1/properties/reading/properties", members(harness.Reading{})},
		{"outcome", "properties", members(harness.Outcome{})},
		{"outcome", "properties/tier/enum", names(harness.Tiers())},
		{"outcome", "properties/rung/enum", names(harness.Rungs())},
		{"outcome", "properties/operations/items/properties", members(harness.OperationResult{})},
		{"outcome", "properties/trace/items/properties", members(harness.TraceItem{})},
		{"outcome", "$defs/code/enum", names(harness.Codes())},
		{"outcome", "$defs/meta/properties", members(harness.Meta{})},
		{"outcome", "$defs/repairs/items/properties", members(harness.Repair{})},
		{"outcome", "$defs/repairs/items/properties/rule/enum", names(harness.RepairRules())},
		{"outcome", "$defs/warnings/items/properties", members(harness.Warning{})},
		{"outcome", "$defs/warnings/items/properties/code/enum", names(harness.Warnings())},
		{"outcome", "$defs/events/items/properties", members(harness.Event{})},
		{"outcome", "$defs/events/items/properties/event/enum", names(harness.Events())},
		{"want", "properties", slices.DeleteFunc(members(harness.Outcome{}), func(m string) bool { return m == "message" })},
		{"want", "$defs/code/enum", names(harness.Codes())},
		{"want", "$defs/warnings/items/properties/code/enum", names(harness.Warnings())},
		{"want", "$defs/repairs/items/properties/rule/enum", names(harness.RepairRules())},
		{"want", "$defs/events/items/properties/event/enum", names(harness.Events())},
		{"fullplan", "properties/steps/items/properties/status/enum", append(statuses(), "<nil>")},
	} {
		got := look(t, test.schema, test.path)
		slices.Sort(got)
		slices.Sort(test.want)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s (-types +schema):\n%s", test.schema, test.path, diff)
		}
	}
	for _, k := range harness.Knobs() {
		if k.Values == nil || k.List || slices.Contains(k.Values, "true") {
			continue
		}
		got := look(t, "case", "properties/profile/oneOf/1/properties/"+k.Name+"/enum")
		if diff := cmp.Diff(k.Values, got); diff != "" {
			t.Errorf("knob %s (-types +schema):\n%s", k.Name, diff)
		}
	}
}

// look returns the values of a list or the member names of an object.
func look(t *testing.T, name, path string) []string {
	t.Helper()
	data, _ := schema.Get(name)
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			v = x[part[0]-'0']
		}
	}
	var list []string
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			list = append(list, k)
		}
	case []any:
		for _, item := range x {
			list = append(list, fmt.Sprint(item))
		}
	default:
		t.Fatalf("%s: nothing at %s", name, path)
	}
	return list
}

// members lists the JSON names of a struct's fields.
func members(v any) []string {
	var list []string
	for i := range reflect.TypeOf(v).NumField() {
		name, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
		if name != "" { // that of further members
			list = append(list, name)
		}
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

func statuses() []string {
	var list []string
	for _, s := range plan.Statuses() {
		list = append(list, string(s))
	}
	return list
}
