package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/reference"
	"replanbench/harness/engine/rpc"
	"replanbench/harness/score/choice"
	"replanbench/reports/gate"
)

func newEngine(e env) *cobra.Command {
	return family(&cobra.Command{
		Use:   "engine COMMAND",
		Short: "For authors of engines: check an engine, infer its rules, draw cases for it, serve a built-in one",
	}, newEngineCheck(e), newEngineInfer(e), newEngineServe(e), newEngineDraw(e))
}

// serveFlags are what serve was asked to do.
type serveFlags struct {
	Defect       string `list:"${defects}" arg:"NAME" help:"serve the engine with the defect NAME (see replanbench list defects)"`
	choice.Rules `set:"judge=serve the reference under"`
	Listen       string `arg:"ADDRESS" help:"serve over HTTP at this ADDRESS, as in localhost:8080"`
}

func newEngineServe(e env) *cobra.Command {
	var f serveFlags
	return command(e, &cobra.Command{
		Use:   "serve",
		Short: "Serve the reference, or an engine with a known defect",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			engine, err := f.open()
			if err != nil {
				return err
			}
			defer engine.Close()
			if f.Listen != "" {
				return listen(cmd.Context(), e, f.Listen, engine)
			}
			return serve(cmd.Context(), e, engine)
		},
	}, &f)
}

func (f serveFlags) open() (harness.Engine, error) {
	n := byname.Engine{Profile: f.Profile}
	p, err := n.Settings()
	switch {
	case err != nil:
		return nil, err
	case f.Defect != "" && p != nil:
		return nil, usagef("--profile is for the reference (leave out --profile or --defect)")
	case f.Defect != "":
		return byname.Defective(f.Defect)
	case p != nil:
		return pipelined{reference.WithProfile(*p)}, nil
	}
	return pipelined{reference.New()}, nil
}

// pipelined lets the reference, which remembers nothing between cases, take
// several at once.
type pipelined struct{ harness.Engine }

func (p pipelined) Hello(ctx context.Context) (harness.Hello, error) {
	h, err := p.Engine.Hello(ctx)
	h.Window = 32
	return h, err
}

// serve answers on standard output until standard input ends. An interrupt
// does not wait for it.
func serve(ctx context.Context, e env, engine harness.Engine) error {
	done := make(chan error, 1)
	go func() { done <- rpc.Serve(ctx, e.stdin, e.stdout, engine) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// listen answers over HTTP until it is interrupted, which is how it should end.
func listen(ctx context.Context, e env, address string, engine harness.Engine) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return usagef("--listen %s: %w (give a free HOST:PORT, such as localhost:0)", address, errors.Unwrap(err))
	}
	server := &http.Server{Handler: rpc.Handler(engine), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	fmt.Fprintf(e.stderr, "serving at http://%s (interrupt to end)\n", l.Addr())
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return ctx.Err()
}

// newEngineDraw serves generated cases to property tests in other languages.
func newEngineDraw(e env) *cobra.Command {
	var f engineFlags
	return command(e, &cobra.Command{
		Use:   "draw [flags] -- COMMAND",
		Short: "Draw generated cases by name and judge an engine on each, for property tests",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := only(cmd, args, &f.Command, commandAfter); err != nil {
				return err
			}
			if f.Command == nil && !cmd.Flags().Changed("engine") {
				c, err := readConfig(e, "")
				if err != nil {
					return err
				}
				if f.Engine, err = gate.EngineOf(c); err != nil {
					return err
				}
			}
			ctx := engine.Free(cmd.Context()) // shrinking repeats a crash as often as it likes
			opened, err := f.open(ctx, e)
			if err != nil {
				return err
			}
			defer opened.Close()
			return gate.Draw(ctx, opened, f.Engine, e.stdin, e.stdout)
		},
	}, &f)
}
