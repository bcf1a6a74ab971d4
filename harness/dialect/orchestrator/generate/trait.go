package generate

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
)

// trait is something unusual about a run.
type trait struct {
	generators.Trait
	claims claims
	// rules changes rules that the sample may choose to those that the trait needs.
	rules func(p *harness.Profile)
	plant planting
}

// planting brings a trait about. It is called only where the trait is kept.
type planting = func(d *director, at *spot)

// rows returns a constructor of traits of a family that show at a place.
func rows(family, place string) func(name, text, theme string, needed claims, plant planting) trait {
	of := generators.Family(family)
	return func(name, text, theme string, needed claims, plant planting) trait {
		return trait{Trait: of(name, text, theme, place), claims: needed, plant: plant}
	}
}

// claims are the parts of a sample that a trait needs or reserves.
type claims uint32

const (
	inputBad  claims = 1 << iota // the run never begins
	planGiven                    // the case brings its plan
	planAsked                    // it does not
	noPlan                       // the run has none
	needsPlan                    // it has one
	shares                       // has a place in a step, beside others
	takes                        // takes a step for itself, which ends with it
	later                        // not the first step
	foremost                     // the first step
	climbs                       // leads to another plan, which is asked for
	refuses                      // a reply that is refused as the first plan
	twists                       // how the first plan is written
	ends                         // the run ends with it
	verifies                     // what comes of the verification
	counts                       // the limit of replans
	rounds                       // the limit of rounds
	caps                         // max_plan_steps
	adds                         // takes room for steps
	spare                        // two steps behind the others, that nothing else is about
	wide                         // steps that do not wait for each other
	waves                        // several of them run in a wave
	triggers                     // the knob replan_on
	rungs                        // the knob ladder
	stops                        // the run is interrupted
	names                        // the ids of the plan
	writing                      // how the plan is written
	finished                     // nothing is left to do
	limits                       // the size of replies
	budgets                      // the tokens of calls
	derives                      // a reply in a step with a fault of text or shape
)

// alone are the claims that exclude each other.
const alone = noPlan | twists | ends | verifies | counts | rounds | caps | spare | wide | triggers | rungs | stops |
	names | writing | limits | budgets | derives

// planned are the claims that take a plan.
const planned = needsPlan | planGiven | climbs | twists

// Clashes reports whether the two cannot stand in one sample.
func (t trait) Clashes(u trait) bool {
	both := t.claims | u.claims
	apart := func(a, b claims) bool {
		return t.claims&a != 0 && u.claims&b != 0 || u.claims&a != 0 && t.claims&b != 0
	}
	return t.claims&u.claims&alone != 0 || both&inputBad != 0 ||
		both&planGiven != 0 && both&planAsked != 0 || apart(noPlan, planned) || apart(caps, refuses|adds) ||
		apart(waves, climbs) || apart(counts, climbs) || apart(ends, verifies) || apart(later, wide) ||
		apart(finished, ^(writing|names|needsPlan|planGiven))
}

// spot is the place of a trait in a sample, with its own choices.
type spot struct {
	generators.Choices
	at    int // among the traits of the sample
	step  int // of the base
	edits int // so that each of its edits says something new
}

// table lists the traits, made once and never written.
var table = sync.OnceValue(func() []trait {
	list := slices.Concat(caseTraits(), planTraits(), planningTraits(), stepTraits(), derivedTraits(), toolTraits(),
		controlTraits(), replanTraits(), triggerTraits(), givingUpTraits(), endTraits(), budgetTraits(), resumeTraits())
	for i := range list {
		t := &list[i]
		if t.Seen == nil && t.claims&rounds != 0 {
			t.Seen = fewRounds
		}
		if t.claims&caps != 0 {
			t.Needs = append(t.Needs, "max_plan_steps")
		}
		if t.claims&planned != 0 {
			*t = t.allowed(spec.Plans)
		}
	}
	return list
})

// before returns the trait with something that is done first.
func (t trait) before(first func(d *director)) trait {
	then := t.plant
	t.plant = func(d *director, at *spot) { first(d); then(d, at) }
	return t
}

// allowed returns the trait with rules under which alone it shows.
func (t trait) allowed(holds func(p harness.Profile) bool) trait {
	rest := t.Under
	t.Under = func(p harness.Profile) bool { return (rest == nil || rest(p)) && holds(p) }
	return t
}

// ruled returns the trait with the rules that it needs, and a test for them, unless it shows under
// others, too.
func (t trait) ruled(set func(p *harness.Profile), holds func(p harness.Profile) bool) trait {
	first := t.rules
	t.rules = func(p *harness.Profile) {
		if first != nil {
			first(p)
		}
		set(p)
	}
	if holds == nil {
		return t
	}
	return t.allowed(holds)
}

// under returns the trait with the setting (KNOB=VALUE) that it needs.
func (t trait) under(setting string) trait {
	return t.ruled(set(setting),
		func(p harness.Profile) bool { return p.Holds(setting, spec.Knobs()...) })
}

// on lets something lead to another plan.
func (t trait) on(what string) trait {
	return t.ruled(set("replan_on="+what),
		func(p harness.Profile) bool { return spec.ReplansOn(p, what) })
}

// needing returns the trait with what an engine must have for it.
func (t trait) needing(capabilities ...string) trait { t.Needs = capabilities; return t }

// seen returns the trait with what recognises it.
func (t trait) seen(is func(c harness.Case) bool) trait { t.Seen = is; return t }
func (t trait) based() trait                            { t.Base = true; return t }
func (t trait) weighs(weight int) trait                 { t.Weight = weight; return t }

// replied recognises a reply that is one of the texts.
func replied(texts ...string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return slices.Contains(texts, string(r)) })
	}
}

// holds recognises documents that hold all the fragments, whatever blanks stand in
// them.
func holds(fragments ...string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		var b strings.Builder
		for _, doc := range []jsontext.Value{c.Plan, c.Tools, c.Verify} {
			b.Write(doc)
		}
		text := strings.ReplaceAll(b.String(), " ", "")
		return !slices.ContainsFunc(fragments, func(f string) bool { return !strings.Contains(text, f) })
	}
}

// asked recognises a request for another plan.
func asked(c harness.Case) bool {
	return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool {
		return strings.Contains(string(r), `"control":"replan"`)
	})
}

// fewRounds recognises a limit of rounds that a run can meet.
func fewRounds(c harness.Case) bool {
	n := c.Limits.MaxStepToolCalls
	return n != nil && *n < spec.DefaultMaxStepToolCalls
}
