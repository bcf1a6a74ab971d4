package document

import "slices"

// LayoutOf derives the layout of some documents from their declarations.
func LayoutOf(documents ...Value) Layout {
	var l Layout
	for i := range documents {
		l.walk(&documents[i], "")
	}
	return l
}

func (l *Layout) walk(v *Value, place string) {
	for _, word := range v.Values {
		include(&l.Words, word)
	}
	for i := range v.Of {
		l.walk(&v.Of[i], place)
	}
	for i := range v.Members {
		m := &v.Members[i]
		for _, name := range append([]string{m.Name}, m.Alias...) {
			include(&l.Words, name)
			l.member(&m.Value, join(place, name))
		}
	}
	if v.Item != nil {
		l.walk(v.Item, place)
	}
}

func (l *Layout) member(v *Value, place string) {
	switch {
	case v.Kind == IDKind && !v.Prose:
		include(&l.IDs, place)
	case v.Anchor:
		include(&l.Anchors, place)
	case v.Item != nil && v.Item.Kind == IDKind:
		include(&l.Lists, place)
	}
	if v.Set {
		include(&l.Sets, place)
	}
	if v.Counted {
		include(&l.Counted, place)
	}
	l.walk(v, place)
}

func include(list *[]string, text string) {
	if text != "" && !slices.Contains(*list, text) {
		*list = append(*list, text)
	}
}

func join(place, name string) string {
	if place == "" {
		return name
	}
	return place + "/" + name
}
