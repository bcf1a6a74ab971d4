package defects

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// clearRows are defects by which results stay or go that should not.
func clearRows() []row {
	return []row{
		{"never-clears", "looks for results by another key than they have, and clears none", recording(func(e edit) { e.out.Results = given(e.c.Results) })},
		{"clears-all", "clears all results with every update", recording(func(e edit) { e.out.Results = jsontext.Value("{}") })},
		{"clears-moved", "clears the results of steps that were only moved", clearing(func(e edit, o harness.OperationResult) []string {
			if o.Type != "reorder" {
				return nil
			}
			return []string{o.StepID}
		})},
		{"clears-dependents", "clears the results of steps that depend on a modified one", clearing(func(e edit, o harness.OperationResult) (ids []string) {
			if o.Type != "modify" {
				return nil
			}
			for _, s := range e.old.Steps {
				if slices.Contains(s.Dependencies, o.StepID) {
					ids = append(ids, s.ID)
				}
			}
			return ids
		})},
		{"keeps-results-of-removed", "keeps the results of removed steps", recording(func(e edit) {
			e.keepResults(func(id string) bool { return e.old.Step(id) != nil && e.new.Step(id) == nil })
		})},
		{"keeps-results-of-modified", "keeps the results of modified steps", recording(func(e edit) {
			e.keepResults(func(id string) bool { return e.new.Step(id) != nil })
		})},
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
func clearing(whose func(e edit, o harness.OperationResult) []string) func() flaw {
	return recording(func(e edit) {
		var gone []string
		for _, o := range e.out.Operations {
			if o.Result == words.Applied {
				gone = append(gone, whose(e, o)...)
			}
		}
		e.out.Results = jsontext.Value(rewrite(string(e.out.Results), func(o object) bool {
			return o.drop(func(id string) bool { return slices.Contains(gone, id) })
		}))
	})
}

// keepResults brings results back.
func (e edit) keepResults(which func(id string) bool) {
	left, err := strictjson.Parse(e.out.Results, harness.DefaultMaxDepth)
	if err != nil {
		return
	}
	e.out.Results = jsontext.Value(rewrite(string(given(e.c.Results)), func(o object) bool {
		o.drop(func(id string) bool { return left.Root.Get(id) == nil && !which(id) })
		return true
	}))
}

// updateFinishedRows are defects by which finished or running work is lost,
// changed or forged.
func updateFinishedRows() []row {
	return []row{
		{"modifies-completed", "modifies completed steps", always(reopened("modify"))},
		{"removes-completed", "removes completed steps", always(reopened("remove"))},
		{"moves-completed", "moves completed steps", always(reopened("reorder"))},
		{"keeps-running", "refuses to remove a step that is under way", updating(func(op object, old *plan.Plan) bool {
			s := stands(old, op.target())
			if s == nil || s.Status != plan.Running || !op.operation("remove") {
				return false
			}
			op.set("type", textValue("remove-running"))
			return true
		})},
		{"modifies-status", "lets a modification set the status", always(believeStatus("modify"))},
		{"adds-finished", "believes an added step that says it is completed", always(believeStatus("add"))},
		{"merges-parameters", "merges parameters into the old ones, where they replace them", updating(mergeParameters)},
		{"forgets-specialist", "loses the specialist of a step that is modified", recording(func(e edit) {
			for _, o := range e.out.Operations {
				s := e.new.Step(o.StepID)
				if o.Type == "modify" && o.Result == words.Applied && s != nil {
					s.Extra = without(s.Extra, "assigned_specialist")
				}
			}
		})},
	}
}

// reopened treats completed steps as open for the operations of a kind.
func reopened(kind string) flaw {
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		open := oldRecord(c)
		if open == nil {
			return rightUpdate(c, p)
		}
		var ids []string
		for _, op := range asked(c, kind) {
			if s := stands(open, op.target()); s != nil && s.Status == plan.Completed {
				s.Status = plan.Running
				ids = append(ids, s.ID)
			}
		}
		if ids == nil {
			return rightUpdate(c, p)
		}
		out := rightUpdate(withPlan(c, open), p)
		for _, id := range ids {
			if out.Plan != nil && out.Plan.Step(id) != nil {
				out.Plan.Step(id).Status = plan.Completed
			}
		}
		return out
	}
}

// believeStatus takes over the status that operations of a kind write.
func believeStatus(kind string) flaw {
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		said := map[string]plan.Status{}
		for _, op := range asked(c, kind) {
			data, ok := op.data()
			if v := op.Get("step_data"); ok && v.Get("status") != nil && slices.Contains(plan.RecordStatuses(), plan.Status(data.Get("status").Text)) {
				said[op.target()] = plan.Status(data.Get("status").Text)
			}
		}
		out := rightUpdate(rewritten(c, func(op object, _ *plan.Plan) bool {
			data, ok := op.data()
			return ok && op.operation(kind) && data.drop(func(name string) bool { return name == "status" })
		}), p)
		for _, o := range out.Operations {
			if out.Plan == nil || o.Type != kind || o.Result != words.Applied {
				continue
			}
			if s, status := out.Plan.Step(o.StepID), said[strings.TrimSpace(o.StepID)]; s != nil && status != "" && s.Status != plan.Completed {
				s.Status = status
			}
		}
		return out
	}
}

