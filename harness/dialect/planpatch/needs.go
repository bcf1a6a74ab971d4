package planpatch

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// capabilities lists the capabilities that an engine may declare to lack.
func capabilities() []harness.Term {
	return []harness.Term{
		{Name: "title", Text: "a patch may change the title"},
		{Name: "remove", Text: "a patch may remove steps"},
		{Name: "update", Text: "a patch may update steps"},
		{Name: "add", Text: "a patch may add steps"},
		{Name: "full plan", Text: "a reply may be a full plan"},
		{Name: "tools_expected", Text: "steps list the tools that they expect"},
		{Name: "verification_policy", Text: "a plan says how its result is verified"},
		{Name: "unknown members", Text: "unknown members of steps are kept"},
		{Name: "max_plan_steps", Text: "the limit on steps"},
		{Name: "max_reply_bytes", Text: "the limit on the size of a reply"},
		{Name: "max_depth", Text: "the limit on the nesting depth of a reply"},
		{Name: "plan", Text: "an invalid plan in the case is rejected"},
	}
}

// needs lists the features and capabilities that a case requires.
func needs(c harness.Case) (list []string) {
	need := func(is bool, name string) {
		if is {
			list = append(list, name)
		}
	}
	need(len(c.Replies) > 1, harness.FeatureLadder)
	list = append(list, c.LimitsAsked()...)
	asked := map[string]bool{}
	old, err := plan.Decode(c.Plan)
	if asked["plan"] = err != nil; err == nil {
		ofPlan(old, asked)
		for _, reply := range c.Replies {
			for _, o := range mutant.Objects(reply) {
				ofReply(o, old, asked)
			}
		}
	}
	for _, t := range capabilities() {
		need(asked[t.Name], t.Name)
	}
	return list
}

// ofPlan adds the capabilities that a plan requires.
func ofPlan(p *plan.Plan, asked map[string]bool) {
	asked["verification_policy"] = p.VerificationPolicy != ""
	for i := range p.Steps {
		asked["tools_expected"] = asked["tools_expected"] || len(p.Steps[i].ToolsExpected) > 0
		asked["unknown members"] = asked["unknown members"] || p.Steps[i].Extra != nil
	}
}

// ofReply adds the capabilities that an object of a reply requires. Empty lists,
// null and an unchanged title require none.
func ofReply(o mutant.Object, old *plan.Plan, asked map[string]bool) {
	for member, name := range map[string]string{
		"remove_steps": "remove", "update_steps": "update", "add_steps": "add", "steps": "full plan",
		"verification_policy": "verification_policy",
	} {
		asked[name] = asked[name] || says(o.Get(member))
	}
	title := o.Get("title")
	asked["title"] = asked["title"] || o.Get("steps") == nil && says(title) && strings.TrimSpace(title.Text) != old.Title
	for _, item := range o.Items("update_steps", "add_steps", "steps") {
		asked["tools_expected"] = asked["tools_expected"] || says(item.Get("tools_expected"))
	}
}

// says reports whether a member has a value other than null and [].
func says(v *strictjson.Value) bool {
	return v != nil && v.Kind != strictjson.Null && (v.Kind != strictjson.Array || len(v.Items) > 0)
}
