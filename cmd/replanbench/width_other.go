//go:build !unix

package main

import (
	"os"
)

// terminalWidth returns 0: how wide a terminal is, is asked on Unix only.
func terminalWidth(*os.File) int { return 0 }
