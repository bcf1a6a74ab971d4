package cause

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

// Campaign is what [Gather] needs beside the groups.
type Campaign struct {
	Dialect *dialect.Dialect
	// Source generates the cases again. It is nil for recorded cases, which are not
	// compared with defects.
	Source *generators.Source
	Seed   uint64
	// Profile is the one of the engine, for cases without one of their own.
	Profile harness.Profile
	Exact   bool // the codes of refusals count
	// Gives are the optional members of outcomes that the engine gives; nil in reports of former versions, for
	// all that there are.
	Gives []string
	// Ran reports whether the case of an index was judged. End is the index after the last
	// one.
	Ran func(index uint64) bool
	End uint64
	// HeldOut are defects and knobs that are no look-alikes, and Unnamed says that
	// none is looked for.
	HeldOut []string
	Unnamed bool
	// Named are the look-alikes by group, if they were looked for before.
	Named map[string]string
	// Over reports whether the time for look-alikes is over; nil is never.
	Over func() bool
	// Behaviours are values that the engine works by and does not declare.
	Behaviours []Behaviour
}

// Evidence is everything that clustering needs to know of a campaign. It is a value that
// can be saved: reading it needs neither the engine nor the generator.
type Evidence struct {
	Dialect string `json:"dialect"`
	Cases   uint64 `json:"cases"` // of the campaign
	// Groups are in the order in which they name causes.
	Groups []Fact `json:"groups"`
	// Held counts the cases that have the culprits of exactly these groups.
	Held       []Held      `json:"held"`
	Behaviours []Behaviour `json:"behaviours,omitempty"`
}

// Fact is a group with what its cases have in common.
type Fact struct {
	Group
	// LooksLike is the defect, or the value of a knob, with which the reference answers
	// the cases of the group as the engine does; "" is none.
	LooksLike string `json:"looks_like,omitzero"`
	// Lenient reports that the engine carried out what the cases ask for, as nearly all that the rules reject: one bug.
	Lenient bool   `json:"lenient,omitzero"`
	Held    uint64 `json:"held"`            // cases with the culprits
	Shared  uint64 `json:"shared,omitzero"` // failing cases that all seeds have
	// Subjects are the themes of the culprits.
	Subjects []string `json:"subjects,omitempty"`
	// Code is the code with which the rules reject the first case as a whole; "" if they apply it, or reject a part.
	Code harness.Code `json:"code,omitzero"`
	// Rule is the more specific code, which may concern only a part of the request.
	Rule harness.Code `json:"rule,omitzero"`
	// Call is the event or the step of the trace that has the code: several tools share a code.
	Call string `json:"call,omitzero"`
	// At is the place in replies at which the rules reject the cases, with # for places in lists; "" if the cases
	// have several.
	At string `json:"at,omitzero"`
	// Under is the smallest place that contains all places, if there are several; it ends with a slash if none of
	// them is this place itself.
	Under string `json:"under,omitzero"`
	// Unchecked reports that the engine applies nearly all that the rules reject for the reason of the group, with
	// whatever traits: it has no such test.
	Unchecked bool `json:"unchecked,omitzero"`
	// Ways has, for each way in which outcomes differ from the expected one, its share of
	// the kept cases.
	Ways map[string]float64 `json:"ways,omitempty"`
	// Asks are the features that all failing plain cases use, and other plain cases do not.
	Asks []string `json:"asks,omitempty"`
	// Asked is the share of the plain cases that use one of these features.
	Asked float64 `json:"asked,omitzero"`
	// Lacks are the groups of plain cases, by id, whose features not all cases with the culprits use.
	Lacks []string `json:"lacks,omitempty"`
}

// Held is a number of cases that can show the same groups.
type Held struct {
	Groups []int  `json:"groups"` // places in the evidence
	Cases  uint64 `json:"cases"`
}

