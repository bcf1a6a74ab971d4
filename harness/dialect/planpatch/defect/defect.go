// Package defect lists the ways in which engines for the dialect planpatch are wrong.
package defect

import (
	"iter"
	"slices"
	"strings"

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

// decoding changes the objects in the replies before they are decoded. old is the
// plan of the case.
func decoding(change func(o mutant.Object, old *plan.Plan)) mutant.Wrap {
	return mutant.Asking(func(c *harness.Case) { *c = redecoded(*c, change) })
}

func redecoded(c harness.Case, change func(o mutant.Object, old *plan.Plan)) harness.Case {
	return mutant.Decoded(c, plan.Decode, change)
}

// editing changes the plan that comes out, in place.
func editing(change func(e mutant.Edit)) mutant.Wrap { return mutant.Editing(plan.Decode, change) }

// stepwise changes each step of the plan that comes out, in place.
func stepwise(change func(e mutant.Edit, s *plan.Step)) mutant.Wrap {
	return editing(func(e mutant.Edit) {
		for s := range mutant.Steps(e.New) {
			change(e, s)
		}
	})
}

// insteadOf does something else where the first reply alone would be refused
// with the code.
func insteadOf(code harness.Code, other mutant.Way) mutant.Wrap {
	return mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		if len(c.Replies) == 0 {
			return right(c, p)
		}
		alone := c
		alone.Replies = c.Replies[:1]
		if right(alone, p).Code != code {
			return right(c, p)
		}
		out := other(right, alone, p)
		if len(c.Replies) == 1 {
			return out
		}
		if out.Verdict != harness.Applied {
			return right(c, p)
		}
		out.Warnings = append(out.Warnings, harness.Warning{Code: harness.WarnRepliesUnused})
		return out
	})
}

// refusing refuses with the code what the reference applies with the warning.
func refusing(warning string, code harness.Code) mutant.Wrap {
	return mutant.Answering(func(out *harness.Outcome) {
		if out.Verdict == harness.Applied && out.Warned(warning) != nil {
			*out = refused(code)
		}
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

// references yields every value that names a step.
func references(o mutant.Object) iter.Seq[*strictjson.Value] {
	return func(yield func(*strictjson.Value) bool) {
		for v := range o.Values("remove_steps") {
			if !yield(v) {
				return
			}
		}
		for _, item := range steps(o) {
			if v := item.Get("id"); v != nil && !yield(v) {
				return
			}
			for v := range item.Values("dependencies") {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// written finds the item that the replies wrote of a step; of several the last.
func written(c harness.Case, step string) (found mutant.Object, ok bool) {
	for _, r := range c.Replies {
		for _, o := range mutant.Objects(r) {
			for _, item := range steps(o) {
				if mutant.ID(item.Value) == strings.TrimSpace(step) {
					found, ok = item, true
				}
			}
		}
	}
	return found, ok
}

// first returns the first object of the first reply.
func first(c harness.Case) (mutant.Object, bool) {
	if len(c.Replies) == 0 {
		return mutant.Object{}, false
	}
	if list := mutant.Objects(c.Replies[0]); len(list) > 0 {
		return list[0], true
	}
	return mutant.Object{}, false
}
