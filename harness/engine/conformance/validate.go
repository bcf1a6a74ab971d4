package conformance

import (
	"errors"
	"strings"

	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
)

// outcomeSchema is the JSON Schema of outcomes.
func outcomeSchema() (schema.Checker, error) {
	const name = "outcome"
	source, ok := all.Schema(name)
	if !ok {
		return schema.Checker{}, errors.New("the schema of outcomes is not built in")
	}
	return schema.Schema{Name: name, Data: source}.Checker()
}

// validate lists each schema error of an answer with its place.
func validate(c schema.Checker, answer []byte) error {
	faults, err := c.Check(answer)
	if err != nil || faults == nil {
		return err
	}
	return errors.New(strings.Join(faults, "; "))
}
