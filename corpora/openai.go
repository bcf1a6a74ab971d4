package corpora

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// eachLine calls f for each line that is a JSON object, and passes its replies to found. It
// reports other lines.
func eachLine(name string, found func(draft) bool, f func(doc jsontext.Value) ([]answer, error)) error {
	for batch, err := range File(name).Batches() {
		if err != nil {
			return err
		}
		for line, text := range batch.Lines() {
			doc := jsontext.Value(text)
			var answers []answer
			err := errors.New("not a JSON object: skipped")
			if doc.Kind() == '{' && doc.IsValid() {
				answers, err = f(doc)
			}
			if !handOn(Problem{Source: name, Line: line}, doc, answers, err, found) {
				return nil
			}
		}
		if batch.Problem != nil && !found(draft{err: batch.Problem}) {
			return nil
		}
	}
	return nil
}

// handOn passes the replies of one exchange to found, after the reason why it lacks some.
func handOn(where Problem, doc jsontext.Value, answers []answer, err error, found func(draft) bool) bool {
	if err != nil {
		where.Text = err.Error()
		if !found(draft{err: &where}) {
			return false
		}
	}
	for i, r := range answers {
		if r.ID == "" {
			r.ID = fmt.Sprintf("%s:%d", where.Source, where.Line)
		}
		if !found(draft{answer: r, doc: doc, choice: i}) {
			return false
		}
	}
	return true
}

// readPairs reads lines of {request, response}, or of responses alone.
func readPairs(name string, found func(draft) bool) error {
	return eachLine(name, found, func(doc jsontext.Value) ([]answer, error) {
		if lookup(doc, "response") == nil && lookup(doc, "request") == nil {
			return exchange(nil, doc)
		}
		return exchange(lookup(doc, "request"), lookup(doc, "response"))
	})
}

// readBatch reads the files of the Batch API. It stores requests (lines with a body and no
// response) by custom_id for the outputs that follow.
func readBatch() func(name string, found func(draft) bool) error {
	requests := map[string]jsontext.Value{}
	return func(name string, found func(draft) bool) error {
		return eachLine(name, found, func(doc jsontext.Value) ([]answer, error) {
			id := text(lookup(doc, "custom_id"))
			if body := lookup(doc, "body"); body != nil && lookup(doc, "response") == nil {
				requests[id] = body.Clone()
				return nil, nil
			}
			if e := lookup(doc, "error"); e != nil {
				return nil, fmt.Errorf("request %q failed: %s", id, clip(text(e)))
			}
			body := lookup(doc, "response", "body")
			if body == nil {
				return nil, errors.New("neither a request (body) nor an answer (response.body) of a batch")
			}
			return exchange(requests[id], body)
		})
	}
}
