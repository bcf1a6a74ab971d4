package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/campaign"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine"
	"replanbench/harness/guard"
	"replanbench/harness/judge"
	"replanbench/harness/reference"
)

// engineFlags choose the engine under test.
type engineFlags struct {
	spec    string
	command []string // what stands behind --
	profile []string // settings over the engine's own profile
	bounds  engine.Options
	memory  byteSize
}

func (f *engineFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.spec, "engine", "reference", "the `ENGINE` under test: reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH; a command may also stand behind --")
	flags.StringArrayVar(&f.profile, "profile", nil, "judge under this `PROFILE`: a set name or knob=value; may stand several times (see replanbench list policies)")
	f.addBounds(cmd)
}

// addBounds adds the flags that say what an engine may take.
func (f *engineFlags) addBounds(cmd *cobra.Command) {
	f.memory = 2 << 30
	flags := cmd.Flags()
	flags.DurationVar(&f.bounds.Deadline, "timeout", 0, "how long the engine may take for one case (default 2s for an engine outside this process, 10s within)")
	addCount(cmd, &f.bounds.Processes, "engines", 1, 1, maxEngines, "how many copies of an engine's command run at once")
	addCount(cmd, &f.bounds.MaxRestarts, "max-restarts", 20, 0, math.MaxInt, "how often an engine's command is started anew before the run stops")
	flags.Var(&f.memory, "engine-memory", "how much memory a copy of the engine's command may hold, with its children (0: any; Linux only)")
}

// split takes the engine's command from behind -- and returns the arguments
// before it.
func (f *engineFlags) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args
	}
	f.command = args[dash:]
	return args[:dash]
}

// settings returns the profile that the flags ask for, or nil for none.
func (f *engineFlags) settings() (*harness.Profile, error) {
	if len(f.profile) == 0 {
		return nil, nil
	}
	p := harness.Reference()
	for _, s := range f.profile {
		if err := p.Apply(s); err != nil {
			return nil, usagef("--profile: %w", err)
		}
	}
	return &p, nil
}

// open resolves the engine. The caller closes it.
func (f *engineFlags) open(ctx context.Context, e env) (harness.Engine, error) {
	if f.bounds.Deadline < 0 {
		return nil, usagef("--timeout %v: a time is positive", f.bounds.Deadline)
	}
	p, err := f.settings()
	if err != nil {
		return nil, err
	}
	if f.command == nil && f.spec == "reference" {
		if p == nil {
			return reference.New(), nil
		}
		return reference.WithProfile(*p), nil
	}
	engine, err := f.find(ctx, e)
	if err != nil {
		return nil, err
	}
	return underProfile(ctx, engine, p)
}

// find resolves an engine other than the reference.
func (f *engineFlags) find(ctx context.Context, e env) (harness.Engine, error) {
	kind, rest, _ := strings.Cut(f.spec, ":")
	switch {
	case f.command != nil && f.spec != "reference":
		return nil, usagef("--engine %s and -- %s name two engines (leave one out)", f.spec, strings.Join(f.command, " "))
	case f.command != nil:
		return f.start(ctx, e, f.command)
	case kind == "exec":
		return f.start(ctx, e, strings.Fields(rest))
	case kind == "http" || kind == "https":
		return f.dial(ctx)
	case kind == "defect":
		return defective(rest)
	}
	return nil, usagef("--engine %s: no such engine (use reference, defect:NAME, exec:CMD ARGS or http://HOST/PATH)", f.spec)
}

// start starts a command as engine. The commands take its failure for one of
// the engine, not of the usage.
func (f *engineFlags) start(ctx context.Context, e env, command []string) (harness.Engine, error) {
	if len(command) == 0 {
		return nil, usagef("the engine's command is missing: -- CMD ARGS")
	}
	return engine.Start(ctx, command, f.outside(e))
}

func (f *engineFlags) dial(ctx context.Context) (harness.Engine, error) {
	if u, err := url.Parse(f.spec); err != nil || u.Host == "" {
		return nil, usagef("--engine %s: an address is http://HOST/PATH", withoutSecrets(f.spec))
	}
	return engine.Dial(ctx, f.spec, f.outside(env{stderr: io.Discard}))
}

// outside are the bounds of an engine outside this process. It says if one has
// no effect.
func (f *engineFlags) outside(e env) engine.Options {
	o := f.bounds
	o.Memory = int64(f.memory)
	if o.MaxRestarts == 0 {
		o.MaxRestarts = engine.NoRestart
	}
	if o.Memory > 0 && !engine.MemoryWatched() {
		fmt.Fprintln(e.stderr, "replanbench: the memory of engines is not watched on this system, so --engine-memory has no effect")
	}
	return o
}

// defective returns a built-in engine with a known defect.
func defective(name string) (harness.Engine, error) {
	e := all.Mutant(name)
	if e == nil {
		var names []string
		for _, d := range all.Dialects() {
			names = append(names, harness.Names(defectsOf(d.Name))...)
		}
		return nil, usagef("--engine defect:%s: no such defect%s (see replanbench list defects)", name, didYouMean(name, names))
	}
	return e, nil
}

// isReference reports whether the engine is the one that others are compared
// with.
func (f *engineFlags) isReference() bool { return f.command == nil && f.spec == "reference" }

// inProcess reports whether the engine lives in this process, so that another
// one costs nothing.
func (f *engineFlags) inProcess() bool {
	return f.isReference() || f.command == nil && strings.HasPrefix(f.spec, "defect:")
}

// introduction is what an engine says of itself.
func introduction(ctx context.Context, e harness.Engine) (harness.Hello, error) {
	hello, err := e.Hello(ctx)
	if err != nil {
		return hello, fmt.Errorf("the engine did not introduce itself: %w", err)
	}
	return hello, nil
}

// judges returns what gives a judge for the cases of a dialect, which makes every
// check on every case, and how to be done with them.
func (f *engineFlags) judges(ctx context.Context, e harness.Engine) (func(dialect string) *judge.Judge, func(), error) {
	hello, err := introduction(ctx, e)
	if err != nil {
		return nil, nil, err
	}
	g := guard.Shared(e, cmp.Or(f.bounds.Deadline, campaign.DefaultDeadline))
	judge := func(dialect string) *judge.Judge {
		return judge.New(g, hello, all.Rules(dialect), judge.Options{Reference: reference.New(), Every: 1})
	}
	return judge, func() { g.Close() }, nil
}

// file is the engine's own file, as its command names it: the first word that
// is a file in this directory; "" if there is none.
func (f *engineFlags) file() string {
	for _, word := range f.command {
		if info, err := os.Stat(word); err == nil && info.Mode().IsRegular() && filepath.IsLocal(word) {
			return filepath.Clean(word)
		}
	}
	return ""
}

// again returns the arguments that choose the same engine, for the command
// line that reproduces a result.
func (f *engineFlags) again() []string {
	var args []string
	if f.spec != "reference" {
		args = append(args, "--engine", withoutSecrets(f.spec))
	}
	for _, p := range f.profile {
		args = append(args, "--profile", p)
	}
	if f.command != nil {
		args = append(append(args, "--"), f.command...)
	}
	return args
}

// withoutSecrets is an engine's address as it may stand in reports: without
// password, and without what is in its query.
func withoutSecrets(spec string) string {
	u, err := url.Parse(spec)
	if err != nil || u.Host == "" {
		return spec
	}
	query := u.Query()
	for name := range query {
		query.Set(name, "xxxxx")
	}
	u.RawQuery = query.Encode()
	return u.Redacted()
}
