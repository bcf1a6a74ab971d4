package rules

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// patch is a decoded PlanPatch.
type patch struct {
	title               string
	remove, update, add []entry
	reason              string
}

// lists returns the lists of the patch in the order of [lists].
func (p *patch) lists() [3][]entry { return [...][]entry{p.remove, p.update, p.add} }

// entry is an item of a list of a reply. A removal has only an id. An update leaves nil members as they are.
type entry struct {
	id           string
	at           path // in the reply
	description  *string
	dependencies []string
	tools        []string
}

// ids lists the ids of the entries of lists.
func ids(lists ...[]entry) []string {
	n := 0
	for _, entries := range lists {
		n += len(entries)
	}
	list := make([]string, 0, n)
	for _, entries := range lists {
		for i := range entries {
			list = append(list, entries[i].id)
		}
	}
	return list
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
			title: title(root), reason: root.Get("reason").Str(), remove: make([]entry, len(removals)),
			update: make([]entry, len(updates)), add: make([]entry, len(adds)),
		}
		for i := range removals {
			p.remove[i] = entry{id: removals[i].Text, at: item("/remove_steps", i)}
		}
		for i := range updates {
			p.update[i] = d.entry(&updates[i], item("/update_steps", i))
		}
		for i := range adds {
			d.unknown(declared.Member("add_steps").Item, &adds[i])
			if p.add[i] = d.addition(&adds[i], item("/add_steps", i)); claimed(&adds[i]) != plan.Pending {
				d.warnings.Add(harness.WarnStatusForced, spell(p.add[i].id))
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

func (d *decoder) entry(v *strictjson.Value, at path) entry {
	e := entry{
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

// fullPlan is a decoded FullPlan, with the steps as the reply wrote them.
type fullPlan struct {
	title    string
	steps    []entry
	statuses []plan.Status // that the steps claim
	policy   *string
}

func decodeFullPlan(root *strictjson.Value) (*fullPlan, []harness.Warning, *harness.Refusal) {
	declared := spec.Reply(true, "")
	if f := reply.Fault(declared, root); f != nil {
		return nil, nil, harness.RefuseFault(f)
	}
	var d decoder
	d.unknown(declared, root)
	steps := given(root, "steps")
	p := &fullPlan{title: title(root), steps: make([]entry, len(steps)), statuses: make([]plan.Status, len(steps))}
	for i := range steps {
		d.unknown(declared.Member("steps").Item, &steps[i])
		p.steps[i], p.statuses[i] = d.addition(&steps[i], item("/steps", i)), claimed(&steps[i])
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

// addition reads a new step. Empty lists say the same as none.
func (d *decoder) addition(v *strictjson.Value, at path) entry {
	e := d.entry(v, at)
	if len(e.dependencies) == 0 {
		e.dependencies = nil
	}
	if len(e.tools) == 0 {
		e.tools = nil
	}
	return e
}

// claimed returns the status that a new step claims: pending if it claims none.
func claimed(v *strictjson.Value) plan.Status {
	if status := v.Given("status"); status != nil {
		return plan.Status(status.Text)
	}
	return plan.Pending
}
