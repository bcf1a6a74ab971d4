// Package generate makes samples of the dialect operations: a plan with
// versions, replies that update it, and the expected outcome.
//
// The plan and the plain edit of one to three operations are ordinary. Each
// trait of a sample has reserved steps of the plan and reserved ids for new
// ones, whether it is planted or not, and a separate stream of choices. So
// traits do not depend on each other. The generator computes the result of each
// operation while it writes it.
package generate

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
)

// maxRecordSteps bounds the plans of the dialect operations, whose edits are
// worked out one by one.
const maxRecordSteps = 60

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[trait]{
		Traits: traits(), Knobs: knobs(), MaxSteps: maxRecordSteps, Profile: drawProfile,
		Make: makeSample,
	}.New(opts)
}

// knobs are the knobs that only this dialect has.
func knobs() []harness.Knob { return []harness.Knob{spec.ReorderDone()} }

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// updater makes one sample. It applies each
// operation to its own plan while it writes it, so the expected outcome
// is known.
// Its many fields are the state of a draft, which every trait changes.
type updater struct {
	generators.Choices
	profile harness.Profile
	max     int
	without []string // capabilities that the engine does not have

	p       record // as it is after the operations so far
	drawn   []task // the steps of the plan before traits and operations changed them
	results []stepResult
	given   []string // trimmed ids of older versions
	gone    []string // those that no step of the plan has
	limit   int      // steps; 0 is none
	style   generators.IdStyle
	next    int      // number of the next new id
	owners  []owner  // the traits, the plain edit, and nobody
	edits   []owner  // the plain edit
	own     []string // steps of the trait under way

	brief     bool             // the plan leaves out default values
	planStyle generators.Style // of writing
	rewrite   []func(v *generators.Value)
	noResults bool             // the case has none
	bare      bool             // the plain edit is left out
	limits    harness.Limits   // other than the limit of steps
	unsound   harness.Code     // with which the case is refused before any reply is read
	replies   []harness.Reply  // written so far
	want      generators.Want  // so far
	more      *harness.Outcome // of want
	kinds     [3]bool          // metadata, structure, content: what applied

	update // the one under way
}

// update is one unfinished reply.
type update struct {
	found     []string // trimmed ids of the plan as the update found it
	acts      []act
	structure bool
	content   bool
	cleared   []string // steps whose results go
	text      replyText
	effect    // of the traits in how it is written
}

// act is one operation with its expected result.
type act struct {
	doc      generators.Value
	kind     string
	id       string // of the step, where that is sure
	result   string
	warnings []string
}

func (a *act) fails() bool {
	return a.result != spec.Applied && a.result != spec.Unchanged
}

// reason is the reason of the operation.
func (a *act) reason() string {
	if r := a.doc.Get("reason"); r != nil && r.Str != nil {
		return *r.Str
	}
	return ""
}

func makeSample(d generators.Draw[trait]) generators.Sample {
	u := &updater{Choices: d.Choices, profile: d.Profile, max: d.Max, without: d.Without}
	u.drawKnobs(d)
	u.style = generators.Pick(&u.Choices, []generators.IdStyle{0, 1, 8})
	for _, f := range d.Kept() {
		if f.style != 0 {
			u.style = f.style
		}
	}
	u.drawBase(d.Traits, d.Steps)
	u.drawn = slices.Clone(u.p.steps)
	if u.OneIn(2) && !u.lacks("max_plan_steps") {
		u.limit = len(u.drawn) + ample + u.Below(8)
	}
	s := generators.Sample{Profile: u.profile, Case: harness.Case{Dialect: "operations"}}
	turns := u.turns(d)
	for _, t := range turns {
		if t.base != nil {
			u.take(t, func() { t.base(u) })
		}
		if t.spoil != nil {
			u.take(t, func() { u.unsound = t.spoil(u) })
		}
		s.Traits = append(s.Traits, t.Name)
	}
	if u.limit > 0 && u.limits.MaxPlanSteps == nil {
		u.limits.MaxPlanSteps = &u.limit
	}
	if u.unsound == "" {
		s.Before = u.p.plan()
	}
	s.Case.Plan = jsontext.Value(u.writePlan())
	if !u.noResults {
		s.Case.Results = jsontext.Value(writeResults(u.results))
	}
	u.want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{harness.RepliesExhausted}}
	u.more = &harness.Outcome{Operations: []harness.OperationResult{}}
	u.replyAll(turns)
	s.Case.Replies, s.Case.Limits = u.replies, u.limits
	s.Want = u.answer()
	return s
}

