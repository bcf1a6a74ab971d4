package defect

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/testdata/mutanttest"
)

// launch is a plan with a completed, a running and two waiting steps, and an
// older version.
const launch = `{"name":"N","description":"D","version":2,"steps":[
	{"id":"a","name":"A","status":"completed"},
	{"id":"b","name":"B","status":"running","dependencies":["a"],"assigned_specialist":"coder","parameters":{"k":{"deep":1},"l":2}},
	{"id":"c","name":"C","dependencies":["b"]},
	{"id":"d","name":"D","description":"d"}],
	"history":[{"name":"old","description":"","version":1,"steps":[{"id":"z","name":"Z"}],"update_reason":""}]}`

// plainUpdate touches nothing that could go wrong but the version: what every
// update does is seen by it too.
const plainUpdate = `{"operations":[{"type":"add","step_data":{"id":"e","name":"E","dependencies":["a"]}}]}`

// updateStrikes holds, for every defect of the dialect operations, settings of
// the profile and an update on which it shows.
func updateStrikes() map[string][2]string {
	ops := func(list ...string) string { return `{"operations":[` + strings.Join(list, ",") + `]}` }
	const touch = `{"type":"modify","step_id":"b","step_data":{"description":"new"}}`
	moved := func(id, position string) string {
		return `{"type":"reorder","step_id":"` + id + `","position":` + position + `}`
	}
	return map[string][2]string{
		"takes-unknown-for-met":    {"", ops(`{"type":"add","step_data":{"id":"e","name":"E","dependencies":["nowhere"]}}`)},
		"accepts-update-on-itself": {"", ops(`{"type":"modify","step_id":"d","step_data":{"dependencies":["d","a"]}}`)},
		"accepts-update-cycle":     {"", ops(`{"type":"modify","step_id":"b","step_data":{"dependencies":["c"]}}`)},
		"removes-needed":           {"", ops(`{"type":"remove","step_id":"b"}`)},
		"removes-needed-edges":     {"", ops(`{"type":"remove","step_id":"b"}`)},
		"half-applied-update":      {"on_error=abort", ops(touch, `{"type":"remove","step_id":"nope"}`)},
		"ends-at-first-failure":    {"", ops(`{"type":"remove","step_id":"nope"}`, touch)},
		"shadows-completed":        {"", ops(`{"type":"add","step_data":{"id":"a","name":"A again"}}`)},
		"reuses-old-ids":           {"", ops(`{"type":"add","step_data":{"id":"z","name":"Z again"}}`)},
		"no-step-limit": {"", ops(`{"type":"add","step_data":{"id":"e","name":"E"}}`,
			`{"type":"add","step_data":{"id":"f","name":"F"}}`)},
		"empty-update-for-anything": {"", `{"error":"overloaded"}`},
		"applies-empty-update":      {"", ops(moved("b", "1"))},
		"keeps-record-instead":      {"", "no"},
		"chokes-on-null-operation":  {"", ops("null", touch)},
		"ignores-rename":            {"", ops(`{"type":"modify","step_id":"d","step_data":{"id":"dd","name":"DD"}}`)},
		"case-blind-types":          {"", ops(`{"type":"Remove","step_id":"d"}`)},
		"reads-leading-digits":      {"", ops(moved("d", `"2abc"`))},
		"reorders-to-end":           {"", ops(moved("b", "0"))},
		"counts-from-one":           {"", ops(moved("b", "3"))},
		"counts-before-taking-out":  {"", ops(moved("b", "3"))},
		"clamps-positions":          {"", ops(moved("b", "9"))},

		"version-per-operation":    {"", ops(touch, `{"type":"remove","step_id":"d"}`)},
		"no-version-for-metadata":  {"", `{"plan_metadata":{"name":"M"},"operations":[]}`},
		"shares-steps":             {"", ops(`{"type":"modify","step_id":"d","step_data":{"description":"new"}}`)},
		"rewrites-history":         {"", ops(touch)},
		"nests-history":            {"", ops(touch)},
		"forgets-history":          {"", ops(touch)},
		"never-clears":             {"", ops(touch)},
		"clears-all":               {"", ops(touch)},
		"clears-moved":             {"", ops(moved("b", "0"))},
		"keeps-results-of-removed": {"", ops(`{"type":"remove","step_id":"d"}`)},
		"modifies-completed":       {"", ops(`{"type":"modify","step_id":"a","step_data":{"name":"AA"}}`)},
		"removes-completed": {"", ops(`{"type":"modify","step_id":"b","step_data":{"dependencies":[]}}`,
			`{"type":"remove","step_id":"a"}`)},
		"forgets-reasons":   {"", ops(`{"type":"remove","step_id":"d","reason":"why"}`)},
		"files-no-reasons":  {"", ops(`{"type":"remove","step_id":"d","reason":"why"}`)},
		"keeps-running":     {"", ops(`{"type":"remove","step_id":"c"}`, `{"type":"remove","step_id":"b"}`)},
		"modifies-status":   {"", ops(`{"type":"modify","step_id":"b","step_data":{"status":"completed","name":"BB"}}`)},
		"adds-finished":     {"", ops(`{"type":"add","step_data":{"id":"e","name":"E","status":"completed"}}`)},
		"merges-parameters": {"", ops(`{"type":"modify","step_id":"b","step_data":{"parameters":{"l":3}}}`)},
	}
}

func updateCase(t *testing.T, settings, reply string) harness.Case {
	t.Helper()
	c := harness.Case{
		Dialect: "operations", Plan: jsontext.Value(launch), Replies: []harness.Reply{harness.Reply(reply)},
		Results: jsontext.Value(`{"a":1,"b":"half","c":null,"d":[2]}`), Limits: harness.Limits{MaxPlanSteps: new(5)},
	}
	p := harness.Reference()
	if settings != "" {
		if err := p.Apply(settings, spec.Own()...); err != nil {
			t.Fatal(err)
		}
	}
	c.Profile = &p
	return c
}

func TestEachDefectOfUpdatesShowsOnItsCaseAndNotOnAPlainOne(t *testing.T) {
	list := updateStrikes()
	always := map[string]bool{ // they are wrong about every update
		"rewrites-history": true, "nests-history": true, "forgets-history": true, "clears-all": true,
	}
	for _, d := range Defects() {
		t.Run(d.Name, func(t *testing.T) {
			c := updateCase(t, "", plainUpdate)
			if diff := mutanttest.Difference(t, rules.Eval, d, c); (diff != "") != always[d.Name] {
				t.Errorf("on a plain case (-reference +defect):\n%s", diff)
			}
			s, ok := list[d.Name]
			if !ok {
				t.Fatal("no case shows the defect")
			}
			c = updateCase(t, s[0], s[1])
			if mutanttest.Difference(t, rules.Eval, d, c) == "" {
				t.Error("does not differ from the reference on its case")
			}
		})
	}
	for name := range list {
		if !slices.ContainsFunc(Defects(), func(d mutant.Defect) bool { return d.Name == name }) {
			t.Errorf("a case for %q, which is no defect", name)
		}
	}
	if n := len(Defects()); n < 15 {
		t.Errorf("%d defects for operations", n)
	}
}
