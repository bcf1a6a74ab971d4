package defects

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	operations "replanbench/harness/dialect/operations/rules"
	"replanbench/harness/dialect/operations/words"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// operationsDefects lists the defects of engines for the dialect operations.
func operationsDefects() []Defect {
	return ofDialect("operations", slices.Concat(
		updateGraphRows(), updateReadingRows(), positionRows(), recordRows(), clearRows(), updateFinishedRows(), updatePolicyRows(),
	))
}

// rightUpdate answers as the reference does.
func rightUpdate(c harness.Case, p harness.Profile) harness.Outcome { return operations.Eval(c, p) }

// operation is an object in the list of operations of a reply.
func (o object) operation(kinds ...string) bool {
	t := o.Get("type")
	return t != nil && slices.Contains(kinds, t.Text)
}

// target is the trimmed id that an operation names: of the step to change, or
// of the one to add.
func (o object) target() string {
	if o.operation("add") {
		if data := o.Get("step_data"); data != nil {
			return idOf(data)
		}
		return ""
	}
	for _, name := range []string{"step_id", "stepID", "stepId", "id"} {
		if v := o.Get(name); v != nil && v.Kind == strictjson.String {
			return strings.TrimSpace(v.Text)
		}
	}
	return ""
}

// data is what an operation says of its step; false if it says nothing.
func (o object) data() (object, bool) {
	d := o.Get("step_data")
	return object{d}, d != nil && d.Kind == strictjson.Object
}

// asked returns the operations of those kinds in all replies.
func asked(c harness.Case, kinds ...string) (list []object) {
	for _, r := range c.Replies {
		for _, s := range objects(string(r)) {
			for _, op := range (object{&s.doc.Root}).items("operations") {
				if op.operation(kinds...) {
					list = append(list, op)
				}
			}
		}
	}
	return list
}

// oldRecord is the plan of the case; nil if it is unsound.
func oldRecord(c harness.Case) *plan.Plan {
	p, err := plan.DecodeRecord(c.Plan)
	if err != nil {
		return nil
	}
	return p
}

// rewritten is the case with its operations changed. change reports whether it
// did; old is the plan of the case.
func rewritten(c harness.Case, change func(op object, old *plan.Plan) bool) harness.Case {
	old := oldRecord(c)
	if old == nil {
		return c
	}
	c.Replies = slices.Clone(c.Replies)
	for i, r := range c.Replies {
		c.Replies[i] = harness.Reply(rewrite(string(r), func(o object) bool {
			changed := false
			for _, op := range o.items("operations") {
				changed = change(op, old) || changed
			}
			return changed
		}))
	}
	return c
}

// updating changes operations before they are applied.
func updating(change func(op object, old *plan.Plan) bool) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		return rightUpdate(rewritten(c, change), p)
	})
}

// recording changes the outcome of what was applied, in place.
func recording(change func(e edit)) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		out := rightUpdate(c, p)
		if old := oldRecord(c); old != nil && out.Plan != nil {
			change(edit{c, old, out.Plan, &out})
		}
		return out
	})
}

// updateGraphRows are defects by which the plan becomes one that cannot be
// worked off.
func updateGraphRows() []row {
	return []row{
		{"takes-unknown-for-met", "accepts a dependency on a step that does not exist, as if it were met", loosened(unknownDependency)},
		{"accepts-update-on-itself", "accepts a step that depends on itself", loosened(func(id, dep string, _ *plan.Plan, _ []string) bool { return id == dep })},
		{"accepts-update-cycle", "accepts a modification that closes a cycle", loosened(closesCycle)},
		{"removes-needed", "removes steps that others depend on, and leaves the dependencies", always(removesNeeded(true))},
		{"removes-needed-edges", "removes steps that others depend on, with the dependencies", always(removesNeeded(false))},
		{"shadows-completed", "adds a step with the id of a completed one", always(shadows)},
		{"reuses-old-ids", "gives ids of the history to new steps", always(reusesOld)},
		{"no-step-limit", "adds steps past the limit", always(func(c harness.Case, p harness.Profile) harness.Outcome {
			if l := c.Limits.MaxPlanSteps; l != nil && *l > 0 {
				c.Limits.MaxPlanSteps = nil
			}
			return rightUpdate(c, p)
		})},
	}
}

