package cause

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/dialect/check"
	"replanbench/harness/hunt/judge"
)

// gathered merges rows that no look-alike separates. The thresholds were measured on
// engines with a defect outside the list, and on pairs of such defects, which must stay
// two causes.
func (c *Campaign) gathered(rows []*row) (list []*row) {
	for _, r := range rows {
		c.head(r)
	}
	homes, many := c.homes(rows), kinds(rows)
	var parts [][]*row
	for _, r := range rows {
		parts = append(parts, []*row{r})
	}
	one := func(a, b *row) bool { return homes[a] == b || homes[b] == a || c.oneMistake(a, b, many) }
	parts = connected(parts, func(a, b []*row) bool {
		return slices.ContainsFunc(a, func(r *row) bool {
			return slices.ContainsFunc(b,
				func(o *row) bool { return one(r, o) })
		})
	})
	for _, part := range parts {
		list = append(list, together(part))
	}
	return c.lone(list)
}

// lone merges weak rows into the only strong row, if there is exactly one: the weak rows
// are likely consequences of one bug. It leaves rows alone that a known defect explains,
// or that only differ where the strong row breaks a check.
func (c *Campaign) lone(rows []*row) (list []*row) {
	main := largest(rows)
	if main == nil || main.looksLike != "" || len(main.head().Culprits) == 0 && 2*main.cases() > c.End {
		return rows
	}
	shown := c.shown(rows)
	weak := func(r *row) bool {
		seldom := shown[r] < half || len(r.head().Culprits) == 0 && scarce*r.cases() < c.End
		return seldom && minor*r.cases() <= main.cases()
	}
	if slices.ContainsFunc(rows, func(r *row) bool { return r != main && !apart(r) && !weak(r) }) {
		return rows
	}
	for _, r := range rows {
		if r == main || apart(r) || r.looksLike != "" && shown[r] >= hardly || oracle(main.head()) && !oracle(r.head()) ||
			departApart(r, main) {
			list = append(list, r)
			continue
		}
		main.groups = append(main.groups, r.groups...)
	}
	return list
}

// largest returns the row with the most cases among those that can be merged.
func largest(rows []*row) (most *row) {
	for _, r := range rows {
		if !apart(r) && (most == nil || r.cases() > most.cases()) {
			most = r
		}
	}
	return most
}

// kinds counts, for each way to break, the kinds in which rows without a look-alike do.
func kinds(rows []*row) map[string]int {
	seen, count := map[string]bool{}, map[string]int{}
	for _, r := range rows {
		if g := r.head(); r.looksLike == "" && !seen[g.Check+" "+g.Kind] {
			seen[g.Check+" "+g.Kind] = true
			count[broadly(g)]++
		}
	}
	return count
}

// together makes one row of several, whose look-alike is the one that all have, but for
// those that only follow from others.
func together(rows []*row) *row {
	one := &row{topic: rows[0].topic}
	var names []string
	for _, r := range rows {
		one.groups = append(one.groups, r.groups...)
		if !follows(r) && !slices.Contains(names, r.looksLike) {
			names = append(names, r.looksLike)
		}
	}
	if len(names) == 1 {
		one.looksLike = names[0]
	}
	return one
}

// follows reports whether a row is what often comes of another mistake.
func follows(r *row) bool {
	class := r.head().Class
	return r.looksLike == "" && (slow(r.head()) || class == judge.Unsteady || class == judge.Reports)
}

// apart reports whether a row is never merged into another. This is true for advisory
// rows, crashes and nondeterministic answers.
func apart(r *row) bool {
	class := r.head().Class
	return class == judge.Crashes || class == judge.Unsteady ||
		!slices.ContainsFunc(r.groups, func(g Group) bool { return !g.Advisory })
}

// oneMistake reports whether two rows are likely one bug, where at least one has no
// look-alike. They are if they break the same check in the same way, or if one is only a
// wrong report about the other. Without any look-alike they also are if their answers
// differ alike, if plain cases of one break the check of the other, or if too many rows do
// so for a trait to be the reason.
func (c *Campaign) oneMistake(a, b *row, many map[string]int) bool {
	g, h := a.head(), b.head()
	same := g.Class == h.Class && g.Check == h.Check && !vague(g) && !vague(h)
	switch {
	case slow(g) && slow(h), remembered(g, h), remembered(h, g):
		return true
	case apart(a), apart(b), a.looksLike != "" && b.looksLike != "":
		return false
	case same && g.Kind == h.Kind, sameWay(g, h) && departAlike(a, b, nearlyAll):
		return true
	case (follows(a) || follows(b)) && told(g, h) && c.oneSubject(a, b):
		return true
	case a.looksLike != "", b.looksLike != "", departApart(a, b):
		return false
	case departAlike(a, b, half) && (g.Class == h.Class || vague(g) || vague(h)), departAlike(a, b, nearlyAll):
		return true
	case c.oneSubject(a, b), same && (len(g.Culprits) == 0 || len(h.Culprits) == 0), oneCode(g, h), told(g, h) &&
		c.share(g, h, theme):
		return true
	}
	return broadly(g) == broadly(h) && many[broadly(g)] >= Broad
}

