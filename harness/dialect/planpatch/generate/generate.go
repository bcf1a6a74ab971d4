// Package generate makes samples of the dialect planpatch: a plan, a reply that
// edits it, and the verdict that the rules must give.
//
// Plan and edit are plain; whatever is unusual about a sample is a trait. Each
// trait takes places of its own (steps of the plan, ids) and changes plan, edit or
// text. It declares the codes of replies that have it. A trait that is left out of a sample
// keeps its places, so that nothing else of the sample moves.
package generate

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// New returns a maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	return generators.Recipe[patchTrait]{
		Traits: traits(), MaxSteps: generators.MaxPlanSteps, Profile: generators.DrawProfile, Knobs: spec.Knobs(),
		Make: func(drawn generators.Draw[patchTrait]) generators.Sample {
			d := drafts.Get().(*draft)
			defer drafts.Put(d)
			d.begin(drawn)
			return d.sample()
		},
	}.New(opts)
}

// drafts holds drafts for the memory that they have. No sample has any of it.
var drafts = sync.Pool{New: func() any { return &draft{} }}

// begin begins another draft in the memory of the last one.
func (d *draft) begin(drawn generators.Draw[patchTrait]) {
	d.Reset()
	*d = draft{
		profile: drawn.Profile, drawn: drawn, Slab: d.Slab, planted: d.planted[:0], marks: d.marks,
		edit: edit{removes: d.removes[:0], updates: d.updates[:0], adds: d.adds[:0]},
	}
	d.Choices, d.Max = drawn.Choices, drawn.Max
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// sample makes a sample: plan, edit, traits, text, label.
func (d *draft) sample() generators.Sample {
	done, open := 0, 0
	for _, t := range d.drawn.Traits {
		done += t.Done
		open += t.Open
		if d.drawn.Free {
			d.suit(t)
		}
	}
	d.full, d.owed = d.fullPlan(), open
	d.PlainPlan(done, open, d.drawn.Steps)
	d.form.Toolless = d.drawn.Lacks("tools_expected")
	for i := range d.P.Steps {
		s := &d.P.Steps[i]
		switch {
		case d.drawn.Lacks("dependencies"):
			s.Dependencies = nil
		case d.drawn.Lacks("dependency order"):
			s.Dependencies = s.Dependencies[:min(1, len(s.Dependencies))]
		}
		if d.form.Toolless {
			s.ToolsExpected = nil
		}
	}
	d.base = len(d.P.Steps)
	d.marks = slices.Grow(d.marks[:0], 3*d.base)[:3*d.base]
	clear(d.marks)
	d.used, d.gone, d.needed = d.marks[:d.base:d.base], d.marks[d.base:2*d.base:2*d.base], d.marks[2*d.base:]
	d.why = d.phrase("")
	d.plant(onPlan)
	for range len(d.P.Steps) - d.base { // steps of traits are out of reach
		d.used, d.gone, d.needed = append(d.used, true), append(d.gone, false), append(d.needed, false)
	}
	d.plant(onShape)
	if d.full {
		d.fullEdit()
	}
	d.plant(onEdit)
	if !d.full {
		d.patchEdit()
	}
	return d.finish(d.limit())
}

// suit changes the drawn rules so that a trait can show.
func (d *draft) suit(t patchTrait) {
	if t.Kind == inFullPlan && !takesFull(d.profile.Ladder) {
		d.profile.Ladder = harness.Reference().Ladder
	}
	switch t.Rules {
	case noRung:
		d.profile.Ladder = generators.Pick(&d.Choices, shortLadders[:])
	case restoring: // by_id breaks invariants, and in the default mix no correct outcome does
		d.profile.CarryOver = harness.Restore
	case orphanRules:
		d.profile.Orphans = generators.Pick(&d.Choices, orphanPolicies[:])
	}
}

var (
	orphanPolicies = [...]string{harness.Reject, harness.Detach, harness.Bridge}
	shortLadders   = [...][]harness.Rung{ // without a rung for full plans
		{harness.RungPatch, harness.RungRetry, harness.RungReact}, {harness.RungPatch, harness.RungRetry}, {harness.RungPatch},
	}
)

// fullPlan decides whether the reply is a full plan: traits may require it, and one plain case in five has it.
func (d *draft) fullPlan() bool {
	for _, t := range d.drawn.Traits {
		if t.Kind != inAny || t.Claims&aWhole != 0 {
			return t.Kind == inFullPlan
		}
	}
	whole := d.OneIn(5)
	return !takesPatch(d.profile.Ladder) || whole && takesFull(d.profile.Ladder) && !d.drawn.Lacks("full plan")
}

// plant plants the traits of a stage, each with its own choices. A trait that is left out keeps its places.
func (d *draft) plant(at stage) {
	ours := d.Choices
	for _, t := range d.drawn.Traits {
		fits := t.Kind == inAny || (t.Kind == inFullPlan) == d.full
		if !fits || t.Stage != at || t.plant == nil {
			continue
		}
		d.Choices = d.drawn.Stream(t.Name)
		if d.drawn.Keeps(t) {
			if t.plant(d) && t.derived == nil {
				d.planted = append(d.planted, t.Name)
			}
			continue
		}
		style, before, p := d.Style, d.edit, *d.P
		before.removes, before.updates = slices.Clone(before.removes), slices.Clone(before.updates)
		before.adds, p.Steps = slices.Clone(before.adds), slices.Clone(p.Steps)
		t.plant(d)
		d.Style, d.edit, *d.P = style, before, p
	}
	d.Choices = ours
}

// limit returns the limit of steps: what a trait wants, or else none (0) or an ample one.
func (d *draft) limit() int {
	ample := d.OneIn(2)
	if d.limiting != nil {
		kept := collect.Count(d.P.Steps, func(s plan.Step) bool {
			return !d.full && !slices.ContainsFunc(d.removes, func(r item) bool {
				return r.IsText && strings.TrimSpace(r.Str) == strings.TrimSpace(s.ID)
			})
		})
		limit := d.limiting(kept, len(d.adds))
		if d.unsound == harness.BadLimit {
			return limit
		}
		return max(1, limit)
	}
	if !ample || d.drawn.Lacks("max_plan_steps") {
		return 0
	}
	return len(d.P.Steps) + len(d.adds) + 10
}

// finish writes the documents, applies the derived trait, and labels the sample.
func (d *draft) finish(limit int) generators.Sample {
	if limit != 0 || d.limiting != nil {
		d.limits.MaxPlanSteps = new(limit)
	}
	s := generators.Sample{Before: d.P}
	s.Case.Dialect, s.Case.Plan = "planpatch", d.planText()
	s.Case.Replies = d.before
	if !d.silent {
		s.Case.Replies = append(s.Case.Replies, harness.Reply(d.reply()))
	}
	s.Case.Replies = append(s.Case.Replies, d.after...)
	if d.written != nil || d.planJSON != "" {
		s.Before = nil
	}
	s.Traits = slices.Grow(s.Traits, len(d.planted))
	for _, t := range d.drawn.Traits { // in the order of the table
		if slices.Contains(d.planted, t.Name) {
			s.Traits = append(s.Traits, t.Name)
		}
	}
	s.Case.Limits, s.Profile, s.Want = d.limits, d.profile, d.label()
	return s
}

// reply writes the reply, and applies the derived trait.
func (d *draft) reply() string {
	root := d.document()
	for _, t := range d.drawn.Traits {
		if t.derived == nil || !d.drawn.Keeps(t) {
			continue
		}
		choices := d.drawn.Stream(t.Name + " text") // planting has used the stream of its name
		e, ok := t.derived.Apply(&choices, deform.Reply{
			Root: root, Document: *spec.Reply(d.full, d.profile.ExtraFields), DuplicateKeys: d.profile.DuplicateKeys, Lacks: d.drawn.Without,
		})
		if ok {
			d.effect, d.planted = e, append(d.planted, t.Name)
			e.Limit(&d.limits)
			return e.Text
		}
	}
	return deform.Write(root)
}

// planText writes the plan of the case.
func (d *draft) planText() []byte {
	if d.planJSON != "" {
		return []byte(d.planJSON)
	}
	return d.form.Encode(cmp.Or(d.written, d.P), generators.Style{Gap: " "})
}

// takesFull reports whether a rung reads a full plan as the first reply, takesPatch whether one reads a patch.
func takesFull(l []harness.Rung) bool {
	_, full, _ := rungs(l)
	return full && l[0] != harness.RungReact
}

func takesPatch(l []harness.Rung) bool { return len(l) > 0 && l[0] != harness.RungFullPlan }

// rungs counts the rungs that read patches, and reports whether one reads full plans and whether react is the last.
func rungs(l []harness.Rung) (patches int, full, react bool) {
	for _, r := range l {
		switch r {
		case harness.RungFullPlan:
			full = true
		case harness.RungReact:
			return patches, full, true
		default:
			patches++
		}
	}
	return patches, full, false
}

// label returns the verdict, code and place that the traits of the sample declare.
func (d *draft) label() generators.Want {
	if d.unsound != "" {
		return generators.Refused(d.unsound)
	}
	patches, full, react := rungs(d.profile.Ladder)
	own, n := d.own(), len(d.before)
	reads := n < patches
	if d.full {
		reads = full && n <= patches
	}
	accepted := own.Verdict == harness.Applied && reads && !d.silent
	switch {
	case own.Loose || accepted:
		return own
	case len(d.after) > 0 && !d.silent:
		return generators.Want{Loose: true} // the other reply may be accepted
	case react:
		return generators.Want{Verdict: harness.Applied, Rung: harness.RungReact}
	case n == 0 && d.silent:
		return generators.Refused(harness.RepliesExhausted)
	case n > 0 && (patches > 1 || full && patches > 0):
		return generators.Refused(harness.ReplanFailed)
	case n > 0:
		return generators.Want{Loose: true} // the code of the first reply
	case !reads:
		return generators.Refused(append(own.Codes, harness.WrongDocument)...)
	}
	return own
}

// own is the label of the draft's reply.
func (d *draft) own() generators.Want {
	e := &d.effect
	if !e.Past(d.profile.Reading) {
		want := e.Refused()
		if d.full && !e.Around && d.mistaken() { // for a patch
			want.At, want.Codes = nil, append(want.Codes, harness.WrongDocument, harness.ExtraField)
		}
		return want
	}
	if e.Code != "" && e.Open {
		return generators.Want{Loose: true}
	}
	var codes []harness.Code
	for _, t := range d.drawn.Traits {
		if !d.ownTrait(t) {
			continue
		}
		if t.Varies && collect.Count(d.drawn.Traits, d.ownTrait) > 1 {
			return generators.Want{Loose: true}
		}
		for _, r := range t.Refuses {
			switch setting, code, _ := strings.Cut(r, ":"); {
			case !d.profile.Holds(setting):
			case code == "":
				return generators.Want{Loose: true}
			default:
				codes = append(codes, harness.Code(code))
			}
		}
	}
	if !d.full && len(d.removes)+len(d.updates)+len(d.adds) == 0 && d.newTitle == "" && codes == nil {
		codes = []harness.Code{harness.EmptyPatch} // the engine can do nothing that the edit could be
	}
	switch {
	case codes != nil:
		return generators.Refused(codes...)
	case !d.full && d.newTitle == "" && d.drawn.Lacks("add"):
		return generators.Want{Loose: true} // what the engine can do may change nothing
	}
	return generators.Want{Verdict: harness.Applied}
}

// ownTrait reports whether a trait is planted and changes the draft itself, not its text.
func (d *draft) ownTrait(t patchTrait) bool {
	return t.derived == nil && slices.Contains(d.planted, t.Name)
}

// mistaken reports whether the changed document of a full plan does not look like one.
func (d *draft) mistaken() bool {
	if d.profile.Ladder[0] == harness.RungFullPlan {
		return false
	}
	kind := d.effect.Root.Get("type")
	return d.effect.Root.Get("steps") == nil || kind != nil && (!kind.IsText || kind.Str != "FullPlan") &&
		kind.Json != "null"
}
