package rules

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// patch is a decoded PlanPatch.
type patch struct {
	title  string
	remove []removal
	update []edit
	add    []addition
	reason string
}

// ids lists the ids of the patch: of its removals, its updates and its additions.
func (p *patch) ids() []string {
	list := make([]string, 0, len(p.remove)+len(p.update)+len(p.add))
	for i := range p.remove {
		list = append(list, p.remove[i].id)
	}
	list = append(list, p.updated()...)
	for i := range p.add {
		list = append(list, p.add[i].step.ID)
	}
	return list
}

func (p *patch) updated() []string { return collect.Map(p.update, func(u edit) string { return u.id }) }

type removal struct {
	id    string
	index int // in remove_steps
}

// edit changes a step; nil members stay as they are.
type edit struct {
	id           string
	description  *string
	dependencies []string
	tools        []string
	at           path // in the reply
}

type addition struct {
	step  plan.Step
	index int // in add_steps
}

type path = strictjson.Path

// item is the path of an item of a list of the document.
func item(list string, i int) path { return strictjson.PathTo(list).Item(i) }

func refuse(code harness.Code, at path, format string, args ...any) *harness.Refusal {
	return harness.RefuseAt(code, at.String(), format, args...)
}

// decodePatch decodes a PlanPatch of a declaration. spell gives the ids in warnings the plan's spelling.
func decodePatch(declared *document.Value, spell func(id string) string) reply.Decoder[*patch] {
	return func(root *strictjson.Value) (*patch, []harness.Warning, *harness.Refusal) {
		if r := notAPatch(root); r != nil {
			return nil, nil, r
		}
		if f := reply.Fault(declared, root); f != nil {
			return nil, nil, harness.RefuseFault(f)
		}
		var d decoder
		removals, updates, adds := given(root, "remove_steps"), given(root, "update_steps"), given(root, "add_steps")
		p := &patch{
			title: title(root), reason: root.Get("reason").Str(), remove: make([]removal, len(removals)),
			update: make([]edit, len(updates)), add: make([]addition, len(adds)),
		}
		for i := range removals {
			p.remove[i] = removal{removals[i].Text, i}
		}
		for i := range updates {
			p.update[i] = d.edit(&updates[i], item("/update_steps", i))
		}
		for i := range adds {
			d.unknown(declared.Member("add_steps").Item, &adds[i])
			step, said := d.step(&adds[i])
			if p.add[i] = (addition{step, i}); said != plan.Pending {
				d.warnings.Add(harness.WarnStatusForced, spell(step.ID))
			}
		}
		return p, d.warnings.Warnings(), nil
	}
}

// notAPatch rejects an object whose type names another document.
func notAPatch(root *strictjson.Value) *harness.Refusal {
	if t := root.Get("type"); t != nil && t.Kind == strictjson.String && t.Text != "PlanPatch" {
		return harness.RefuseAt(harness.WrongDocument, "/type", "the type is %q, not PlanPatch", t.Text)
	}
	if root.Get("steps") != nil {
		return harness.RefuseAt(harness.WrongDocument, "/steps", "an object with steps is a plan, not a PlanPatch")
	}
	return nil
}

// isFullPlan reports whether an object is intended as a full plan.
func isFullPlan(root *strictjson.Value) bool {
	if root.Get("steps") == nil {
		return false
	}
	t := root.Get("type")
	return t == nil || t.Kind == strictjson.Null || t.Kind == strictjson.String && t.Text == "FullPlan"
}

// decoder reads documents that fit their declaration.
type decoder struct {
	strictjson.Reader
	warnings harness.Notes
}

func (d *decoder) edit(v *strictjson.Value, at path) edit {
	e := edit{
		id: v.Get("id").Text, dependencies: d.Texts(v, at, "dependencies"), tools: d.Texts(v, at, "tools_expected"), at: at,
	}
	if m := v.Given("description"); m != nil {
		e.description = &m.Text
	}
	return e
}

// title reads the trimmed title of the document.
func title(root *strictjson.Value) string { return strings.TrimSpace(root.Get("title").Str()) }

// given returns the items of a list.
func given(v *strictjson.Value, list string) []strictjson.Value { return v.Given(list).List() }

// fullPlan is a decoded FullPlan of a reply. Its steps are as the reply wrote
// them; what they become depends on the plan.
type fullPlan struct {
	title  string
	steps  []plan.Step
	said   []plan.Status // of each step
	policy *string
}

func decodeFullPlan(root *strictjson.Value) (*fullPlan, []harness.Warning, *harness.Refusal) {
	declared := spec.Reply(true, "")
	if f := reply.Fault(declared, root); f != nil {
		return nil, nil, harness.RefuseFault(f)
	}
	var d decoder
	d.unknown(declared, root)
	steps := given(root, "steps")
	p := &fullPlan{title: title(root), steps: make([]plan.Step, len(steps)), said: make([]plan.Status, len(steps))}
	for i := range steps {
		d.unknown(declared.Member("steps").Item, &steps[i])
		p.steps[i], p.said[i] = d.step(&steps[i])
	}
	if policy := root.Given("verification_policy"); policy != nil {
		p.policy = &policy.Text
	}
	return p, d.warnings.Warnings(), nil
}

// unknown warns of members that the declaration of an object does not name.
func (d *decoder) unknown(declared *document.Value, v *strictjson.Value) {
	for _, m := range v.Members {
		if declared.Member(m.Name) == nil {
			d.warnings.Add(harness.WarnUnknownField, m.Name)
		}
	}
}

// step reads a new step, which is pending, and the status that it claims: pending if it claims none.
func (d *decoder) step(v *strictjson.Value) (s plan.Step, said plan.Status) {
	s = plan.Step{ID: v.Get("id").Text, Description: v.Get("description").Text, Status: plan.Pending}
	if deps := d.Texts(v, path{}, "dependencies"); len(deps) > 0 {
		s.Dependencies = deps
	}
	if tools := d.Texts(v, path{}, "tools_expected"); len(tools) > 0 {
		s.ToolsExpected = tools
	}
	if status := v.Given("status"); status != nil {
		return s, plan.Status(status.Text)
	}
	return s, plan.Pending
}