// loosened accepts dependencies that are not sound.
func loosened(bad func(id, dep string, old *plan.Plan, added []string) bool) func() flaw {
	return always(func(c harness.Case, p harness.Profile) harness.Outcome {
		var added []string
		for _, op := range asked(c, "add") {
			added = append(added, op.target())
		}
		want := map[string][]string{}
		out := rightUpdate(rewritten(c, func(op object, old *plan.Plan) bool {
			data, ok := op.data()
			if !ok || !op.operation("add", "modify") || data.Get("dependencies") == nil {
				return false
			}
			deps := data.ids("dependencies")
			if !data.filter("dependencies", func(v *strictjson.Value) bool { return bad(op.target(), idOf(v), old, added) }) {
				return false
			}
			want[op.target()] = deps
			return true
		}), p)
		for id, deps := range want {
			if out.Plan == nil {
				break
			}
			if s := stands(out.Plan, id); s != nil && id != "" {
				s.Dependencies = deps
			}
		}
		return out
	})
}

func unknownDependency(id, dep string, old *plan.Plan, added []string) bool {
	return dep != id && stands(old, dep) == nil && !slices.Contains(added, dep)
}

func closesCycle(id, dep string, old *plan.Plan, _ []string) bool {
	if id == dep {
		return false
	}
	seen := map[string]bool{}
	var reaches func(from string) bool
	reaches = func(from string) bool {
		s := stands(old, from)
		if s == nil || seen[s.ID] {
			return false
		}
		seen[s.ID] = true
		return slices.ContainsFunc(s.Dependencies, func(d string) bool { return strings.TrimSpace(d) == id || reaches(d) })
	}
	return reaches(dep)
}

// removesNeeded takes the edges to removed steps out of the plan before the
// removal, and perhaps puts them back.
func removesNeeded(back bool) flaw {
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		old := oldRecord(c)
		if old == nil {
			return rightUpdate(c, p)
		}
		var gone []string
		for _, op := range asked(c, "remove") {
			if s := stands(old, op.target()); s != nil && s.Status != plan.Completed {
				gone = append(gone, s.ID)
			}
		}
		loose, had := old.Clone(), map[string][]string{}
		for i := range loose.Steps {
			s := &loose.Steps[i]
			had[s.ID] = slices.Clone(s.Dependencies)
			s.Dependencies = slices.DeleteFunc(s.Dependencies, func(d string) bool { return slices.Contains(gone, d) })
		}
		out := rightUpdate(withPlan(c, loose), p)
		if out.Plan == nil {
			return rightUpdate(c, p)
		}
		for i := range out.Plan.Steps {
			s, now := &out.Plan.Steps[i], loose.Step(out.Plan.Steps[i].ID)
			if back && now != nil && slices.Equal(s.Dependencies, now.Dependencies) {
				s.Dependencies = had[s.ID]
			}
		}
		return out
	}
}

// shadows adds steps with ids of completed ones.
func shadows(c harness.Case, p harness.Profile) harness.Outcome {
	const mark = "\u2063"
	out := rightUpdate(rewritten(c, func(op object, old *plan.Plan) bool {
		s := stands(old, op.target())
		if !op.operation("add") || s == nil || s.Status != plan.Completed {
			return false
		}
		data, _ := op.data()
		data.set("id", textValue(s.ID+mark))
		return true
	}), p)
	if out.Plan != nil {
		for i := range out.Plan.Steps {
			out.Plan.Steps[i].ID = strings.TrimSuffix(out.Plan.Steps[i].ID, mark)
		}
	}
	for i := range out.Operations {
		out.Operations[i].StepID = strings.TrimSuffix(out.Operations[i].StepID, mark)
	}
	return out
}

func reusesOld(c harness.Case, p harness.Profile) harness.Outcome {
	old := oldRecord(c)
	if old == nil || len(old.Record.History) == 0 {
		return rightUpdate(c, p)
	}
	bare := old.Clone()
	bare.Record.History = nil
	out := rightUpdate(withPlan(c, bare), p)
	if out.Plan != nil {
		out.Plan.Record.History = append(slices.Clone(old.Record.History), out.Plan.Record.History...)
	}
	return out
}

