package defects

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// conflictRows are defects in treating one id that is named twice, or not
// known.
func conflictRows() []row {
	return []row{
		{"keeps-instead-of-replacing", "adds a step that it was to remove and add, instead of replacing it", policy(keepForReplace)},
		{"refuses-every-conflict", "refuses a patch that names an id in two lists, whatever the policy", policy(func(p *harness.Profile) { p.Conflicts = harness.Reject })},
		{"remove-beats-update", "removes a step that is to be removed and updated", decoding(removeBeatsUpdate)},
		{"all-three-removes", "removes a step that is to be removed, updated and added", decoding(allThreeRemoves)},
		{"drops-conflicting-add", "drops an added step whose id is taken, without a word", decoding(dropConflictingAdd)},
		{"add-overwrites", "overwrites the step when an added id exists", decoding(addOverwrites)},
		{"update-inserts", "adds the step when an updated id does not exist", decoding(updateInserts)},
		{"skips-unknown-updates", "skips an update of a step that does not exist, without a word", decoding(skipUnknownUpdates)},
		{"last-update-wins", "lets the last of two updates of a step win although the profile says not to", policy(func(p *harness.Profile) { p.DuplicateUpdates = harness.Last })},
		{"drops-duplicate-adds", "drops the second of two added steps with one id, without a word", decoding(dropDuplicateAdds)},
		{"refuses-duplicate-removes", "fails to find a step that it has removed already", refusing(harness.WarnDuplicateRemove, harness.UnknownStep)},
		{"refuses-unknown-removes", "refuses a patch that removes a step that does not exist", refusing(harness.WarnUnknownRemove, harness.UnknownStep)},
		{"forgets-repairs", "settles conflicts without saying so", answering(func(out *harness.Outcome) { out.Repairs = []harness.Repair{} })},
	}
}

func keepForReplace(p *harness.Profile) {
	if p.Conflicts == harness.Replace {
		p.Conflicts = harness.Keep
	}
}

func removeBeatsUpdate(o object, _ *plan.Plan) bool {
	return o.filter("update_steps", func(v *strictjson.Value) bool {
		return o.has("remove_steps", idOf(v)) && !o.has("add_steps", idOf(v))
	})
}

func allThreeRemoves(o object, _ *plan.Plan) bool {
	var clashes []string
	for _, id := range o.ids("remove_steps") {
		if o.has("update_steps", id) && o.has("add_steps", id) {
			clashes = append(clashes, id)
		}
	}
	clash := func(v *strictjson.Value) bool { return slices.Contains(clashes, idOf(v)) }
	return o.filter("update_steps", clash) && o.filter("add_steps", clash)
}

func dropConflictingAdd(o object, old *plan.Plan) bool {
	return o.filter("add_steps", func(v *strictjson.Value) bool {
		return stands(old, idOf(v)) != nil && !o.has("remove_steps", idOf(v))
	})
}

// taken takes the added steps out whose id stands in the plan, and in no other
// list of the patch.
func (o object) taken(old *plan.Plan) (list []strictjson.Value) {
	o.filter("add_steps", func(v *strictjson.Value) bool {
		id := idOf(v)
		gone := v.Kind == strictjson.Object && stands(old, id) != nil && !o.has("remove_steps", id) && !o.has("update_steps", id)
		if gone {
			list = append(list, *v)
		}
		return gone
	})
	return list
}

func addOverwrites(o object, old *plan.Plan) bool {
	taken := o.taken(old)
	for i := range taken {
		object{&taken[i]}.drop(func(name string) bool { return name == "status" })
	}
	return o.move("update_steps", taken)
}

func isUnknown(o object, old *plan.Plan, v *strictjson.Value) bool {
	id := idOf(v)
	return id != "" && stands(old, id) == nil && !o.has("remove_steps", id) && !o.has("add_steps", id)
}

func updateInserts(o object, old *plan.Plan) bool {
	var moved []strictjson.Value
	o.filter("update_steps", func(v *strictjson.Value) bool {
		gone := v.Kind == strictjson.Object && isUnknown(o, old, v)
		if gone {
			if v.Get("description") == nil {
				object{v}.set("description", textValue(""))
			}
			moved = append(moved, *v)
		}
		return gone
	})
	return o.move("add_steps", moved)
}

func skipUnknownUpdates(o object, old *plan.Plan) bool {
	return o.filter("update_steps", func(v *strictjson.Value) bool { return isUnknown(o, old, v) })
}

func dropDuplicateAdds(o object, _ *plan.Plan) bool {
	seen := map[string]bool{}
	return o.filter("add_steps", func(v *strictjson.Value) bool {
		id := idOf(v)
		again := id != "" && seen[id]
		seen[id] = true
		return again
	})
}
