// Package topics has the help topics, a Markdown file each, and renders them for a
// terminal.
package topics

import (
	"embed"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
)

//go:embed *.md
var files embed.FS

// List returns the topics, each with its title, in the order of their names.
func List() []harness.Term {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // they are embedded
	}
	var list []harness.Term
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".md")
		text, _ := Markdown(name)
		first, _, _ := strings.Cut(text, "\n")
		list = append(list, harness.Term{Name: name, Text: strings.TrimPrefix(first, "# ")})
	}
	return list
}

// Names returns the names of the topics.
func Names() []string {
	return collect.Map(List(), func(t harness.Term) string { return t.Name })
}

// Markdown returns the text of a topic as it is written, and whether there is one
// of that name.
func Markdown(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil
}