// drawKnobs draws the knobs that decide the outcomes of the traits, planted or not.
func (u *updater) drawKnobs(d generators.Draw[trait]) {
	for _, f := range d.Traits {
		all := harness.Knobs(knobs()...)
		i := slices.IndexFunc(all, func(k harness.Knob) bool { return k.Name == f.knob })
		if i >= 0 && d.Free {
			c := d.Stream(f.Name + " " + f.knob)
			_ = u.profile.Set(f.knob, generators.Pick(&c, all[i].Values), knobs()...) // a value of its own list
		}
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
func (u *updater) turns(d generators.Draw[trait]) (list []*turn) {
	const most = 10 // new ids of a trait
	first := u.next
	for i, f := range d.Traits {
		t := &turn{trait: f, choices: d.Stream(f.Name), own: u.owners[i].ids, next: first + most*(i+1)}
		t.slot = t.choices.Below(len(u.edits) + 1)
		if d.Keeps(f) {
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

// replyAll writes the replies and applies them.
func (u *updater) replyAll(turns []*turn) {
	if slices.ContainsFunc(turns, func(t *turn) bool { return t.silent }) {
		return
	}
	for _, t := range turns {
		if t.before != nil {
			u.take(t, func() { u.replyOnce(func() metadata { return t.before(u) }) })
		}
	}
	u.replyOnce(func() metadata { return u.mainReply(turns) })
	for _, t := range turns {
		if t.behind != nil {
			u.take(t, func() { u.replyOnce(func() metadata { return t.behind(u) }) })
		}
	}
}

// replyOnce makes one reply.
func (u *updater) replyOnce(write func() metadata) {
	old, results := u.p.clone(), slices.Clone(u.results)
	u.update = update{}
	for _, t := range u.p.steps {
		u.found = append(u.found, trimmed(t.id))
	}
	meta := write()
	u.replies = append(u.replies, harness.Reply(u.writeReply(meta)))
	u.settle(old, results, meta)
}

// mainReply makes the plain edit with the traits among it.
func (u *updater) mainReply(turns []*turn) metadata {
	for slot := range len(u.edits) + 1 {
		for _, t := range turns {
			if t.act != nil && t.slot == slot {
				u.take(t, func() {
					a := t.act(u)
					u.acts = append(u.acts, a)
				})
			}
		}
		if slot < len(u.edits) && !u.bare {
			a := u.plainAct(u.edits[slot])
			u.acts = append(u.acts, a)
		}
	}
	meta := u.drawMetadata()
	for _, t := range turns {
		if t.reply != nil {
			u.take(t, func() {
				e := t.reply(u)
				u.takes |= e.takes
				if e.code != "" {
					u.code = e.code
				}
			})
		}
	}
	if u.text.meta != nil {
		meta = *u.text.meta
	}
	return meta
}

// settle decides whether the reply applies as a whole or not at all.
func (u *updater) settle(old record, results []stepResult, meta metadata) {
	code := u.code
	if generators.Abilities(u.profile.Reading).Past(u.takes) {
		code = ""
	}
	if code == "" {
		u.results = slices.DeleteFunc(slices.Clone(u.results),
			func(r stepResult) bool { return slices.Contains(u.cleared, r.id) })
		code = u.log()
	}
	changed := meta.apply(&u.p)
	if code == "" && !u.structure && !u.content && !changed {
		code = harness.EmptyPatch
	}
	if code != "" {
		u.p, u.results = old, results
		if u.want.Verdict != harness.Applied {
			u.want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{code}}
		}
		return
	}
	u.kinds[0], u.kinds[1], u.kinds[2] = u.kinds[0] || changed, u.kinds[1] || u.structure, u.kinds[2] || u.content
	u.p.history = append(slices.Clone(old.history), old.snapshot(meta.reason, u.acts))
	u.p.version = old.number() + 1
	u.given = append(u.given, u.found...)
	u.want = generators.Want{Verdict: harness.Applied, Tier: u.tier()}
}

// log records the result of each operation, and returns the code by which the
// policy abort rejects the update; "" if it does not.
func (u *updater) log() (code harness.Code) {
	failed := slices.IndexFunc(u.acts, func(a act) bool { return a.fails() })
	if u.profile.OnError != harness.Abort {
		failed = -1
	}
	for i, a := range u.acts {
		r := harness.OperationResult{Type: a.kind, StepID: a.id, Result: a.result, Reason: a.reason(), Warnings: a.warnings}
		switch {
		case failed < 0:
		case i < failed:
			r.Result, r.Warnings = spec.Undone, nil
		case i > failed:
			r.Result, r.StepID, r.Warnings = spec.NotRun, "", nil
		}
		u.more.Operations = append(u.more.Operations, r)
	}
	if failed < 0 {
		return ""
	}
	return harness.Code(u.acts[failed].result)
}

// answer returns the expected outcome of the case.
func (u *updater) answer() generators.Want {
	if u.unsound != "" {
		return generators.Want{
			Verdict: harness.Rejected, Codes: []harness.Code{u.unsound},
			More: &harness.Outcome{UpdateType: "none", Operations: []harness.OperationResult{}},
		}
	}
	w := u.want
	if w.Verdict == harness.Applied {
		w.Plan = u.p.plan()
	}
	w.More = u.more
	w.More.Results = jsontext.Value(writeResults(u.results))
	w.More.UpdateType = u.updateType()
	return w
}

func (u *updater) updateType() string {
	names := []string{"metadata", "structure", "content"}
	name, n := "none", 0
	for i, is := range u.kinds {
		if is {
			name, n = names[i], n+1
		}
	}
	if n > 1 {
		return "mixed"
	}
	return name
}

// drawProfile draws the rules of a case: a named set, or the default with
// some of the knobs changed that the dialect has.
func drawProfile(c *generators.Choices) harness.Profile {
	switch r := c.Below(8); {
	case r < 3:
		return harness.Reference()
	case r < 6:
		p, _ := harness.Named(generators.Pick(c, harness.Profiles()).Name)
		return p
	}
	p := harness.Reference()
	for _, k := range harness.Knobs(knobs()...) {
		if (slices.Contains(spec.Knobs(), k.Name) || k.Name == spec.ReorderDone().Name) && c.OneIn(3) {
			_ = p.Set(k.Name, generators.Pick(c, k.Values), knobs()...) // a value of its own list
		}
	}
	return p
}
