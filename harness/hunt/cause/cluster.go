package cause

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/hunt/judge"
)

// Threshold is the similarity from which on two groups are one cause. TestThreshold has the
// curve that it was chosen on.
const Threshold = 0.45

// The reasons to take two groups for one bug, each as the probability that they are if
// nothing else is known. They add up as independent evidence: see similarity.
const (
	sameBreak    = 0.6  // the same check breaks in the same kind
	sameCheck    = 0.35 // the same safety check breaks in another kind
	sameGiven    = 0.5  // the same code is given wrongly
	sameRule     = 0.5  // the rules reject the cases of both with the same code
	bothPlain    = 0.5  // plain cases break both, and not one of them by an error at a known place
	sameCulprits = 0.7  // the same traits, or more of them
	sameTheme    = 0.55 // all themes of the traits of one
	sameChange   = 0.55 // the outcomes differ from the expected ones in the same way
	weakChange   = 0.4  // the same, if each has traits that are the reason, and one breaks a safety check
	sameCases    = 0.6  // the same cases break both

	// A kind that says only that the outcome is wrong is weak evidence if the traits
	// explain the breaks, and better evidence if they do not.
	vagueBreak, vagueScattered = 0.2, 0.55
)

// Below usual, so few of the cases with the culprits fail that these traits are not the
// reason. Such a group joins the most similar cluster and connects nothing.
const usual = 0.5

// rare bounds how much less often one of two effects in plain cases shows if one bug has
// both: to a tenth of the cases it counts in full. One case more than there is corrects chance.
const rare = 10

// met is the share of the cases from which on two checks break together.
const met = 0.25

// seldom is the share of the plain cases below which a break is rare in them.
const seldom = 0.1

// node is a group with what the other groups say about it.
type node struct {
	*Fact
	stimuli []string
	way     string
	place   string             // where most of its cases crash
	change  map[string]float64 // Ways, without how a value changed
	oracle  bool
	shown   float64         // the share of the cases with the stimuli that break anything
	known   float64         // the share of the kept cases whose difference is known, at least
	wide    bool            // its look-alike explains cases that the rules reject for other reasons, or do not reject
	small   bool            // it says little: it joins a cluster and connects nothing
	pivot   string          // the trait that is the reason, of several
	allied  map[string]bool // the safety checks that cases with the same traits break together with its check
}

// changes returns what changed: how the value of a member changed does not count, but whether
// an item of a list is missing or new does.
func changes(ways map[string]float64) map[string]float64 {
	shares := map[string]float64{}
	for way, share := range ways {
		at, word := way[:max(0, strings.LastIndexByte(way, ' '))], way[strings.LastIndexByte(way, ' ')+1:]
		list := !strings.Contains(at, " ") && (word == "gone" || word == "added")
		if !list && !strings.HasPrefix(way, Said) {
			way = at
		}
		shares[way] = min(1, shares[way]+share)
	}
	return shares
}

// crashed returns the place where most kept cases of a group crash, or "".
func crashed(g *Group) string {
	count := map[string]int{}
	for _, f := range g.Failing {
		if count[f.Place]++; float64(count[f.Place]) > usual*float64(len(g.Failing)) {
			return f.Place
		}
	}
	return ""
}

// nodes returns the groups of evidence with what they say about each other.
func nodes(e *Evidence) []node {
	list := make([]node, len(e.Groups))
	cases, held := map[string]uint64{}, map[string]uint64{}
	for i := range e.Groups {
		f := &e.Groups[i]
		n := node{Fact: f, stimuli: stimuli(&f.Group), way: way(&f.Group), oracle: oracle(&f.Group)}
		n.change, n.place = changes(f.Ways), crashed(&f.Group)
		key := strings.Join(n.stimuli, "+")
		cases[key] += f.Cases
		held[key] = max(held[key], f.Held)
		list[i] = n
	}
	for i := range list {
		n, key := &list[i], strings.Join(list[i].stimuli, "+")
		if n.shown = 1; len(n.stimuli) > 0 && held[key] > 0 {
			n.shown = min(1, float64(cases[key])/float64(held[key]))
		}
	}
	for i := range list {
		n := &list[i]
		n.wide = n.LooksLike != "" && slices.ContainsFunc(list, func(o node) bool {
			return o.LooksLike == n.LooksLike && o.reason() != n.reason()
		})
	}
	findPivots(list)
	for i := range list {
		list[i].small = len(list[i].Culprits) > 1 && list[i].scattered() && list[i].Cases < few
	}
	linkChecks(list)
	subtract(list)
	for i := range list {
		for _, share := range list[i].change {
			list[i].known = max(list[i].known, share)
		}
	}
	return list
}

