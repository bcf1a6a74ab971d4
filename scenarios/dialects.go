package scenarios

import (
	"strings"

	"replanbench/harness/dialect"
	"replanbench/harness/document"
)

// wants lists the members of want.json beside verdict, code and at.
func wants(name string) []string {
	switch name {
	case "planpatch":
		return []string{"plan", "rung", "tier", "repairs", "warnings", "meta", "events"}
	case "operations":
		return []string{"plan", "results", "operations", "update_type", "tier", "repairs", "warnings"}
	case "orchestrator":
		return []string{"plan", "trace", "messages", "repairs", "warnings"}
	case "planmode":
		return []string{"trace", "mode", "phase", "path", "content"}
	case "trim":
		return []string{"messages", "tokens", "dropped", "cut"}
	}
	return nil
}

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
