package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"replanbench/harness/dialect/all"
)

// outcomeSchema compiles the JSON Schema of outcomes.
func outcomeSchema() (*jsonschema.Schema, error) {
	const name = "outcome"
	source, ok := all.Schema(name)
	if !ok {
		return nil, errors.New("the schema of outcomes is not built in")
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err == nil {
		err = compiler.AddResource(name, doc)
	}
	if err != nil {
		return nil, fmt.Errorf("read the schema of outcomes: %w", err)
	}
	return compiler.Compile(name)
}

// validate names each place of an answer that the schema refuses.
func validate(schema *jsonschema.Schema, answer []byte) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	err = schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if errors.As(err, &invalid) {
		return errors.New(strings.Join(faults(invalid), "; "))
	}
	return err
}

// faults lists what the schema has against a value and what is in it.
func faults(e *jsonschema.ValidationError) []string {
	if len(e.Causes) > 0 {
		var list []string
		for _, cause := range e.Causes {
			list = append(list, faults(cause)...)
		}
		return list
	}
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if len(e.InstanceLocation) == 0 {
		return []string{text}
	}
	return []string{"at /" + strings.Join(e.InstanceLocation, "/") + ": " + text}
}
