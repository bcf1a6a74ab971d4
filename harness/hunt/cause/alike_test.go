package cause

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document"
)

// TestBreaksNothing: nothing explains a group without a kept case, or one that is measured in time.
func TestBreaksNothing(t *testing.T) {
	var c Campaign
	if c.breaks(suspect{}, &Group{Cases: 3}, nil) || c.explains(suspect{}, &Group{Cases: 3}, nil) {
		t.Error("a group without cases is explained")
	}
	late := Group{Key: Key{Check: "bounded", Kind: "slow:one word"}, Cases: 1, Failing: []Seen{{}}}
	if c.breaks(suspect{}, &late, nil) {
		t.Error("a suspect that is slow once explains an engine that is slow")
	}
}

// TestSuspectsWriteIntoCopies: what an evaluation writes into its case spoils no
// comparison after it.
func TestSuspectsWriteIntoCopies(t *testing.T) {
	c := Campaign{Dialect: &dialect.Dialect{Layout: &document.Layout{Words: []string{"id"}}}}
	k := harness.Case{Plan: jsontext.Value(`{"title":"a"}`)}
	writes := func(k harness.Case, _ harness.Profile) harness.Outcome {
		copy(k.Plan, `{"title":"b"}`)
		return harness.Outcome{}
	}
	c.answer(writes, suspect{}, &observed{sample: generators.Sample{Case: k}}, "")
	writes(c.item(generators.Sample{Case: k}, 0).Case, harness.Profile{})
	if diff := cmp.Diff(`{"title":"a"}`, string(k.Plan)); diff != "" {
		t.Errorf("the plan of the case (-want +got):\n%s", diff)
	}
}

// TestIgnore: a look-alike reads replies without the members of one name or path.
func TestIgnore(t *testing.T) {
	echo := func(k harness.Case, _ harness.Profile) harness.Outcome {
		return harness.Outcome{Message: string(k.Replies[0])}
	}
	const reply = `{"id": 1, "add": [{"id":2,"title":"id"},{"id":4}], "set": {"id":3}}`
	for member, want := range map[string]string{
		"ignore=id":       `{"add":[{"title":"id"},{}],"set":{}}`,
		"ignore=add.id":   `{"id":1,"add":[{"title":"id"},{}],"set":{"id":3}}`,
		"ignore=add":      `{"id":1,"set":{"id":3}}`,
		"ignore=add[1:]":  `{"id":1,"add":[{"id":2,"title":"id"}],"set":{"id":3}}`,
		"ignore=set.none": reply,

		"ignore=empty values":        reply,
		"ignore=empty values of add": reply,
		"unknown=title:id":           `{"id":1,"add":[{"id":2,"title":"??"},{"id":4}],"set":{"id":3}}`,
		"unknown=title:no":           reply,
	} {
		out := ignore(member).defect.Wrap(echo)(harness.Case{Replies: []harness.Reply{reply}}, harness.Profile{})
		if len(out.Message) != len(reply) && !strings.HasPrefix(member, "unknown=") {
			t.Errorf("%s: %d bytes of %d", member, len(out.Message), len(reply))
		}
		if diff := cmp.Diff(want, strings.TrimSpace(out.Message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", member, diff)
		}
	}
	const empty = `{"id":0,"add":[{"title":"","id":2},{"id":"0","deps":[]}],"set":{"a":null,"b":false,"c":{}}}`
	for name, want := range map[string]string{
		"ignore=empty values":        `{"add":[{"id":2},{"id":"0"}],"set":{}}`,
		"ignore=empty values of add": `{"id":0,"add":[{"id":2},{"id":"0"}],"set":{"a":null,"b":false,"c":{}}}`,
	} {
		out := ignore(name).defect.Wrap(echo)(harness.Case{Replies: []harness.Reply{empty}}, harness.Profile{})
		if diff := cmp.Diff(want, strings.TrimSpace(out.Message)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	cases := slices.Repeat([]harness.Case{{Replies: []harness.Reply{reply, "no JSON"}}}, 99)
	cases = append(cases, harness.Case{Replies: []harness.Reply{`{"odd":1}`}}) // one of 100 is not common
	names := map[string]bool{}
	c := Campaign{Dialect: &dialect.Dialect{Layout: &document.Layout{Words: []string{"id"}}}}
	c.addMembers(names, cases, frequentMember)
	want := []string{
		"ignore=add", "ignore=add.id", "ignore=add.title", "ignore=add[1:]", "ignore=id", "ignore=set", "ignore=set.id",
		"ignore=title", "unknown=title:id",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(names))); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
}

// TestBlameless: cases without a label can refute a look-alike, too.
func TestBlameless(t *testing.T) {
	m := generators.NewMaker(nil, func(int, int) bool { return false }, true, func(generators.Order) generators.Sample {
		return generators.Sample{Want: generators.Want{Loose: true}}
	})
	c := Campaign{
		Dialect: &dialect.Dialect{Eval: func(harness.Case, harness.Profile) harness.Outcome { return harness.Outcome{} }},
		Source:  generators.NewSource(m).Campaign(), End: 9, Ran: func(uint64) bool { return true },
	}
	if got := len(c.blameless(nil)); got != 9 {
		t.Errorf("%d cases of 9", got)
	}
}
