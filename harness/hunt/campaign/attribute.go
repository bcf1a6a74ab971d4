package campaign

import (
	"context"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/engine"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
)

// blamed is a break of a case with the traits that it is put down to.
type blamed struct {
	index uint64
	key   cause.Key
	judge.Break
	verdict string        // of the engine on the culprits alone
	answer  string        // a digest of the engine's answer to the culprits alone
	departs []string      // how it parts from the right one
	place   string        // where the engine crashed
	beside  []judge.Break // others that show with the same culprits
	traits  []string      // of the case, which count the breaks that are not attributed
	open    bool          // nobody looked for the culprits
}

// attributor finds out which traits of failing cases are to blame.
type attributor struct {
	*runner
	ctx   context.Context
	calls int // of the engine, that were made
}

// attribute finds the culprits of each failing case, in the order of the cases, and
// returns the calls of the engine that it took. It asks for a case with fewer traits at
// most once for each set of its traits, and not at all if settled groups explain it.
func (r *runner) attribute(ctx context.Context, hits []hit) (list []blamed, calls int, err error) {
	a := &attributor{runner: r, ctx: engine.Free(ctx)}
	chance := r.chance.Load()
	var settled []settlement
	for i := 0; i < len(hits); i++ {
		h := hits[i]
		if found, ok := r.known(h, settled); ok {
			list = append(list, found...)
			continue
		}
		found, err := a.blame(h)
		if err != nil {
			return list, a.calls, err
		}
		list = append(list, found...)
		settled = r.crashes(list)
		if len(found) > 0 && found[0].Class == judge.Unsteady && found[0].Kind == again {
			r.chance.Store(true)
		}
		if !chance && r.chance.Load() { // another worker may have found it
			chance, list, settled, i = true, nil, nil, -1 // the cases before it may fail by chance, too
		}
	}
	return list, a.calls, nil
}

// blame looks for the culprits of each break of a case.
func (a *attributor) blame(h hit) ([]blamed, error) {
	s := a.sample(h.index)
	breaks := h.judgement.Breaks
	if a.source == nil || a.past(culpritsShare) {
		return a.unexamined(s, h), nil
	}
	if rules := all.Rules(a.Dialect); rules.Chanced(s.Case) { // it need not show again
		list := a.unexamined(s, h)
		list[0].open = false
		return list, nil
	}
	names := checksOf(breaks)
	whole, err := a.again(s, h.index, s.Traits, names)
	if err != nil {
		return nil, err
	}
	steady := whole.shown(breaks)
	if len(steady) == 0 && a.past(culpritsShare) { // an engine may cut short what it does late
		return a.unexamined(s, h), nil
	}
	if len(steady) == 0 {
		return a.unsteady(s, h, names)
	}
	if steady, err = a.standing(h.index, steady); err != nil {
		return nil, err
	}
	if len(steady) == 0 {
		return a.unsure(s, h, history), nil
	}
	if varies, err := a.varies(h, s, names); err != nil || varies {
		return a.unsure(s, h, again), err
	}
	tries, err := a.fewer(h.index, s, steady, names)
	if err != nil {
		return nil, err
	}
	return a.settle(h, s, steady, append(tries, whole)), nil
}

// fewer runs a case with subsets of its traits, the smallest first, until each break has
// shown.
func (a *attributor) fewer(index uint64, s generators.Sample, breaks []judge.Break, checks []string) (tries []try,
	err error,
) {
	open := slices.Clone(breaks)
	for size := range len(s.Traits) {
		for _, subset := range subsets(s.Traits, size) {
			t, err := a.again(s, index, subset, checks)
			if err != nil {
				return nil, err
			}
			tries = append(tries, t)
			open = slices.DeleteFunc(open, func(b judge.Break) bool { return t.find(b) >= 0 })
			if len(open) == 0 {
				return tries, nil
			}
		}
	}
	return tries, nil
}

