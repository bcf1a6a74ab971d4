// Package generate makes samples of the dialect planpatch: a plan, a reply that
// edits it, and what must come of it.
//
// Plan and edit are plain; whatever is unusual about a sample is a trait. Each
// trait takes places of its own (steps of the plan, ids), changes plan, edit or
// text, and returns its effect on the label. The effects are put in the order of
// the rules in one place; see label.go. A trait that is left out of a sample
// keeps its places, so that nothing else of the sample moves.
package generate

import (
	"sync"

	"replanbench/generators"
)

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	drafts := sync.Pool{New: func() any { return new(draft) }}
	return generators.Recipe[patchTrait]{
		Traits: traits(), MaxSteps: generators.MaxPlanSteps, Profile: generators.DrawProfile,
		Make: func(drawn generators.Draw[patchTrait]) generators.Sample {
			d := drafts.Get().(*draft)
			defer drafts.Put(d)
			d.reset(drawn.Choices, drawn.Max)
			return d.sample(drawn)
		},
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }
