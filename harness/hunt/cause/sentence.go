package cause

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

// Sentence says in one line what the engine does wrong and, if it does so only with
// some traits, when: "Drops a finished step when a full plan leaves it out". The first
// group names the failure, all groups give conditions.
func (c *Campaign) Sentence(groups ...*Group) string {
	list := collect.Map(groups, func(g *Group) *Fact { return &Fact{Group: *g} })
	return c.sentence(list[0], list)
}

// sentence is [Campaign.Sentence] for the groups of a cause. Only groups that break the check of the
// first one in the same kind, or in a kind that differs in the member, give conditions: the others
// show something else, or are a few cases, with more traits or of many that have the traits.
func (c *Campaign) sentence(head *Fact, list []*Fact) string {
	kinds := c.kinds(head, list)
	rare := rarely(head, kinds, list)
	same := slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool {
		return f.Check != head.Check || !slices.Contains(kinds, f.Kind) ||
			(len(f.Culprits) > len(head.Culprits) || float64(f.Cases) < usual*float64(f.Held)) &&
				float64(f.Cases) < seldom*float64(head.Cases)
	})
	does := c.does(&head.Group)
	if k, ok := c.Dialect.Judging.Kind(head.Check, head.Kind); ok && len(kinds) > 1 {
		for i := range kinds {
			kinds[i] = rest(kinds[i])
		}
		does = capital(strings.ReplaceAll(k.Text, "…", either(kinds)))
	}
	if len(kinds) > shown { // the conditions would repeat the members
		return does
	}
	if member, value, ok := unheard(likeness(list)); ok {
		return fmt.Sprintf("%s%s when %s is %q", does, where(head), member, value)
	}
	if rare {
		does = "Sometimes " + lower(does)
	}
	if main, like := mostly(head, list); main != nil {
		return does + where(head) + ", mostly " + lower(c.does(&main.Group)) + where(main) + c.when(main, least(like))
	}
	return does + where(head) + c.when(head, least(same))
}

// mostly returns the largest group of the break that most failing cases of a cause show, and all groups of it, if few
// cases break the check of the first group as badly: the worst effect alone would describe hardly any of them.
func mostly(head *Fact, list []*Fact) (main *Fact, like []*Fact) {
	cases, worst, of := map[string]uint64{}, uint64(0), uint64(0)
	for _, f := range list {
		if f.Advisory && !head.Advisory {
			continue
		}
		if of += f.Cases; f.Check == head.Check && f.Class == head.Class {
			worst += f.Cases
		} else {
			cases[f.Check+" "+f.Kind] += f.Cases
		}
	}
	share := func(f *Fact) float64 { return float64(cases[f.Check+" "+f.Kind]) / float64(of) }
	for _, f := range list {
		if float64(worst) < seldom*float64(of) && share(f) >= usual && (main == nil || f.Cases > main.Cases) {
			main = f
		}
	}
	return main, slices.DeleteFunc(slices.Clone(list), func(f *Fact) bool { return share(f) < usual })
}

// lower makes a sentence a part of another one.
func lower(text string) string { return strings.ToLower(text[:1]) + text[1:] }

// kinds are the kinds of a cause that are not rare and differ from that of the first group only
// in the member, such as changed:title and changed:status, most frequent first.
func (c *Campaign) kinds(head *Fact, list []*Fact) []string {
	k, _ := c.Dialect.Judging.Kind(head.Check, head.Kind)
	cases, most := map[string]uint64{}, uint64(0)
	word := strings.TrimSuffix(head.Kind, rest(head.Kind))
	for _, f := range list {
		if f.Check == head.Check && strings.TrimSuffix(f.Kind, rest(f.Kind)) == word {
			cases[f.Kind] += f.Cases
			most = max(most, cases[f.Kind])
		}
	}
	maps.DeleteFunc(cases, func(kind string, n uint64) bool {
		return kind != head.Kind && float64(n) < often*float64(most)
	})
	if !strings.Contains(k.Text, "…") || strings.Contains(head.Kind, "/") {
		return []string{head.Kind}
	}
	return slices.SortedFunc(maps.Keys(cases), func(a, b string) int {
		return cmp.Or(cmp.Compare(cases[b], cases[a]), strings.Compare(a, b))
	})
}

// either joins words: "a or b", "a, b or c", "a, b and 2 more".
func either(words []string) string {
	const most = 3
	switch n := len(words); {
	case n > most:
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most-1], ", "), n-most+1)
	case n > 1:
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return words[0]
}

// Topic is the text by which groups are merged: the failure and the themes of the
// traits. Traits of one theme have one topic.
func (c *Campaign) Topic(g *Group) string { return c.does(g) + " | " + c.themes(g.Culprits) }