// standing returns the breaks without those between two requests of which the second
// is answered rightly when it is asked alone: it is the first that makes it fail.
func (a *attributor) standing(index uint64, breaks []judge.Break) (list []judge.Break, err error) {
	rules := all.Rules(a.Dialect)
	for _, b := range breaks {
		outer, _, between := strings.Cut(b.Kind, "/")
		if b.Case == nil || !between {
			list = append(list, b)
			continue
		}
		name := judge.Reference
		if outer != b.Check && rules.Place(outer) >= 0 {
			name = outer
		}
		result, err := a.ask(judge.Item{Case: *b.Case, Salt: cause.Salt(a.Seed, index), Traits: 1}, name)
		if err != nil {
			return nil, err
		}
		if !result.Exercised.Has(rules.Place(name)) || len(result.Breaks) > 0 {
			list = append(list, b)
		}
	}
	return list, nil
}

// try is a run of a case with some of its traits.
type try struct {
	traits []string
	judge.Judgement
	right, got *harness.Outcome // once they were compared
}

// shown returns the breaks that the try shows too.
func (t *try) shown(breaks []judge.Break) (list []judge.Break) {
	for _, b := range breaks {
		if i := t.find(b); i >= 0 {
			list = append(list, t.Breaks[i])
		}
	}
	return list
}

func (t *try) find(b judge.Break) int {
	return slices.IndexFunc(t.Breaks, func(o judge.Break) bool { return o.Check == b.Check && o.Kind == b.Kind })
}

func checksOf(breaks []judge.Break) (names []string) {
	for _, b := range breaks {
		if !slices.Contains(names, b.Check) {
			names = append(names, b.Check)
		}
	}
	return names
}

// subsets lists the sets of so many of the names, in their order.
func subsets(names []string, size int) (list [][]string) {
	for set := range 1 << len(names) {
		var kept []string
		for i, name := range names {
			if set>>i&1 == 1 {
				kept = append(kept, name)
			}
		}
		if len(kept) == size {
			list = append(list, kept)
		}
	}
	return list
}

// again judges the case with some of its traits.
func (a *attributor) again(s generators.Sample, index uint64, traits, checks []string) (try, error) {
	if len(traits) < len(s.Traits) {
		s = a.keeping(index, traits)
	}
	result, err := a.ask(a.item(s, index), checks...)
	return try{traits: traits, Judgement: result}, err
}

// ask judges an item by some checks, on an engine of its own where there can be one.
func (a *attributor) ask(it judge.Item, checks ...string) (judge.Judgement, error) {
	e, done, err := a.open()
	if err != nil {
		return judge.Judgement{}, err
	}
	defer done()
	j := judge.New(e, a.hello, all.Rules(a.Dialect), a.Judging)
	result, err := j.Only(a.ctx, it, checks...)
	a.calls += j.Calls()
	return result, err
}

// settle finds the smallest set for each break, keeps the worst of those with one
// set, and drops what a worse break of fewer traits explains.
func (a *attributor) settle(h hit, s generators.Sample, breaks []judge.Break, tries []try) (list []blamed) {
	rules := all.Rules(a.Dialect)
	for _, b := range breaks {
		i := slices.IndexFunc(tries, func(t try) bool { return t.find(b) >= 0 })
		if i == len(tries)-1 && len(s.Traits) > 1 && explained(tries[:i], b) {
			continue
		}
		t, broken := simplest(tries[:i+1], b)
		k := slices.IndexFunc(list, func(o blamed) bool { return slices.Equal(o.key.Culprits, t.traits) })
		switch {
		case k < 0:
			list = append(list, a.put(h.index, s, t, broken))
		case cause.Worst(&rules, broken, list[k].Break):
			next := a.put(h.index, s, t, broken)
			next.beside = append(list[k].beside, list[k].Break)
			list[k] = next
		default:
			list[k].beside = append(list[k].beside, broken)
		}
	}
	return list
}

