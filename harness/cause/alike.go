package cause

import (
	"cmp"
	"context"
	"slices"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/guard"
	"replanbench/harness/judge"
	"replanbench/harness/mutant"
)

// suspect is one thing that may be wrong with the reference: a defect, or a knob
// that stands otherwise.
type suspect struct {
	name   string
	knob   bool
	defect mutant.Defect
}

// suspects lists the defects of a dialect and the other values of its knobs.
func (c *Campaign) suspects() (list []suspect) {
	own := c.Dialect.Judging.Knobs
	for _, k := range harness.Knobs(own...) {
		mine := slices.ContainsFunc(own, func(o harness.Knob) bool { return o.Name == k.Name })
		if k.List || !mine && !slices.Contains(c.Dialect.Vocabulary.Knobs, k.Name) {
			continue
		}
		for _, v := range k.Values {
			set := func(p *harness.Profile) { _ = p.Set(k.Name, v, own...) }
			list = append(list, suspect{k.Name + "=" + v, true, mutant.New(k.Name+"="+v, "", mutant.Under(set))})
		}
	}
	for _, d := range c.Dialect.Defects {
		list = append(list, suspect{d.Name, false, d})
	}
	return slices.DeleteFunc(list, func(s suspect) bool { return slices.Contains(c.HeldOut, s.name) })
}

// naming looks for look-alikes of rows.
type naming struct {
	*Campaign
	suspects []suspect
	seen     map[string][]observed // by group
	passed   []observed            // cases without culprits
	found    []int                 // the suspects that name a row, in their order
}

// nameAll finds the look-alikes of the rows: of several suspects the fewest that
// cover all rows, knobs first, then those that answer more cases as the engine does.
// An engine with two faults answers a case that meets both as neither would: what
// is left is compared with all that was found together, and with one fault more.
func (c *Campaign) nameAll(rows []*row) {
	if c.Source == nil || len(rows) == 0 {
		return
	}
	n := &naming{Campaign: c, suspects: c.suspects(), seen: c.observe(rows), passed: c.blameless(rows)}
	for left := len(rows) + 1; 0 < len(open(rows)) && len(open(rows)) < left; {
		left = len(open(rows))
		n.cover(rows)
		n.together(rows)
	}
}

// open lists the rows that have no name.
func open(rows []*row) (list []*row) {
	for _, r := range rows {
		if r.looksLike == "" {
			list = append(list, r)
		}
	}
	return list
}

// cover names rows by suspects, each with all that were found before: by the fewest,
// knobs first, then those that are wrong in fewer cases that the engine passes, then
// those that explain more cases.
func (n *naming) cover(rows []*row) {
	rows = open(rows)
	before := slices.Clone(n.found)
	fits := make([][]*row, len(n.suspects))
	alarms := make([]int, len(n.suspects))
	for i, s := range n.suspects {
		if len(before) > 0 && s.defect.Hangs != nil || slices.Contains(before, i) {
			continue
		}
		s = n.composed(before, i)
		eval := s.defect.Wrap(n.Dialect.Eval)
		for _, r := range rows {
			if n.explains(eval, s, r, n.seen) {
				fits[i] = append(fits[i], r)
			}
		}
		if fits[i] == nil {
			continue
		}
		if alarms[i] = n.alarms(eval, s); alarms[i] > n.early(fits[i]) {
			fits[i] = nil // it is wrong in more cases that the engine passes than it explains
		}
	}
	for {
		best, most := -1, []*row(nil)
		for i, s := range n.suspects {
			left := open(fits[i])
			if len(left) == 0 {
				continue
			}
			if best < 0 || cmp.Or(
				cmp.Compare(len(left), len(most)), compareBool(n.suspects[best].knob, s.knob), cmp.Compare(alarms[best], alarms[i]), cmp.Compare(headCases(left), headCases(most)),
			) > 0 {
				best, most = i, left
			}
		}
		if best < 0 {
			return
		}
		for _, r := range most {
			r.looksLike = n.suspects[n.guilty(append(slices.Clone(before), best), r)].name
		}
		n.found = append(n.found, best)
		slices.Sort(n.found)
	}
}

func headCases(rows []*row) (count uint64) {
	for _, r := range rows {
		count += r.head().Cases
	}
	return count
}

// composed is what is wrong with an engine that has all of these faults.
func (n *naming) composed(set []int, more ...int) suspect {
	set = slices.Concat(set, more)
	if slices.Sort(set); len(set) == 1 {
		return n.suspects[set[0]]
	}
	return suspect{defect: mutant.New("several", "", func(right mutant.Eval) mutant.Eval {
		for _, i := range set {
			right = n.suspects[i].defect.Wrap(right)
		}
		return right
	})}
}

