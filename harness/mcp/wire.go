package mcp

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/escape"
)

// maxLine bounds a line of a server. Longer ones end the connection.
const maxLine = 64 << 20

// wire connects the SDK's client with the pipes of a process. In contrast to the SDK's own
// transport it survives lines that are no messages, and notices answers that nobody waits for.
type wire struct {
	in  io.WriteCloser
	out io.ReadCloser
	buf *bufio.Reader

	mu      sync.Mutex
	waiting map[any]bool // ids of requests without an answer
	notes   []spec.Note
	// twin, if set, sends the next request a second time under its id, with other arguments, and
	// collects the answers.
	twin    []byte
	twinID  any
	answers []*jsonrpc.Response
	more    chan struct{}
}

func newWire(in io.WriteCloser, out io.ReadCloser) *wire {
	return &wire{
		in: in, out: out, buf: bufio.NewReaderSize(out, 64<<10), waiting: map[any]bool{}, more: make(chan struct{}, 8),
	}
}

// Connect returns the wire itself.
func (w *wire) Connect(context.Context) (mcp.Connection, error) { return w, nil }

// SessionID returns "": pipes have no sessions.
func (w *wire) SessionID() string { return "" }

// Close closes both pipes.
func (w *wire) Close() error {
	return errors.Join(ignoreClosed(w.in.Close()), ignoreClosed(w.out.Close()))
}

// note adds a note once per kind.
func (w *wire) note(check, kind, format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, n := range w.notes {
		if n.Kind == kind && n.Check == check {
			return
		}
	}
	w.notes = append(w.notes, spec.Note{Check: check, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// taken returns the notes, and forgets them.
func (w *wire) taken() []spec.Note {
	w.mu.Lock()
	defer w.mu.Unlock()
	notes := w.notes
	w.notes = nil
	return notes
}

// Read returns the next message. It notes and skips other lines.
func (w *wire) Read(ctx context.Context) (jsonrpc.Message, error) {
	for ctx.Err() == nil {
		line, err := w.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		m, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			w.note("protocol", "stdout", "standard output has a line that is no message: %s", brief(string(line)))
			continue
		}
		if r, ok := m.(*jsonrpc.Response); ok && !w.expects(r) {
			continue
		}
		return m, nil
	}
	return nil, ctx.Err()
}

// line reads a line of at most maxLine bytes.
func (w *wire) line() ([]byte, error) {
	var line []byte
	for {
		part, err := w.buf.ReadSlice('\n')
		line = append(line, part...)
		if err == nil {
			return line, nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, io.EOF
		}
		if len(line) > maxLine {
			w.note("protocol", "stdout", "standard output has a line of more than %d MiB", maxLine>>20)
			return nil, io.EOF
		}
	}
}

// expects reports whether a request waits for the answer.
func (w *wire) expects(r *jsonrpc.Response) bool {
	id := r.ID.Raw()
	w.mu.Lock()
	if id == w.twinID && id != nil {
		w.answers = append(w.answers, r)
		select {
		case w.more <- struct{}{}:
		default:
		}
	}
	waits := w.waiting[id]
	delete(w.waiting, id)
	twin := id == w.twinID && id != nil
	w.mu.Unlock()
	if !waits && !twin {
		w.note("protocol", "twice", "the server answers request %v again, or one that it did not get", id)
	}
	return waits
}

// Write sends a message.
func (w *wire) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	data = append(data, '\n')
	if r, ok := m.(*jsonrpc.Request); ok && r.ID.IsValid() {
		w.mu.Lock()
		w.waiting[r.ID.Raw()] = true
		if w.twin != nil {
			other := *r
			other.Params, w.twinID, w.twin = w.twin, r.ID.Raw(), nil
			second, err := jsonrpc.EncodeMessage(&other)
			if err == nil {
				data = append(append(data, second...), '\n')
			}
		}
		w.mu.Unlock()
	}
	_, err = w.in.Write(data)
	return err
}

// brief shortens a text of a server for messages.
func brief(text string) string { return escape.Head(text, 200) }
