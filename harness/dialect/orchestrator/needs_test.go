package orchestrator

import (
	"slices"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
)

// What an engine is without, no case that is made for it needs.
func TestWithout(t *testing.T) {
	d := Dialect()
	names := harness.Names(spec.Vocabulary().Capabilities)
	for _, trait := range d.Traits {
		for _, need := range trait.Needs {
			if !slices.Contains(names, need) {
				t.Errorf("%s needs %s, which no engine can declare to be without", trait.Name, need)
			}
		}
	}
	asked := map[string]bool{}
	source := func(without ...string) *generators.Source {
		s, err := d.Source(generators.Options{Without: without})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	all := source()
	for i := range uint64(generators.PlainCases + 2*len(d.Traits)) {
		for _, need := range needs(all.At(1, i).Case) {
			asked[need] = true
		}
	}
	for _, name := range names {
		s := source(name)
		for i := range uint64(generators.PlainCases + len(s.Traits())) {
			if c := s.At(1, i).Case; slices.Contains(needs(c), name) {
				t.Fatalf("case %d for an engine without %s: %s %+v", i, name, c.Plan, c.Limits)
			}
		}
	}
	for _, name := range []string{
		"plan", "limits", "tools", "verify", "verification_policy", "tools_expected", "unknown members", "title",
		"titles of full plans", "full plan", "dependencies", "max_plan_steps", "max_reply_bytes", "max_tool_result_chars",
	} {
		if !asked[name] {
			t.Errorf("no case needs %s", name)
		}
	}
}
