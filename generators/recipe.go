package generators

import (
	"slices"

	"replanbench/harness"
)

// Recipe is how the samples of a dialect are made: all that is its own.
type Recipe[F Plantable[F]] struct {
	Traits   []F
	MaxSteps int // the dialect's own bound; see [Options]
	// Profile draws the rules of a case; nil: the dialect has no knobs, and
	// its cases carry no rules.
	Profile func(c *Choices) harness.Profile
	// Knobs are those that the dialect has of its own.
	Knobs []harness.Knob
	// Make makes a sample of what was drawn. Recipes fill in what all samples
	// have in common: the rules in the case, and whether the edit is valid.
	//
	// The base comes from the draw's own choices, and each trait of the index
	// decides from a stream of its own. Places are found for all of them, in their
	// order, and stay taken; only those that the draw keeps are planted. So a
	// sample with fewer of its traits is the same sample without the others.
	Make func(d Draw[F]) Sample
}

// Draw is what is drawn first: the rules and the traits of a sample.
type Draw[F Plantable[F]] struct {
	Choices
	Profile harness.Profile
	Free    bool // the sample may change the rules: they are its own
	Traits  []F  // of the index, in the order of the table
	Max     int  // steps
	// Steps is the size of the base, where a case is made anew to be small; 0 is
	// the base's own choice.
	Steps int
	// Without are the capabilities that the engine does not have.
	Without []string
	order   Order
}

// Stream returns the choices of a part of the sample that go their own way,
// whatever the other parts draw.
func (d *Draw[F]) Stream(name string) Choices { return d.order.choices.stream(name) }

// Keeps reports whether a trait of the index is planted.
func (d *Draw[F]) Keeps(f F) bool {
	return d.order.Keep == nil || slices.Contains(d.order.Keep, f.Entry().Name)
}

// Kept are the traits that are planted.
func (d *Draw[F]) Kept() (list []F) {
	for _, f := range d.Traits {
		if d.Keeps(f) {
			list = append(list, f)
		}
	}
	return list
}

// New returns a maker by the recipe. The error names an unknown trait and the
// nearest one that exists.
func (r Recipe[F]) New(opts Options) (*Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > r.MaxSteps {
		opts.MaxSteps = r.MaxSteps
	}
	all := Listed(r.Traits)
	if err := Known(all, opts.Traits); err != nil {
		return nil, err
	}
	var table []F
	for _, i := range opts.inPlay(all) {
		table = append(table, r.Traits[i])
	}
	return NewMaker(Listed(table), func(i, j int) bool { return table[i].Clashes(table[j]) }, opts.Traits == nil,
		func(o Order) Sample { return r.sample(opts, table, o) }), nil
}

// sample makes the sample of an order.
func (r Recipe[F]) sample(opts Options, table []F, o Order) Sample {
	d := Draw[F]{Choices: o.choices.stream("base"), Profile: harness.Reference(), Max: opts.MaxSteps, Steps: o.Steps, Without: opts.Without, order: o}
	switch {
	case opts.Profile != nil:
		d.Profile = *opts.Profile
	case r.Profile != nil && o.Plain && opts.Declared != nil:
		d.Profile, d.Free = *opts.Declared, true
	case r.Profile != nil && o.Plain:
		d.Free = true
	case r.Profile != nil:
		c := o.choices.stream("profile")
		d.Profile, d.Free = r.Profile(&c), true
	}
	for _, i := range o.traits {
		d.Traits = append(d.Traits, table[i])
	}
	s := r.Make(d)
	if d.Free {
		p := s.Profile.For(r.Knobs)
		s.Profile, s.Case.Profile = p, &p
	}
	s.Valid = len(s.Traits) == 0
	return s
}
