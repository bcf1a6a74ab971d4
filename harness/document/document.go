// Package document declares the documents of a dialect. From one [Value] for each document
// it derives the JSON Schema and the paths of ids and items; package reply derives the
// coercion of replies, and package generators/deform the traits of reply text and shape.
// It reads no document.
package document

import (
	"slices"
	"strings"
)

// Document is a member of a case that is JSON.
type Document struct {
	Name     string // in the JSON of the case; in a scenario the name of its file without .json
	Required bool
	ByID     bool   // an object whose member names are ids
	Counted  bool   // a list whose items are counted as what a case asks for
	List     string // the list that such a document has, as a member; "" if it needs none
}

// File returns the name of the document's file in a scenario.
func (d Document) File() string { return d.Name + ".json" }

// Replies says whether the cases of a dialect hold replies.
type Replies int

// Whether there are replies.
const (
	NoReplies       Replies = iota
	OptionalReplies         // a case without one makes sense
	RequiredReplies
)

// Layout locates ids and items in the documents and the replies. A
// place is the chain of member names above a value, joined with slashes; items of
// a list have the list's own place.
type Layout struct {
	IDs     []string // places of a string that is an id
	Lists   []string // places of a list of ids
	Anchors []string // places of a text such as before:ID
	Sets    []string // lists whose order means nothing
	Nested  []string // members whose items are documents of their own
	Counted []string // members of a reply that are lists of what it asks for
	Words   []string // member names and closed values that mean something
}

// IsID reports whether a string at the place is an id.
func (l *Layout) IsID(place []string) bool {
	at := l.inner(place)
	return isIn(l.IDs, at) || isIn(l.Lists, at)
}

// IsAnchor reports whether a string at the place may name a neighbour of the new step.
func (l *Layout) IsAnchor(place []string) bool { return isIn(l.Anchors, l.inner(place)) }

// IsSet reports whether the list at the place has no order.
func (l *Layout) IsSet(place []string) bool { return isIn(l.Sets, place) }

// inner is the place within the innermost document.
func (l *Layout) inner(place []string) []string {
	for len(place) > 1 && slices.Contains(l.Nested, place[0]) {
		place = place[1:]
	}
	return place
}

// isIn reports whether a list of places, joined with slashes, contains a place.
func isIn(places, place []string) bool {
	joined := make([]byte, 0, 64)
	for i, name := range place {
		if i > 0 {
			joined = append(joined, '/')
		}
		joined = append(joined, name...)
	}
	return slices.ContainsFunc(places, func(p string) bool { return p == string(joined) })
}

// NamesID reports whether a member of that name holds an id at any depth, because
// replies wrap their documents.
func (l *Layout) NamesID(member string) bool { return endsIn(l.IDs, member) }

// NamesList reports whether a member of that name is a list of ids.
func (l *Layout) NamesList(member string) bool { return endsIn(l.Lists, member) }

// Wraps reports whether a member of that name holds, within an item, what the
// item's id is in.
func (l *Layout) Wraps(member string) bool {
	return slices.ContainsFunc(l.IDs, func(p string) bool {
		outer, _, ok := cutLast(p)
		before, name, inner := cutLast(outer)
		return ok && inner && before != "" && name == member
	})
}

// cutLast cuts a path at its last slash.
func cutLast(path string) (before, last string, found bool) {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func endsIn(places []string, member string) bool {
	return slices.ContainsFunc(places, func(p string) bool { return p[strings.LastIndexByte(p, '/')+1:] == member })
}

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
