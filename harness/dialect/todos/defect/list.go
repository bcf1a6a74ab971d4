package defect

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/todos/words"
	"replanbench/harness/mutant"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// lossDefects lose items, or bring back what should go.
func lossDefects() []mutant.Defect {
	lost := []string{words.WarnDropped, words.WarnRestored, words.WarnDemoted}
	return []mutant.Defect{
		mutant.New("blind-overwrite", "the rewrite is the list, whatever it loses or reopens, and nothing is said of that",
			quietly(under("omitted_done=drop", "omitted_open=drop", "reopen=allow", "in_progress=any", "clear=allow"), append(lost, words.WarnReopened, words.WarnCleared)...)),
		mutant.New("list-drops-done", "done items that a rewrite leaves out are gone", quietly(under("omitted_done=drop"), words.WarnDropped)),
		mutant.New("list-drops-open", "open items that a rewrite leaves out are gone", quietly(under("omitted_open=drop"), words.WarnDropped)),
		mutant.New("list-drops-in-progress", "the item in progress is gone if a rewrite leaves it out", editing(func(e *edit) {
			e.remove(func(i int) bool {
				old := e.before(i)
				return old != nil && old.Status == plan.InProgress && e.named(words.WarnRestored, old.Name())
			})
		})),
		mutant.New("empty-list-clears", "an empty list clears everything", quietly(under("clear=allow"), words.WarnCleared)),
		mutant.New("list-never-clears", "an empty list never clears", under("clear=reject")),
		mutant.New("cancelled-come-back", "cancelled items come back for ever", editing(func(e *edit) {
			for j := range e.old {
				if e.old[j].Status == plan.Cancelled && e.named(words.WarnDropped, e.old[j].Name()) && !slices.Contains(e.was, j) {
					e.now, e.was = append(e.now, e.old[j]), append(e.was, j)
				}
			}
		})),
		mutant.New("restores-at-the-end", "restored items go to the end of the list", editing(func(e *edit) { e.last(e.restored) })),
		mutant.New("restores-in-front", "restored items go to the front of the list", editing(func(e *edit) { e.last(func(i int) bool { return !e.restored(i) }) })),
		mutant.New("restored-stays-in-progress", "a restored item stays in progress beside another", editing(func(e *edit) {
			for i := range e.now {
				if old := e.before(i); old != nil && old.Status == plan.InProgress && e.restored(i) {
					e.now[i].Status = plan.InProgress
				}
			}
		})),
		mutant.New("new-items-are-not-in-progress", "an item that the rewrite leaves out stays in progress beside a new one that it starts", editing(func(e *edit) {
			for i := range e.now {
				if e.now[i].Status == plan.InProgress && e.before(i) != nil {
					return
				}
			}
			for i := range e.now {
				if old := e.before(i); old != nil && old.Status == plan.InProgress && e.restored(i) {
					e.now[i].Status = plan.InProgress
					return
				}
			}
		})),
		mutant.New("restored-forgets-priority", "a restored item has neither priority nor active form", editing(func(e *edit) {
			for i := range e.now {
				if e.restored(i) {
					e.now[i].Priority, e.now[i].ActiveForm = "", ""
				}
			}
		})),
		mutant.New("restores-as-pending", "restored items become pending, done ones too", editing(func(e *edit) {
			for i := range e.now {
				if e.restored(i) {
					e.now[i].Status = plan.Pending
				}
			}
		})),
		mutant.New("rewrite-reopens-done", "a rewrite makes done items undone", quietly(under("reopen=allow"), words.WarnReopened)),
		mutant.New("done-cannot-be-said-again", "a done item that the rewrite names is left out of the list", editing(func(e *edit) {
			e.remove(func(i int) bool {
				old := e.before(i)
				return old != nil && old.Status == plan.Completed && !e.restored(i) && len(e.now) > 1 && i == 0
			})
		})),
	}
}

// restored reports whether a new item was put back.
func (e *edit) restored(i int) bool {
	old := e.before(i)
	return old != nil && e.named(words.WarnRestored, old.Name())
}

// last puts the items that are so behind the others.
func (e *edit) last(is func(i int) bool) {
	var first, last []int
	for i := range e.now {
		if is(i) {
			last = append(last, i)
		} else {
			first = append(first, i)
		}
	}
	e.reorder(append(first, last...))
}

