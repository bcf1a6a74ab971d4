package corpora

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// eachLine calls f for the lines of a file that hold a JSON object, and
// reports the others.
func eachLine(name string, found func(draft) bool, f func(where Problem, doc jsontext.Value) bool) {
	for batch, err := range File(name).Batches() {
		if err != nil {
			found(draft{err: &Problem{Source: name, Text: err.Error()}})
			return
		}
		for line, text := range batch.Lines() {
			where := Problem{Source: name, Line: line}
			doc := jsontext.Value(text)
			if doc.Kind() != '{' || !doc.IsValid() {
				where.Text = "not a JSON object: skipped"
				if !found(draft{err: &where}) {
					return
				}
				continue
			}
			if !f(where, doc) {
				return
			}
		}
		if batch.Problem != nil && !found(draft{err: batch.Problem}) {
			return
		}
	}
}

// readPairs reads lines of {request, response}.
func readPairs(name string, found func(draft) bool) {
	eachLine(name, found, func(where Problem, doc jsontext.Value) bool {
		return call(where, lookup(doc, "request"), lookup(doc, "response"), doc, found)
	})
}

// call hands on the replies of one exchange, or why there are none.
func call(where Problem, request, response, doc jsontext.Value, found func(draft) bool) bool {
	records, err := exchange(request, response)
	if err != nil {
		where.Text = err.Error()
		return found(draft{err: &where})
	}
	for i, r := range records {
		if r.ID == "" {
			r.ID = fmt.Sprintf("%s:%d", where.Source, where.Line)
		}
		if !found(draft{record: r, doc: doc, choice: i}) {
			return false
		}
	}
	return true
}

// readBatch reads the Batch API's files. Requests are lines with a body and no
// response; they are kept for the outputs that follow, by custom_id.
func readBatch() func(name string, found func(draft) bool) {
	requests := map[string]jsontext.Value{}
	return func(name string, found func(draft) bool) {
		eachLine(name, found, func(where Problem, doc jsontext.Value) bool {
			id := text(lookup(doc, "custom_id"))
			if body := lookup(doc, "body"); body != nil && lookup(doc, "response") == nil {
				requests[id] = body.Clone()
				return true
			}
			if e := lookup(doc, "error"); e != nil {
				where.Text = fmt.Sprintf("request %q failed: %s", id, clip(text(e)))
				return found(draft{err: &where})
			}
			body := lookup(doc, "response", "body")
			if body == nil {
				where.Text = "neither a request (body) nor an answer (response.body) of a batch"
				return found(draft{err: &where})
			}
			return call(where, requests[id], body, doc, found)
		})
	}
}
