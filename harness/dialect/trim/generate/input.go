package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
)

// otherForms are the forms that a table cannot hold. An empty one leaves the document out.
func otherForms() map[string][]jsontext.Value {
	const user = `{"role":"user","content":"x"`
	one := func(form string) []jsontext.Value { return []jsontext.Value{jsontext.Value(form)} }
	return map[string][]jsontext.Value{
		"role-twice":       one(user + `,"role":"system"}`),
		"lone-surrogate":   one(`{"role":"user","content":"\ud83d"}`),
		"nested-too-deep":  one(user + `,"x":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}`),
		"messages-missing": one(""),
		"policy-missing":   one(""),
		"policy-too-long":  one(`[` + strings.Repeat(`"none",`, 64) + `"none"]`),
	}
}

// spoil makes the case one that cannot be read, by one of the forms.
func (r row) spoil(w *draft, forms []jsontext.Value) {
	form := generators.Pick(&w.Choices, forms).Clone() // cases share nothing
	if len(form) == 0 {
		form = nil
	}
	w.code, w.spoil = r.Refused, func(c *harness.Case) {
		if document := r.Needs[0]; document == "messages" && !r.Whole {
			c.Messages = headed(c.Messages, form)
		} else {
			c.SetDocument(document, form)
		}
	}
}

// headed puts an item at the head of the messages.
func headed(messages, item jsontext.Value) jsontext.Value {
	head := slices.Concat(jsontext.Value("["), item)
	if messages[1] != ']' {
		head = append(head, ',')
	}
	return append(head, messages[1:]...)
}

// unreadableCodes are the codes that an engine may give for a case that cannot be read, the expected one first.
func unreadableCodes(expected harness.Code) []harness.Code {
	return []harness.Code{
		expected, harness.NoDocument, harness.InvalidUTF8, harness.TooDeep, harness.DuplicateKey, harness.ExtraField,
		harness.MissingField, harness.BadType, harness.EmptyID, harness.BadLimit, harness.BadArguments,
	}
}
