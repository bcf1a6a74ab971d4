package defects

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// decodingRows are defects of making a patch or a plan of a JSON object.
func decodingRows() []row {
	return []row{
		{"ignores-extra-fields", "drops unknown members without a word", decoding(dropExtraFields)},
		{"ignores-type", "takes an object of any type for a patch", decoding(dropType)},
		{"full-plan-as-patch", "takes a full plan for a patch that says nothing", decoding(fullPlanAsPatch)},
		{"steps-as-additions", "takes the steps that a patch smuggles in for steps to add", decoding(stepsAsAdditions)},
		{"crash-on-null", "panics on a null in place of a list or an id", decoding(crashOnNull)},
		{"null-empties-lists", "takes null in an update for an empty list", decoding(nullEmpties)},
		{"splits-strings-to-lists", "takes a string for a list separated by commas", decoding(splitStrings)},
		{"skips-items-of-wrong-type", "skips what is of the wrong type in a list, without a word", decoding(skipItems)},
		{"numbers-as-ids", "takes a number for an id", decoding(numbersAsIDs)},
		{"accepts-missing-description", "adds a step without a description", decoding(addDescriptions)},
		{"untitled-full-plans", "takes a full plan without a title", decoding(addTitle)},
		{"accepts-blank-ids", "adds a step whose id is blank", insteadOf(harness.EmptyID, blankIDs)},
		{"keeps-spaces-in-ids", "stores the id of a new step with the white space round it", editing(keepSpaces)},
		{"case-folds-ids", "takes STEP_1 for step_1", decoding(foldCase)},
		{"normalizes-ids", "takes ids for the same that are so only after NFKC", decoding(normalize)},
		{"status-in-update-obeyed", "sets the status that an update asks for", always(obeyStatus)},
		{"inherited-names-exist", "takes constructor and __proto__ for ids that exist, as a careless JavaScript lookup does", insteadOfAdding("constructor", "__proto__", "toString", "hasOwnProperty")},
	}
}

var (
	patchMembers  = []string{"type", "title", "remove_steps", "update_steps", "add_steps", "reason"}
	updateMembers = []string{"id", "description", "dependencies", "tools_expected"}
)

func dropExtraFields(o object, _ *plan.Plan) bool {
	unknown := func(known ...string) func(string) bool {
		return func(name string) bool { return !slices.Contains(known, name) }
	}
	changed := o.drop(unknown(append(patchMembers, "steps", "verification_policy")...))
	for _, item := range o.items("update_steps") {
		changed = item.drop(unknown(updateMembers...)) || changed
	}
	for _, item := range o.items("add_steps") {
		changed = item.drop(unknown(append(updateMembers, "status")...)) || changed
	}
	return changed
}

func dropType(o object, _ *plan.Plan) bool {
	t := o.Get("type")
	return t != nil && t.Text != "PlanPatch" && o.Get("steps") == nil && o.drop(func(name string) bool { return name == "type" })
}

func fullPlanAsPatch(o object, _ *plan.Plan) bool {
	return o.Get("steps") != nil && o.drop(func(name string) bool { return name != "reason" })
}

func stepsAsAdditions(o object, _ *plan.Plan) bool {
	steps := o.Get("steps")
	if t := o.Get("type"); steps == nil || t == nil || t.Text != "PlanPatch" {
		return false
	}
	add := *steps
	if have := o.Get("add_steps"); have != nil {
		add.Items = slices.Concat(have.Items, steps.Items)
	}
	o.set("add_steps", add)
	return o.drop(func(name string) bool { return name == "steps" })
}

func crashOnNull(o object, _ *plan.Plan) bool {
	for _, m := range o.Members {
		if m.Value.Kind == strictjson.Null && strings.HasSuffix(m.Name, "_steps") {
			panic("'NoneType' object is not iterable")
		}
	}
	o.references(func(v *strictjson.Value) {
		if v.Kind == strictjson.Null {
			panic("'NoneType' object has no attribute 'strip'")
		}
	})
	return false
}

func nullEmpties(o object, _ *plan.Plan) (changed bool) {
	for _, item := range o.items("update_steps") {
		for _, name := range []string{"dependencies", "tools_expected"} {
			if v := item.Get(name); v != nil && v.Kind == strictjson.Null {
				item.set(name, listValue())
				changed = true
			}
		}
	}
	return changed
}

