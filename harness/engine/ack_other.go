//go:build !linux

package engine

import (
	"context"
	"net"
)

// dialPrompt connects to a server. Only Linux lets a program acknowledge at once what it sends.
func dialPrompt(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}
