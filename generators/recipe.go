package generators

import "replanbench/harness"

// Recipe is how the samples of a dialect are made: all that is its own.
type Recipe[F Plantable[F]] struct {
	Faults   []F
	MaxSteps int // the dialect's own bound; see [Options]
	// Profile draws the rules of a case; nil: the dialect has no knobs, and
	// its cases carry no rules.
	Profile func(c *Choices) harness.Profile
	// Make makes a sample of what was drawn. Recipes fill in what all samples
	// have in common: the rules in the case, and whether the edit is valid.
	Make func(d Draw[F]) Sample
}

// Draw is what is drawn first: the rules and the faults of a sample.
type Draw[F any] struct {
	Choices
	Profile harness.Profile
	Free    bool // the sample may change the rules: they are its own
	Faults  []F
	Max     int // steps
}

// New returns a maker by the recipe. The error names an unknown fault and the
// nearest one that exists.
func (r Recipe[F]) New(opts Options) (Maker, error) {
	if opts.MaxSteps <= 0 || opts.MaxSteps > r.MaxSteps {
		opts.MaxSteps = r.MaxSteps
	}
	menu, err := newMenu(r.Faults, opts.Faults)
	if err != nil {
		return nil, err
	}
	return func(c Choices) Sample {
		d := Draw[F]{Choices: c, Profile: harness.Reference(), Max: opts.MaxSteps}
		switch {
		case opts.Profile != nil:
			d.Profile = *opts.Profile
		case r.Profile != nil:
			d.Profile, d.Free = r.Profile(&d.Choices), true
		}
		d.Faults = menu.order(&d.Choices)
		s := r.Make(d)
		if d.Free {
			p := s.Profile
			s.Case.Profile = &p
		}
		s.Valid = len(s.Faults) == 0
		return s
	}, nil
}
