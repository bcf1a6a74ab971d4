package generate

import (
	"cmp"
	"slices"

	"replanbench/generators"
	"replanbench/harness"
)

// sample makes a sample: plan, edit, traits, text, expected outcome.
func (d *draft) sample(drawn generators.Draw[patchTrait]) generators.Sample {
	d.profile, d.without, d.small = drawn.Profile, drawn.Without, drawn.Steps > 0
	var all rules
	done, open := 0, 0
	for _, f := range drawn.Traits {
		all |= f.rules
		done += f.done
		open += f.open
	}
	if drawn.Free {
		d.suit(all)
	}
	d.full, d.owed = d.fullPlan(drawn.Traits), open
	d.growPlan(done, open, drawn.Steps)
	d.dress()

	d.plantAll(drawn, onPlan)
	d.fence()
	d.plantAll(drawn, onShape)
	if d.full {
		d.fullEdit()
	}
	d.plantAll(drawn, onEdit)
	if !d.full {
		d.edit()
	}
	d.chooseLimit()
	return d.finish()
}

// suit changes the drawn rules so that the traits can show.
func (d *draft) suit(r rules) {
	switch {
	case r&noRung != 0:
		d.profile.Ladder = slices.Clone(generators.Pick(&d.Choices, shortLadders[:]))
	case r&fullRung != 0 && !takesFull(d.profile.Ladder):
		d.profile.Ladder = harness.Reference().Ladder
	}
	if r&restoring != 0 {
		// An option can select by_id, which breaks invariants. The default mix
		// has no case whose correct outcome breaks an invariant.
		d.profile.CarryOver = harness.Restore
	}
	if r&orphanRules != 0 {
		d.profile.Orphans = generators.Pick(&d.Choices, orphanPolicies[:])
	}
}

// orphanPolicies are those for edges to steps that go.
var orphanPolicies = [...]string{harness.Reject, harness.Detach, harness.Bridge}

// shortLadders have no rung for full plans.
var shortLadders = [...][]harness.Rung{
	{harness.RungPatch, harness.RungRetry, harness.RungReact}, {harness.RungPatch, harness.RungRetry}, {harness.RungPatch},
}

// takesFull reports whether a full plan that answers the first request finds a
// rung of the ladder, and takesPatch whether a patch does.
func takesFull(l []harness.Rung) bool {
	return len(l) > 0 && (l[0] == harness.RungFullPlan || l[0] != harness.RungReact && fullPlanBehind(l, 0) > 0)
}

func takesPatch(l []harness.Rung) bool {
	return len(l) > 0 && l[0] != harness.RungFullPlan
}

// fullPlan decides whether the reply is a full plan. Traits may require one kind
// of document; one plain case in five has a full plan.
func (d *draft) fullPlan(all []patchTrait) bool {
	for _, f := range all {
		if f.kind != inAny || f.claims&aWhole != 0 {
			return f.kind == inFullPlan
		}
	}
	whole := d.OneIn(5)
	return !takesPatch(d.profile.Ladder) || whole && takesFull(d.profile.Ladder) && !d.lacks("full plan")
}

// growPlan grows a plain plan.
func (d *draft) growPlan(done, open, steps int) {
	d.PlainPlan(done, open, steps)
	if d.lacks("tools_expected") {
		for i := range d.P.Steps {
			d.P.Steps[i].ToolsExpected = nil
		}
		d.form.Toolless = true
	}
	d.base = len(d.P.Steps)
	d.used, d.gone, d.needed, d.removed = bools(d.used, d.base), bools(d.gone, d.base), bools(d.needed, d.base),
		bools(d.removed, d.base)
}

// fence puts the steps that traits set behind the plan out of reach.
func (d *draft) fence() {
	for range len(d.P.Steps) - d.base {
		d.used, d.gone, d.needed, d.removed = append(d.used, true), append(d.gone, false), append(d.needed, false),
			append(d.removed, false)
	}
}

func bools(b []bool, n int) []bool {
	b = slices.Grow(b[:0], n)[:n]
	clear(b)
	return b
}

// plantAll plants the traits of a stage. Each decides from a stream of its own;
// of one that is left out, and of one that finds no place, nothing stays but what
// it took.
func (d *draft) plantAll(drawn generators.Draw[patchTrait], at stage) {
	ours := d.Choices
	for _, f := range drawn.Traits {
		fits := f.kind == inAny || (f.kind == inFullPlan) == d.full
		if !fits || f.stage != at {
			continue
		}
		d.Choices = drawn.Stream(f.Name)
		if drawn.Keeps(f) {
			if e := f.plant(d); e.at != nowhere {
				d.faults, d.effects = append(d.faults, f.Name), append(d.effects, e)
			}
			continue
		}
		style, full, before, p := d.Style, d.full, d.clone(), *d.P
		p.Steps = slices.Clone(p.Steps)
		f.plant(d)
		d.Style, d.full, d.content, *d.P = style, full, before, p
	}
	d.Choices = ours
}

// dress writes the document plainly, with every member.
func (d *draft) dress() {
	d.noise.style.Gap = " "
	doc := &d.doc
	if d.full {
		doc.typ = `"FullPlan"`
		return
	}
	doc.typ, doc.reason = `"PlanPatch"`, generators.Quoted(d.phrase(""))
}

// chooseLimit sets the limit of steps as a trait wants it, or else none or an ample
// one.
func (d *draft) chooseLimit() {
	ample := d.OneIn(2)
	kept, wanted := d.count()
	if d.full {
		kept, wanted = 0, len(d.carriedOver())
	}
	switch {
	case d.limiting != nil:
		if d.limit = d.limiting(kept, wanted); d.limits == (harness.Limits{}) {
			d.limit = max(1, d.limit)
		}
	case ample && !d.lacks("max_plan_steps"):
		d.limit = len(d.P.Steps) + len(d.doc.adds) + 10
	}
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

// finish writes the documents and returns the sample with its expected outcome.
func (d *draft) finish() generators.Sample {
	if d.limit != 0 {
		limit := d.limit
		d.limits.MaxPlanSteps = &limit
	}
	for _, list := range d.doc.lists() {
		slices.SortStableFunc(list, func(a, b item) int { return a.key - b.key })
	}
	d.writeTitle()
	s := generators.Sample{Profile: d.profile, Before: d.P, Traits: d.names()}
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

// names lists the planted traits in the order of the table.
func (d *draft) names() []string {
	if len(d.faults) < 2 {
		return d.faults
	}
	all := traits()
	place := func(name string) int { return slices.IndexFunc(all, func(f patchTrait) bool { return f.Name == name }) }
	slices.SortFunc(d.faults, func(a, b string) int { return place(a) - place(b) })
	return d.faults
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
	w := generators.Writer{B: d.buf[:0], Style: generators.Style{Gap: " "}}
	generators.WritePlanAs(&w, p, d.form)
	d.buf = w.B
	return slices.Clone(w.B)
}

// writeTitle writes the title: the new one, or the one that the plan has.
func (d *draft) writeTitle() {
	t := cmp.Or(d.doc.newTitle, d.P.Title)
	if d.doc.title == "" && (d.full || !d.lacks("title")) {
		d.doc.title = generators.Quoted(t)
	}
}

// spaces are white space by Unicode.
var spaces = [...]string{" ", "\t", "\n", "\u00a0", "\u3000", "\u2028"}

// reply writes the reply and returns its expected outcome.
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

// fullReply returns the expected outcome of a full plan, or of a reply that
// would be one if it could be read.
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