// updateReadingRows are defects by which a reply is taken for another.
func updateReadingRows() []row {
	return []row{
		{"empty-update-for-anything", "takes any object for an update without operations, and counts a new version", always(emptyUpdate)},
		{"counts-unchanged", "counts a new version for an update that changed nothing", always(countsUnchanged)},
		{"chokes-on-null-operation", "crashes on an operation that is null", always(func(c harness.Case, p harness.Profile) harness.Outcome {
			for _, r := range c.Replies {
				for _, s := range objects(string(r)) {
					list := s.doc.Root.Get("operations")
					for i := 0; list != nil && i < len(list.Items); i++ {
						if list.Items[i].Kind == strictjson.Null {
							panic("an operation is nil")
						}
					}
				}
			}
			return rightUpdate(c, p)
		})},
		{"any-name-for-ids", "takes stepID, stepId and id for step_id, unasked", always(func(c harness.Case, p harness.Profile) harness.Outcome {
			p.StepIDNames = harness.Any
			return rightUpdate(c, p)
		})},
		{"ignores-rename", "ignores that a modification names another id, and does the rest of it", updating(func(op object, _ *plan.Plan) bool {
			data, ok := op.data()
			return ok && op.operation("modify") && data.drop(func(name string) bool { return name == "id" })
		})},
		{"case-blind-types", "takes Add, REMOVE and the like for operations", updating(func(op object, _ *plan.Plan) bool {
			t := op.Get("type")
			if t == nil || t.Text == strings.ToLower(t.Text) {
				return false
			}
			*t = textValue(strings.ToLower(t.Text))
			return true
		})},
	}
}

// bumped is an update that does nothing but count.
func bumped(c harness.Case, p harness.Profile) harness.Outcome {
	old := oldRecord(c)
	if old == nil {
		return rightUpdate(c, p)
	}
	c.Replies = []harness.Reply{`{"plan_metadata":{"name":"another ` + "\u2063" + `"},"operations":[]}`}
	out := rightUpdate(c, p)
	if out.Plan != nil {
		out.Plan.Record.Name = old.Record.Name
	}
	return out
}

func emptyUpdate(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightUpdate(c, p)
	if len(c.Replies) != 1 || oldRecord(c) == nil {
		return out
	}
	noList := out.Code == harness.MissingField && out.At != nil && *out.At == ""
	if noList || strings.TrimSpace(string(c.Replies[0])) == "null" {
		return bumped(c, p)
	}
	return out
}

func countsUnchanged(c harness.Case, p harness.Profile) harness.Outcome {
	out := rightUpdate(c, p)
	unchanged := func(o harness.OperationResult) bool { return o.Result == words.Unchanged }
	if out.Code != harness.EmptyPatch || !slices.ContainsFunc(out.Operations, unchanged) || len(c.Replies) != 1 {
		return out
	}
	log := out.Operations
	out = bumped(c, p)
	out.Operations = log
	return out
}

// positionRows are defects by which steps go elsewhere.
func positionRows() []row {
	return []row{
		{"reads-leading-digits", `reads "2abc" as 2`, updating(func(op object, _ *plan.Plan) bool {
			v := op.Get("position")
			if v == nil || v.Kind != strictjson.String {
				return false
			}
			digits := v.Text[:len(v.Text)-len(strings.TrimLeft(v.Text, "0123456789"))]
			if digits == "" || digits == v.Text {
				return false
			}
			n, _ := strconv.Atoi(digits)
			*v = numberValue(n)
			return true
		})},
		{"reorders-to-end", "moves a step to the end, whatever the position", updating(func(op object, old *plan.Plan) bool {
			v := op.Get("position")
			if v == nil || v.Kind != strictjson.Number || !op.operation("reorder") {
				return false
			}
			*v = numberValue(len(old.Steps) - 1)
			return true
		})},
		{"counts-from-one", "counts positions from 1", updating(func(op object, _ *plan.Plan) bool { return shifted(op.Get("position"), 1) })},
		{"counts-before-taking-out", "counts a position to move to before the step is taken out", updating(func(op object, old *plan.Plan) bool {
			from := slices.IndexFunc(old.Steps, func(s plan.Step) bool { return strings.TrimSpace(s.ID) == op.target() })
			v := op.Get("position")
			return op.operation("reorder") && v != nil && intOf(v) > from && from >= 0 && shifted(v, 1)
		})},
		{"keeps-behind-dependencies", "refuses to move a step before one that it depends on", updating(refuseBefore)},
		{"clamps-positions", "takes a position beyond the last for the last", updating(func(op object, old *plan.Plan) bool {
			v := op.Get("position")
			if v == nil || !op.operation("reorder") || intOf(v) < len(old.Steps) {
				return false
			}
			*v = numberValue(len(old.Steps) - 1)
			return true
		})},
	}
}

