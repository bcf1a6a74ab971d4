package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
)

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
		if t.row.Claims&(size|whole|merging|naming) != 0 && len(kept) > 1 {
			return generators.Want{Loose: true}
		}
		for _, r := range t.row.Refuses {
			switch setting, code, _ := strings.Cut(r, ":"); {
			case !d.profile.Holds(setting, spec.Knobs()...):
			case code == "":
				return generators.Want{Loose: true}
			default:
				codes = append(codes, harness.Code(code))
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
		if s.Code != "" && (s.Fine == "" || !d.profile.Holds(s.Fine, spec.Knobs()...)) {
			codes = append(codes, s.Code)
			hard = hard || s.Code != harness.ExtraField || !generators.Coerce.Past(d.profile.Reading)
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
		if e.id == "" && needed && !slices.ContainsFunc(e.slips, func(s slip) bool { return s.Member == "id" }) {
			note(slip{Code: harness.MissingField})
		}
	}
	if !hard {
		return nil
	}
	return codes
}
