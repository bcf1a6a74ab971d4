package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
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

// The declarations of the documents, and the names of their members; nothing writes to them.
var (
	declaredPatch = spec.Patch()
	declaredPlan  = spec.FullPlan()
	patchNames    = declaredPatch.Known()
	updateNames   = declaredPatch.Member("update_steps").Item.Known()
	addedNames    = declaredPatch.Member("add_steps").Item.Known()
	planNames     = declaredPlan.Known()
	stepNames     = declaredPlan.Member("steps").Item.Known()
)

type path = strictjson.Path

// item is the path of an item of a list of the document.
func item(list string, i int) path { return strictjson.PathTo(list).Item(i) }

// decoder walks over a document and keeps the first fault.
type decoder struct {
	strictjson.Reader
	warnings harness.Notes
}

func refuse(code harness.Code, at path, format string, args ...any) *harness.Refusal {
	return harness.RefuseAt(code, at.String(), format, args...)
}

// decodePatch decodes a PlanPatch; extra is the policy for unknown members of
// added steps, and spell gives the ids in warnings the plan's spelling.
func decodePatch(extra string, spell func(id string) string) reply.Decoder[*patch] {
	return func(root *strictjson.Value) (*patch, []harness.Warning, *harness.Refusal) {
		if r := notAPatch(root); r != nil {
			return nil, nil, r
		}
		var d decoder
		d.Known(root, path{}, "a PlanPatch", patchNames...)
		p := &patch{}
		d.Text(root, path{}, "type", false)
		p.title = d.title(root, false)
		removals := d.Items(root, path{}, "remove_steps")
		p.remove = make([]removal, len(removals))
		for i := range removals {
			p.remove[i] = removal{d.id(&removals[i], item("/remove_steps", i)), i}
		}
		updates := d.Items(root, path{}, "update_steps")
		p.update = make([]edit, len(updates))
		for i := range updates {
			d.edit(&p.update[i], &updates[i], i)
		}
		adds := d.Items(root, path{}, "add_steps")
		p.add = make([]addition, len(adds))
		for i := range adds {
			p.add[i].index = i
			if d.addition(&p.add[i].step, &adds[i], item("/add_steps", i), extra) {
				d.warnings.Add(harness.WarnStatusForced, spell(p.add[i].step.ID))
			}
		}
		p.reason, _ = d.Text(root, path{}, "reason", false)
		return p, d.warnings.Warnings(), harness.RefuseFault(d.Fault)
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

func (d *decoder) edit(e *edit, v *strictjson.Value, i int) {
	at := item("/update_steps", i)
	e.at = at
	if !d.Is(v, strictjson.Object, at, "an update") {
		return
	}
	d.Known(v, at, "an update", updateNames...)
	e.id = d.ID(v, at, "id")
	if m := d.Member(v, at, "description", strictjson.String, false); m != nil {
		e.description = &m.Text
	}
	e.dependencies, e.tools = d.IDs(v, at, "dependencies"), d.Texts(v, at, "tools_expected")
}

// addition decodes an added step: it starts as pending,
// whatever the reply says. It reports whether the reply had another status.
func (d *decoder) addition(s *plan.Step, v *strictjson.Value, at path, extra string) bool {
	if !d.Is(v, strictjson.Object, at, "a step") {
		return false
	}
	for _, m := range v.Members {
		switch {
		case slices.Contains(addedNames, m.Name):
		case extra == harness.Drop:
			d.warnings.Add(harness.WarnUnknownField, m.Name)
		default:
			d.Fail(harness.ExtraField, at.Member(m.Name), "a step has no member %q", m.Name)
		}
	}
	return d.planStep(s, v, at) != plan.Pending
}

// title reads the trimmed title of the document.
func (d *decoder) title(root *strictjson.Value, required bool) string {
	t, _ := d.Text(root, path{}, "title", required)
	return strings.TrimSpace(t)
}

// id reads a string that names a step.
func (d *decoder) id(v *strictjson.Value, at path) string {
	if d.Is(v, strictjson.String, at, "an id") && strings.TrimSpace(v.Text) == "" {
		d.Fail(harness.EmptyID, at, "the id is blank")
	}
	return v.Text
}

// fullPlan is a decoded FullPlan of a reply. Its steps are as the reply wrote
// them; what they become depends on the plan.
type fullPlan struct {
	title  string
	steps  []plan.Step
	said   []plan.Status // of each step
	policy *string
}

func decodeFullPlan(root *strictjson.Value) (*fullPlan, []harness.Warning, *harness.Refusal) {
	if t := root.Get("type"); t != nil && t.Kind == strictjson.String && t.Text != "FullPlan" {
		return nil, nil, harness.RefuseAt(harness.WrongDocument, "/type", "the type is %q, not FullPlan", t.Text)
	}
	var d decoder
	d.unknown(root, planNames)
	p := &fullPlan{}
	d.Text(root, path{}, "type", false)
	p.title = d.title(root, true)
	steps := d.Member(root, path{}, "steps", strictjson.Array, true)
	if steps == nil {
		return nil, nil, harness.RefuseFault(d.Fault)
	}
	p.steps = make([]plan.Step, len(steps.Items))
	p.said = make([]plan.Status, len(steps.Items))
	for i := range steps.Items {
		v, at := &steps.Items[i], item("/steps", i)
		if !d.Is(v, strictjson.Object, at, "a step") {
			continue
		}
		d.unknown(v, stepNames)
		p.said[i] = d.planStep(&p.steps[i], v, at)
	}
	if s, ok := d.Text(root, path{}, "verification_policy", false); ok {
		p.policy = &s
	}
	return p, d.warnings.Warnings(), harness.RefuseFault(d.Fault)
}

func (d *decoder) unknown(v *strictjson.Value, known []string) {
	for _, m := range v.Members {
		if !slices.Contains(known, m.Name) {
			d.warnings.Add(harness.WarnUnknownField, m.Name)
		}
	}
}

// planStep decodes a new step, which is pending, and returns the status that it
// claims: pending if it claims none.
func (d *decoder) planStep(s *plan.Step, v *strictjson.Value, at path) plan.Status {
	s.ID = d.ID(v, at, "id")
	s.Description, _ = d.Text(v, at, "description", true)
	if deps := d.IDs(v, at, "dependencies"); len(deps) > 0 {
		s.Dependencies = deps
	}
	said, claims := d.Text(v, at, "status", false)
	s.Status = plan.Pending
	if tools := d.Texts(v, at, "tools_expected"); len(tools) > 0 {
		s.ToolsExpected = tools
	}
	if !claims {
		return plan.Pending
	}
	return plan.Status(said)
}