// findPivots finds traits that several groups have in common, each with another trait, and that break nothing
// alone: they are the reason, and the other traits only let it show. Groups with a trait that alone breaks the same do
// not count.
func findPivots(list []node) {
	count, alone := map[string]int{}, map[string]bool{}
	for i := range list {
		if n := &list[i]; len(n.Culprits) == 1 {
			count[n.Culprits[0]], alone[n.Culprits[0]+" "+n.way] = math.MinInt32, true
		}
	}
	several := func(n *node) bool {
		return len(n.Culprits) > 1 &&
			!slices.ContainsFunc(n.Culprits, func(trait string) bool { return alone[trait+" "+n.way] })
	}
	for i := range list {
		for _, trait := range list[i].Culprits {
			count[trait] += collect.One(several(&list[i]))
		}
	}
	for i := range list {
		n, most := &list[i], few-1
		if !several(n) {
			continue
		}
		for _, trait := range n.Culprits {
			if count[trait] > most {
				n.stimuli, n.pivot, most = []string{trait}, trait, count[trait]
			}
		}
	}
}

// subtract removes the changes that most cases with fewer traits, or with none, have from groups that break in another
// way: that they have those, too, is no reason.
func subtract(list []node) {
	for _, less := range list {
		if float64(less.Cases) < usual*float64(less.Held) {
			continue
		}
		for _, n := range list {
			if n.way != less.way && len(n.stimuli) > 0 && (len(less.stimuli) == 0 ||
				len(less.Culprits) < len(n.Culprits) && within(less.Culprits, n.Culprits)) {
				maps.DeleteFunc(n.change, func(way string, _ float64) bool { return less.change[way] > usual })
			}
		}
	}
}

// linkChecks notes which safety checks the same cases break: one bug breaks both, and other
// traits may show only one of them. What only one of them shows in plain cases meets the other by
// chance.
func linkChecks(list []node) {
	allied, plain := map[string]map[string]bool{}, map[string]bool{}
	for i := range list {
		if len(list[i].stimuli) == 0 && !list[i].oracle {
			plain[checked(&list[i])] = true
		}
	}
	for i := range list {
		own := checked(&list[i])
		if allied[own] == nil {
			allied[own] = map[string]bool{}
		}
		for j := range list {
			other := checked(&list[j])
			if !list[i].oracle && !list[j].oracle && plain[own] == plain[other] && together(&list[i], &list[j]) >= met {
				allied[own][other] = true
			}
		}
		list[i].allied = allied[own]
	}
}

// scattered reports whether the traits of a group are not the reason for its breaks.
func (n *node) scattered() bool {
	return len(n.stimuli) > 0 && n.LooksLike == "" && !n.Lenient && n.Held > 0 &&
		(float64(n.Cases) <= usual*float64(n.Held) || len(n.stimuli) > 1)
}

// Cluster returns the groups of each cause, as places in the evidence. It is complete
// linkage on similarity: all groups of a cluster are similar to each other. Groups whose
// traits are not the reason are not linked, but join the most similar cluster afterwards.
func Cluster(e *Evidence) [][]int { return clusters(e, Threshold) }

func clusters(e *Evidence, threshold float64) (list [][]int) {
	all := nodes(e)
	similar := make([][]float64, len(all))
	for i := range all {
		similar[i] = make([]float64, len(all))
		similar[i][i] = 1
		for j := range i {
			similar[i][j] = similarity(&all[i], &all[j])
			similar[j][i] = similar[i][j]
		}
	}
	hosts := hosts(all)
	unite(all, hosts, similar)
	var clear, rest, small, quiet []int
	for i := range all {
		switch {
		case hosts[i] >= 0:
		case all[i].Advisory:
			quiet = append(quiet, i)
		case all[i].small:
			small = append(small, i)
		case all[i].scattered():
			rest = append(rest, i)
		default:
			clear = append(clear, i)
		}
	}
	l := linkage{all: all, similar: similar, threshold: threshold}
	list = l.linked(clear)
	list, rest = l.assigned(list, list, rest)
	list = l.absorbed(append(list, l.linked(rest)...))
	core := list // what says little connects nothing
	for _, groups := range [][]int{small, quiet} {
		list, groups = l.assigned(core, list, groups)
		list = append(list, l.linked(groups)...)
	}
	for k, members := range list {
		for guest, host := range hosts {
			if slices.Contains(members, host) {
				list[k] = append(list[k], guest)
			}
		}
		slices.Sort(list[k])
	}
	return list
}

