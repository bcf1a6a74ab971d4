package scenarios

import (
	"strings"

	"replanbench/harness/dialect"
	"replanbench/harness/document"
)

// fileNames lists the files that a scenario of the dialect can have.
func fileNames(d *dialect.Dialect) string {
	var names []string
	for _, doc := range d.Documents {
		names = append(names, doc.File())
	}
	if d.Replies != document.NoReplies {
		names = append(names, "reply.N.txt, reply.N.b64, reply.N.gen")
	}
	return strings.Join(append(names, "want.json"), ", ")
}
