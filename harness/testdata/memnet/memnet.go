// Package memnet is a network within the process, for tests in which time is
// simulated (testing/synctest): there no time passes while something waits for
// a connection of the machine.
package memnet

import (
	"context"
	"net"
	"net/http"
	"sync"
)

// Listener is a net.Listener to which only its own Dial leads.
type Listener struct {
	conns  chan net.Conn
	closed chan struct{}
	close  sync.Once
}

// Listen returns a listener.
func Listen() *Listener {
	return &Listener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Accept waits for somebody who dials.
func (l *Listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Dial connects to the listener, whatever the address.
func (l *Listener) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	here, there := net.Pipe()
	select {
	case l.conns <- there:
		return here, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Transport sends requests to the listener, whatever their address.
func (l *Listener) Transport() *http.Transport { return &http.Transport{DialContext: l.Dial} }

// Close ends Accept and Dial.
func (l *Listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Addr names the network.
func (l *Listener) Addr() net.Addr { return addr{} }

type addr struct{}

func (addr) Network() string { return "memory" }
func (addr) String() string  { return "memory" }