// unite makes the groups of a family as similar to others as three in four of their cases are, or as the most similar
// one with the same traits or the same break. With traits, a vague break or a bad response is too little for that. They
// are one bug, whatever it shows. A rare guest of plain cases, or a rare group whose traits are not the reason, says
// nothing about its family.
func unite(all []node, hosts []int, similar [][]float64) {
	for _, groups := range families(all) {
		total := uint64(0)
		for _, i := range groups {
			total += all[i].Cases
		}
		guest := func(i int) bool {
			return (hosts[i] >= 0 || all[i].scattered()) && float64(all[i].Cases) < seldom*float64(total)
		}
		for j := range all {
			if slices.Contains(groups, j) {
				continue
			}
			s := reached(all, groups, similar[j])
			for _, i := range groups {
				a, b := &all[i], &all[j]
				if !guest(i) && (slices.Equal(a.stimuli, b.stimuli) ||
					a.way == b.way && (len(a.stimuli) == 0 || len(b.stimuli) == 0 || !vague(&a.Group) && a.Check != judge.Total)) {
					s = max(s, similar[i][j])
				}
			}
			for _, i := range groups {
				similar[i][j], similar[j][i] = s, s
			}
		}
		for _, i := range groups {
			for _, j := range groups {
				similar[i][j] = 1
			}
		}
	}
}

// families returns the groups that have one look-alike or are certainly one bug, and those with one pivot and break.
func families(all []node) [][]int {
	one := func(a, b *node) bool {
		return a.LooksLike != "" && a.LooksLike == b.LooksLike || certain(a, b) && !a.small && !b.small
	}
	pivot := func(a, b *node) bool { return a.pivot != "" && a.pivot == b.pivot && a.way == b.way }
	return slices.Concat(related(all, one), related(all, pivot))
}

// related returns the sets of groups that are related, some through others.
func related(all []node, is func(a, b *node) bool) (list [][]int) {
	for i := range all {
		family := []int{i}
		list = slices.DeleteFunc(list, func(groups []int) bool {
			found := slices.ContainsFunc(groups, func(j int) bool { return is(&all[i], &all[j]) })
			if found {
				family = append(groups, family...)
			}
			return found
		})
		list = append(list, family)
	}
	return slices.DeleteFunc(list, func(groups []int) bool { return len(groups) == 1 })
}

// reached is the similarity that at least three in four cases of some groups reach.
func reached(all []node, groups []int, similar []float64) float64 {
	groups = slices.DeleteFunc(slices.Clone(groups), func(i int) bool { return all[i].Advisory })
	slices.SortFunc(groups, func(i, j int) int { return cmp.Compare(similar[j], similar[i]) })
	total, sum := uint64(0), uint64(0)
	for _, i := range groups {
		total += all[i].Cases
	}
	for _, i := range groups {
		if sum += all[i].Cases; 4*sum >= 3*total {
			return similar[i]
		}
	}
	return 0
}

// hosts returns, for each group with traits that shows what plain cases show, the group of
// the plain cases; -1 for others. What the same traits show less often goes with it, if the
// traits are not the reason and it is not worse than what plain cases show.
func hosts(all []node) []int {
	list := make([]int, len(all))
	for i := range all {
		list[i] = slices.IndexFunc(all, func(plain node) bool { return plain.hosts(&all[i]) })
	}
	for i := range all {
		if list[i] >= 0 || !all[i].scattered() {
			continue
		}
		for k := range all {
			twin := list[k] >= 0 && all[k].scattered() && slices.Equal(all[k].stimuli, all[i].stimuli)
			if twin && all[k].Cases >= all[i].Cases && all[k].Advisory == all[i].Advisory &&
				all[list[k]].Class.Rank() <= all[i].Class.Rank() && !otherCheck(&all[i], &all[k]) {
				list[i] = list[k]
			}
		}
	}
	return list
}

// echoes reports whether the engine rejects cases as a whole with the code with which the rules reject a part of them.
func (n *node) echoes() bool {
	return n.Class == judge.Refuses && n.Rule != "" && given(n) == string(n.Rule)
}

// otherCheck reports whether two groups break two safety checks.
func otherCheck(a, b *node) bool { return !a.oracle && !b.oracle && checked(a) != checked(b) }

