// Command replanbench tests, fuzzes and scores model-made edits of plans.
//
// The commands hold no logic of their own: each reads its flags, calls the
// packages that do the work, and hands the result to package reports.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	os.Exit(mainCode())
}

// mainCode runs the command line of the process and returns its exit code. An
// interrupt cancels the context: commands then report what was done.
func mainCode() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, os.Args[1:], processEnv())
}
