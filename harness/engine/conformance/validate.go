package conformance

import (
	"errors"
	"strings"

	"replanbench/harness/dialect/all"
	"replanbench/harness/schema"
)

// outcomeSchema is what answers must look like.
func outcomeSchema() (schema.Checker, error) {
	const name = "outcome"
	source, ok := all.Schema(name)
	if !ok {
		return schema.Checker{}, errors.New("the schema of outcomes is not built in")
	}
	return schema.Schema{Name: name, Data: source}.Checker()
}

// validate names each place of an answer that the schema refuses.
func validate(c schema.Checker, answer []byte) error {
	faults, err := c.Check(answer)
	if err != nil || faults == nil {
		return err
	}
	return errors.New(strings.Join(faults, "; "))
}
