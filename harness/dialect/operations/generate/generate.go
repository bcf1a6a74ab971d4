// Package generate makes samples of the dialect operations: a plan with
// versions, replies that update it, and what must come of them. It works each
// operation out as it writes it down.
package generate

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/plan"
)

// maxRecordSteps bounds the plans of the dialect operations, whose edits are
// worked out one by one.
const maxRecordSteps = 60

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[updateFault]{Traits: faults(), MaxSteps: maxRecordSteps, Profile: drawProfile, Make: makeSample}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(faults()) }

// updater is a sample of the dialect operations in the making. It works each
// operation out on a plan of its own as it writes it down, so that what must
// come of it is known.
type updater struct {
	generators.Choices
	profile harness.Profile
	max     int

	p       record // as it is after the operations so far
	results []stepResult
	given   []string // trimmed ids of older versions
	limit   int      // steps; 0 is none
	style   generators.IdStyle
	next    int // number of the next new id

	planText string           // in place of the plan; "" is the plan
	limits   harness.Limits   // beside that of steps
	unsound  harness.Code     // with which the case is refused before any reply is read
	faults   []string         // planted
	replies  []harness.Reply  // written so far
	want     generators.Want  // so far
	more     *harness.Outcome // of want
	kinds    [3]bool          // metadata, structure, content: what applied

	update // the one under way
}

// update is one reply in the making.
type update struct {
	found     []string // trimmed ids of the plan as the update found it
	acts      []act
	structure bool
	content   bool
	cleared   []string // steps whose results go
	text      replyText
	effect    // of the fault in how it is written
}

// act is one operation with what must come of it.
type act struct {
	doc      generators.Value
	kind     string
	id       string // of the step, where that is sure
	result   string
	warnings []string
}

func makeSample(d generators.Draw[updateFault]) generators.Sample {
	u := &updater{Choices: d.Choices, profile: d.Profile, max: d.Max}
	u.drawRecord()
	u.chooseRecordLimit()
	u.prepare(d.Kept())
	before := u.p.plan()
	s := generators.Sample{Profile: u.profile, Case: harness.Case{Dialect: "operations"}}
	s.Case.Plan, s.Case.Results = jsontext.Value(u.writePlan()), jsontext.Value(writeResults(u.results))
	u.want = generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{harness.RepliesExhausted}}
	u.more = &harness.Outcome{Operations: []harness.OperationResult{}}
	u.replyAll(d.Kept())
	s.Case.Replies, s.Case.Limits, s.Traits = u.replies, u.limits, u.faults
	if u.unsound == "" {
		s.Before = before
	}
	s.Want = u.answer()
	return s
}

// prepare lets the faults change the case before its plan is written.
func (u *updater) prepare(faults []updateFault) {
	for _, f := range faults {
		if f.prepare != nil {
			f.prepare(u)
		}
		if f.spoil != nil {
			u.unsound = f.spoil(u)
		}
		if f.spoil != nil || f.silent {
			u.faults = append(u.faults, f.Name)
		}
	}
	if u.limit > 0 && u.limits.MaxPlanSteps == nil {
		u.limits.MaxPlanSteps = &u.limit
	}
}

// replyAll draws the updates, with the faults among them, and applies them.
func (u *updater) replyAll(faults []updateFault) {
	n := 1
	if u.OneIn(5) {
		n = 2 + u.Below(2)
	}
	if slices.ContainsFunc(faults, func(f updateFault) bool { return f.silent }) {
		return
	}
	home := make([]int, len(faults))
	for i := range faults {
		home[i] = u.Below(n)
	}
	for r := range n {
		var mine []updateFault
		for i, f := range faults {
			if home[i] == r {
				mine = append(mine, f)
			}
		}
		u.replyOnce(mine)
	}
}

