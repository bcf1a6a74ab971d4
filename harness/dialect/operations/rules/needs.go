package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// Capabilities lists what an engine can declare to be without.
func Capabilities() []harness.Term {
	return []harness.Term{
		{Name: kindAdd, Text: "to add steps"},
		{Name: kindModify, Text: "to modify steps"},
		{Name: kindRemove, Text: "to remove steps"},
		{Name: kindReorder, Text: "to move steps"},
		{Name: "assigned_specialist", Text: "this member of steps"},
		{Name: "priority", Text: "this member of steps"},
		{Name: "parameters", Text: "this member of steps"},
		{Name: "tools_expected", Text: "this member of steps"},
		{Name: unknownMembers, Text: "to keep members of steps that the format does not know"},
		{Name: "max_plan_steps", Text: "this limit"},
		{Name: "max_reply_bytes", Text: "this limit"},
		{Name: "max_depth", Text: "this limit"},
		{Name: "plan", Text: "to refuse a plan that is unsound"},
	}
}

const unknownMembers = "unknown members"

// Needs lists the capabilities that a case asks for.
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
	} else if slices.ContainsFunc(old.Steps, func(s plan.Step) bool { return strange(s.Extra) }) {
		list = append(list, unknownMembers)
	}
	return list
}

// quotes reports whether a word stands in quotation marks in a text, escaped or
// not.
func quotes(text, word string) bool {
	for _, mark := range []string{`"`, `\"`, `'`} {
		if strings.Contains(text, mark+word+mark) {
			return true
		}
	}
	return false
}

// strange reports whether a step has members that the format does not know.
func strange(extra []byte) bool {
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