// together names the rows that all suspects found so far explain together.
func (n *naming) together(rows []*row) {
	if len(n.found) < 2 {
		return
	}
	all := n.composed(n.found)
	eval := all.defect.Wrap(n.Dialect.Eval)
	for _, r := range open(rows) {
		if n.explains(eval, all, r, n.seen) {
			r.looksLike = n.suspects[n.guilty(n.found, r)].name
		}
	}
}

// guilty is the one of several suspects to which a row is put down that they explain
// together: the first that breaks the same alone, or else without which they do not.
func (n *naming) guilty(set []int, r *row) int {
	if len(set) == 1 {
		return set[0]
	}
	for _, i := range set {
		if n.breaks(n.suspects[i], r.head()) {
			return i
		}
	}
	for _, i := range set {
		rest := n.composed(slices.DeleteFunc(slices.Clone(set), func(k int) bool { return k == i }))
		if !n.breaks(rest, r.head()) {
			return i
		}
	}
	return set[0]
}

// elsewhere is how many cases without any culprit are looked at for false alarms.
const elsewhere = 2000

// blameless are the first cases that hold no culprits, and their right answers.
func (c *Campaign) blameless(rows []*row) (list []observed) {
	for index := uint64(0); index < min(c.End, c.Source.Mix()) && len(list) < elsewhere; index++ {
		traits := c.Source.Holds(c.Seed, index)
		if !c.Ran(index) || slices.ContainsFunc(rows, func(r *row) bool {
			return slices.ContainsFunc(r.groups, func(g Group) bool { return g.Covers(traits) })
		}) {
			continue
		}
		if sample := c.Source.At(c.Seed, index); !undetermined(sample.Want) {
			list = append(list, observed{sample, index, c.answer(c.Dialect.Eval, suspect{}, sample.Case, ""), true})
		}
	}
	return list
}

// alarms counts the cases without culprits that a suspect answers wrongly.
func (n *naming) alarms(eval mutant.Eval, s suspect) (count int) {
	for _, o := range n.passed {
		if n.answer(eval, s, o.sample.Case, "") != o.answer && !n.passes(s, &o) {
			count++
		}
	}
	return count
}

// early counts the kept cases that show rows, before the random mix.
func (n *naming) early(rows []*row) (count int) {
	for _, r := range rows {
		for _, g := range r.groups {
			for _, f := range g.Failing {
				if f.Index < n.Source.Mix() {
					count++
				}
			}
		}
	}
	return count
}

// compareBool is positive where only the second holds.
func compareBool(first, second bool) int {
	switch {
	case first == second:
		return 0
	case second:
		return 1
	}
	return -1
}

// observed is a case of the campaign with what the engine answered to it, or the
// rules where it did nothing wrong.
type observed struct {
	sample generators.Sample
	index  uint64
	answer string
	passed bool
}

// observe makes the cases again that the groups of the rows hold, by group: those
// that show it, and those with the same culprits that show nothing.
func (c *Campaign) observe(rows []*row) map[string][]observed {
	seen := map[string][]observed{}
	var groups []*Group
	for _, r := range rows {
		for i := range r.groups {
			groups = append(groups, &r.groups[i])
		}
	}
	for _, g := range groups {
		for _, f := range g.Failing {
			seen[g.ID] = append(seen[g.ID], observed{c.Source.Keeping(c.Seed, f.Index, g.Culprits), f.Index, f.Answer, false})
		}
		for _, index := range c.passing(g, groups) {
			sample := c.Source.Keeping(c.Seed, index, g.Culprits)
			if undetermined(sample.Want) {
				continue
			}
			right := c.answer(c.Dialect.Eval, suspect{}, sample.Case, Disputed(g.Kind))
			seen[g.ID] = append(seen[g.ID], observed{sample, index, right, true})
		}
	}
	return seen
}

// undetermined reports whether the rules leave to engines what comes of a sample, so that
// one that shows nothing may have answered in a way of its own.
func undetermined(w generators.Want) bool {
	return w.Loose || w.Verdict == harness.Applied && w.Plan == nil && w.More == nil && w.Rung != harness.RungReact
}

// explains reports whether the suspect answers the cases of most of the row as the
// engine did, and breaks the same checks in the same kinds.
func (c *Campaign) explains(eval mutant.Eval, s suspect, r *row, seen map[string][]observed) bool {
	like, left := uint64(0), r.cases()
	all := left
	for _, g := range r.largest() {
		if left -= g.Cases; c.explainsGroup(eval, s, g, seen[g.ID]) {
			like += g.Cases
		}
		if 2*like > all || 2*(like+left) <= all { // the others change nothing
			break
		}
	}
	return 2*like > all
}

// Twins lists what explains all groups of a campaign alone.
func Twins(c Campaign, groups []Group) (names []string) {
	if c.Source == nil || len(groups) == 0 {
		return nil
	}
	rows := []*row{{groups: groups}}
	seen := c.observe(rows)
	for _, s := range c.suspects() {
		eval := s.defect.Wrap(c.Dialect.Eval)
		if !slices.ContainsFunc(groups, func(g Group) bool { return !g.Advisory && !c.explainsGroup(eval, s, &g, seen[g.ID]) }) {
			names = append(names, s.name)
		}
	}
	return names
}

