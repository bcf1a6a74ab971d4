package cause

import (
	"cmp"
	"context"
	"reflect"
	"slices"
	"strings"
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
	simple bool // it is made of the cases and not of a known bug: it must agree with more of them
}

// suspects lists the values of the knobs of a dialect and its defects.
func (c *Campaign) suspects() (list []suspect) {
	for _, d := range mutant.Knobs(c.Dialect.Vocabulary) {
		list = append(list, suspect{name: d.Name, knob: true, defect: d})
	}
	for _, d := range c.Dialect.Defects {
		if d.Setting == "" {
			list = append(list, suspect{name: d.Name, defect: d})
		}
	}
	return slices.DeleteFunc(list, func(s suspect) bool { return slices.Contains(c.HeldOut, s.name) })
}

// naming looks for the look-alikes of groups.
type naming struct {
	*Campaign
	suspects []suspect
	groups   []Group
	names    map[string]string     // the look-alikes found, by group
	seen     map[string][]observed // by group
	acting   map[string][]bool     // by group: the suspects that change the answer to its smallest cases
	passed   []observed            // cases without culprits
	alarming map[int]int           // by suspect: how many of these it answers wrongly
	found    []int                 // the suspects that name a group, in their order
	effort   int                   // how many suspects were composed
}

// mostEffort limits how many suspects are composed: an engine that does nearly everything
// wrong would be compared for minutes.
const mostEffort = 2000

// mostBeside is how many suspects are composed at most: one that asks the others several
// times doubles the time with each of them.
const mostBeside = 8

// lookAlikes returns the look-alikes of groups, by id: the fewest suspects that explain as
// many groups as possible. A case can meet two faults, so groups left over are compared with
// all suspects found and one more, until that explains nothing.
func (c *Campaign) lookAlikes(groups []Group) map[string]string {
	if c.Source == nil || c.Unnamed || len(groups) == 0 {
		return nil
	}
	n := &naming{
		Campaign: c, groups: groups, names: map[string]string{}, seen: map[string][]observed{},
		acting: map[string][]bool{}, passed: c.blameless(groups), alarming: map[int]int{},
	}
	n.suspects = append(c.suspects(), c.ignoring(groups)...)
	for named := -1; named < len(n.names) && n.effort < mostEffort && !n.over(); {
		named = len(n.names)
		n.round()
	}
	return n.names
}

// over reports whether the time for look-alikes is over.
func (c *Campaign) over() bool { return c.Over != nil && c.Over() }

// round names groups by suspects, each together with all suspects of the rounds before.
func (n *naming) round() {
	before := n.found
	if len(before) > mostBeside {
		before = nil
	}
	fits, with := make([][]*Group, len(n.suspects)), map[int]suspect{}
	for i := range n.suspects {
		if (len(before) == 0 || n.suspects[i].defect.Hangs == nil) && !slices.Contains(before, i) {
			with[i] = n.composed(before, i)
		}
	}
	for k := range n.groups { // worst first: the time may be over
		g := &n.groups[k]
		if n.names[g.ID] != "" || n.over() {
			continue
		}
		if n.seen[g.ID] == nil {
			n.seen[g.ID] = n.observe(g, n.groups)
		}
		for i := range n.suspects {
			if s, ok := with[i]; ok && n.acts(i, g) && n.explains(s, g, n.seen[g.ID]) && n.guilty(before, i, g) >= 0 {
				fits[i] = append(fits[i], g)
			}
		}
	}
	for i := range fits {
		if fits[i] != nil && n.refuted(i, fits[i]) {
			fits[i] = nil
		}
	}
	for {
		best, most := n.best(fits)
		if len(most) == 0 {
			return
		}
		for _, g := range most {
			n.names[g.ID] = n.suspects[n.guilty(before, best, g)].name
		}
		n.found = append(n.found, best)
	}
}

