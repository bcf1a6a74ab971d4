// Package planpatch assembles the dialect planpatch from its parts.
package planpatch

import (
	"embed"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planpatch/check"
	"replanbench/harness/dialect/planpatch/defect"
	"replanbench/harness/dialect/planpatch/generate"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:      "planpatch",
		Text:      "patches over a plan: remove, update and add steps by id, with a ladder of fallbacks",
		Help:      help,
		Needs:     needs,
		Documents: []document.Document{{Name: "plan", Required: true, List: "steps"}},
		Replies:   document.RequiredReplies,
		Edits:     true,
		Layout:    spec.Layout(),
		Eval:      rules.Eval,
		Score:     scored,
		Protocols: protocols(),
		Prompts:   prompts(),
		Climb:     rules.Climb,
		Explain:   explanation,
		Traits:    generate.Traits(),
		Tries: []string{
			"done-remove", "title-only", "update-one-member", "plan-members-updated", "null-optional", "empty-reply",
			"plan-large", "fence-json", "prose-both", "lone-surrogate", "wrong-type", "plan-malformed",
			"first-reply-fails",
		},
		Generate:   generate.New,
		Judging:    check.Rules(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: spec.Vocabulary(),
		Schemas: []schema.Schema{
			{Name: "planpatch", Text: "a patch, as a model should write it", Data: spec.Patch().Schema()},
			{Name: "fullplan", Text: "a whole plan, as input or as a model's reply", Data: spec.FullPlan().Schema()},
		},
	}
}

// members lists the members of outcomes. Every applied outcome has a plan except one that ends in react.
func members() outcome.Members {
	plan := outcome.Plan()
	plan.Required = func(a outcome.Asked) bool {
		if a.Outcome.Rung == "" && a.Profile != nil {
			return !slices.Contains(a.Profile.Ladder, harness.RungReact)
		}
		return a.Outcome.Rung != harness.RungReact
	}
	return outcome.Members{
		plan, outcome.Rung(), outcome.GaveUp(), outcome.Tier(), outcome.At(), outcome.Repairs(), outcome.Warnings(),
		outcome.Meta(), outcome.Events(),
	}
}

//go:embed prompts/*.j2
var templates embed.FS

// prompts ask for patches. Two pairs differ in one block on changing against removing
// a step, with wrong and right examples: replan and replan.hardened, and replan.before
// and replan.after, which quote the design documents of a published incident.
func prompts() dialect.Prompts {
	return dialect.Prompts{
		Files: dialect.Templates(templates),
		List: slices.Concat(dialect.Bilingual(
			"replan", "requests a patch and states the rules",
			"replan.hardened", "adds wrong and right examples of updating and removing steps",
		), []harness.Term{
			{Name: "replan.before", Text: "the Chinese prompt of the documents before the fix: states the constraint in one line"},
			{Name: "replan.after", Text: "the Chinese prompt of the documents after the fix: adds the ⚠️ block with ❌ and ✅ " +
				"examples"},
		}, dialect.Bilingual(
			"plan_patch_retry", "retries with the reason of the rejection",
			"full_plan", "requests a full plan after patches failed",
		)),
		Chinese: []string{"replan.before", "replan.after"},
		First:   "replan", Retry: "plan_patch_retry", FullPlan: "full_plan",
	}
}

// protocols returns the protocols that write a change as a patch or as a full plan.
func protocols() []dialect.Protocol {
	same := func(p *plan.Plan) *plan.Plan { return p }
	return []dialect.Protocol{
		{
			Term:   harness.Term{Name: "planpatch", Text: "a patch: lists of steps to remove, update and add"},
			Before: asDocument, After: same, Guide: patchGuide,
			Write: func(before, after *plan.Plan) any { return spec.Change(before, after) },
		},
		{
			Term: harness.Term{Name: "fullplan", Text: "a full new plan"}, Before: asDocument, Write: writeWhole, After: same,
			Guide: wholeGuide,
		},
	}
}

// patchGuide and wholeGuide instruct a model how to write a change.
const (
	patchGuide = `You edit a plan by a patch, one JSON object with the type "PlanPatch". Its members, all optional: "title", the new title;
"remove_steps", the ids of steps to take out; "update_steps", a list of objects with the id of a step and the members of it that
change (a list is given whole); "add_steps", a list of new steps with id, description, dependencies and tools_expected, which
come at the end. Steps that are done stay as they are.
Example: {"type":"PlanPatch","remove_steps":["s3"],"update_steps":[{"id":"s2","description":"Read the file"}],"add_steps":[{"id":"s5","description":"Run the tests","dependencies":["s2"]}]}`
	wholeGuide = `You edit a plan by writing it anew as a whole: one JSON object with the type "FullPlan", the title, and all steps, each with id,
description, dependencies, tools_expected, and the status "done" if it is done. Steps that are done stay as they are.
Example: {"type":"FullPlan","title":"Fix the tests","steps":[{"id":"s1","description":"Find the file","status":"done"},{"id":"s2","description":"Read the file","dependencies":["s1"]}]}`
)

func asDocument(p *plan.Plan) jsontext.Value { return strictjson.Encode(p) }

func writeWhole(_, after *plan.Plan) any {
	reply := struct {
		Type  string         `json:"type"`
		Title string         `json:"title"`
		Steps []plan.Written `json:"steps"`
	}{"FullPlan", after.Title, nil}
	done := plan.Done
	for _, s := range after.Steps {
		w := plan.Write(s)
		if s.Status == plan.Done {
			w.Status = &done
		}
		reply.Steps = append(reply.Steps, w)
	}
	return reply
}

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
		step, text := known[mutant.ID(item.Value)], item.Get("description")
		deps, tools := item.Get("dependencies"), item.Get("tools_expected")
		if step == nil || text != nil && text.Text != step.Description ||
			deps != nil && !slices.Equal(texts(deps), step.Dependencies) ||
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
