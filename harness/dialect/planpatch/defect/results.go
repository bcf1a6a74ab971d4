package defect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// resultDefects are defects of the new plan and of the report about it.
func resultDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("applies-empty-patch", "applies a patch that changes nothing",
			insteadOf(harness.EmptyPatch, applyNothing)),
		mutant.New("accepts-empty-plan", "lets a patch remove every step", insteadOf(harness.EmptyPlan, applyEmpty)),
		mutant.New("blank-title-erases", "clears the title when the reply's title is blank", mutant.By(eraseTitle)),
		mutant.New("ignores-title-only", "treats a patch that changes only the title as empty", editing(ignoreTitleOnly)),
		mutant.New("resets-dependencies", "clears the dependencies of an updated step when the update has none",
			decoding(resetDependencies)),
		mutant.New("resets-status", "resets an updated step to pending", stepwise(resetStatus)),
		mutant.New("loses-verification-policy", "drops the verification policy of the plan",
			editing(func(e mutant.Edit) { e.New.VerificationPolicy = "" })),
		mutant.New("loses-unknown-members", "drops unknown members of steps",
			stepwise(func(_ mutant.Edit, s *plan.Step) { s.Extra = nil })),
		mutant.New("sorts-steps", "sorts the steps by id", editing(sortSteps)),
		mutant.New("adds-to-front", "inserts new steps before the others", editing(addToFront)),
		mutant.New("integers-first", "moves integer ids to the front, like the keys of a JavaScript object",
			editing(integersFirst)),
		mutant.New("cuts-long-descriptions", "cuts descriptions at 255 characters", stepwise(cutDescription)),
		mutant.New("squeezes-white-space", "replaces repeated white space in descriptions with one space", stepwise(squeeze)),
		mutant.New("forgets-warnings", "gives no warnings",
			mutant.Answering(func(out *harness.Outcome) { out.Warnings = []harness.Warning{} })),
		mutant.New("miscounts-updates", "reports every step that the reply names as updated", editing(miscount)),
		mutant.New("wrong-code", "rejects an update of an unknown step with missing_dependency",
			mutant.Answering(confuseCodes)),
		mutant.New("blames-from-one", "counts list items from 1 in paths of errors", mutant.Answering(countFromOne)),
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
