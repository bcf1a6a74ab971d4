package defect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/mutant"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// resultDefects are defects of the plan that comes out, and of what is said of it.
func resultDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("applies-empty-patch", "answers an edit that changes nothing with the old plan, as applied", insteadOf(harness.EmptyPatch, applyNothing)),
		mutant.New("accepts-empty-plan", "lets a patch remove every step", insteadOf(harness.EmptyPlan, applyEmpty)),
		mutant.New("blank-title-erases", "erases the title of the plan when the reply's is blank", mutant.By(eraseTitle)),
		mutant.New("ignores-title-only", "takes a patch that changes only the title for empty", editing(ignoreTitleOnly)),
		mutant.New("resets-dependencies", "empties the dependencies of an updated step when the update does not name them", decoding(resetDependencies)),
		mutant.New("resets-status", "sets an updated step back to pending", stepwise(resetStatus)),
		mutant.New("loses-verification-policy", "loses the plan's verification policy", editing(func(e mutant.Edit) { e.New.VerificationPolicy = "" })),
		mutant.New("loses-unknown-members", "loses the members of steps that it does not know", stepwise(func(_ mutant.Edit, s *plan.Step) { s.Extra = nil })),
		mutant.New("sorts-steps", "sorts the steps by id", editing(sortSteps)),
		mutant.New("adds-to-front", "puts new steps before the others", editing(addToFront)),
		mutant.New("integers-first", "puts ids that are integers first, as the keys of a JavaScript object are ordered", editing(integersFirst)),
		mutant.New("cuts-long-descriptions", "cuts descriptions at 255 characters", stepwise(cutDescription)),
		mutant.New("squeezes-white-space", "makes white space in descriptions a single blank", stepwise(squeeze)),
		mutant.New("forgets-warnings", "gives no warnings", mutant.Answering(func(out *harness.Outcome) { out.Warnings = []harness.Warning{} })),
		mutant.New("miscounts-updates", "counts every step that the reply names as updated, changed or not", editing(miscount)),
		mutant.New("wrong-code", "says missing_dependency of an update of an unknown step", mutant.Answering(confuseCodes)),
		mutant.New("blames-from-one", "counts the items of lists from 1 when it says where a fault is", mutant.Answering(countFromOne)),
	}
}

func applyNothing(_ mutant.Eval, c harness.Case, _ harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	return harness.Outcome{Verdict: harness.Applied, Plan: old}
}

func applyEmpty(_ mutant.Eval, c harness.Case, _ harness.Profile) harness.Outcome {
	old, _ := plan.Decode(c.Plan)
	old.Steps = []plan.Step{}
	return harness.Outcome{Verdict: harness.Applied, Plan: old}
}

func eraseTitle(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	const blank = "\u2063blank"
	out := right(redecoded(c, func(o mutant.Object, _ *plan.Plan) {
		if v := o.Get("title"); v != nil && v.Kind == strictjson.String && strings.TrimSpace(v.Text) == "" {
			*v = mutant.Text(blank)
		}
	}), p)
	if out.Plan != nil && out.Plan.Title == blank {
		out.Plan.Title = ""
	}
	return out
}

func ignoreTitleOnly(e mutant.Edit) {
	title := e.Old.Title
	e.Old.Title = e.New.Title
	if title != e.New.Title && e.Old.Equal(e.New) {
		*e.Out = refused(harness.EmptyPatch)
	}
}

func resetDependencies(o mutant.Object, _ *plan.Plan) {
	for _, item := range o.Items("update_steps") {
		if item.Get("dependencies") == nil {
			item.Set("dependencies", mutant.Texts())
		}
	}
}

func resetStatus(e mutant.Edit, s *plan.Step) {
	if old := e.Old.Step(s.ID); old != nil && s.Status != plan.Done && !s.Equal(*old) {
		s.Status = plan.Pending
	}
}

// order puts the steps of a plan in the order of their ranks.
func order(p *plan.Plan, rank func(s plan.Step) int) {
	slices.SortStableFunc(p.Steps, func(a, b plan.Step) int { return rank(a) - rank(b) })
}

func sortSteps(e mutant.Edit) {
	slices.SortStableFunc(e.New.Steps, func(a, b plan.Step) int { return strings.Compare(a.ID, b.ID) })
}

func addToFront(e mutant.Edit) {
	if e.Out.Rung == harness.RungFullPlan {
		return
	}
	order(e.New, func(s plan.Step) int {
		if e.Old.Step(s.ID) == nil {
			return 0
		}
		return 1
	})
}

func integersFirst(e mutant.Edit) {
	order(e.New, func(s plan.Step) int {
		if n, err := strconv.Atoi(s.ID); err == nil && n >= 0 && strconv.Itoa(n) == s.ID {
			return n
		}
		return 1 << 40
	})
}

func cutDescription(_ mutant.Edit, s *plan.Step) {
	const most = 255
	if utf8.RuneCountInString(s.Description) > most {
		s.Description = string([]rune(s.Description)[:most])
	}
}

func squeeze(_ mutant.Edit, s *plan.Step) {
	s.Description = strings.Join(strings.Fields(s.Description), " ")
}

func miscount(e mutant.Edit) {
	if e.Out.Rung == harness.RungFullPlan || e.Out.Meta == nil {
		return
	}
	meta := *e.Out.Meta
	meta.Updated = 0
	for _, s := range e.New.Steps {
		if _, ok := written(e.Case, s.ID); ok && e.Old.Step(s.ID) != nil {
			meta.Updated++
		}
	}
	e.Out.Meta, e.Out.Events = &meta, nil
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
