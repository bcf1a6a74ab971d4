package spec

import (
	"slices"

	planpatch "replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
)

// Layout returns the paths of ids and items in plans, patches and scripts.
func Layout() *document.Layout {
	l := planpatch.Layout()
	l.IDs, l.Words = append(slices.Clip(l.IDs), "step"), append(slices.Clip(l.Words), "tool")
	return l
}
