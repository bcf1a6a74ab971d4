package defect

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// decodingDefects are defects of making a patch or a plan of a JSON object.
func decodingDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("ignores-extra-fields", "drops unknown members without a warning", decoding(dropExtraFields)),
		mutant.New("ignores-type", "accepts an object of any type as a patch", decoding(dropType)),
		mutant.New("full-plan-as-patch", "reads a full plan as a patch that changes nothing", decoding(fullPlanAsPatch)),
		mutant.New("steps-as-additions", "adds the steps in the member steps of a patch", decoding(stepsAsAdditions)),
		mutant.New("crash-on-null", "panics if a list or an id is null", decoding(crashOnNull)),
		mutant.New("null-empties-lists", "reads null in an update as an empty list", decoding(nullEmpties)),
		mutant.New("splits-strings-to-lists", "splits a string at commas where a list is required", decoding(splitStrings)),
		mutant.New("skips-items-of-wrong-type", "skips list items of the wrong type without a warning", decoding(skipItems)),
		mutant.New("numbers-as-ids", "accepts a number as an id", decoding(numbersAsIDs)),
		mutant.New("accepts-missing-description", "adds a step without a description", decoding(addDescriptions)),
		mutant.New("untitled-full-plans", "accepts a full plan without a title", decoding(addTitle)),
		mutant.New("accepts-blank-ids", "adds a step with a blank id", insteadOf(harness.EmptyID, blankIDs)),
		mutant.New("keeps-spaces-in-ids", "keeps leading and trailing white space in the id of a new step",
			stepwise(keepSpaces)),
		mutant.New("never-finds-padded-ids", "never finds a step whose id in the plan has leading or trailing white space",
			decoding(losePadded)),
		mutant.New("case-folds-ids", "ignores case in ids", decoding(foldCase)),
		mutant.New("normalizes-ids", "treats ids as equal if they are equal after NFKC", decoding(normalize)),
		mutant.New("status-in-update-obeyed", "sets the status that an update gives", mutant.By(obeyStatus)),
		mutant.New("inherited-names-exist", "treats constructor and __proto__ as existing ids, like a careless JavaScript "+
			"lookup", insteadOfAdding("constructor", "__proto__", "toString", "hasOwnProperty")),
	}
}

func dropExtraFields(o mutant.Object, _ *plan.Plan) {
	members := []string{"id", "description", "dependencies", "tools_expected", "status"}
	o.Keep("type", "title", "remove_steps", "update_steps", "add_steps", "reason", "steps", "verification_policy")
	for _, item := range o.Items("update_steps") {
		item.Keep(members[:4]...)
	}
	for _, item := range o.Items("add_steps") {
		item.Keep(members...)
	}
}

func dropType(o mutant.Object, _ *plan.Plan) {
	if !o.Says("type", "PlanPatch") && o.Get("steps") == nil {
		o.Drop("type")
	}
}

func fullPlanAsPatch(o mutant.Object, _ *plan.Plan) {
	if o.Get("steps") != nil {
		o.Keep("reason")
	}
}

func stepsAsAdditions(o mutant.Object, _ *plan.Plan) {
	steps := o.Get("steps")
	if steps == nil || !o.Says("type", "PlanPatch") {
		return
	}
	add := *steps
	if have := o.Get("add_steps"); have != nil {
		add.Items = slices.Concat(have.Items, steps.Items)
	}
	o.Set("add_steps", add)
	o.Drop("steps")
}

func crashOnNull(o mutant.Object, _ *plan.Plan) {
	for _, m := range o.Members {
		if m.Value.Kind == strictjson.Null && strings.HasSuffix(m.Name, "_steps") {
			panic("'NoneType' object is not iterable")
		}
	}
	for v := range references(o) {
		if v.Kind == strictjson.Null {
			panic("'NoneType' object has no attribute 'strip'")
		}
	}
}

func nullEmpties(o mutant.Object, _ *plan.Plan) {
	for _, item := range o.Items("update_steps") {
		for _, name := range []string{"dependencies", "tools_expected"} {
			if v := item.Get(name); v != nil && v.Kind == strictjson.Null {
				item.Set(name, mutant.Texts())
			}
		}
	}
}