// hosts reports whether a group of plain cases has the same break as a group with traits. Outcomes must differ in the
// same way, if that is known, unless a safety check breaks no more often than in plain cases: another bug then changes
// the outcomes, and a look-alike is chance. A code with which plain cases are rejected is the same where the rules
// reject with another one. An engine that rejects cases as a whole with the code with which the rules reject a part of
// them does so for another part. A wrong answer is the same if it is not much more frequent with the traits, or if most
// plain cases with the features that it needs are wrong. A look-alike of few of the cases with the traits says nothing.
func (n *node) hosts(guest *node) bool {
	held, rate := float64(guest.Held), float64(n.Cases)/float64(max(1, n.Held))
	rarer := func(rate float64) bool {
		return held > 0 && float64(guest.Cases) <= 1+held*rate+3*math.Sqrt(held*rate*(1-rate))
	}
	usually := !n.oracle && rarer(rate)
	same := n.way == guest.way || n.Class == judge.Refuses &&
		(guest.echoes() || guest.Class == judge.OnlyCode && given(n) == given(guest))
	if len(n.stimuli) > 0 || len(guest.stimuli) == 0 || !same ||
		guest.LooksLike != "" && guest.LooksLike != n.LooksLike && float64(guest.Cases) >= max(few, usual*held) &&
			(n.LooksLike != "" || !usually) ||
		min(n.known, guest.known) > usual && contained(n.change, guest.change) == 0 && !usually {
		return false
	}
	return !n.oracle || n.Asked > 0 && rate >= usual*n.Asked || rarer(min(usual, 2*rate))
}

// linkage makes clusters of groups that are similar from a threshold on.
type linkage struct {
	all       []node
	similar   [][]float64
	threshold float64
}

// assigned adds each of some groups to the cluster with the most similar member in the core, and returns the groups
// that are similar to no cluster.
func (l *linkage) assigned(core, list [][]int, groups []int) (grown [][]int, left []int) {
	grown = slices.Clone(list)
	for _, i := range groups {
		k, most := l.nearest(core, i)
		if most <= l.threshold {
			left = append(left, i)
			continue
		}
		k = l.asBad(core, i, k)
		grown[k] = append(slices.Clip(grown[k]), i)
	}
	return grown, left
}

// asBad returns the cluster with some of the traits of a group that is as bad as the group and has the most cases with
// them, if the k-th cluster is not: a case with the traits of two bugs shows the worse one.
func (l *linkage) asBad(list [][]int, i, k int) int {
	n, most := &l.all[i], uint64(0)
	bad := func(j int) bool { return l.all[j].Class.Rank() <= n.Class.Rank() && !l.all[j].Advisory }
	if n.Advisory || slices.ContainsFunc(list[k], bad) {
		return k
	}
	for c, members := range list {
		for _, j := range members {
			if o := &l.all[j]; bad(j) && o.Cases > most && len(o.Culprits) < len(n.Culprits) && within(o.Culprits, n.Culprits) {
				k, most = c, o.Cases
			}
		}
	}
	return k
}

// absorbed adds clusters of groups whose traits are not the reason to another one that has a similar group with the
// same traits for each of them: one bug shows in other ways. A crash is no way to show a wrong answer.
func (l *linkage) absorbed(list [][]int) [][]int {
	for a, guests := range slices.Backward(list) {
		b := slices.IndexFunc(list, func(host []int) bool {
			return host[0] != guests[0] && !slices.ContainsFunc(guests, func(i int) bool {
				return !l.all[i].scattered() || !slices.ContainsFunc(host, func(j int) bool {
					x, y := &l.all[i], &l.all[j]
					return l.similar[i][j] >= l.threshold && twins(x, y) && !crash(x, y)
				})
			})
		})
		if b >= 0 {
			list[b] = append(slices.Clip(list[b]), guests...)
			list = slices.Delete(list, a, a+1)
		}
	}
	return list
}

// twins reports whether two groups have the same traits. If they break two safety checks, most of
// their cases must break both.
func twins(a, b *node) bool {
	return slices.Equal(a.stimuli, b.stimuli) && (!otherCheck(a, b) || together(a, b)*ratio(a.Cases, b.Cases) >= nearly)
}

// nearest returns the cluster with the member that is most similar to a group.
func (l *linkage) nearest(list [][]int, i int) (best int, most float64) {
	for k, members := range list {
		for _, j := range members {
			if l.similar[i][j] > most {
				best, most = k, l.similar[i][j]
			}
		}
	}
	return best, most
}

