package cause

import (
	"cmp"
	"context"
	"slices"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/engine/guard"
	"replanbench/harness/hunt/judge"
)

// suspect is one way to change the reference: a built-in defect, or another value of a
// knob.
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
	groups   []Group
	seen     map[string][]observed // by group
	small    map[string][]observed // by group: the smallest cases that show it
	passed   []observed            // cases without culprits
	found    []int                 // the suspects that name a row, in their order
	acting   map[string][]bool     // by group: the suspects that change the answer to one of these
	alarming map[int]int           // by suspect: how many cases without culprits it answers wrongly
	effort   int                   // how many suspects were composed
}

// mostEffort is how many suspects may be composed before what has no name is left without
// one: an engine that does nearly everything wrong would be compared for minutes.
const mostEffort = 2000

// mostBeside is how many suspects may be found before each is looked at alone: one that asks
// the others several times doubles the time with each of them.
const mostBeside = 8

// beside returns the suspects found so far that can be combined with another one.
func (n *naming) beside() []int {
	if len(n.found) > mostBeside {
		return nil
	}
	return n.found
}

// nameAll finds the look-alikes of the rows: the fewest suspects that cover all rows.
// Knobs come first, then suspects that reproduce more cases. A case can meet two faults,
// so rows left over are compared with all suspects found and one more. A row that two
// suspects explain in parts is split.
func (c *Campaign) nameAll(rows []*row) []*row {
	if c.Source == nil || len(rows) == 0 {
		return rows
	}
	n := &naming{
		Campaign: c, suspects: c.suspects(), seen: c.observe(rows), passed: c.blameless(rows), alarming: map[int]int{},
		small: map[string][]observed{}, acting: map[string][]bool{},
	}
	for _, r := range rows {
		n.groups = append(n.groups, r.groups...)
	}
	for i := range n.groups {
		n.small[n.groups[i].ID] = small(&n.groups[i], n.seen[n.groups[i].ID])
	}
	for left := len(rows) + 1; 0 < len(open(rows)) && len(open(rows)) < left && n.effort < mostEffort; {
		left = len(open(rows))
		n.cover(rows)
		n.together(rows)
	}
	n.adopt(rows)
	return n.parted(rows)
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
// knobs first, then those that explain most cases and stray least, and then those that are
// wrong in fewer cases that the engine passes.
func (n *naming) cover(rows []*row) {
	rows = open(rows)
	before := slices.Clone(n.beside())
	fits := make([][]*row, len(n.suspects))
	alarms := make([]int, len(n.suspects))
	for i := range n.suspects {
		if len(before) > 0 && n.suspects[i].defect.Hangs != nil || slices.Contains(before, i) {
			continue
		}
		for _, r := range rows {
			if n.acts(i, r) && n.explainedAll(append(slices.Clone(before), i), r) {
				fits[i] = append(fits[i], r)
			}
		}
		if fits[i] == nil {
			continue
		}
		if alarms[i] = n.alarms(i); alarms[i] > n.early(fits[i]) {
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
				cmp.Compare(len(left), len(most)), compareBool(n.suspects[best].knob, s.knob),
				cmp.Compare(alarms[best], alarms[i]), cmp.Compare(headCases(left), headCases(most)),
			) > 0 {
				best, most = i, left
			}
		}
		if best < 0 {
			return
		}
		best = n.plainest(best, fits, func(i int) bool {
			return len(open(fits[i])) == len(most) && n.suspects[i].knob == n.suspects[best].knob
		})
		for _, r := range open(fits[best]) {
			r.looksLike = n.suspects[n.guilty(append(slices.Clone(before), best), r.head())].name
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

// explainedAll reports whether suspects explain a row together.
func (n *naming) explainedAll(set []int, r *row) bool {
	s := n.composed(set)
	return n.explains(s.defect.Wrap(n.Dialect.Eval), s, r, n.seen)
}

// composed returns a suspect that has the faults of the set and some more.
func (n *naming) composed(set []int, more ...int) suspect {
	set = slices.Concat(set, more)
	n.effort += len(set)
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

// together names the rows that all suspects found so far explain together, where several
// of them do anything.
func (n *naming) together(rows []*row) {
	for _, r := range open(rows) {
		idle := func(i int) bool { return !n.acts(i, r) }
		if found := n.beside(); len(slices.DeleteFunc(slices.Clone(found), idle)) > 1 && n.explainedAll(found, r) {
			r.looksLike = n.suspects[n.guilty(found, r.head())].name
		}
	}
}

// alarms counts the cases without culprits that a suspect answers wrongly.
func (n *naming) alarms(i int) (count int) {
	if count, ok := n.alarming[i]; ok {
		return count
	}
	s := n.suspects[i]
	eval := s.defect.Wrap(n.Dialect.Eval)
	for _, o := range n.passed {
		if n.answer(eval, s, o.sample.Case, "") != o.answer && !n.passes(s, &o) {
			count++
		}
	}
	n.alarming[i] = count
	return count
}

// acts reports whether a suspect alone does anything in the row that is like what the
// engine does. What does not is not tried with others: that is most of what there is to try.
func (n *naming) acts(i int, r *row) bool {
	return slices.ContainsFunc(r.groups, func(g Group) bool { return n.actsIn(i, &g) })
}

func (n *naming) actsIn(i int, g *Group) bool {
	if n.acting[g.ID] == nil {
		n.acting[g.ID] = make([]bool, len(n.suspects))
		for _, o := range n.small[g.ID] {
			n.act(g, o)
		}
	}
	return n.acting[g.ID][i]
}

// act notes which suspects change the answer to a case of a group, or, where no answer
// shows it, such as another one the next time, break the same.
func (n *naming) act(g *Group, o observed) {
	acting, disputed := n.acting[g.ID], Disputed(g.Kind)
	right := n.answer(n.Dialect.Eval, suspect{}, o.sample.Case, disputed)
	for i, s := range n.suspects {
		switch {
		case acting[i]:
		case o.answer == right:
			acting[i] = n.breaks(s, g)
		default:
			acting[i] = n.answer(s.defect.Wrap(n.Dialect.Eval), s, o.sample.Case, disputed) != right
		}
	}
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
		if !slices.ContainsFunc(groups, func(g Group) bool {
			return !g.Advisory &&
				!c.explainsGroup(eval, s, &g, seen[g.ID])
		}) {
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
		if c.answer(eval, s, o.sample.Case, disputed) != o.answer && (!o.passed || !c.passes(s, &o)) {
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
	out := eval(k.Copy(), c.rules(k))
	return Digest(c.Dialect.Members, &out, c.Exact, disputed)
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
	return err == nil && slices.ContainsFunc(list, func(b judge.Break) bool {
		return b.Check == g.Check &&
			b.Kind == g.Kind
	})
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
	s.Case = s.Case.Copy()
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
