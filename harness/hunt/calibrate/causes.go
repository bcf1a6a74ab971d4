package calibrate

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/collect"
	"replanbench/harness/engine/guard"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
)

// Causes says how well campaigns name the bugs of engines. Each figure is a count out of
// a total.
type Causes struct {
	Dialect string `json:"dialect"`
	Seeds   int    `json:"seeds"`
	Cases   int    `json:"cases"` // of a campaign

	// Engines with one defect: in how many campaigns it was found, was exactly one
	// cause, and was named first (itself, or the knob that it is).
	Alone Share `json:"alone"`
	One   Share `json:"one"`
	Named Share `json:"named"`
	// The same without the defect, and without defects that no case distinguishes from it,
	// among the look-alikes.
	HeldOutOne Share `json:"held_out_one"`
	HeldOutTwo Share `json:"held_out_two"` // at most two causes

	// Engines with two to four defects: of the defects that show, those that are a
	// cause, and of the causes, those that are a defect's.
	Recall    Share `json:"recall"`
	Precision Share `json:"precision"`
	// Stable is how many ids of causes two seeds share, of all that either has.
	Stable Share `json:"stable"`
	// Calls of engines, of so many cases.
	Calls Share `json:"calls"`
	// Off names what did not come out as it should: dialect, defect and seed.
	Off []string `json:"off,omitzero"`
}

// Share is so many of so many.
type Share struct {
	N  uint64 `json:"n"`
	Of uint64 `json:"of"`
}

// Percent is the share in percent; 100 of nothing.
func (s Share) Percent() float64 {
	if s.Of == 0 {
		return 100
	}
	return 100 * float64(s.N) / float64(s.Of)
}

func (s *Share) count(is bool) {
	s.Of++
	if is {
		s.N++
	}
}

// CauseOptions select the measurements of causes.
type CauseOptions struct {
	Options
	Sets int // how many engines with several defects
}

// RunCauses measures the causes of a dialect. The result depends on the options
// alone.
func RunCauses(ctx context.Context, o CauseOptions) (Causes, error) {
	d := all.Find(o.Dialect)
	res := Causes{Dialect: o.Dialect, Seeds: o.Seeds, Cases: o.Cases}
	tasks := make([]func(context.Context) (Causes, error), 0, len(o.Defects)+o.Sets)
	for _, m := range o.Defects {
		tasks = append(tasks, func(ctx context.Context) (Causes, error) { return o.alone(ctx, d, m) })
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(o.Defects))))
	for i := range o.Sets {
		set := o.draw(rng)
		tasks = append(tasks, func(ctx context.Context) (Causes, error) {
			return o.together(ctx, d, set, uint64(i%max(o.Seeds, 1)+1))
		})
	}
	parts := make([]Causes, len(tasks))
	err := o.each(ctx, len(tasks), func(ctx context.Context, i int) (err error) {
		parts[i], err = tasks[i](ctx)
		return err
	})
	for _, p := range parts {
		shard.Join(&res, p)
	}
	return res, err
}

// draw chooses two to four defects, in the order of the list. A defect that never answers
// is in no set, because it hides all others.
func (o *CauseOptions) draw(rng *rand.Rand) []mutant.Defect {
	list := slices.DeleteFunc(slices.Clone(o.Defects), func(d mutant.Defect) bool { return d.Hangs != nil })
	n := min(2+rng.IntN(3), len(list))
	places := rng.Perm(len(list))[:n]
	slices.Sort(places)
	set := make([]mutant.Defect, n)
	for i, at := range places {
		set[i] = list[at]
	}
	return set
}