// identityDefects take items for others.
func identityDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("renumbering-loses-done", "items are found by their ids alone, so that renumbered ids overwrite finished work", quietly(under("identity=id", "reopen=allow"), words.WarnReworded, words.WarnReopened)),
		mutant.New("reworded-are-lost", "items are found by their contents alone, and those that are reworded are gone", quietly(under("identity=content", "omitted_open=drop", "omitted_done=drop"), words.WarnDropped)),
		mutant.New("similar-is-the-same", "items that are nearly alike are one", quietly(under("identity=similar"), words.WarnReworded)),
		mutant.New("similar-matches-twice", "a new item that is nearly like an old one goes into it", editing(func(e *edit) {
			e.remove(func(i int) bool {
				return e.was[i] < 0 && slices.ContainsFunc(e.old, func(o words.Item) bool {
					a, b := words.Normal(o.Content), words.Normal(e.now[i].Content)
					return len(a) > 4 && len(b) > 4 && a != b && (strings.HasPrefix(a, b[:len(b)-1]) || strings.HasPrefix(b, a[:len(a)-1])) && max(len(a)-len(b), len(b)-len(a)) < 2
				})
			})
		})),
		mutant.New("white-space-makes-another", "other white space makes another item", saying(func(item mutant.Object, s words.Settings, old []words.Item) {
			text := item.Text(s.Text())
			exact := slices.ContainsFunc(old, func(o words.Item) bool { return o.Content == text })
			if !exact && slices.ContainsFunc(old, func(o words.Item) bool { return words.Normal(o.Content) == words.Normal(text) }) {
				item.Set(s.Text(), mutant.Text(strings.Join(strings.Fields(text), "_")))
			}
		})),
		mutant.New("case-counts-nowhere", "contents in other case are the same item", saying(func(item mutant.Object, s words.Settings, old []words.Item) {
			for _, o := range old {
				if text := item.Text(s.Text()); text != "" && strings.EqualFold(words.Normal(o.Content), words.Normal(text)) {
					item.Set(s.Text(), mutant.Text(o.Content))
				}
			}
		})),
		mutant.New("restored-takes-id", "an item that loses its id to another keeps it", editing(func(e *edit) {
			for i := range e.now {
				if old := e.before(i); old != nil && e.now[i].ID == "" && old.ID != "" {
					e.now[i].ID = old.ID
				}
			}
		})),
		mutant.New("duplicate-items-stay", "what is twice in a rewrite is twice in the list", under("duplicates=keep")),
		mutant.New("first-duplicate-counts", "of duplicates the first counts, and the others vanish", quietly(under("duplicates=first"), words.WarnDuplicateDropped)),
		mutant.New("last-duplicate-counts", "of duplicates the last counts, and the others vanish", quietly(under("duplicates=last"), words.WarnDuplicateDropped)),
		mutant.New("reply-spelling-wins", "an item is spelled as the rewrite spells it", editing(func(e *edit) {
			for i := range e.now {
				if a := e.saying(i); a != nil && e.was[i] >= 0 && words.Normal(a.Content) == words.Normal(e.now[i].Content) {
					e.now[i].Content = a.Content
				}
			}
		})),
		mutant.New("keeps-the-old-order", "items stay in the old order, whatever the rewrite says", editing(func(e *edit) {
			places := make([]int, len(e.now))
			for i := range places {
				places[i] = i
			}
			slices.SortStableFunc(places, func(a, b int) int {
				return cmp.Compare(uint(e.was[a]), uint(e.was[b])) // new ones, which are -1, last
			})
			e.reorder(places)
		})),
		mutant.New("new-items-in-front", "new items go to the front", editing(func(e *edit) { e.last(func(i int) bool { return e.was[i] >= 0 }) })),
	}
}

