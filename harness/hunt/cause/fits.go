package cause

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/hunt/judge"
)

// Fits says how far a break of another case shows the same as a group, from 0 to 2: it must
// break the same check in the same kind and, if both are known, differ in the same way from
// the expected outcome.
func Fits(g *Group, b judge.Break, departs []string) float64 {
	const stores, otherType = "stores:", 0.5 // an engine that stores any wrong type has one bug
	switch {
	case g.Check != b.Check:
		return 0
	case g.Kind == b.Kind || strings.HasPrefix(g.Kind, b.Kind+":"):
	case strings.HasPrefix(g.Kind, stores) && strings.HasPrefix(b.Kind, stores):
		return otherType
	default:
		return 0
	}
	shares := ways(g)
	if len(shares) == 0 || len(departs) == 0 {
		return 1
	}
	most := 0.0
	for _, way := range departs {
		most = max(most, shares[way])
	}
	if most == 0 {
		return 0
	}
	return 1 + most
}

// Resembles reports whether the reference with a look-alike answers a case as an engine did,
// and not as the reference does.
func (c *Campaign) Resembles(lookAlike string, k harness.Case, given *harness.Outcome) bool {
	o, list := c.passed(generators.Sample{Case: k}, 0, ""), c.suspects()
	got := Digest(c.Dialect.Members, &o.right, c.aligned(k, given, &o.right), c.Exact, "")
	if strings.HasPrefix(lookAlike, unknown) || strings.HasPrefix(lookAlike, ignored) {
		list = append(list, ignore(lookAlike))
	}
	return lookAlike != "" && got != o.answer &&
		slices.ContainsFunc(list, func(s suspect) bool {
			return s.name == lookAlike && c.answer(s.defect.Wrap(c.Dialect.Eval), s, &o, "") == got
		})
}
