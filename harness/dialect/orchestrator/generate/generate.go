// Package generate makes samples of the dialect orchestrator: the script of a run,
// changed by traits, and the expected outcome.
package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
)

// maxRunSteps bounds the plans of the dialect orchestrator, of which each step
// is played.
const maxRunSteps = 12

// New returns a Maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[trait]{
		Traits: table(), MaxSteps: maxRunSteps, Profile: generators.Profiles(harness.Knobs(spec.Knobs()...)),
		Knobs: spec.Knobs(), Make: makeSample,
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(table()) }

// set returns a change of the rules: to a setting (KNOB=VALUE).
func set(setting string) func(p *harness.Profile) {
	return func(p *harness.Profile) { *p = p.With(spec.Knobs(), setting) }
}

// makeSample makes the sample of a draw. Rules, size and places follow from all
// traits of the index; only those that are kept are planted.
func makeSample(draw generators.Draw[trait]) generators.Sample {
	d := &director{draw: &draw, profile: draw.Profile, scenes: map[string][]scene{}, worked: map[string]bool{}}
	for _, t := range draw.Traits {
		d.all |= t.claims
	}
	d.settle()
	d.stage()
	s := generators.Sample{}
	spots := d.spots()
	d.plant(spots, func(t trait) bool { return t.Base })
	if d.given {
		d.before = d.p.Clone()
		d.doc = string(d.form.Encode(d.p, d.style))
	}
	d.plant(spots, func(t trait) bool { return !t.Base })
	s.Traits = slices.Grow(s.Traits, len(draw.Traits))
	for _, t := range draw.Kept() {
		s.Traits = append(s.Traits, t.Name)
	}
	d.run()
	return d.sample(s)
}

// settle changes the rules that the sample may choose to those that its traits
// need.
func (d *director) settle() {
	if !d.draw.Free {
		return
	}
	for _, t := range d.draw.Traits {
		for _, change := range t.rules {
			change(&d.profile)
		}
	}
	if d.all&planned != 0 {
		set("planning=on")(&d.profile)
	}
	if d.all&climbs != 0 { // trouble in a wave is a trait of its own
		d.profile.Parallel = 1
	}
}

// spots finds a place for each trait of the index.
func (d *director) spots() []*spot {
	var list []*spot
	free := make([]int, d.steps)
	for i := range free {
		free[i] = i
	}
	if d.all&waves != 0 {
		free = free[1:]
	}
	for i, t := range d.draw.Traits {
		s := &spot{Choices: d.draw.Stream(t.Name), at: i + 1}
		first := 0
		if t.claims&later != 0 {
			first = 1
		}
		switch {
		case t.claims&(waves|foremost) != 0: // the first
		case t.claims&takes != 0:
			from := slices.IndexFunc(free, func(k int) bool { return k >= first })
			k := from + s.Below(len(free)-from)
			s.step = free[k]
			free = slices.Delete(free, k, k+1)
		default:
			s.step = first + s.Below(d.steps-first)
		}
		list = append(list, s)
	}
	return list
}

// plant plants the kept traits that are asked for.
func (d *director) plant(spots []*spot, which func(t trait) bool) {
	for i, t := range d.draw.Traits {
		if which(t) && d.draw.Keeps(t) {
			t.plant(d, spots[i])
		}
	}
}
