package judge

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/strictjson"
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

// SameJSON compares JSON values whatever their layout; none equals only none.
func SameJSON(a, b jsontext.Value) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, y := Parsed(a), Parsed(b)
	return x != nil && y != nil && strictjson.Same(x, y)
}

// maxNesting is how deep a document of an outcome may nest that is compared.
const maxNesting = 1000