// alone runs campaigns against an engine with one defect.
func (o *CauseOptions) alone(ctx context.Context, d *dialect.Dialect, m mutant.Defect) (c Causes, err error) {
	var last []string
	for seed := range uint64(o.Seeds) {
		run, err := o.campaign(ctx, d, m, seed+1)
		if err != nil {
			return c, err
		}
		list := loud(run.Result.Causes)
		c.Alone.count(len(list) > 0)
		c.One.count(len(list) == 1)
		named := len(list) > 0 && (list[0].LooksLike == m.Name || strings.Contains(list[0].LooksLike, "="))
		c.Named.count(named)
		if len(list) != 1 || !named {
			c.Off = append(c.Off, m.Name)
		}
		unaided, err := run.Result.Unaided(m.Name)
		if err != nil {
			return c, err
		}
		n := len(loud(unaided))
		c.HeldOutOne.count(n == 1)
		c.HeldOutTwo.count(n == 1 || n == 2)
		c.stable(last, ids(list))
		last = ids(list)
		shard.Join(&c.Calls, Share{run.Result.Calls + run.Result.Attribution, run.Result.Cases})
	}
	return c, nil
}

// loud are the causes that are no advice.
func loud(list []cause.Cause) []cause.Cause {
	return slices.DeleteFunc(slices.Clone(list), func(c cause.Cause) bool { return c.Advisory })
}

func ids(list []cause.Cause) []string {
	names := []string{}
	for _, c := range list {
		names = append(names, c.ID)
	}
	return names
}

// stable compares the causes of a seed with the causes of the previous one.
func (c *Causes) stable(before, now []string) {
	if before == nil {
		return
	}
	for _, id := range now {
		c.Stable.count(slices.Contains(before, id))
	}
	for _, id := range before {
		if !slices.Contains(now, id) {
			c.Stable.count(false)
		}
	}
}

// campaign runs one against an engine with a defect, without examples.
func (o *CauseOptions) campaign(ctx context.Context, d *dialect.Dialect, m mutant.Defect, seed uint64) (campaign.Run,
	error,
) {
	open := func() (harness.Engine, error) { return d.Mutant(m), nil }
	return campaign.Start(ctx, campaign.Config{
		Dialect: d.Name, Seed: seed, Cases: uint64(o.Cases), MaxFindings: o.Cases, ShrinkBudget: -1, Bare: true,
		Engine: d.Mutant(m), Fresh: open, Judging: judge.Options{Reference: reference.New()},
	})
}

// together runs a campaign against an engine with several defects.
func (o *CauseOptions) together(ctx context.Context, d *dialect.Dialect, set []mutant.Defect, seed uint64) (c Causes,
	err error,
) {
	run, err := o.campaign(ctx, d, composed(set), seed)
	if err != nil {
		return c, err
	}
	source, err := all.Source(d.Name, generators.Options{Declared: &run.Result.Declared})
	if err != nil {
		return c, err
	}
	list := loud(run.Result.Causes)
	var showing []int
	for i := range set {
		if shows(d, source, seed, uint64(o.Cases), set, i) {
			showing = append(showing, i)
		}
	}
	of := make([][]int, len(list)) // the defects that a cause is of
	for k, x := range list {
		of[k] = culprits(ctx, d, source, seed, x, set)
	}
	matched := match(of, len(set))
	c.Recall = Share{uint64(match(among(of, showing), len(set))), uint64(len(showing))}
	c.Precision = Share{uint64(matched), uint64(len(list))}
	c.Calls = Share{run.Result.Calls + run.Result.Attribution, run.Result.Cases}
	if matched < len(showing) || matched < len(list) {
		c.Off = []string{composed(set).Name}
	}
	other, err := o.campaign(ctx, d, composed(set), seed+1000)
	if err != nil {
		return c, err
	}
	c.stable(ids(list), ids(loud(other.Result.Causes)))
	return c, nil
}

// among leaves of the defects that causes are of only some: one that shows in none of
// the campaign's cases may show in one derived from them.
func among(of [][]int, some []int) [][]int {
	list := make([][]int, len(of))
	for k := range of {
		for _, i := range of[k] {
			if slices.Contains(some, i) {
				list[k] = append(list[k], i)
			}
		}
	}
	return list
}

