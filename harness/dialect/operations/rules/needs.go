package rules

import (
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Capabilities lists the capabilities that an engine may declare to lack.
func Capabilities() []harness.Term {
	return []harness.Term{
		{Name: kindAdd, Text: "operations may add steps"},
		{Name: kindModify, Text: "operations may modify steps"},
		{Name: kindRemove, Text: "operations may remove steps"},
		{Name: kindReorder, Text: "operations may move steps"},
		{Name: "metadata", Text: "a reply may change the name and description of the plan"},
		{Name: paddedMetadata, Text: "white space around a new name or description of the plan does not count"},
		{Name: unknownInOperations, Text: "an operation with an unknown member is carried out"},
		{Name: "positions", Text: "an added step may name its position"},
		{Name: givenIDs, Text: "a step may be added with an id, which it keeps"},
		{Name: "generated ids", Text: "a step may be added without an id"},
		{Name: "results", Text: "results of steps are kept, and cleared when a step changes"},
		{Name: spec.Version, Text: "each update that changes something raises the version of the plan"},
		{Name: spec.History, Text: "the plan as it was before each update is kept, and its ids are not free"},
		{Name: "dependencies", Text: "steps depend on steps"},
		{Name: "assigned_specialist", Text: "steps name a specialist"},
		{Name: "priority", Text: "steps have a priority"},
		{Name: "parameters", Text: "steps have parameters"},
		{Name: "tools_expected", Text: "steps list the tools that they expect"},
		{Name: unknownMembers, Text: "unknown members of steps are kept"},
		{Name: "max_plan_steps", Text: "the limit on steps"},
		{Name: "max_reply_bytes", Text: "the limit on the size of a reply"},
		{Name: "max_depth", Text: "the limit on the nesting depth of a reply"},
		{Name: "plan", Text: "an invalid plan in the case is rejected"},
	}
}

const (
	unknownMembers      = "unknown members"
	paddedMetadata      = "padded metadata"
	givenIDs            = "given ids"
	unknownInOperations = "unknown members of operations"
)

// Needs lists the capabilities that a case requires.
func Needs(c harness.Case) (list []string) {
	list = c.LimitsAsked()
	texts := []string{string(c.Plan)}
	for _, r := range c.Replies {
		texts = append(texts, string(r))
	}
	if len(c.Replies) > 1 {
		list = append(list, harness.FeatureLadder)
	}
	asked := asks(c)
	for _, term := range Capabilities() {
		if is, ok := asked[term.Name]; ok {
			if is {
				list = append(list, term.Name)
			}
			continue
		}
		of := texts
		if slices.Contains([]string{kindAdd, kindModify, kindRemove, kindReorder}, term.Name) {
			of = texts[1:]
		}
		if slices.ContainsFunc(of, func(text string) bool { return quotes(text, term.Name) }) && term.Name != "plan" {
			list = append(list, term.Name)
		}
	}
	if old, err := plan.DecodeRecordAnd(c.Plan, checkSteps); err != nil {
		list = append(list, "plan")
	} else if slices.ContainsFunc(old.Steps, func(s plan.Step) bool { return hasUnknown(s.Extra) }) {
		list = append(list, unknownMembers)
	}
	return list
}

// asks reports for capabilities that no single word shows whether a case requires them.
func asks(c harness.Case) map[string]bool {
	asked := map[string]bool{"results": len(c.Results) > 0 && strings.TrimSpace(string(c.Results)) != "{}"}
	for _, name := range []string{
		"metadata", paddedMetadata, unknownInOperations, "positions", givenIDs, "generated ids", "dependencies",
		spec.Version, spec.History,
	} {
		asked[name] = false
	}
	for _, o := range mutant.Objects(c.Plan) {
		for _, item := range o.Items("steps") {
			asked["dependencies"] = asked["dependencies"] || depends(item)
		}
		asked[spec.Version] = asked[spec.Version] || o.Get("version") != nil && !isVersion(o.Get("version"))
		asked[spec.History] = asked[spec.History] || has(o.Get("history"))
	}
	asked[spec.History] = asked[spec.History] || len(c.Replies) > 1 && frees(c.Replies)
	for _, r := range c.Replies {
		for _, o := range mutant.Objects(r) {
			if data := o.Get("plan_metadata"); data != nil {
				ofMetadata(data, asked)
			}
			for _, item := range o.Items("operations") {
				ofOperation(item, asked)
			}
		}
	}
	return asked
}

// depends reports whether a step has dependencies, or something else in their place.
func depends(step mutant.Object) bool {
	return has(step.Get("dependencies"))
}

// has reports whether a member is a list with items, or something else in its place.
func has(list *strictjson.Value) bool {
	return list != nil && list.Kind != strictjson.Null && (list.Kind != strictjson.Array || len(list.Items) > 0)
}

// isVersion reports whether a value is a version, or null for the first one.
func isVersion(v *strictjson.Value) bool {
	n, err := strconv.Atoi(v.Text)
	return v.Kind == strictjson.Null || v.Kind == strictjson.Number && err == nil && n > 0
}

// frees reports whether replies add steps with ids of their own and remove steps: the history says which ids
// earlier updates used.
func frees(replies []harness.Reply) bool {
	added, removed := false, false
	for _, r := range replies {
		for _, o := range mutant.Objects(r) {
			for _, item := range o.Items("operations") {
				kind, data := item.Get("type"), item.Get("step_data")
				added = added || kind != nil && kind.Text == kindAdd && data != nil && data.Get("id") != nil
				removed = removed || kind != nil && kind.Text == kindRemove
			}
		}
	}
	return added && removed
}

// ofMetadata adds the capabilities that the metadata of an update requires.
func ofMetadata(data *strictjson.Value, asked map[string]bool) {
	for _, name := range []string{"name", "description"} {
		if v := data.Get(name); v != nil {
			asked["metadata"] = true
			trimmed := strings.TrimSpace(v.Text)
			asked[paddedMetadata] = asked[paddedMetadata] || trimmed != "" && trimmed != v.Text
		}
	}
}

// ofOperation adds the capabilities that an operation requires.
func ofOperation(o mutant.Object, asked map[string]bool) {
	known := []string{"type", "step_id", "step_data", "position", "reason"}
	asked[unknownInOperations] = asked[unknownInOperations] ||
		slices.ContainsFunc(o.Members, func(m strictjson.Member) bool { return !slices.Contains(known, m.Name) })
	data := o.Get("step_data")
	asked["dependencies"] = asked["dependencies"] || data != nil && depends(mutant.Object{Value: data})
	if kind := o.Get("type"); kind != nil && kind.Text == kindAdd {
		asked["positions"] = asked["positions"] || o.Get("position") != nil
		given := data != nil && data.Get("id") != nil
		asked[givenIDs], asked["generated ids"] = asked[givenIDs] || given, asked["generated ids"] || !given
	}
}

// quotes reports whether a text contains the word in quotation marks, escaped or
// not.
func quotes(text, word string) bool {
	for _, mark := range []string{`"`, `\"`, `'`} {
		if strings.Contains(text, mark+word+mark) {
			return true
		}
	}
	return false
}

// hasUnknown reports whether a step has unknown members.
func hasUnknown(extra []byte) bool {
	if len(extra) == 0 {
		return false
	}
	parser := strictjson.Borrow(string(extra))
	defer parser.Release()
	doc, err := parser.All(maxDepth)
	if err != nil {
		return true
	}
	known := (&data{}).fields()
	return slices.ContainsFunc(doc.Root.Counted(), func(m strictjson.Member) bool {
		return !slices.ContainsFunc(known[:], func(f field) bool { return f.name == m.Name })
	})
}
