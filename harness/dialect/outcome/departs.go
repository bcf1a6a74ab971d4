package outcome

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Departs returns the ways in which an outcome differs from the expected one, each in a few words
// without ids, places or texts: "steps gone", "steps order", "steps dependencies shorter". The words
// are sorted, each once, few and short, whatever an engine makes. Contents are compared if both
// outcomes are applied, and lists in any case: a session goes on after a rejected call. The ways
// separate bugs; they do not compare plans.
func (l Members) Departs(c harness.Case, want, got *harness.Outcome) []string {
	applied, d := want.Verdict == harness.Applied && got.Verdict == harness.Applied, departures{}
	for i := range l {
		if m := &l[i]; (m.Content && applied || m.first != nil && !m.Optional) && m.Given(want) && m.Given(got) &&
			m.Compare(want, got) != nil {
			w, g := m.core(want, filed), m.core(got, filed)
			if m.Free != nil {
				m.Free(c, map[string]any{m.Name: w}, map[string]any{m.Name: g})
			}
			if i := m.parts(want, got, items(w), items(g)); i >= 0 {
				d.parted(items(w), items(g), i)
				continue
			}
			found := len(d)
			if d.walk(nil, w, g); len(d) == found && m.Free == nil {
				d.add([]string{m.Name}, "form") // such as null for an empty text
			}
		}
	}
	words := slices.Sorted(maps.Keys(d))
	return words[:min(len(words), most)]
}

// Departing returns the members whose meaning differs from the right outcome, as JSON without
// members that say no more than their absence: the ones that every engine must give, and the
// one in dispute, but not the plan of a rejection. All members differ from a nil outcome.
func (l Members) Departing(right, got *harness.Outcome, disputed string) map[string]any {
	trees := map[string]any{}
	for i := range l {
		m := &l[i]
		required := !m.Optional && (!m.Content || got.Verdict != harness.Rejected)
		if (required || m.Name == disputed) && (right == nil || m.Compare(right, got) != nil) {
			shown := got
			if m.Unnamed != nil && right != nil {
				shown = m.Unnamed(right, got)
			}
			trees[m.Name] = m.core(shown, silent)
		}
	}
	return trees
}

// core is the tree of the member with what counts of it.
func (m *Member) core(o *harness.Outcome, drop func(at string, v any) bool) any {
	v := m.tree(o)
	for _, item := range items(v) {
		object, _ := item.(map[string]any)
		maps.DeleteFunc(object, func(name string, _ any) bool { return m.Core != nil && !slices.Contains(m.Core, name) })
	}
	return pruned("/"+m.Name, v, drop)
}

func items(v any) []any {
	list, _ := v.([]any)
	return list
}

const (
	most  = 8  // ways to report
	deep  = 3  // names of members that tell a place
	aName = 40 // bytes of a name that the rules know, at most
	// aWord is how many bytes a status or a name has at most: of no such text it is told
	// whether it is too short.
	aWord   = 16
	letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.:"
)

// departures are the ways, each of the names that tell the place and of one word.
type departures map[string]bool

func (d departures) add(at []string, how string) {
	d[strings.Join(append(slices.Clip(at), how), " ")] = true
}

// below is a place within another. A name that an engine, or a reply, made up is none.
func below(at []string, name string) []string {
	switch {
	case len(at) == deep || name == "":
		return at
	case len(name) > aName || strings.Trim(name, letters) != "":
		name = "members"
	}
	return append(slices.Clip(at), name)
}

func (d departures) walk(at []string, want, got any) {
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			for name := range collect.Join(w, g) {
				d.walk(below(at, name), w[name], g[name])
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

// parts is the place of the first event in which two runs differ; -1 if only data of events does, or if the member is
// no run.
func (m *Member) parts(want, got *harness.Outcome, w, g []any) int {
	if !m.Run {
		return -1
	}
	if i := m.first(want, got); i < max(len(w), len(g)) {
		return i
	}
	return -1
}

// parted compares two runs in the first event that differs: all later ones follow from it. An event with a code
// is known by that, a rejected call by its tool and the code, and the event state by the state. That only its step
// differs says nothing.
func (d departures) parted(want, got []any, i int) {
	name := func(list []any) string {
		if i >= len(list) {
			return ""
		}
		name, code := label(list[i]), word(list[i], "code")
		switch {
		case code != "" && word(list[i], "event") == "":
			return strings.TrimPrefix(name+":"+code, ":")
		case code != "":
			return code
		case name == "state":
			return word(list[i], "state")
		}
		return name
	}
	if name(want) == name(got) {
		if at := below(nil, name(want)); len(at) > 0 && word(want[i], "state") != word(got[i], "state") {
			d.add(append(at, "state"), "other")
		}
		return
	}
	for how, list := range map[string][]any{"gone": want, "added": got} {
		if at := below(nil, name(list)); len(at) > 0 {
			d.add(at, how)
		}
	}
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
func (d departures) lists(at []string, want, got []any) {
	w, g := keyed(want), keyed(got)
	if !objects(want) || !objects(got) {
		if !slices.Equal(w.order, g.order) {
			d.add(at, lengths(len(want), len(got), "other"))
		}
		return
	}
	var left, right []itemKey
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
			d.walk(below(at, name), lost[name][0], g.items[k])
			lost[name] = lost[name][1:]
			continue
		}
		d.add(below(at, name), "added")
	}
	for name, items := range lost {
		if len(items) > 0 {
			d.add(below(at, name), "gone")
		}
	}
	if !slices.Equal(left, right) {
		d.add(at, "order")
	}
}

type keyedList struct {
	order []itemKey
	items map[itemKey]any
}

// itemKey is an item's id, or all of it, and, of several that have one, which it is.
type itemKey struct {
	text string
	nth  int
}

func keyed(list []any) keyedList {
	k, times := keyedList{items: map[itemKey]any{}}, map[string]int{}
	for _, item := range list {
		text := word(item, "id")
		if text == "" {
			text = encode(item)
		}
		key := itemKey{text, times[text]}
		times[text]++
		k.order, k.items[key] = append(k.order, key), item
	}
	return k
}

func objects(list []any) bool {
	return !slices.ContainsFunc(list, func(item any) bool { _, ok := item.(map[string]any); return !ok })
}

// label is what an item without an id is by the closed lists.
func label(item any) string {
	for _, name := range []string{"tag", "role", "event", "step", "state"} {
		if w := word(item, name); w != "" {
			return w
		}
	}
	return ""
}
