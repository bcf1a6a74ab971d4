// Package spec contains the names that the rules, generators and checks of the dialect
// operations share. It contains no rule.
package spec

import (
	"sync"

	doc "replanbench/harness/document"
)

var layout = sync.OnceValue(func() doc.Layout {
	step := doc.Object(doc.Needs("id", id), doc.May("dependencies", dependencies),
		doc.May("status", doc.Text("pending", "running", "completed", "failed", "skipped", "in_progress")))
	l := doc.LayoutOf(Update(OtherIDs()...), doc.Object(
		doc.May("version", doc.Integer("1", "")), doc.Needs("steps", doc.List(step).Counts()),
		doc.May("history", doc.List(doc.Object())),
	))
	l.Nested = []string{"history"}
	return l
})

// Layout returns the paths of ids, lists and items in plans, histories and updates.
func Layout() *doc.Layout {
	l := layout()
	return &l
}
