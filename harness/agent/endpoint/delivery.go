package endpoint

import (
	"context"
	"net"
	"net/http"
	"strconv"
	"time"

	"replanbench/harness/agent/wire"
)

// End is how the body of an answer ends.
type End int

// The ends.
const (
	Whole  End = iota // as it should
	Broken            // the connection breaks within the body
	Reset             // the connection breaks before there is an answer
	Held              // the body never ends
)

// Delivery is a response, to the last byte.
type Delivery struct {
	Status int // 0 is 200
	Type   string
	Header map[string]string // further ones
	Body   []byte
	Piece  int           // bytes sent at once; 0 is all
	Pause  time.Duration // between two pieces
	Length int           // the content-length to claim; 0 is none
	End    End
}

// Deliver sends events in the form of the request.
func Deliver(r *wire.Request, events []wire.Event) Delivery {
	return Delivery{Type: wire.ContentType(r), Body: wire.Frame(r, events, wire.LineEnd(r.API))}
}

func (d *Delivery) status() int {
	switch {
	case d.End == Reset:
		return 0
	case d.Status == 0:
		return http.StatusOK
	}
	return d.Status
}

// send sends it. A closed channel means that the server ends.
func (d *Delivery) send(ctx context.Context, w http.ResponseWriter, closed <-chan struct{}) {
	if d.End == Reset {
		hangUp(w)
		return
	}
	if d.Type == "" {
		w.Header()["Content-Type"] = nil // or the server guesses one
	} else {
		w.Header().Set("Content-Type", d.Type)
	}
	for name, value := range d.Header {
		w.Header().Set(name, value)
	}
	if d.Length > 0 {
		w.Header().Set("Content-Length", strconv.Itoa(d.Length))
	}
	w.WriteHeader(d.status())
	d.write(ctx, w, closed)
	switch d.End {
	case Broken:
		panic(http.ErrAbortHandler) // the way to break a connection
	case Held:
		select {
		case <-ctx.Done():
		case <-closed:
		}
	}
}

func (d *Delivery) write(ctx context.Context, w http.ResponseWriter, closed <-chan struct{}) {
	flush := http.NewResponseController(w).Flush
	piece := d.Piece
	if piece <= 0 {
		piece = max(1, len(d.Body))
	}
	for rest := d.Body; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
		if _, err := w.Write(rest[:min(piece, len(rest))]); err != nil {
			return // the agent has gone
		}
		_ = flush() // what cannot be flushed shows at the next write
		if d.Pause == 0 {
			continue
		}
		select {
		case <-time.After(d.Pause):
		case <-ctx.Done():
			return
		case <-closed:
			return
		}
	}
}

// hangUp breaks the connection before the head of an answer.
func hangUp(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset, as when a server dies
	}
	conn.Close()
}
