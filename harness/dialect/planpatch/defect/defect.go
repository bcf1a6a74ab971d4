// Package defect lists the ways in which engines for the dialect planpatch are wrong.
package defect

import (
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(
		readingDefects(), decodingDefects(), conflictDefects(), graphDefects(), limitDefects(),
		finishedDefects(), resultDefects(), ladderDefects(), memoryDefects(),
	)
}

// decoding changes the objects in the replies before they are decoded.
func decoding(name, text string, change func(o mutant.Reply)) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome { return decoded(r, change) })
}

// decoded is the outcome of a case with the objects in its replies changed.
func decoded(r mutant.Run, change func(o mutant.Reply)) harness.Outcome {
	return r.Of(mutant.Decoded(r.Case, plan.Decode, change))
}

// editing changes the plan that comes out, in place.
func editing(name, text string, change func(e edit)) mutant.Defect {
	return mutant.Edits(name, text, plan.Decode, func(e mutant.Edit) { change(edit{e, written(e.Case)}) })
}

// stepwise changes each step of the plan that comes out, in place.
func stepwise(name, text string, change func(e edit, s *plan.Step)) mutant.Defect {
	return editing(name, text, func(e edit) {
		for s := range mutant.Steps(e.New) {
			change(e, s)
		}
	})
}

// edit is an edit with what the replies wrote of its steps.
type edit struct {
	mutant.Edit
	written func(step string) (mutant.Object, bool)
}

// insteadOf does something else if the first reply alone is rejected with the code.
func insteadOf(name, text string, code harness.Code, other mutant.Way) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		alone := r
		alone.Replies = r.Replies[:min(len(r.Replies), 1)]
		if len(r.Replies) == 0 || alone.Eval().Code != code {
			return r.Eval()
		}
		out := other(alone)
		if len(r.Replies) > 1 {
			if out.Verdict != harness.Applied {
				return r.Eval()
			}
			out.Warnings = append(out.Warnings, harness.Warning{Code: harness.WarnRepliesUnused})
		}
		return out
	})
}

func refused(code harness.Code) harness.Outcome {
	return harness.Outcome{Verdict: harness.Rejected, Code: code}
}

// unwarn takes a warning away.
func unwarn(out *harness.Outcome, code string) {
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w harness.Warning) bool { return w.Code == code })
}

// steps returns the steps that a patch or a plan writes.
func steps(o mutant.Object) []mutant.Object { return o.Items("update_steps", "add_steps", "steps") }

// references lists every value that names a step.
func references(o mutant.Object) []*strictjson.Value {
	list := slices.Collect(o.Values("remove_steps"))
	for _, item := range steps(o) {
		if v := item.Get("id"); v != nil {
			list = append(list, v)
		}
		list = slices.AppendSeq(list, item.Values("dependencies"))
	}
	return list
}

// written returns how to find the item that the replies wrote of a step; of several the last. It reads the replies
// once, when the first step is asked for.
func written(c harness.Case) func(step string) (mutant.Object, bool) {
	items := sync.OnceValue(func() map[string]mutant.Object {
		found := map[string]mutant.Object{}
		for _, r := range c.Replies {
			for _, o := range mutant.Objects(r) {
				for _, item := range steps(o) {
					found[mutant.ID(item.Value)] = item
				}
			}
		}
		return found
	})
	return func(step string) (mutant.Object, bool) {
		item, ok := items()[strings.TrimSpace(step)]
		return item, ok
	}
}

// first returns the first object of the first reply; an empty one if there is none.
func first(c harness.Case) mutant.Object {
	for _, r := range c.Replies[:min(len(c.Replies), 1)] {
		for _, o := range mutant.Objects(r) {
			return o
		}
	}
	return mutant.Object{}
}
