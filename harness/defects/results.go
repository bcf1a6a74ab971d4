package defects

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// resultRows are defects of the plan that comes out, and of what is said of it.
func resultRows() []row {
	return []row{
		{"applies-empty-patch", "answers an edit that changes nothing with the old plan, as applied", insteadOf(harness.EmptyPatch, applyNothing)},
		{"accepts-empty-plan", "lets a patch remove every step", insteadOf(harness.EmptyPlan, applyEmpty)},
		{"blank-title-erases", "erases the title of the plan when the reply's is blank", always(eraseTitle)},
		{"ignores-title-only", "takes a patch that changes only the title for empty", always(ignoreTitleOnly)},
		{"resets-dependencies", "empties the dependencies of an updated step when the update does not name them", decoding(resetDependencies)},
		{"resets-status", "sets an updated step back to pending", editing(resetStatus)},
		{"loses-verification-policy", "loses the plan's verification policy", editing(func(e edit) { e.new.VerificationPolicy = "" })},
		{"loses-unknown-members", "loses the members of steps that it does not know", editing(loseMembers)},
		{"sorts-steps", "sorts the steps by id", editing(sortSteps)},
		{"adds-to-front", "puts new steps before the others", editing(addToFront)},
		{"integers-first", "puts ids that are integers first, as the keys of a JavaScript object are ordered", editing(integersFirst)},
		{"cuts-long-descriptions", "cuts descriptions at 255 characters", editing(cutDescriptions)},
		{"squeezes-white-space", "makes white space in descriptions a single blank", editing(squeeze)},
		{"forgets-warnings", "gives no warnings", answering(func(out *harness.Outcome) { out.Warnings = []harness.Warning{} })},
		{"miscounts-updates", "counts every step that the reply names as updated, changed or not", editing(miscount)},
		{"wrong-code", "says missing_dependency of an update of an unknown step", answering(confuseCodes)},
		{"blames-from-one", "counts the items of lists from 1 when it says where a fault is", answering(countFromOne)},
	}
}

func applyNothing(c harness.Case, _ harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	return harness.Outcome{Verdict: harness.Applied, Plan: old}
}

func applyEmpty(c harness.Case, _ harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	old.Steps = []plan.Step{}
	return harness.Outcome{Verdict: harness.Applied, Plan: old}
}

func eraseTitle(c harness.Case, p harness.Profile) harness.Outcome {
	const blank = "\u2063blank"
	out := right(redecoded(c, func(o object, _ *plan.Plan) bool {
		v := o.Get("title")
		if v == nil || v.Kind != strictjson.String || strings.TrimSpace(v.Text) != "" {
			return false
		}
		*v = textValue(blank)
		return true
	}), p)
	if out.Plan != nil && out.Plan.Title == blank {
		out.Plan.Title = ""
	}
	return out
}

func ignoreTitleOnly(c harness.Case, p harness.Profile) harness.Outcome {
	out := right(c, p)
	old, err := plan.Decode(c.Plan)
	if out.Plan == nil || err != nil || out.Plan.Title == old.Title {
		return out
	}
	old.Title = out.Plan.Title
	if old.Equal(out.Plan) {
		return refused(harness.EmptyPatch)
	}
	return out
}

func resetDependencies(o object, _ *plan.Plan) (changed bool) {
	for _, item := range o.items("update_steps") {
		if item.Get("dependencies") == nil {
			item.set("dependencies", listValue())
			changed = true
		}
	}
	return changed
}

func resetStatus(e edit) {
	for i := range e.new.Steps {
		s := &e.new.Steps[i]
		if old := e.old.Step(s.ID); old != nil && s.Status != plan.Done && !s.Equal(*old) {
			s.Status = plan.Pending
		}
	}
}

func loseMembers(e edit) {
	for i := range e.new.Steps {
		e.new.Steps[i].Extra = nil
	}
}

func sortSteps(e edit) {
	slices.SortStableFunc(e.new.Steps, func(a, b plan.Step) int { return strings.Compare(a.ID, b.ID) })
}

func addToFront(e edit) {
	if e.out.Rung == harness.RungFullPlan {
		return
	}
	isNew := func(s plan.Step) bool { return e.old.Step(s.ID) == nil }
	var list []plan.Step
	for _, s := range e.new.Steps {
		if isNew(s) {
			list = append(list, s)
		}
	}
	e.new.Steps = append(list, slices.DeleteFunc(e.new.Steps, isNew)...)
}

func integersFirst(e edit) {
	rank := func(s plan.Step) int {
		if n, err := strconv.Atoi(s.ID); err == nil && n >= 0 && strconv.Itoa(n) == s.ID {
			return n
		}
		return 1 << 40
	}
	slices.SortStableFunc(e.new.Steps, func(a, b plan.Step) int { return rank(a) - rank(b) })
}

func cutDescriptions(e edit) {
	const most = 255
	for i := range e.new.Steps {
		if s := &e.new.Steps[i]; utf8.RuneCountInString(s.Description) > most {
			s.Description = string([]rune(s.Description)[:most])
		}
	}
}

func squeeze(e edit) {
	for i := range e.new.Steps {
		s := &e.new.Steps[i]
		s.Description = strings.Join(strings.Fields(s.Description), " ")
	}
}

func miscount(e edit) {
	if e.out.Rung == harness.RungFullPlan {
		return
	}
	meta := *e.out.Meta
	meta.Updated = 0
	for _, s := range e.new.Steps {
		if _, ok := written(e.c, s.ID); ok && e.old.Step(s.ID) != nil {
			meta.Updated++
		}
	}
	e.out.Meta, e.out.Events = &meta, nil
}

func confuseCodes(out *harness.Outcome) {
	if out.Code == harness.UnknownStep {
		out.Code = harness.MissingDependency
	}
	for i := range out.Events {
		if out.Events[i].Code == harness.UnknownStep {
			out.Events[i].Code = harness.MissingDependency
		}
	}
}

var pointerIndex = regexp.MustCompile(`/\d+`)

func countFromOne(out *harness.Outcome) {
	if out.At == nil {
		return
	}
	at := pointerIndex.ReplaceAllStringFunc(*out.At, func(token string) string {
		n, _ := strconv.Atoi(token[1:])
		return "/" + strconv.Itoa(n+1)
	})
	out.At = &at
}
