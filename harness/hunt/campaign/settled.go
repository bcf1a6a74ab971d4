package campaign

import (
	"maps"
	"slices"

	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// settlement is a group with enough kept cases: further ones are counted and not run
// again.
type settlement struct {
	cause.Key
	beside []string // other breaks that its cases show: check and kind
}

// fewCrashes is how many cases settle a group of crashes: to run one again costs the start of
// a process.
const fewCrashes = 4

// settle publishes the groups that are settled, those with few culprits first. Only a
// campaign with a time limit has any: which cases are run again would depend on the other
// shards, and only with a time limit do results differ between runs anyway.
func (r *runner) settle() {
	if r.Time == 0 {
		return
	}
	var list []settlement
	for i := range r.result.Groups {
		g, enough := &r.result.Groups[i], cause.Kept
		if g.Class == judge.Crashes {
			enough = fewCrashes
		}
		if !g.Unconfirmed && len(g.Failing) >= enough {
			list = append(list, settlement{g.Key, slices.Sorted(maps.Keys(g.Beside))})
		}
	}
	slices.SortStableFunc(list, func(a, b settlement) int { return len(a.Culprits) - len(b.Culprits) })
	r.settled.Store(&list)
}

// crashes are the groups of crashes that cases of one chunk settle, before the chunk is in the result.
func (r *runner) crashes(list []blamed) (settled []settlement) {
	cases := map[string]int{}
	for i := 0; r.Time > 0 && i < len(list); i++ {
		if b := &list[i]; b.Class == judge.Crashes && !b.open {
			id := b.key.ID(r.Dialect)
			if cases[id]++; cases[id] == fewCrashes {
				settled = append(settled, settlement{Key: b.key})
			}
		}
	}
	return settled
}

// known puts the breaks of a case down to settled groups, and to these. It is not ok if a break shows
// something that they do not.
func (r *runner) known(h hit, settled []settlement) (list []blamed, ok bool) {
	if others := r.settled.Load(); others != nil {
		settled = slices.Concat(settled, *others)
	}
	if len(settled) == 0 {
		return nil, false
	}
	rules := all.Rules(r.Dialect)
	breaks := slices.Clone(h.judgement.Breaks)
	slices.SortStableFunc(breaks, func(a, b judge.Break) int {
		switch {
		case cause.Worst(&rules, a, b):
			return -1
		case cause.Worst(&rules, b, a):
			return 1
		}
		return 0
	})
	var groups []settlement
	for _, b := range breaks {
		way := b.Check + " " + b.Kind
		if i := slices.IndexFunc(groups, func(s settlement) bool { return slices.Contains(s.beside, way) }); i >= 0 {
			list[i].beside = append(list[i].beside, b)
			continue
		}
		i := slices.IndexFunc(settled, func(s settlement) bool {
			g := cause.Group{Key: s.Key}
			return s.Check == b.Check && s.Kind == b.Kind && g.Covers(h.traits)
		})
		if i < 0 {
			return nil, false
		}
		groups = append(groups, settled[i])
		list = append(list, blamed{index: h.index, Break: b, traits: h.traits, key: settled[i].Key})
	}
	return list, true
}
