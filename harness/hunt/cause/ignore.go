package cause

import (
	"maps"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
)

// ignored begins the name of a look-alike that ignores a reply's member of a name, or of a path of names
// (ignore=title, ignore=steps.title), or all limits of the case. It may also ignore the empty values in all objects, or
// in those of a path (ignore=empty values of steps).
const ignored, limits, empties = "ignore=", "limits", "empty values"

// unknown begins the name of a look-alike that does not know a closed value of a member: unknown=call:update, or
// unknown=plan.status:blocked if it does not know the value in plans either.
const unknown, inPlans = "unknown=", "plan."

// others ends the name of a list whose items are ignored, except the first (ignore=ids[1:]).
const others = "[1:]"

// deepest is how deep a reply may nest whose members are looked at.
const deepest = 200

// frequentMember is the share of the plain cases, or of the first cases of a group, that must have a
// member, for a look-alike that ignores it.
const frequentMember, frequentInGroup = 0.02, 1

// firstCases is of how many cases of a group the members are looked at.
const firstCases = 3

// unheard returns the member and the value that a look-alike does not know.
func unheard(lookAlike string) (member, value string, ok bool) {
	rest, ok := strings.CutPrefix(lookAlike, unknown)
	member, value, _ = strings.Cut(strings.TrimPrefix(rest, inPlans), ":")
	return member, value, ok
}

// ignoring returns a suspect for each name and path of a member, and for each closed value, that is common in the
// replies of plain cases or of a group, and one more that ignores limits.
func (c *Campaign) ignoring(groups []Group) (list []suspect) {
	names := map[string]bool{ignored + limits: true}
	c.addMembers(names, c.plain(), frequentMember)
	for i := range groups {
		var cases []harness.Case
		for _, f := range groups[i].Failing[:min(firstCases, len(groups[i].Failing))] {
			cases = append(cases, c.Source.Keeping(c.Seed, f.Index, groups[i].Culprits).Case)
		}
		c.addMembers(names, cases, frequentInGroup)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, ignore(name))
	}
	return list
}

// addMembers adds the names and paths of the members that a share of some cases has in replies, and the closed values.
func (c *Campaign) addMembers(to map[string]bool, cases []harness.Case, share float64) {
	seen := map[string]int{}
	for i := range cases {
		names := map[string]bool{}
		values(string(cases[i].Plan), func(name, value string) bool {
			names[unknown+inPlans+name+":"+value] = slices.Contains(c.Dialect.Layout.Words, value)
			return false
		})
		for _, r := range cases[i].Replies {
			members(string(r), func(name, path string) bool {
				names[ignored+name], names[ignored+path] = true, true
				return false
			})
			emptied(string(r), func(path string) bool {
				names[ignored+empties], names[ignored+empties+" of "+path] = true, true
				return false
			})
			values(string(r), func(name, value string) bool {
				names[unknown+name+":"+value] = slices.Contains(c.Dialect.Layout.Words, value)
				return false
			})
		}
		for name, is := range names {
			seen[name] += int(truth(is))
		}
	}
	for name, n := range seen {
		if n > 0 && float64(n) >= share*float64(len(cases)) {
			to[name] = true
		}
	}
}

// ignore returns the suspect of a name: it ignores a member or limits, or does not know a value.
func ignore(name string) suspect {
	if member, value, ok := unheard(name); ok {
		is := func(m, v string) bool { return m == member && v == value }
		return suspect{name: name, simple: true, defect: mutant.Asks(name, "", func(c *harness.Case) {
			*c = mutant.Reread(*c, func(reply string) string { return values(reply, is) })
			if strings.HasPrefix(name, unknown+inPlans) {
				c.Plan = []byte(values(string(c.Plan), is))
			}
		})}
	}
	what := strings.TrimPrefix(name, ignored)
	if path, ok := strings.CutPrefix(what, empties); ok {
		path = strings.TrimPrefix(path, " of ")
		return suspect{name: name, simple: true, defect: mutant.Reads(name, "", func(reply string) string {
			return emptied(reply, func(at string) bool { return path == "" || path == at })
		})}
	}
	last := strings.TrimSuffix(what[strings.LastIndexByte(what, '.')+1:], others)
	d := mutant.Reads(name, "", func(reply string) string {
		if !strings.Contains(reply, last) {
			return reply
		}
		return members(reply, func(name, path string) bool { return what == name || what == path })
	})
	if what == limits {
		d = mutant.Asks(name, "", func(c *harness.Case) { c.Limits = harness.Limits{} })
	}
	return suspect{name: name, simple: true, defect: d}
}

