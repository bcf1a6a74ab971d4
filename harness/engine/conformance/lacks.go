package conformance

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/check"
	"replanbench/harness/document/collect"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// tries is how many cases try each capability.
const tries = 3

// candidate is a case that may show that the engine lacks a capability.
type candidate struct {
	attempt
	want   harness.Outcome
	partly bool                       // want rejects a part of the reply
	plan   []byte                     // the plan of want as JSON, after the first [candidate.plans]
	free   map[string]harness.Outcome // the right answers without one of the limits that matter
	asked  bool
	out    harness.Outcome
	breaks []judge.Break
	failed bool     // there is no valid answer
	healed []string // the capabilities without which the answer is right
}

func (a *candidate) right() bool { return a.asked && !a.failed && len(a.breaks) == 0 }

// applies reports whether the engine applies the edit, rightly or not, as the rules do.
func (a *candidate) applies() bool {
	return a.asked && !a.failed && a.out.Verdict == harness.Applied && a.want.Verdict == harness.Applied
}

// isBug reports whether a wrong answer has another reason than a missing capability: there is no answer, or it breaks
// safety. A crash over an invalid plan of the case, a refusal, a change that is not made, or a member that is not kept
// shows a lack.
func (c *checker) isBug(a *candidate, capability string, d *dialect.Dialect) bool {
	if free, ok := a.free[capability]; ok && !a.failed {
		declared := c.hello.Dialects[d.Name]
		out := d.Judging.Aligned(declared, a.sample.Case, &a.out, &free)
		return out.Verdict != free.Verdict || d.Members.Compare(&free, out, declared.GivesMember) != nil
	}
	if a.want.Code == harness.InvalidPlan { // no engine has made this plan
		return false
	}
	return a.failed || a.out.Verdict == harness.Applied && !a.omits(capability) &&
		slices.ContainsFunc(a.breaks, check.ShowsBug)
}

// omits reports whether the answer does not have a member of that name, or a wrong one, where the right answer has it,
// or is right if the engine lacks the member.
func (a *candidate) omits(member string) bool {
	return a.out.Verdict == harness.Applied && has(a.want, member) && (!has(a.out, member) ||
		slices.Contains(a.healed, member) ||
		slices.ContainsFunc(a.breaks, func(b judge.Break) bool { return b.Field == member }))
}

// has reports whether a value as JSON has a member of that name anywhere.
func has(value any, member string) bool {
	text, err := json.Marshal(value)
	return err == nil && contains(text, member)
}

func contains(text []byte, member string) bool {
	return bytes.Contains(text, []byte(strconv.Quote(member)+":"))
}

// plans reports whether the right plan has a member of that name anywhere. Each capability asks that of each case.
func (a *candidate) plans(member string) bool {
	if a.plan == nil {
		a.plan, _ = json.Marshal(a.want.Plan) // if that fails, the plan has no member
	}
	return contains(a.plan, member)
}

// lacking is a capability that the engine seems to lack, with the cases that show it.
type lacking struct {
	harness.Term
	cases []*candidate
	count int    // of wrong answers
	wrong string // the message about the first one
}

// rare bounds coincidence. An engine may lack a capability if it answers at most one in so many cases
// right that need it. A full plan that only changes the title looks like a patch.
const rare = 8

// lacks finds the capabilities that the engine seems to lack and does not declare, one after the other: it
// answers hardly any case right that needs one. Cases that need one of them prove nothing about the others.
func (c *checker) lacks(ctx context.Context, d *dialect.Dialect) (list []lacking, err error) {
	pool, err := c.pool(d)
	if err != nil {
		return nil, err
	}
	for {
		var open []lacking
		for _, term := range d.Vocabulary.Capabilities {
			if slices.Contains(c.hello.Dialects[d.Name].Without, term.Name) ||
				slices.ContainsFunc(list, func(l lacking) bool { return l.Name == term.Name }) {
				continue
			}
			l := lacking{Term: term, cases: trying(pool, term.Name, list, term.Name == d.Judging.AlignFirst)}
			for _, a := range l.cases {
				if err := c.answer(ctx, d, a); err != nil {
					return nil, err
				}
			}
			if l.always() {
				if err := c.heal(ctx, d, l); err != nil {
					return nil, err
				}
			}
			open = append(open, l)
		}
		proven := proof(pool, open, list)
		open = slices.DeleteFunc(open, func(l lacking) bool {
			isBug := func(a *candidate) bool { return c.isBug(a, l.Name, d) }
			return proven[l.Name] || len(l.mistakes()) == 0 || slices.ContainsFunc(l.cases, isBug) ||
				l.always() && (l.named() == 0 || l.named() < l.applied())
		})
		if len(open) == 0 || !slices.ContainsFunc(pool, (*candidate).applies) {
			return list, nil
		}
		worst := slices.MinFunc(open, func(a, b lacking) int {
			return cmp.Or(b.named()-a.named(), a.others(proven)-b.others(proven), explained(pool, b)-explained(pool, a))
		})
		worst.count, worst.wrong = len(worst.mistakes()), "the engine gives no valid answer"
		if first := worst.mistakes()[0]; len(first.breaks) > 0 {
			worst.wrong = first.breaks[0].Message
		}
		if list = append(list, worst); worst.always() {
			c = c.excusing(d, worst.Name)
			if err := c.again(ctx, d, pool); err != nil {
				return nil, err
			}
		}
	}
}

