package score

import (
	"cmp"
	"context"
	"maps"
	"runtime"
	"slices"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/score/stats"
)

// Ablation measures the effect of each rule of reading and applying on the replies of one
// source.
type Ablation struct {
	Source   string `json:"source"`
	Requests int    `json:"requests"` // first attempts with a valid plan
	Unscored int    `json:"unscored"`
	Rules    []Buy  `json:"rules"` // the first is the strict rules
}

// Buy compares one rule with the strict rules.
type Buy struct {
	Rule    string `json:"rule"` // knob=value; none, or all
	Parsed  Rate   `json:"parsed"`
	Applied Rate   `json:"applied"`
	Gained  int    `json:"gained"`  // applied only with this rule
	Lost    int    `json:"lost"`    // rejected only with this rule
	Changed int    `json:"changed"` // applied both ways, with different plans
	// Judged counts the gained replies with a recorded intent, Wrong those that contradict
	// it. CutOff counts the gained replies that are incomplete.
	Judged int `json:"judged"`
	Wrong  int `json:"wrong"`
	CutOff int `json:"cut_off"`

	GainedExample string `json:"gained_example,omitzero"`
	WrongExample  string `json:"wrong_example,omitzero"`
	// Acts counts the gained replies by the repairs, coercions and resolutions that they
	// need. Alone counts replies that need no other act.
	Acts []Act `json:"acts,omitempty"`
}

// Act is one rule of repairing, coercing or resolving conflicts.
type Act struct {
	Rule   string `json:"rule"`
	Gained int    `json:"gained"`
	Alone  int    `json:"alone"`
}

// The names of the first and the last of Ablation.Rules.
const (
	NoRule   = "none"
	AllRules = "all"
)

// variant is a profile with its name.
type variant struct {
	name    string
	profile harness.Profile
}

// variants returns the strict rules, each rule alone, and all rules. The ladder contains
// only the rungs of a single reply.
func variants() []variant {
	strict, _ := harness.Named(harness.ProfileStrict)
	strict.Ladder = []harness.Rung{harness.RungPatch, harness.RungFullPlan}
	list := []variant{{NoRule, strict}}
	all := strict
	for _, rule := range []struct {
		name string
		set  func(*harness.Profile)
	}{
		{"reading.extract=true", func(p *harness.Profile) { p.Reading.Extract = true }},
		{"reading.repair=true", func(p *harness.Profile) { p.Reading.Repair = true }},
		{"reading.coerce=true", func(p *harness.Profile) { p.Reading.Coerce = true }},
		{"conflicts=keep", func(p *harness.Profile) { p.Conflicts = harness.Keep }},
		{"conflicts=replace", func(p *harness.Profile) { p.Conflicts = harness.Replace }},
		{"duplicate_updates=last", func(p *harness.Profile) { p.DuplicateUpdates = harness.Last }},
		{"duplicate_keys=last", func(p *harness.Profile) { p.DuplicateKeys = harness.Last }},
		{"extra_fields=drop", func(p *harness.Profile) { p.ExtraFields = harness.Drop }},
		{"orphans=detach", func(p *harness.Profile) { p.Orphans = harness.Detach }},
		{"orphans=bridge", func(p *harness.Profile) { p.Orphans = harness.Bridge }},
	} {
		v := variant{rule.name, strict}
		rule.set(&v.profile)
		rule.set(&all)
		list = append(list, v)
	}
	return append(list, variant{AllRules, all})
}

