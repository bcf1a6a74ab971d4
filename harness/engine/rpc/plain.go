package rpc

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// plain rewrites a decoding error of an engine's document, with the place in its plan.
func plain(err error) error {
	var semantic *json.SemanticError
	var fault *plan.Error
	if errors.As(err, &semantic) && errors.As(semantic.Err, &fault) {
		return fmt.Errorf("at %s%s: %s", semantic.JSONPointer, fault.Pointer, fault.Message)
	}
	return strictjson.Plain(err)
}
