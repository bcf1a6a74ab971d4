// Package yamljson converts YAML that people write to JSON. It rejects what
// JSON does not have: aliases, names that are no text, infinity. It does not fill Go structs.
package yamljson

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/yamlfile"
)

// Document is a YAML document.
type Document struct {
	JSON jsontext.Value // in the order of the document
	root *yaml.Node
}

// ErrNoMapping is the error for a document without names and values.
var ErrNoMapping = errors.New("expected lines such as name: value")

// Parse reads a document that holds a mapping. Errors name the line.
func Parse(data []byte) (*Document, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, yamlfile.Syntax(data, err)
	}
	if doc.Kind != yaml.DocumentNode || doc.Content[0].Kind != yaml.MappingNode {
		return nil, ErrNoMapping
	}
	var out bytes.Buffer
	err := write(jsontext.NewEncoder(&out), doc.Content[0])
	return &Document{bytes.TrimSpace(out.Bytes()), doc.Content[0]}, err
}

// write writes YAML as JSON, in its order.
func write(e *jsontext.Encoder, n *yaml.Node) error {
	begin, end := jsontext.BeginObject, jsontext.EndObject
	switch n.Kind {
	case yaml.ScalarNode:
		var v any = n.Value
		if n.Tag != "!!str" && n.Tag != "!!timestamp" {
			if err := n.Decode(&v); err != nil {
				return fmt.Errorf("line %d: %q is not a value of the type %s", n.Line, n.Value, n.Tag)
			}
		}
		if err := json.MarshalEncode(e, v); err != nil {
			return fmt.Errorf("line %d: %w", n.Line, strictjson.Plain(err))
		}
		return nil
	case yaml.SequenceNode:
		begin, end = jsontext.BeginArray, jsontext.EndArray
	case yaml.MappingNode:
	default:
		return fmt.Errorf("line %d: aliases are not supported here (write the value again)", n.Line)
	}
	if err := e.WriteToken(begin); err != nil {
		return err
	}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if child.Kind != yaml.ScalarNode {
				return fmt.Errorf("line %d: a name must be text", child.Line)
			}
			if err := e.WriteToken(jsontext.String(child.Value)); err != nil {
				return fmt.Errorf("line %d: %w", child.Line, strictjson.Plain(err))
			}
			continue
		}
		if err := write(e, child); err != nil {
			return err
		}
	}
	return e.WriteToken(end)
}

// Place returns the line and the column of the value at a path of names and indexes, or of the
// nearest one around it.
func (d *Document) Place(path []string) (line, column int) {
	n := d.root
	for _, name := range path {
		i, err := strconv.Atoi(name)
		if n.Kind == yaml.MappingNode {
			i, err = 0, nil
			for i < len(n.Content) && n.Content[i].Value != name {
				i += 2
			}
			i++ // the value is after its name
		}
		if err != nil || i < 0 || i >= len(n.Content) {
			break
		}
		n = n.Content[i]
	}
	return n.Line, n.Column
}
