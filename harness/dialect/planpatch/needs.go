package planpatch

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/check"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// needs lists the features and capabilities that a case requires.
func needs(c harness.Case) []string {
	var list, asked harness.Needs
	list.If(len(c.Replies) > 1, harness.FeatureLadder)
	list = append(list, c.LimitsAsked()...)
	old, err := plan.Decode(c.Plan)
	if asked.If(err != nil, "plan"); err == nil {
		known := make(steps, len(old.Steps))
		for i := range old.Steps {
			known[strings.TrimSpace(old.Steps[i].ID)] = &old.Steps[i]
		}
		ofPlan(old, known, &asked)
		for _, reply := range c.Replies {
			objects := mutant.Objects(reply)
			for _, o := range objects {
				ofReply(o, old, known, &asked)
			}
			asked.If(len(objects) > 0 && !slices.ContainsFunc(objects,
				func(o mutant.Object) bool { return retitles(o, old) || changes(o, known) }), "empty patch")
		}
	}
	for _, t := range spec.Vocabulary().Capabilities {
		list.If(slices.Contains(asked, t.Name), t.Name)
	}
	return list
}

// steps are the steps of a plan by their trimmed ids.
type steps map[string]*plan.Step

// respells reports whether an id has other white space around it than in the plan.
func (s steps) respells(id string) bool {
	name := strings.TrimSpace(id)
	if step := s[name]; step != nil {
		return id != step.ID
	}
	return id != name
}

// ofPlan adds the capabilities that a plan requires.
func ofPlan(p *plan.Plan, known steps, asked *harness.Needs) {
	asked.If(p.VerificationPolicy != "", "verification_policy")
	for i := range p.Steps {
		asked.If(len(p.Steps[i].Dependencies) > 0, "dependencies")
		asked.If(len(p.Steps[i].Dependencies) > 1, "dependency order")
		asked.If(len(p.Steps[i].ToolsExpected) > 0, "tools_expected")
		asked.If(slices.ContainsFunc(p.Steps[i].Dependencies, known.respells), "padded ids")
		asked.If(p.Steps[i].Extra != nil, "unknown members")
	}
}

// ofReply adds the capabilities for an object of a reply. Empty lists, null and the same title need none.
func ofReply(o mutant.Object, old *plan.Plan, known steps, asked *harness.Needs) {
	for member, name := range map[string]string{
		"remove_steps": "remove", "update_steps": "update", "add_steps": "add",
		"verification_policy": "verification_policy",
	} {
		asked.If(mutant.Says(o.Get(member)), name)
	}
	want, whole := "PlanPatch", o.Get("steps") != nil
	if asked.If(whole, "full plan"); whole {
		want = "FullPlan"
	}
	kind, title := o.Get("type"), o.Get("title")
	asked.If(kind != nil && kind.Kind != strictjson.Null && kind.Text != want, "type")
	asked.If(!whole && retitles(o, old), "title")
	asked.If(whole && retitles(o, old), "titles of full plans")
	if title != nil {
		text := strings.TrimSpace(title.Text)
		asked.If(text != "" && text != title.Text, "padded titles")
	}
	asked.If(!whole && hasOther(o, "type", "title", "remove_steps", "update_steps", "add_steps", "reason"), others)
	asked.If(hasNull(o), "null members")
	ofLists(o, old, known, asked)
}

// retitles reports whether an object has another title.
func retitles(o mutant.Object, old *plan.Plan) bool {
	title := o.Get("title")
	return mutant.Says(title) && strings.TrimSpace(title.Text) != old.Title
}

// changes reports whether an object is a full plan, or its lists change a step.
func changes(o mutant.Object, known steps) bool {
	for id := range o.Values("remove_steps") {
		if known[strings.TrimSpace(id.Text)] != nil {
			return true
		}
	}
	for _, item := range o.Items("update_steps") {
		id, text := item.Get("id"), item.Get("description")
		if id == nil || known[strings.TrimSpace(id.Text)] == nil {
			return true
		}
		step, deps, tools := known[strings.TrimSpace(id.Text)], item.Get("dependencies"), item.Get("tools_expected")
		if text != nil && text.Text != step.Description || deps != nil && !slices.Equal(texts(deps), step.Dependencies) ||
			tools != nil && !slices.Equal(texts(tools), step.ToolsExpected) {
			return true
		}
	}
	return len(o.Items("add_steps")) > 0 || o.Get("steps") != nil
}

const others = "unknown members of updates"

// ofLists adds the capabilities that the lists of a patch require.
func ofLists(o mutant.Object, old *plan.Plan, known steps, asked *harness.Needs) {
	in := map[string]string{} // the list of an id
	name := func(list string, v *strictjson.Value) {
		if v == nil || v.Kind != strictjson.String {
			return
		}
		id := strings.TrimSpace(v.Text)
		asked.If(known.respells(v.Text), "padded ids")
		before, twice := in[id]
		asked.If(twice && before != list, "conflicts")
		asked.If(twice && before == list && list == "remove_steps", "duplicate removals")
		asked.If(list == "remove_steps" && known[id] == nil, "unknown removals")
		in[id] = list
	}
	for v := range o.Values("remove_steps") {
		name("remove_steps", v)
	}
	for _, list := range []string{"update_steps", "add_steps", "steps"} {
		for _, item := range o.Items(list) {
			id := mutant.ID(item.Value)
			taken := id == "" || in[id] != "" || list == "add_steps" && known[id] != nil
			asked.If(taken && list != "update_steps", check.OwnIDs)
			name(list, item.Get("id"))
			asked.If(hasNull(item), "null members")
			asked.If(list == "update_steps" && hasOther(item, "id", "description", "dependencies", "tools_expected"), others)
			asked.If(mutant.Says(item.Get("tools_expected")), "tools_expected")
			asked.If(mutant.Says(item.Get("dependencies")), "dependencies")
			deps := texts(item.Get("dependencies"))
			asked.If(len(deps) > 1, "dependency order")
			asked.If(len(collect.Unique(collect.Map(deps, strings.TrimSpace))) < len(deps), "duplicate dependencies")
			asked.If(slices.ContainsFunc(deps, known.respells), "padded ids")
		}
	}
	left := slices.ContainsFunc(old.Steps, func(s plan.Step) bool { return in[strings.TrimSpace(s.ID)] != "remove_steps" })
	asked.If(!left && o.Get("steps") == nil && len(o.Items("add_steps")) == 0, "empty plan")
}

// texts returns the texts of a list.
func texts(v *strictjson.Value) []string {
	if v == nil {
		return nil
	}
	return collect.Map(v.Items, func(item strictjson.Value) string { return item.Text })
}

func hasNull(o mutant.Object) bool {
	return slices.ContainsFunc(o.Members, func(m strictjson.Member) bool { return m.Value.Kind == strictjson.Null })
}

// hasOther reports whether an object has a member that is not named.
func hasOther(o mutant.Object, names ...string) bool {
	return slices.ContainsFunc(o.Members, func(m strictjson.Member) bool { return !slices.Contains(names, m.Name) })
}