// memberDefects forget or change members of items.
func memberDefects() []mutant.Defect {
	forget := func(name, text string, clear func(now, said *words.Item)) mutant.Defect {
		return mutant.New(name, text, editing(func(e *edit) {
			for i := range e.now {
				if a := e.saying(i); a != nil && e.was[i] >= 0 {
					clear(&e.now[i], a)
				}
			}
		}))
	}
	content := func(name, text string, change func(string) string) mutant.Defect {
		return mutant.New(name, text, editing(func(e *edit) {
			for i := range e.now {
				e.now[i].Content = change(e.now[i].Content)
			}
		}))
	}
	odd := func(item mutant.Object) bool {
		v := item.Get("status")
		return v != nil && v.Kind == strictjson.String && !words.IsStatus(plan.Status(v.Text))
	}
	return []mutant.Defect{
		forget("forgets-priority", "an item loses its priority where the rewrite leaves it out", func(now, said *words.Item) { now.Priority = said.Priority }),
		forget("forgets-active-form", "an item loses its active form where the rewrite leaves it out", func(now, said *words.Item) {
			if said.ActiveForm == "" {
				now.ActiveForm = ""
			}
		}),
		forget("forgets-id", "an item loses its id where the rewrite leaves it out", func(now, said *words.Item) {
			if said.ID == "" {
				now.ID = ""
			}
		}),
		forget("keeps-the-old-priority", "a rewrite cannot change a priority", func(now, said *words.Item) { now.Priority = "" }),
		content("cuts-long-contents", "contents are cut after a thousand characters", func(t string) string { return t[:min(len(t), 1000)] }),
		content("flattens-lines", "line breaks in contents become blanks", func(t string) string { return strings.ReplaceAll(t, "\n", " ") }),
		content("strips-controls", "control characters in contents are left out", func(t string) string {
			return strings.Map(func(r rune) rune {
				if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
					return -1
				}
				return r
			}, t)
		}),
		content("strips-boxes", "what looks like a box in a content is left out", func(t string) string { return strings.TrimPrefix(t, "[x] ") }),
		mutant.New("unknown-status-stored", "a status that does not exist is stored as it is", mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
			said := map[string]plan.Status{}
			s := words.SettingsOf(p)
			if s.StatusWords == harness.Any {
				return right(c, p)
			}
			out := right(mutant.Reread(c, func(reply string) string {
				return mutant.Rewrite(reply, func(o mutant.Object) {
					for _, item := range o.Items(s.List()) {
						if odd(item) {
							said[words.Normal(item.Text(s.Text()))] = plan.Status(item.Text("status"))
							item.Set("status", mutant.Text(string(plan.Pending)))
						}
					}
				})
			}), p)
			if out.Plan != nil {
				list := words.Items(out.Plan)
				for i := range list {
					if st, odd := said[words.Normal(list[i].Content)]; odd {
						list[i].Status = st
					}
				}
				out.Plan = words.Plan(list)
			}
			return out
		})),
		mutant.New("unknown-status-is-pending", "a status that does not exist means pending", saying(func(item mutant.Object, _ words.Settings, _ []words.Item) {
			if odd(item) {
				item.Set("status", mutant.Text(string(plan.Pending)))
			}
		})),
		mutant.New("two-items-in-progress", "several items may be in progress", under("in_progress=any")),
		mutant.New("first-in-progress-counts", "of several items in progress the first counts, and nothing is said", quietly(under("in_progress=first"), words.WarnDemoted)),
		mutant.New("blank-content-stored", "an item without words is an untitled one", saying(func(item mutant.Object, s words.Settings, _ []words.Item) {
			if v := item.Get(s.Text()); v != nil && v.Kind == strictjson.String && strings.TrimSpace(v.Text) == "" {
				item.Set(s.Text(), mutant.Text("(untitled)"))
			}
		})),
		mutant.New("cancelled-is-done", "a cancelled item counts as completed", editing(func(e *edit) {
			for i := range e.now {
				if e.now[i].Status == plan.Cancelled {
					e.now[i].Status = plan.Completed
				}
			}
		})),
	}
}

// limitDefects are about how many items a list may have.
func limitDefects() []mutant.Defect {
	cut := func(name, text string, fits func(e *edit, limit int)) mutant.Defect {
		return mutant.New(name, text, editing(func(e *edit) {
			if n := e.Limits.MaxPlanSteps; n != nil && *n < len(e.now) {
				fits(e, *n)
			}
		}))
	}
	return []mutant.Defect{
		mutant.New("list-has-no-limit", "a list grows beyond its limit", mutant.Asking(func(c *harness.Case) {
			if n := c.Limits.MaxPlanSteps; n != nil && *n > 0 {
				c.Limits.MaxPlanSteps = nil
			}
		})),
		cut("limit-cuts-old-items", "old items are cut where the list is above its limit", func(e *edit, limit int) { e.remove(func(i int) bool { return i >= limit }) }),
		mutant.New("limit-is-one-more", "a list may have one item more than its limit", mutant.Limit(func(l *harness.Limits) **int { return &l.MaxPlanSteps }, func(n int) int {
			if n < 1 {
				return n
			}
			return n + 1
		})),
		mutant.New("limit-refuses", "a rewrite is refused where new items would have to be cut", mutant.AnsweringTo(func(_ harness.Case, out *harness.Outcome) {
			if wasCut(out) {
				overCapacity(out)
			}
		})),
		mutant.New("limit-stops-at-done", "new items are cut from the end, and none in front of one that is done: the rewrite is refused", mutant.AnsweringTo(func(_ harness.Case, out *harness.Outcome) {
			if !wasCut(out) {
				return
			}
			was := origins(out)
			if last := len(was) - 1; last >= 0 && was[last] < 0 && out.Plan.Steps[last].Status == plan.Completed {
				overCapacity(out)
			}
		})),
	}
}

// wasCut reports whether new items were cut from a list.
func wasCut(out *harness.Outcome) bool {
	return out.Verdict == harness.Applied && slices.ContainsFunc(out.Warnings, func(w harness.Warning) bool { return w.Code == harness.WarnTruncated })
}

// overCapacity refuses a rewrite for its limit.
func overCapacity(out *harness.Outcome) {
	*out = harness.Outcome{Verdict: harness.Rejected, Code: harness.OverCapacity, Tier: out.Tier, Warnings: out.Warnings, Repairs: out.Repairs, At: new("/todos")}
}
