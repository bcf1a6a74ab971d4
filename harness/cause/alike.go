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

// nameAll finds the look-alikes of the rows: of several suspects the fewest that
// cover all rows, knobs first, then those that answer more cases as the engine does.
func (c *Campaign) nameAll(rows []*row) {
	if c.Source == nil {
		return
	}
	seen := c.observe(rows)
	suspects := c.suspects()
	fits := make([][]bool, len(suspects)) // suspect, row
	for i, s := range suspects {
		fits[i] = make([]bool, len(rows))
		eval := s.defect.Wrap(c.Dialect.Eval)
		for k, r := range rows {
			fits[i][k] = c.explains(eval, s, r, seen)
		}
	}
	open := func(i int) (n, cases int) {
		for k, r := range rows {
			if fits[i][k] && r.looksLike == "" {
				n, cases = n+1, cases+int(r.head().Cases)
			}
		}
		return n, cases
	}
	for {
		best, bestN, bestCases := -1, 0, 0
		for i, s := range suspects {
			n, cases := open(i)
			better := cmp.Or(cmp.Compare(n, bestN), compareBool(best >= 0 && suspects[best].knob, s.knob), cmp.Compare(cases, bestCases))
			if n > 0 && better > 0 {
				best, bestN, bestCases = i, n, cases
			}
		}
		if best < 0 {
			return
		}
		for k, r := range rows {
			if fits[best][k] && r.looksLike == "" {
				r.looksLike = suspects[best].name
			}
		}
	}
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
	answer string
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
			seen[g.ID] = append(seen[g.ID], observed{c.Source.Keeping(c.Seed, f.Index, g.Culprits), f.Answer})
		}
		for _, index := range c.passing(g, groups) {
			sample := c.Source.Keeping(c.Seed, index, g.Culprits)
			if undetermined(sample.Want) {
				continue
			}
			right := c.answer(c.Dialect.Eval, suspect{}, sample.Case, Disputed(g.Kind))
			seen[g.ID] = append(seen[g.ID], observed{sample, right})
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
	var like, all uint64
	for i := range r.groups {
		g := &r.groups[i]
		all += g.Cases
		if c.explainsGroup(eval, s, g, seen[g.ID]) {
			like += g.Cases
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
	for _, o := range seen {
		if c.answer(eval, s, o.sample.Case, disputed) != o.answer {
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
// the group in its kind on the group's first case.
func (c *Campaign) breaks(s suspect, g *Group) bool {
	sample := c.Source.Keeping(c.Seed, g.Failing[0].Index, g.Culprits)
	declared := c.Dialect.Declare(c.Profile)
	engine := guard.New(mutant.Engine(c.Dialect.Name, s.defect, c.Dialect.Eval, declared), patience)
	defer engine.Close()
	hello, err := engine.Hello(context.Background())
	if err != nil {
		return false
	}
	j := judge.New(engine, hello, c.Dialect.Judging, judge.Options{Reference: rightEngine(c.Dialect, declared)})
	result, err := j.Only(context.Background(), ItemOf(sample, g.Failing[0].Index), g.Check)
	return err == nil && slices.ContainsFunc(result.Breaks, func(b judge.Break) bool { return b.Check == g.Check && b.Kind == g.Kind })
}

// patience is how long an engine with a defect may take for a case before it hangs.
const patience = 200 * time.Millisecond

// rightEngine is the reference of one dialect.
func rightEngine(d *dialect.Dialect, declared harness.Declaration) harness.Engine {
	none := mutant.New("none", "", func(right mutant.Eval) mutant.Eval { return right })
	return mutant.Engine(d.Name, none, d.Eval, declared)
}
