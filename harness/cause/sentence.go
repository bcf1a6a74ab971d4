package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness/judge"
)

// Sentence says what is wrong in plain words: what broke, and with what.
func (c *Campaign) Sentence(g *Group) string {
	if with := c.with(g.Culprits); with != "" {
		return c.what(g) + ", with " + with
	}
	return c.what(g) + ", in a plain case"
}

// what puts a check and a kind in words.
func (c *Campaign) what(g *Group) string {
	kind := g.Kind
	if _, inner, ok := strings.Cut(kind, "/"); ok {
		kind = inner
	}
	word, rest, _ := strings.Cut(kind, ":")
	if k, ok := c.Dialect.Judging.Kind(g.Check, g.Kind); ok && k.Text != "" {
		return strings.ReplaceAll(k.Text, "…", rest)
	}
	switch word {
	case "accepts":
		return fmt.Sprintf("the engine applies what its own rules refuse (%s)", rest)
	case "refuses":
		if rest == "" {
			return "the engine refuses what its own rules accept"
		}
		return fmt.Sprintf("the engine refuses what its own rules accept (it says %s)", rest)
	case "differs":
		other := "another"
		if strings.HasSuffix(rest, "s") { // such as messages
			other = "other"
		}
		return fmt.Sprintf("the engine makes %s %s than its own rules", other, rest)
	case "reports":
		return fmt.Sprintf("the result is right, but not its %s", rest)
	case "code":
		want, got, ok := strings.Cut(rest, ":")
		if !ok {
			break // of a check of its own, without the codes
		}
		return fmt.Sprintf("the engine refuses as %s what its own rules refuse as %s", got, want)
	}
	text := g.Check
	if i := c.Dialect.Judging.Place(g.Check); i >= 0 {
		text = c.Dialect.Judging.Checks[i].Text
	}
	return fmt.Sprintf("it does not hold that %s (%s)", text, strings.ReplaceAll(kind, ":", " "))
}

// showsAs lists what the groups of a row say, but for what the one says that names it:
// class and sentence, without the traits.
func (c *Campaign) showsAs(r *row) (list []string) {
	cases, own := map[string]uint64{}, string(r.head().Class)+": "+c.what(r.head())
	for i := range r.groups {
		g := &r.groups[i]
		text := string(g.Class) + ": " + c.what(g)
		if cases[text] == 0 && text != own {
			list = append(list, text)
		}
		cases[text] += g.Cases
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(cases[b], cases[a]) })
	return list
}

// hows puts the last words of [outcome.Members.Departs] in plain ones.
func hows() map[string]string {
	return map[string]string{
		"gone": "missing", "added": "not asked for", "order": "in another order", "shorter": "too short", "longer": "too long", "other": "another",
	}
}

// where says in which way nearly all cases of a group part from what is right, where its
// kind does not.
func where(g *Group) string {
	if g.Class != judge.Differs {
		return ""
	}
	for way, share := range departs(&row{groups: []Group{*g}}) {
		if share < nearly || strings.Contains(way, ",") {
			continue
		}
		if i := strings.LastIndexByte(way, ' '); i > 0 {
			return " (" + way[:i] + ": " + hows()[way[i+1:]] + ")"
		}
	}
	return ""
}

// nearly all is that share.
const nearly = 0.8

// with names themes and places of traits, each once.
func (c *Campaign) with(traits []string) string {
	var words []string
	for _, name := range traits {
		word := name
		if i := slices.IndexFunc(c.Dialect.Traits, func(t generators.Trait) bool { return t.Name == name }); i >= 0 {
			word = themed(c.Dialect.Traits[i])
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return strings.Join(words, " and ")
}

func themed(t generators.Trait) string {
	switch {
	case t.Theme == "":
		return t.Name
	case t.Place == "":
		return t.Theme
	}
	return t.Theme + " in " + strings.TrimPrefix(t.Place, "in ")
}

// Worst reports whether a break is worse than another: by class, then by the
// order of the checks.
func Worst(rules *judge.Rules, a, b judge.Break) bool {
	if a.Class != b.Class {
		return a.Class.Rank() < b.Class.Rank()
	}
	return rules.Place(a.Check) < rules.Place(b.Check)
}
