package defect

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// lossDefects lose items, or bring back what should go.
func lossDefects() []mutant.Defect {
	return []mutant.Defect{
		turned("blind-overwrite", "overwrites the list without checks or warnings",
			"omitted_done=drop omitted_open=drop reopen=allow in_progress=any clear=allow",
			spec.WarnDropped, spec.WarnRestored, spec.WarnDemoted, spec.WarnReopened, spec.WarnCleared),
		turned("list-drops-done", "drops done items that a rewrite leaves out", "omitted_done=drop", spec.WarnDropped),
		turned("list-drops-open", "drops open items that a rewrite leaves out", "omitted_open=drop", spec.WarnDropped),
		editing("list-drops-in-progress", "drops the item in progress if a rewrite leaves it out", func(e *edit) {
			e.remove(func(i int) bool {
				old := e.before(i)
				return old != nil && old.Status == plan.InProgress && e.named(spec.WarnRestored, old.Name())
			})
		}),
		editing("cancelled-come-back", "restores cancelled items that a rewrite leaves out", func(e *edit) {
			for j := range e.old {
				if e.old[j].Status == plan.Cancelled && e.named(spec.WarnDropped, e.old[j].Name()) && !slices.Contains(e.was, j) {
					e.now, e.was = append(e.now, e.old[j]), append(e.was, j)
				}
			}
		}),
		editing("restores-at-the-end", "puts restored items at the end of the list", func(e *edit) { e.last(e.restored) }),
		editing("restores-in-front", "puts restored items at the front of the list",
			func(e *edit) { e.last(func(i int) bool { return !e.restored(i) }) }),
		each("restored-stays-in-progress", "keeps a restored item in progress together with another", func(e *edit, i int) {
			if old := e.before(i); old != nil && old.Status == plan.InProgress && e.restored(i) {
				e.now[i].Status = plan.InProgress
			}
		}),
		each("restored-forgets-priority", "restores items without priority and active form", func(e *edit, i int) {
			if e.restored(i) {
				e.now[i].Priority, e.now[i].ActiveForm = "", ""
			}
		}),
		each("restores-as-pending", "restores items as pending, also done ones", func(e *edit, i int) {
			if e.restored(i) {
				e.now[i].Status = plan.Pending
			}
		}),
	}
}

// restored reports whether a new item was put back.
func (e *edit) restored(i int) bool {
	old := e.before(i)
	return old != nil && e.named(spec.WarnRestored, old.Name())
}

// last puts the items that are so behind the others.
func (e *edit) last(is func(i int) bool) {
	others := slices.DeleteFunc(e.places(), is)
	e.reorder(append(others, slices.DeleteFunc(e.places(), func(i int) bool { return !is(i) })...))
}

// identityDefects take items for others.
func identityDefects() []mutant.Defect {
	return []mutant.Defect{
		turned("renumbering-loses-done", "matches items only by id, so renumbered ids overwrite finished work",
			"identity=id reopen=allow", spec.WarnReworded, spec.WarnReopened),
		turned("reworded-are-lost", "matches items only by content, so reworded items are lost",
			"identity=content omitted_open=drop omitted_done=drop", spec.WarnDropped),
		mutant.Does("every-item-is-new", "finds no item of the rewrite in the old list", unpaired),
		turned("similar-is-the-same", "treats similar items as the same", "identity=similar", spec.WarnReworded),
		saying("white-space-makes-another", "treats different white space as another item",
			func(item mutant.Object, s spec.Settings, old []spec.Item) {
				text := item.Text(s.Text())
				exact := slices.ContainsFunc(old, func(o spec.Item) bool { return o.Content == text })
				if !exact && slices.ContainsFunc(old, func(o spec.Item) bool {
					return spec.Normal(o.Content) == spec.Normal(text)
				}) {
					item.Set(s.Text(), mutant.Text(strings.Join(strings.Fields(text), "_")))
				}
			}),
		saying("case-counts-nowhere", "treats contents in different case as the same item",
			func(item mutant.Object, s spec.Settings, old []spec.Item) {
				for _, o := range old {
					if text := item.Text(s.Text()); text != "" && strings.EqualFold(spec.Normal(o.Content), spec.Normal(text)) {
						item.Set(s.Text(), mutant.Text(o.Content))
					}
				}
			}),
		each("restored-takes-id", "keeps an item's id although the rewrite gives it to another", func(e *edit, i int) {
			if old := e.before(i); old != nil && e.now[i].ID == "" && old.ID != "" {
				e.now[i].ID = old.ID
			}
		}),
		turned("first-duplicate-counts", "keeps the first duplicate and drops the others without a warning",
			"duplicates=first", spec.WarnDuplicateDropped),
		turned("last-duplicate-counts", "keeps the last duplicate and drops the others without a warning",
			"duplicates=last", spec.WarnDuplicateDropped),
		each("reply-spelling-wins", "stores the rewrite's white space for equal contents", func(e *edit, i int) {
			if a := e.saying(i); a != nil && e.was[i] >= 0 && spec.Normal(a.Content) == spec.Normal(e.now[i].Content) {
				e.now[i].Content = a.Content
			}
		}),
		editing("keeps-the-old-order", "keeps the old order instead of the rewrite's", func(e *edit) {
			places := e.places()
			slices.SortStableFunc(places, func(a, b int) int {
				return cmp.Compare(uint(e.was[a]), uint(e.was[b])) // new ones, which are -1, last
			})
			e.reorder(places)
		}),
		editing("new-items-in-front", "puts new items at the front",
			func(e *edit) { e.last(func(i int) bool { return e.was[i] >= 0 }) }),
	}
}

