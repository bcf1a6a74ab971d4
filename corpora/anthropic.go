package corpora

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// readAnthropic reads lines of {request, response} of Anthropic's messages: the bodies
// themselves, or objects of HTTP with body or, for a stream of events, body_raw.
func readAnthropic(name string, found func(draft) bool) error {
	return eachLine(name, found, func(doc jsontext.Value) ([]answer, error) {
		request, response := lookup(doc, "request"), lookup(doc, "response")
		if body := lookup(request, "body"); body != nil {
			request = unwrap(body)
		}
		if request == nil || response == nil {
			return nil, errors.New("missing request or response (an orphan of claude-trace has no response)")
		}
		if events := text(first(response, "body_raw", "body")); strings.HasPrefix(events, "event:") || strings.HasPrefix(events, "data:") {
			a := streamed(events)
			a.ask(request)
			return []answer{a}, nil
		}
		if body := lookup(response, "body"); body != nil {
			response = unwrap(body)
		}
		return exchange(request, response)
	})
}
