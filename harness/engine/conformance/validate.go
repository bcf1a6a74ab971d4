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

// validator validates answers against the JSON Schema of outcomes.
type validator struct{ schema *jsonschema.Schema }

func outcomeValidator() (validator, error) {
	const name = "outcome"
	source, ok := all.Schema(name)
	if !ok {
		return validator{}, errors.New("the schema of outcomes is not built in")
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source))
	if err != nil {
		return validator{}, fmt.Errorf("read the schema of outcomes: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	if err := compiler.AddResource(name, doc); err != nil {
		return validator{}, fmt.Errorf("read the schema of outcomes: %w", err)
	}
	compiled, err := compiler.Compile(name)
	if err != nil {
		return validator{}, fmt.Errorf("read the schema of outcomes: %w", err)
	}
	return validator{compiled}, nil
}

// check names each place of an answer that the schema refuses.
func (v validator) check(answer []byte) error {
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(answer))
	if err != nil {
		return err
	}
	err = v.schema.Validate(instance)
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return err
	}
	return errors.New(strings.Join(faults(invalid), "; "))
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
