package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
)

// sample makes a sample: plan, edit, faults, text, answer.
func (d *draft) sample(drawn generators.Draw[patchFault]) generators.Sample {
	faults := drawn.Kept()
	d.profile = drawn.Profile
	var w generators.Wants
	for _, f := range faults {
		w |= f.needs
	}
	if drawn.Free {
		d.suit(w)
	}
	d.full = d.fullPlan(faults)
	d.Plan(w & generators.OfPlan)
	n := len(d.P.Steps)
	d.used, d.removed, d.needed = bools(d.used, n), bools(d.removed, n), bools(d.needed, n)
	d.dress()

	d.plantAll(faults, onShape)
	if d.full {
		d.fullEdit()
	} else {
		d.edit(d.bare)
	}
	d.plantAll(faults, onEdit)
	d.plantAll(faults, onTail)
	d.chooseLimit()
	d.plantAll(faults, onLimits)
	return d.finish()
}

// suit changes the drawn rules so that the faults show what they are about.
func (d *draft) suit(w generators.Wants) {
	if w&generators.WantNoRung != 0 {
		d.profile.Ladder = slices.Clone(generators.Pick(&d.Choices, shortLadders[:]))
	}
	if w&generators.WantRestore != 0 {
		// Who asks for by_id gets it, and sees what it breaks. The default mix
		// has no case in which even the right answer breaks an invariant.
		d.profile.CarryOver = harness.Restore
	}
	if w&generators.WantOrphanRules != 0 {
		d.profile.Orphans = generators.Pick(&d.Choices, orphanRules[:])
	}
}

// orphanRules are the policies for edges to steps that go.
var orphanRules = [...]string{harness.Reject, harness.Detach, harness.Bridge}

func bools(b []bool, n int) []bool {
	b = slices.Grow(b, n)[:n]
	clear(b)
	return b
}

// fullPlan decides whether the reply is a full plan.
func (d *draft) fullPlan(faults []patchFault) bool {
	can := d.hasRung()
	for _, f := range faults {
		if f.kind != inAny {
			return f.kind == inFullPlan && (can || f.needs&generators.WantNoRung != 0)
		}
	}
	return d.OneIn(8) && can
}

// shortLadders have no rung for full plans.
var shortLadders = [...][]harness.Rung{
	{harness.RungPatch, harness.RungRetry, harness.RungReact}, {harness.RungPatch, harness.RungRetry}, {harness.RungPatch},
}

// hasRung reports whether a full plan that answers a request for a patch finds
// a rung of the ladder.
func (d *draft) hasRung() bool {
	l := d.profile.Ladder
	return len(l) > 0 && l[0] != harness.RungFullPlan && fullPlanBehind(l, 0) > 0
}

func (d *draft) plantAll(faults []patchFault, at stage) {
	for _, f := range faults {
		fits := f.kind == inAny || (f.kind == inFullPlan) == d.full
		if !fits || f.stage != at {
			continue
		}
		if e := f.plant(d); e.at != nowhere {
			d.faults, d.effects = append(d.faults, f.Name), append(d.effects, e)
		}
	}
}

// dress draws how the document is written.
func (d *draft) dress() {
	switch d.Below(8) {
	case 0, 1, 2, 3:
	case 4, 5:
		d.noise.style.Gap = " "
	case 6:
		d.noise.style = generators.Style{Indent: 2, Gap: " ", Newline: "\n"}
	default:
		d.noise.style = generators.Style{Indent: 4, Gap: " ", Newline: "\n"}
	}
	doc := &d.doc
	if d.Below(4) < 3 {
		doc.typ = `"PlanPatch"`
		if d.full {
			doc.typ = `"FullPlan"`
		}
	}
	doc.brief, doc.emptyLists = d.OneIn(2), d.OneIn(4)
	if d.OneIn(4) {
		doc.rotate = d.Below(7)
	}
	if !d.full && d.OneIn(3) {
		doc.reason = string(generators.AppendText(nil, d.phrase("")))
	}
}

// chooseLimit draws a limit of steps that the edit keeps: it is none, just
// enough, or more; an edit that adds nothing may stay above it.
func (d *draft) chooseLimit() {
	d.limit = 0
	if d.OneIn(2) {
		return
	}
	need := 1
	if d.full {
		need = d.fullSize()
	} else if kept, wanted := d.count(); wanted > 0 {
		need = kept + wanted
	}
	d.limit = max(1, need) + d.Below(4)
}