// tests reports whether the rules reject a case at the member that a suspect ignores: an engine may test a member, and
// ignore it afterwards.
func tests(s suspect, o *observed) bool {
	path, ok := strings.CutPrefix(s.name, ignored)
	if !ok || o.right.At == nil {
		return false
	}
	at := strings.ReplaceAll(number.ReplaceAllString(*o.right.At, ""), "/", ".") + "."
	return strings.Contains(at, "."+strings.TrimSuffix(path, others)+".")
}

// alikeIgnored reports whether two look-alikes ignore the same: one of two members may contain the other, be
// given by its name alone, or be spelled with an underscore.
func alikeIgnored(a, b string) bool {
	x, isX := strings.CutPrefix(plainly(a), ignored)
	y, isY := strings.CutPrefix(plainly(b), ignored)
	if len(x) > len(y) {
		x, y = y, x
	}
	return isX && isY && (x == y || strings.HasPrefix(y, x+".") || strings.HasSuffix(y, "."+x))
}

// plainly returns a name without what spellings differ in.
func plainly(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// members returns a reply without the members, and the other items of lists, for which gone is true.
func members(reply string, gone func(name, path string) bool) string {
	return rewritten(reply, func(n *strictjson.Node, at []string) (changed bool) {
		path := func(m *strictjson.Node) string { return strings.Join(append(slices.Clip(at), m.Key()), ".") }
		for i := range n.Kids {
			m := &n.Kids[i]
			if m.Kind == strictjson.Array && len(m.Kids) > 1 && gone(m.Key()+others, path(m)+others) {
				m.Kids, changed = m.Kids[:1], true
			}
		}
		return n.Drop(func(m *strictjson.Node) bool { return gone(m.Key(), path(m)) }) || changed
	})
}

// emptied returns a reply without the empty values in objects whose path is one for which gone is true. Of an object
// without an empty value it is not asked.
func emptied(reply string, gone func(path string) bool) string {
	return rewritten(reply, func(n *strictjson.Node, at []string) bool {
		return slices.ContainsFunc(n.Kids, isEmpty) && gone(strings.Join(at, ".")) &&
			n.Drop(func(m *strictjson.Node) bool { return isEmpty(*m) })
	})
}

// isEmpty reports whether an engine that asks whether there is a value, as Python's if does, takes it for none.
func isEmpty(n strictjson.Node) bool {
	switch n.Kind {
	case strictjson.Null:
		return true
	case strictjson.Bool:
		return n.Raw == "false"
	case strictjson.Number:
		return strings.Trim(n.Raw, "-0.") == ""
	case strictjson.String:
		return n.Text() == ""
	}
	return len(n.Kids) == 0
}

// values returns a reply with a text that no protocol has in place of the strings in members of objects for which gone
// is true.
func values(reply string, gone func(name, value string) bool) string {
	return rewritten(reply, func(n *strictjson.Node, _ []string) (changed bool) {
		for i := range n.Kids {
			if m := &n.Kids[i]; m.Kind == strictjson.String && gone(m.Key(), m.Text()) {
				m.Raw, changed = strictjson.Quote(strings.Repeat("?", len(m.Text()))), true
			}
		}
		return changed
	})
}

// rewritten returns a reply with its objects changed, no shorter, for limits of the size. It returns a reply that is
// not one JSON value, and one without a change, as it is.
func rewritten(reply string, change func(object *strictjson.Node, at []string) (changed bool)) string {
	root, changed := strictjson.NewTree(reply, deepest), false
	if root == nil {
		return reply
	}
	root.Walk(func(n *strictjson.Node, at []string) {
		if n.Kind == strictjson.Object && change(n, at) {
			changed = true
		}
	})
	if !changed {
		return reply
	}
	rest := root.String()
	return rest + strings.Repeat(" ", max(0, len(reply)-len(rest)))
}
