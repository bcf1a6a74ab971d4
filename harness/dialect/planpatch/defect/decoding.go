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
		decoding("ignores-extra-fields", "drops unknown members without a warning", func(o mutant.Reply) {
			members := []string{"id", "description", "dependencies", "tools_expected", "status"}
			o.Keep("type", "title", "remove_steps", "update_steps", "add_steps", "reason", "steps", "verification_policy")
			for _, item := range o.Items("update_steps") {
				item.Keep(members[:4]...)
			}
			for _, item := range o.Items("add_steps") {
				item.Keep(members...)
			}
		}),
		decoding("ignores-type", "accepts an object of any type as a patch", func(o mutant.Reply) {
			if !o.Says("type", "PlanPatch") && o.Get("steps") == nil {
				o.Drop("type")
			}
		}),
		decoding("full-plan-as-patch", "reads a full plan as a patch that changes nothing", func(o mutant.Reply) {
			if o.Get("steps") != nil {
				o.Keep("reason")
			}
		}),
		decoding("crash-on-null", "panics if a list or an id is null", crashOnNull),
		decoding("null-empties-lists", "reads null in an update as an empty list", func(o mutant.Reply) {
			for _, item := range o.Items("update_steps") {
				for _, name := range []string{"dependencies", "tools_expected"} {
					if v := item.Get(name); v != nil && v.Kind == strictjson.Null {
						item.Set(name, mutant.Texts())
					}
				}
			}
		}),
		decoding("splits-strings-to-lists", "splits a string at commas where a list is required", splitStrings),
		decoding("skips-items-of-wrong-type", "skips list items of the wrong type without a warning", skipItems),
		decoding("numbers-as-ids", "accepts a number as an id", func(o mutant.Reply) {
			for _, v := range references(o.Object) {
				if v.Kind == strictjson.Number {
					*v = mutant.Text(v.Text)
				}
			}
		}),
		decoding("accepts-missing-description", "adds a step without a description", func(o mutant.Reply) {
			for _, item := range o.Items("add_steps", "steps") {
				if v := item.Get("description"); v == nil || v.Kind == strictjson.Null {
					item.Set("description", mutant.Text(""))
				}
			}
		}),
		decoding("untitled-full-plans", "accepts a full plan without a title", func(o mutant.Reply) {
			if o.Get("steps") != nil && o.Get("title") == nil {
				o.Set("title", mutant.Text(o.Old.Title))
			}
		}),
		insteadOf("accepts-blank-ids", "adds a step with a blank id", harness.EmptyID, blankIDs),
		stepwise("keeps-spaces-in-ids", "keeps leading and trailing white space in the id of a new step",
			func(e edit, s *plan.Step) {
				if item, ok := e.written(s.ID); ok && e.Old.Step(s.ID) == nil {
					s.ID = item.Get("id").Text
				}
			}),
		decoding("never-finds-padded-ids", "never finds a step whose id in the plan has leading or trailing white space",
			func(o mutant.Reply) {
				for _, v := range references(o.Object) {
					if s := o.Step(v.Text); s != nil && strings.TrimSpace(s.ID) != s.ID {
						*v = mutant.Text("\u2063" + strings.TrimSpace(v.Text))
					}
				}
			}),
		decoding("case-folds-ids", "ignores case in ids", func(o mutant.Reply) {
			for _, v := range references(o.Object) {
				same := func(s plan.Step) bool { return strings.EqualFold(s.ID, v.Text) }
				if i := slices.IndexFunc(o.Old.Steps, same); i >= 0 && o.Step(v.Text) == nil {
					*v = mutant.Text(o.Old.Steps[i].ID)
				}
			}
		}),
		decoding("normalizes-ids", "treats ids as equal if they are equal after NFKC", func(o mutant.Reply) {
			for _, v := range references(o.Object) {
				if n := norm.NFKC.String(v.Text); v.Kind == strictjson.String && n != v.Text && o.Step(v.Text) == nil {
					*v = mutant.Text(n)
				}
			}
		}),
		mutant.Does("status-in-update-obeyed", "sets the status that an update gives", obeyStatus),
		editing("inherited-names-exist",
			"treats constructor and __proto__ as existing ids, like a careless JavaScript lookup",
			func(e mutant.Edit) {
				for _, name := range []string{"constructor", "__proto__", "toString", "hasOwnProperty"} {
					if e.Out.Rung != harness.RungFullPlan && e.New.Step(name) != nil && e.Old.Step(name) == nil {
						*e.Out = refused(harness.DuplicateID)
					}
				}
			}),
	}
}

func crashOnNull(o mutant.Reply) {
	for _, m := range o.Members {
		if m.Value.Kind == strictjson.Null && strings.HasSuffix(m.Name, "_steps") {
			panic("'NoneType' object is not iterable")
		}
	}
	for _, v := range references(o.Object) {
		if v.Kind == strictjson.Null {
			panic("'NoneType' object has no attribute 'strip'")
		}
	}
}

func splitStrings(o mutant.Reply) {
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
	split(o.Object, "remove_steps")
	for _, item := range steps(o.Object) {
		split(item, "dependencies", "tools_expected")
	}
}

func skipItems(o mutant.Reply) {
	not := func(kind strictjson.Kind) func(*strictjson.Value) bool {
		return func(v *strictjson.Value) bool { return v.Kind != kind }
	}
	o.Filter("remove_steps", not(strictjson.String))
	for _, name := range []string{"update_steps", "add_steps", "steps"} {
		o.Filter(name, not(strictjson.Object))
	}
	for _, item := range steps(o.Object) {
		for _, name := range []string{"dependencies", "tools_expected"} {
			item.Filter(name, not(strictjson.String))
		}
	}
}

// blankIDs gives new steps with a blank id another one, and takes it back in
// the end.
func blankIDs(r mutant.Run) harness.Outcome {
	const standIn = "\u2063blank"
	out := decoded(r, func(o mutant.Reply) {
		for _, item := range o.Items("add_steps", "steps") {
			if v := item.Get("id"); v != nil && v.Kind == strictjson.String && mutant.ID(v) == "" {
				*v = mutant.Text(standIn)
			}
		}
	})
	for s := range mutant.Steps(out.Plan) {
		if s.ID == standIn {
			s.ID = ""
		}
	}
	return out
}

// obeyStatus strips the statuses of updates, and sets them in the new plan.
func obeyStatus(r mutant.Run) harness.Outcome {
	said := map[string]string{}
	out := decoded(r, func(o mutant.Reply) {
		for _, item := range o.Items("update_steps") {
			if v := item.Get("status"); v != nil && v.Kind == strictjson.String {
				said[mutant.ID(item.Value)] = v.Text
				item.Drop("status")
			}
		}
	})
	for id, status := range said {
		if s := mutant.Find(out.Plan, id); s != nil {
			s.Status = plan.Status(status)
		}
	}
	return out
}
