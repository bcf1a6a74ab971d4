// Mutants asks of the tests of engines what they ask of engines: it changes the
// reference's own rules in one place, serves the result as an engine, and looks
// whether the scenarios or a short campaign notice. All mutants are built at once,
// into one program that is told by its environment which of them it is.
//
//	go run ./cmd/mutants -n 216 -seed 1
//
// runs in the root of the module and takes a few seconds for each. The mutants that
// nobody can notice stand in equivalent.txt, each with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"

	"replanbench/harness/engine/rpc"
	"replanbench/harness/reference"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// settings say what is tried.
type settings struct {
	mutants int
	seed    uint64
	cases   int
	workers int
	only    string
	match   string
}

func run(ctx context.Context) error {
	var s settings
	flag.IntVar(&s.mutants, "n", 216, "how many mutants, over all dialects")
	flag.Uint64Var(&s.seed, "seed", 1, "which mutants")
	flag.IntVar(&s.cases, "cases", 5000, "of the campaign")
	flag.IntVar(&s.workers, "workers", runtime.NumCPU(), "how many mutants at once")
	flag.StringVar(&s.only, "dialect", "", "mutants of this dialect only")
	flag.StringVar(&s.match, "match", "", "only mutants whose line in equivalent.txt this expression matches, such as \"emergency .len\"")
	serve := flag.Bool("serve", false, "serve the reference over standard input and output: what each mutant is built for")
	flag.Parse()
	if *serve {
		return rpc.Serve(ctx, os.Stdin, os.Stdout, reference.New())
	}
	known, err := readReasons("cmd/mutants/equivalent.txt")
	if err != nil {
		return err
	}
	t := trial{settings: s}
	if t.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	if err := t.prepare(ctx); err != nil {
		return err
	}
	results, err := t.all(ctx)
	if err != nil {
		return err
	}
	wrong := known.judge(results)
	if !report(os.Stdout, results, known) {
		wrong = errors.Join(wrong, fmt.Errorf("fewer than %.0f %% of the mutants that are not equivalent were noticed", 100*enough))
	}
	return wrong
}
