package engine

import (
	"context"
	"net"

	"golang.org/x/sys/unix"
)

// dialPrompt connects to a server and acknowledges at once what it sends. A server that writes the head and
// the body of a response separately, as Python's http.server does, sends the body after the head is
// acknowledged (RFC 896), which a kernel may delay by 40 ms (RFC 1122, 4.2.3.2).
func dialPrompt(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, network, address)
	if tcp, ok := c.(*net.TCPConn); ok {
		return prompt{tcp}, nil
	}
	return c, err
}

// prompt is a connection that acknowledges at once.
type prompt struct{ *net.TCPConn }

// Read reads after an acknowledgement: the option holds for one only.
func (c prompt) Read(b []byte) (int, error) {
	if raw, err := c.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_QUICKACK, 1) })
	}
	return c.TCPConn.Read(b)
}
