//go:build unix

package main

import (
	"fmt"
	"math"
	"syscall"
)

// enoughAddressSpace is the address space that long runs need: Go reserves more than it uses.
const enoughAddressSpace = 4 << 30

// addressSpaceWarning returns a warning if a limit on the address space may end the
// program: the Go runtime then prints a dump that does not name the limit.
func addressSpaceWarning() string {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err != nil || limit.Cur >= math.MaxInt64 {
		return ""
	}
	if limit.Cur >= enoughAddressSpace {
		return ""
	}
	return fmt.Sprintf("ulimit -v allows %d MiB of address space: if the program ends with \"out of memory\", raise it "+
		"to %d MiB or more",
		limit.Cur>>20, enoughAddressSpace>>20)
}
