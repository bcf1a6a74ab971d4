// Package schematest helps to test schemas.
package schematest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
)

// Compile compiles the schema of that name.
func Compile(t *testing.T, name string) schema.Checker {
	t.Helper()
	data, ok := all.Schema(name)
	if !ok {
		t.Fatalf("no schema %q", name)
	}
	c, err := schema.Schema{Name: name, Data: data}.Checker()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Validate returns what a schema has against a document.
func Validate(c schema.Checker, data []byte) error {
	messages, err := c.Check(data)
	if err != nil || messages == nil {
		return err
	}
	return errors.New(strings.Join(messages, "\n"))
}

// GoodAndBad holds a schema to documents that fit it and to some that do not.
func GoodAndBad(t *testing.T, name string, good, bad []string) {
	t.Helper()
	s := Compile(t, name)
	for _, doc := range good {
		if err := Validate(s, []byte(doc)); err != nil {
			t.Errorf("%s refuses %s: %v", name, doc, err)
		}
	}
	for _, doc := range bad {
		if Validate(s, []byte(doc)) == nil {
			t.Errorf("%s takes %s", name, doc)
		}
	}
}

// Look returns the values of a list or the member names of an object.
func Look(t *testing.T, name, path string) []string {
	t.Helper()
	data, _ := all.Schema(name)
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	for part := range strings.SplitSeq(path, "/") {
		switch x := v.(type) {
		case map[string]any:
			v = x[part]
		case []any:
			v = x[part[0]-'0']
		}
	}
	var list []string
	switch x := v.(type) {
	case map[string]any:
		for k := range x {
			list = append(list, k)
		}
	case []any:
		for _, item := range x {
			list = append(list, fmt.Sprint(item))
		}
	default:
		t.Fatalf("%s: nothing at %s", name, path)
	}
	return list
}
