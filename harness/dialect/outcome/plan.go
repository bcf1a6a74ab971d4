package outcome

import (
	stdcmp "cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize/english"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/diff"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// stepView is a step without its methods, so that go-cmp looks at its members.
type stepView plan.Step

// StepDifference names the first member in which two steps of one id differ.
func StepDifference(a, b *plan.Step) string {
	switch {
	case a.ID != b.ID:
		return "id"
	case a.Description != b.Description:
		return "description"
	case !slices.Equal(a.Dependencies, b.Dependencies):
		return "dependencies"
	case a.Status != b.Status:
		return "status"
	case !slices.Equal(a.ToolsExpected, b.ToolsExpected):
		return "tools_expected"
	case !strictjson.Equal(a.Extra, b.Extra):
		return (&plan.Plan{}).Called("extra")
	}
	return ""
}

// exactly compares lists of texts whole, and JSON by what it means.
func exactly() cmp.Option {
	return cmp.Options{
		cmp.Comparer(slices.Equal[[]string]),
		cmp.Comparer(func(a, b jsontext.Value) bool { return strictjson.Equal(a, b) }),
	}
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
	return cut(stdcmp.Or(string(s.Extra), "none"), longestList)
}

// planView holds the members of a plan in the order in which differences are reported.
// Versions and history come last: they change with every edit.
type planView struct {
	Title, VerificationPolicy string
	Step                      stepView // the first one that differs
	Count                     int      // of all steps
	Versioned                 bool
	ID, Name, Description     string
	Version, Entries          int
}

// viewOf returns a plan with one of its steps, or with none.
func viewOf(p *plan.Plan, step []plan.Step) planView {
	v := planView{Title: p.Title, VerificationPolicy: p.VerificationPolicy, Count: len(p.Steps)}
	for _, s := range step {
		v.Step = stepView(s)
	}
	if r := p.Record; r != nil {
		v.Versioned, v.ID, v.Name, v.Description, v.Version, v.Entries = true, r.ID, r.Name, r.Description, r.Version,
			len(r.History)
	}
	return v
}

// Plans finds the first difference between two plans: the step and the member; nil if
// they are the same. There must be two plans, or none.
func Plans(want, got *plan.Plan) *Difference {
	if want.Equal(got) {
		return nil
	}
	i, n := 0, min(len(want.Steps), len(got.Steps))
	for i < n && want.Steps[i].Equal(got.Steps[i]) {
		i++
	}
	to := min(i+1, n)
	paths := diff.Paths(viewOf(want, want.Steps[i:to]), viewOf(got, got.Steps[i:to]), exactly())
	if len(paths) == 0 {
		return Differs("history", "an entry of the history is another")
	}
	first := paths[0]
	of := termsOf(want, got)
	switch name := first.Names[0]; name {
	case "step":
		return stepsDiffer(i, first.Names[1], of, want, got)
	case "count":
		return Differs(of.step+"s", "the %s has %s and not %d", of.plan, english.Plural(len(got.Steps), of.step, ""), len(want.Steps))
	case "versioned":
		return Differs("version", "one plan has a version and the other has none")
	case "version":
		return Differs("version", "the version is %v and not %v", first.Got, first.Want)
	case "entries":
		return Differs("history", "the history has %v entries and not %v", first.Got, first.Want)
	default:
		words := map[string]string{"title": "the title", "verification_policy": "the verification policy"}
		return Differs(name, "%s is %q and not %q", stdcmp.Or(words[name], "the plan's "+name), Brief(fmt.Sprint(first.Got)),
			Brief(fmt.Sprint(first.Want)))
	}
}

// terms are what a dialect calls a plan and a step.
type terms struct{ plan, step string }

func termsOf(a, b *plan.Plan) terms {
	switch {
	case a.Listed && b.Listed:
		return terms{"list", "item"}
	case a.Tasks && b.Tasks:
		return terms{"graph", "task"}
	}
	return terms{"plan", "step"}
}

// stepsDiffer describes a member in which the steps at an index differ.
func stepsDiffer(i int, member string, of terms, a, b *plan.Plan) *Difference {
	want, got := &a.Steps[i], &b.Steps[i]
	d := Difference{Step: want.ID, Field: a.Called(member)}
	listed := of.plan == "list" // its items need no ids
	name := fmt.Sprintf("%s %q", of.step, Brief(want.ID))
	if listed {
		name = fmt.Sprintf("%s %d", of.step, i+1)
	}
	switch {
	case member == "id" && listed:
		d.Words = fmt.Sprintf("the id of %s is %q and not %q", name, Brief(got.ID), Brief(want.ID))
	case member == "id":
		d.Field = of.step + "s"
		d.Words = fmt.Sprintf("%s %d is %q and not %q", of.step, i+1, Brief(got.ID), Brief(want.ID))
	default:
		d.Words = fmt.Sprintf("the %s of %s: %s and not %s", d.Field, name, memberInWords(member, got),
			memberInWords(member, want))
	}
	return &d
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

// longestList bounds the part of a list in a sentence, in bytes: the finding
// keeps the whole.
const longestList = 300
