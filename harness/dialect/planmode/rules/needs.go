package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// Needs lists what an engine must have for a case: the toggle, the time, and links
// where the case holds one, and that it checks a document that breaks the rules.
func Needs(c harness.Case) (list []string) {
	var context, files, calls reader
	begin := context.context(c.Context)
	files.files(c.Files)
	tree, script := files.document("files", c.Files), calls.document("calls", c.Calls)
	for _, need := range []struct {
		name string
		is   bool
	}{
		{"context", context.Fault != nil},
		{"timestamp", context.Fault == nil && begin.timestamp != nil},
		{"files", files.Fault != nil},
		{"links", files.Fault == nil && tree != nil &&
			slices.ContainsFunc(tree.Members, func(m strictjson.Member) bool { return m.Value.Get("link") != nil })},
		{"toggle", script != nil && slices.ContainsFunc(script.Items,
			func(v strictjson.Value) bool { return v.Get("toggle") != nil })},
	} {
		if need.is {
			list = append(list, need.name)
		}
	}
	return list
}
