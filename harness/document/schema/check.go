package schema

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"replanbench/harness/document/strictjson"
)

// Checker checks documents against one JSON Schema.
type Checker struct{ schema *jsonschema.Schema }

// Checker compiles the schema. It returns an error for a schema that is invalid, or that
// uses a keyword, format or reference that cannot be checked.
func (s Schema) Checker() (Checker, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(s.Data))
	if err != nil {
		return Checker{}, fmt.Errorf("read the schema of %s: %w", s.Name, err)
	}
	return Compile(s.Name, document)
}

// Compile compiles a schema that is decoded already, as [Schema.Checker] does. Messages
// call it name.
func Compile(name string, document any) (Checker, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(jsonschema.SchemeURLLoader{}) // a foreign schema must not name files of this machine
	if err := c.AddResource(name+".json", document); err != nil {
		return Checker{}, fmt.Errorf("read the schema of %s: %w", name, err)
	}
	s, err := c.Compile(name + ".json")
	if err != nil {
		return Checker{}, fmt.Errorf("compile the schema of %s: %w", name, err)
	}
	return Checker{s}, nil
}

// Check returns one message per fault of a JSON document, each with its place. It returns
// an error if the document is not JSON.
func (c Checker) Check(document []byte) ([]string, error) {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return nil, err
	}
	var messages []string
	for _, f := range c.Faults(v) {
		if f.Pointer != "" {
			f.Message = "at " + f.Pointer + ": " + f.Message
		}
		messages = append(messages, f.Message)
	}
	slices.Sort(messages)
	return messages, nil
}

// Fault is one violation of a schema.
type Fault struct {
	Pointer string   // JSON Pointer to the value
	Path    []string // the same place as names and indexes
	Kind    jsonschema.ErrorKind
	Message string
}

// Faults returns all violations in a decoded document. Where a value must fit one of
// several schemas and fits none, it returns the violations of the nearest one.
func (c Checker) Faults(v any) []Fault {
	err := c.schema.Validate(v)
	if err == nil {
		return nil
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []Fault{{Message: err.Error()}}
	}
	return faults(invalid)
}

// nearer reports whether a value with the faults a is closer to a schema than one with
// the faults b: it has fewer of them, or they are deeper in the value.
func nearer(a, b []Fault) bool {
	return len(a) < len(b) || len(a) == len(b) && len(a[0].Path) > len(b[0].Path)
}

func faults(e *jsonschema.ValidationError) (list []Fault) {
	switch e.ErrorKind.(type) {
	case *kind.OneOf, *kind.AnyOf:
		for _, cause := range e.Causes {
			if one := faults(cause); list == nil || nearer(one, list) {
				list = one
			}
		}
	default:
		for _, cause := range e.Causes {
			list = append(list, faults(cause)...)
		}
	}
	if list != nil {
		return list
	}
	var pointer strings.Builder
	for _, name := range e.InstanceLocation {
		pointer.WriteString("/" + strictjson.Escape(name))
	}
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	return []Fault{{pointer.String(), e.InstanceLocation, e.ErrorKind, strings.TrimSpace(text)}}
}
