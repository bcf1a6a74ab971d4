package rpc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/plan"
)

// plain says what is wrong with a document of an engine in the terms of JSON:
// its author need not know in which types it is read here.
func plain(err error) error {
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return errors.New(strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	at, what := semantic.JSONPointer, kindName(semantic.JSONKind)+" is of the wrong type here"
	var fault *plan.Error
	switch {
	case errors.As(semantic.Err, &fault):
		at, what = at+jsontext.Pointer(fault.Pointer), fault.Message
	case semantic.Err != nil:
		what = semantic.Err.Error()
	}
	if at == "" {
		return errors.New(what)
	}
	return fmt.Errorf("at %s: %s", at, what)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	case 0:
		return "a value"
	}
	return k.String()
}
