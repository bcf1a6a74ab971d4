// Package strictjson decodes JSON into a tree that keeps what encoding/json
// hides: duplicate and case-folded member names, unknown members, escapes of
// lone surrogates, nesting depth, trailing data, and the place of each value.
//
// It is not a way to fill Go structs; for trusted input use a JSON library.
// The grammar is the one of github.com/go-json-experiment/json/jsontext.
package strictjson

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Document is a parsed value with its faults: it is well-formed, but may have duplicate
// names, lone surrogates or too many levels.
type Document struct {
	Root Value
	// Duplicates are the members whose name stood in their object before.
	Duplicates []Place
	// Surrogates are the strings and names with an escape of a lone surrogate.
	Surrogates []Place
}

// Place is a position in a document: a JSON Pointer and a byte offset.
type Place struct {
	Pointer string
	Name    string // the member's name, for a duplicate
	Offset  int
}

// Error says why bytes are no JSON value. Offset is where reading stopped.
type Error struct {
	Offset  int
	Message string
	TooDeep bool // the value is not malformed, but nests deeper than allowed
}

func (e *Error) Error() string { return e.Message }

// Parse reads data, which must hold exactly one JSON value nested at most
// maxDepth deep ({} is 1). The error is an *Error.
func Parse(data []byte, maxDepth int) (*Document, error) {
	return NewParser(string(data)).All(maxDepth)
}

// All is [Parse] for the parser's text.
func (p *Parser) All(maxDepth int) (*Document, error) {
	start := skipSpace(p.text, 0)
	if start == len(p.text) {
		return nil, &Error{Offset: start, Message: "the input is empty"}
	}
	doc, end, err := p.ParseAt(start, maxDepth)
	if err != nil {
		e := *err.(*Error)
		if e.Message = p.describe(start); e.TooDeep {
			e.Message = fmt.Sprintf("nests deeper than %d", maxDepth)
		}
		return nil, &e
	}
	if end = skipSpace(p.text, end); end < len(p.text) {
		return nil, &Error{Offset: end, Message: "there is data after the JSON value"}
	}
	return doc, nil
}

// InvalidUTF8 returns the offset of the first byte that is not UTF-8; -1 if all
// are. Parse lets such bytes pass.
func InvalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	at := 0
	for {
		r, n := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && n < 2 {
			return at
		}
		at += n
	}
}

// Position turns a byte offset into a line and a column, both from 1; columns
// count characters.
func Position(text string, offset int) (line, column int) {
	text = text[:min(offset, len(text))]
	start := 1 + strings.LastIndexByte(text, '\n')
	return 1 + strings.Count(text, "\n"), 1 + utf8.RuneCountInString(text[start:])
}

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
		return fmt.Errorf("%w after byte %d", placed(syntactic.JSONPointer, Syntax(syntactic)), syntactic.ByteOffset)
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	}
	return err
}

// Syntax says what is wrong with the syntax, without a place.
func Syntax(err *jsontext.SyntacticError) string {
	if errors.Is(err.Err, io.ErrUnexpectedEOF) {
		return "the JSON is cut off"
	}
	text, _, _ := strings.Cut(strings.TrimPrefix(err.Err.Error(), "jsontext: "), " in literal ")
	return text
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