func mergeParameters(op object, old *plan.Plan) bool {
	data, ok := op.data()
	s := stands(old, op.target())
	if !ok || s == nil || !op.operation("modify") || data.Get("parameters") == nil {
		return false
	}
	before, now := extraMember(s, "parameters"), data.Get("parameters")
	if before == nil || now.Kind != strictjson.Object {
		return false
	}
	merged := object{&strictjson.Value{Kind: strictjson.Object, Members: slices.Clone(before.Members)}}
	for _, m := range now.Members {
		merged.set(m.Name, m.Value)
	}
	data.set("parameters", *merged.Value)
	return true
}

// without leaves a member out of an object; nil if nothing is left.
func without(doc jsontext.Value, name string) jsontext.Value {
	text := rewrite(string(doc), func(o object) bool { return o.drop(func(n string) bool { return n == name }) })
	if text == "{}" || text == "" {
		return nil
	}
	return jsontext.Value(text)
}

// updatePolicyRows are defects in what happens when an operation fails.
func updatePolicyRows() []row {
	return []row{
		{"half-applied-update", "keeps what was applied before the operation that aborted the update", always(halfUpdate)},
		{"ends-at-first-failure", "leaves out the operations behind one that fails, though it should skip it", always(endsAtFailure)},
		{"always-aborts", "takes the whole update back when an operation fails, though it should skip it", always(func(c harness.Case, p harness.Profile) harness.Outcome {
			p.OnError = harness.Abort
			return rightUpdate(c, p)
		})},
	}
}

// failure is the place of the first operation that failed, -1 if none did.
func failure(out harness.Outcome) int {
	return slices.IndexFunc(out.Operations, func(o harness.OperationResult) bool {
		switch o.Result {
		case words.Applied, words.Unchanged, words.Undone, words.NotRun:
			return false
		}
		return true
	})
}

// upTo is the case with the first n operations of its only reply.
func upTo(c harness.Case, n int) harness.Case {
	c.Replies = []harness.Reply{harness.Reply(rewrite(string(c.Replies[0]), func(o object) bool {
		list := o.Get("operations")
		if list == nil || len(list.Items) < n {
			return false
		}
		list.Items = list.Items[:n]
		return true
	}))}
	return c
}

func halfUpdate(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightUpdate(c, p)
	at := failure(out)
	if p.OnError != harness.Abort || at < 1 || len(c.Replies) != 1 {
		return out
	}
	half := rightUpdate(upTo(c, at), p)
	if half.Plan == nil {
		return out
	}
	return half
}

func endsAtFailure(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightUpdate(c, p)
	at := failure(out)
	if p.OnError != harness.Skip || at < 0 || len(c.Replies) != 1 {
		return out
	}
	return rightUpdate(upTo(c, at+1), p)
}
