// Package generate makes samples of the dialect operations: a plan with
// versions, replies that update it, and the expected outcome.
//
// The plan and the plain edit of one to three operations are ordinary. Each
// trait of a sample has reserved steps of the plan and reserved ids for new
// ones, whether it is planted or not, and a separate stream of choices. So
// traits do not depend on each other. Each trait declares the result of its operations.
package generate

import (
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/operations/spec"
)

// maxRecordSteps bounds the plans of the dialect operations, whose edits are
// worked out one by one.
const maxRecordSteps = 60

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	knobs := append(spec.Own(), harness.Vocabulary{Knobs: spec.Vocabulary().Knobs}.Settings()...)
	return generators.Recipe[trait]{
		Traits: traits(), Knobs: spec.Own(), MaxSteps: maxRecordSteps, Profile: generators.Profiles(knobs), Make: makeSample,
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// updater makes one sample. It keeps the order of the steps while it writes operations, so
// that positions are valid.
// Its many fields are the state of a draft, which every trait changes.
type updater struct {
	generators.Draw[trait]
	generators.Slab

	p       record // its steps are as the operations so far leave them
	drawn   []task // the steps of the plan before traits and operations changed them
	results []generators.Field
	gone    []string // ids of older versions that no step of the plan has
	limit   int      // steps; 0 is none
	style   generators.IdStyle
	next    int      // number of the next new id
	owners  []owner  // the traits, the plain edit, and nobody
	edits   []owner  // the plain edit
	own     []string // steps of the trait under way
	ids     []string // of the steps of all owners

	brief     bool             // the plan leaves out default values
	planStyle generators.Style // of writing
	rewrite   []func(v *generators.Value)
	noResults bool           // the case has none
	bare      bool           // the plain edit is left out
	limits    harness.Limits // other than the limit of steps
	unsound   harness.Code   // with which the case is refused before any reply is read

	acts     []act // of the reply under way
	meta     *metadata
	noList   bool    // the member operations is absent
	instead  *string // in place of the main reply
	effect   deform.Effect
	misses   string // the derived trait that the reply has no place for
	refusals int    // other replies that are rejected
	again    bool   // another reply is accepted
}

// act is one operation with its expected result.
type act struct {
	doc    generators.Value
	result string
}

// updaters holds updaters for the memory that they have. No sample has any of it.
var updaters = sync.Pool{New: func() any { return &updater{} }}

func makeSample(d generators.Draw[trait]) generators.Sample {
	u := updaters.Get().(*updater)
	defer updaters.Put(u)
	u.Reset()
	*u = updater{
		Draw: d, Slab: u.Slab, p: record{steps: u.p.steps[:0]}, drawn: u.drawn[:0], owners: u.owners[:0], ids: u.ids[:0],
		acts: u.acts[:0],
	}
	u.drawKnobs()
	u.style = generators.Pick(&u.Choices, []generators.IdStyle{"step_#", "s#", "write-tests-#"})
	for _, f := range u.Kept() {
		if f.Style != "" {
			u.style = f.Style
		}
	}
	u.drawBase()
	u.drawn = append(u.drawn, u.p.steps...)
	if u.OneIn(2) && !u.Lacks("max_plan_steps") {
		u.limit = len(u.drawn) + ample + u.Below(8)
	}
	s := generators.Sample{Profile: u.Profile, Case: harness.Case{Dialect: "operations"}}
	turns := u.turns()
	for _, t := range turns {
		if t.base != nil {
			u.take(t, func() { t.base(u) })
		}
		if t.spoil != nil {
			u.take(t, func() { u.unsound = t.spoil(u) })
		}
	}
	if u.limit > 0 && u.limits.MaxPlanSteps == nil {
		u.limits.MaxPlanSteps = new(u.limit)
	}
	if u.unsound == "" {
		s.Before = u.p.plan(&u.Slab)
	}
	s.Case.Plan = u.writePlan()
	if !u.noResults {
		s.Case.Results = generators.Object(u.results...).Encode(generators.Style{})
	}
	old := record{name: u.p.name, description: u.p.description}
	s.Case.Replies = u.replyAll(turns)
	for _, t := range turns {
		if t.Name != u.misses {
			s.Traits = append(s.Traits, t.Name)
		}
	}
	s.Case.Limits = u.limits
	s.Want = u.label(s.Case.Replies != nil, u.meta.changes(&old))
	return s
}

// drawKnobs draws the knobs that decide the outcomes of the traits, planted or not.
func (u *updater) drawKnobs() {
	if !u.Free {
		return
	}
	for _, f := range u.Traits {
		if f.Knob == "" {
			continue
		}
		c := u.Stream(f.Name + " " + f.Knob)
		values := knob.Find(harness.Knobs(spec.Own()...), f.Knob).Drawn()
		_ = u.Profile.Set(f.Knob, generators.Pick(&c, values), spec.Own()...) // a value of its own list
	}
}

// ample is the number of steps by which an unrelated limit exceeds
// the plan.
const ample = 16

// turn is a planted trait with its reserved steps and ids.
type turn struct {
	trait
	choices generators.Choices
	slot    int // index of the next operation of the plain edit
	own     []string
	next    int // number of its first new id
}

// turns returns the turns of the planted traits.
func (u *updater) turns() (list []*turn) {
	const most = 10 // new ids of a trait
	first := u.next
	for i, f := range u.Traits {
		t := &turn{trait: f, choices: u.Stream(f.Name), own: u.owners[i].ids, next: first + most*(i+1)}
		t.slot = t.choices.Below(len(u.edits) + 1)
		if u.Keeps(f) {
			list = append(list, t)
		}
	}
	return list
}

// take lets a trait act with its own choices.
func (u *updater) take(t *turn, act func()) {
	choices, next := u.Choices, u.next
	u.Choices, u.next, u.own = t.choices, t.next, t.own
	act()
	t.choices, t.next = u.Choices, u.next
	u.Choices, u.next = choices, next
}

// replyAll writes the replies.
func (u *updater) replyAll(turns []*turn) (list []harness.Reply) {
	if slices.ContainsFunc(turns, func(t *turn) bool { return t.Silent }) {
		return nil
	}
	other := func(t *turn, write func(u *updater) string) {
		if write != nil {
			u.take(t, func() { list = append(list, harness.Reply(write(u))) })
		}
	}
	for _, t := range turns {
		other(t, t.before)
	}
	list = append(list, harness.Reply(u.mainReply(turns)))
	acts := u.acts
	for _, t := range turns {
		other(t, t.behind)
	}
	u.acts = acts
	return list
}

// mainReply makes the plain edit with the traits among it.
func (u *updater) mainReply(turns []*turn) string {
	for slot := range len(u.edits) + 1 {
		for _, t := range turns {
			if t.act != nil && t.slot == slot {
				u.take(t, func() { u.do(t.act(u)) })
			}
		}
		if slot < len(u.edits) && !u.bare {
			u.do(u.plainAct(u.edits[slot]))
		}
	}
	meta := u.drawMetadata()
	for _, t := range turns {
		if t.reply != nil {
			u.take(t, func() { t.reply(u) })
		}
	}
	if u.meta == nil {
		u.meta = &meta
	}
	return u.writeReply(turns, *u.meta)
}

// label returns the verdict, code and place that the traits of the sample declare.
func (u *updater) label(replies, renamed bool) generators.Want {
	switch {
	case u.unsound != "":
		return generators.Refused(u.unsound)
	case !replies:
		return generators.Refused(harness.RepliesExhausted)
	case u.again && u.effect.MaxBytes+u.effect.MaxDepth > 0:
		return generators.Want{Loose: true} // the limit holds for the second reply, too
	case u.again:
		return generators.Want{Verdict: harness.Applied}
	}
	want := u.judged(renamed)
	if u.refusals > 0 && want.Verdict == harness.Rejected {
		want.Codes, want.At = append(want.Codes, harness.NoDocument), nil
	}
	return want
}

// judged is the label of the main reply.
func (u *updater) judged(renamed bool) generators.Want {
	e := &u.effect
	past := e.Past(u.Profile.Reading)
	// A fault within an operation makes that operation fail, and not the reply.
	inner := e.At != nil && strings.HasPrefix(*e.At, "/operations/") &&
		e.Code != harness.InvalidUTF8 && e.Code != harness.DuplicateKey
	wraps := e.Code == harness.BadType && e.At != nil && *e.At == "/operations" && u.Profile.Reading.Coerce
	switch {
	case !past && wraps: // a value that is no list becomes a malformed operation
		return generators.Want{Loose: true}
	case !past && !inner:
		return e.Refused()
	case past && !inner && e.Open:
		return generators.Want{Loose: true}
	}
	var failed []harness.Code
	applied := 0
	for _, a := range u.acts {
		if a.result == spec.Applied {
			applied++
		} else if spec.Failed(a.result) {
			failed = append(failed, harness.Code(a.result))
		}
	}
	if inner {
		failed = append(failed, e.Code)
		applied = 0 // perhaps
	}
	switch {
	case u.Profile.OnError == harness.Abort && failed != nil && inner:
		return generators.Refused(failed...)
	case u.Profile.OnError == harness.Abort && failed != nil:
		return generators.Refused(failed[0])
	case applied > 0 || renamed:
		return generators.Want{Verdict: harness.Applied}
	case inner:
		return generators.Want{Loose: true}
	}
	return generators.Refused(harness.EmptyPatch)
}
