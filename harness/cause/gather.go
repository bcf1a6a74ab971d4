package cause

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/judge"
)

// gathered joins rows once more, now that it is known which have look-alikes: where the
// known defects do not tell rows apart, what is told of them must. It was measured on
// engines whose defect names nothing, and on pairs of such defects, which are to stay two.
func (c *Campaign) gathered(rows []*row) (list []*row) {
	for _, r := range rows {
		c.head(r)
	}
	homes, many := c.homes(rows), map[string]int{}
	var parts [][]*row
	for _, r := range rows {
		if parts = append(parts, []*row{r}); r.looksLike == "" {
			many[broadly(r.head())]++
		}
	}
	one := func(a, b *row) bool { return homes[a] == b || homes[b] == a || c.oneMistake(a, b, many) }
	parts = connected(parts, func(a, b []*row) bool {
		return slices.ContainsFunc(a, func(r *row) bool { return slices.ContainsFunc(b, func(o *row) bool { return one(r, o) }) })
	})
	for _, part := range parts {
		list = append(list, together(part))
	}
	return list
}

// together makes one row of several, whose look-alike is the one that all have.
func together(rows []*row) *row {
	one := &row{sentence: rows[0].sentence, looksLike: rows[0].looksLike}
	for _, r := range rows {
		if one.groups = append(one.groups, r.groups...); r.looksLike != one.looksLike {
			one.looksLike = ""
		}
	}
	return one
}

// apart reports whether a row is never taken for a part of another: advice, what does
// not answer at all, and what answers otherwise the next time.
func apart(r *row) bool {
	class := r.head().Class
	return class == judge.Crashes || class == judge.Unsteady || !slices.ContainsFunc(r.groups, func(g Group) bool { return !g.Advisory })
}

// oneMistake reports whether two rows are likely one mistake, where one at least has no
// look-alike: they break the same check in the same kind. Where neither has one, they
// are, too, if the traits have one theme; if they break the same check, which plain cases
// of one of them do; or if so many rows do that no trait can be what makes it.
func (c *Campaign) oneMistake(a, b *row, many map[string]int) bool {
	g, h := a.head(), b.head()
	same := g.Class == h.Class && g.Check == h.Check && !vague(g) && !vague(h)
	switch {
	case apart(a), apart(b), a.looksLike != "" && b.looksLike != "":
		return false
	case same && g.Kind == h.Kind:
		return true
	case a.looksLike != "", b.looksLike != "":
		return false
	case c.oneTheme(a, b), same && (len(g.Culprits) == 0 || len(h.Culprits) == 0):
		return true
	}
	return broadly(g) == broadly(h) && many[broadly(g)] >= Broad
}

// oneTheme reports whether all groups of two rows have a theme in common.
func (c *Campaign) oneTheme(a, b *row) bool {
	for _, t := range c.traits(a.head()) {
		all := func(g Group) bool {
			return slices.ContainsFunc(c.traits(&g), func(o *generators.Trait) bool { return o.Theme == t.Theme })
		}
		if t.Theme != "" && !slices.ContainsFunc(slices.Concat(a.groups, b.groups), func(g Group) bool { return !all(g) }) {
			return true
		}
	}
	return false
}

// vague reports whether a group's kind says no more than that an answer is another one.
func vague(g *Group) bool {
	word := strings.TrimPrefix(broadly(g), string(g.Class)+" "+g.Check+" ")
	return oracle(g) && (word == "differs" || word == "reports")
}

// broadly is how a group breaks, whatever the code.
func broadly(g *Group) string {
	word, _, _ := strings.Cut(g.Kind, ":")
	return string(g.Class) + " " + g.Check + " " + word
}

// homes finds, for rows that most cases with their traits do not show, where they
// belong: something else than the trait makes them. That is the row without a look-alike
// that is most like them; one of another class only for what hardly any case shows, and
// says no more than that an answer is wrong.
func (c *Campaign) homes(rows []*row) map[*row]*row {
	held := c.held(rows)
	shown := map[*row]float64{} // the share of the cases with the traits
	for i, r := range rows {
		if shown[r] = 1; len(r.head().Culprits) > 0 && held[i] > 0 {
			shown[r] = float64(r.cases()) / float64(held[i])
		}
	}
	homes := map[*row]*row{}
	for _, r := range rows {
		if shown[r] >= half || shown[r] >= hardly && r.looksLike != "" || apart(r) {
			continue
		}
		var best *row
		told := shown[r] >= hardly || !oracle(r.head())
		for _, o := range rows {
			if o == r || o.looksLike != "" || apart(o) || told && o.head().Class != r.head().Class {
				continue
			}
			if best == nil || c.likelier(r, o, best, shown) {
				best = o
			}
		}
		homes[r] = best
	}
	return homes
}

// Below half of its cases a trait does not say when a row shows, and below a fifth it
// says next to nothing.
const half, hardly = 0.5, 0.2

// likelier reports whether a row rather belongs to o than to p.
func (c *Campaign) likelier(r, o, p *row, shown map[*row]float64) bool {
	g := r.head()
	class := func(x *row) bool { return x.head().Class == g.Class }
	check := func(x *row) bool { return class(x) && x.head().Check == g.Check }
	strong := func(x *row) bool { return shown[x] >= hardly }
	return cmp.Or(compareBool(check(p), check(o)), compareBool(class(p), class(o)), compareBool(strong(p), strong(o)), cmp.Compare(o.cases(), p.cases()), c.compare(p.head(), o.head())) > 0
}