// replyOnce makes one reply.
func (u *updater) replyOnce(faults []updateFault) {
	old, results := u.p.clone(), slices.Clone(u.results)
	u.update = update{}
	for _, t := range u.p.steps {
		u.found = append(u.found, trimmed(t.id))
	}
	u.actAll(faults)
	meta := u.drawMetadata()
	if len(u.acts) == 0 {
		name := "revised: " + u.p.name // nothing can be done to the steps
		meta.name = &name
	}
	u.dressReply()
	for _, f := range faults {
		if f.reply == nil {
			continue
		}
		if e, ok := f.reply(u); ok {
			u.effect, u.faults = e, append(u.faults, f.Name)
		}
	}
	if u.text.meta != nil {
		meta = *u.text.meta
	}
	if u.text.noOperations {
		u.acts, u.structure, u.content, u.cleared = nil, false, false, nil
		u.p = old.clone()
	}
	u.replies = append(u.replies, harness.Reply(u.writeReply(meta)))
	u.settle(old, results, meta)
}

// actAll draws the operations of one reply.
func (u *updater) actAll(faults []updateFault) {
	valid := 1 + u.Below(4)
	if len(faults) > 0 {
		valid = u.Below(4)
	}
	var todo []func(*updater) (act, bool)
	for range valid {
		todo = append(todo, drawAct)
	}
	for _, f := range faults {
		if f.act == nil {
			continue
		}
		planted := func(u *updater) (act, bool) {
			a, ok := f.act(u)
			if ok {
				u.faults = append(u.faults, f.Name)
			}
			return a, ok
		}
		todo = slices.Insert(todo, u.Below(len(todo)+1), planted)
	}
	for _, do := range todo {
		if a, ok := do(u); ok {
			u.acts = append(u.acts, a)
		}
	}
}

// settle works out what became of the reply: all of it, or nothing.
func (u *updater) settle(old record, results []stepResult, meta metadata) {
	code := u.effect.code
	if generators.Abilities(u.profile.Reading).Past(u.takes) {
		code = ""
	}
	if code == "" {
		u.results = slices.DeleteFunc(slices.Clone(u.results), func(r stepResult) bool { return slices.Contains(u.cleared, r.id) })
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
	u.p.history = append(slices.Clone(old.history), old.snapshot(meta.reason))
	u.p.version = old.number() + 1
	u.given = append(u.given, u.found...)
	u.want = generators.Want{Verdict: harness.Applied, Tier: u.tier()}
}

// log notes what became of each operation, and returns the code by which the
// policy abort refuses the update; "" if it does not.
func (u *updater) log() (code harness.Code) {
	failed := slices.IndexFunc(u.acts, func(a act) bool { return a.fails() })
	if u.profile.OnError != harness.Abort {
		failed = -1
	}
	for i, a := range u.acts {
		r := harness.OperationResult{Type: a.kind, StepID: a.id, Result: a.result, Warnings: a.warnings}
		switch {
		case failed < 0:
		case i < failed:
			r.Result, r.Warnings = words.Undone, nil
		case i > failed:
			r.Result, r.StepID, r.Warnings = words.NotRun, "", nil
		}
		u.more.Operations = append(u.more.Operations, r)
	}
	if failed < 0 {
		return ""
	}
	return harness.Code(u.acts[failed].result)
}

func (a *act) fails() bool {
	return a.result != words.Applied && a.result != words.Unchanged
}

// answer is what must come of the whole case.
func (u *updater) answer() generators.Want {
	if u.unsound != "" {
		return generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{u.unsound}, More: &harness.Outcome{UpdateType: "none", Operations: []harness.OperationResult{}}}
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
	for _, k := range harness.Knobs() {
		if slices.Contains(words.Knobs(), k.Name) && c.OneIn(3) {
			_ = p.Set(k.Name, generators.Pick(c, k.Values)) // a value of its own list
		}
	}
	return p
}

// pickTask returns a step that the test allows, or -1.
func (u *updater) pickTask(allow func(t *task) bool) int {
	n := len(u.p.steps)
	from := u.Below(n)
	for k := range n {
		if i := (from + k) % n; allow(&u.p.steps[i]) {
			return i
		}
	}
	return -1
}

func isOpen(t *task) bool     { return t.status != plan.Completed }
func isFinished(t *task) bool { return t.status == plan.Completed }
