package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
)

// patchTrait is a trait of the dialect planpatch.
type patchTrait struct {
	generators.Trait
	kind   kind
	done   int   // steps of the plan that it takes for itself: done ones,
	open   int   // and pending ones
	puts   lists // of the patch, which get items
	rules  rules
	claims aspects // held alone
	shares aspects // held together with others that share them
	stage  stage
	// plant puts the trait into the draft, and says what it does to the label
	// under the draft's profile: [notPlanted] where the draft has no place for it,
	// and then it has changed nothing.
	plant func(d *draft) effect
}

// kind says which documents can have a trait.
type kind uint8

const (
	inAny kind = iota
	inPatch
	inFullPlan
)

// lists is a set of lists of a patch.
type lists uint8

const (
	removes lists = 1 << iota
	updates
	adds
)

// rules are the rules that a trait needs to show.
type rules uint8

const (
	noRung      rules = 1 << iota // a ladder without a rung for full plans
	fullRung                      // one with such a rung
	restoring                     // rules that lose no finished work
	orphanRules                   // any policy for orphans, all as likely
)

// aspects are parts of a sample that can have only one trait each: with two, the
// outcome would be uncertain.
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
	aWrap    // the document is inside another value
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
	aLayout  // line breaks and indents
	aForm    // how the plan of the case is written
	aDone    // the done steps of the plan
	aOpen    // the others
	aWhole   // whether the reply is a patch or a full plan
	aPolicy  // the verification policy
)

const aOutside = aPrefix | aFence | aSuffix

// stage is when a trait is planted: what shapes the plan comes first, then what
// shapes the edit.
type stage uint8

const (
	onEdit  stage = iota // into the edit
	onPlan               // when the plan is complete
	onShape              // before the edit is made
)

// traits are the traits of the dialect in the order of their families, made once and
// read-only.
var traits = sync.OnceValue(func() []patchTrait {
	list := slices.Concat(
		idFaults(), fieldFaults(), dependencyFaults(), overflowFaults(), finishedFaults(),
		structureFaults(), textFaults(), wordingTraits(), planFaults(), planTraits(), ladderFaults(),
	)
	for i := range list {
		list[i].complete()
	}
	return list
})

// complete derives what the parts of a trait imply.
func (f *patchTrait) complete() {
	if f.puts != 0 {
		f.kind = inPatch
	}
	for _, implied := range [...]struct {
		is     bool
		shares aspects
		needs  string
	}{
		{f.puts&removes != 0, aRemoveList, "remove"},
		{f.puts&updates != 0, aUpdateList, "update"},
		{f.puts&adds != 0, aAddList, "add"},
		{f.done > 0, aDone, ""},
		{f.open > 0, aOpen, ""},
		{f.kind != inAny, aWhole, ""},
		{f.kind == inFullPlan, 0, "full plan"},
		{f.claims&aLimit != 0, 0, "max_plan_steps"},
		{f.claims&aSize != 0, 0, "max_reply_bytes"},
		{f.claims&aDepth != 0, 0, "max_depth"},
		{f.claims&aPlan != 0, 0, "plan"},
	} {
		if !implied.is {
			continue
		}
		f.shares |= implied.shares &^ f.claims
		if implied.needs != "" {
			f.Trait = f.Needing(implied.needs)
		}
	}
	switch {
	case f.rules&noRung != 0:
		f.Under = func(p harness.Profile) bool { return !takesFull(p.Ladder) }
	case f.rules&fullRung != 0 || f.kind == inFullPlan:
		f.rules |= fullRung
		f.Under = func(p harness.Profile) bool { return takesFull(p.Ladder) }
	case f.kind == inPatch:
		f.Under = func(p harness.Profile) bool { return takesPatch(p.Ladder) }
	}
}

// Clashes reports whether the two cannot be in one sample.
func (f patchTrait) Clashes(g patchTrait) bool {
	return f.claims&(g.claims|g.shares) != 0 || f.shares&g.claims != 0 || f.kind != g.kind && f.kind != inAny &&
		g.kind != inAny ||
		f.rules&noRung != 0 && g.rules&fullRung != 0 || f.rules&fullRung != 0 && g.rules&noRung != 0
}
