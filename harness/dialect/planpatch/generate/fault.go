package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
)

// patchFault is a fault of the dialect planpatch.
type patchFault struct {
	generators.Trait
	kind   kind
	needs  generators.Wants
	claims aspects // held alone
	shares aspects // held together with others that share them
	stage  stage
	// plant puts the fault into the draft, and says what it does to the label
	// under the draft's profile: [notPlanted] where the draft has no place for it.
	plant func(d *draft) effect
}

// kind says in which documents a fault can stand.
type kind uint8

const (
	inPatch kind = iota
	inFullPlan
	inAny
)

// aspects are parts of a sample of which each can hold one fault only: two of
// them would not have a certain answer.
type aspects uint32

const (
	aTitle aspects = 1 << iota
	aType          // type and steps
	aReason
	aRemoveList // the list as a whole
	aUpdateList
	aAddList
	aReading // the document cannot be read, or only coerced
	aSyntax  // the text is not JSON
	aWrap    // the document stands in another value
	aPrefix  // text before
	aFence
	aSuffix // text behind
	aOthers // a second document in the reply
	aTail   // the end of the list of added steps
	aLimit  // the limit of steps
	aSize   // the limits of the reply
	aDepth  // how deep it nests
	aCycle
	aVariant // an id that differs from another in its spelling alone
	aNames   // duplicate names
	aPlan    // the plan of the case
	aLadder
	aContent // what the edit does at all
	aSteps   // the steps of a full plan
)

const aOutside = aPrefix | aFence | aSuffix

// stage is when a fault is planted: what shapes the edit comes first, what
// depends on the whole of it last.
type stage uint8

const (
	onEdit   stage = iota // into the edit
	onShape               // before the edit is made
	onTail                // when the list of new steps stands
	onLimits              // when the edit stands
)

// faults are those of the dialect in the order of their families, made once and
// never written.
var faults = sync.OnceValue(func() []patchFault {
	return slices.Concat(
		idFaults(), fieldFaults(), dependencyFaults(), overflowFaults(), finishedFaults(),
		structureFaults(), textFaults(), planFaults(), ladderFaults(),
	)
})

// Clashes reports whether the two cannot stand in one sample.
func (f patchFault) Clashes(g patchFault) bool {
	return f.claims&(g.claims|g.shares) != 0 || f.shares&g.claims != 0 || f.kind != g.kind && f.kind != inAny && g.kind != inAny
}
