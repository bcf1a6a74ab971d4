// Package orchestrator assembles the dialect orchestrator from its parts.
package orchestrator

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/check"
	"replanbench/harness/dialect/orchestrator/defect"
	"replanbench/harness/dialect/orchestrator/generate"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:     "orchestrator",
		Requests: "runs",
		Text:     "whole runs of a plan: planning, steps with tools, replans, verification, interruptions",
		Help:     help,
		Documents: []document.Document{
			{Name: "plan", List: "steps"},
			{Name: "tools", Counted: true},
			{Name: "verify", Counted: true},
			{Name: "budget"},
			{Name: "policy"},
		},
		Replies:    document.OptionalReplies,
		Layout:     spec.Layout(),
		Scripted:   true,
		Eval:       rules.Eval,
		Session:    rules.Session,
		MaxReplies: spec.MaxReplies,
		Prompts:    prompts(),
		Needs:      needs,
		Score:      scored,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Tries:      []string{"blank-reply", "plan-claims-done", "unknown-word", "plan-large"},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: spec.Vocabulary(),
		Schemas: []schema.Schema{{
			Name: "orchestrator",
			Text: "a tool call or a control, as a model should write it within a step", Data: spec.Reply().Schema(),
		}},
	}
}

// members lists the members of outcomes. Only the role of a message and the names of an event count.
func members() outcome.Members {
	trace, messages := outcome.Trace(sameItem), outcome.Messages()
	trace.Run, trace.KeepShort, trace.Core = true, true, []string{"state", "step", "event", "code"}
	trace.Strip = func(o *harness.Outcome) {
		o.Trace = slices.Clone(o.Trace)
		for i := range o.Trace {
			o.Trace[i].Data = nil
		}
	}
	trace.Malformed = unknownState
	messages.Content = false
	messages.Optional, messages.List, messages.Names = true, true, []string{"role"}
	messages.Differ = func(want, got *harness.Outcome) *outcome.Difference {
		if len(want.Messages) == 0 || len(got.Messages) == 0 || string(want.Messages) == string(got.Messages) {
			return nil
		}
		w, g := judge.Roles(want.Messages), judge.Roles(got.Messages)
		if slices.Equal(w, g) {
			return nil
		}
		return outcome.Differs("messages", "the roles of the messages are %v and not %v", g, w)
	}
	return outcome.Members{
		outcome.Plan(), outcome.Rung(), outcome.GaveUp(), outcome.At(), outcome.Repairs(),
		outcome.Warnings(), trace, messages,
	}
}

// unknownState finds the first state of a trace that runs do not have.
func unknownState(o *harness.Outcome) (field, words string) {
	states := spec.Vocabulary().Marks
	for _, item := range o.Trace {
		if !slices.ContainsFunc(states, func(t harness.Term) bool { return t.Name == item.State }) {
			return "unknown state", fmt.Sprintf("unknown state %q in the trace (the states are %s; a run that fails ends in the state "+
				"in which it is)", item.State, strings.Join(harness.Names(states), ", "))
		}
	}
	return "", ""
}

// sameItem compares an expected item with an engine's. A rejection without a reason agrees with every code.
func sameItem(want, got harness.TraceItem) bool {
	return want.State == got.State && want.Step == got.Step && want.Event == got.Event && sameData(want.Data, got.Data) &&
		(want.Code == got.Code || want.Code != "" && got.Code == harness.Refused)
}

// sameData compares the data of two items, if both have some. A message is for people.
func sameData(a, b jsontext.Value) bool {
	if len(a) == 0 || len(b) == 0 || string(a) == string(b) {
		return true
	}
	x, y := judge.Parsed(a), judge.Parsed(b)
	if x == nil || y == nil {
		return false
	}
	for _, v := range []*strictjson.Value{x, y} {
		v.Members = slices.DeleteFunc(v.Members, func(m strictjson.Member) bool { return m.Name == "message" })
	}
	return strictjson.Same(x, y)
}

//go:embed prompts/*.j2
var templates embed.FS

// prompts are those that a run asks by.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: dialect.Bilingual(
			"orchestrator", "requests the first plan of a run",
			"orchestrator_step", "requests the next action in a step of a run",
			"orchestrator_replan", "requests a replan within a run",
		),
		First: "orchestrator", Retry: "orchestrator_replan", Step: "orchestrator_step",
	}
}

// ownLimits are those that an engine can be without: the others bound every run.
var ownLimits = [...]string{"max_plan_steps", "max_reply_bytes", "max_depth", "max_tool_result_chars"}

// needs lists what an engine must have for the case.
func needs(c harness.Case) []string {
	var list harness.Needs
	for _, l := range c.Limits.All() {
		list.If(*l.Value != nil && slices.Contains(ownLimits[:], l.Name), l.Name)
	}
	f := rules.FaultsOf(c)
	list.If(len(c.Budget)+len(c.Policy) > 0, "budget")
	list.If(f.Limits, "limits")
	list.If(f.Tools, "tools")
	list.If(f.Verify, "verify")
	if len(c.Plan) == 0 || c.Plan.Kind() == 'n' {
		ofReplies(c.Replies, nil, &list)
		return list
	}
	p, err := plan.Decode(c.Plan)
	if list.If(err != nil, "plan"); err != nil {
		return list
	}
	ofReplies(c.Replies, p, &list)
	list.If(slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return len(s.Dependencies) > 0 }), "dependencies")
	list.If(p.VerificationPolicy != "", "verification_policy")
	list.If(slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return len(s.ToolsExpected) > 0 }), "tools_expected")
	list.If(slices.ContainsFunc(p.Steps, func(s plan.Step) bool { return len(s.Extra) > 0 }), "unknown members")
	return list
}

// ofReplies adds the needs of the replies. Without a plan, the first replies with a full plan are no replans.
func ofReplies(replies []harness.Reply, old *plan.Plan, asked *harness.Needs) {
	planning, planned := old == nil, false
	for _, reply := range replies {
		full := false
		for _, o := range mutant.Objects(reply) {
			whole, title := o.Get("steps") != nil, o.Get("title")
			full = full || whole
			asked.If(whole && !planning, "full plan")
			asked.If(whole && title != nil && (old == nil || title.Text != old.Title), "titles of full plans")
			asked.If(!whole && title != nil, "title")
			for _, step := range o.Items("steps", "update_steps", "add_steps") {
				asked.If(mutant.Says(step.Get("dependencies")), "dependencies")
			}
		}
		planning, planned = planning && (full || !planned), planned || full
	}
}
