//go:build !linux

package engine

import "net"

// Only Linux lets a program acknowledge at once.
var dialPrompt = new(net.Dialer).DialContext
