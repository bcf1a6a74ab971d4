package harness_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// own are the knobs of a dialect that has some.
var own = []harness.Knob{
	{
		Name: "clear", Values: []string{"reject", "allow"}, Default: "reject",
		Named: map[string]string{"documented": "allow"},
	},
	{
		Name: "reopen", Values: []string{"reject", "keep", "allow"}, Default: "reject",
		Named: map[string]string{"documented": "allow", "lenient": "keep"},
	},
}

// TestOwnKnobs sets knobs that a dialect has of its own over named sets.
func TestOwnKnobs(t *testing.T) {
	for _, test := range []struct {
		settings      []string
		clear, reopen string
		doc           string // as a case has it
	}{
		{nil, "reject", "reject", `"reference"`},
		{[]string{"documented"}, "allow", "allow", `"documented"`},
		{[]string{"lenient"}, "reject", "keep", `"lenient"`},
		{[]string{"clear=allow"}, "allow", "reject", `{"clear":"allow"}`},
		{[]string{"clear=allow", "clear=reject"}, "reject", "reject", `"reference"`},
		{[]string{"clear=allow", "strict"}, "reject", "reject", `"strict"`},
		{
			[]string{"documented", "clear=reject"},
			"reject", "allow",
			`{"carry_over":"by_id","conflicts":"keep","reopen":"allow"}`,
		},
		{
			[]string{"documented", "conflicts=reject"},
			"allow", "allow",
			`{"carry_over":"by_id","clear":"allow","conflicts":"reject","reopen":"allow"}`,
		},
		{[]string{"conflicts=keep", "carry_over=by_id", "clear=allow", "reopen=allow"}, "allow", "allow", `"documented"`},
	} {
		p := harness.Reference()
		for _, s := range test.settings {
			if err := p.Apply(s, own...); err != nil {
				t.Fatal(err)
			}
		}
		if got := []string{own[0].Get(p), own[1].Get(p)}; got[0] != test.clear || got[1] != test.reopen {
			t.Errorf("%v: %v", test.settings, got)
		}
		flat := p.For(own)
		doc, err := json.Marshal(flat)
		if err != nil || string(doc) != test.doc {
			t.Errorf("%v: %s, %v", test.settings, doc, err)
		}
		var again harness.Profile
		if err := json.Unmarshal(doc, &again); err != nil || !again.Equal(flat) || !again.Same(p, own) ||
			again.Check(own) != nil {
			t.Errorf("%v: %s is %+v, %v", test.settings, doc, again, err)
		}
	}
}

// TestOwnKnobsAreNotShared copies a profile and sets a knob of the copy.
func TestOwnKnobsAreNotShared(t *testing.T) {
	p := harness.Reference()
	if err := p.Set("clear", "allow", own...); err != nil {
		t.Fatal(err)
	}
	q := p
	if err := q.Set("reopen", "keep", own...); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"clear": "allow"}, p.More); diff != "" {
		t.Error(diff)
	}
	if p.Same(q, own) || !p.Same(q, own[:1]) {
		t.Error("profiles are the same for a dialect if its own knobs are")
	}
}

// TestUnknownKnobs names a knob, and a value, that there is none of.
func TestUnknownKnobs(t *testing.T) {
	for doc, want := range map[string]string{
		`{"claer":"allow"}`: `unknown profile knob "claer"; did you mean "clear"?`,
		`{"clear":"no"}`:    `profile knob clear: unknown value "no" (the values are reject, allow)`,
		`{"clear":1}`:       `profile knob clear: unknown value "1"`,
		`{"reading":1}`:     "",
	} {
		var p harness.Profile
		err := json.Unmarshal([]byte(doc), &p)
		if want == "" {
			if err == nil {
				t.Errorf("%s is read", doc)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Check(own); err == nil || err.Error()[:len(want)] != want {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// A dialect's own knob may be a list: written as one, or with commas.
func TestOwnLists(t *testing.T) {
	own := []harness.Knob{{Name: "stops_on", Values: []string{"error", "warning", "note"}, List: true, Default: "error"}}
	for doc, want := range map[string]string{
		`{"stops_on":["warning","note"]}`: `{"stops_on":["warning","note"]}`,
		`{"stops_on":"warning,note"}`:     `{"stops_on":["warning","note"]}`,
		`{"stops_on":["note"]}`:           `{"stops_on":"note"}`,
		`{"stops_on":["error"]}`:          `"reference"`,
	} {
		var p harness.Profile
		if err := json.Unmarshal([]byte(doc), &p); err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(p.For(own)); err != nil || string(got) != want || p.Check(own) != nil {
			t.Errorf("%s is written %s (%v, %v)", doc, got, err, p.Check(own))
		}
	}
	var p harness.Profile
	if err := json.Unmarshal([]byte(`{"stops_on":[1]}`), &p); err == nil {
		t.Error("a number is a value of a list")
	}
}

// A knob of two dialects with other defaults keeps a value that is the default of one of them.
func TestMixedDefaults(t *testing.T) {
	first := harness.Knob{Name: "text", Values: []string{"keep", "trim"}, Default: "keep"}
	second := harness.Knob{Name: "text", Values: []string{"trim", "keep"}, Default: "trim"}
	joined := harness.Vocabulary{Own: []harness.Knob{first}}.Join(harness.Vocabulary{Own: []harness.Knob{second}}).Own
	for _, set := range []string{harness.ProfileReference, harness.ProfileDocumented} {
		p, _ := harness.Named(set)
		if err := p.Apply("text=keep", joined...); err != nil || second.Get(p) != "keep" {
			t.Errorf("over %s: %q (%v), want keep", set, second.Get(p), err)
		}
	}
	p := harness.Reference()
	if err := p.Apply("conflicts=keep", joined...); err != nil || second.Get(p) != "trim" {
		t.Errorf("another knob: %q (%v), want trim", second.Get(p), err)
	}
}

// TestVariants sets one knob at a time, and leaves the profile as it is.
func TestVariants(t *testing.T) {
	t.Parallel()
	p := harness.Reference()
	var got []string
	for setting, q := range p.Variants(own[:1], own...) {
		got = append(got, setting+" "+own[0].Get(q))
	}
	if diff := cmp.Diff([]string{"clear=reject reject", "clear=allow allow"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if !p.Equal(harness.Reference()) {
		t.Errorf("the profile changed: %+v", p)
	}
	for range p.Variants(harness.Knobs()) {
		break
	}
}
