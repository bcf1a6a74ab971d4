package defect

import (
	"bytes"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
)

// wireDefects read replies in another way.
func wireDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("list-drops-unknown-members", "drops unknown members without a warning",
			mutant.Quietly(under("extra_fields=drop"), harness.WarnUnknownField)),
		mutant.New("list-last-member-counts", "uses the last of duplicate members",
			mutant.Quietly(under("duplicate_keys=last"), harness.WarnDuplicateKey)),
		mutant.New("null-list-clears", "treats a null list as an empty one", mutant.Reading(func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) {
				for _, name := range []string{"todos", "plan"} {
					if v := o.Get(name); v != nil && v.Kind == strictjson.Null {
						o.Set(name, mutant.Texts())
					}
				}
			})
		})),
		mutant.New("items-may-be-texts", "treats a text as a pending item",
			mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
				s := spec.SettingsOf(p)
				return right(mutant.Reread(c, func(reply string) string {
					return mutant.Rewrite(reply, func(o mutant.Object) {
						for v := range o.Values(s.List()) {
							if v.Kind == strictjson.String {
								*v = strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
									{Name: s.Text(), Value: mutant.Text(v.Text)}, {Name: "status", Value: mutant.Text("pending")},
								}}
							}
						}
					})
				}), p)
			})),
		mutant.New("merge-drops-the-rest", "a merge drops the items that it does not name", editing(func(e *edit) {
			merge := slices.ContainsFunc(e.Replies, func(r harness.Reply) bool {
				return slices.ContainsFunc(mutant.Objects(r), func(o mutant.Object) bool { return o.Says("merge", "true") })
			})
			if e.settings.Format == spec.Merge && merge {
				e.remove(func(i int) bool {
					return !slices.ContainsFunc(e.asked, func(a spec.Item) bool { return a.ID == e.now[i].ID })
				})
			}
		})),
		mutant.New("merge-is-a-rewrite", "ignores the member merge", mutant.Reading(func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) {
				if o.Says("merge", "true") {
					o.Drop("merge")
				}
			})
		})),
		mutant.New("merge-loses-active-form", "a merge without an active form removes it", editing(func(e *edit) {
			for i := range e.now {
				named := slices.ContainsFunc(e.merged(), func(a spec.Item) bool {
					return a.ID == e.now[i].ID && a.ActiveForm == ""
				})
				if e.now[i].ID != "" && named {
					e.now[i].ActiveForm = ""
				}
			}
		})),
		mutant.New("merge-finds-items-where-they-began",
			"a later merge matches items by their index at the start of the session", mutant.By(whereTheyBegan)),
		mutant.New("merge-passes-over-unknown-ids", "ignores unknown ids in a merge",
			saying(func(item mutant.Object, s spec.Settings, old []spec.Item) {
				id := item.Text("id")
				known := slices.ContainsFunc(old, func(o spec.Item) bool { return o.ID == id })
				if s.Format == spec.Merge && id != "" && !known && item.Get("status") == nil && len(old) > 0 {
					item.Set("id", mutant.Text(old[0].ID))
				}
			})),
	}
}

func (e *edit) merged() []spec.Item {
	if e.settings.Format != spec.Merge {
		return nil
	}
	merges := e.Case
	merges.Replies = slices.DeleteFunc(slices.Clone(e.Replies), func(r harness.Reply) bool {
		return !slices.ContainsFunc(mutant.Objects(r), func(o mutant.Object) bool { return o.Says("merge", "true") })
	})
	return asked(merges, e.settings)
}

// whereTheyBegan gives the items of later merges the ids of those that stand now
// where the named ones stood in the list of the case.
func whereTheyBegan(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	before, err := spec.Before(c)
	if err != nil || len(c.Replies) < 2 || spec.SettingsOf(p).Format != spec.Merge {
		return right(c, p)
	}
	first := c
	first.Replies = c.Replies[:1]
	out := right(first, p)
	if out.Plan == nil {
		return right(c, p)
	}
	began, now := spec.Items(before), spec.Items(out.Plan)
	later := c
	later.Replies = c.Replies[1:]
	later = mutant.Reread(later, func(reply string) string {
		return mutant.Rewrite(reply, func(o mutant.Object) {
			if !o.Says("merge", "true") {
				return
			}
			for _, item := range o.Items(spec.SettingsOf(p).List()) {
				i := slices.IndexFunc(began, func(b spec.Item) bool { return b.ID != "" && b.ID == item.Text("id") })
				if i >= 0 && i < len(now) && now[i].ID != "" {
					item.Set("id", mutant.Text(now[i].ID))
				}
			}
		})
	})
	c.Replies = slices.Concat(c.Replies[:1], later.Replies)
	return right(c, p)
}

