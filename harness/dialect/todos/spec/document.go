package spec

import (
	"sync"

	"replanbench/harness"
	doc "replanbench/harness/document"
	"replanbench/harness/plan"
)

// Statuses lists the statuses of items.
func Statuses() []string {
	return []string{string(plan.Pending), string(plan.InProgress), string(plan.Completed), string(plan.Cancelled)}
}

// layout is built from all formats; other words are the names of contents.
var layout = sync.OnceValue(func() doc.Layout {
	items := doc.Object(doc.Needs("items", doc.List(doc.Object(
		doc.May("id", doc.ID()), doc.Needs(Content, doc.Text()), doc.May("active_form", doc.Text()))).Counts()))
	any := Settings{Format: Todos, TextName: harness.Any}
	l := doc.LayoutOf(items, Document(any, false), Document(Settings{Format: Merge}, true),
		Document(Settings{Format: PlanForm}, false))
	l.Words = append(append(l.Words, any.TextNames()...), "task_progress")
	return l
})

// Layout returns the paths of ids and items in lists and rewrites.
func Layout() *doc.Layout {
	l := layout()
	return &l
}

// Form returns only the settings that decide which members a rewrite has.
func (s Settings) Form() Settings { return Settings{Format: s.Format, TextName: s.TextName} }

// Forms lists all of them.
func Forms() (list []Settings) {
	for _, format := range Knobs()[0].Values {
		for _, name := range Knobs()[1].Values {
			list = append(list, Settings{Format: format, TextName: name})
		}
	}
	return list
}

// Document declares a rewrite in a JSON format; merge declares one that merges.
func Document(s Settings, merge bool) doc.Value {
	statuses := Statuses()
	if s.Format == PlanForm {
		statuses = statuses[:3]
	}
	need := func(name string, v doc.Value, required bool) doc.Member {
		if required {
			return doc.Needs(name, v)
		}
		return doc.May(name, v)
	}
	content := doc.Prose().Says("What is to be done, in the words of the old list where it is the same item.")
	status := doc.Enum(statuses...).With(`"type": "string"`).Says("One item at most is in_progress.")
	status.Folds = s.StatusWords == harness.Any
	item := doc.Object(need(s.Text(), content, !merge), need("status", status, !merge))
	item.Choice = s.TextNames()
	if s.HasIDs() {
		id := doc.ID().Says("Unique in the list; an item keeps its own.")
		id.Digits = true
		item.Members = append([]doc.Member{need("id", id, merge || s.IDs == Required)}, item.Members...)
		item.Members = append(item.Members, doc.May("priority", doc.Text()),
			need("activeForm", doc.Text(), s.NeedsForm(merge)).Says("What is being done, for display.").Also("active_form"))
	}
	item.Drops = s.ExtraFields == harness.Drop
	list := doc.List(item).Counts()
	list.Lone = true
	top := doc.Object(doc.Needs(s.List(), list)).As("Todos").Says("The whole list anew: every item of the old one with " +
		"its status, and new ones. An item left out is lost, or put back.")
	switch s.Format {
	case PlanForm:
		top.Members = append([]doc.Member{doc.May("explanation", doc.Text())}, top.Members...)
	case Merge:
		top.Members = append([]doc.Member{doc.May("merge", doc.Value{Kind: doc.BoolKind})}, top.Members...)
	}
	top.Bare, top.Drops = s.List(), item.Drops
	return top
}
