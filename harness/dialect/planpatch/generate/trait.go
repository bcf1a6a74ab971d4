package generate

import (
	"slices"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
)

// patchTrait is a trait of the dialect planpatch.
// It has a field for each thing that can be said of a trait; most set few.
type patchTrait struct {
	generators.Trait
	kind    kind
	done    int   // steps of the plan that it takes for itself: done ones,
	open    int   // and pending ones
	puts    lists // of the patch, which get items
	rules   rules
	claims  aspects // held alone
	shares  aspects // held together with others that share them
	stage   stage
	refuses []refusal
	varies  bool          // next to other traits its result is unknown
	derived *deform.Trait // of the text and shape of the reply
	// plant puts the trait into the draft. It reports false, and changes nothing, if the draft
	// has no place for it.
	plant func(d *draft) bool
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
	aTitle   aspects = 1 << iota
	aReading         // the text or the shape of the reply
	aRemoveList
	aUpdateList
	aAddList
	aTail  // the end of the list of added steps
	aLimit // the limit of steps
	aSize  // the limits of the reply
	aCycle
	aVariant // an id that differs from another in its spelling alone
	aPlan    // the plan of the case
	aLadder
	aContent // what the edit does at all
	aSteps   // the steps of a full plan
	aForm    // how the plan of the case is written
	aDone    // the done steps of the plan
	aOpen    // the others
	aWhole   // whether the reply is a patch or a full plan
	aPolicy  // the verification policy
)

// stage is when a trait is planted: what shapes the plan comes first, then what
// shapes the edit.
type stage uint8

const (
	onEdit  stage = iota // into the edit
	onPlan               // when the plan is complete
	onShape              // before the edit is made
)

// rows returns a constructor of traits of a family, which give items to lists of a patch.
func rows(family string) func(name, text, theme, place string, puts lists) patchTrait {
	of := generators.Family(family)
	return func(name, text, theme, place string, puts lists) patchTrait {
		return patchTrait{Trait: of(name, text, theme, place), puts: puts}
	}
}

// does returns the trait with how it is planted; planted reports true for a plain change.
func (t patchTrait) does(plant func(d *draft) bool) patchTrait { t.plant = plant; return t }

func (t patchTrait) just(change func(d *draft)) patchTrait {
	return t.does(func(d *draft) bool { change(d); return true })
}

// onOpen plants the trait on an open step, onDone on a done one, and onLeaf on an open one on
// which no step depends.
func (t patchTrait) onOpen(change func(d *draft, i int)) patchTrait {
	return t.takes(t.done, 1).on((*draft).useOpen, change)
}

func (t patchTrait) onDone(change func(d *draft, i int)) patchTrait {
	return t.takes(1, t.open).on((*draft).useDone, change)
}

func (t patchTrait) onLeaf(change func(d *draft, i int)) patchTrait {
	return t.takes(t.done, 1).on((*draft).useLeaf, change)
}

func (t patchTrait) on(use func(*draft) int, change func(d *draft, i int)) patchTrait {
	return t.does(func(d *draft) bool {
		i := use(d)
		if i >= 0 {
			change(d, i)
		}
		return i >= 0
	})
}

func (t patchTrait) takes(done, open int) patchTrait    { t.done, t.open = done, open; return t }
func (t patchTrait) in(k kind) patchTrait               { t.kind = k; return t }
func (t patchTrait) at(s stage) patchTrait              { t.stage = s; return t }
func (t patchTrait) claiming(claims aspects) patchTrait { t.claims |= claims; return t }
func (t patchTrait) under(r rules) patchTrait           { t.rules |= r; return t }
func (t patchTrait) weighs(weight int) patchTrait       { t.Weight = weight; return t }
func (t patchTrait) needs(capabilities ...string) patchTrait {
	t.Trait = t.Needing(capabilities...)
	return t
}
func (t patchTrait) inBase() patchTrait { t.Base = true; return t }

// varying marks a trait whose result is unknown next to other traits.
func (t patchTrait) varying() patchTrait { t.varies = true; return t }

// refused declares the code of a reply with the trait under a setting of the rules; no setting
// means all rules, and no code that the result is unknown.
func (t patchTrait) refused(setting string, code harness.Code) patchTrait {
	t.refuses = append(t.refuses, refusal{setting, code, 0})
	return t
}

// unread declares the code of a reply that reading refuses unless it has the abilities.
func (t patchTrait) unread(code harness.Code, takes generators.Ability) patchTrait {
	t.refuses = append(t.refuses, refusal{"", code, takes})
	return t.claiming(aReading)
}