// slow reports whether a group is a text that takes too long. An engine that reads one
// slowly reads others so.
func slow(g *Group) bool { return g.Check == check.Bounded && strings.HasPrefix(g.Kind, "slow:") }

// remembered reports whether one group changes its input and the other depends on earlier
// requests.
func remembered(g, h *Group) bool {
	return g.Class == judge.Unsteady && g.Kind == "history" && h.Check == judge.InputUnchanged
}

// oneCode reports whether there is a code that an engine does not give where the rules
// do, or gives where they do not, in both groups.
func oneCode(g, h *Group) bool {
	lacks, gives := codes(g)
	lacks2, gives2 := codes(h)
	return lacks != "" && lacks == lacks2 || gives != "" && gives == gives2
}

// codes returns the code that the engine fails to return and the code that it returns
// instead; "" if there is no such code.
func codes(g *Group) (lacks, gives string) {
	if !oracle(g) {
		return refusedFor(g), ""
	}
	word, code, _ := strings.Cut(g.Kind, ":")
	switch judge.Class(word) {
	case judge.Accepts:
		return code, ""
	case judge.Refuses:
		return "", code
	case judge.OnlyCode:
		lacks, gives, _ = strings.Cut(code, ":")
	}
	return lacks, gives
}

// refusedFor is the code with which the rules refuse a quarter of a group's cases or
// more, if any.
func refusedFor(g *Group) (code string) {
	accepted := judge.Reference + " " + string(judge.Accepts) + ":"
	for key, n := range g.Beside {
		if of, ok := strings.CutPrefix(key, accepted); ok && 4*n >= g.Cases && n > g.Beside[accepted+code] {
			code = of
		}
	}
	return code
}

// told reports whether exactly one of two groups is only a wrong report.
func told(g, h *Group) bool { return (g.Class == judge.Reports) != (h.Class == judge.Reports) }

// oneSubject reports whether most cases of two rows are about one thing.
func (c *Campaign) oneSubject(a, b *row) bool {
	return slices.ContainsFunc(c.traits(a.head()), func(t *generators.Trait) bool {
		subject := c.subject(t)
		return subject != "" && c.mostlyAbout(a, subject) && c.mostlyAbout(b, subject)
	})
}

func (c *Campaign) mostlyAbout(r *row, subject string) bool {
	n := uint64(0)
	for i := range r.groups {
		g := &r.groups[i]
		if slices.ContainsFunc(c.traits(g), func(t *generators.Trait) bool { return c.subject(t) == subject }) {
			n += g.Cases
		}
	}
	return 2*n > r.cases()
}

// subject is what a trait is about: its theme, or the first of the themes that are about
// the same thing.
func (c *Campaign) subject(t *generators.Trait) string {
	for _, themes := range c.Dialect.Subjects {
		if slices.Contains(themes, t.Theme) {
			return themes[0]
		}
	}
	return t.Theme
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
// that is most like them, and much larger, and breaks the same check.
func (c *Campaign) homes(rows []*row) map[*row]*row {
	shown := c.shown(rows)
	homes := map[*row]*row{}
	for _, r := range rows {
		if shown[r] >= half || shown[r] >= hardly && r.looksLike != "" || apart(r) {
			continue
		}
		var best *row
		for _, o := range rows {
			if o != r && o.looksLike == "" && !apart(o) && minor*r.cases() <= o.cases() && mayBeHome(r, o) &&
				!departApart(r, o) && (best == nil || c.likelier(o, best, shown)) {
				best = o
			}
		}
		homes[r] = best
	}
	return homes
}

// shown is, for each row, the share of the cases with its traits that show it.
func (c *Campaign) shown(rows []*row) map[*row]float64 {
	traced := make([]*row, len(rows))
	for i, r := range rows {
		plain := func(g Group) bool { return len(g.Culprits) == 0 }
		traced[i] = &row{groups: slices.DeleteFunc(slices.Clone(r.groups), plain)}
	}
	held, shown := c.held(traced), map[*row]float64{}
	for i, r := range rows {
		if shown[r] = 1; len(r.head().Culprits) > 0 && held[i] > 0 {
			shown[r] = float64(r.cases()) / float64(held[i])
		}
	}
	return shown
}

func mayBeHome(r, o *row) bool {
	g, h := r.head(), o.head()
	return g.Class == h.Class && g.Check == h.Check && (!oracle(g) || g.Kind == h.Kind)
}

// scarce is what shows without any trait in less than one case of so many.
const scarce = 100

// minor is how many times as many cases the larger of two rows must have for the smaller
// to be minor.
const minor = 3

// Below half of its cases a trait does not say when a row shows, and below a fifth it
// says next to nothing.
const half, hardly = 0.5, 0.2

// likelier reports whether a row rather belongs to o than to p.
func (c *Campaign) likelier(o, p *row, shown map[*row]float64) bool {
	strong := func(x *row) bool { return shown[x] >= hardly }
	return cmp.Or(compareBool(strong(p), strong(o)), cmp.Compare(o.cases(), p.cases()), c.compare(p.head(), o.head())) > 0
}
