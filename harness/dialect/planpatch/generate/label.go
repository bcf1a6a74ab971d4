package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// effect is what a fault does to the label: where the rules meet the fault, and
// the code with which they refuse it there. A fault returns its own effect; the
// items that it puts into the edit carry theirs.
type effect struct {
	at    place
	code  harness.Code
	takes generators.Ability // what reading takes to get past it; 0 is that it cannot
	open  bool               // the rules leave the outcome open unless they reject it
}

// place is where the rules meet a fault. They go through the places in this
// order, and the first that refuses decides.
type place uint8

const (
	nowhere   place = iota // the draft has no place for the fault
	nobody                 // no rule refuses the fault
	inLimits               // of the case
	inPlan                 // of the case
	replySize              // in bytes
	replyBytes
	replyText  // there is text round the document, or its syntax is broken
	replyShape // the document ends early or is inside another value
	inCallText // a call whose arguments are a string, which hides the document
	inEscapes
	inDepth
	inNames // duplicate members
	inWrapper
	inType
	inMembers
	inTitle
	inRemoves
	inUpdates
	inAdds
	inReason
	noSteps // of a full plan
	idsTwice
	idsInConflict
	onRemoves
	onUpdates
	onAdds
	onOrphans
	onNothingLeft
	onGraph
	onNoChange
)

// What a fault returns that could not be planted, or that no rule refuses.
var (
	notPlanted = effect{at: nowhere}
	planted    = effect{at: nobody}
)

// Effects of faults in the text of a reply.
var (
	surrounded = effect{at: replyText, code: harness.NoDocument, takes: generators.Extract}
	misspelled = effect{at: replyText, code: harness.NoDocument, takes: generators.Repair}
	broken     = effect{at: replyText, code: harness.NoDocument}
)

// misread is the effect of what reading refuses there, unless coercion changes
// its shape.
func misread(at place, code harness.Code, coerced bool) effect {
	e := effect{at: at, code: code}
	if coerced {
		e.takes = generators.Coerce
	}
	return e
}

// met returns the codes of the faults that the rules meet first between two
// places; nil is that they meet none.
func (d *draft) met(from, to place) []harness.Code { return first(d.effects, from, to) }

// first returns the codes of the effects that come first between two places. Of
// two in one place either may be reported.
func first(effects []effect, from, to place) (codes []harness.Code) {
	at := place(0)
	for _, e := range effects {
		switch {
		case e.at < from || e.at > to:
		case codes == nil || e.at < at:
			codes, at = []harness.Code{e.code}, e.at
		case e.at == at && !slices.Contains(codes, e.code):
			codes = append(codes, e.code)
		}
	}
	return codes
}

// reading is the expected result of reading a reply.
type reading struct {
	took generators.Ability
	code harness.Code // why the reply is refused; "" if it is not
	open bool         // the rules do not say what reading comes to
}

// seek says what comes of looking for a document in the reply, whatever the
// document says.
func (d *draft) seek() (r reading) {
	can, at := generators.Abilities(d.profile.Reading), place(0)
	for _, e := range d.effects {
		switch {
		case e.at < replySize || e.at > replyShape:
		case can.Past(e.takes):
			r.took |= e.takes
			r.open = r.open || e.open
		case r.code == "" || e.at < at:
			r.code, at = e.code, e.at
		}
	}
	return r
}

// read says what comes of reading the document that the reply holds. Where
// coercion gets past one fault and not past another, nothing decodes, and the
// code is that of the document as it stands.
func (d *draft) read() reading {
	r := d.seek()
	if r.code != "" || r.open {
		return r
	}
	var any, firm effect // the first, and the first that coercion does not get past
	see := func(e effect) {
		if any.code == "" || e.at < any.at {
			any = e
		}
		if e.takes == 0 && (firm.code == "" || e.at < firm.at) {
			firm = e
		}
	}
	for _, e := range d.effects {
		if e.at >= inCallText && e.at <= inReason {
			see(e)
		}
	}
	for k, list := range d.doc.lists() {
		for i := range list {
			if x := &list[i]; x.read != "" {
				see(misread(inRemoves+place(k), x.read, x.coerced))
			}
		}
	}
	switch {
	case any.code == "":
	case firm.code == "" && d.profile.Reading.Coerce:
		r.took |= generators.Coerce
	case r.took.Past(generators.Coerce):
		r.code = firm.code // before coercion there was no document
	default:
		r.code = any.code
	}
	return r
}

// refusal returns the codes with which applying ends, or nil. Of the items of a
// list the first counts; more is what the rules see in the plan that comes out.
func (d *draft) refusal(more []effect) []harness.Code {
	var all []effect
	for k, list := range d.doc.lists() {
		if i := slices.IndexFunc(list, func(x item) bool { return x.apply != "" }); i >= 0 {
			all = append(all, effect{at: onRemoves + place(k), code: list[i].apply})
		}
	}
	return first(slices.Concat(all, d.effects, more), noSteps, onNoChange)
}

// result is what comes of reading a reply as one kind of document and applying
// it: the codes, or the plan.
type result struct {
	codes []harness.Code
	plan  *plan.Plan // nil where the rules leave it open
	tier  harness.Tier
	loose bool
}

func refused(codes ...harness.Code) result { return result{codes: codes} }

// label is the expected outcome of the draft's reply.
func (d *draft) label(carryOut func() (*plan.Plan, []effect)) result {
	r := d.read()
	switch {
	case r.code != "":
		return refused(r.code)
	case r.open:
		return result{loose: true}
	}
	after, more := carryOut()
	if codes := d.refusal(more); codes != nil {
		return result{codes: codes}
	}
	if slices.ContainsFunc(d.effects, func(e effect) bool { return e.open }) {
		after = nil
	}
	return result{plan: after, tier: r.took.Tier()}
}