// does returns the verb phrase for a check and a kind, in upper case: "Drops a step".
func (c *Campaign) does(g *Group) string {
	if k, ok := c.Dialect.Judging.Kind(g.Check, g.Kind); ok && k.Text != "" {
		text := capital(strings.ReplaceAll(k.Text, "…", rest(g.Kind)))
		if other, _, ok := strings.Cut(g.Kind, "/"); ok && other != g.Check { // the answer to a second case
			text += " (" + g.Check + ")"
		}
		return text
	}
	if text := c.compared(inner(g.Kind)); text != "" {
		if _, _, ok := relation(g); ok {
			text += " in a changed case (" + c.check(g) + ")"
		}
		return text
	}
	return fmt.Sprintf("Violates: %s (%s)", c.check(g), strings.ReplaceAll(inner(g.Kind), ":", " "))
}

// check is what the check of a group demands.
func (c *Campaign) check(g *Group) string {
	if i := c.Dialect.Judging.Place(g.Check); i >= 0 {
		return c.Dialect.Judging.Checks[i].Text
	}
	return g.Check
}

// rest is what follows the word of a kind, such as the member.
func rest(kind string) string {
	_, rest, _ := strings.Cut(inner(kind), ":")
	return rest
}

// inner returns a kind without the name of the check that it comes from.
func inner(kind string) string {
	if _, rest, ok := strings.Cut(kind, "/"); ok {
		return rest
	}
	return kind
}

// compared returns the verb phrase for a kind of the checks that compare two outcomes;
// "" for any other kind.
func (c *Campaign) compared(kind string) string {
	word, rest, _ := strings.Cut(kind, ":")
	requests, code := c.requests(), cmp.Or(rest, "no reason code")
	switch word {
	case "accepts":
		return fmt.Sprintf("Accepts invalid %s (%s)", requests, code)
	case "refuses":
		return fmt.Sprintf("Rejects valid %s (%s)", requests, code)
	case "differs":
		return "Returns the wrong " + rest
	case "reports":
		return "Returns the right verdict with the wrong " + rest
	case "code":
		if want, got, ok := strings.Cut(rest, ":"); ok {
			return fmt.Sprintf("Rejects with %s instead of %s", cmp.Or(got, "no reason code"), want)
		}
	}
	return ""
}

// requests are what the dialect calls the requests to an engine.
func (c *Campaign) requests() string { return cmp.Or(c.Dialect.Requests, "updates") }