// composed is an engine's fault that consists of several.
func composed(set []mutant.Defect) mutant.Defect {
	names := collect.Map(set, func(d mutant.Defect) string { return d.Name })
	return mutant.New(strings.Join(names, "+"), "", func(right mutant.Eval) mutant.Eval {
		for _, d := range set {
			right = d.Wrap(right)
		}
		return right
	})
}

// shows reports whether some case has a different answer without the i-th defect.
func shows(d *dialect.Dialect, source *generators.Source, seed, cases uint64, set []mutant.Defect, i int) bool {
	with := composed(set).Wrap(d.Eval)
	without := composed(slices.Delete(slices.Clone(set), i, i+1)).Wrap(d.Eval)
	for index := range cases {
		c := source.At(seed, index).Case
		p := rulesOf(d, c)
		if answer(d, with, c, p) != answer(d, without, c, p) {
			return true
		}
	}
	return false
}

func rulesOf(d *dialect.Dialect, c harness.Case) harness.Profile {
	p := harness.Reference()
	if c.Profile != nil {
		p = *c.Profile
	}
	return p.For(d.Judging.Knobs)
}

// answer returns a digest of a whole answer. It reports false if there is no answer.
func answer(d *dialect.Dialect, eval mutant.Eval, c harness.Case, p harness.Profile) (digest string) {
	defer func() {
		if recover() != nil {
			digest = string(harness.Crash)
		}
	}()
	out := eval(c.Copy(), p)
	for _, name := range d.Members.Optional() {
		digest += cause.Digest(d.Members, nil, &out, true, name)
	}
	return digest + cause.Digest(d.Members, nil, &out, true, "")
}

// culprits are the defects that a cause is of: those that alone break the same
// check in the same kind on its first case, or, if none does, those without which
// the set does not.
func culprits(ctx context.Context, d *dialect.Dialect, source *generators.Source, seed uint64, x cause.Cause,
	set []mutant.Defect,
) (list []int) {
	sample := source.Keeping(seed, x.First, x.Culprits)
	if x.Class == judge.Unsteady {
		sample = source.At(seed, x.First)
	}
	item := cause.ItemOf(sample, cause.Salt(seed, x.First))
	for i, m := range set {
		if breaks(ctx, d, m, item, x) {
			list = append(list, i)
		}
	}
	if list != nil {
		return list
	}
	for i := range set {
		if !breaks(ctx, d, composed(slices.Delete(slices.Clone(set), i, i+1)), item, x) {
			list = append(list, i)
		}
	}
	return list
}

func breaks(ctx context.Context, d *dialect.Dialect, m mutant.Defect, item judge.Item, x cause.Cause) bool {
	engine := d.Mutant(m)
	hello, err := engine.Hello(ctx)
	if err != nil {
		return false
	}
	j := judge.New(guarded(engine), hello, d.Judging, judge.Options{Reference: reference.New()})
	result, err := j.Only(ctx, item, x.Check)
	return err == nil && slices.ContainsFunc(result.Breaks, func(b judge.Break) bool {
		return b.Check == x.Check && b.Kind == x.Kind
	})
}

// patience is how long an engine with a defect may take for a case.
const patience = 200 * time.Millisecond

func guarded(e harness.Engine) harness.Engine { return guard.New(e, patience) }

// match pairs causes with defects one to one, as many as can be (augmenting
// paths).
func match(of [][]int, defects int) (n int) {
	taken := make([]int, defects) // the cause of a defect, from 1
	var find func(k int, seen []bool) bool
	find = func(k int, seen []bool) bool {
		for _, i := range of[k] {
			if seen[i] {
				continue
			}
			seen[i] = true
			if taken[i] == 0 || find(taken[i]-1, seen) {
				taken[i] = k + 1
				return true
			}
		}
		return false
	}
	for k := range of {
		if find(k, make([]bool, defects)) {
			n++
		}
	}
	return n
}
