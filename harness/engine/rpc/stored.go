package rpc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/plan"
)

// Stored is the error for a plan with a value that no plan can have.
type Stored struct {
	What string // a number as description, half a character as title
	At   string // JSON Pointer into the outcome
}

func (s *Stored) Error() string { return fmt.Sprintf("the engine stores %s (at %s)", s.What, s.At) }

// storedIn returns what a result stores that cannot be decoded; nil if the fault is another one.
func storedIn(result []byte, err error) error {
	var semantic *json.SemanticError
	var fault *plan.Error
	if errors.As(err, &semantic) && errors.As(semantic.Err, &fault) {
		if _, kind, ok := strings.Cut(fault.Message, ", not "); ok && !strings.HasPrefix(kind, `"`) {
			at := string(semantic.JSONPointer) + fault.Pointer
			return &Stored{What: kind + " as " + memberOf(at), At: at}
		}
	}
	var syntactic *jsontext.SyntacticError
	if !errors.As(err, &syntactic) || !jsontext.Value(result).IsValid(jsontext.AllowInvalidUTF8(true)) {
		return nil
	}
	at := string(syntactic.JSONPointer)
	return &Stored{What: "half a character as " + memberOf(at), At: at}
}

// memberOf returns the last name of a pointer that is not an index.
func memberOf(pointer string) string {
	parts := strings.Split(pointer, "/")
	for i := len(parts) - 1; i > 0; i-- {
		if strings.Trim(parts[i], "0123456789") != "" {
			return parts[i]
		}
	}
	return "outcome"
}
