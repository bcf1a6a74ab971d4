package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
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

const unknownMembers = "unknown members"

// Needs lists the capabilities that a case requires.
func Needs(c harness.Case) (list []string) {
	list = c.LimitsAsked()
	texts := []string{string(c.Plan)}
	for _, r := range c.Replies {
		texts = append(texts, string(r))
	}
	for _, term := range Capabilities() {
		of := texts
		if slices.Contains([]string{kindAdd, kindModify, kindRemove, kindReorder}, term.Name) {
			of = texts[1:]
		}
		if slices.ContainsFunc(of, func(text string) bool { return quotes(text, term.Name) }) && term.Name != "plan" {
			list = append(list, term.Name)
		}
	}
	if old, err := plan.DecodeRecord(c.Plan); err != nil || checkSteps(c.Plan) != nil {
		list = append(list, "plan")
	} else if slices.ContainsFunc(old.Steps, func(s plan.Step) bool { return hasUnknown(s.Extra) }) {
		list = append(list, unknownMembers)
	}
	return list
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
	doc, err := strictjson.Parse(extra, maxDepth)
	if err != nil {
		return true
	}
	known := (&data{}).fields()
	for name := range doc.Root.Counting() {
		if !slices.ContainsFunc(known[:], func(f field) bool { return f.name == name }) {
			return true
		}
	}
	return false
}
