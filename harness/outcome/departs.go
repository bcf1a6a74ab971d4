package outcome

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
)

// Departs says in which ways what an edit makes parts from what it should make, each in
// a few words without ids, places or texts: "steps gone", "steps order", "steps
// dependencies shorter". The words are sorted, each once, few and short, whatever an
// engine makes; none where the two are the same, or one has not been applied. They tell
// one mistake from another, and are for nobody to compare plans by.
func (l Members) Departs(want, got *harness.Outcome) []string {
	if want.Verdict != harness.Applied || got.Verdict != harness.Applied {
		return nil
	}
	d := departures{}
	for i := range l {
		if m := &l[i]; (m.Content || m.first != nil && !m.Optional) && m.Given(want) && m.Given(got) && m.Compare(want, got) != nil {
			d.walk("", m.tree(want), m.tree(got))
		}
	}
	words := slices.Sorted(maps.Keys(d))
	return words[:min(len(words), most)]
}

// most is how many ways are told.
const most = 8

type departures map[string]bool

// aWord is how many bytes a status or a name has at most: of no such text it is told
// whether it is too short.
const aWord = 16

// deep is how many names of members tell a place.
const deep = 2

func (d departures) add(at, how string) {
	words := strings.Fields(at)
	words = words[:min(len(words), deep)]
	for i, w := range words {
		if len(w) > aName || strings.Trim(w, letters) != "" {
			words[i] = "members" // what an engine, or a reply, made up
		}
	}
	d[strings.Join(append(words, how), " ")] = true
}

// aName is how long the name of a member is at most that the rules know, of letters.
const (
	aName   = 24
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"
)

func (d departures) walk(at string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for name := range maps.Keys(join(w, g)) {
				d.walk(at+" "+name, w[name], g[name])
			}
			return
		}
	case []any:
		if g, ok := got.([]any); ok {
			d.lists(at, w, g)
			return
		}
	case string:
		if g, ok := got.(string); ok && w != g && max(len(w), len(g)) > aWord {
			d.add(at, lengths(len(w), len(g), "other"))
			return
		}
	}
	switch {
	case isDefault(want) && isDefault(got), want == got:
	case want == nil:
		d.add(at, "added")
	case got == nil:
		d.add(at, "gone")
	default:
		d.add(at, "other")
	}
}

func join(a, b map[string]any) map[string]any {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func lengths(want, got int, same string) string {
	switch cmp.Compare(got, want) {
	case -1:
		return "shorter"
	case 1:
		return "longer"
	}
	return same
}

// lists compares items by their ids. Of those that have none, and are not in both, the
// ones of one label are taken for one another, in their order.
func (d departures) lists(at string, want, got []any) {
	w, g := keyed(want), keyed(got)
	if !objects(want) || !objects(got) {
		if !slices.Equal(w.order, g.order) {
			d.add(at, lengths(len(want), len(got), "other"))
		}
		return
	}
	var left, right []string
	lost := map[string][]any{}
	for _, k := range w.order {
		if other, ok := g.items[k]; ok {
			left = append(left, k)
			d.walk(at, w.items[k], other)
			continue
		}
		name := label(w.items[k])
		lost[name] = append(lost[name], w.items[k])
	}
	for _, k := range g.order {
		if _, ok := w.items[k]; ok {
			right = append(right, k)
			continue
		}
		name := label(g.items[k])
		if len(lost[name]) > 0 && word(g.items[k], "id") == "" {
			d.walk(at+" "+name, lost[name][0], g.items[k])
			lost[name] = lost[name][1:]
			continue
		}
		d.add(at+" "+name, "added")
	}
	for name, items := range lost {
		if len(items) > 0 {
			d.add(at+" "+name, "gone")
		}
	}
	if !slices.Equal(left, right) {
		d.add(at, "order")
	}
}

type keyedList struct {
	order []string
	items map[string]any
}

func keyed(list []any) keyedList {
	k := keyedList{items: map[string]any{}}
	for _, item := range list {
		key := word(item, "id")
		if key == "" {
			key = encode(item)
		}
		for _, seen := k.items[key]; seen; _, seen = k.items[key] {
			key += "+"
		}
		k.order, k.items[key] = append(k.order, key), item
	}
	return k
}

func objects(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool { _, ok := item.(map[string]any); return !ok })
}

// label is what an item without an id is by the closed lists.
func label(item any) string {
	for _, name := range []string{"tag", "role", "event", "state"} {
		if w := word(item, name); w != "" {
			return w
		}
	}
	return ""
}