// Gather returns the evidence of a campaign: its groups with their look-alikes and counts.
func Gather(c Campaign, groups []Group) Evidence {
	e := Evidence{
		Dialect: c.Dialect.Name, Cases: c.End, Groups: []Fact{}, Held: []Held{}, Behaviours: c.Behaviours,
	}
	if len(groups) == 0 {
		return e
	}
	groups = c.sorted(groups)
	names := c.Named
	if names == nil {
		names = c.lookAlikes(groups)
	}
	for i := range groups {
		g := groups[i]
		f := Fact{
			Group: g, LooksLike: names[g.ID], Shared: c.shared(&g), Ways: ways(&g),
		}
		f.Asks, f.Asked = c.asking(&g)
		c.codes(&f)
		f.Subjects = collect.Map(c.traits(&g), c.subject)
		e.Groups = append(e.Groups, f)
	}
	c.lacks(&e)
	c.unchecked(&e, c.hold(&e))
	e.unname()
	return e
}

// unname removes look-alikes that may be chance: if they explain few of the cases with the traits, in each group, and
// a group with more cases has the same traits, or, if there are few cases in all, the same break, but not the
// look-alike.
func (e *Evidence) unname() {
	cases, firm := map[string]uint64{}, map[string]bool{}
	for _, f := range e.Groups {
		cases[f.LooksLike] += f.Cases
	}
	rare := func(f *Fact, related func(o *Fact) bool) bool {
		scarce := float64(f.Cases) < usual*float64(f.Held) || len(f.Culprits) > 1
		return scarce && slices.ContainsFunc(e.Groups, func(o Fact) bool {
			return o.LooksLike != f.LooksLike && o.Cases > f.Cases && related(&o)
		})
	}
	for i := range e.Groups {
		f := &e.Groups[i]
		firm[f.LooksLike] = firm[f.LooksLike] || !rare(f, func(o *Fact) bool { return slices.Equal(o.Culprits, f.Culprits) })
	}
	for i := range e.Groups {
		f := &e.Groups[i]
		if !firm[f.LooksLike] || cases[f.LooksLike] < few && rare(f, func(o *Fact) bool {
			return o.Check == f.Check && o.Kind == f.Kind || within(o.Culprits, f.Culprits) || within(f.Culprits, o.Culprits)
		}) {
			f.LooksLike = ""
		}
	}
}

// LookAlikes returns the look-alikes of groups, by id. They do not depend on examples.
func LookAlikes(c Campaign, groups []Group) map[string]string { return c.lookAlikes(c.sorted(groups)) }

// sorted returns groups in the order in which they name causes.
func (c *Campaign) sorted(groups []Group) []Group {
	groups = slices.Clone(groups)
	slices.SortStableFunc(groups, func(a, b Group) int { return c.compare(&a, &b) })
	return groups
}

// ways returns each way of differing from the expected outcome, with its share of the
// cases of a group.
func ways(g *Group) map[string]float64 {
	shares := map[string]float64{}
	for _, f := range g.Failing {
		for _, way := range f.Departs {
			shares[way] += 1 / float64(len(g.Failing))
		}
	}
	return shares
}

// codes sets the codes of the rules for the first case of a group, with the culprits alone, and the place.
func (c *Campaign) codes(f *Fact) {
	if c.Source == nil || c.Dialect.Eval == nil || len(f.Failing) == 0 {
		return
	}
	out := c.alone(f.Failing[0].Index, f.Culprits)
	f.Code, f.Rule, f.Call = c.whole(out), c.reason(out), call(out)
	if len(f.Culprits) != 1 || f.Rule == "" || f.rejected() { // of several traits each has a reason
		return
	}
	places := []string{c.at(out)}
	for _, seen := range f.Failing[1:min(placed, len(f.Failing))] {
		places = append(places, c.at(c.alone(seen.Index, f.Culprits)))
	}
	around := places[0]
	for _, place := range places {
		for !strings.HasPrefix(place+"/", around+"/") {
			around = around[:strings.LastIndexByte(around, '/')]
		}
	}
	switch other := func(place string) bool { return place != around }; {
	case !slices.ContainsFunc(places, other):
		f.At = around
	case slices.Contains(places, around):
		f.Under = around
	default:
		f.Under = around + "/"
	}
}

