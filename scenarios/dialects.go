package scenarios

import (
	"strings"
)

// dialect says which files a dialect has.
type dialect struct {
	name      string
	documents []Document
	replies   bool
}

// Document is a JSON document of a case.
type Document struct {
	Name     string // that of its file in a scenario, without .json
	Required bool
}

func (d Document) file() string { return d.Name + ".json" }

func dialects() []dialect {
	return []dialect{
		{
			"planpatch",
			[]Document{{"plan", true}},
			true,
		},
		{
			"operations",
			[]Document{{"plan", true}, {"results", false}},
			true,
		},
		{
			"orchestrator",
			[]Document{{"plan", false}, {"tools", false}, {"verify", false}},
			true,
		},
		{
			"planmode",
			[]Document{{"context", false}, {"files", false}, {"calls", true}},
			false,
		},
		{
			"trim",
			[]Document{{"messages", true}, {"budget", false}, {"policy", false}},
			false,
		},
	}
}

func (d dialect) fileNames() string {
	var names []string
	for _, doc := range d.documents {
		names = append(names, doc.file())
	}
	if d.replies {
		names = append(names, "reply.N.txt, reply.N.b64, reply.N.gen")
	}
	return strings.Join(append(names, "want.json"), ", ")
}

// Needs says what a case of a dialect is made of: its documents, and whether
// there is at least one reply. An unknown dialect has nothing.
func Needs(name string) (documents []Document, replies bool) {
	for _, d := range dialects() {
		if d.name == name {
			return d.documents, d.replies
		}
	}
	return nil, false
}
