package defect

import (
	"strings"

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
		stepwise("keeps-spaces-in-ids", "keeps leading and trailing white space in the id of a new step",
			func(e edit, s *plan.Step) {
				if item, ok := e.written(s.ID); ok && e.Old.Step(s.ID) == nil {
					s.ID = item.Get("id").Text
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