// traits are the traits of the dialect in the order of their families, made once and
// read-only.
var traits = sync.OnceValue(func() []patchTrait {
	list := slices.Concat(
		conflictTraits(), spellingTraits(), dependencyTraits(), cycleTraits(), limitTraits(), finishedTraits(),
		fullTraits(), documentTraits(), wordingTraits(), invalidPlans(), planTraits(), ladderTraits(), derivedTraits(),
	)
	for i := range list {
		list[i].complete()
	}
	return list
})

// complete derives what the parts of a trait imply.
func (t *patchTrait) complete() {
	if t.puts != 0 {
		t.kind = inPatch
	}
	for _, implied := range [...]struct {
		is     bool
		shares aspects
		needs  string
	}{
		{t.puts&removes != 0, aRemoveList, "remove"},
		{t.puts&updates != 0, aUpdateList, "update"},
		{t.puts&adds != 0, aAddList, "add"},
		{t.done > 0, aDone, ""},
		{t.open > 0, aOpen, ""},
		{t.kind != inAny, aWhole, ""},
		{t.kind == inFullPlan, 0, "full plan"},
		{t.claims&aLimit != 0, 0, "max_plan_steps"},
		{t.claims&aPlan != 0, 0, "plan"},
	} {
		if !implied.is {
			continue
		}
		t.shares |= implied.shares &^ t.claims
		if implied.needs != "" {
			t.Trait = t.Needing(implied.needs)
		}
	}
	switch {
	case t.rules&noRung != 0:
		t.Under = func(p harness.Profile) bool { return !takesFull(p.Ladder) }
	case t.rules&fullRung != 0 || t.kind == inFullPlan:
		t.rules |= fullRung
		t.Under = func(p harness.Profile) bool { return takesFull(p.Ladder) }
	case t.kind == inPatch:
		t.Under = func(p harness.Profile) bool { return takesPatch(p.Ladder) }
	}
}

// Clashes reports whether the two cannot be in one sample.
func (t patchTrait) Clashes(o patchTrait) bool {
	return t.claims&(o.claims|o.shares) != 0 || t.shares&o.claims != 0 ||
		t.kind != o.kind && t.kind != inAny && o.kind != inAny ||
		t.rules&noRung != 0 && o.rules&fullRung != 0 || t.rules&fullRung != 0 && o.rules&noRung != 0
}

// derivedTraits are the traits that the declarations of the documents imply.
func derivedTraits() (list []patchTrait) {
	patch, full := deform.Traits(spec.Patch()), deform.Traits(spec.FullPlan())
	for _, t := range patch {
		d := patchTrait{Trait: t.Trait, claims: aReading, derived: &t}
		switch t.Name {
		case "draft-then-final", "broken-draft-first", "think-draft", "think-draft-fenced":
			d = d.in(inPatch).needs("title")
		case "long-text", "control-text", "padded-text":
			d.claims |= aContent | aTitle
		case "object-for-list", "scalar-for-list":
			if d = d.in(inPatch).needs("add"); t.Name == "object-for-list" {
				d.claims |= aAddList
			}
		case "too-large", "reply-at-limit", "depth-at-limit", "depth-over-limit":
			d.claims |= aSize | aLadder
		case "null-list":
			d = d.in(inPatch)
			d.claims, d.plant = d.claims|aRemoveList|aUpdateList|aAddList, (*draft).makeRoomForList
		case "null-optional":
			d.claims, d.plant = d.claims|aTitle, (*draft).makeRoomForTitle
		}
		if !slices.ContainsFunc(full, func(o deform.Trait) bool { return o.Name == t.Name }) {
			d.kind = inPatch
		}
		if d.Family == "shape" {
			d.shares |= (aAddList | aContent) &^ d.claims
			if d.plant == nil {
				d.plant = (*draft).makeRoom
			}
		}
		list = append(list, d)
	}
	return list
}

// makeRoom gives a patch an item and a member to be absent, which traits of shape change.
func (d *draft) makeRoom() bool {
	if d.full {
		return true
	}
	if d.reason = generators.None; !d.drawn.Lacks("add") {
		d.spared |= adds
		i := slices.Index(d.gone, false)
		switch {
		case d.drawn.Lacks("dependencies"):
			d.add(d.fresh())
		case i >= 0:
			d.needed[i] = true
			d.add(d.freshOn(d.id(i)))
		}
	}
	return true
}

// makeRoomForList leaves one list of a patch empty, or gives it an item without lists.
func (d *draft) makeRoomForList() bool {
	spared := generators.Pick(&d.Choices, []lists{removes, updates, adds, 0})
	if d.spared |= spared; spared == 0 && !d.drawn.Lacks("add") {
		v := d.fresh()
		v.Drop("dependencies")
		v.Drop("tools_expected")
		d.add(v)
	}
	return true
}

// makeRoomForTitle leaves the title of any patch to be absent, too.
func (d *draft) makeRoomForTitle() bool {
	if !d.full && d.Below(2) == 0 {
		d.title = generators.None
	}
	return d.makeRoom()
}