// best returns the suspect that explains most groups that have no name, and these groups.
// Knobs come first, since a user can declare them, then what ignores a member that another one found ignores, then
// suspects that explain more cases, then those that answer fewer cases wrongly that the engine passes.
func (n *naming) best(fits [][]*Group) (best int, most []*Group) {
	for i, s := range n.suspects {
		left := slices.DeleteFunc(slices.Clone(fits[i]), func(g *Group) bool { return n.names[g.ID] != "" })
		if len(left) > 0 && cmp.Or(
			cmp.Compare(len(left), len(most)), cmp.Compare(truth(s.knob), truth(n.suspects[best].knob)),
			cmp.Compare(n.akin(s), n.akin(n.suspects[best])),
			cmp.Compare(total(left), total(most)), cmp.Compare(n.alarms(best), n.alarms(i)),
		) > 0 {
			best, most = i, left
		}
	}
	return best, most
}

// akin is 1 for a suspect that ignores what another one that was found ignores, too.
func (n *naming) akin(s suspect) float64 {
	return truth(slices.ContainsFunc(n.found, func(i int) bool { return alikeIgnored(n.suspects[i].name, s.name) }))
}

// total counts the cases of groups. With the same culprits, a case shows only its worst break, so none counts twice.
func total(groups []*Group) (cases uint64) {
	for _, g := range groups {
		cases += g.Cases
	}
	return cases
}

// composed returns a suspect that has the faults of a set and of one more.
func (n *naming) composed(set []int, i int) suspect {
	n.effort += len(set) + 1
	if len(set) == 0 {
		return n.suspects[i]
	}
	set = append(slices.Clone(set), i)
	slices.Sort(set)
	return suspect{defect: mutant.New("several", "", func(right mutant.Eval) mutant.Eval {
		for _, i := range set {
			right = n.suspects[i].defect.Wrap(right)
		}
		return right
	})}
}

// guilty returns the suspect to name a group that several explain together: the one of them
// that breaks the same alone, the last one by preference; -1 if none does.
func (n *naming) guilty(before []int, last int, g *Group) int {
	if len(before) == 0 || n.breaks(n.suspects[last], g, n.seen[g.ID]) {
		return last
	}
	for _, i := range before {
		if n.acts(i, g) && n.breaks(n.suspects[i], g, n.seen[g.ID]) {
			return i
		}
	}
	return -1
}

// chance is how many cases a simple suspect must explain: it may explain fewer by chance.
const chance = 4

// refuted reports whether a suspect is wrong in more cases that the engine passes than it
// explains; a simple one, in any. One that does not know a value must explain most failing cases with it.
func (n *naming) refuted(i int, fits []*Group) bool {
	alarms := n.alarms(i)
	return alarms > n.early(fits) || n.suspects[i].simple && (alarms > 0 || total(fits) < chance) ||
		strings.HasPrefix(n.suspects[i].name, unknown) && total(fits) < total(n.unexplained(i, fits))
}

// unexplained returns the groups that have no look-alike and whose cases a suspect answers wrongly, but not as the
// engine does.
func (n *naming) unexplained(i int, fits []*Group) (list []*Group) {
	for k := range n.groups {
		if g := &n.groups[k]; n.names[g.ID] == "" && n.seen[g.ID] != nil && !slices.Contains(fits, g) && n.acts(i, g) {
			list = append(list, g)
		}
	}
	return list
}

// alarms counts the cases without culprits that a suspect answers wrongly.
func (n *naming) alarms(i int) (count int) {
	if count, ok := n.alarming[i]; ok {
		return count
	}
	s := n.suspects[i]
	eval := s.defect.Wrap(n.Dialect.Eval)
	for i := range n.passed {
		o := &n.passed[i]
		if n.answer(eval, s, o, "") != o.answer && !n.passes(s, o) && !tests(s, o) {
			count++
		}
	}
	n.alarming[i] = count
	return count
}

