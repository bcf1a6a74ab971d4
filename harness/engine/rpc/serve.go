package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// Serve answers the requests of a harness on in, until in ends or the harness requests a
// shutdown. Then it waits for the open requests and returns nil. It evaluates cases
// concurrently, up to the window that the engine declares. An engine whose window is 1 (or 0)
// gets one case at a time.
//
// A panic of the engine ends the process on purpose: the harness reports it with the end of
// standard error.
func Serve(ctx context.Context, in io.Reader, out io.Writer, e harness.Engine) error {
	hello, err := e.Hello(ctx)
	if err != nil {
		return fmt.Errorf("serve: the engine gives no declaration: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &lineWriter{out: out, failed: cancel}
	slots := make(chan struct{}, max(1, hello.Window))
	var work sync.WaitGroup
	defer work.Wait()

	lines := NewLineReader(in, 0)
	for ctx.Err() == nil {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("serve: read a request: %w", err)
		case len(bytes.TrimSpace(line)) == 0:
			continue
		}
		m, fault := decodeRequest(line)
		if m.Method == Shutdown {
			return nil
		}
		slots <- struct{}{}
		work.Go(func() {
			w.write(respond(ctx, e, hello, m, fault))
			<-slots
		})
	}
	return context.Cause(ctx)
}

// lineWriter writes whole lines, one at a time.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	failed func(error)
}

func (w *lineWriter) write(line []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.out.Write(line); err != nil {
		w.failed(fmt.Errorf("serve: write an answer: %w", err))
	}
}

func decodeRequest(line []byte) (Message, *Error) {
	var m Message
	if err := json.Unmarshal(line, &m, tolerant()); err != nil {
		return Message{}, &Error{Code: ParseError, Message: plain(err).Error()}
	}
	if m.JSONRPC != "2.0" || m.Method == "" {
		return m, &Error{Code: InvalidRequest, Message: `a request has "jsonrpc":"2.0", an id and a method`}
	}
	return m, nil
}

// respond returns the line that answers a request.
func respond(ctx context.Context, e harness.Engine, hello harness.Hello, m Message, fault *Error) []byte {
	response := Message{JSONRPC: "2.0", ID: m.ID, Error: fault}
	if len(m.ID) == 0 {
		response.ID = []byte("null")
	}
	if fault == nil {
		result, fault := call(ctx, e, hello, m)
		if response.Error = fault; fault == nil {
			raw, err := json.Marshal(result)
			if err != nil {
				response.Error = &Error{Code: engineFailed, Message: "encode the answer: " + err.Error()}
			}
			response.Result = raw
		}
	}
	line, err := json.Marshal(response)
	if err != nil { // an id that is no JSON cannot have been decoded
		line = []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid id"}}`)
	}
	return append(line, '\n')
}

func call(ctx context.Context, e harness.Engine, hello harness.Hello, m Message) (any, *Error) {
	switch m.Method {
	case Initialize:
		return initializeResult{
			Protocol: Protocol, Engine: Party{hello.Name, hello.Version},
			Window: max(1, hello.Window), Dialects: hello.Dialects,
		}, nil
	case Eval:
		var p EvalParams
		if err := json.Unmarshal(m.Params, &p, tolerant()); err != nil {
			return nil, &Error{Code: InvalidParams, Message: plain(err).Error()}
		}
		if p.Case.Profile != nil {
			if err := p.Case.Profile.Check(all.Vocabulary(p.Case.Dialect).Own); err != nil {
				return nil, &Error{Code: InvalidParams, Message: err.Error()}
			}
		}
		if p.DeadlineMS > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(p.DeadlineMS)*time.Millisecond)
			defer cancel()
		}
		out, err := e.Eval(ctx, p.Case)
		if err != nil {
			return nil, &Error{Code: engineFailed, Message: err.Error()}
		}
		return out, nil
	}
	return nil, &Error{Code: MethodNotFound, Message: fmt.Sprintf("unknown method %q", m.Method)}
}
