package agent

import (
	"cmp"
	"errors"
	"slices"

	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/shard"
)

// Part contains what merging needs besides the result of a shard: the breaks before they became
// causes, and the fates of all faults.
type Part struct {
	Held map[string]int `json:"held"` // turns, by their traits and faults
	// Watched counts how often the agent could lose the plan, by kinds of the check.
	Watched map[string]int `json:"watched,omitempty"`
	Groups  []partGroup    `json:"groups,omitempty" join:"keep"`
	Fates   []fateAt       `json:"fates,omitempty"`
	Faults  []string       `json:"faults,omitempty" join:"first"` // all, in their order

	causes []Cause // of the shards, with the sessions that were made short
}

// partGroup is a group as it is written.
type partGroup struct {
	Key    cause.Key  `json:"key"`
	First  Broken     `json:"first"`
	From   Planned    `json:"from"`
	Order  int        `json:"order"`
	Shown  []place    `json:"shown"`
	Traits [][]string `json:"traits,omitempty"`
	Faults []faultAt  `json:"faults,omitempty"`
	Fields []string   `json:"fields,omitempty"`
}

// fateAt is what an agent did with a fault, and where.
type fateAt struct {
	Fate `json:",inline"`
	At   place `json:"at"`
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.Session, b.Session), cmp.Compare(a.Turn, b.Turn))
}

func (g *gathering) part(fates []fateAt, faults []string) *Part {
	p := &Part{Held: g.held, Watched: g.watched, Fates: fates, Faults: faults}
	for _, o := range g.groups {
		x := partGroup{
			Key: o.key, First: o.first, From: o.from, Order: o.order, Traits: o.traits, Faults: o.faults, Fields: o.fields,
		}
		for at := range o.shown {
			x.Shown = append(x.Shown, at)
		}
		slices.SortFunc(x.Shown, comparePlaces)
		p.Groups = append(p.Groups, x)
	}
	return p
}

// Join adds the result of another shard to this one, which begins as the zero value.
// [Result.Conclude] must follow the last.
func (r *Result) Join(o *Result) error {
	if o.Part == nil {
		return errors.New("these sessions are not a shard, so they cannot be merged (run each part with --shard, or run " +
			"everything once)")
	}
	if r.Part == nil {
		r.Part = &Part{}
	}
	shard.Join(r, *o)
	if o.Sessions > 0 && o.Tool != "" {
		r.Tool, r.API, r.Stream = o.Tool, o.API, o.Stream
	}
	r.Part.causes = append(r.Part.causes, o.Causes...)
	for _, x := range o.Part.Groups {
		r.Part.join(x)
	}
	return nil
}

// join adds a group of another shard.
func (p *Part) join(x partGroup) {
	i := slices.IndexFunc(p.Groups, func(o partGroup) bool {
		return o.First.Dialect == x.First.Dialect && o.First.Advisory == x.First.Advisory &&
			o.First.Setup == x.First.Setup && o.Key.Check == x.Key.Check && o.Key.Kind == x.Key.Kind &&
			slices.Equal(o.Key.Culprits, x.Key.Culprits)
	})
	if i < 0 {
		p.Groups = append(p.Groups, x)
		return
	}
	mine := &p.Groups[i]
	if simpler(x.From, x.First, mine.From, mine.First) {
		mine.First, mine.From, mine.Order = x.First, x.From, x.Order
	}
	for _, traits := range x.Traits {
		if !slices.ContainsFunc(mine.Traits, func(list []string) bool { return slices.Equal(list, traits) }) {
			mine.Traits = append(mine.Traits, traits)
		}
	}
	mine.Shown = append(mine.Shown, x.Shown...)
	mine.Fields = slices.Compact(slices.Sorted(slices.Values(slices.Concat(mine.Fields, x.Fields))))
	for _, f := range x.Faults {
		k := slices.IndexFunc(mine.Faults, func(o faultAt) bool { return o.Name == f.Name })
		if k < 0 {
			mine.Faults = append(mine.Faults, f)
		} else if comparePlaces(f.At, mine.Faults[k].At) < 0 {
			mine.Faults[k] = f
		}
	}
}

// Conclude makes the causes of what was joined; whole says that all shards were. The
// session of a cause is the one that the shard with its first break made short.
func (r *Result) Conclude(whole bool) {
	p := r.Part
	slices.SortStableFunc(p.Fates, func(a, b fateAt) int { return comparePlaces(a.At, b.At) })
	r.Faults = worstFates(p.Fates, p.Faults)
	r.markUnfit()
	slices.SortFunc(p.Groups, func(a, b partGroup) int {
		return cmp.Or(cmp.Compare(a.From.ID, b.From.ID), cmp.Compare(a.Order, b.Order))
	})
	g := newGathering(&Subject{Dialect: all.Find(r.Dialect)})
	g.held, g.watched = p.Held, p.Watched
	for _, x := range p.Groups {
		slices.SortStableFunc(x.Faults, func(a, b faultAt) int { return comparePlaces(a.At, b.At) })
		o := &group{
			key: x.Key, first: x.First, from: x.From, order: x.Order, shown: map[place]bool{}, traits: x.Traits,
			faults: x.Faults, fields: x.Fields,
		}
		for _, at := range x.Shown {
			o.shown[at] = true
		}
		g.groups = append(g.groups, o)
	}
	r.Causes = append([]Cause{}, g.causes()...)
	for i := range r.Causes {
		r.Causes[i].takeShort(p.causes)
	}
	if whole {
		r.Part = nil
	}
}

// takeShort takes the short session, and what it showed, of the same cause in the shard
// that has its first break.
func (c *Cause) takeShort(list []Cause) {
	for _, x := range list {
		if x.ID == c.ID && slices.Contains(x.Sessions, c.from.ID) {
			c.Class, c.Kind, c.Sentence = x.Class, x.Kind, x.Sentence
			c.Session, c.Shown, c.Played = x.Session, x.Shown, x.Played
		}
	}
}
