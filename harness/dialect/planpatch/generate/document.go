package generate

import (
	"replanbench/generators"
)

// write writes the document of the reply.
func (d *draft) write(w *generators.Writer) {
	doc := &d.doc
	w.Open('{')
	w.Members(doc.first)
	last := d.noise.cut == cutItems // the list of new steps: nothing follows it
	if last {
		w.Members(doc.extra)
	}
	for k := range 7 {
		switch (k + doc.rotate) % 7 {
		case 0:
			w.Raw("type", doc.typ)
		case 1:
			w.Raw("title", doc.title)
		case 2:
			if w.Raw("steps", doc.steps); d.full && doc.steps == "" {
				d.writeItems(w, "steps", doc.adds, d.writeAdd)
			}
			w.Raw("verification_policy", doc.policy)
		case 3:
			d.writeList(w, "remove_steps", "remove", doc.removeList, doc.removes, d.writeRemove)
		case 4:
			d.writeList(w, "update_steps", "update", doc.updateList, doc.updates, d.writeUpdate)
		case 5:
			d.writeList(w, "add_steps", "add", doc.addList, doc.adds, d.writeAdd)
		case 6:
			w.Raw("reason", doc.reason)
		}
	}
	if !last {
		w.Members(doc.extra)
	}
	w.Close('}')
}

// writeList writes a list of a patch, or the JSON that replaces it.
func (d *draft) writeList(w *generators.Writer, name, operation, json string, items []item,
	write func(*generators.Writer, *item),
) {
	switch {
	case d.full:
	case json != "":
		w.Raw(name, json)
	case len(items) > 0 || !d.doc.noLists && !d.lacks(operation):
		d.writeItems(w, name, items, write)
	}
}

func (d *draft) writeItems(w *generators.Writer, name string, items []item, write func(*generators.Writer, *item)) {
	w.Name(name)
	w.Open('[')
	for i := range items {
		w.Item()
		if t := items[i].twist; t != nil && t.whole != "" {
			w.B = append(w.B, t.whole...)
		} else {
			write(w, &items[i])
		}
		if items[i].ends {
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
	if u.has&hasTools != 0 && !d.lacks("tools_expected") || t.tools != "" {
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
		w.Member("status", string(a.step.Status))
	}
	if !d.doc.brief && !d.lacks("tools_expected") || len(a.step.ToolsExpected) > 0 || t.tools != "" {
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