// simplest returns the last try, with its break. If that is a case that the engine should reject, it returns the first
// try with some of its traits that the engine applies, too, whatever code the other traits have; if only a report or a
// code is wrong, it returns the first one with some of its traits that breaks anything.
func simplest(tries []try, b judge.Break) (*try, judge.Break) {
	last := &tries[len(tries)-1]
	same := func(o judge.Break) bool {
		return b.Class == judge.Reports || b.Class == judge.OnlyCode || b.Class == judge.Accepts && o.Class == judge.Accepts
	}
	for i := range tries {
		t := &tries[i]
		some := len(t.traits) > 0 && !slices.ContainsFunc(t.traits, func(name string) bool {
			return !slices.Contains(last.traits, name)
		})
		if k := slices.IndexFunc(t.Breaks, same); k >= 0 && some && len(t.traits) < len(last.traits) {
			return t, t.Breaks[k]
		}
	}
	return last, last.Breaks[last.find(b)]
}

// explained reports whether fewer traits break something as bad or worse. An advisory break explains
// nothing that fails the run.
func explained(smaller []try, b judge.Break) bool {
	return slices.ContainsFunc(smaller, func(t try) bool {
		return slices.ContainsFunc(t.Breaks, func(o judge.Break) bool {
			return o.Class.Rank() <= b.Class.Rank() && (b.Advisory || !o.Advisory)
		})
	})
}

// put makes a blamed break of one that shows in a try.
func (a *attributor) put(index uint64, s generators.Sample, t *try, b judge.Break) blamed {
	culprits := append([]string{}, t.traits...)
	if b.Class == judge.Unsteady { // it is no trait that makes it so
		culprits = []string{}
	}
	verdict := string(t.Outcome.Verdict)
	if t.Failure != nil {
		verdict = string(t.Failure.Kind)
	}
	blame := blamed{
		index: index, Break: b, traits: s.Traits, verdict: verdict, answer: verdict,
		key: cause.Key{Culprits: culprits, Check: b.Check, Kind: b.Kind},
	}
	blame.departs = complaints(&t.Judgement, b)
	if t.Failure != nil {
		blame.place = t.Failure.Place()
		return blame
	}
	members := all.Members(a.Dialect)
	if t.got == nil {
		t.right, t.got = a.compared(index, s, t)
	}
	ways := members
	if b.Class == judge.Refuses { // what a part that is wrongly rejected would have changed does not say why
		ways = slices.DeleteFunc(slices.Clone(members), func(m outcome.Member) bool { return m.Content })
	}
	if t.right != nil && b.Class != judge.Crashes { // the engine crashes over another case, which is derived from this one
		blame.departs = append(blame.departs, ways.Departs(s.Case, t.right, t.got)...)
	}
	blame.answer = cause.Digest(members, t.right, t.got, a.exact(), cause.Disputed(b.Kind))
	return blame
}

// complaints are the gists of an engine's error messages, and of the message with which it rejects a valid case
// without a reason code.
func complaints(j *judge.Judgement, b judge.Break) (list []string) {
	var gists []string
	switch out := &j.Outcome; {
	case j.Failure != nil && j.Failure.Kind == harness.Crash: // other messages are not the engine's
		gists = j.Failure.Gists()
	case j.Failure == nil && b.Class == judge.Refuses && out.Code == harness.Refused && out.Message != "":
		gists = harness.Gists(out.Message)
		if own, _, wraps := strings.Cut(out.Message, ": "); wraps { // details of one test differ
			gists = append(gists, harness.Gists(own)...)
		}
	}
	for _, gist := range gists {
		list = append(list, cause.Said+gist)
	}
	return list
}

