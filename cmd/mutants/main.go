// Command mutants tests the tests: it changes the reference's rules in one place, serves
// the result as an engine, and checks whether the scenarios or a short campaign notice. All
// mutants are built into one program, and an environment variable selects one.
//
//	go run ./cmd/mutants -n 216 -seed 1
//
// It runs in the root of the module and takes a few seconds for each mutant. equivalent.txt
// lists the mutants that no test can notice, each with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime"

	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	t := trial{}
	flag.IntVar(&t.mutants, "n", 216, "number of mutants")
	flag.Uint64Var(&t.seed, "seed", 1, "seed of the choice")
	flag.IntVar(&t.cases, "cases", 5000, "cases of each campaign")
	flag.IntVar(&t.workers, "workers", runtime.NumCPU(), "mutants at the same time")
	flag.StringVar(&t.only, "only", "", "mutate this package only: a dialect, reply or history")
	serve := flag.Bool("serve", false, "serve the mutant over standard input and output")
	flag.Parse()
	if *serve {
		return rpc.Serve(ctx, os.Stdin, os.Stdout, reference.New())
	}
	known, err := readReasons("cmd/mutants/equivalent.txt")
	if err != nil {
		return err
	}
	if t.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return err
	}
	defer os.RemoveAll(t.dir)
	results, err := t.all(ctx)
	if err != nil {
		return err
	}
	return errors.Join(known.judge(results), report(os.Stdout, results, known))
}
