package generators

import (
	"replanbench/harness/plan"
)

// write writes the document of the reply.
func (d *draft) write(w *writer) {
	w.open('{')
	w.members(d.doc.first)
	for k := range 7 {
		switch (k + d.doc.rotate) % 7 {
		case 0:
			w.raw("type", d.doc.typ)
		case 1:
			w.raw("title", d.doc.title)
		case 2:
			w.raw("steps", d.doc.steps)
			if d.full && d.doc.steps == "" {
				d.writeItems(w, "steps", d.doc.adds, &d.doc.addList, d.writeAdd)
			}
			w.raw("verification_policy", d.doc.policy)
		case 3:
			d.writeItems(w, "remove_steps", d.doc.removes, &d.doc.removeList, d.writeRemove)
		case 4:
			d.writeItems(w, "update_steps", d.doc.updates, &d.doc.updateList, d.writeUpdate)
		case 5:
			if !d.full {
				d.writeItems(w, "add_steps", d.doc.adds, &d.doc.addList, d.writeAdd)
			}
		case 6:
			w.raw("reason", d.doc.reason)
		}
	}
	w.members(d.doc.extra)
	w.close('}')
}

func (d *draft) writeItems(w *writer, name string, items []item, l *listTwist, write func(*writer, *item)) {
	if l.json != "" {
		w.raw(name, l.json)
		return
	}
	if len(items) == 0 && !d.doc.emptyLists {
		return
	}
	w.name(name)
	w.open('[')
	for i := range items {
		w.item()
		if t := items[i].twist; t != nil && t.whole != "" {
			w.b = append(w.b, t.whole...)
		} else {
			write(w, &items[i])
		}
		if d.noise.cut == cutItems && i == d.noise.cutItem && l == &d.doc.addList {
			d.cutAt = len(w.b)
		}
	}
	w.close(']')
}

func (d *draft) writeRemove(w *writer, r *item) { w.text(r.step.ID) }

func (d *draft) writeUpdate(w *writer, u *item) {
	t := u.twists()
	w.open('{')
	w.twisted("id", t.id, u.step.ID)
	if u.has&hasDescription != 0 || t.description != "" {
		w.twisted("description", t.description, u.step.Description)
	}
	if u.has&hasDependencies != 0 || t.dependencies != "" {
		w.twistedList("dependencies", t.dependencies, u.step.Dependencies)
	}
	if u.has&hasTools != 0 || t.tools != "" {
		w.twistedList("tools_expected", t.tools, u.step.ToolsExpected)
	}
	w.members(t.extra)
	w.close('}')
}

func (d *draft) writeAdd(w *writer, a *item) {
	t := a.twists()
	w.open('{')
	w.twisted("id", t.id, a.step.ID)
	w.twisted("description", t.description, a.step.Description)
	if !d.doc.brief || len(a.step.Dependencies) > 0 || t.dependencies != "" {
		w.twistedList("dependencies", t.dependencies, a.step.Dependencies)
	}
	if t.status != "" {
		w.raw("status", t.status)
	} else if !d.doc.brief {
		w.member("status", string(plan.Pending))
	}
	if !d.doc.brief || len(a.step.ToolsExpected) > 0 || t.tools != "" {
		w.twistedList("tools_expected", t.tools, a.step.ToolsExpected)
	}
	w.members(t.extra)
	w.close('}')
}

var untwisted twist

func (u *item) twists() *twist {
	if u.twist == nil {
		return &untwisted
	}
	return u.twist
}

// twisted writes a member: the JSON of the twist, nothing, or the text.
func (w *writer) twisted(name, json, text string) {
	switch json {
	case "":
		w.member(name, text)
	case none:
	default:
		w.raw(name, json)
	}
}

func (w *writer) twistedList(name, json string, texts []string) {
	switch json {
	case "":
		w.list(name, texts)
	case none:
	default:
		w.raw(name, json)
	}
}
