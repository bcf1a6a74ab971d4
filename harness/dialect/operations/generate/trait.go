package generate

import (
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
)

// trait is one of the dialect's: of an operation, of a reply, or of the case as a
// whole.
// It has a field for each thing that a trait can change; most set one.
type trait struct {
	generators.Trait
	// steps are the steps of the plan that are reserved for the trait, whether it is
	// planted or not.
	steps []role
	// old says that the plan must have an older version.
	old bool
	// knob decides the outcome. If the case has its own rules, its values have equal
	// probability.
	knob string
	// keeps says that the plain edit adds and removes nothing.
	keeps            bool
	claim, bars, has claims

	// act writes an operation, and perhaps others before it.
	act func(u *updater) act
	// base changes the plan, its results or its limits before anything is done.
	base func(u *updater)
	// reply changes how an update is written.
	reply func(u *updater)
	// spoil changes how the plan is written, and returns the code that the case is
	// refused with.
	spoil func(u *updater) harness.Code
	// before and behind write further replies.
	before, behind func(u *updater) string
	derived        *deform.Trait      // of the text and shape of the main reply
	silent         bool               // the case has no replies
	style          generators.IdStyle // of all ids; "" is a plain one
}

// claims are what traits lay claim to.
type claims uint16

const (
	ids       claims = 1 << iota // the style of all ids
	limit                        // of steps
	text                         // the text around the document, its syntax, and members of the update
	metadatum                    // plan_metadata
	plain                        // the plain operations
	replies                      // how many there are
	order                        // of the steps of the plan
	statuses                     // of the steps of the plan
	texts                        // of the steps of the plan
	results                      // of steps
	unsound                      // the case is refused as a whole
	listed                       // there are operations
	sized                        // the number of steps changes
	alone                        // an operation has a fault of shape
)

// Clashes reports whether both claim the same, or one bars what the other has.
func (f trait) Clashes(g trait) bool {
	return f.claim&g.claim != 0 || f.bars&g.has != 0 || g.bars&f.has != 0
}

// traits are the traits of the dialect, made once and read-only.
var traits = sync.OnceValue(func() []trait {
	list := slices.Concat(
		stepTraits(), positionTraits(), graphTraits(), dataTraits(), shapeTraits(),
		noUpdateTraits(), listTraits(), editTraits(), derivedTraits(), planTraits(), caseTraits(),
	)
	for i := range list {
		if list[i].act != nil {
			list[i].has |= listed
		}
	}
	return list
})

// rows returns a constructor of traits of a family that show at a place.
func rows(family, place string) func(name, text, theme string, steps ...role) trait {
	of := generators.Family(family)
	return func(name, text, theme string, steps ...role) trait {
		return trait{Trait: of(name, text, theme, place), steps: steps}
	}
}

// kinds is rows for traits about a kind of operation, which an engine must have.
func kinds(family, kind string) func(name, text, theme string, steps ...role) trait {
	row := rows(family, kind)
	return func(name, text, theme string, steps ...role) trait {
		return row(name, text, theme, steps...).needing(kind)
	}
}

func (f trait) does(act func(u *updater) act) trait { f.act = act; return f }

// refused writes an operation that fails with the code that the text of the trait ends with.
func (f trait) refused(write func(u *updater) generators.Value) trait {
	_, code, _ := strings.Cut(f.Text, ": ")
	return f.does(func(u *updater) act { return act{write(u), code} })
}

// needing returns the trait with what an engine must have for it.
func (f trait) needing(capabilities ...string) trait { f.Trait = f.Needing(capabilities...); return f }

// based returns the trait as one of the data that the edit meets, and first changes that data for another one.
func (f trait) based(change func(u *updater)) trait {
	f.Base = true
	return f.first(change)
}

func (f trait) first(change func(u *updater)) trait   { f.base = change; return f }
func (f trait) replying(reply func(u *updater)) trait { f.reply = reply; return f }

// sizing returns the trait as one that changes the number of steps.
func (f trait) sizing() trait { f.has |= sized; return f }

// keeping returns the trait as one of a limit, which other additions and removals would change.
func (f trait) keeping() trait             { f.keeps, f.claim, f.bars = true, limit, sized; return f }
func (f trait) claiming(c claims) trait    { f.claim |= c; return f }
func (f trait) deciding(knob string) trait { f.knob = knob; return f }
func (f trait) weighs(weight int) trait    { f.Weight = weight; return f }

// null is a member that is there and says nothing.
var null = generators.Raw("null")

// leaveOut leaves the plain edit out.
func leaveOut(u *updater) { u.bare = true }

// fails makes the record of an operation that fails.
func fails(v generators.Value, code harness.Code) act { return act{v, string(code)} }