// linked is complete linkage: it merges the two most similar clusters until the least
// similar members of any two are less similar than the threshold.
func (l *linkage) linked(members []int) (list [][]int) {
	least := make([][]float64, len(members))
	for a, i := range members {
		list = append(list, []int{i})
		for _, j := range members {
			least[a] = append(least[a], l.similar[i][j])
		}
	}
	for {
		a, b, most := -1, -1, l.threshold
		for i := range list {
			for j := range i {
				if s := least[i][j]; s >= most && (a < 0 || s > most) {
					a, b, most = j, i, s
				}
			}
		}
		if a < 0 {
			return list
		}
		for k := range list {
			least[a][k] = min(least[a][k], least[b][k])
			least[k][a] = least[a][k]
		}
		list[a] = append(list[a], list[b]...)
		list, least = slices.Delete(list, b, b+1), slices.Delete(least, b, b+1)
		for k := range least {
			least[k] = slices.Delete(least[k], b, b+1)
		}
	}
}

// similarity is the probability, between 0 and 1, that one bug explains two groups of the
// evidence. Each thing that they have in common is a reason of its own: the similarity is
// 1 − Π(1 − reason). It is 0 if something excludes one bug: different look-alikes,
// different safety checks that never break together, and outcomes that differ from the
// expected ones in different ways.
func similarity(a, b *node) float64 {
	switch {
	case a.Lenient && b.Lenient || a.place != "" && a.place == b.place || certain(a, b):
		return 1
	// Two look-alikes of one broken safety check with traits of one theme are alternatives.
	case a.LooksLike != "" && b.LooksLike != "":
		return truth(a.LooksLike == b.LooksLike || alikeIgnored(a.LooksLike, b.LooksLike) ||
			!a.oracle && !b.oracle && checked(a) == checked(b) && common(a.Subjects, b.Subjects) > usual)
	case a.Class == judge.Unsteady || b.Class == judge.Unsteady:
		return truth(a.Class == b.Class || a.Check == judge.InputUnchanged || b.Check == judge.InputUnchanged)
	// A safety check breaks, with whatever traits: they are not the reason.
	case a.way == b.way && !a.oracle && a.Check != judge.Total && a.scattered() && b.scattered():
		return 1
	case excluded(a, b):
		return 0
	}
	none := 1.0
	for _, reason := range reasons(a, b) {
		none *= 1 - reason
	}
	return 1 - none
}

// untested reports whether the engine applies what one test of the rules rejects: the test of a reason, which it does
// not have at all, the test of one place, or the test of a trait, whatever other traits there are and whether it
// crashes later or rejects for another reason. A look-alike that explains more than one test names a larger bug.
func untested(a, b *node) bool {
	trait := (within(a.stimuli, b.stimuli) || within(b.stimuli, a.stimuli)) &&
		(crash(a, b) || len(a.stimuli) != len(b.stimuli)) && !nested(a, b)
	place := a.At != "" && a.At == b.At && a.Class != judge.Crashes && b.Class != judge.Crashes
	return sameReason(a, b) && !a.wide && !b.wide && (a.Unchecked && b.Unchecked || place || trait)
}

// crash reports whether one of two groups is a crash.
func crash(a, b *node) bool { return (a.Class == judge.Crashes) != (b.Class == judge.Crashes) }

// certain reports whether two groups are one bug whatever else they show: the engine lacks one test, tests the
// opposite, rejects the whole for a part, or answers with words that a list of the protocol does not have, such as
// codes of its own.
func certain(a, b *node) bool {
	return untested(a, b) || inverted(a, b) || a.echoes() && b.echoes() ||
		a.Kind == b.Kind && strings.HasPrefix(a.Kind, invalid+"unknown ")
}

func truth(is bool) float64 { return float64(collect.One(is)) }

// excluded reports whether one bug cannot explain two groups.
func excluded(a, b *node) bool {
	change, both := contained(a.change, b.change), together(a, b)
	switch {
	case unrelated(a, b), slices.Contains(a.Lacks, b.ID), slices.Contains(b.Lacks, a.ID):
		return true
	// Two lines of the engine crash where the rules have two tests, or with two errors.
	case a.place != b.place && a.place != "" && b.place != "" &&
		(a.Rule != b.Rule || twoPlaces(a, b) || min(a.known, b.known) > usual && change == 0):
		return true
	// A line of the engine crashes over a list, and members of its items are not tested, or it stores an impossible
	// value from a valid reply.
	case crash(a, b) && a.place != b.place && (nested(a, b) || a.Check == b.Check && (a.Rule == "") != (b.Rule == "")):
		return true
	// Two errors with one text and other names come from two places.
	case a.Check == judge.Total && b.Check == judge.Total && min(a.known, b.known) > usual &&
		change > 0 && change <= usual:
		return true
	case otherInput(a, b) && both == 0:
		return true
	// An invalid response was written on purpose, and a crash was not.
	case a.Check == judge.Total && b.Check == judge.Total && !slices.Equal(a.stimuli, b.stimuli) &&
		strings.HasPrefix(a.Kind, invalid) != strings.HasPrefix(b.Kind, invalid):
		return true
	}
	// Two impossible values that the rules reject with one code have two error messages. A safety check that breaks has
	// one.
	return min(a.known, b.known) > usual && change == 0 && both < met && !slices.Equal(a.stimuli, b.stimuli) &&
		!sameReason(a, b) && (a.Check == judge.Total) == (b.Check == judge.Total) &&
		(a.oracle || a.Check == judge.Total || a.way != b.way)
}