// acts reports whether a suspect alone changes the answer to a small case of a group. Others
// are not tried: those are most of what there is to try.
func (n *naming) acts(i int, g *Group) bool {
	if n.acting[g.ID] == nil {
		n.acting[g.ID] = make([]bool, len(n.suspects))
		for _, o := range small(g, n.seen[g.ID]) {
			n.act(g, o)
		}
	}
	return n.acting[g.ID][i]
}

// act notes which suspects change the answer to a case of a group or, if no answer shows the
// break, such as another one the next time, break the same. A break that the rules themselves
// demand, as duplicates=keep does, is no suspect's.
func (n *naming) act(g *Group, o observed) {
	acting, disputed := n.acting[g.ID], Disputed(g.Kind)
	right := n.unchanged(&o, disputed)
	if o.answer == right && n.breaks(suspect{defect: none()}, g, n.seen[g.ID]) {
		return
	}
	for i, s := range n.suspects {
		switch {
		case acting[i]:
		case o.answer == right:
			acting[i] = n.breaks(s, g, n.seen[g.ID])
		default:
			acting[i] = n.answer(s.defect.Wrap(n.Dialect.Eval), s, &o, disputed) != right
		}
	}
}

// early counts the kept cases that show groups, as far as the cases without culprits go.
func (n *naming) early(groups []*Group) (count int) {
	last := n.Source.Mix()
	if len(n.passed) > 0 {
		last = n.passed[len(n.passed)-1].index
	}
	for _, g := range groups {
		for _, f := range g.Failing {
			if f.Index < last {
				count++
			}
		}
	}
	return count
}

// Twins lists what explains all groups of a campaign alone.
func Twins(c Campaign, groups []Group) (names []string) {
	if c.Source == nil || len(groups) == 0 {
		return nil
	}
	seen := map[string][]observed{}
	for i := range groups {
		seen[groups[i].ID] = c.observe(&groups[i], groups)
	}
	for _, s := range c.suspects() {
		if !slices.ContainsFunc(groups, func(g Group) bool {
			return !g.Advisory && !c.explains(s, &g, seen[g.ID])
		}) {
			names = append(names, s.name)
		}
	}
	return names
}

// explains reports whether a suspect answers the cases of a group as the engine did, and
// breaks the same check in the same kind.
func (c *Campaign) explains(s suspect, g *Group, seen []observed) bool {
	if len(g.Failing) == 0 {
		return false
	}
	eval, disputed := s.defect.Wrap(c.Dialect.Eval), Disputed(g.Kind)
	for i := range seen {
		o := &seen[i]
		if c.answer(eval, s, o, disputed) != o.answer && (!o.passed || !c.passes(s, o)) {
			seen[0], seen[i] = seen[i], seen[0] // it tells the next suspects apart, too
			return false
		}
	}
	return c.breaks(s, g, seen)
}

// answer is a digest of what an evaluation gives for a case, or how it fails.
func (c *Campaign) answer(eval mutant.Eval, s suspect, o *observed, disputed string) (digest string) {
	k := o.sample.Case
	if s.defect.Hangs != nil && s.defect.Hangs(k) {
		return string(harness.Hang)
	}
	defer func() {
		if recover() != nil {
			digest = string(harness.Crash)
		}
	}()
	changed := k
	if s.defect.Change != nil {
		if s.defect.Change(&changed); reflect.DeepEqual(changed, k) {
			return c.unchanged(o, disputed)
		}
		eval = c.Dialect.Eval
	}
	out := c.given(eval(changed.Copy(), c.rules(k)))
	return Digest(c.Dialect.Members, &o.right, c.aligned(k, &out, &o.right), c.Exact, disputed)
}

// unchanged is the answer of the rules to a case, which is also the one of a suspect that does
// not change the case.
func (c *Campaign) unchanged(o *observed, disputed string) string {
	if o.unchanged == "" {
		o.unchanged = c.answer(c.Dialect.Eval, suspect{}, o, disputed)
	}
	return o.unchanged
}