// Ablate applies every rule alone and all rules to the first attempts that the options
// select, and returns a result for each source of replies. It uses only Where and Workers
// of the options. Errors are the errors of [Run].
func Ablate(ctx context.Context, sources []corpora.Source, o Options) ([]Ablation, error) {
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	found := ablation{}
	questions := slices.DeleteFunc(metrics(), func(m metric) bool { return m.Name != parseRate && m.Name != ApplyRate })
	work := func() func(corpora.Batch) []tried { return newAblator(&o).batch }
	err := parallel(ctx, sources, o.Workers, work, func(batch []tried) error {
		for i := range batch {
			found.add(&batch[i], questions)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found.results(), nil
}

// ablation contains the counts by source.
type ablation map[string]*ablated

type ablated struct {
	requests, unscored int
	buys               []*buy
}

// buy is an unfinished Buy.
type buy struct {
	Buy
	tally *tally
	acts  map[string]*Act
}

func newAblated() *ablated {
	a := &ablated{}
	for _, v := range variants() {
		a.buys = append(a.buys, &buy{Buy{Rule: v.name}, newTally(nil, &Options{}), map[string]*Act{}})
	}
	return a
}

// ablator applies the variants. It is for one goroutine.
type ablator struct {
	options  *Options
	variants []variant
	judge    *judge
}

func newAblator(o *Options) *ablator {
	return &ablator{o, variants(), newJudge(harness.Reference(), newMeter(&Options{}))}
}

// tried contains the outcomes of a reply with every variant; empty if it has no score.
type tried struct {
	source   string
	outcomes []harness.Outcome
	scores   []Score
}

func (a *ablator) batch(b corpora.Batch) []tried {
	var list []tried
	for e := range b.Entries(nil) {
		r := &e.Record
		if e.Problem == nil && r.Failure == nil && r.Attempt == 1 && a.options.wants(r, b.Source) {
			list = append(list, a.record(r))
		}
	}
	return list
}

func (a *ablator) record(r *corpora.Record) tried {
	t := tried{source: r.Source}
	d := all.Find(r.Dialect)
	if d == nil || d.Score == nil {
		return t
	}
	c, known := request(d, r, nil)
	old := a.judge.decode(d, c.Plan)
	for _, v := range a.variants {
		x := d.Score(c, old, v.profile)
		if !known || x.First.Code == harness.InvalidPlan || x.First.Code == harness.BadLimit {
			return tried{source: r.Source}
		}
		s := Score{ID: r.ID, Case: r.CaseKey(), CutOff: r.FinishReason == "length"}
		s.take(x)
		a.judge.apply(&s, d, r, x)
		t.outcomes, t.scores = append(t.outcomes, x.First), append(t.scores, s)
	}
	return t
}

// add counts one reply.
func (a ablation) add(t *tried, questions []metric) {
	if a[t.source] == nil {
		a[t.source] = newAblated()
	}
	to := a[t.source]
	to.requests++
	if t.outcomes == nil {
		to.unscored++
	}
	for i := range t.outcomes {
		to.buys[i].tally.add(&t.scores[i], 0, &Options{}, questions)
		to.buys[i].compare(t.outcomes[0], t.outcomes[i], &t.scores[i])
	}
}

// compare counts the effect of the rule on one reply.
func (b *buy) compare(strict, o harness.Outcome, s *Score) {
	before, after := strict.Verdict == harness.Applied, o.Verdict == harness.Applied
	switch {
	case before && !after:
		b.Lost++
	case before && after && strict.Plan != nil && o.Plan != nil && !strict.Plan.Equal(o.Plan):
		b.Changed++
	case !before && after:
		b.gain(o, s)
	}
}

func (b *buy) gain(o harness.Outcome, s *Score) {
	b.Gained++
	b.GainedExample = cmp.Or(b.GainedExample, s.ID)
	if s.CutOff {
		b.CutOff++
	}
	if s.intent {
		b.Judged++
	}
	if s.Intent == Missed {
		b.Wrong++
		b.WrongExample = cmp.Or(b.WrongExample, s.ID)
	}
	rules := map[string]bool{}
	for _, r := range o.Repairs {
		rules[r.Rule] = true
	}
	for rule := range rules {
		act := b.act(rule)
		act.Gained++
		if len(rules) == 1 {
			act.Alone++
		}
	}
}

func (b *buy) act(rule string) *Act {
	if b.acts[rule] == nil {
		b.acts[rule] = &Act{Rule: rule}
	}
	return b.acts[rule]
}

func (a ablation) results() []Ablation {
	list, rates := []Ablation{}, stats.Rates{}
	for _, t := range corpora.Sources() {
		source, x := t.Name, a[t.Name]
		if x == nil {
			continue
		}
		r := Ablation{Source: source, Requests: x.requests, Unscored: x.unscored}
		for _, b := range x.buys {
			bare := source == corpora.Documented
			b.Parsed, b.Applied = newRate(parseRate, b.tally.clusters(0), bare, &rates),
				newRate(ApplyRate, b.tally.clusters(1), bare, &rates)
			for _, rule := range slices.Sorted(maps.Keys(b.acts)) {
				b.Acts = append(b.Acts, *b.acts[rule])
			}
			r.Rules = append(r.Rules, b.Buy)
		}
		list = append(list, r)
	}
	return list
}