// otherInput reports whether a safety check breaks where the rules reject the cases of one group, and the engine
// makes something else of the valid cases of another one, with other traits.
func otherInput(a, b *node) bool {
	if b.Rule != "" {
		a, b = b, a
	}
	return a.Rule != "" && b.Rule == "" && !a.oracle && b.oracle && a.Class != judge.Crashes && b.Class != judge.Refuses &&
		len(a.stimuli) > 0 && len(b.stimuli) > 0 && !within(a.stimuli, b.stimuli) && !within(b.stimuli, a.stimuli)
}

// unrelated reports whether two groups break two safety checks that never break together.
func unrelated(a, b *node) bool {
	return otherCheck(a, b) && together(a, b) < met && !a.allied[checked(b)]
}

// located reports whether the rules reject the cases of a group at a place of the reply, or at places within one.
func (n *node) located() bool { return n.At != "" || n.Under != "" }

// twoPlaces reports whether the rules reject the cases of two groups at two places of the reply.
func twoPlaces(a, b *node) bool { return a.At != b.At && a.At != "" && b.At != "" }

// otherSide reports whether the theme of two groups is in different inputs: the engine rejects no plan, or no reply,
// and has more than this one bug, or the rules reject the plan of one group, and apply the replies of the other one.
func otherSide(a, b *node) bool {
	return a.Lenient != b.Lenient || a.Rule == harness.InvalidPlan && b.Rule == "" ||
		a.Rule == "" && b.Rule == harness.InvalidPlan
}

// nested reports whether the rules reject the cases of one group at a list, and the other cases at a member of its
// items.
func nested(a, b *node) bool {
	x, y := cmp.Or(a.At, a.Under), cmp.Or(b.At, b.Under)
	return x != "" && strings.HasPrefix(y, x+"/#/") || y != "" && strings.HasPrefix(x, y+"/#/")
}

// inverted reports whether the engine rejects plain cases with the code that it does not give
// where it is right: it tests the opposite.
func inverted(a, b *node) bool {
	if len(a.stimuli) > 0 {
		a, b = b, a
	}
	return len(a.stimuli) == 0 && !b.rejected() && given(a) != "" && harness.Code(given(a)) == b.Rule
}

// sameReason reports whether the rules reject the cases of two groups for the same reason, in one call.
func sameReason(a, b *node) bool { return a.Rule != "" && a.reason() == b.reason() }

// carriedOut reports whether the engine carries out the requests of both groups, at least one of them against the
// rules, for different reasons. That both change the plan is then no evidence of one bug. If a safety check breaks in
// two kinds, one of the two against the rules is enough for that.
func carriedOut(a, b *node) bool {
	against := func(n *node) bool { return n.Rule != "" && n.allowed() }
	does := func(n *node) bool { return len(n.stimuli) == 0 || against(n) }
	switch plain := len(a.stimuli) == 0 || len(b.stimuli) == 0; {
	case sameReason(a, b) || len(a.stimuli)+len(b.stimuli) == 0:
		return false
	case !plain && a.way != b.way && !a.oracle && !b.oracle:
		return against(a) || against(b)
	}
	return does(a) && does(b)
}

// apart reports whether two groups break in two ways, at least one of them a safety check, and the traits of each are
// the reason: two bugs may change the same member.
func apart(a, b *node) bool {
	return a.way != b.way && (!a.oracle || !b.oracle) && len(a.stimuli) > 0 && len(b.stimuli) > 0 &&
		!a.scattered() && !b.scattered()
}

// checked is the check that breaks, whatever relation shows it.
func checked(n *node) string {
	check, _, _ := strings.Cut(n.way, " ")
	return check
}