func numberValue(n int) strictjson.Value {
	return strictjson.Value{Kind: strictjson.Number, Text: strconv.Itoa(n)}
}

// intOf returns an integer, or -1 where there is none.
func intOf(v *strictjson.Value) int {
	n, err := strconv.Atoi(v.Text)
	if err != nil || v.Kind != strictjson.Number {
		return -1
	}
	return n
}

// shifted lowers a positive position.
func shifted(v *strictjson.Value, by int) bool {
	if v == nil || intOf(v) < by {
		return false
	}
	*v = numberValue(intOf(v) - by)
	return true
}

func refuseBefore(op object, old *plan.Plan) bool {
	s, v := stands(old, op.target()), op.Get("position")
	if s == nil || v == nil || !op.operation("reorder") {
		return false
	}
	index := old.Index()
	if !slices.ContainsFunc(s.Dependencies, func(d string) bool { return intOf(v) >= 0 && intOf(v) <= index[d] && index[d] < index[s.ID] }) {
		return false
	}
	*v = numberValue(index[s.ID])
	return true
}

// recordRows are defects of versions and history.
func recordRows() []row {
	return []row{
		{"version-per-operation", "counts a version for each operation", recording(func(e edit) {
			for _, o := range e.out.Operations {
				if o.Result == words.Applied {
					e.new.Record.Version++
				}
			}
			e.new.Record.Version = max(e.new.Record.Version-1, e.old.Record.Version+1)
		})},
		{"no-version-for-metadata", "changes name and description without a new version", recording(func(e edit) {
			if e.out.UpdateType == "metadata" {
				e.new.Record.Version, e.new.Record.History = e.old.Record.Version, e.old.Record.History
			}
		})},
		{"shares-parameters", "keeps old versions that share nested parameters with the plan", recording(func(e edit) { e.past(e.newest(), shareParameters) })},
		{"shares-steps", "keeps old versions that share their steps with the plan", recording(func(e edit) { e.past(e.newest(), shareTexts) })},
		{"rewrites-history", "gives old versions the name of the plan", recording(func(e edit) {
			for i := range e.new.Record.History {
				e.past(i, func(e edit, o object) bool { o.set("name", textValue(e.new.Record.Name)); return true })
			}
		})},
		{"nests-history", "keeps the history in old versions, too", recording(func(e edit) {
			e.past(e.newest(), func(e edit, o object) bool {
				o.set("history", strictjson.Value{Kind: strictjson.Array, Items: []strictjson.Value{{Kind: strictjson.Object, Members: o.Members}}})
				return true
			})
		})},
		{"forgets-history", "keeps the newest old version only", recording(func(e edit) {
			h := e.new.Record.History
			e.new.Record.History = h[len(h)-1:]
		})},
	}
}

// newest is the place of the newest entry of the history.
func (e edit) newest() int { return len(e.new.Record.History) - 1 }

// past changes an entry of the history.
func (e edit) past(i int, change func(e edit, o object) bool) {
	h := e.new.Record.History
	h[i] = jsontext.Value(rewrite(string(h[i]), func(o object) bool { return change(e, o) }))
}

func shareParameters(e edit, o object) bool {
	changed := false
	for _, item := range o.items("steps") {
		if s := e.new.Step(idText(item)); s != nil {
			if p := extraMember(s, "parameters"); p != nil && item.Get("parameters") != nil {
				item.set("parameters", *p)
				changed = true
			}
		}
	}
	return changed
}

func shareTexts(e edit, o object) bool {
	changed := false
	for _, item := range o.items("steps") {
		if s := e.new.Step(idText(item)); s != nil && s.Description != "" {
			item.set("description", textValue(s.Description))
			changed = true
		}
	}
	return changed
}

func idText(item object) string {
	if v := item.Get("id"); v != nil {
		return v.Text
	}
	return ""
}

// extraMember returns a member of a step that only this dialect has, or nil.
func extraMember(s *plan.Step, name string) *strictjson.Value {
	doc, err := strictjson.Parse(s.Extra, harness.DefaultMaxDepth)
	if err != nil {
		return nil
	}
	return doc.Root.Get(name)
}
