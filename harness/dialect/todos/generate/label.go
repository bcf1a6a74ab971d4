package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
)

// refusal is a setting of the rules with the code of a reply with the trait under it; no
// setting means all rules, and no code that the label is unknown.
type refusal struct {
	setting string
	code    harness.Code
}

// labels declares what the rules say to traits. A trait that is not in the table is applied.
var labels = [...]struct {
	setting string
	code    harness.Code
	traits  string
}{
	{"omitted_done=reject", spec.ItemLost, "lost-done lost-all-done lost-all-but-one partial-list lost-all"},
	{
		"omitted_open=reject", spec.ItemLost, "lost-open lost-in-progress lost-in-progress-beside " +
			"lost-in-progress-beside-new lost-two-in-progress lost-all-open lost-all-but-one lost-with-members lost-all " +
			"lost-among-moved one-digit-apart merged split",
	},
	{"omitted_open=reject", "", "partial-list " + reworded},
	{"omitted_open=restore", "", "lost-all-open lost-all-but-one"},
	{"omitted_done=reject", "", "reworded-done"},
	{"clear=when_done", harness.EmptyPlan, "empty-list"},
	{"clear=reject", harness.EmptyPlan, "empty-list empty-list-all-closed"},
	{"unchanged=reject", harness.EmptyPatch, "nothing-changed merge-empty"},
	{"reopen=reject", harness.DoneImmutable, "reopened reopened-in-progress done-cancelled merge-reopened"},
	{"reopen=reject", "", "id-of-done-reopened"},
	{"reopen=keep", "", "merge-reopened"},
	{"in_progress=one", spec.TooManyInProgress, "two-in-progress begun-beside new-begun-beside old-both-in-progress"},
	{"identity=id", "", "ids-shifted ids-swapped"},
	{"duplicates=reject", spec.DuplicateContent, "twice twice-other-status twice-respaced equal-contents-without-ids"},
	{"duplicates=reject", harness.DuplicateID, "twice-same-id same-id same-id-padded merge-same-id"},
	{"identity=content", "", "twice-other-id equal-contents"},
	{"identity=similar", "", "twice-other-id equal-contents"},
	{"", harness.UnknownStep, "merge-unknown-id"},
	{"", harness.OverCapacity, "limit-new-done"},
}

const reworded = "reworded-case reworded-punctuation reworded-numbered reworded-emphasis reworded-look-alike " +
	"reworded-suffix reworded-cut reworded-translated reworded-and-done"

// label returns the verdict, code and place that the traits of the sample declare.
func (d *draft) label() generators.Want {
	switch {
	case d.unsound != "":
		return generators.Refused(d.unsound)
	case len(d.rewrites) > 1:
		return generators.Want{Loose: true}
	}
	e := &d.reply.effect
	past := e.Past(d.profile.Reading)
	if !past && e.Around {
		return generators.Refused(e.Code)
	}
	codes := d.slipCodes()
	switch {
	case past && (e.Open || e.Around && codes != nil): // of several invalid documents, one names the code
		return generators.Want{Loose: true}
	case !past && codes == nil:
		return e.Refused()
	case !past:
		return generators.Refused(append(codes, e.Code)...)
	case codes != nil:
		return generators.Refused(codes...)
	}
	kept := d.drawn.Kept()
	for _, t := range kept {
		// Another trait may change which items there are, or which one an id means.
		if t.claim&(size|whole|merging|naming) != 0 && len(kept) > 1 {
			return generators.Want{Loose: true}
		}
		for _, r := range t.refuses {
			switch {
			case !d.profile.Holds(r.setting, spec.Knobs()...):
			case r.code == "":
				return generators.Want{Loose: true}
			default:
				codes = append(codes, r.code)
			}
		}
	}
	if codes != nil {
		return generators.Refused(codes...)
	}
	return generators.Want{Verdict: harness.Applied}
}

// slipCodes returns the codes of the slips of the reply, nil if reading gets past all of
// them.
func (d *draft) slipCodes() (codes []harness.Code) {
	hard := false
	note := func(s slip) {
		if s.code != "" && (s.fine == nil || !s.fine(d)) {
			codes = append(codes, s.code)
			hard = hard || !s.takes.Past(d.profile.Reading)
		}
	}
	needed := d.settings.HasIDs() && (d.settings.IDs == spec.Required || d.reply.merge)
	for _, s := range d.reply.slips {
		note(s)
	}
	for _, e := range d.reply.entries {
		for _, s := range e.slips {
			note(s)
		}
		if e.id == "" && needed && !slices.ContainsFunc(e.slips, func(s slip) bool { return s.member == "id" }) {
			note(slip{code: harness.MissingField})
		}
	}
	if !hard {
		return nil
	}
	return codes
}
