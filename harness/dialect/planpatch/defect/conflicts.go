package defect

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
)

// conflictDefects are defects in treating one id that is named twice, or not
// known.
func conflictDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("keeps-instead-of-replacing", "keeps the old step and adds another when a patch removes and adds one id",
			mutant.Under(func(p *harness.Profile) {
				if p.Conflicts == harness.Replace {
					p.Conflicts = harness.Keep
				}
			})),
		decoding("drops-conflicting-add", "drops an added step whose id exists without a warning", func(o mutant.Reply) {
			o.Filter("add_steps", func(v *strictjson.Value) bool {
				return o.Step(mutant.ID(v)) != nil && !o.Has("remove_steps", mutant.ID(v))
			})
		}),
		decoding("add-overwrites", "overwrites an existing step with an added one", func(o mutant.Reply) {
			// It reads the step as an update, unless another list of the patch names it.
			taken := o.Filter("add_steps", func(v *strictjson.Value) bool {
				id := mutant.ID(v)
				return v.Kind == strictjson.Object && o.Step(id) != nil && !o.Has("remove_steps", id) && !o.Has("update_steps", id)
			})
			for i := range taken {
				mutant.Object{Value: &taken[i]}.Drop("status")
			}
			o.Move("update_steps", taken)
		}),
		decoding("adds-in-reverse", "adds new steps in reverse order", func(o mutant.Reply) {
			if list := o.Get("add_steps"); list != nil {
				slices.Reverse(list.Items)
			}
		}),
		decoding("update-inserts", "adds a step when an update names an unknown one", func(o mutant.Reply) {
			moved := o.Filter("update_steps", func(v *strictjson.Value) bool {
				return v.Kind == strictjson.Object && isUnknown(o, v)
			})
			for i := range moved {
				if moved[i].Get("description") == nil {
					mutant.Object{Value: &moved[i]}.Set("description", mutant.Text(""))
				}
			}
			o.Move("add_steps", moved)
		}),
		decoding("skips-unknown-updates", "skips an update of an unknown step without a warning", func(o mutant.Reply) {
			o.Filter("update_steps", func(v *strictjson.Value) bool { return isUnknown(o, v) })
		}),
		mutant.Answers("refuses-duplicate-removes", "rejects a patch that removes a step twice", func(out *harness.Outcome) {
			if out.Verdict == harness.Applied && out.Warned(harness.WarnDuplicateRemove) != nil {
				*out = refused(harness.UnknownStep)
			}
		}),
		mutant.Answers("forgets-repairs", "resolves conflicts without reporting it",
			func(out *harness.Outcome) { out.Repairs = []harness.Repair{} }),
	}
}

func isUnknown(o mutant.Reply, v *strictjson.Value) bool {
	id := mutant.ID(v)
	return id != "" && o.Step(id) == nil && !o.Has("remove_steps", id) && !o.Has("add_steps", id)
}
