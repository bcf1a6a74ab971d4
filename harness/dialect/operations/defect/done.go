package defect

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// clearDefects are defects in clearing results.
func clearDefects() []mutant.Defect {
	return []mutant.Defect{
		editing("never-clears", "looks results up by a wrong key and clears none",
			func(e mutant.Edit) { e.Out.Results = given(e.Case.Results) }),
		editing("clears-all", "clears all results with every update",
			func(e mutant.Edit) { e.Out.Results = jsontext.Value("{}") }),
		clearing("clears-moved", "clears the results of steps that were only moved",
			func(e mutant.Edit, o harness.OperationResult) []string {
				if o.Type != "reorder" {
					return nil
				}
				return []string{o.StepID}
			}),
		clearing("clears-dependents", "clears the results of steps that depend on a modified one",
			func(e mutant.Edit, o harness.OperationResult) (ids []string) {
				if o.Type != "modify" {
					return nil
				}
				for _, s := range e.Old.Steps {
					if slices.Contains(s.Dependencies, o.StepID) {
						ids = append(ids, s.ID)
					}
				}
				return ids
			}),
		editing("keeps-results-of-removed", "keeps the results of removed steps", func(e mutant.Edit) {
			keepResults(e, func(id string) bool { return e.Old.Step(id) != nil && e.New.Step(id) == nil })
		}),
		editing("keeps-results-of-modified", "keeps the results of modified steps", func(e mutant.Edit) {
			keepResults(e, func(id string) bool { return e.New.Step(id) != nil })
		}),
	}
}

// given returns a document, or an empty object for none.
func given(doc jsontext.Value) jsontext.Value {
	if len(doc) == 0 {
		return jsontext.Value("{}")
	}
	return doc
}

// clearing clears results that operations do not touch.
func clearing(name, text string, whose func(e mutant.Edit, o harness.OperationResult) []string) mutant.Defect {
	return editing(name, text, func(e mutant.Edit) {
		var gone []string
		for _, o := range e.Out.Operations {
			if o.Result == spec.Applied {
				gone = append(gone, whose(e, o)...)
			}
		}
		e.Out.Results = mutant.Rewrite(e.Out.Results, func(o mutant.Object) { o.Drop(gone...) })
	})
}

// keepResults brings results back.
func keepResults(e mutant.Edit, which func(id string) bool) {
	left, err := strictjson.Parse(e.Out.Results, harness.DefaultMaxDepth)
	if err != nil {
		return
	}
	e.Out.Results = mutant.Rewrite(given(e.Case.Results), func(o mutant.Object) {
		o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool {
			return left.Root.Get(m.Name) == nil && !which(m.Name)
		})
	})
}

// finishedDefects are defects that lose, change or forge finished or running
// work.
func finishedDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("modifies-completed", "modifies completed steps", reopened("modify")),
		mutant.Does("removes-completed", "removes completed steps", reopened("remove")),
		updating("keeps-running", "rejects the removal of a running step", func(op mutant.Reply) {
			if s := op.Step(target(op.Object)); s != nil && s.Status == plan.Running && op.Says("type", "remove") {
				op.Set("type", mutant.Text("remove-running"))
			}
		}),
		mutant.Does("modifies-status", "lets a modification set the status", believeStatus("modify")),
		mutant.Does("adds-finished", "accepts the status completed of an added step", believeStatus("add")),
		updating("merges-parameters", "merges parameters into the old ones instead of replacing them", mergeParameters),
		editing("forgets-specialist", "drops the specialist of a modified step", func(e mutant.Edit) {
			for _, o := range e.Out.Operations {
				s := e.New.Step(o.StepID)
				if o.Type == "modify" && o.Result == spec.Applied && s != nil {
					s.Extra = without(s.Extra, "assigned_specialist")
				}
			}
		}),
	}
}

