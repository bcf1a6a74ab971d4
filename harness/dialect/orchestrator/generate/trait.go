package generate

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/collect"
)

//go:embed traits.json
var rows []byte

// row is a trait of the table: its text and its claims. The part of the same name does the rest. A reply in a row is a
// JSON object, or any text as a string.
type row struct {
	generators.Row
	Claims claims `json:"claims"`
	// Says lists replies in a step that are neither control nor tool call; one is drawn.
	Says []jsontext.Value `json:"says"`
	// First is a reply that is refused as the first plan.
	First jsontext.Value `json:"first"`
	// Document has members of a first plan that is refused, and Step of one of its steps. null leaves a member out.
	Document map[string]jsontext.Value `json:"document"`
	Step     map[string]jsontext.Value `json:"step"`
	// Patch is a reply that is refused as a patch under all rules, or under those that the row asks for.
	Patch jsontext.Value `json:"patch"`
	// About says which step of the base the patch is about: the one that is asking, the one before it if that is
	// finished, or the last spare one.
	About string `json:"about"`
}

// ownID becomes the id of the step that a row is about, and upperID this id in upper case.
const ownID, upperID = `"ID"`, `"UPPER"`

// trait is something unusual about a run.
type trait struct {
	generators.Trait
	claims claims
	part
}

// part is what a trait does.
type part struct {
	// rules change rules that the sample may choose to those that the trait needs.
	rules []func(p *harness.Profile)
	// holds test for rules under which alone the trait shows.
	holds []func(p harness.Profile) bool
	isIn  func(c harness.Case) bool // recognises the trait; nil if the case alone cannot show it
	plant planting
}

// planting brings a trait about. It is called only where the trait is kept.
type planting = func(d *director, at *spot)

// claims are the parts of a sample that a trait needs or reserves.
type claims uint32

// UnmarshalText reads the names of claims, in the order of the constants.
func (c *claims) UnmarshalText(text []byte) (err error) {
	*c, err = generators.Bits[claims](text, "inputBad", "planGiven", "planAsked", "noPlan", "needsPlan", "shares", "takes",
		"later", "foremost", "climbs", "refuses", "twists", "ends", "verifies", "counts", "rounds", "caps", "adds", "spare",
		"wide", "waves", "triggers", "rungs", "stops", "names", "writing", "finished", "limits", "budgets")
	return err
}

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

// table lists the traits, made once and read-only. The derived traits of replies follow the other traits of a step.
var table = sync.OnceValue(func() (list []trait) {
	named := parts()
	for _, r := range generators.Rows[row](rows) {
		list = append(list, r.trait(r.part(named)))
	}
	behind := slices.IndexFunc(list, func(t trait) bool { return t.Family == "tool" })
	return slices.Insert(list, behind, derivedTraits()...)
})

// parts returns the parts of all rows by their names.
func parts() map[string]part {
	return collect.Join(caseParts(), planParts(), planningParts(), coercedParts(), stepParts(), toolParts(),
		controlParts(), replanParts(), triggerParts(), endParts(), budgetParts(), resumeParts())
}

// part returns what the row does.
func (r row) part(named map[string]part) part {
	switch {
	case r.Says != nil:
		return invalid(collect.Map(r.Says, text))
	case r.First != nil:
		return refusedPlan(said(text(r.First)))
	case r.Document != nil || r.Step != nil:
		return changed(r.change)
	case r.Patch != nil:
		return refusedPatch(r.badPatch)
	}
	return named[r.Name]
}

// text is a reply of a row.
func text(reply jsontext.Value) string {
	if reply.Kind() != '"' {
		return string(reply)
	}
	unquoted, _ := jsontext.AppendUnquote(nil, reply) // the table is well-formed
	return string(unquoted)
}

// trait returns the trait of the row, which does the part.
func (r row) trait(p part) trait {
	for _, setting := range r.Under {
		p = p.ruled(set(setting), nil)
	}
	t := trait{Trait: r.Trait(spec.Knobs), claims: r.Claims, part: p}
	t.Seen = p.isIn
	if p.isIn == nil && r.Claims&rounds != 0 {
		t.Seen = fewRounds
	}
	if r.Claims&caps != 0 {
		t.Needs = append(t.Needs, "max_plan_steps")
	}
	settings := t.Under
	t.Under = func(profile harness.Profile) bool {
		return settings(profile) && (r.Claims&planned == 0 || spec.Plans(profile)) &&
			!slices.ContainsFunc(p.holds, func(holds func(harness.Profile) bool) bool { return !holds(profile) })
	}
	return t
}

func does(plant planting) part { return part{plant: plant} }

// before returns the part with something that is done first.
func (p part) before(first func(d *director)) part {
	then := p.plant
	p.plant = func(d *director, at *spot) { first(d); then(d, at) }
	return p
}

// ruled returns the part with the rules that it needs, and a test for them; nil if it also shows under others.
func (p part) ruled(set func(p *harness.Profile), holds func(p harness.Profile) bool) part {
	p.rules = append(slices.Clip(p.rules), set)
	if holds != nil {
		p.holds = append(slices.Clip(p.holds), holds)
	}
	return p
}

// on lets something lead to another plan.
func (p part) on(what string) part {
	return p.ruled(set("replan_on="+what), func(p harness.Profile) bool { return spec.ReplansOn(p, what) })
}

// seen returns the part with what recognises it.
func (p part) seen(is func(c harness.Case) bool) part { p.isIn = is; return p }

// replied recognises a reply that is one of the texts.
func replied(texts ...string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return slices.Contains(texts, string(r)) })
	}
}

// holds recognises documents that contain all the fragments, whatever their white space.
func holds(fragments ...string) func(harness.Case) bool {
	return func(c harness.Case) bool {
		text := strings.ReplaceAll(string(slices.Concat(c.Plan, c.Tools, c.Verify)), " ", "")
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
