package judge

import (
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/strictjson"
)

// Parsed returns a document, or nil.
func Parsed(raw jsontext.Value) *strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	doc, err := strictjson.Parse(raw, maxNesting)
	if err != nil {
		return nil
	}
	return &doc.Root
}

// Object returns a JSON object, an empty one of no document; false if the
// document is something else.
func Object(doc jsontext.Value) (strictjson.Value, bool) {
	if len(doc) == 0 {
		return strictjson.Value{Kind: strictjson.Object}, true
	}
	v := Parsed(doc)
	if v == nil || v.Kind != strictjson.Object {
		return strictjson.Value{}, false
	}
	return *v, true
}

// maxNesting is how deep a document of an outcome may nest that is compared.
const maxNesting = 1000

// Roles returns the roles of a list of messages, in order.
func Roles(messages jsontext.Value) []string {
	p := strictjson.Borrow(string(messages))
	defer p.Release()
	doc, err := p.All(maxNesting)
	if err != nil {
		return nil
	}
	v := &doc.Root
	list := make([]string, len(v.Items))
	for i := range v.Items {
		if role := v.Items[i].Get("role"); role != nil {
			list[i] = role.Text
		}
	}
	return list
}

// Brief cuts a text for a message.
func Brief(s string) string { return outcome.Brief(s) }
