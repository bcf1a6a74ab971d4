package defect

import (
	"bytes"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// wireDefects read replies in another way.
func wireDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Reads("null-list-clears", "treats a null list as an empty one", func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) {
				for _, name := range []string{"todos", "plan"} {
					if v := o.Get(name); v != nil && v.Kind == strictjson.Null {
						o.Set(name, mutant.Texts())
					}
				}
			})
		}),
		mutant.Does("items-may-be-texts", "treats a text as a pending item", func(r mutant.Run) harness.Outcome {
			s := spec.SettingsOf(r.Profile)
			return r.Of(mutant.Reread(r.Case, func(reply string) string {
				return mutant.Rewrite(reply, func(o mutant.Object) {
					for v := range o.Values(s.List()) {
						if v.Kind == strictjson.String {
							*v = strictjson.Value{Kind: strictjson.Object, Members: []strictjson.Member{
								{Name: s.Text(), Value: mutant.Text(v.Text)}, {Name: "status", Value: mutant.Text("pending")},
							}}
						}
					}
				})
			}))
		}),
		editing("merge-drops-the-rest", "a merge drops the items that it does not name", func(e *edit) {
			if e.settings.Format == spec.Merge && slices.ContainsFunc(e.Replies, merges) {
				e.remove(func(i int) bool {
					return !slices.ContainsFunc(e.asked, func(a spec.Item) bool { return a.ID == e.now[i].ID })
				})
			}
		}),
		mutant.Reads("merge-is-a-rewrite", "ignores the member merge", func(reply string) string {
			return mutant.Rewrite(reply, func(o mutant.Object) {
				if o.Says("merge", "true") {
					o.Drop("merge")
				}
			})
		}),
		each("merge-loses-active-form", "a merge without an active form removes it", func(e *edit, i int) {
			named := func(a spec.Item) bool { return a.ID == e.now[i].ID && a.ActiveForm == "" }
			if e.now[i].ID != "" && slices.ContainsFunc(e.merged(), named) {
				e.now[i].ActiveForm = ""
			}
		}),
		saying("merge-passes-over-unknown-ids", "ignores unknown ids in a merge",
			func(item mutant.Object, s spec.Settings, old []spec.Item) {
				id := item.Text("id")
				known := slices.ContainsFunc(old, func(o spec.Item) bool { return o.ID == id })
				if s.Format == spec.Merge && id != "" && !known && item.Get("status") == nil && len(old) > 0 {
					item.Set("id", mutant.Text(old[0].ID))
				}
			}),
	}
}

// merges reports whether a reply is a merge.
func merges(r harness.Reply) bool {
	return slices.ContainsFunc(mutant.Objects(r), func(o mutant.Object) bool { return o.Says("merge", "true") })
}

// merged returns the items of the replies that are merges.
func (e *edit) merged() []spec.Item {
	if e.settings.Format != spec.Merge {
		return nil
	}
	c := e.Case
	c.Replies = slices.DeleteFunc(slices.Clone(c.Replies), func(r harness.Reply) bool { return !merges(r) })
	return asked(c, e.settings)
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
		lines("starred-items-are-lost", "ignores items with an asterisk", without(starts("*"))),
		lines("nested-items-are-lost", "ignores indented items", without(starts(" ", "\t"))),
		lines("capital-x-is-open", "reads a capital X as open",
			func(t string) string { return strings.ReplaceAll(t, "[X]", "[ ]") }),
		lines("fences-hold-items", "reads items in a code fence together with others", without(fence)),
		lines("fenced-lists-are-lost", "does not find a list in a code fence", func(text string) string {
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
		}),
		lines("thoughts-hold-items", "reads items in a <think> block", func(t string) string {
			return strings.NewReplacer("<think>", "", "</think>", "").Replace(t)
		}),
		lines("unknown-boxes-are-passed-over", "ignores items with an unknown mark", without(starts("- [?]"))),
		mutant.Does("boxes-clear", "Markdown without an item clears the list", func(r mutant.Run) harness.Outcome {
			out := r.Eval()
			before, err := spec.Before(r.Case)
			if spec.SettingsOf(r.Profile).Format == spec.Markdown && out.Code == harness.NoDocument && err == nil &&
				len(before.Steps) > 0 {
				out = harness.Outcome{
					Verdict: harness.Applied, Plan: spec.Plan(nil), Tier: harness.TierExtracted,
					Warnings: []harness.Warning{}, Repairs: []harness.Repair{},
				}
			}
			return out
		}),
	}
}

// replyDefects are about refusals and several replies.
func replyDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Accepts("keeps-list-instead", plan.DecodeList),
		mutant.Does("half-applied-list", "adds the first item of a rejected rewrite", func(r mutant.Run) harness.Outcome {
			out := r.Eval()
			before, err := spec.Before(r.Case)
			if err != nil || out.Verdict != harness.Rejected {
				return out
			}
			out.Plan = before
			list := asked(r.Case, spec.SettingsOf(r.Profile))
			if len(list) > 0 && len(before.Steps) > 0 && spec.IsStatus(list[0].Status) {
				out.Plan = before.Clone()
				out.Plan.Steps[0].Status = list[0].Status
			}
			return out
		}),
		mutant.Does("refused-rewrite-ends-all", "rejects every rewrite after a rejected one",
			func(r mutant.Run) harness.Outcome {
				if len(r.Replies) > 1 {
					first := r.Case
					first.Replies = r.Replies[:1]
					if out := r.Of(first); out.Verdict == harness.Rejected {
						return out
					}
				}
				return r.Eval()
			}),
		mutant.Asks("last-rewrite-alone", "applies only the last of several rewrites", func(c *harness.Case) {
			if n := len(c.Replies); n > 1 {
				c.Replies = c.Replies[n-1:]
			}
		}),
		mutant.FirstReply("first-rewrite-alone", "applies only the first of several rewrites"),
		mutant.Does("list-takes-unsound-lists", "accepts a list with an unknown status", func(r mutant.Run) harness.Outcome {
			list := r.Plan.Clone()
			if _, err := spec.Before(r.Case); err != nil && list.Compact() == nil {
				r.Plan = bytes.ReplaceAll(list, []byte(`"status":"done"`), []byte(`"status":"completed"`))
			}
			return r.Eval()
		}),
	}
}

// reportDefects come to the right list and say something else of it.
func reportDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.Silent("restores-silently", "does not warn of restored items", spec.WarnRestored),
		mutant.Silent("drops-silently", "does not warn of dropped items", spec.WarnDropped),
		mutant.Silent("cuts-silently", "does not warn of cut items", harness.WarnTruncated),
		mutant.Silent("rewords-silently", "does not warn of reworded items", spec.WarnReworded),
		mutant.Answers("counts-no-rewording", "does not count reworded items", func(out *harness.Outcome) {
			if out.Meta != nil {
				meta := *out.Meta
				meta.Reworded = 0
				out.Meta = &meta
			}
		}),
		each("restored-are-new", "reports restored items as new", func(e *edit, i int) {
			if e.restored(i) {
				e.was[i] = -1
			}
		}),
	}
}
