// Package topics has the help topics, a Markdown file each, and renders them for a
// terminal.
package topics

import (
	"embed"
	"strings"

	"replanbench/harness"
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
	var names []string
	for _, t := range List() {
		names = append(names, t.Name)
	}
	return names
}

// Markdown returns the text of a topic as it is written, and whether there is one
// of that name.
func Markdown(name string) (string, bool) {
	text, err := files.ReadFile(name + ".md")
	return string(text), err == nil
}
