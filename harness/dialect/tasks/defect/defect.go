// Package defect lists the ways in which engines for the dialect tasks are wrong.
package defect

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Defects lists the defects.
func Defects() []mutant.Defect { return slices.Concat(calls(), graphs(), reports()) }

// saying changes each call before it is read.
func saying(name, text string, change func(o mutant.Object)) mutant.Defect {
	return mutant.Reads(name, text, func(reply string) string {
		return mutant.Rewrite(reply, func(o mutant.Object) {
			for _, call := range o.Items("calls") {
				change(call)
			}
		})
	})
}

func without(name, text string, members ...string) mutant.Defect {
	return saying(name, text, func(o mutant.Object) { o.Drop(members...) })
}

func calls() []mutant.Defect {
	return []mutant.Defect{
		mutant.Follows("drops-unknown-blockers", "drops unknown blockers silently", spec.Knobs(), "unknown_dependency=drop",
			"dropped"),
		without("ignores-blocks", "ignores the tasks that a new one blocks", "blocks"),
		without("ignores-add-blocks", "ignores add_blocks", "add_blocks"),
		without("ignores-added-blockers", "ignores add_blocked_by", "add_blocked_by"),
		without("ignores-removed-blockers", "ignores remove_blocked_by", "remove_blocked_by"),
		without("ignores-task-parent", "ignores parents", "parent"),
		without("ignores-task-description", "ignores descriptions", "description"),
		without("ignores-new-blockers", "ignores blocked_by", "blocked_by"),
		saying("adds-to-blockers", "adds the new set of blockers to the old one", func(o mutant.Object) {
			if o.Text("call") == "update" && o.Get("blocked_by") != nil && o.Get("add_blocked_by") == nil {
				o.Set("add_blocked_by", *o.Get("blocked_by"))
				o.Drop("blocked_by")
			}
		}),
		saying("first-of-ids", "gives only the first of several ids the status", func(o mutant.Object) { o.Cut("ids", 1) }),
		saying("first-of-replace", "creates only the first task of a replace", func(o mutant.Object) { o.Cut("tasks", 1) }),
		saying("replace-appends", "appends where a replace removes the open tasks", func(o mutant.Object) { o.Drop("mode") }),
		saying("folds-status", "accepts statuses in any case", func(o mutant.Object) {
			if s := o.Text("status"); s != "" {
				o.Set("status", mutant.Text(strings.ToLower(s)))
			}
		}),
		saying("takes-number-ids", "accepts numbers as ids", func(o mutant.Object) {
			if v := o.Get("id"); v != nil && v.Kind == strictjson.Number {
				o.Set("id", mutant.Text(v.Text))
			}
		}),
		saying("drops-extra-task-members", "drops unknown members silently", func(o mutant.Object) {
			form := spec.Form(o.Text("call"), &spec.Settings{})
			o.Keep(append(form.Known(), "id", "ids")...)
		}),
		mutant.Reads("loses-second-call", "carries out only the first call of a turn", func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) { o.Cut("calls", 1) })
		}),
		mutant.FirstReply("first-turn-only", "carries out only the first turn"),
		idle("update"),
		idle("delete"),
	}
}

// idle says that it carried out a call, and does nothing: it answers as to a call of next that shows no tasks.
func idle(name string) mutant.Defect {
	return mutant.New("idle-"+name, "says that it carried out "+name+", and does nothing", func(right mutant.Eval) mutant.Eval {
		return func(c harness.Case, p harness.Profile) harness.Outcome {
			var skipped []bool // by call
			c.Replies = slices.Clone(c.Replies)
			for i := range c.Replies {
				c.Replies[i] = mutant.Rewrite(c.Replies[i], func(o mutant.Object) {
					skipped = nil
					for _, call := range o.Items("calls") {
						skip := call.Text("call") == name
						if skipped = append(skipped, skip); skip {
							call.Members = slices.DeleteFunc(call.Members, func(m strictjson.Member) bool { return m.Name != "call" })
							call.Set("call", mutant.Text("next"))
						}
					}
				})
			}
			out := right(c, p)
			results := spec.Results(&out)
			for i := range min(len(results), len(skipped)) {
				if skipped[i] {
					results[i].Ready = nil
				}
			}
			putResults(&out, results)
			return out
		}
	})
}

// editing changes the graph of an applied outcome.
func editing(name, text string, change func(before, after *spec.Graph, created []string)) mutant.Defect {
	return mutant.AnswersTo(name, text, func(c harness.Case, out *harness.Outcome) {
		before, err := spec.Decode(c.Plan)
		if err != nil || out.Plan == nil {
			return
		}
		after := spec.GraphOf(out.Plan)
		change(before, after, spec.CreatedIDs(out))
		out.Plan = after.Plan()
	})
}

// changing changes each task of the case that there still is.
func changing(name, text string, change func(old, now *spec.Task)) mutant.Defect {
	return editing(name, text, func(before, after *spec.Graph, _ []string) {
		for i := range after.Tasks {
			if old := before.Find(after.Tasks[i].ID); old != nil {
				change(old, &after.Tasks[i])
			}
		}
	})
}