// boxDefects read Markdown in another way.
func boxDefects() []mutant.Defect {
	starts := func(prefixes ...string) func(string) bool {
		return func(line string) bool {
			return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(line, p) })
		}
	}
	fence := func(line string) bool { return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") }
	return []mutant.Defect{
		mutant.New("starred-items-are-lost", "ignores items with an asterisk", lines(without(starts("*")))),
		mutant.New("nested-items-are-lost", "ignores indented items", lines(without(starts(" ", "\t")))),
		mutant.New("numbered-items-are-lost", "ignores numbered items",
			lines(without(func(l string) bool { return l != "" && l[0] >= '0' && l[0] <= '9' }))),
		mutant.New("bare-boxes-are-lost", "ignores items without a bullet", lines(without(starts("[")))),
		mutant.New("capital-x-is-open", "reads a capital X as open",
			lines(func(t string) string { return strings.ReplaceAll(t, "[X]", "[ ]") })),
		mutant.New("fences-hold-items", "reads items in a code fence together with others", lines(without(fence))),
		mutant.New("fenced-lists-are-lost", "does not find a list in a code fence", lines(func(text string) string {
			var kept []string
			inside := false
			for line := range strings.SplitSeq(text, "\n") {
				if fence(line) {
					inside = !inside
				} else if !inside {
					kept = append(kept, line)
				}
			}
			return strings.Join(kept, "\n")
		})),
		mutant.New("thoughts-hold-items", "reads items in a <think> block", lines(func(t string) string {
			return strings.NewReplacer("<think>", "", "</think>", "").Replace(t)
		})),
		mutant.New("unknown-boxes-are-passed-over", "ignores items with an unknown mark", lines(without(starts("- [?]")))),
		mutant.New("boxes-clear", "Markdown without an item clears the list",
			mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
				out := right(c, p)
				before, err := spec.Before(c)
				if spec.SettingsOf(p).Format == spec.Markdown && out.Code == harness.NoDocument && err == nil &&
					len(before.Steps) > 0 {
					out = harness.Outcome{
						Verdict: harness.Applied, Plan: spec.Plan(nil), Tier: harness.TierExtracted,
						Warnings: []harness.Warning{}, Repairs: []harness.Repair{},
					}
				}
				return out
			})),
	}
}

// replyDefects are about refusals and several replies.
func replyDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("half-applied-list", "adds the first item of a rejected rewrite",
			mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
				out := right(c, p)
				before, err := spec.Before(c)
				if err != nil || out.Verdict != harness.Rejected {
					return out
				}
				out.Plan = before
				if list := asked(c, spec.SettingsOf(p)); len(list) > 0 && len(before.Steps) > 0 && spec.IsStatus(list[0].Status) {
					out.Plan = before.Clone()
					out.Plan.Steps[0].Status = list[0].Status
				}
				return out
			})),
		mutant.New("refused-rewrite-ends-all", "rejects every rewrite after a rejected one",
			mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
				if len(c.Replies) > 1 {
					first := c
					first.Replies = c.Replies[:1]
					if out := right(first, p); out.Verdict == harness.Rejected {
						return out
					}
				}
				return right(c, p)
			})),
		mutant.New("last-rewrite-alone", "applies only the last of several rewrites", mutant.Asking(func(c *harness.Case) {
			if n := len(c.Replies); n > 1 {
				c.Replies = c.Replies[n-1:]
			}
		})),
		mutant.New("first-rewrite-alone", "applies only the first of several rewrites", mutant.Asking(func(c *harness.Case) {
			if len(c.Replies) > 1 {
				c.Replies = c.Replies[:1]
			}
		})),
		mutant.New("list-takes-unsound-lists", "accepts a list with an unknown status",
			mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
				list := c.Plan.Clone()
				if _, err := spec.Before(c); err != nil && list.Compact() == nil {
					c.Plan = bytes.ReplaceAll(list, []byte(`"status":"done"`), []byte(`"status":"completed"`))
				}
				return right(c, p)
			})),
	}
}

// reportDefects come to the right list and say something else of it.
func reportDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("restores-silently", "does not warn of restored items",
			mutant.Quietly(func(right mutant.Eval) mutant.Eval { return right }, spec.WarnRestored)),
		mutant.New("drops-silently", "does not warn of dropped items",
			mutant.Quietly(func(right mutant.Eval) mutant.Eval { return right }, spec.WarnDropped)),
		mutant.New("cuts-silently", "does not warn of cut items",
			mutant.Quietly(func(right mutant.Eval) mutant.Eval { return right }, harness.WarnTruncated)),
		mutant.New("rewords-silently", "does not warn of reworded items",
			mutant.Quietly(func(right mutant.Eval) mutant.Eval { return right }, spec.WarnReworded)),
		mutant.New("counts-no-rewording", "does not count reworded items", mutant.Answering(func(out *harness.Outcome) {
			if out.Meta != nil {
				meta := *out.Meta
				meta.Reworded = 0
				out.Meta = &meta
			}
		})),
		mutant.New("restored-are-new", "reports restored items as new", each(func(e *edit, i int) {
			if e.restored(i) {
				e.was[i] = -1
			}
		})),
	}
}