func splitStrings(o mutant.Object, _ *plan.Plan) {
	split := func(o mutant.Object, names ...string) {
		for _, name := range names {
			if v := o.Get(name); v != nil && v.Kind == strictjson.String {
				var parts []string
				for part := range strings.SplitSeq(v.Text, ",") {
					parts = append(parts, strings.TrimSpace(part))
				}
				o.Set(name, mutant.Texts(parts...))
			}
		}
	}
	split(o, "remove_steps")
	for _, item := range steps(o) {
		split(item, "dependencies", "tools_expected")
	}
}

func skipItems(o mutant.Object, _ *plan.Plan) {
	not := func(kind strictjson.Kind) func(*strictjson.Value) bool {
		return func(v *strictjson.Value) bool { return v.Kind != kind }
	}
	o.Filter("remove_steps", not(strictjson.String))
	for _, name := range []string{"update_steps", "add_steps", "steps"} {
		o.Filter(name, not(strictjson.Object))
	}
	for _, item := range steps(o) {
		for _, name := range []string{"dependencies", "tools_expected"} {
			item.Filter(name, not(strictjson.String))
		}
	}
}

func numbersAsIDs(o mutant.Object, _ *plan.Plan) {
	for v := range references(o) {
		if v.Kind == strictjson.Number {
			*v = mutant.Text(v.Text)
		}
	}
}

func addDescriptions(o mutant.Object, _ *plan.Plan) {
	for _, item := range o.Items("add_steps", "steps") {
		if v := item.Get("description"); v == nil || v.Kind == strictjson.Null {
			item.Set("description", mutant.Text(""))
		}
	}
}

func addTitle(o mutant.Object, old *plan.Plan) {
	if o.Get("steps") != nil && o.Get("title") == nil {
		o.Set("title", mutant.Text(old.Title))
	}
}

// blankIDs gives new steps with a blank id another one, and takes it back in
// the end.
func blankIDs(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	const standIn = "\u2063blank"
	out := right(redecoded(c, func(o mutant.Object, _ *plan.Plan) {
		for _, item := range o.Items("add_steps", "steps") {
			if v := item.Get("id"); v != nil && v.Kind == strictjson.String && mutant.ID(v) == "" {
				*v = mutant.Text(standIn)
			}
		}
	}), p)
	for s := range mutant.Steps(out.Plan) {
		if s.ID == standIn {
			s.ID = ""
		}
	}
	return out
}

func keepSpaces(e mutant.Edit, s *plan.Step) {
	if item, ok := written(e.Case, s.ID); ok && e.Old.Step(s.ID) == nil {
		s.ID = item.Get("id").Text
	}
}

func losePadded(o mutant.Object, old *plan.Plan) {
	for v := range references(o) {
		if s := mutant.Find(old, v.Text); s != nil && strings.TrimSpace(s.ID) != s.ID {
			*v = mutant.Text("\u2063" + strings.TrimSpace(v.Text))
		}
	}
}

func foldCase(o mutant.Object, old *plan.Plan) {
	for v := range references(o) {
		same := func(s plan.Step) bool { return strings.EqualFold(s.ID, v.Text) }
		if i := slices.IndexFunc(old.Steps, same); i >= 0 && mutant.Find(old, v.Text) == nil {
			*v = mutant.Text(old.Steps[i].ID)
		}
	}
}

func normalize(o mutant.Object, old *plan.Plan) {
	for v := range references(o) {
		if n := norm.NFKC.String(v.Text); v.Kind == strictjson.String && n != v.Text && mutant.Find(old, v.Text) == nil {
			*v = mutant.Text(n)
		}
	}
}

// obeyStatus strips the statuses of updates, and sets them in the new plan.
func obeyStatus(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
	said := map[string]string{}
	out := right(redecoded(c, func(o mutant.Object, _ *plan.Plan) {
		for _, item := range o.Items("update_steps") {
			if v := item.Get("status"); v != nil && v.Kind == strictjson.String {
				said[mutant.ID(item.Value)] = v.Text
				item.Drop("status")
			}
		}
	}), p)
	for id, status := range said {
		if s := mutant.Find(out.Plan, id); s != nil {
			s.Status = plan.Status(status)
		}
	}
	return out
}

// insteadOfAdding takes additions of some ids for duplicates.
func insteadOfAdding(names ...string) mutant.Wrap {
	return editing(func(e mutant.Edit) {
		for _, name := range names {
			if e.Out.Rung != harness.RungFullPlan && e.New.Step(name) != nil && e.Old.Step(name) == nil {
				*e.Out = refused(harness.DuplicateID)
			}
		}
	})
}