// placed is of how many cases of a group the place is looked up.
const placed = 8

// alone returns the outcome of the rules for a case with some traits alone.
func (c *Campaign) alone(index uint64, traits []string) harness.Outcome {
	k := c.Source.Keeping(c.Seed, index, traits).Case.Copy()
	return c.Dialect.Eval(k, c.rules(k))
}

// whole is the code of an outcome that is rejected, and not because a part of the request is.
func (c *Campaign) whole(out harness.Outcome) harness.Code {
	if c.Dialect.Judging.RejectsPart(&out) {
		return ""
	}
	return out.Code
}

// reason is the most specific code of a rejection.
func (c *Campaign) reason(out harness.Outcome) harness.Code {
	if c.Dialect.Reason == nil {
		return out.Code
	}
	return cmp.Or(c.Dialect.Reason(out), out.Code)
}

// call is the event or the step of a trace that has the code of the outcome.
func call(out harness.Outcome) string {
	i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code == out.Code })
	if i < 0 {
		return ""
	}
	return cmp.Or(out.Trace[i].Event, out.Trace[i].Step)
}

// at is the place of a rejection, or of the last part that is rejected, with # for places in lists.
func (c *Campaign) at(out harness.Outcome) (place string) {
	if out.At != nil {
		place = *out.At
	} else if c.Dialect.Judging.RejectsPart(&out) {
		for _, p := range c.Dialect.Judging.Parts(&out) {
			place = cmp.Or(p.At, place)
		}
	}
	return number.ReplaceAllString(place, "/#")
}

var number = regexp.MustCompile(`/[0-9]+\b`)

// unchecked marks the groups whose reason the engine does not test: it rejects hardly any case of each trait that the
// rules reject for it. It marks all groups with a reason as lenient, if the engine carries out what most cases of
// nearly all such traits ask for. Reasons to reject a part of a request count for themselves.
func (c *Campaign) unchecked(e *Evidence, traits map[string]*Shows) {
	if c.Source == nil || c.Dialect.Eval == nil {
		return
	}
	let, done, partial := map[string][]*Group{}, map[string][]*Group{}, map[string]bool{}
	for i := range e.Groups {
		f := &e.Groups[i]
		partial[f.reason()] = partial[f.reason()] || f.Code == ""
		if len(f.Culprits) == 1 && !f.rejected() {
			let[f.Culprits[0]] = append(let[f.Culprits[0]], &f.Group)
		}
		if len(f.Culprits) == 1 && f.allowed() {
			done[f.Culprits[0]] = append(done[f.Culprits[0]], &f.Group)
		}
	}
	reasons := map[string]string{}
	for name, t := range traits {
		out := c.alone(t.First, t.Culprits)
		if f := (Fact{Rule: c.reason(out), Call: call(out)}); f.Rule != "" {
			reasons[name] = f.reason()
			partial[f.reason()] = partial[f.reason()] || c.whole(out) == ""
		}
	}
	tested, all, passed := map[string]bool{}, map[bool]int{}, map[bool]int{}
	for name, reason := range reasons {
		cases := float64(traits[name].Cases)
		if float64(total(let[name])) < nearly*cases {
			tested[reason] = true
		}
		all[partial[reason]]++
		if float64(total(done[name])) >= usual*cases {
			passed[partial[reason]]++
		}
	}
	for i := range e.Groups {
		f := &e.Groups[i]
		part := partial[f.reason()]
		f.Unchecked = len(f.Culprits) == 1 && f.Rule != "" && !f.rejected() && !tested[f.reason()]
		f.Lenient = f.Rule != "" && f.allowed() && all[part] >= few && float64(passed[part]) >= nearly*float64(all[part])
	}
}

