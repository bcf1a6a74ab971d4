package plan_test

import (
	stdjson "encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/plan"
)

func steps(list ...string) string {
	return `{"title":"t","steps":[` + strings.Join(list, ",") + `]}`
}

func step(id string, deps ...string) string {
	return fmt.Sprintf(`{"id":%q,"description":"d","dependencies":[%s]}`, id, strings.Join(deps, ","))
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ name, in, pointer, message string }{
		{"not JSON", `{"title":`, "", "the JSON is cut off"},
		{"a list", `[]`, "", "an object, not a list"},
		{"a patch", `{"type":"PlanPatch","title":"t","steps":[]}`, "/type", `not "PlanPatch"`},
		{"no title", `{"steps":[` + step("a") + `]}`, "", `"title" is missing`},
		{"title null", `{"title":null,"steps":[` + step("a") + `]}`, "/title", "not null"},
		{"no steps", `{"title":"t"}`, "", `"steps" is missing`},
		{"empty steps", `{"title":"t","steps":[]}`, "/steps", "at least one step"},
		{"steps null", `{"title":"t","steps":null}`, "/steps", "not null"},
		{"step is a string", steps(`"a"`), "/steps/0", "not a string"},
		{"id is a number", steps(`{"id":1,"description":"d"}`), "/steps/0/id", "not a number"},
		{"id missing", steps(`{"description":"d"}`), "/steps/0", `"id" is missing`},
		{"id blank", steps(step("\u3000")), "/steps/0/id", "blank"},
		{"description missing", steps(`{"id":"a"}`), "/steps/0", `"description" is missing`},
		{"duplicate id", steps(step("a"), step("a")), "/steps/1/id", `duplicate id "a" (of /steps/0 already)`},
		{"duplicate name", steps(`{"id":"a","id":"b","description":"d"}`), "/steps/0/id", `duplicate member "id"`},
		{
			"status capitalised", steps(`{"id":"a","description":"d","status":"Done"}`), "/steps/0/status",
			`unknown status "Done"`,
		},
		{
			"status of another tool", steps(`{"id":"a","description":"d","status":"completed"}`), "/steps/0/status",
			`unknown status "completed"`,
		},
		{
			"dependencies a string", steps(`{"id":"a","description":"d","dependencies":"b"}`), "/steps/0/dependencies",
			"not a string",
		},
		{"dependency a number", steps(step("a", "1")), "/steps/0/dependencies/0", "not a number"},
		{"missing dependency", steps(step("a", `"b"`)), "/steps/0/dependencies/0", `"b", which is not in the plan`},
		{"self-dependency", steps(step("a", `"a"`)), "/steps/0/dependencies", "a → a"},
		{"cycle", steps(step("a", `"c"`), step("b", `"a"`), step("c", `"b"`)), "/steps/0/dependencies", "a → c → b → a"},
		{"lone surrogate", steps(`{"id":"a","description":"\ud800"}`), "/steps/0/description", "surrogate"},
		{"no text", steps("{\"id\":\"a\",\"description\":\"\xff\"}"), "", "0xff"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := plan.Decode([]byte(tt.in))
			var e *plan.Error
			if !errors.As(err, &e) {
				t.Fatalf("error %v, want a *plan.Error", err)
			}
			if e.Pointer != tt.pointer || !strings.Contains(e.Error(), tt.message) {
				t.Errorf("error %q at %q, want %q at %q", e, e.Pointer, tt.message, tt.pointer)
			}
		})
	}
}

func TestRoundTrip(t *testing.T) {
	in := `{"type":"FullPlan","title":" t ","steps":[` +
		`{"id":"a","description":"","status":"done","result":{"n":12345678901234567890},"tools_expected":null},` +
		`{"id":" b","description":"x","dependencies":["a","a"],"status":null,"tools_expected":["grep"]}],"verification_policy":"run","goal":"g"}`
	p, err := plan.Decode([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"title":" t ","steps":[` +
		`{"id":"a","description":"","dependencies":[],"status":"done","tools_expected":[],"result":{"n":12345678901234567890}},` +
		`{"id":" b","description":"x","dependencies":["a","a"],"status":"pending","tools_expected":["grep"]}],"verification_policy":"run"}`
	if d := cmp.Diff(want, string(out)); d != "" {
		t.Errorf("canonical form (-want +got):\n%s", d)
	}
	var q plan.Plan
	if err := json.Unmarshal(out, &q); err != nil {
		t.Fatal(err)
	}
	if !p.Equal(&q) || !p.Equal(p.Clone()) {
		t.Errorf("not equal after a round trip or a clone:\n%s", cmp.Diff(p, &q))
	}
}

// TestStandardLibrary: encoding/json reads the three kinds of plans, too.
func TestStandardLibrary(t *testing.T) {
	for _, in := range []string{
		steps(step("a")),
		`{"items":[{"content":"a","status":"pending"}]}`,
		`{"tasks":[{"id":"1","subject":"a","status":"pending"}]}`,
	} {
		var want, got plan.Plan
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(err)
		}
		if err := stdjson.Unmarshal([]byte(in), &got); err != nil || !got.Equal(&want) {
			t.Errorf("%s is read as %+v (%v), want %+v", in, got, err, want)
		}
	}
}

func TestEqualSeesEveryMember(t *testing.T) {
	base := steps(`{"id":"a","description":"d","dependencies":[],"status":"done","tools_expected":["x"],"result":1}`)
	p, err := plan.Decode([]byte(base))
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"id":"a"`, `"id":"b"`},
		{`"d"`, `"e"`},
		{`done`, `failed`},
		{`"x"`, `"y"`},
		{`"result":1`, `"result":2`},
		{`,"result":1`, ``},
		{`"t"`, `"u"`},
	} {
		q, err := plan.Decode([]byte(strings.Replace(base, change[0], change[1], 1)))
		if err != nil {
			t.Fatal(err)
		}
		if p.Equal(q) {
			t.Errorf("equal although %s became %q", change[0], change[1])
		}
	}
}