// capital makes a kind's text the beginning of a sentence about the engine.
func capital(text string) string {
	text = strings.TrimPrefix(text, "the engine ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// showsAs lists the other failures of a cause, most frequent first: class and verb phrase,
// without conditions.
func (c *Campaign) showsAs(head *Fact, groups []*Fact) (list []string) {
	cases, own := map[string]uint64{}, string(head.Class)+": "+c.does(&head.Group)
	for _, f := range groups {
		text := string(f.Class) + ": " + c.does(&f.Group)
		if cases[text] == 0 && text != own {
			list = append(list, text)
		}
		cases[text] += f.Cases
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(cases[b], cases[a]) })
	return list
}

// differences maps the last words of [outcome.Members.Departs] to adjectives.
func differences() map[string]string {
	return map[string]string{
		"gone": "missing", "added": "unexpected", "order": "wrong order", "shorter": "too short", "longer": "too long",
		"other": "wrong",
	}
}

// nearly is the share of cases that must differ in one way for a sentence to name it.
const nearly = 0.8

// where names the ways, at most two, in which nearly all cases of a group differ from the expected
// outcome, if the kind does not name them: " (title: too short)". For a rejection without a reason code, it quotes the
// engine's message.
func where(f *Fact) string {
	if f.Class == judge.Refuses {
		return message(f)
	}
	if f.Class != judge.Differs && f.Class != judge.Reports {
		return ""
	}
	all, common := 0.0, 0.0
	var names []string
	for _, way := range slices.Sorted(maps.Keys(f.Ways)) {
		all += f.Ways[way]
		if i := strings.LastIndexByte(way, ' '); i > 0 && f.Ways[way] >= nearly && differences()[way[i+1:]] != "" {
			common += f.Ways[way]
			names = append(names, strings.NewReplacer(" ", ".", ":", " ").Replace(way[:i])+": "+differences()[way[i+1:]])
		}
	}
	if len(names) == 0 || len(names) > 2 || common < nearly*all {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// Said begins a way of differing that is the gist of an engine's message.
const Said = "error "

// message quotes what the engine says to nearly all cases of a group, if that is known: ` with "too many items"`.
func message(f *Fact) (quoted string) {
	for _, way := range slices.Sorted(maps.Keys(f.Ways)) {
		if gist, ok := strings.CutPrefix(way, Said); ok && gist != "" && f.Ways[way] >= nearly {
			quoted = fmt.Sprintf(" with %q", gist)
		}
	}
	return quoted
}

// shown is how many conditions a sentence names. If there are many and they explain few of the
// failures, it names none.
const shown, many = 2, 8

// explained is the share of the failures, of the same check and kind as the first group, in groups
// with traits that make most of their cases fail.
func explained(head *Fact, groups []*Fact) float64 {
	var all, some uint64
	for _, f := range groups {
		if f.Check != head.Check || f.Kind != head.Kind {
			continue
		}
		all += f.Cases
		if float64(f.Cases) >= usual*float64(f.Held) {
			some += f.Cases
		}
	}
	return float64(some) / float64(max(1, all))
}

// stem is how many letters a verb phrase and the name of a feature have in common if they say the same.
const stem = 5

// when names the conditions under which some groups fail, most frequent first; "" if
// plain cases fail. The condition of the first group is always named.
func (c *Campaign) when(head *Fact, groups []*Fact) string {
	if len(head.Culprits) == 0 {
		said := func(name string) bool { // a removal: remove
			return strings.Contains(c.does(&head.Group), name[:min(stem, len(name))])
		}
		if len(head.Asks) == 0 || slices.ContainsFunc(head.Asks, said) {
			return ""
		}
		return " when the case uses " + strings.ReplaceAll(strings.Join(head.Asks, ", or "), harness.FeatureLadder,
			"several replies")
	}
	cases, own, list := map[string]uint64{}, c.condition(head.Culprits), []string{c.condition(head.Culprits)}
	for _, g := range groups {
		if len(g.Culprits) == 0 {
			continue
		}
		text := c.condition(g.Culprits)
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
		cases[text] += g.Cases
	}
	if len(list) >= many && explained(head, groups) < usual {
		return " in some cases (no single trait explains when)"
	}
	slices.SortStableFunc(list, func(a, b string) int { return cmp.Compare(cases[b], cases[a]) })
	if i := slices.Index(list, own); i >= shown {
		list = slices.Insert(slices.Delete(list, i, i+1), shown-1, own)
	}
	text := " when " + strings.Join(list[:min(shown, len(list))], ", or when ")
	if more := len(list) - shown; more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// rarely reports whether few of a cause's failing cases show the kinds that its sentence is about, or few cases with
// its traits fail, so that the traits are not the whole condition. Advisory groups count only if head is advisory.
func rarely(head *Fact, kinds []string, groups []*Fact) bool {
	some, cases, held, of := uint64(0), uint64(0), map[string]uint64{}, uint64(0)
	for _, f := range groups {
		if f.Advisory && !head.Advisory {
			continue
		}
		if f.Check == head.Check && slices.Contains(kinds, f.Kind) {
			some += f.Cases
		}
		cases += f.Cases
		held[strings.Join(f.Culprits, "+")] = f.Held
	}
	for _, n := range held {
		of += n
	}
	_, plain := held[""]
	return float64(some) < seldom*float64(cases) || !plain && float64(cases) < seldom*float64(of)
}

// condition joins the clauses of some traits.
func (c *Campaign) condition(traits []string) string {
	return c.each(traits, " and ", generators.Trait.When)
}

// themes joins themes and places of some traits.
func (c *Campaign) themes(traits []string) string {
	return c.each(traits, " and ", func(t generators.Trait) string {
		if t.Theme == "" {
			return t.Name
		}
		return t.Theme + " in " + t.Place
	})
}

// each joins what words returns for some traits, without repetition. A trait that the
// dialect does not have is named by its id.
func (c *Campaign) each(traits []string, sep string, words func(generators.Trait) string) string {
	var list []string
	for _, name := range traits {
		word := name
		if i := slices.IndexFunc(c.Dialect.Traits, func(t generators.Trait) bool { return t.Name == name }); i >= 0 {
			word = words(c.Dialect.Traits[i])
		}
		if !slices.Contains(list, word) {
			list = append(list, word)
		}
	}
	return strings.Join(list, sep)
}

// Worst reports whether a break is worse than another: one that fails the run is worse than an
// advisory one, then by class, then by the order of the checks.
func Worst(rules *judge.Rules, a, b judge.Break) bool {
	if a.Advisory != b.Advisory {
		return b.Advisory
	}
	if a.Class != b.Class {
		return a.Class.Rank() < b.Class.Rank()
	}
	return rules.Place(a.Check) < rules.Place(b.Check)
}
