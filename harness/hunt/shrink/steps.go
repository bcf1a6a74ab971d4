package shrink

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// eachID calls f with every id in a document, as written.
func (d part) eachID(f func(id *string)) {
	if d.byID {
		for i := range d.root.Kids {
			f(&d.root.Kids[i].Name)
		}
		return
	}
	eachID(d.root, d.layout, f)
}

func eachID(n *node, l *layout, f func(id *string)) {
	for i := range n.Kids {
		k := &n.Kids[i]
		switch {
		case k.Kind == strictjson.String && l.NamesID(k.Key()):
			f(&k.Raw)
		case k.Kind == strictjson.Array && l.NamesList(k.Key()):
			for j := range k.Kids {
				if item := &k.Kids[j]; item.Kind == strictjson.String {
					f(&item.Raw)
				} else {
					eachID(item, l, f)
				}
			}
		default:
			eachID(k, l, f)
		}
	}
}

// without leaves out what has one of the ids: items of lists, and mentions in lists
// of ids.
func (d part) without(ids ...string) {
	gone := make(map[string]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	if d.byID {
		d.root.Drop(func(k *node) bool { return gone[k.Name] })
		return
	}
	without(d.root, d.layout, gone)
}

func without(n *node, l *layout, gone map[string]bool) {
	if n.Kind == strictjson.Array {
		list := l.NamesList(n.Key())
		n.Drop(func(k *node) bool { return hasAny(k, l, gone) || list && k.Kind == strictjson.String && gone[k.Raw] })
	}
	for i := range n.Kids {
		if len(n.Kids[i].Kids) > 0 {
			without(&n.Kids[i], l, gone)
		}
	}
}

// hasAny reports whether an item is a thing with one of the ids, or an operation
// on it.
func hasAny(n *node, l *layout, gone map[string]bool) bool {
	return slices.ContainsFunc(n.Kids, func(k node) bool {
		if k.Kind == strictjson.String {
			return gone[k.Raw] && l.NamesID(k.Key())
		}
		return len(k.Kids) > 0 && l.Wraps(k.Key()) && hasAny(&k, l, gone)
	})
}

// is reports whether a node is the string, as written.
func is(n *node, raw string) bool { return n.Kind == strictjson.String && n.Raw == raw }

// has reports whether an item is the thing with that id, or an operation on it.
func has(n *node, l *layout, id string) bool {
	return slices.ContainsFunc(n.Kids, func(k node) bool {
		return is(&k, id) && l.NamesID(k.Key()) || l.Wraps(k.Key()) && has(&k, l, id)
	})
}

// collect returns the ids of all documents as written: first the ids in the case's own
// documents, then ids that only replies have.
func collect(parts []part) []string {
	var ids []string
	for _, d := range slices.Backward(parts) {
		d.eachID(func(id *string) {
			if !slices.Contains(ids, *id) && len(ids) < maxIDs {
				ids = append(ids, *id)
			}
		})
	}
	return ids
}

// maxIDs bounds the ids that are looked at one by one.
const maxIDs = 500

// steps leaves steps out wherever they are named: many at once, then one by
// one.
func (s *shrinker) steps() {
	ids := collect(s.parts())
	reduce(&s.left, ids, func(rest []string) bool {
		stays := make(map[string]bool, len(rest))
		for _, id := range rest {
			stays[id] = true
		}
		var gone []string
		for _, id := range ids {
			if !stays[id] {
				gone = append(gone, id)
			}
		}
		parts := s.parts()
		for _, d := range parts {
			d.without(gone...)
		}
		return s.tryFewer(parts)
	})
}

// tryFewer tries the case with documents from which steps were left out: as it
// is, with a limit that is lower by as many steps as the plan lost, and by as
// many as plan and replies lost. What just fitted still does, and no more.
func (s *shrinker) tryFewer(parts []part) bool {
	c := s.with(parts...)
	if s.try(c) {
		return true
	}
	limit := s.best.Limits.MaxPlanSteps
	if limit == nil {
		return false
	}
	fromPlan, fromAll := planSteps(s.best)-planSteps(c), len(collect(s.parts()))-len(collect(parts))
	for _, gone := range []int{fromPlan, fromAll} {
		if gone < 1 || gone >= *limit {
			continue
		}
		if c.Limits.MaxPlanSteps = new(*limit - gone); s.try(c) {
			return true
		}
	}
	return false
}

// planSteps counts the steps of a case's plan.
func planSteps(c harness.Case) int {
	if root := parse(string(c.Plan)); root != nil {
		if list := root.Get("steps"); list != nil {
			return len(list.Kids)
		}
	}
	return 0
}

// ids renames steps to a, b, c …: all at once, or else one by one. An id with surrounding
// white space first becomes the trimmed id, so that both get the same name.
func (s *shrinker) ids() {
	s.spaces()
	ids := collect(s.parts())
	names := make(map[string]string, len(ids))
	for i, id := range ids {
		names[id] = name(i)
	}
	if s.rename(names) {
		return
	}
	for _, id := range ids {
		if to := names[id]; s.left > 0 && !slices.Contains(ids, to) {
			s.rename(map[string]string{id: to})
		}
	}
}

// spaces takes white space off the ends of ids.
func (s *shrinker) spaces() {
	c := s.best
	c.Replies = slices.Clone(c.Replies)
	for _, d := range s.parts() {
		d.eachID(func(id *string) { *id = trimmed(*id) })
		d.put(&c, d.root.String())
	}
	s.try(c)
}

// trimmed returns a JSON string without white space at its ends. Other values do not
// change.
func trimmed(quoted string) string {
	text, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil || strings.TrimSpace(string(text)) == string(text) {
		return quoted
	}
	return strictjson.Quote(strings.TrimSpace(string(text)))
}

// rename puts other ids for ids, both as written, in all documents at once. In
// a reply that is no document every such text in quotes counts as an id.
func (s *shrinker) rename(names map[string]string) bool {
	c := s.best
	c.Replies = slices.Clone(c.Replies)
	var pairs []string
	for _, id := range slices.Sorted(maps.Keys(names)) {
		pairs = append(pairs, id, names[id])
	}
	replacer := strings.NewReplacer(pairs...)
	for i, r := range c.Replies {
		if start, end := object(string(r)); start < 0 || parse(string(r[start:end])) == nil {
			c.Replies[i] = harness.Reply(replacer.Replace(string(r)))
		}
	}
	for _, d := range s.parts() {
		d.eachID(func(id *string) {
			if to, ok := names[*id]; ok {
				*id = to
			}
		})
		d.put(&c, d.root.String())
	}
	return s.try(c)
}

// name returns the i-th simple id, in quotes: a to z, then a1 and so on.
func name(i int) string {
	letter := string(rune('a' + i%26))
	if i >= 26 {
		letter += strconv.Itoa(i / 26)
	}
	return `"` + letter + `"`
}