func (c *Campaign) explainsGroup(eval mutant.Eval, s suspect, g *Group, seen []observed) bool {
	if len(g.Failing) == 0 {
		return false
	}
	disputed := Disputed(g.Kind)
	for i, o := range seen {
		if c.answer(eval, s, o.sample.Case, disputed) != o.answer && !(o.passed && c.passes(s, &o)) {
			seen[0], seen[i] = o, seen[0] // it tells the next ones apart, too
			return false
		}
	}
	return c.breaks(s, g)
}

// answer is a digest of what an evaluation gives for a case, or how it fails.
func (c *Campaign) answer(eval mutant.Eval, s suspect, k harness.Case, disputed string) (digest string) {
	if s.defect.Hangs != nil && s.defect.Hangs(k) {
		return string(harness.Hang)
	}
	defer func() {
		if recover() != nil {
			digest = string(harness.Crash)
		}
	}()
	out := eval(k, c.rules(k))
	return Digest(c.Dialect.Members, &out, c.Exact, disputed)
}

// passing lists the first cases that hold exactly the culprits of a group, and show
// nothing of what these or some of them show. Of a group that is full nobody knows
// which cases show it behind the last that it keeps.
func (c *Campaign) passing(g *Group, groups []*Group) (list []uint64) {
	last, failed := min(c.End, c.Source.Mix()), map[uint64]bool{}
	for _, h := range groups {
		if slices.ContainsFunc(h.Culprits, func(name string) bool { return !slices.Contains(g.Culprits, name) }) {
			continue
		}
		for _, f := range h.Failing {
			failed[f.Index] = true
		}
		if n := len(h.Failing); n == Kept {
			last = min(last, h.Failing[n-1].Index)
		}
	}
	for index := uint64(0); index < last && len(list) < Kept; index++ {
		if !failed[index] && c.Ran(index) && slices.Equal(c.Source.Holds(c.Seed, index), g.Culprits) {
			list = append(list, index)
		}
	}
	return list
}

// rules are those that a case is judged by.
func (c *Campaign) rules(k harness.Case) harness.Profile {
	p := c.Profile
	if k.Profile != nil {
		p = *k.Profile
	}
	return p.For(c.Dialect.Judging.Knobs)
}

// breaks reports whether an engine with the suspect's fault breaks the check of
// the group in its kind on the group's first case. Of one that was not attributed none
// is kept.
func (c *Campaign) breaks(s suspect, g *Group) bool {
	if len(g.Failing) == 0 {
		return false
	}
	first := g.Failing[0].Index
	list, err := c.judged(s, c.item(c.Source.Keeping(c.Seed, first, g.Culprits), first), g.Check)
	return err == nil && slices.ContainsFunc(list, func(b judge.Break) bool { return b.Check == g.Check && b.Kind == g.Kind })
}

// passes reports whether an engine with the suspect's fault does nothing wrong on a
// case, though it does not answer as the rules do: they may leave something open.
func (c *Campaign) passes(s suspect, o *observed) bool {
	list, err := c.judged(s, c.item(o.sample, o.index), judge.Reference)
	return err == nil && len(list) == 0
}

// item is a case of the campaign as it is judged there: of several traits, each code that
// the rules give for one of them alone is right.
func (c *Campaign) item(s generators.Sample, index uint64) judge.Item {
	it := ItemOf(s, index)
	it.Codes = CodesAlone(c.Source, c.Seed, index, s.Traits, func(k harness.Case) harness.Code {
		return c.Dialect.Eval(k, c.rules(k)).Code
	})
	return it
}

// judged are the breaks of a check by an engine with the suspect's fault.
func (c *Campaign) judged(s suspect, it judge.Item, check string) ([]judge.Break, error) {
	declared := c.Dialect.Declare(c.Profile)
	engine := guard.New(mutant.Engine(c.Dialect.Name, s.defect, c.Dialect.Eval, declared), patience)
	defer engine.Close()
	hello, err := engine.Hello(context.Background())
	if err != nil {
		return nil, err
	}
	j := judge.New(engine, hello, c.Dialect.Judging, judge.Options{Reference: RightEngine(c.Dialect, declared)})
	result, err := j.Only(context.Background(), it, check)
	return result.Breaks, err
}

// patience is how long an engine with a defect may take for a case before it hangs.
const patience = 200 * time.Millisecond

// RightEngine is the reference of one dialect.
func RightEngine(d *dialect.Dialect, declared harness.Declaration) harness.Engine {
	none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
	return mutant.Engine(d.Name, none, d.Eval, declared)
}
