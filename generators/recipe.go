package generators

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

// Recipe describes how a dialect makes samples.
type Recipe[F Plantable[F]] struct {
	Traits   []F
	MaxSteps int // the dialect's own bound; see [Options]
	// Profile draws the profile of a case; nil: the dialect has no knobs, and
	// its cases have no profile.
	Profile func(c *Choices) harness.Profile
	// Knobs are the knobs that only this dialect has.
	Knobs []harness.Knob
	// Make makes a sample from the draw. Recipes fill in the profile of the case and
	// whether the edit is valid.
	//
	// The base uses the choices of the draw, and each trait uses a separate
	// stream. Make reserves a location for every trait in
	// order, and plants only those that the draw keeps. So a
	// sample with fewer of its traits equals the same sample without the others.
	Make func(d Draw[F]) Sample
}

// Draw has the profile and the traits of a sample.
type Draw[F Plantable[F]] struct {
	Choices
	Profile harness.Profile
	Free    bool // the sample may change the profile
	Traits  []F  // of the index, in the order of the table
	Max     int  // steps
	// Steps is the size of the base for a small case; 0 means
	// that the base chooses it.
	Steps int
	// Without lists the capabilities that the engine lacks.
	Without []string
	order   Order
}

// Stream returns separate choices for a part of the sample. They do not depend on
// the draws of other parts.
func (d *Draw[F]) Stream(name string) Choices { return d.order.choices.stream(name) }

// Keeps reports whether a trait of the index is planted.
func (d *Draw[F]) Keeps(f F) bool {
	return d.order.Keep == nil || slices.Contains(d.order.Keep, f.Entry().Name)
}

// Kept lists the traits that are planted.
func (d *Draw[F]) Kept() (list []F) {
	if d.order.Keep == nil {
		return d.Traits
	}
	for _, f := range d.Traits {
		if d.Keeps(f) {
			list = append(list, f)
		}
	}
	return list
}

// Lacks reports whether the engine lacks a capability.
func (d *Draw[F]) Lacks(capability string) bool { return slices.Contains(d.Without, capability) }

// New returns a maker for the recipe. The error names an unknown trait and the
// most similar known one.
func (r Recipe[F]) New(opts Options) (*Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > r.MaxSteps {
		opts.MaxSteps = r.MaxSteps
	}
	all := Listed(r.Traits)
	if err := known(all, opts.Traits); err != nil {
		return nil, err
	}
	table := collect.Map(opts.inPlay(all), func(i int) F { return r.Traits[i] })
	always, plain := r.isRare(opts.Profile), r.isRare(opts.Declared)
	return NewMaker(Listed(table), func(i, j int) bool { return table[i].Clashes(table[j]) }, opts.Traits == nil,
		func(o Order) Sample {
			s := r.sample(opts, table, o)
			if always || plain && o.Plain {
				s.Want = Want{Loose: true}
			}
			return s
		}), nil
}

// isRare reports whether a profile has a value that is not drawn. The expectations of traits hold for drawn values
// alone.
func (r Recipe[F]) isRare(p *harness.Profile) bool {
	rare := func(k harness.Knob) bool { return k.IsRare(k.Of(p)) }
	return p != nil && slices.ContainsFunc(harness.Knobs(r.Knobs...), rare)
}

func (r Recipe[F]) sample(opts Options, table []F, o Order) Sample {
	d := Draw[F]{
		Choices: o.choices.stream("base"), Max: opts.MaxSteps, Steps: o.Steps, Traits: make([]F, len(o.traits)),
		Without: opts.Without, order: o,
	}
	switch {
	case opts.Profile != nil:
		d.Profile = *opts.Profile
	case r.Profile != nil && o.Plain && opts.Declared != nil:
		d.Profile, d.Free = *opts.Declared, true
	case r.Profile == nil:
		d.Profile = harness.Reference()
	case o.Plain:
		d.Profile, d.Free = harness.Reference(), true
	default:
		c := o.choices.stream("profile")
		d.Profile, d.Free = r.Profile(&c), true
	}
	for k, i := range o.traits {
		d.Traits[k] = table[i]
	}
	s := r.Make(d)
	if d.Free {
		p := s.Profile.For(r.Knobs)
		s.Profile, s.Case.Profile = p, &p
	}
	s.Valid = len(s.Traits) == 0
	return s
}