func TestReady(t *testing.T) {
	p, err := plan.Decode([]byte(steps(
		`{"id":"a","description":"d","status":"done"}`,
		`{"id":"b","description":"d","dependencies":["a"]}`,
		`{"id":"c","description":"d","dependencies":["a","b"]}`,
		`{"id":"d","description":"d","status":"failed"}`,
		`{"id":"e","description":"d"}`)))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"b", "e"}, p.Ready()); d != "" {
		t.Errorf("ready (-want +got):\n%s", d)
	}
}

func TestCycleOfALongChain(t *testing.T) {
	const n = 100_000
	p := &plan.Plan{Steps: make([]plan.Step, n)}
	for i := range p.Steps {
		p.Steps[i] = plan.Step{ID: fmt.Sprint(i), Dependencies: []string{fmt.Sprint((i + 1) % n)}}
	}
	if got := len(p.Cycle()); got != n {
		t.Errorf("a cycle of %d steps, want %d", got, n)
	}
	p.Steps[n-1].Dependencies = nil
	if got := p.Cycle(); got != nil {
		t.Errorf("a cycle of %d steps in a chain", len(got))
	}
}

func TestMarshal(t *testing.T) {
	step := plan.Step{ID: "a", Description: "d", Status: plan.Pending, Extra: jsontext.Value(`{ "x" : 1 }`)}
	bare := plan.Step{Description: "e", Status: plan.Completed, Dependencies: []string{}, Extra: jsontext.Value(`{ }`)}
	for want, p := range map[string]plan.Plan{
		`{"title":"","steps":[]}`: {},
		`{"items":[{"id":"a","content":"d","status":"pending","x":1},{"content":"e","status":"completed"}]}`: {
			Listed: true, Steps: []plan.Step{step, bare},
		},
		`{"tasks":[{"id":"a","subject":"d","status":"pending","x":1},{"id":"","subject":"e","status":"completed",` +
			`"blocked_by":[]}]}`: {Tasks: true, Steps: []plan.Step{step, bare}},
		`{"name":"n","description":"","version":2,"steps":[],"history":[1,{"a":2}]}`: {
			Record: &plan.Record{Name: "n", Version: 2, History: []jsontext.Value{[]byte("1"), []byte(`{ "a": 2}`)}},
		},
	} {
		out, err := json.Marshal(p)
		if d := cmp.Diff(want, string(out)); d != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, d)
		}
	}
	if out, err := json.Marshal(plan.Plan{Steps: []plan.Step{{Extra: jsontext.Value(`{"id":"b"}`)}}}); err == nil {
		t.Errorf("a step with two ids is marshaled as %s", out)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(steps(step("a"), step("b", `"a"`)))
	f.Add(`{"title":"","steps":[{"id":"a","description":"","x":[{}]}]}`)
	f.Fuzz(func(t *testing.T, in string) {
		p, err := plan.Decode([]byte(in))
		if err != nil {
			return
		}
		out, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := plan.Decode(out)
		if err != nil || !p.Equal(q) {
			t.Fatalf("a plan does not survive its own JSON (%v):\n%s", err, out)
		}
	})
}

// TestSnapshot compares the steps of a snapshot with those that a plan marshals.
func TestSnapshot(t *testing.T) {
	p, err := plan.DecodeRecord([]byte(`{"id":"p\"1","name":"ü\u00fc","version":3,"steps":[
		{"id":"a\n","description":"\u2028 <b>","tools_expected":["x","\\"],"status":"running"},
		{"id":"b","description":"d","dependencies":["a\n"],"parameters":{ "\u0041" : [1.50, "\/\ud83d\ude00"] }, "priority": 2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		whole, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		rest, ok := strings.CutSuffix(string(whole), `,"history":[]}`)
		if want := rest + `,"update_reason":"why","operations":[]}`; !ok || string(p.Snapshot("why", []byte("[]"))) != want {
			t.Errorf("got %s\nwant %s", p.Snapshot("why", []byte("[]")), want)
		}
		p.Record.ID, p.Steps = "", []plan.Step{}
	}
}

// TestRename renames the steps of a plan, and leaves a copy that shares their lists as it was.
func TestRename(t *testing.T) {
	p := plan.Plan{Steps: []plan.Step{{ID: "a"}, {ID: "", Dependencies: []string{"a", "x"}}}}
	before := plan.Plan{Steps: append([]plan.Step{}, p.Steps...)}
	p.Rename(func(id string) string { return "new " + id })
	got := [][]string{{p.Steps[0].ID, p.Steps[1].ID}, p.Steps[1].Dependencies, before.Steps[1].Dependencies}
	if diff := cmp.Diff([][]string{{"new a", ""}, {"new a", "new x"}, {"a", "x"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