// reopened treats completed steps as open for the operations of a kind.
func reopened(kind string) mutant.Way {
	return mutant.Reopened(plan.DecodeRecord, func(c harness.Case) (named []string) {
		for _, op := range asked(c, kind) {
			named = append(named, target(op))
		}
		return named
	}, plan.Completed, plan.Running, plan.Completed)
}

// believeStatus takes over the status that operations of a kind write.
func believeStatus(kind string) mutant.Way {
	return func(r mutant.Run) harness.Outcome {
		said := map[string]plan.Status{}
		for _, op := range asked(r.Case, kind) {
			if data, ok := op.Inner("step_data"); ok &&
				slices.Contains(plan.RecordStatuses(), plan.Status(data.Text("status"))) {
				said[target(op)] = plan.Status(data.Text("status"))
			}
		}
		out := decoded(r, func(op mutant.Reply) {
			if data, ok := op.Inner("step_data"); ok && op.Says("type", kind) {
				data.Drop("status")
			}
		})
		for _, o := range out.Operations {
			if out.Plan == nil || o.Type != kind || o.Result != spec.Applied {
				continue
			}
			if s, status := out.Plan.Step(o.StepID), said[strings.TrimSpace(o.StepID)]; s != nil && status != "" &&
				s.Status != plan.Completed {
				s.Status = status
			}
		}
		return out
	}
}

func mergeParameters(op mutant.Reply) {
	data, ok := op.Inner("step_data")
	s := op.Step(target(op.Object))
	if !ok || s == nil || !op.Says("type", "modify") || data.Get("parameters") == nil {
		return
	}
	before, now := extraMember(s, "parameters"), data.Get("parameters")
	if before == nil || now.Kind != strictjson.Object {
		return
	}
	merged := mutant.Object{Value: &strictjson.Value{Kind: strictjson.Object, Members: slices.Clone(before.Members)}}
	for _, m := range now.Members {
		merged.Set(m.Name, m.Value)
	}
	data.Set("parameters", *merged.Value)
}

// without leaves a member out of an object; nil if nothing is left.
func without(doc jsontext.Value, name string) jsontext.Value {
	doc = mutant.Rewrite(doc, func(o mutant.Object) { o.Drop(name) })
	if len(doc) == 0 || string(doc) == "{}" {
		return nil
	}
	return doc
}

// policyDefects are defects in handling a failed operation.
func policyDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Does("half-applied-update", "keeps earlier operations when a later one aborts the update",
			cutAt(harness.Abort, 0)),
		mutant.Does("ends-at-first-failure", "skips all operations after a failed one", func(r mutant.Run) harness.Outcome {
			out := r.Eval()
			at := failure(out)
			if r.Profile.OnError != harness.Skip || at < 0 || len(r.Replies) != 1 {
				return out
			}
			return r.Of(upTo(r.Case, at+1))
		}),
	}
}

// failure is the place of the first operation that failed, -1 if none did.
func failure(out harness.Outcome) int {
	return slices.IndexFunc(out.Operations, func(o harness.OperationResult) bool {
		switch o.Result {
		case spec.Applied, spec.Unchanged, spec.Undone, spec.NotRun:
			return false
		}
		return true
	})
}

// upTo is the case with the first n operations of its only reply.
func upTo(c harness.Case, n int) harness.Case {
	return mutant.Reread(c, func(reply string) string {
		return mutant.Rewrite(reply, func(o mutant.Object) { o.Cut("operations", n) })
	})
}

// cutAt evaluates an update under the policy only up to its first failed operation, and so many more.
func cutAt(policy string, more int) mutant.Way {
	return func(r mutant.Run) harness.Outcome {
		out := r.Eval()
		n := failure(out) + more
		if r.Profile.OnError != policy || n < 1 || len(r.Replies) != 1 {
			return out
		}
		if cut := r.Of(upTo(r.Case, n)); cut.Plan != nil || more > 0 {
			return cut
		}
		return out
	}
}
