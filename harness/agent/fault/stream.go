package fault

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
)

// stream are faults of the events of a stream.
func stream() []Fault {
	return []Fault{
		Intact.fault("crlf", "lines of the stream end in CRLF").on(sse).
			delivers(func(s *Shot) { s.Delivery.Body = wire.Frame(s.Request, s.Events, "\r\n") }),
		Intact.fault("comments", "comments between the events, as proxies send to keep a connection open").on(streamed).
			delivers(func(s *Shot) {
				end := []byte(wire.LineEnd(s.Request.API) + wire.LineEnd(s.Request.API))
				s.Delivery.Body = bytes.ReplaceAll(s.Delivery.Body, end, append(append(slices.Clip(end), ": keep-alive"...),
					end...))
			}),
		Odd.fault("ping", "ping events between the others").on(sse).
			sends(func(s *Shot) { between(s, wire.Event{Name: "ping", Data: []byte(`{"type":"ping"}`)}) }),
		Odd.fault("unknown-event", "an event of an unknown type").on(sse).sends(func(s *Shot) {
			between(s, wire.Event{Name: "x_notice", Data: []byte(`{"type":"x_notice","object":"x.notice","note":"new"}`)})
		}),
		Odd.fault("no-end-mark", "the stream ends without its end mark ([DONE], completed, message_stop)").on(sse).
			sends(func(s *Shot) { s.Events = s.Events[:len(s.Events)-1] }),
		Odd.fault("last-line-open", "the blank line after the last event is missing").on(streamed).
			delivers(func(s *Shot) { s.Delivery.Body = bytes.TrimRight(s.Delivery.Body, "\r\n") }),
		Partial.fault("ends-early", "the stream ends cleanly within the arguments").on(sse).changes(inPieces).
			sends(func(s *Shot) { s.Events = s.Events[:len(s.Events)-6] }),
		Partial.fault("error-event", "an error as an event within the arguments").on(sse).changes(inPieces).
			sends(func(s *Shot) {
				s.Events = append(s.Events[:len(s.Events)-6:len(s.Events)-6],
					wire.ErrorEvent(s.Request.API, "The server had an error."))
			}),
		Odd.fault("drop-before-end", "the connection breaks after the whole call, before the end of the answer").
			on(streamed).sends(func(s *Shot) { s.Events = beforeEnd(s) }).
			delivers(func(s *Shot) { s.Delivery.End = endpoint.Broken }),
		Partial.fault("half-event", "the stream ends cleanly within its last event").on(geminiStream).
			delivers(func(s *Shot) {
				last := len(s.Events[len(s.Events)-1].Data)
				s.Delivery.Body = s.Delivery.Body[:len(s.Delivery.Body)-last/2]
			}),
		Partial.fault("error-last", "an error event instead of the last event").on(geminiStream).
			sends(func(s *Shot) { s.Events[len(s.Events)-1] = wire.ErrorEvent(s.Request.API, "The server had an error.") }),
		Partial.fault("malformed-call", "the answer ends with MALFORMED_FUNCTION_CALL instead of the call").
			on(geminiStream).sends(func(s *Shot) {
			edit(s, func(n *strictjson.Node, _ []string) {
				if kid := n.Get("finishReason"); n.Kind == strictjson.Object && kid != nil {
					kid.Raw = `"MALFORMED_FUNCTION_CALL"`
					n.Drop(func(kid *strictjson.Node) bool { return kid.Key() == "content" })
				}
			})
		}),
		Odd.fault("first-event-missing", "the stream begins with its second event").on(sse).
			sends(func(s *Shot) { s.Events = s.Events[1:] }),
		// For Gemini the call itself is in this event.
		Odd.fault("event-twice", "the event that finishes the answer comes twice").on(sse).sends(func(s *Shot) {
			i := len(beforeEnd(s))
			s.Events = slices.Insert(s.Events, i, s.Events[i])
		}),
		Nothing.fault("endless", "endless text, until the connection breaks after 3 MB").on(streamed).
			changes(func(s *Shot) { s.Answer.Calls, s.Answer.Text = nil, strings.Repeat("and so on, ", 3<<20/11) }).
			delivers(func(s *Shot) {
				s.Delivery.Body, s.Delivery.Piece = s.Delivery.Body[:len(s.Delivery.Body)*9/10], 64<<10
				s.Delivery.Pause, s.Delivery.End = 5*time.Millisecond, endpoint.Broken
			}),
	}
}

// beforeEnd returns the events up to the last one with a part of the call.
func beforeEnd(s *Shot) []wire.Event {
	switch s.Request.API {
	case wire.Chat:
		return s.Events[:slices.IndexFunc(s.Events, func(e wire.Event) bool {
			return bytes.Contains(e.Data, []byte(`"finish_reason":"`))
		})]
	case wire.Gemini:
		without("finishReason", "usageMetadata")(s)
		return s.Events
	}
	return s.Events[:slices.IndexFunc(s.Events, func(e wire.Event) bool {
		return e.Name == "message_delta" || e.Name == "response.completed"
	})]
}

// between puts an event behind the first ones.
func between(s *Shot, e wire.Event) {
	i := min(1, len(s.Events))
	s.Events = append(append(s.Events[:i:i], e), s.Events[i:]...)
}

// edit changes the JSON of every event, but for the arguments of calls.
func edit(s *Shot, change func(n *strictjson.Node, at []string)) {
	for i, e := range s.Events {
		if tree := strictjson.NewTree(string(e.Data), 100); tree != nil {
			tree.Walk(func(n *strictjson.Node, at []string) {
				if !slices.Contains(at, "args") && !slices.Contains(at, "input") {
					change(n, at)
				}
			})
			s.Events[i].Data = jsontext.Value(tree.String())
		}
	}
}

// without takes members of these names away, wherever they are.
func without(names ...string) func(*Shot) {
	return func(s *Shot) {
		edit(s, func(n *strictjson.Node, _ []string) {
			if n.Kind == strictjson.Object {
				n.Drop(func(kid *strictjson.Node) bool { return slices.Contains(names, kid.Key()) })
			}
		})
	}
}