// compared returns the right answer to a try, nil if it is not known, and the engine's with the names of the right
// one.
func (a *attributor) compared(index uint64, s generators.Sample, t *try) (right, got *harness.Outcome) {
	if a.Judging.Reference == nil || a.source == nil {
		return nil, &t.Outcome
	}
	if len(t.traits) < len(s.Traits) {
		s = a.keeping(index, t.traits)
	}
	if s.Case.Profile == nil {
		s.Case.Profile = &t.Profile
	}
	out, err := a.Judging.Reference.Eval(a.ctx, s.Case)
	if err != nil {
		return nil, &t.Outcome
	}
	rules := all.Rules(a.Dialect)
	return &out, rules.Aligned(a.hello.Dialects[a.Dialect], s.Case, &t.Outcome, &out)
}

// unexamined are the breaks of a case for whose culprits nobody looks: the worst
// alone.
func (a *attributor) unexamined(s generators.Sample, h hit) []blamed {
	rules := all.Rules(a.Dialect)
	worst := h.judgement.Breaks[0]
	for _, b := range h.judgement.Breaks[1:] {
		if cause.Worst(&rules, b, worst) {
			worst = b
		}
	}
	t := try{traits: s.Traits, Judgement: h.judgement}
	b := a.put(h.index, s, &t, worst)
	b.open = a.source != nil
	b.answer = ""
	return []blamed{b}
}

// The kinds of an engine that is not steady.
const (
	again   = "again"
	history = "history"
)

// unsteady is a case that does not fail when it is asked again: it fails by
// chance, or because of what was asked before it.
func (a *attributor) unsteady(s generators.Sample, h hit, names []string) ([]blamed, error) {
	kind := history
	for range 2 {
		t, err := a.again(s, h.index, s.Traits, names)
		if err != nil {
			return nil, err
		}
		if len(t.shown(h.judgement.Breaks)) > 0 {
			kind = again
		}
	}
	if kind == history && late(h) {
		kind = judge.Late
	}
	return a.unsure(s, h, kind), nil
}

// varied is how often a case runs again once a case gets different answers. An
// answer with the probability 0.4 is then the same each time in one of 1,500 cases.
const varied = 8

// varies reports whether a case gets another answer when it is asked again, although it fails then, too.
func (a *attributor) varies(h hit, s generators.Sample, names []string) (bool, error) {
	if !a.chance.Load() {
		return false, nil
	}
	rules := all.Rules(a.Dialect)
	for range varied {
		t, err := a.again(s, h.index, s.Traits, names)
		if err != nil {
			return false, err
		}
		first := rules.Aligned(a.hello.Dialects[a.Dialect], s.Case, &h.judgement.Outcome, &t.Outcome)
		switch failed := t.Failure != nil; {
		case failed && t.Failure.Kind == harness.Hang: // a busy machine
		case failed != (h.judgement.Failure != nil), !failed && rules.Again(first, &t.Outcome) != nil:
			return true, nil
		}
	}
	return false, nil
}

// late reports whether all that is wrong with a case is its time: a timeout, or a measured time. On
// a busy machine it says little if the case is answered in time later.
func late(h hit) bool {
	return !slices.ContainsFunc(h.judgement.Breaks, func(b judge.Break) bool {
		return b.Kind != judge.Late && b.Got != string(harness.Hang) && b.Check != check.Bounded
	})
}

// unsure is the one break of a case on which the engine is not steady. A timeout or a measured time
// that did not show again fails nothing.
func (a *attributor) unsure(s generators.Sample, h hit, kind string) []blamed {
	b := h.judgement.Breaks[0]
	b.Check, b.Kind, b.Class, b.Advisory = judge.Deterministic, kind, judge.Unsteady, kind == judge.Late
	return []blamed{{
		index: h.index, Break: b, traits: s.Traits, verdict: string(harness.Flaky),
		key: cause.Key{Culprits: []string{}, Check: b.Check, Kind: kind},
	}}
}

// exact reports whether the engine's codes count.
func (r *runner) exact() bool { return r.hello.Dialects[r.Dialect].Codes == harness.ExactCodes }
