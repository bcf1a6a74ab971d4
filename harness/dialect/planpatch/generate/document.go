package generate

import (
	"replanbench/generators"
	"replanbench/harness/plan"
)

// write writes the document of the reply.
func (d *draft) write(w *generators.Writer) {
	w.Open('{')
	w.Members(d.doc.first)
	for k := range 7 {
		switch (k + d.doc.rotate) % 7 {
		case 0:
			w.Raw("type", d.doc.typ)
		case 1:
			w.Raw("title", d.doc.title)
		case 2:
			w.Raw("steps", d.doc.steps)
			if d.full && d.doc.steps == "" {
				d.writeItems(w, "steps", d.doc.adds, d.writeAdd)
			}
			w.Raw("verification_policy", d.doc.policy)
		case 3:
			d.writeItems(w, "remove_steps", d.doc.removes, d.writeRemove)
		case 4:
			w.Raw("update_steps", d.doc.updateList)
			if d.doc.updateList == "" {
				d.writeItems(w, "update_steps", d.doc.updates, d.writeUpdate)
			}
		case 5:
			if !d.full {
				d.writeItems(w, "add_steps", d.doc.adds, d.writeAdd)
			}
		case 6:
			w.Raw("reason", d.doc.reason)
		}
	}
	w.Members(d.doc.extra)
	w.Close('}')
}

func (d *draft) writeItems(w *generators.Writer, name string, items []item, write func(*generators.Writer, *item)) {
	if len(items) == 0 && !d.doc.emptyLists {
		return
	}
	w.Name(name)
	w.Open('[')
	for i := range items {
		w.Item()
		if t := items[i].twist; t != nil && t.whole != "" {
			w.B = append(w.B, t.whole...)
		} else {
			write(w, &items[i])
		}
		if d.noise.cut == cutItems && i == d.noise.cutItem && name == "add_steps" {
			d.cutAt = len(w.B)
		}
	}
	w.Close(']')
}

func (d *draft) writeRemove(w *generators.Writer, r *item) { w.Text(r.step.ID) }

func (d *draft) writeUpdate(w *generators.Writer, u *item) {
	t := u.twists()
	w.Open('{')
	twisted(w, "id", t.id, u.step.ID)
	if u.has&hasDescription != 0 || t.description != "" {
		twisted(w, "description", t.description, u.step.Description)
	}
	if u.has&hasDependencies != 0 || t.dependencies != "" {
		twistedList(w, "dependencies", t.dependencies, u.step.Dependencies)
	}
	if u.has&hasTools != 0 || t.tools != "" {
		twistedList(w, "tools_expected", t.tools, u.step.ToolsExpected)
	}
	w.Members(t.extra)
	w.Close('}')
}

func (d *draft) writeAdd(w *generators.Writer, a *item) {
	t := a.twists()
	w.Open('{')
	twisted(w, "id", t.id, a.step.ID)
	twisted(w, "description", t.description, a.step.Description)
	if !d.doc.brief || len(a.step.Dependencies) > 0 || t.dependencies != "" {
		twistedList(w, "dependencies", t.dependencies, a.step.Dependencies)
	}
	if t.status != "" {
		w.Raw("status", t.status)
	} else if !d.doc.brief {
		w.Member("status", string(plan.Pending))
	}
	if !d.doc.brief || len(a.step.ToolsExpected) > 0 || t.tools != "" {
		twistedList(w, "tools_expected", t.tools, a.step.ToolsExpected)
	}
	w.Members(t.extra)
	w.Close('}')
}

var untwisted twist

func (u *item) twists() *twist {
	if u.twist == nil {
		return &untwisted
	}
	return u.twist
}

// twisted writes a member: the JSON of the twist, nothing, or the text.
func twisted(w *generators.Writer, name, json, text string) {
	switch json {
	case "":
		w.Member(name, text)
	case generators.None:
	default:
		w.Raw(name, json)
	}
}

func twistedList(w *generators.Writer, name, json string, texts []string) {
	switch json {
	case "":
		w.List(name, texts)
	case generators.None:
	default:
		w.Raw(name, json)
	}
}
