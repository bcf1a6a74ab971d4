package words

import "replanbench/harness/document"

// Layout says that there are no ids in a session.
func Layout() *document.Layout { return &document.Layout{} }
