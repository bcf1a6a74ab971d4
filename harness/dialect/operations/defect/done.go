package defect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// clearDefects are defects in clearing results.
func clearDefects() []mutant.Defect {
	given := func(e mutant.Edit) jsontext.Value { return jsontext.Value(cmp.Or(string(e.Case.Results), "{}")) }
	return []mutant.Defect{
		editing("never-clears", "looks results up by a wrong key and clears none",
			func(e mutant.Edit) { e.Out.Results = given(e) }),
		editing("clears-all", "clears all results with every update",
			func(e mutant.Edit) { e.Out.Results = jsontext.Value("{}") }),
		editing("clears-moved", "clears the results of steps that were only moved", func(e mutant.Edit) {
			for _, op := range e.Out.Operations {
				if op.Result == spec.Applied && op.Type == "reorder" {
					e.Out.Results = mutant.Rewrite(e.Out.Results, func(o mutant.Object) { o.Drop(op.StepID) })
				}
			}
		}),
		editing("keeps-results-of-removed", "keeps the results of removed steps", func(e mutant.Edit) {
			left, err := strictjson.Parse(e.Out.Results, harness.DefaultMaxDepth)
			if err != nil {
				return
			}
			e.Out.Results = mutant.Rewrite(given(e), func(o mutant.Object) {
				o.Members = slices.DeleteFunc(o.Members, func(m strictjson.Member) bool {
					return left.Root.Get(m.Name) == nil && (e.Old.Step(m.Name) == nil || e.New.Step(m.Name) != nil)
				})
			})
		}),
	}
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
		upToFailure("half-applied-update", "keeps earlier operations when a later one aborts the update", harness.Abort, 0),
		upToFailure("ends-at-first-failure", "skips all operations after a failed one", harness.Skip, 1),
		mutant.Does("adds-finished", "accepts the status completed of an added step", believeStatus("add")),
		updating("merges-parameters", "merges parameters into the old ones instead of replacing them", mergeParameters),
	}
}

// reopened treats completed steps as open for the operations of a kind.
func reopened(kind string) mutant.Way {
	return mutant.Reopened(plan.DecodeRecord, func(c harness.Case) []string {
		return collect.Map(asked(c, kind), target)
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
	if !ok || s == nil || !op.Says("type", "modify") {
		return
	}
	now, ok := data.Inner("parameters")
	for _, extra := range mutant.Objects(s.Extra) {
		if merged, had := extra.Inner("parameters"); ok && had {
			for _, m := range now.Members {
				merged.Set(m.Name, m.Value)
			}
			data.Set("parameters", *merged.Value)
		}
	}
}

// upToFailure evaluates, under a policy for failures, only the operations before the first one that fails, and
// so many more.
func upToFailure(name, text, policy string, more int) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		out := r.Eval()
		failed := func(o harness.OperationResult) bool { return spec.Failed(o.Result) }
		n := slices.IndexFunc(out.Operations, failed)
		if r.Profile.OnError != policy || n < 1-more || len(r.Replies) != 1 {
			return out
		}
		cut := r.Of(mutant.Reread(r.Case, func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) { o.Cut("operations", n+more) })
		}))
		if cut.Plan == nil && more == 0 {
			return out
		}
		return cut
	})
}
