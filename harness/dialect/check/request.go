package check

import (
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// Request is the only object of a reply, read leniently. It exists only if every reader
// must find the same object: nothing around it could be another, and no member occurs
// twice.
type Request struct {
	Text  string // the reply
	Start int    // of the object in the reply
	End   int
	Root  *strictjson.Value
}

// maxRequest is the size of a reply that is still looked into.
const maxRequest = 256 << 10

// FindObject finds the only object of a reply; nil if there is none, or
// perhaps another.
func FindObject(x *judge.Examination, text string) *Request {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if start < 0 || end <= start || len(text) > maxRequest {
		return nil
	}
	for _, around := range []string{text[:start], text[end:]} {
		if strings.ContainsAny(around, "[]") || strings.Contains(around, "<think") {
			return nil
		}
	}
	doc, err := x.Parse(text[start:end], harness.DefaultMaxDepth)
	if err != nil || len(doc.Duplicates) > 0 || len(doc.Surrogates) > 0 {
		return nil
	}
	return &Request{Text: text, Start: start, End: end, Root: &doc.Root}
}
