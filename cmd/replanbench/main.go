// Command replanbench tests, fuzzes and scores model-made edits of plans.
//
// The commands hold no logic of their own: each reads its flags, calls the
// packages that do the work, and hands the result to package reports.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"replanbench/harness/engine"
)

func main() { os.Exit(mainCode()) }

// mainCode runs the command line of the process and returns its exit code. An
// interrupt cancels the context: commands then report what was done. Another one
// ends the process at once with all that it has started, and so does the end of all
// patience, since a read that waits for ever hears of no interrupt.
func mainCode() int {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	leash := engine.NewLeash()
	e := processEnv()
	log.SetOutput(e.stderr) // net/http logs what endpoints send, which may contain keys
	log.SetFlags(0)
	log.SetPrefix("replanbench: ")
	stdout := &remembering{Writer: e.stdout}
	e.stdout = stdout
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // a write to a closed pipe is an error, not the end
	go obey(interrupts(), cancel, func(why string) {
		leash.Kill()
		fmt.Fprintln(e.stderr, "replanbench: interrupted"+why)
		os.Exit(exitInterrupted)
	}, e)
	if warning := addressSpaceWarning(); warning != "" {
		e.warn(warning)
	}
	code := run(leash.With(ctx), os.Args[1:], e)
	if n := leash.Strays(); n > 0 {
		e.warn(fmt.Sprintf("the engine left %d processes behind that were no longer in its process group; they were ended",
			n))
	}
	if code == exitOK && stdout.err != nil { // help and messages are printed without a check
		if !errors.Is(stdout.err, syscall.EPIPE) { // head and less close it on purpose
			fmt.Fprintln(e.stderr, "replanbench: "+stdout.err.Error())
		}
		return exitBroken
	}
	return code
}

// interrupts are the signals that ask the program to end. One that it was started
// to ignore, as nohup does with SIGHUP, stays ignored.
func interrupts() <-chan os.Signal {
	c := make(chan os.Signal, 2)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
		if !signal.Ignored(s) {
			signal.Notify(c, s)
		}
	}
	return c
}

// obey asks the command to end at the first interrupt, and ends it at the second,
// or when it takes too long.
func obey(interrupts <-chan os.Signal, ask func(), end func(why string), e env) {
	<-interrupts
	ask()
	select {
	case <-interrupts:
		end(" again")
	case <-time.After(patience):
		fmt.Fprintln(e.stderr, "replanbench: ending with what was done (interrupt again to stop at once)")
	}
	select {
	case <-interrupts:
		end(" again")
	case <-time.After(lastPatience):
		end("; gave up waiting for the end")
	}
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
