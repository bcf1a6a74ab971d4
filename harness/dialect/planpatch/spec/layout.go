// Package spec defines the words that rules, samples and checks of the dialect share,
// and the layout of its documents. It has no rules.
package spec

import (
	"sync"

	"replanbench/harness/document"
)

var layout = sync.OnceValue(func() document.Layout { return document.LayoutOf(FullPlan(), Patch()) })

// Layout returns the paths of ids, lists and items in plans, patches and full plans.
func Layout() *document.Layout {
	l := layout()
	return &l
}