func splitStrings(o object, _ *plan.Plan) (changed bool) {
	split := func(o object, names ...string) {
		for _, name := range names {
			if v := o.Get(name); v != nil && v.Kind == strictjson.String {
				var parts []string
				for part := range strings.SplitSeq(v.Text, ",") {
					parts = append(parts, strings.TrimSpace(part))
				}
				o.set(name, listValue(parts...))
				changed = true
			}
		}
	}
	split(o, "remove_steps")
	for _, item := range o.items("update_steps", "add_steps", "steps") {
		split(item, "dependencies", "tools_expected")
	}
	return changed
}

func skipItems(o object, _ *plan.Plan) bool {
	not := func(kind strictjson.Kind) func(*strictjson.Value) bool {
		return func(v *strictjson.Value) bool { return v.Kind != kind }
	}
	changed := o.filter("remove_steps", not(strictjson.String))
	for _, name := range []string{"update_steps", "add_steps", "steps"} {
		changed = o.filter(name, not(strictjson.Object)) || changed
	}
	for _, item := range o.items("update_steps", "add_steps", "steps") {
		for _, name := range []string{"dependencies", "tools_expected"} {
			changed = item.filter(name, not(strictjson.String)) || changed
		}
	}
	return changed
}

func numbersAsIDs(o object, _ *plan.Plan) (changed bool) {
	o.references(func(v *strictjson.Value) {
		if v.Kind == strictjson.Number {
			*v = textValue(v.Text)
			changed = true
		}
	})
	return changed
}

func addDescriptions(o object, _ *plan.Plan) (changed bool) {
	for _, item := range o.items("add_steps", "steps") {
		if v := item.Get("description"); v == nil || v.Kind == strictjson.Null {
			item.set("description", textValue(""))
			changed = true
		}
	}
	return changed
}

func addTitle(o object, old *plan.Plan) bool {
	if o.Get("steps") == nil || o.Get("title") != nil {
		return false
	}
	o.set("title", textValue(old.Title))
	return true
}

// blankIDs gives new steps with a blank id another one, and takes it back in
// the end.
func blankIDs(c harness.Case, p harness.Profile) harness.Outcome {
	const standIn = "\u2063blank"
	out := right(redecoded(c, func(o object, _ *plan.Plan) (changed bool) {
		for _, item := range o.items("add_steps", "steps") {
			if v := item.Get("id"); v != nil && v.Kind == strictjson.String && idOf(v) == "" {
				*v = textValue(standIn)
				changed = true
			}
		}
		return changed
	}), p)
	if out.Plan != nil {
		for i := range out.Plan.Steps {
			if out.Plan.Steps[i].ID == standIn {
				out.Plan.Steps[i].ID = ""
			}
		}
	}
	return out
}

func keepSpaces(e edit) {
	for i := range e.new.Steps {
		s := &e.new.Steps[i]
		if item, ok := written(e.c, s.ID); ok && e.old.Step(s.ID) == nil {
			s.ID = item.Get("id").Text
		}
	}
}

func foldCase(o object, old *plan.Plan) (changed bool) {
	o.references(func(v *strictjson.Value) {
		for _, s := range old.Steps {
			if strings.EqualFold(s.ID, v.Text) && stands(old, v.Text) == nil {
				*v = textValue(s.ID)
				changed = true
				return
			}
		}
	})
	return changed
}

func normalize(o object, old *plan.Plan) (changed bool) {
	o.references(func(v *strictjson.Value) {
		if n := norm.NFKC.String(v.Text); v.Kind == strictjson.String && n != v.Text && stands(old, v.Text) == nil {
			*v = textValue(n)
			changed = true
		}
	})
	return changed
}

// obeyStatus strips the statuses of updates, and sets them in the new plan.
func obeyStatus(c harness.Case, p harness.Profile) harness.Outcome {
	said := map[string]string{}
	out := right(redecoded(c, func(o object, _ *plan.Plan) (changed bool) {
		for _, item := range o.items("update_steps") {
			if v := item.Get("status"); v != nil && v.Kind == strictjson.String {
				said[idOf(item.Value)] = v.Text
				changed = item.drop(func(name string) bool { return name == "status" }) || changed
			}
		}
		return changed
	}), p)
	if out.Plan != nil {
		for id, status := range said {
			if s := stands(out.Plan, id); s != nil {
				s.Status = plan.Status(status)
			}
		}
	}
	return out
}

// insteadOfAdding takes additions of some ids for duplicates.
func insteadOfAdding(names ...string) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		old, err := plan.Decode(c.Plan)
		if out.Plan == nil || err != nil || out.Rung == harness.RungFullPlan {
			return out
		}
		for _, name := range names {
			if out.Plan.Step(name) != nil && old.Step(name) == nil {
				return refused(harness.DuplicateID)
			}
		}
		return out
	})
}
