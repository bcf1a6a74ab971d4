package defect

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// conflictDefects are defects in treating one id that is named twice, or not
// known.
func conflictDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("keeps-instead-of-replacing", "keeps the old step and adds another when a patch removes and adds one id",
			mutant.Under(keepForReplace)),
		mutant.New("remove-beats-update", "removes a step that a patch removes and updates", decoding(removeBeatsUpdate)),
		mutant.Large("all-three-removes", "removes a step that a patch removes, updates and adds",
			"one step stands in three lists, which takes an operation in each", decoding(allThreeRemoves)),
		mutant.New("drops-conflicting-add", "drops an added step whose id exists without a warning",
			decoding(dropConflictingAdd)),
		mutant.New("add-overwrites", "overwrites an existing step with an added one", decoding(addOverwrites)),
		mutant.New("update-inserts", "adds a step when an update names an unknown one", decoding(updateInserts)),
		mutant.New("skips-unknown-updates", "skips an update of an unknown step without a warning",
			decoding(skipUnknownUpdates)),
		mutant.New("drops-duplicate-adds", "drops the second of two added steps with the same id without a warning",
			decoding(dropDuplicateAdds)),
		mutant.New("refuses-duplicate-removes", "rejects a patch that removes a step twice",
			refusing(harness.WarnDuplicateRemove, harness.UnknownStep)),
		mutant.New("refuses-unknown-removes", "rejects a patch that removes an unknown step",
			refusing(harness.WarnUnknownRemove, harness.UnknownStep)),
		mutant.New("forgets-repairs", "resolves conflicts without reporting it",
			mutant.Answering(func(out *harness.Outcome) { out.Repairs = []harness.Repair{} })),
	}
}

func keepForReplace(p *harness.Profile) {
	if p.Conflicts == harness.Replace {
		p.Conflicts = harness.Keep
	}
}

func removeBeatsUpdate(o mutant.Object, _ *plan.Plan) {
	o.Filter("update_steps", func(v *strictjson.Value) bool {
		return o.Has("remove_steps", mutant.ID(v)) && !o.Has("add_steps", mutant.ID(v))
	})
}

func allThreeRemoves(o mutant.Object, _ *plan.Plan) {
	clashes := slices.DeleteFunc(o.IDs("remove_steps"), func(id string) bool {
		return !o.Has("update_steps", id) || !o.Has("add_steps", id)
	})
	clash := func(v *strictjson.Value) bool { return slices.Contains(clashes, mutant.ID(v)) }
	o.Filter("update_steps", clash)
	o.Filter("add_steps", clash)
}

func dropConflictingAdd(o mutant.Object, old *plan.Plan) {
	o.Filter("add_steps", func(v *strictjson.Value) bool {
		return mutant.Find(old, mutant.ID(v)) != nil && !o.Has("remove_steps", mutant.ID(v))
	})
}

// addOverwrites reads added steps with an existing id as updates, and in
// no other list of the patch.
func addOverwrites(o mutant.Object, old *plan.Plan) {
	taken := o.Filter("add_steps", func(v *strictjson.Value) bool {
		id := mutant.ID(v)
		return v.Kind == strictjson.Object && mutant.Find(old, id) != nil && !o.Has("remove_steps", id) &&
			!o.Has("update_steps", id)
	})
	for i := range taken {
		mutant.Object{Value: &taken[i]}.Drop("status")
	}
	o.Move("update_steps", taken)
}

func isUnknown(o mutant.Object, old *plan.Plan, v *strictjson.Value) bool {
	id := mutant.ID(v)
	return id != "" && mutant.Find(old, id) == nil && !o.Has("remove_steps", id) && !o.Has("add_steps", id)
}

func updateInserts(o mutant.Object, old *plan.Plan) {
	moved := o.Filter("update_steps", func(v *strictjson.Value) bool {
		return v.Kind == strictjson.Object && isUnknown(o, old, v)
	})
	for i := range moved {
		if moved[i].Get("description") == nil {
			mutant.Object{Value: &moved[i]}.Set("description", mutant.Text(""))
		}
	}
	o.Move("add_steps", moved)
}

func skipUnknownUpdates(o mutant.Object, old *plan.Plan) {
	o.Filter("update_steps", func(v *strictjson.Value) bool { return isUnknown(o, old, v) })
}

func dropDuplicateAdds(o mutant.Object, _ *plan.Plan) {
	seen := map[string]bool{}
	o.Filter("add_steps", func(v *strictjson.Value) bool {
		id := mutant.ID(v)
		again := id != "" && seen[id]
		seen[id] = true
		return again
	})
}
