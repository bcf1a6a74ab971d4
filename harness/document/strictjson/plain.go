package strictjson

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Plain says what the JSON library found wrong with a document in the terms of
// JSON: its author need not know in which types it is read here. The library's own
// wording differs from run to run.
func Plain(err error) error {
	var syntactic *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &semantic):
		what := kindName(semantic.JSONKind) + " is of the wrong type here"
		if semantic.Err != nil {
			what = Plain(semantic.Err).Error()
		}
		return placed(semantic.JSONPointer, what)
	case errors.As(err, &syntactic):
		return fmt.Errorf("%w after byte %d", placed(syntactic.JSONPointer, strings.TrimPrefix(syntactic.Err.Error(),
			"jsontext: ")), syntactic.ByteOffset)
	}
	return err
}

func placed(at jsontext.Pointer, what string) error {
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