// mistakes returns the cases that are answered wrongly.
func (l lacking) mistakes() []*candidate {
	return slices.DeleteFunc(slices.Clone(l.cases), (*candidate).right)
}

// proof finds the capabilities that the engine shows, in the cases that need none of what it lacks.
func proof(pool []*candidate, tried, lack []lacking) map[string]bool {
	asked, right := map[string]int{}, map[string]int{}
	count := func(a *candidate, name string) {
		asked[name]++
		right[name] += collect.One(a.right())
	}
	for _, a := range pool {
		if a.asked && a.want.Verdict == harness.Applied && !a.needsAny(lack) {
			for _, need := range a.needs {
				count(a, need)
			}
		}
	}
	proven := map[string]bool{}
	for _, l := range tried {
		for _, a := range l.cases {
			if a.want.Verdict != harness.Applied || !slices.Contains(a.needs, l.Name) {
				count(a, l.Name)
			}
		}
		proven[l.Name] = rare*right[l.Name] > asked[l.Name]
	}
	return proven
}

// needsAny reports whether the case needs one of some capabilities.
func (a *candidate) needsAny(list []lacking) bool {
	return slices.ContainsFunc(list, func(l lacking) bool { return slices.Contains(a.needs, l.Name) })
}

// always reports whether no case needs the capability, because all applied answers show it.
func (l lacking) always() bool {
	return !slices.ContainsFunc(l.cases, func(a *candidate) bool { return slices.Contains(a.needs, l.Name) })
}

// heal marks the wrong answers that are right if the engine lacks a capability.
func (c *checker) heal(ctx context.Context, d *dialect.Dialect, l lacking) error {
	too := c.excusing(d, l.Name)
	for _, a := range l.mistakes() {
		b := *a
		if err := too.again(ctx, d, []*candidate{&b}); err != nil {
			return err
		}
		if b.right() {
			a.healed = append(a.healed, l.Name)
		}
	}
	return nil
}

// excusing returns a checker of an engine that also declares to lack a capability.
func (c *checker) excusing(d *dialect.Dialect, name string) *checker {
	too := *c
	declared := c.hello.Dialects[d.Name]
	declared.Without = append(slices.Clone(declared.Without), name)
	too.hello.Dialects = map[string]harness.Declaration{d.Name: declared}
	return &too
}

// again judges answers again.
func (c *checker) again(ctx context.Context, d *dialect.Dialect, list []*candidate) (err error) {
	for _, a := range list {
		if a.asked && !a.failed && err == nil {
			a.breaks, err = c.breaks(ctx, d, a.attempt, a.out)
		}
	}
	return err
}

// named counts the answers that lack the member of that name.
func (l lacking) named() int {
	return collect.Count(l.cases, func(a *candidate) bool { return a.omits(l.Name) })
}

// applied counts the cases that the engine applies: a refused one may need something else that it lacks.
func (l lacking) applied() int { return collect.Count(l.cases, (*candidate).applies) }

// others is the least number of other unproven needs that one of its cases has.
func (l lacking) others(proven map[string]bool) int {
	others := func(a *candidate) int {
		return collect.Count(a.needs, func(need string) bool { return need != l.Name && !proven[need] })
	}
	return others(slices.MinFunc(l.cases, func(a, b *candidate) int { return others(a) - others(b) }))
}

// explained counts the wrong answers to cases that need the capability.
func explained(pool []*candidate, l lacking) int {
	return collect.Count(pool, func(a *candidate) bool {
		return a.asked && !a.right() && slices.Contains(a.needs, l.Name)
	})
}

// pool returns the plain cases and those with one trait that need a capability, the fewest needs first.
func (c *checker) pool(d *dialect.Dialect) (list []*candidate, err error) {
	if d.Needs == nil {
		return nil, nil
	}
	declared := c.hello.Dialects[d.Name]
	source, err := d.Source(generators.Options{Profile: &declared.Profile, Without: declared.Lacks()})
	if err != nil {
		return nil, err
	}
	for i := range generators.PlainCases + uint64(2*tries*len(source.Traits())) { // some needs are rare
		s := source.At(seed, i)
		needs := slices.DeleteFunc(d.Needs(s.Case), harness.IsFeature)
		if len(needs) == 0 || !c.askable(s.Case) {
			continue
		}
		a := &candidate{attempt: attempt{sample: s, needs: needs}}
		if a.want, err = reference.Judge(s.Case, declared.Profile); err != nil {
			return nil, err
		}
		if a.want.Tier == harness.TierExtracted { // what surrounds the document decides, too
			continue
		}
		a.partly = d.Judging.RejectsPart(&a.want)
		if err := a.unlimited(d, declared); err != nil {
			return nil, err
		}
		list = append(list, a)
	}
	slices.SortStableFunc(list, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(len(a.needs), len(b.needs)), cmp.Compare(size(a.sample.Case), size(b.sample.Case)))
	})
	return list, nil
}

