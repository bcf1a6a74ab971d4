package generate

import (
	"cmp"
	"slices"

	"replanbench/generators"
	"replanbench/harness/plan"
)

// operations draws one to three operations, or one for a small case.
func (d *draft) operations() aspects {
	if kinds := aspects(1 + d.Below(14)); d.drawn.Steps == 0 { // all but the four together
		return kinds
	}
	return 1 << d.Below(4)
}

// patchEdit makes the plain edit, of operations that the engine has and that the traits leave to it. It changes
// something unless it is bare or traits use everything.
func (d *draft) patchEdit() {
	before, kinds, without := d.edit, d.operations(), d.spared
	if d.staying() == 0 {
		kinds |= aAdds
	}
	for i, name := range operations {
		if d.drawn.Lacks(name) {
			without |= 1 << i
		}
	}
	if kinds &^= without; kinds == 0 {
		kinds = (aAdds | aUpdates | aRemoves | aTitle) &^ without
	}
	if kinds&aRemoves != 0 && d.staying() > 1 {
		if i := d.useLeaf(); i >= 0 {
			d.takeAway(i)
		}
	}
	if kinds&aUpdates != 0 {
		d.rewrite()
	}
	if kinds&aAdds != 0 {
		d.add(d.fresh())
	}
	same := len(before.removes)+len(before.updates)+len(before.adds) == len(d.removes)+len(d.updates)+len(d.adds)
	title, free := d.phrase(d.P.Title), d.newTitle == "" && d.title == "" && !d.drawn.Lacks("title")
	switch {
	case free && (same || kinds&aTitle != 0):
		d.newTitle = title
	case same && without&aAdds == 0:
		d.add(d.fresh())
	case same && without&aUpdates == 0:
		d.rewrite()
	}
	if d.bare {
		d.removes, d.updates, d.adds, d.newTitle = before.removes, before.updates, before.adds, before.newTitle
	}
	spread(d.removes, len(before.removes))
	spread(d.updates, len(before.updates))
	spread(d.adds, len(before.adds))
}

// rewrite updates a step that is not done, with all members.
func (d *draft) rewrite() {
	i := d.use(d.pick(func(i int) bool { return d.isOpen(i) && d.keepsAll(i) }))
	if i < 0 {
		return
	}
	s := &d.P.Steps[i]
	d.need(s.Dependencies)
	v := d.step(s.ID, d.phrase(s.Description), s.Dependencies)
	v.Drop("status")
	d.update(v)
}

// fullEdit makes a plain full plan. It has every step except perhaps the last; one may have
// other words, one may be new. It changes something unless the edit is bare.
func (d *draft) fullEdit() {
	kinds := d.operations()
	dropped, reworded := -1, -1
	if kinds&aRemoves != 0 && d.staying() > 1 && d.free() > d.owed && !d.bare {
		if dropped = d.useLeaf(); dropped >= 0 {
			d.gone[dropped] = true
		}
	}
	if kinds&aUpdates != 0 && d.free() > d.owed && !d.bare {
		reworded = d.useOpen()
	}
	fresh, words, title := d.fresh(), d.phrase(d.P.Steps[max(reworded, 0)].Description), d.phrase(d.P.Title)
	for i := range d.P.Steps {
		v := d.told(i)
		if i == reworded {
			v.Value = with(v.Value, described(words))
		}
		if i != dropped {
			d.adds = append(d.adds, v)
		}
	}
	titled := kinds&aTitle != 0 && d.title == "" && !d.bare && !d.drawn.Lacks("titles of full plans")
	if titled {
		d.newTitle = title
	}
	if !d.bare && (kinds&aAdds != 0 || dropped < 0 && reworded < 0 && !titled) {
		d.adds = append(d.adds, item{0, -1, fresh})
	}
	spread(d.adds, 0)
}

// told returns a step of the plan as a full plan repeats it: an open step is pending.
func (d *draft) told(i int) item {
	s := &d.P.Steps[i]
	status := plan.Pending
	if d.isDone(i) {
		status = plan.Done
	}
	return item{0, i, d.stepOf(s.ID, s.Description, s.Dependencies, status, s.ToolsExpected)}
}

// document is the reply as JSON.
func (d *draft) document() (v generators.Value) {
	v.Fields = d.Fields(8)
	member := func(name, json, usual string) {
		switch {
		case json == "" && usual != "":
			v.Add(name, generators.Text(usual))
		case json != "" && json != generators.None:
			v.Add(name, generators.Raw(json))
		}
	}
	list := func(name, operation string, items []item) {
		slices.SortStableFunc(items, func(a, b item) int { return a.key - b.key })
		if len(items) == 0 && (d.noLists || d.drawn.Lacks(operation)) {
			return
		}
		l := d.Items(len(items))
		for _, it := range items {
			if name != "update_steps" {
				it.Value = d.shortened(it.Value)
			}
			l = append(l, it.Value)
		}
		v.Add(name, generators.List(l...))
	}
	title := cmp.Or(d.newTitle, d.P.Title)
	if d.drawn.Lacks("title") && !d.full {
		title = ""
	}
	if d.full {
		member("type", d.kind, "FullPlan")
		member("title", d.title, title)
		if d.steps != "" {
			member("steps", d.steps, "")
		} else {
			list("steps", "", d.adds)
		}
		member("verification_policy", d.policy, "")
		return v
	}
	member("type", d.kind, "PlanPatch")
	member("title", d.title, title)
	member("steps", d.steps, "")
	list("remove_steps", "remove", d.removes)
	list("update_steps", "update", d.updates)
	list("add_steps", "add", d.adds)
	member("reason", d.reason, d.why)
	return v
}

// shortened leaves out members with default values, if the document is brief.
func (d *draft) shortened(v generators.Value) generators.Value {
	if d.brief && v.Fields != nil {
		v = with(v)
		v.Fields = slices.DeleteFunc(v.Fields, func(f generators.Field) bool {
			return f.IsList && f.Items == nil || f.Name == "status" && f.IsText && f.Str == string(plan.Pending)
		})
	}
	return v
}