// reasons lists what speaks for one bug.
func reasons(a, b *node) (list []float64) {
	if a.way == b.way {
		list = append(list, alike(a, b))
	} else {
		list = append(list, otherBreak(a, b))
		// A response that is no outcome says nothing about the reason of a rejection. A rejection of the whole request says
		// nothing about a missing test.
		if sameReason(a, b) && (a.Class == judge.Refuses) == (b.Class == judge.Refuses) &&
			(crash(a, b) || (a.Check == judge.Total) == (b.Check == judge.Total)) {
			list = append(list, sameRule)
		}
	}
	switch {
	case len(a.stimuli) == 0 && len(b.stimuli) == 0:
		if !ownFeature(a, b) {
			list = append(list, bothPlain*balance(a, b))
		}
	case within(a.stimuli, b.stimuli), within(b.stimuli, a.stimuli):
		list = append(list, sameCulprits)
	case len(a.Subjects) > 0 && len(b.Subjects) > 0 && (a.way == b.way || !twoPlaces(a, b)) && !otherSide(a, b):
		list = append(list, sameTheme*common(a.Subjects, b.Subjects))
	}
	if !carriedOut(a, b) {
		weight, known := sameChange, min(1, min(a.known, b.known)/usual)
		if apart(a, b) {
			weight = weakChange
		}
		list = append(list, weight*known*contained(a.change, b.change))
	}
	both := min(1, 2*together(a, b))
	if a.oracle != b.oracle && len(a.stimuli)+len(b.stimuli) == 0 { // a broken safety check breaks the oracle, too
		both *= balance(a, b)
	}
	return append(list, sameCases*both)
}

// ownFeature reports whether the much smaller one of two groups of plain cases has a feature that the larger one does
// not need: one bug would show there as it does elsewhere.
func ownFeature(a, b *node) bool {
	if a.Cases > b.Cases {
		a, b = b, a
	}
	return len(a.Asks) > 0 && !slices.Equal(a.Asks, b.Asks) && ratio(a.Cases, b.Cases) < usual
}

// otherBreak is the evidence of two ways to break: of one code or of one safety check.
func otherBreak(a, b *node) float64 {
	same := given(a) != "" && given(a) == given(b)
	switch {
	case same:
		return sameGiven
	case !a.oracle && !b.oracle && checked(a) == checked(b):
		return sameCheck
	}
	return 0
}

// balance weighs two effects in plain cases as evidence of one bug, by how often they show.
func balance(a, b *node) float64 { return min(1, rare*ratio(a.Cases+1, b.Cases+1)) }

// ratio is the smaller of two counts as a share of the larger one.
func ratio(a, b uint64) float64 { return float64(min(a, b)) / float64(max(a, b, 1)) }

// alike is the evidence of one way to break.
func alike(a, b *node) float64 {
	switch {
	case a.Check == judge.Total && a.Class == judge.Unsound && a.Rule != b.Rule: // impossible values of two kinds
		return sameCheck
	case a.Class == judge.Unsound && b.Class == judge.Unsound && a.Rule != b.Rule && a.located() && b.located():
		return sameCheck // two tests are missing, and either would prevent the invalid plan
	case !vague(&a.Group) || a.Class == judge.Reports:
		return sameBreak // an error without a message says no more than its kind
	}
	explained := a.shown * b.shown
	return vagueBreak*explained + vagueScattered*(1-explained)
}

// common is the share of the words of the shorter of two lists of subjects that are in the
// other.
func common(a, b []string) float64 {
	if len(b) < len(a) {
		a, b = b, a
	}
	sum := 0.0
	for _, one := range a {
		best := 0.0
		for _, other := range b {
			best = max(best, shared(words(one), words(other)))
		}
		sum += best
	}
	return sum / float64(len(a))
}

// shared is the share of the shorter of two lists of words that is in the other. One word in common with a longer theme
// says little: "a time" and "a file from an earlier time".
func shared(a, b []string) float64 {
	if len(b) < len(a) {
		a, b = b, a
	}
	n := 0
	for _, word := range a {
		if slices.Contains(b, word) {
			n++
		}
	}
	if n == 1 && len(b) > 2 {
		return 0
	}
	return float64(n) / float64(max(1, len(a)))
}

// words returns the words of a theme that carry its meaning, in the singular.
func words(theme string) (list []string) {
	empty := []string{"that", "the", "and", "with", "for", "not", "step", "its"}
	for word := range strings.FieldsSeq(strings.ToLower(theme)) {
		if word = strings.TrimSuffix(word, "s"); len(word) > 2 && !slices.Contains(empty, word) {
			list = append(list, word)
		}
	}
	return list
}