func graphs() []mutant.Defect {
	return []mutant.Defect{
		changing("loses-edges-with-subject", "loses the blockers of a task that gets another subject", func(old, now *spec.Task) {
			if old.Subject != now.Subject {
				now.BlockedBy = nil
			}
		}),
		changing("loses-parent-with-subject", "loses the parent of a task that gets another subject", func(old, now *spec.Task) {
			if old.Subject != now.Subject {
				now.Parent = ""
			}
		}),
		changing("loses-description-when-done", "loses the description of a task that is completed", func(old, now *spec.Task) {
			if now.Done() && !old.Done() {
				now.Description = ""
			}
		}),
		editing("drops-completed-task", "drops a task when it is completed", func(before, after *spec.Graph, _ []string) {
			after.Tasks = slices.DeleteFunc(after.Tasks, func(t spec.Task) bool {
				old := before.Find(t.ID)
				return old != nil && !old.Done() && t.Done()
			})
		}),
		editing("drops-old-done", "drops done tasks when a task is created", func(before, after *spec.Graph, created []string) {
			after.Tasks = slices.DeleteFunc(after.Tasks, func(t spec.Task) bool { return len(created) > 0 && before.Find(t.ID) != nil && t.Done() })
		}),
		editing("new-first", "puts new tasks first", func(before, after *spec.Graph, _ []string) {
			isOld := func(t spec.Task) int { return collect.One(before.Find(t.ID) != nil) }
			slices.SortStableFunc(after.Tasks, func(a, b spec.Task) int { return isOld(a) - isOld(b) })
		}),
		editing("unblocks-when-done", "removes a blocker that is completed", func(before, after *spec.Graph, _ []string) {
			for i := range after.Tasks {
				t := &after.Tasks[i]
				t.BlockedBy = slices.DeleteFunc(slices.Clone(t.BlockedBy), func(id string) bool {
					old, now := before.Find(id), after.Find(id)
					return old != nil && now != nil && !old.Done() && now.Done()
				})
			}
		}),
		changing("cancelled-task-is-done", "stores cancelled as completed", func(old, now *spec.Task) {
			if old.Status != now.Status && now.Status == plan.Cancelled {
				now.Status = plan.Completed
			}
		}),
		editing("trims-descriptions", "trims descriptions", func(_, after *spec.Graph, _ []string) {
			for i := range after.Tasks {
				after.Tasks[i].Description = strings.TrimSpace(after.Tasks[i].Description)
			}
		}),
		editing("cuts-many-created", "keeps at most ten new tasks", func(before, after *spec.Graph, created []string) {
			after.Tasks = slices.DeleteFunc(after.Tasks, func(t spec.Task) bool { return slices.Index(created, t.ID) >= 10 })
		}),
		mutant.Does("counts-ids", "takes the id of a new task from the number of tasks", countsIDs),
	}
}

// countsIDs calls the last created task by the number of tasks, as if ids were counted.
func countsIDs(r mutant.Run) harness.Outcome {
	out := r.Eval()
	ids := spec.CreatedIDs(&out)
	if out.Plan == nil || len(ids) == 0 || spec.SettingsOf(r.Profile).IDs == spec.Given {
		return out
	}
	last := ids[len(ids)-1]
	to := "k" + strconv.Itoa(len(out.Plan.Steps)-1)
	swap := func(raw []byte) jsontext.Value {
		return []byte(strings.ReplaceAll(string(raw), strconv.Quote(last), strconv.Quote(to)))
	}
	text, err := json.Marshal(out.Plan)
	if err != nil {
		return out
	}
	after := new(plan.Plan)
	if json.Unmarshal(swap(text), after) == nil {
		out.Plan = after
	}
	out.Results = swap(out.Results)
	out.More = map[string]jsontext.Value{spec.CreatedMember: swap(out.More[spec.CreatedMember])}
	return out
}

// telling changes the results of an outcome.
func telling(name, text string, change func(r *spec.Result, after *spec.Graph)) mutant.Defect {
	return mutant.Answers(name, text, func(out *harness.Outcome) {
		after := spec.GraphOf(out.Plan)
		if after == nil {
			return
		}
		results := spec.Results(out)
		for i := range results {
			change(&results[i], after)
		}
		putResults(out, results)
	})
}

func putResults(out *harness.Outcome, results []spec.Result) {
	if data, err := json.Marshal(results); err == nil && results != nil {
		out.Results = data
	}
}

func reports() []mutant.Defect {
	return []mutant.Defect{
		mutant.Accepts("keeps-graph-instead", plan.DecodeTasks),
		telling("refusal-told-ok", "reports rejected calls as carried out", func(r *spec.Result, _ *spec.Graph) {
			if r.Code != "" && r.Code != spec.NotRun {
				*r = spec.Result{OK: true}
			}
		}),
		telling("success-told-refused", "reports updates that were carried out as rejected", func(r *spec.Result, _ *spec.Graph) {
			if r.OK && r.ID == "" && r.IDs == nil && r.Ready == nil {
				*r = spec.Result{Code: harness.UnknownStep}
			}
		}),
		telling("next-names-blocked", "names blocked tasks as ready", func(r *spec.Result, after *spec.Graph) {
			if r.Ready != nil {
				list := []string{}
				for _, t := range after.Tasks {
					if t.Status == plan.Pending {
						list = append(list, t.ID)
					}
				}
				r.Ready = &list
			}
		}),
		telling("next-names-cancelled", "names cancelled tasks as ready", func(r *spec.Result, after *spec.Graph) {
			for _, t := range after.Tasks {
				if r.Ready != nil && t.Status == plan.Cancelled {
					*r.Ready = append(*r.Ready, t.ID)
				}
			}
		}),
		telling("next-names-one", "names only the first ready task", func(r *spec.Result, _ *spec.Graph) {
			if r.Ready != nil && len(*r.Ready) > 1 {
				*r.Ready = (*r.Ready)[:1]
			}
		}),
		telling("forgets-created", "leaves the ids of new tasks out of the results", func(r *spec.Result, _ *spec.Graph) {
			r.ID = ""
		}),
	}
}
