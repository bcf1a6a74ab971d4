package orchestrator

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/plan"
)

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

// ofReplies adds what an engine must have for the replies. If the case has no plan, the first replies with a full plan
// are no replans.
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
