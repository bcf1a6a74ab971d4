// Package generate makes samples of the dialect planpatch: a plan, a reply that
// edits it, and what must come of it.
//
// The edit is made first, then the faults are planted: each changes the edit or
// the text of the reply, and returns its effect on the label. The effects are
// put in the order of the rules in one place; see label.go.
package generate

import (
	"sync"

	"replanbench/generators"
)

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	drafts := sync.Pool{New: func() any { return new(draft) }}
	return generators.Recipe[patchFault]{
		Traits: faults(), MaxSteps: generators.MaxPlanSteps, Profile: generators.DrawProfile,
		Make: func(drawn generators.Draw[patchFault]) generators.Sample {
			d := drafts.Get().(*draft)
			defer drafts.Put(d)
			d.reset(drawn.Choices, drawn.Max)
			return d.sample(drawn)
		},
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(faults()) }