// aligned returns an outcome with the names that an engine may choose called as in the right one.
func (c *Campaign) aligned(k harness.Case, out, right *harness.Outcome) *harness.Outcome {
	return c.Dialect.Judging.Aligned(c.Dialect.Declare(c.Profile), k, out, right)
}

// rules are those that a case is judged by.
func (c *Campaign) rules(k harness.Case) harness.Profile {
	p := c.Profile
	if k.Profile != nil {
		p = *k.Profile
	}
	return p.For(c.Dialect.Judging.Knobs)
}

// slow begins the kinds of breaks that are measured in time.
const slow = "slow:"

// breaks reports whether an engine with the suspect's fault breaks the check of the group in
// its kind on the group's first case, which is among the seen ones unless it is large. Of a group that was not
// attributed no case is kept. The time that a suspect takes says nothing: it runs on a machine under load.
func (c *Campaign) breaks(s suspect, g *Group, seen []observed) bool {
	if len(g.Failing) == 0 || strings.HasPrefix(g.Kind, slow) {
		return false
	}
	first := g.Failing[0].Index
	var sample generators.Sample
	if i := slices.IndexFunc(seen, func(o observed) bool { return o.index == first }); i >= 0 {
		sample = seen[i].sample
	} else {
		sample = c.Source.Keeping(c.Seed, first, g.Culprits)
	}
	list, err := c.judged(s, c.item(sample, first), g.Check)
	return err == nil && slices.ContainsFunc(list, func(b judge.Break) bool {
		return b.Check == g.Check && b.Kind == g.Kind
	})
}

// passes reports whether an engine with the suspect's fault does nothing wrong on a case,
// though it does not answer as the rules do: they may leave something open.
func (c *Campaign) passes(s suspect, o *observed) bool {
	list, err := c.judged(s, c.item(o.sample, o.index), judge.Reference)
	return err == nil && len(list) == 0
}

// item is a case of the campaign as it is judged there: of several traits, each code that
// the rules give for one of them alone is right.
func (c *Campaign) item(s generators.Sample, index uint64) judge.Item {
	s.Case = s.Case.Copy()
	it := ItemOf(s, Salt(c.Seed, index))
	it.Codes = CodesAlone(c.Source, c.Seed, index, s.Traits, func(k harness.Case) harness.Code {
		return c.Dialect.Eval(k, c.rules(k)).Code
	})
	return it
}

// judged are the breaks of a check by an engine with the suspect's fault.
func (c *Campaign) judged(s suspect, it judge.Item, check string) ([]judge.Break, error) {
	declared := c.Dialect.Declare(c.Profile)
	if c.Gives != nil {
		declared.Gives = c.Gives
	}
	s.defect = c.giving(s.defect)
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

// giving returns a defect whose outcomes have the members that the engine gives: a break is named after what they say.
func (c *Campaign) giving(d mutant.Defect) mutant.Defect {
	wrap, less := d.Wrap, mutant.Answers(d.Name, d.Text, func(out *harness.Outcome) { *out = c.given(*out) })
	d.Wrap = func(right mutant.Eval) mutant.Eval { return less.Wrap(wrap(right)) }
	return d
}

// given returns an outcome with the members that the engine gives.
func (c *Campaign) given(out harness.Outcome) harness.Outcome {
	if c.Gives == nil {
		return out
	}
	return c.Dialect.Members.Given(&out, c.Gives...)
}

// patience is how long an engine with a defect may take for a case: long, so that a busy machine changes no
// look-alike. One that hangs fails at once.
const patience = 10 * time.Second

// RightEngine is the reference of one dialect.
func RightEngine(d *dialect.Dialect, declared harness.Declaration) harness.Engine {
	return mutant.Engine(d.Name, none(), d.Eval, declared)
}

// none is the defect of an engine without one.
func none() mutant.Defect {
	return mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
}
