// Package yamlfile reads YAML that people write into Go structs, with errors for those people: the file, the
// line, and no type of this program. Package yamljson is for YAML that becomes JSON.
package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v4"
)

// Decode reads a file. What it contains is named in the error for an empty one: a map, a profile.
func Decode(name, what string, data []byte, to any) error {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(to); errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: the %s is empty", name, what)
	} else if err != nil {
		return fmt.Errorf("%s: %s", name, plain(err))
	}
	return nil
}

// Section reads a part of a file.
func Section(name string, n *yaml.Node, to any) error {
	if err := n.Load(to, yaml.WithKnownFields()); err != nil {
		return fmt.Errorf("%s: %s", name, plain(err))
	}
	return nil
}

// Messages of the YAML library that name types of this program.
var (
	unknownMember = regexp.MustCompile(`field (\S+) not found in type \S+`)
	otherType     = regexp.MustCompile("cannot construct !!(\\w+)(?: `.*`)? into (.+)$")
)

// plain returns the message of an error of the YAML library without types of this program.
func plain(err error) string {
	var list *yaml.LoadErrors
	if !errors.As(err, &list) {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	var lines []string
	for _, e := range list.Errors {
		text := unknownMember.ReplaceAllString(e.Message, `unknown member "$1"`)
		if m := otherType.FindStringSubmatch(text); m != nil {
			text = "expected " + kindOf(m[2]) + ", got " + kindOf(m[1])
		}
		lines = append(lines, fmt.Sprintf("line %d: %s", e.Mark.Line, text))
	}
	return strings.Join(lines, "; ")
}

// kindOf returns the word of an author for a YAML tag or a Go type.
func kindOf(name string) string {
	switch {
	case name == "seq", strings.HasPrefix(name, "[]"):
		return "a list"
	case name == "str", name == "string":
		return "a text"
	case name == "int", name == "float":
		return "a number"
	case name == "bool":
		return "true or false"
	case name == "null":
		return "nothing"
	}
	return "a mapping"
}
