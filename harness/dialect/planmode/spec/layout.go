// Package spec contains the names that the rules, generators and checks of the dialect
// planmode share. It contains no rule.
package spec

import "replanbench/harness/document"

// Layout returns an empty layout: sessions have no ids.
func Layout() *document.Layout { return &document.Layout{} }
