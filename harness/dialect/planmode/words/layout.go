package words

import "replanbench/harness/document"

// Layout returns an empty layout: sessions have no ids.
func Layout() *document.Layout { return &document.Layout{} }