// contained is what two distributions have in common, of the smaller one.
func contained(x, y map[string]float64) float64 {
	both, ofX, ofY := 0.0, 0.0, 0.0
	for _, way := range slices.Sorted(maps.Keys(x)) {
		both, ofX = both+min(x[way], y[way]), ofX+x[way]
	}
	for _, way := range slices.Sorted(maps.Keys(y)) {
		ofY += y[way]
	}
	if both == 0 {
		return 0
	}
	return both / min(ofX, ofY)
}

// together is the share of the cases of the smaller group that break both. A group that shows in nearly every case with
// its traits shows wherever a group with more traits does.
func together(a, b *node) float64 {
	if !slices.Equal(a.Culprits, b.Culprits) {
		return truth(a.always() && within(a.Culprits, b.Culprits) || b.always() && within(b.Culprits, a.Culprits) ||
			a.includes(b) || b.includes(a) || a.shows(b) || b.shows(a))
	}
	both := max(a.Beside[b.Check+" "+b.Kind], b.Beside[a.Check+" "+a.Kind])
	return float64(both) / float64(max(1, min(a.Cases, b.Cases)))
}

// shows reports whether nearly all cases of a group break the safety check of another one in its kind, too, which is no
// lesser effect.
func (n *node) shows(o *node) bool {
	cases, word := uint64(0), o.Check+" "+strings.TrimSuffix(o.Kind, rest(o.Kind))
	for kind, with := range n.Beside {
		if strings.HasPrefix(kind, word) {
			cases += with
		}
	}
	return !o.oracle && o.Class.Rank() <= n.Class.Rank() && float64(cases) >= nearly*float64(n.Cases)
}

// includes reports whether nearly all cases of a group with traits show the break of a group of plain cases, in which
// it is rare.
func (n *node) includes(plain *node) bool {
	return len(n.stimuli) > 0 && len(plain.Culprits) == 0 && !plain.oracle &&
		float64(n.Beside[plain.way]) >= nearly*float64(n.Cases) && float64(plain.Cases) < seldom*float64(plain.Held)
}

// always reports whether a group shows in at least 19 of 20 cases with its traits: a worse effect hides it
// in the others.
func (n *node) always() bool { return n.Cases >= few && 20*n.Cases >= 19*n.Held && len(n.Culprits) > 0 }

// given is the code that the engine returns wrongly; "" if there is no such code.
func given(n *node) string {
	word, code, _ := strings.Cut(inner(n.Kind), ":")
	switch {
	case judge.Class(word) == judge.Refuses:
		return code
	case !n.oracle:
	case judge.Class(word) == judge.OnlyCode:
		_, got, _ := strings.Cut(code, ":")
		return got
	}
	return ""
}

// stimuli are the culprits of a group. A relation between two cases counts as a trait.
func stimuli(g *Group) []string {
	if name, _, ok := relation(g); ok {
		return append(slices.Clone(g.Culprits), "relation "+name)
	}
	return g.Culprits
}

// way names how a group breaks, whatever relation shows it.
func way(g *Group) string {
	switch outer, inner, ok := relation(g); {
	case ok, oracle(g):
		return judge.Reference + " " + cmp.Or(inner, g.Kind)
	case inner != "": // the check of a second answer
		return outer + " " + inner
	case named(g), strings.HasPrefix(g.Kind, invalid):
		return g.Check + " " + g.Kind
	}
	word, _, _ := strings.Cut(g.Kind, ":")
	return g.Check + " " + word
}

// named reports whether the kind of a broken invariant names the member that is wrong.
func named(g *Group) bool {
	return !oracle(g) && g.Check != judge.Total && g.Class != judge.Crashes && strings.Contains(g.Kind, ":")
}

// relation splits the kind of a break between two cases. It is ok if the kind says only that
// the two differ.
func relation(g *Group) (outer, inner string, ok bool) {
	outer, inner, ok = strings.Cut(g.Kind, "/")
	return outer, inner, ok && outer == g.Check
}

// oracle reports whether the group's check says only that an answer is wrong.
func oracle(g *Group) bool {
	_, _, ok := relation(g)
	return ok || g.Check == judge.Reference || g.Check == judge.Expected
}

// vague reports whether a group's kind says only that the outcome differs, or that the engine
// crashed somewhere.
func vague(g *Group) bool {
	word, site, _ := strings.Cut(inner(g.Kind), ":")
	return oracle(g) && (judge.Class(word) == judge.Differs || judge.Class(word) == judge.Reports) ||
		g.Check == judge.Total && word == string(harness.Crash) && site == "unknown"
}

// invalid begins the kinds of responses that are no outcome.
const invalid = "garbage:"
