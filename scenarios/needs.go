package scenarios

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// Documents is what a case of a dialect is made of.
type Documents struct {
	Documents []Document
	Replies   bool // there is at least one
}

// Document is a JSON document of a case.
type Document struct {
	Name     string // that of its file in a scenario, without .json
	Required bool
	value    func(*harness.Case) *jsontext.Value
}

// Put puts the document into a case.
func (d Document) Put(c *harness.Case, doc jsontext.Value) { *d.value(c) = doc }

// Needs says what a case of a dialect is made of; nothing for an unknown one.
func Needs(name string) Documents {
	var needs Documents
	for _, d := range dialects() {
		if d.name != name {
			continue
		}
		needs.Replies = d.replies
		for _, f := range d.files {
			needs.Documents = append(needs.Documents, Document{strings.TrimSuffix(f.name, ".json"), f.required, f.value})
		}
	}
	return needs
}
