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
		{
			Name: "no-content", Text: "204 No Content", Arrives: Nothing,
			deliver: func(s *Shot) { s.Delivery = endpoint.Delivery{Status: 204} },
		},
		{
			Name: "reset", Text: "the connection is reset before an answer begins", Arrives: Nothing,
			deliver: func(s *Shot) { s.Delivery.End = endpoint.Reset },
		},
		{
			Name: "redirect", Text: "302 to the same place: a POST becomes a GET", Arrives: Nothing,
			deliver: func(s *Shot) { redirect(s, 302) },
		},
		{
			Name: "redirect-kept", Text: "307 to the same place: the request stays the same", Arrives: Nothing,
			deliver: func(s *Shot) { redirect(s, 307) },
		},
		{
			Name: "html-page", Text: "a page of HTML with status 200", Arrives: Nothing,
			deliver: func(s *Shot) {
				s.Delivery = endpoint.Delivery{
					Type: "text/html",
					Body: []byte("<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>\n"),
				}
			},
		},
		{
			Name: "empty-body", Text: "status 200 and no body", Arrives: Nothing,
			deliver: func(s *Shot) { s.Delivery.Body = nil },
		},
		{
			Name: "cut-head", Text: "the connection breaks after the first bytes", Arrives: Nothing,
			deliver: func(s *Shot) { breakAt(s, len(s.Delivery.Body)/10) },
		},
		{
			Name: "cut-half", Text: "the connection breaks within the call", Arrives: Partial,
			answer: inPieces, deliver: func(s *Shot) { breakAt(s, len(s.Delivery.Body)*3/4) },
		},
		{
			Name: "cut-last", Text: "the connection breaks three bytes before the end", Arrives: Odd,
			deliver: func(s *Shot) { breakAt(s, len(s.Delivery.Body)-3) },
		},
		{
			Name: "short-body", Text: "the body is shorter than its content-length, and the connection closes", Arrives: Odd,
			deliver: func(s *Shot) { s.Delivery.Length = len(s.Delivery.Body) + 100 },
		},
		{
			Name: "byte-by-byte", Text: "every byte alone, which splits characters", Arrives: Intact,
			answer: inPieces, deliver: func(s *Shot) { s.Delivery.Piece = 1 },
		},
		{
			Name: "slow-drip", Text: "a few bytes at a time, for a second", Arrives: Intact,
			deliver: func(s *Shot) {
				s.Delivery.Piece, s.Delivery.Pause = max(1, len(s.Delivery.Body)/100), 10*time.Millisecond
			},
		},
		{
			Name: "gzip", Text: "the body is compressed, as the request accepts", Arrives: Intact,
			deliver: func(s *Shot) {
				if s.Gzip {
					compress(s)
					s.Delivery.Header = map[string]string{"Content-Encoding": "gzip"}
				}
			},
		},
		{
			Name: "gzip-unsaid", Text: "the body is compressed without a header", Arrives: Nothing,
			deliver: compress,
		},
		{
			Name: "gzip-lie", Text: "a header claims a compressed body, but it is not compressed", Arrives: Odd,
			deliver: func(s *Shot) { s.Delivery.Header = map[string]string{"Content-Encoding": "gzip"} },
		},
		{
			Name: "no-type", Text: "the answer has no content-type", Arrives: Odd,
			deliver: func(s *Shot) { s.Delivery.Type = "" },
		},
		{
			Name: "unstreamed", Text: "one JSON document instead of a stream", Arrives: Odd, only: streamed,
			deliver: func(s *Shot) { otherForm(s, false) },
		},
		{
			Name: "streamed", Text: "a stream instead of one JSON document", Arrives: Odd, only: unstreamed,
			deliver: func(s *Shot) { otherForm(s, true) },
		},
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
