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
	} else if list := (*yaml.LoadErrors)(nil); err != nil && !errors.As(err, &list) {
		at := Syntax(data, err)
		return fmt.Errorf("%s:%d:%d: %s", name, at.Line, at.Column, at.Message)
	} else if err != nil {
		return fmt.Errorf("%s: %s", name, plain(err))
	}
	return nil
}

// SyntaxError is the error of a text that is not YAML.
type SyntaxError struct {
	Line, Column int    // counted from 1
	Message      string // the mistake, and the fix
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Syntax returns the error for an error of the YAML library.
func Syntax(data []byte, err error) *SyntaxError {
	e := &yaml.LoadError{Message: err.Error()}
	errors.As(err, &e)
	at := &SyntaxError{max(1, e.Mark.Line), max(1, e.Mark.Column), "this text is not allowed here (check the indentation, " +
		"and quote texts that contain : # { [ ] or quotes)"}
	lines := bytes.Split(data, []byte("\n"))
	if line := lines[min(at.Line, len(lines))-1]; bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("\t")) {
		at.Column, at.Message = 1, "the line is indented with a tab (indent with spaces)"
	} else {
		for _, f := range faults() {
			if strings.Contains(e.Message, f[0]) {
				at.Message = f[1]
				if strings.Contains(f[1], "does not end") && e.ContextMark.Line > 0 {
					at.Line, at.Column = e.ContextMark.Line, e.ContextMark.Column
				}
			}
		}
	}
	at.Message = "not YAML: " + at.Message
	return at
}

// faults lists messages of the YAML library, and their meaning to an author.
func faults() [][2]string {
	return [][2]string{
		{"mapping values are not", "a colon is not allowed here (quote a text that contains a colon, or check the indentation)"},
		{"expected ',' or ']'", "a list that begins with [ does not end (add the ])"},
		{"expected ',' or '}'", "a mapping that begins with { does not end (add the })"},
		{"end of stream", "a text in quotes does not end (add the quote)"},
		{"unknown anchor", "a text that begins with * refers to a name that is missing (quote the text)"},
		{"cannot start any token", "a text must not begin with this character (quote the text)"},
		{"expected ':'", "a line without a colon (write NAME: VALUE)"},
		{"unknown escape", "an unknown escape in a text in double quotes (use single quotes)"},
		{"control characters", "the file contains a control character (delete it)"},
		{"UTF-8", "the file is not UTF-8 (save it as UTF-8)"},
	}
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
