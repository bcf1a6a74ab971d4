package outcome

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"replanbench/harness/plan"
)

// StepDifference names the first member in which two steps of one id differ.
func StepDifference(a, b *plan.Step) string {
	switch {
	case a.Description != b.Description:
		return "description"
	case !slices.Equal(a.Dependencies, b.Dependencies):
		return "dependencies"
	case a.Status != b.Status:
		return "status"
	case !slices.Equal(a.ToolsExpected, b.ToolsExpected):
		return "tools_expected"
	case !a.Equal(*b):
		return "unknown members"
	}
	return ""
}

// Change says how a member of a step changed.
func Change(field string, before, after *plan.Step) string {
	return fmt.Sprintf("%s from %s to %s", field, memberInWords(field, before), memberInWords(field, after))
}

// memberInWords puts the value of a step's member in words.
func memberInWords(field string, s *plan.Step) string {
	switch field {
	case "description":
		return strconv.Quote(Brief(s.Description))
	case "dependencies":
		return cut(fmt.Sprintf("%q", s.Dependencies), longestList)
	case "status":
		return strconv.Quote(string(s.Status))
	case "tools_expected":
		return cut(fmt.Sprintf("%q", s.ToolsExpected), longestList)
	}
	return cut(cmp.Or(string(s.Extra), "none"), longestList)
}

// Plans finds where two plans part: the step and the member; nil if they are the
// same. There must be two plans, or none.
func Plans(want, got *plan.Plan) *Difference {
	if want.Equal(got) {
		return nil
	}
	if want.Listed && got.Listed {
		return lists(want.Steps, got.Steps)
	}
	switch {
	case want.Title != got.Title:
		return Differs("title", "the title is %q and not %q", Brief(got.Title), Brief(want.Title))
	case want.VerificationPolicy != got.VerificationPolicy:
		return Differs("verification_policy", "the verification policy is %q and not %q", Brief(got.VerificationPolicy), Brief(want.VerificationPolicy))
	}
	for i := range min(len(want.Steps), len(got.Steps)) {
		w, g := &want.Steps[i], &got.Steps[i]
		if w.ID != g.ID {
			return &Difference{Step: w.ID, Field: "steps", Words: fmt.Sprintf("step %d is %q and not %q", i+1, Brief(g.ID), Brief(w.ID))}
		}
		if field := StepDifference(w, g); field != "" {
			return &Difference{Step: w.ID, Field: field, Words: fmt.Sprintf("the %s of step %q: %s and not %s", field, Brief(w.ID), memberInWords(field, g), memberInWords(field, w))}
		}
	}
	if len(got.Steps) != len(want.Steps) {
		return Differs("steps", "the plan has %d steps and not %d", len(got.Steps), len(want.Steps))
	}
	// Versions and history last: of a plan that is another they say the same once more.
	return recordDifference(want.Record, got.Record)
}

// lists finds where two lists of items part.
func lists(want, got []plan.Step) *Difference {
	for i := range min(len(want), len(got)) {
		w, g := &want[i], &got[i]
		field := StepDifference(w, g)
		name := map[string]string{"description": "content", "unknown members": "members"}[field]
		switch {
		case w.ID != g.ID:
			return &Difference{Step: w.ID, Field: "id", Words: fmt.Sprintf("the id of item %d is %q and not %q", i+1, Brief(g.ID), Brief(w.ID))}
		case field != "":
			return &Difference{Step: w.ID, Field: cmp.Or(name, field), Words: fmt.Sprintf("the %s of item %d: %s and not %s", cmp.Or(name, field), i+1, memberInWords(field, g), memberInWords(field, w))}
		}
	}
	return Differs("items", "the list has %d items and not %d", len(got), len(want))
}

// Brief cuts a text for a message.
func Brief(s string) string { return cut(s, 60) }

func cut(s string, most int) string {
	for i := range s {
		if i >= most {
			return s[:i] + "…"
		}
	}
	return s
}

// longestList bounds what a sentence tells of a list, in bytes: the finding
// keeps the whole.
const longestList = 300

// recordDifference finds the first member in which what two plans have beside
// their steps differs.
func recordDifference(want, got *plan.Record) *Difference {
	switch {
	case want == nil || got == nil:
		return Differs("version", "one plan has a version and the other has none")
	case want.ID != got.ID:
		return Differs("id", "the plan's id is %q and not %q", Brief(got.ID), Brief(want.ID))
	case want.Name != got.Name:
		return Differs("name", "the plan's name is %q and not %q", Brief(got.Name), Brief(want.Name))
	case want.Description != got.Description:
		return Differs("description", "the plan's description is %q and not %q", Brief(got.Description), Brief(want.Description))
	case want.Version != got.Version:
		return Differs("version", "the version is %d and not %d", got.Version, want.Version)
	case len(want.History) != len(got.History):
		return Differs("history", "the history has %d entries and not %d", len(got.History), len(want.History))
	}
	return Differs("history", "an entry of the history is another")
}