// reason names the test of the rules that rejects the cases of a group.
func (f *Fact) reason() string { return string(f.Rule) + " " + f.Call }

// allowed reports whether the engine carries out what the cases of a group ask for.
func (f *Fact) allowed() bool {
	return slices.Contains([]judge.Class{judge.Loss, judge.Unsound, judge.Forged, judge.Accepts}, f.Class)
}

// rejected reports whether the engine rejects any case of a group.
func (f *Fact) rejected() bool { return strings.Contains(f.Verdicts, string(harness.Rejected)) }

// hold counts the cases that have the culprits of groups, and returns the cases of each trait.
func (c *Campaign) hold(e *Evidence) (all map[string]*Shows) {
	if c.Source == nil {
		return nil
	}
	all = map[string]*Shows{}
	places := map[string]int{}
	for index := range c.End {
		if !c.Ran(index) {
			continue
		}
		traits, covered, key := c.Source.Holds(c.Seed, index), []int(nil), []string(nil)
		for _, name := range traits {
			if all[name] == nil {
				all[name] = &Shows{Culprits: []string{name}, First: index}
			}
			all[name].Cases++
		}
		for i := range e.Groups {
			if e.Groups[i].Covers(traits) {
				e.Groups[i].Held++
				covered, key = append(covered, i), append(key, e.Groups[i].ID)
			}
		}
		if covered == nil {
			continue
		}
		k, ok := places[strings.Join(key, " ")]
		if !ok {
			k = len(e.Held)
			places[strings.Join(key, " ")] = k
			e.Held = append(e.Held, Held{Groups: covered})
		}
		e.Held[k].Cases++
	}
	return all
}

// within reports whether a set that is not empty is part of another.
func within(small, large []string) bool {
	for _, name := range small {
		if !slices.Contains(large, name) {
			return false
		}
	}
	return len(small) > 0
}

// Fresh counts the groups that are not advisory and not known.
func Fresh(groups []Group, known func(Group) bool) (n int) {
	for _, g := range groups {
		if !g.Advisory && (known == nil || !known(g)) {
			n++
		}
	}
	return n
}

// compare puts groups in the order in which they name causes: by class, check,
// kind, and the order of their traits in the table.
func (c *Campaign) compare(a, b *Group) int {
	rules := &c.Dialect.Judging
	return cmp.Or(
		cmp.Compare(a.Class.Rank(), b.Class.Rank()), cmp.Compare(rules.Place(a.Check), rules.Place(b.Check)),
		strings.Compare(a.Kind, b.Kind),
		cmp.Compare(len(a.Culprits), len(b.Culprits)), slices.Compare(c.places(a.Culprits), c.places(b.Culprits)),
		strings.Compare(a.ID, b.ID),
	)
}

func (c *Campaign) places(traits []string) []int {
	return collect.Map(traits, func(name string) int {
		return slices.IndexFunc(c.Dialect.Traits, func(t generators.Trait) bool { return t.Name == name })
	})
}

// shared counts the cases that show a group and are the same for all seeds.
func (c *Campaign) shared(g *Group) (n uint64) {
	if c.Source == nil {
		return 0
	}
	for _, f := range g.Failing {
		if c.Source.Shared(f.Index) {
			n++
		}
	}
	return n
}

// traits are the culprits of a group that are in the table.
func (c *Campaign) traits(g *Group) (list []*generators.Trait) {
	for i := range c.Dialect.Traits {
		if t := &c.Dialect.Traits[i]; slices.Contains(g.Culprits, t.Name) {
			list = append(list, t)
		}
	}
	return list
}

// subject is the theme of a trait, or the first of the themes that are about the same
// thing.
func (c *Campaign) subject(t *generators.Trait) string {
	for _, themes := range c.Dialect.Subjects {
		if slices.Contains(themes, t.Theme) {
			return themes[0]
		}
	}
	return t.Theme
}