// trying picks the cases that try a capability and need none that lacks: those that the rules apply, by preference in
// every part, or, if there are none, those that they refuse. If no applied case needs the capability, but all answers
// have a member of that name, or shown says that all answers show the capability, any applied case that does not need
// it tries it.
func trying(pool []*candidate, name string, lack []lacking, shown bool) (list []*candidate) {
	var partly, refused, free []*candidate
	for _, a := range pool {
		switch applied := a.want.Verdict == harness.Applied; {
		case a.needsAny(lack):
		case slices.Contains(a.needs, name) && shown:
		case slices.Contains(a.needs, name) && applied && a.partly:
			partly = append(partly, a)
		case slices.Contains(a.needs, name) && applied:
			list = append(list, a)
		case slices.Contains(a.needs, name):
			refused = append(refused, a)
		case applied:
			free = append(free, a)
		}
	}
	if len(list) == 0 {
		list = partly
	}
	if len(list) == 0 { // searching plans takes long, so only then
		list = slices.DeleteFunc(free, func(a *candidate) bool { return !a.plans(name) })
	}
	if len(list) == 0 {
		list = refused
	}
	var first, others []*candidate // those with other traits than the ones before them, and the rest
	for _, a := range list {
		same := func(b *candidate) bool { return slices.Equal(a.sample.Traits, b.sample.Traits) }
		if slices.ContainsFunc(first, same) {
			others = append(others, a)
		} else {
			first = append(first, a)
		}
	}
	list = append(first, others...)
	return list[:min(len(list), tries)]
}

// unlimited sets the right answers without a limit, of the limits of the case that change it.
func (a *candidate) unlimited(d *dialect.Dialect, declared harness.Declaration) error {
	a.free = map[string]harness.Outcome{}
	c := a.sample.Case
	for _, l := range c.Limits.All() {
		value := *l.Value
		if value == nil {
			continue
		}
		*l.Value = nil
		out, err := reference.Judge(c, declared.Profile)
		if err != nil {
			return err
		}
		*l.Value = value
		if out.Verdict != a.want.Verdict || out.Code != a.want.Code ||
			d.Members.Compare(&a.want, &out, declared.GivesMember) != nil {
			a.free[l.Name] = out
		} else {
			a.needs = slices.DeleteFunc(a.needs, func(n string) bool { return n == l.Name })
		}
	}
	return nil
}

// answer asks the engine a case, once.
func (c *checker) answer(ctx context.Context, d *dialect.Dialect, a *candidate) error {
	if a.asked {
		return nil
	}
	a.asked, a.failed = true, true
	answer, err := c.engine.Ask(ctx, a.sample.Case)
	if err != nil {
		_, err = failure("", err)
		return err
	}
	if a.out, err = decoded(c.outcomes, a.sample.Case, answer); err != nil {
		return nil // a campaign reports it
	}
	a.failed = false
	c.words(d.Name, a.out)
	a.breaks, err = c.breaks(ctx, d, a.attempt, a.out)
	return err
}

// tellLacks notes what the engine seems to lack.
func (c *checker) tellLacks(d *dialect.Dialect, list []lacking) {
	if len(list) == 0 {
		return
	}
	var names []string
	hints := []string{""}
	for _, l := range list {
		names = append(names, l.Name)
		of := fmt.Sprintf("all %d answers are wrong; the first", len(l.cases))
		if l.count < len(l.cases) {
			of = fmt.Sprintf("%d of %d answers are wrong; the first", l.count, len(l.cases))
		} else if l.count == 1 {
			of = "the only answer is wrong"
		}
		hints = append(hints, fmt.Sprintf("%s (%s): %s: %s", l.Name, l.Text, of, l.wrong))
	}
	hints = append(hints, "if it has other rules instead, declare them in the profile: replanbench engine infer finds them")
	hints[0] = fmt.Sprintf(`if so, check again with WITHOUT (in Go: without) = [%s]`, quoted(names))
	c.tell(Note{
		OK: true, Doubt: true, Lacks: true, Text: d.Name + ": the engine seems to lack what it does not declare to lack",
		Hints: hints, Case: shown(list[0].cases[0].sample.Case),
	})
}
