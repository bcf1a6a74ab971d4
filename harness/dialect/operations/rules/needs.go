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

// Needs lists the capabilities that a case requires.
func Needs(c harness.Case) []string {
	list := harness.Needs(c.LimitsAsked())
	texts := []string{string(c.Plan)}
	for _, r := range c.Replies {
		texts = append(texts, string(r))
	}
	list.If(len(c.Replies) > 1, harness.FeatureLadder)
	asked := asks(c)
	for _, term := range spec.Vocabulary().Capabilities {
		name, of := term.Name, texts
		switch name {
		case "results", "metadata", "padded metadata", "unknown members of operations", "positions", "given ids",
			"generated ids", "dependencies", spec.Version, spec.History:
			list.If(slices.Contains(asked, name), name)
			continue
		case kindAdd, kindModify, kindRemove, kindReorder:
			of = texts[1:]
		}
		list.If(name != "plan" && slices.ContainsFunc(of, func(text string) bool { return quotes(text, name) }), name)
	}
	unknown := false
	_, err := plan.DecodeRecordAnd(c.Plan, func(root *strictjson.Value) error {
		unknown = slices.ContainsFunc(root.Get("steps").Items, hasUnknown)
		return checkSteps(root)
	})
	list.If(err != nil, "plan")
	list.If(err == nil && unknown, "unknown members")
	return list
}

// asks returns the required capabilities that no single word shows.
func asks(c harness.Case) (asked harness.Needs) {
	asked.If(len(c.Results) > 0 && strings.TrimSpace(string(c.Results)) != "{}", "results")
	for _, o := range mutant.Objects(c.Plan) {
		for _, item := range o.Items("steps") {
			asked.If(mutant.Says(item.Get("dependencies")), "dependencies")
		}
		asked.If(o.Get("version") != nil && !isVersion(o.Get("version")), spec.Version)
		asked.If(mutant.Says(o.Get("history")), spec.History)
	}
	removes := false
	for _, r := range c.Replies {
		for _, o := range mutant.Objects(r) {
			if data := o.Get("plan_metadata"); data != nil {
				ofMetadata(data, &asked)
			}
			for _, item := range o.Items("operations") {
				ofOperation(item, &asked)
				removes = removes || item.Says("type", kindRemove)
			}
		}
	}
	// The history says which ids earlier updates used.
	asked.If(len(c.Replies) > 1 && removes && slices.Contains(asked, "given ids"), spec.History)
	return asked
}

// isVersion reports whether a value is a version, or null for the first one.
func isVersion(v *strictjson.Value) bool {
	n, err := strconv.Atoi(v.Text)
	return v.Kind == strictjson.Null || v.Kind == strictjson.Number && err == nil && n > 0
}

// ofMetadata adds the capabilities that the metadata of an update requires.
func ofMetadata(data *strictjson.Value, asked *harness.Needs) {
	for _, name := range []string{"name", "description"} {
		if v := data.Get(name); v != nil {
			asked.If(true, "metadata")
			trimmed := strings.TrimSpace(v.Text)
			asked.If(trimmed != "" && trimmed != v.Text, "padded metadata")
		}
	}
}

// ofOperation adds the capabilities that an operation requires.
func ofOperation(o mutant.Object, asked *harness.Needs) {
	known := []string{"type", "step_id", "step_data", "position", "reason"}
	other := func(m strictjson.Member) bool { return !slices.Contains(known, m.Name) }
	asked.If(slices.ContainsFunc(o.Members, other), "unknown members of operations")
	data := o.Get("step_data")
	asked.If(data != nil && mutant.Says(data.Get("dependencies")), "dependencies")
	if kind := o.Get("type"); kind != nil && kind.Text == kindAdd {
		given := data != nil && data.Get("id") != nil
		asked.If(o.Get("position") != nil, "positions")
		asked.If(given, "given ids")
		asked.If(!given, "generated ids")
	}
}

// quotes reports whether a text contains the word in quotation marks, escaped or
// not.
func quotes(text, word string) bool {
	return slices.ContainsFunc([]string{`"`, `\"`, `'`},
		func(mark string) bool { return strings.Contains(text, mark+word+mark) })
}

// hasUnknown reports whether a step has unknown members.
func hasUnknown(step strictjson.Value) bool {
	known := (&data{}).fields()
	return slices.ContainsFunc(step.Members, func(m strictjson.Member) bool {
		return !slices.ContainsFunc(known[:], func(f field) bool { return f.name == m.Name })
	})
}
