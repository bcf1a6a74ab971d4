package fault

import (
	"bytes"
	"compress/gzip"
	"time"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
)

// transport are faults of the way to the model, below what it says.
func transport() []Fault {
	return []Fault{
		status("rate-limited", 429, "429 without Retry-After", nil),
		status("rate-limited-wait", 429, "429 with Retry-After: 1", map[string]string{"Retry-After": "1"}),
		status("server-error", 500, "500 Internal Server Error", nil),
		status("unavailable", 503, "503 Service Unavailable", nil),
		status("overloaded", 529, "529 Overloaded", nil),
		status("bad-request", 400, "400 Bad Request", nil),
		status("unauthorized", 401, "401 Unauthorized, in the middle of a session", nil),
		status("too-large", 413, "413 Request Entity Too Large", nil),
		Nothing.fault("no-content", "204 No Content").
			delivers(func(s *Shot) { s.Delivery = endpoint.Delivery{Status: 204} }),
		Nothing.fault("reset", "the connection is reset before an answer begins").
			delivers(func(s *Shot) { s.Delivery.End = endpoint.Reset }),
		Nothing.fault("redirect", "302 to the same place: a POST becomes a GET").
			delivers(func(s *Shot) { redirect(s, 302) }),
		Nothing.fault("redirect-kept", "307 to the same place: the request stays the same").
			delivers(func(s *Shot) { redirect(s, 307) }),
		Nothing.fault("html-page", "a page of HTML with status 200").delivers(func(s *Shot) {
			s.Delivery = endpoint.Delivery{
				Type: "text/html",
				Body: []byte("<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>\n"),
			}
		}),
		Nothing.fault("empty-body", "status 200 and no body").delivers(func(s *Shot) { s.Delivery.Body = nil }),
		Nothing.fault("cut-head", "the connection breaks after the first bytes").
			delivers(func(s *Shot) { breakAt(s, len(s.Delivery.Body)/10) }),
		Partial.fault("cut-half", "the connection breaks within the call").changes(inPieces).
			delivers(func(s *Shot) { breakAt(s, len(s.Delivery.Body)*3/4) }),
		Odd.fault("cut-last", "the connection breaks three bytes before the end").
			delivers(func(s *Shot) { breakAt(s, len(s.Delivery.Body)-3) }),
		Odd.fault("short-body", "the body is shorter than its content-length, and the connection closes").
			delivers(func(s *Shot) { s.Delivery.Length = len(s.Delivery.Body) + 100 }),
		Intact.fault("byte-by-byte", "every byte alone, which splits characters").changes(inPieces).
			delivers(func(s *Shot) { s.Delivery.Piece = 1 }),
		Intact.fault("slow-drip", "a few bytes at a time, for a second").delivers(func(s *Shot) {
			s.Delivery.Piece, s.Delivery.Pause = max(1, len(s.Delivery.Body)/100), 10*time.Millisecond
		}),
		Intact.fault("gzip", "the body is compressed, as the request accepts").delivers(func(s *Shot) {
			if s.Gzip {
				compress(s)
				s.Delivery.Header = map[string]string{"Content-Encoding": "gzip"}
			}
		}),
		Nothing.fault("gzip-unsaid", "the body is compressed without a header").delivers(compress),
		Odd.fault("gzip-lie", "a header claims a compressed body, but it is not compressed").
			delivers(func(s *Shot) { s.Delivery.Header = map[string]string{"Content-Encoding": "gzip"} }),
		Odd.fault("no-type", "the answer has no content-type").delivers(func(s *Shot) { s.Delivery.Type = "" }),
		Odd.fault("unstreamed", "one JSON document instead of a stream").on(streamed).
			delivers(func(s *Shot) { otherForm(s, false) }),
		Odd.fault("streamed", "a stream instead of one JSON document").on(unstreamed).
			delivers(func(s *Shot) { otherForm(s, true) }),
	}
}

func status(name string, code int, text string, header map[string]string) Fault {
	return Fault{Name: name, Text: text, Arrives: Nothing, deliver: func(s *Shot) {
		s.Delivery = endpoint.Delivery{
			Status: code, Type: "application/json", Header: header,
			Body: wire.Error(s.Request.API, code, text),
		}
	}}
}

func redirect(s *Shot, code int) {
	s.Delivery = endpoint.Delivery{Status: code, Header: map[string]string{"Location": s.Location}}
}

func breakAt(s *Shot, n int) {
	s.Delivery.Body, s.Delivery.End = s.Delivery.Body[:max(1, n)], endpoint.Broken
}

func compress(s *Shot) {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(s.Delivery.Body) // a buffer takes everything
	_ = w.Close()
	s.Delivery.Body = b.Bytes()
}

// otherForm answers as if the other form had been asked for.
func otherForm(s *Shot, stream bool) {
	r := *s.Request
	r.Stream = stream
	s.Delivery = endpoint.Deliver(&r, wire.Write(&r, s.Answer))
}

// inPieces streams the arguments in pieces.
func inPieces(s *Shot) { s.Answer.Pieces = 8 }
