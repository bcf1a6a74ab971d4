package wire

import (
	"bytes"
	"strings"

	"replanbench/harness/document/collect"
)

// Frame writes events as the body of an answer. eol ends the lines of a stream.
func Frame(r *Request, events []Event, eol string) []byte {
	switch {
	case !r.Stream:
		return join(events, "")
	case r.array:
		return append(append([]byte("["), join(events, ",\r\n")...), ']')
	}
	var b bytes.Buffer
	for _, e := range events {
		if e.Name != "" {
			b.WriteString("event: " + e.Name + eol)
		}
		b.WriteString("data: " + strings.ReplaceAll(string(e.Data), "\n", " ") + eol + eol)
	}
	return b.Bytes()
}

func join(events []Event, separator string) []byte {
	list := collect.Map(events, func(e Event) []byte { return e.Data })
	return bytes.Join(list, []byte(separator))
}

// ContentType is the content type of an answer to the request.
func ContentType(r *Request) string {
	if r.Stream && !r.array {
		return "text/event-stream; charset=utf-8"
	}
	return "application/json"
}

// LineEnd is what ends the lines of a stream in this form.
func LineEnd(a API) string {
	if a == Gemini {
		return "\r\n"
	}
	return "\n"
}

// Error is the body of an error with a status, in the words of the form.
func Error(a API, status int, message string) []byte {
	kind := errorKind(a, status)
	switch a {
	case Messages:
		return object{
			{"type", "error"},
			{"error", object{{"type", kind}, {"message", message}}},
			{"request_id", "req_1"},
		}.json()
	case Gemini:
		return object{{"error", object{{"code", status}, {"message", message}, {"status", kind}}}}.json()
	}
	return object{{"error", object{{"message", message}, {"type", kind}, {"param", nil}, {"code", nil}}}}.json()
}

func errorKind(a API, status int) string {
	names := map[int][3]string{ // OpenAI, Anthropic, Gemini
		400: {"invalid_request_error", "invalid_request_error", "INVALID_ARGUMENT"},
		401: {"authentication_error", "authentication_error", "UNAUTHENTICATED"},
		404: {"invalid_request_error", "not_found_error", "NOT_FOUND"},
		413: {"invalid_request_error", "request_too_large", "INVALID_ARGUMENT"},
		429: {"rate_limit_error", "rate_limit_error", "RESOURCE_EXHAUSTED"},
		503: {"server_error", "api_error", "UNAVAILABLE"},
		529: {"server_error", "overloaded_error", "UNAVAILABLE"},
	}
	of, ok := names[status]
	if !ok {
		of = [3]string{"server_error", "api_error", "INTERNAL"}
	}
	switch a {
	case Messages:
		return of[1]
	case Gemini:
		return of[2]
	}
	return of[0]
}

// ErrorEvent is an error within a stream that has begun.
func ErrorEvent(a API, message string) Event {
	switch a {
	case Responses:
		return Event{"error", object{
			{"type", "error"},
			{"code", "server_error"},
			{"message", message},
			{"param", nil},
			{"sequence_number", 9},
		}.json()}
	case Messages:
		return Event{"error", Error(a, 529, message)}
	}
	return Event{"", Error(a, 500, message)}
}

// Models is the list of the one model that there is, or that model if one is
// asked for.
func Models(a API, model string, one bool) []byte {
	m := object{{"id", model}, {"object", "model"}, {"created", 1700000000}, {"owned_by", "replanbench"}}
	list := object{{"object", "list"}, {"data", []object{m}}}
	switch a {
	case Messages:
		m = object{{"type", "model"}, {"id", model}, {"display_name", model}, {"created_at", "2025-01-01T00:00:00Z"}}
		list = object{{"data", []object{m}}, {"has_more", false}, {"first_id", model}, {"last_id", model}}
	case Gemini:
		m = object{
			{"name", "models/" + model},
			{"version", "1"},
			{"displayName", model},
			{"inputTokenLimit", 1000000},
			{"outputTokenLimit", 8192},
			{"supportedGenerationMethods", []string{"generateContent", "countTokens"}},
		}
		list = object{{"models", []object{m}}}
	}
	if one {
		return m.json()
	}
	return list.json()
}

// Tokens is the answer to a count of tokens.
func Tokens(a API, n int) []byte {
	if a == Gemini {
		return object{{"totalTokens", n}}.json()
	}
	return object{{"input_tokens", n}}.json()
}
