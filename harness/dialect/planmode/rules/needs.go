package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// Needs lists what an engine must have for a case: the toggle, the time, and links
// where the case holds one, and that it checks the documents that break the rules.
func Needs(c harness.Case) (list []string) {
	var r reader
	holds := func(need string, is bool) {
		if is {
			list = append(list, need)
		}
	}
	checked := func(need string) {
		holds(need, r.Fault != nil)
		r.Fault = nil
	}
	holds("timestamp", r.context(c.Context).timestamp != nil)
	checked("context")
	r.files(c.Files)
	checked("files")
	files, calls := r.document("files", c.Files), r.document("calls", c.Calls)
	holds("links", files != nil && slices.ContainsFunc(files.Members, func(m strictjson.Member) bool { return m.Value.Get("link") != nil }))
	holds("toggle", calls != nil && slices.ContainsFunc(calls.Items, func(v strictjson.Value) bool { return v.Get("toggle") != nil }))
	return list
}
