// Command replanbench tests, fuzzes and scores model-made edits of plans.
//
// The commands hold no logic of their own: each reads its flags, calls the
// packages that do the work, and hands the result to package reports.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	os.Exit(mainCode())
}

// mainCode runs the command line of the process and returns its exit code. An
// interrupt cancels the context: commands then report what was done. Another one
// ends the process at once, and so does the end of all patience, since a read
// that waits for ever hears of no interrupt.
func mainCode() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	e := processEnv()
	stdout := &remembering{Writer: e.stdout}
	e.stdout = stdout
	defer context.AfterFunc(ctx, func() {
		stop()
		time.Sleep(patience)
		fmt.Fprintln(e.stderr, "replanbench: ending with what was done (interrupt again to stop at once)")
		time.Sleep(lastPatience)
		fmt.Fprintln(e.stderr, "replanbench: interrupted; gave up waiting for the end")
		os.Exit(exitInterrupted)
	})()
	code := run(ctx, os.Args[1:], e)
	if code == exitOK && stdout.err != nil { // help and messages are printed without a look at what comes of it
		fmt.Fprintln(e.stderr, "replanbench: "+stdout.err.Error())
		return exitBroken
	}
	return code
}

// remembering is a writer that keeps its first error.
type remembering struct {
	io.Writer
	err error
}

func (r *remembering) Write(p []byte) (int, error) {
	n, err := r.Writer.Write(p)
	if r.err == nil {
		r.err = err
	}
	return n, err
}

// How long a command may take to end before it is said how to be done with it,
// and after that before it is ended.
const (
	patience     = 2 * time.Second
	lastPatience = 2 * time.Minute
)