// unpaired evaluates a rewrite of a list with other contents, and gives the old items their contents back.
func unpaired(r mutant.Run) harness.Outcome {
	const mark = "\uf8ff"
	before, err := spec.Before(r.Case)
	if err != nil {
		return r.Eval()
	}
	old := spec.Items(before)
	for i := range old {
		old[i].Content += mark
	}
	r.Profile = r.Profile.With(spec.Knobs(), "identity=content")
	r.Plan = strictjson.Encode(spec.Plan(old))
	out := r.Eval()
	for step := range mutant.Steps(out.Plan) {
		step.Description = strings.TrimSuffix(step.Description, mark)
	}
	out.Warnings = collect.Map(out.Warnings, func(w harness.Warning) harness.Warning {
		w.IDs = collect.Map(w.IDs, func(id string) string { return strings.TrimSuffix(id, mark) })
		return w
	})
	return out
}

// memberDefects forget or change members of items.
func memberDefects() []mutant.Defect {
	forget := func(name, text string, clear func(now, said *spec.Item)) mutant.Defect {
		return each(name, text, func(e *edit, i int) {
			if a := e.saying(i); a != nil && e.was[i] >= 0 {
				clear(&e.now[i], a)
			}
		})
	}
	content := func(name, text string, change func(string) string) mutant.Defect {
		return each(name, text, func(e *edit, i int) {
			e.now[i].Content = change(e.now[i].Content)
		})
	}
	odd := func(item mutant.Object) bool {
		v := item.Get("status")
		return v != nil && v.Kind == strictjson.String && !spec.IsStatus(plan.Status(v.Text))
	}
	return []mutant.Defect{
		forget("forgets-priority", "drops a priority that the rewrite leaves out",
			func(now, said *spec.Item) { now.Priority = said.Priority }),
		forget("forgets-active-form", "drops an active form that the rewrite leaves out", func(now, said *spec.Item) {
			if said.ActiveForm == "" {
				now.ActiveForm = ""
			}
		}),
		forget("forgets-id", "drops an id that the rewrite leaves out", func(now, said *spec.Item) {
			if said.ID == "" {
				now.ID = ""
			}
		}),
		forget("keeps-the-old-priority", "ignores a changed priority", func(now, said *spec.Item) { now.Priority = "" }),
		content("cuts-long-contents", "cuts contents after 1000 bytes",
			func(t string) string { return t[:min(len(t), 1000)] }),
		content("flattens-lines", "replaces line breaks in contents by blanks",
			func(t string) string { return strings.ReplaceAll(t, "\n", " ") }),
		content("strips-controls", "removes control characters from contents", func(t string) string {
			return strings.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
					return -1
				}
				return r
			}, t)
		}),
		content("strips-boxes", "removes a box at the beginning of a content",
			func(t string) string { return strings.TrimPrefix(t, "[x] ") }),
		mutant.Does("unknown-status-stored", "stores an unknown status", func(r mutant.Run) harness.Outcome {
			said := map[string]plan.Status{}
			s := spec.SettingsOf(r.Profile)
			if s.StatusWords == harness.Any {
				return r.Eval()
			}
			out := rewritten(r, func(item mutant.Object) {
				if odd(item) {
					said[spec.Normal(item.Text(s.Text()))] = plan.Status(item.Text("status"))
					item.Set("status", mutant.Text(string(plan.Pending)))
				}
			})
			for step := range mutant.Steps(out.Plan) {
				if status, odd := said[spec.Normal(step.Description)]; odd {
					step.Status = status
				}
			}
			return out
		}),
		saying("unknown-status-is-pending", "treats an unknown status as pending",
			func(item mutant.Object, _ spec.Settings, _ []spec.Item) {
				if odd(item) {
					item.Set("status", mutant.Text(string(plan.Pending)))
				}
			}),
		turned("first-in-progress-counts", "keeps only the first of several items in progress, without a warning",
			"in_progress=first", spec.WarnDemoted),
		saying("blank-content-stored", "stores a blank content as an untitled item",
			func(item mutant.Object, s spec.Settings, _ []spec.Item) {
				if v := item.Get(s.Text()); v != nil && v.Kind == strictjson.String && strings.TrimSpace(v.Text) == "" {
					item.Set(s.Text(), mutant.Text("(untitled)"))
				}
			}),
		each("cancelled-is-done", "treats a cancelled item as completed", func(e *edit, i int) {
			if e.now[i].Status == plan.Cancelled {
				e.now[i].Status = plan.Completed
			}
		}),
	}
}

// limitDefects are about how many items a list may have.
func limitDefects() []mutant.Defect {
	steps := func(l *harness.Limits) **int { return &l.MaxPlanSteps }
	cut := func(name, text string, fits func(e *edit, limit int)) mutant.Defect {
		return editing(name, text, func(e *edit) {
			if n := e.Limits.MaxPlanSteps; n != nil && *n < len(e.now) {
				fits(e, *n)
			}
		})
	}
	return []mutant.Defect{
		mutant.Unlimited("list-has-no-limit", "ignores the limit of items", steps),
		cut("limit-cuts-old-items", "cuts old items if the list exceeds its limit",
			func(e *edit, limit int) { e.remove(func(i int) bool { return i >= limit }) }),
		mutant.Limit("limit-is-one-more", "allows one item more than the limit", steps, func(n int) int {
			if n < 1 {
				return n
			}
			return n + 1
		}),
		mutant.Answers("limit-refuses", "rejects a rewrite instead of cutting new items", func(out *harness.Outcome) {
			if out.Verdict == harness.Applied && out.Warned(harness.WarnTruncated) != nil {
				*out = harness.Outcome{
					Verdict: harness.Rejected, Code: harness.OverCapacity, Tier: out.Tier, Warnings: out.Warnings,
					Repairs: out.Repairs, At: new("/todos"),
				}
			}
		}),
	}
}