// count returns how many old steps stay and how many new ones are asked for.
func (d *draft) count() (kept, wanted int) {
	for _, r := range d.removed {
		if !r {
			kept++
		}
	}
	for i := range d.doc.adds {
		if !d.doc.adds[i].ghost {
			wanted++
		}
	}
	return kept, wanted
}

// finish writes everything down and says what must come of it.
func (d *draft) finish() generators.Sample {
	if d.limit != 0 {
		limit := d.limit
		d.limits.MaxPlanSteps = &limit
	}
	d.writeTitle()
	s := generators.Sample{Profile: d.profile, Before: d.P, Traits: d.faults}
	s.Case.Dialect = "planpatch"
	s.Case.Plan = d.planText()
	var own []reply
	if !d.ladder.alone {
		own = []reply{d.reply()}
	}
	replies := slices.Concat(d.ladder.before, own, d.ladder.after)
	for _, r := range replies {
		s.Case.Replies = append(s.Case.Replies, harness.Reply(r.text))
	}
	s.Case.Limits = d.limits
	if codes := d.met(inLimits, inPlan); codes != nil {
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: codes}
	} else {
		s.Want = climb(d.profile.Ladder, replies)
	}
	if d.met(inPlan, inPlan) != nil {
		s.Before = nil
	}
	return s
}

// planText writes the plan of the case.
func (d *draft) planText() []byte {
	if d.planJSON != "" {
		return []byte(d.planJSON)
	}
	p := d.P
	if d.written != nil {
		p = d.written
	}
	w := generators.Writer{B: d.buf[:0]}
	if d.OneIn(16) {
		w.Style = generators.Style{Indent: 2, Gap: " ", Newline: "\n"}
	}
	generators.WritePlan(&w, p, d.OneIn(4), d.OneIn(4))
	d.buf = w.B
	return slices.Clone(w.B)
}

// writeTitle writes the new title, sometimes with white space round it.
func (d *draft) writeTitle() {
	t := d.doc.newTitle
	if t == "" && d.full {
		t = d.P.Title
	}
	if t == "" || d.doc.title != "" {
		return
	}
	if d.OneIn(8) {
		t = generators.Pick(&d.Choices, spaces[:]) + t + generators.Pick(&d.Choices, spaces[:])
	}
	d.doc.title = string(generators.AppendText(nil, t))
}

// spaces are white space by Unicode.
var spaces = [...]string{" ", "\t", "\n", "\u00a0", "\u3000", "\u2028"}

// reply writes the reply and says what comes of it.
func (d *draft) reply() reply {
	if d.bare && !d.full && d.doc.typ == "" && d.met(replyText, replyText) != nil {
		d.doc.typ = `"PlanPatch"` // {} in prose is no document, and there is nothing in it to repair or to break
	}
	r := reply{text: d.text()}
	d.measure(r.text)
	if d.full {
		d.fullReply(&r)
		return r
	}
	r.patch, r.full = d.label(d.patched), refused(d.patchAsFull()...)
	return r
}

// patchAsFull returns the codes of the draft's patch read as a full plan. It
// is none, but a patch that does not say that it is one may fail for want of
// a title, or not be looked at.
func (d *draft) patchAsFull() []harness.Code {
	if r := d.seek(); r.code != "" {
		return []harness.Code{r.code}
	}
	if d.noise.wrap == generators.WrapNone && !d.noise.outside() && d.noise.cut == cutNone {
		if codes := d.met(inEscapes, inNames); codes != nil {
			return codes
		}
		if d.doc.typ == `"PlanPatch"` {
			return []harness.Code{harness.WrongDocument}
		}
	}
	return []harness.Code{
		harness.WrongDocument, harness.MissingField, harness.NoDocument, harness.BadType,
		harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey,
	}
}

// fullReply says what comes of a reply that is a full plan, or would be one if
// it could be read.
func (d *draft) fullReply(r *reply) {
	r.full = d.label(d.replaced)
	r.patch = r.full
	if s := d.seek(); s.code != "" || s.open {
		return
	}
	r.isFull = d.met(inDepth, inDepth) == nil && (d.noise.wrap == generators.WrapNone || d.profile.Reading.Coerce)
	if d.wrapper() && !d.profile.Reading.Coerce {
		r.patch = refused(harness.ExtraField)
	}
}
