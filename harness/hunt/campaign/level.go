package campaign

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// Judges reports whether breaks of the group count at the level of the campaign.
func (r *Result) Judges(g *cause.Group) bool {
	return r.Judge.Includes(r.levelOf(g.Check, g.Kind, g.Class))
}

func (r *Result) levelOf(check, kind string, class judge.Class) harness.Level {
	rules := all.Rules(r.Dialect)
	return rules.Level(check, kind, class)
}

// beyond reports whether a cause belongs to a wider level than the campaign's.
func (r *Result) beyond(c cause.Cause) bool {
	return !r.Judge.Includes(r.levelOf(c.Check, c.Kind, c.Class))
}

// wider counts the causes that the next level would add: it makes the causes of the same
// evidence as that level sees it.
func (r *Result) wider(d *dialect.Dialect, e cause.Evidence) int {
	next := *r
	if next.Judge = r.Judge.Next(); next.Judge == "" {
		return 0
	}
	e.Groups = slices.Clone(e.Groups)
	for i := range e.Groups {
		g := &e.Groups[i].Group
		g.Advisory = !next.Judges(g) || g.Class == judge.OnlyCode && r.Codes != harness.ExactCodes
	}
	count := func(causes []cause.Cause, of *Result) (n int) {
		for _, x := range causes {
			if !x.Advisory && !of.beyond(x) {
				n++
			}
		}
		return n
	}
	return max(0, count(cause.Describe(d, &e, cause.Cluster(&e)), &next)-count(r.Causes, r))
}
