package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/agent/launch"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/mcp"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
	"replanbench/reports/screen"
	"replanbench/scenarios"
)

// mcpFlags say how a task server is run.
type mcpFlags struct {
	recorded
	As           string   `list:"${servers}" arg:"PROFILE" help:"the PROFILE of the server: a built-in name, or a YAML file (default: selected by its name and tools, or guessed)"`
	URL          string   `name:"url" arg:"URL" help:"test the server at this URL (Streamable HTTP); the command after --, if given, starts it there ({port} in both is a free port)"`
	Env          []string `sep:"none" line:"name" arg:"NAME" help:"pass a variable to the server: NAME, or NAME=VALUE; may be given several times"`
	choice.Rules `set:"judge=judge under"`
	Timeout      time.Duration `default:"10s" line:"no" help:"time limit for one answer of the server"`
	levelFlag
	seedFlag `set:"seeded=cases"`

	behind
}

// mcpCommand are the flags of mcp.
type mcpCommand struct {
	mcpFlags
	Cases     uint64        `help:"number of cases (default 400, or as many as --time allows)"`
	Time      time.Duration `help:"time limit, such as 10m"`
	Traits    []string      `list:"${traits}" arg:"TRAITS" help:"plant only these TRAITS (a,b; none: plain cases only; see replanbench list traits --dialect tasks)"`
	shardFlag `line:"no" set:"parts=campaign"`
	keptFlags
	knownList `line:"no"`
	Out       reportOutput `embed:"" set:"or=; a directory, or a name without an extension, is used as --dir"`
}

// check lets --out name the directory of --dir.
func (f *mcpCommand) check() error { return f.Out.orDir(&f.Dir) }

// mcpShow are the flags of replay.
type mcpShow struct {
	mcpFlags
	Out screenOutput `embed:"" set:"forms=table,markdown"`
}

func newMCP(e env) *cobra.Command {
	var f mcpCommand
	cmd := &cobra.Command{
		Use:   "mcp [flags] -- COMMAND",
		Short: "Test an unmodified task server behind the Model Context Protocol",
		RunE:  alone(e, &f.command, "give the server's command after --", f.run),
	}
	cmd.AddCommand(newMCPProbe(e), newMCPReplay(e),
		serverProfiles().command(e, "mcp"))
	return command(e, cmd, &f)
}

// open starts the server and finds its profile. guessed gets a line if it is a guess.
func (f *mcpFlags) open(ctx context.Context, e env, guessed func(line string)) (*mcp.Engine, error) {
	list, err := serverProfiles().choose(e, f.As)
	if err != nil {
		return nil, err
	}
	variables, err := e.variables(f.Env)
	if err != nil {
		return nil, err
	}
	t := mcp.Target{URL: f.URL, Patience: f.Timeout, Env: variables}
	switch {
	case f.Timeout < 100*time.Millisecond:
		return nil, usagef("--timeout %s: a server needs at least 100ms", f.Timeout)
	case f.URL == "" && f.command == nil:
		return nil, usagef("the server is missing: give its command after --, or its address with --url")
	case f.URL != "" && !strings.HasPrefix(f.URL, "http://") && !strings.HasPrefix(f.URL, "https://"):
		return nil, usagef("--url %s: write the whole address, such as http://127.0.0.1:3000/mcp", f.URL)
	case f.command != nil:
		if t.Args, err = launch.Resolve(f.command); err != nil {
			return nil, err
		}
	}
	engine, err := mcp.Open(ctx, t, list)
	if err != nil {
		return nil, err
	}
	if err := engine.Judge(f.Profile); err != nil {
		return nil, errors.Join(usageError(err), engine.Close())
	}
	if line := engine.Guessed(); line != "" {
		guessed(line)
	}
	return engine, nil
}

func serverProfiles() profiles[*mcp.Profile] {
	return profiles[*mcp.Profile]{mcp.Builtin, mcp.Parse, mcp.Source}
}

// serverShrinks is how often a server is asked to make the example of one cause small.
const serverShrinks = 40

// serverChunk is how many cases run before their causes are reported: servers are slow.
const serverChunk = 20

// defaultServerCases is the number of cases without --cases and --time.
const defaultServerCases = 400

func (f *mcpCommand) run(ctx context.Context, e env) error {
	known, err := f.known(e)
	if err != nil {
		return err
	}
	c := campaign.Config{
		Dialect: "tasks", Generator: generators.Options{Traits: gate.Planted(f.Traits)}, Seed: f.Seed, Cases: f.Cases, Time: f.Time,
		Shard: f.Shard, Workers: f.Workers, MaxFindings: f.MaxFindings, Dir: f.Dir, Resume: f.Resume,
		ShrinkBudget: serverShrinks, Chunk: serverChunk,
	}
	if c.Cases == 0 && c.Time == 0 {
		c.Cases = defaultServerCases
	}
	if err := gate.Sound(&c); err != nil {
		return err
	}
	started := time.Now()
	command := escape.Shell(f.after(f.line([]string{"mcp"}))...)
	engine, err := f.open(ctx, e, e.warn)
	if err != nil {
		name := cmp.Or(escape.Shell(f.command...), byname.WithoutSecrets(f.URL))
		return unstarted(ctx, e, gate.Begin(command, version(), harness.Hello{Name: name}), f.Out, err)
	}
	defer func() { _ = engine.Close() }() // its places are temporary
	unlock, err := c.Lock("replanbench mcp")
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }() // the file is gone with the process anyway
	bounds := mcp.Share(started, f.Time)
	engine.Until = bounds.Repeats
	if f.Dir != "" {
		engine.Remember()
	}
	if c.Behaviours, err = f.infer(ctx, e, engine, bounds.Inference, f.Out.Quiet); err != nil {
		return err
	}
	hello, err := engine.Hello(ctx)
	if err != nil {
		return err
	}
	c.Time = bounds.Campaign()
	if c.Workers == 0 {
		c.Workers = hello.Window
	}
	g := gate.Begin(command, version(), hello)
	g.Engine, g.Known, g.KnownFile, g.Named.Judge = engine, known, f.List, f.Judge
	g.Report.Judge = g.Named.Level()
	g.Cut(f.Shard)
	g.Progress = e.progress(f.Out.Quiet)
	run, err := g.Campaign(ctx, c, f.reproduce)
	if err != nil && run.Result.Dialect == "" {
		return usageError(err)
	}
	e.warn(engine.Traffic(time.Since(started).Seconds()))
	if f.Dir != "" {
		err = errors.Join(err, engine.Keep(ctx, f.Dir, &run.Result, bounds.End))
	}
	return errors.Join(err, g.Keep(c), finish(e, g, f.Out))
}

// infer finds out by which rules the server works that nothing promises.
func (f *mcpFlags) infer(ctx context.Context, e env, engine *mcp.Engine, until time.Time, quiet bool) (
	[]cause.Behaviour, error,
) {
	p := newProgress(e, quiet)
	list, left, err := engine.Infer(ctx, f.Seed, until, p.show)
	p.end()
	if len(left) > 0 {
		e.warn(fmt.Sprintf("there was no time to find out what the server allows: cases about %s are skipped "+
			"(give more --time, or say it with --profile KNOB=VALUE)", strings.Join(left, ", ")))
	}
	return list, err
}

// reproduce is the command line that shows a cause again.
func (f *mcpCommand) reproduce(x cause.Cause) string {
	file := fmt.Sprintf("tasks:%d:%d", f.Seed, x.First)
	if f.Dir != "" && x.ID != "" {
		file = filepath.Join(f.Dir, campaign.CausesDir, x.ID, mcp.SessionFile)
	}
	args := f.line([]string{"replanbench", "mcp", "replay", file}, "cases", "time", "traits")
	return escape.Shell(f.after(args)...)
}

type mcpProbe struct {
	mcpShow
	Save string `writes:"" line:"no" arg:"FILE" help:"write the profile, or a draft of it, to this FILE, to correct and give with --as"`
}

func newMCPProbe(e env) *cobra.Command {
	var f mcpProbe
	return command(e, &cobra.Command{
		Use:   "probe [flags] -- COMMAND",
		Short: "Show what a task server offers and what was understood, and write a profile to edit",
		RunE:  alone(e, &f.command, "give the server's command after --", f.run),
	}, &f)
}

func (f *mcpProbe) run(ctx context.Context, e env) error {
	f.Timeout = max(f.Timeout, time.Second)
	engine, err := f.open(ctx, e, func(string) {})
	if u := (*mcp.Unmapped)(nil); errors.As(err, &u) {
		return errors.Join(err, f.save(e, u.Draft))
	}
	if err != nil {
		return err
	}
	text, err := engine.Describe()
	if err := errors.Join(err, engine.Close(), f.save(e, text)); err != nil {
		return err
	}
	story := engine.Probe()
	s := reports.StoryScreen(story, cmp.Or(escape.Shell(f.command...), byname.WithoutSecrets(f.URL)))
	line := func(words ...string) string {
		return escape.Shell(f.after(f.line(append([]string{"replanbench", "mcp"}, words...), "save", "seed"))...)
	}
	s.Next = []screen.Step{{Why: "Test it", Command: line()}}
	if f.Save == "" {
		s.Next = append(s.Next, screen.Step{Why: "Correct the profile", Command: line("probe", "--save", "mine.yaml")})
	}
	return f.Out.tell(e, s, story)
}

// save writes the profile, if a file is given.
func (f *mcpProbe) save(e env, text string) error {
	if f.Save == "" {
		return nil
	}
	return (&outFile{Out: f.Save}).profile(e, "mcp", text)
}

// findSession reads the case of a session, or any other scenario.
func findSession(name string, hello harness.Hello) ([]scenarios.Scenario, error) {
	if filepath.Base(name) != mcp.SessionFile {
		return gate.FindScenarios([]string{name}, hello, byname.Engine{}, nil)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, harness.Mistaken(err)
	}
	s, err := mcp.ParseSession(name, data)
	return []scenarios.Scenario{s}, err
}

func (f *mcpShow) replay(ctx context.Context, e env, name string) error {
	engine, err := f.open(ctx, e, e.warn)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Close() }() // its places are temporary
	infer := func() error {
		_, err := f.infer(ctx, e, engine, time.Time{}, false)
		return err
	}
	stored := strings.ContainsAny(name, "./")
	if !stored { // the same case is drawn only under the same rules
		if err := infer(); err != nil {
			return err
		}
	}
	hello, err := engine.Hello(ctx)
	if err != nil {
		return err
	}
	list, err := findSession(name, hello)
	if err != nil {
		return err
	}
	list[0].Want = []byte("{}") // the checks compare with the rules, whatever ids the server assigns
	if p := list[0].Case.Profile; stored && p != nil {
		engine.Rules = *p
	} else if stored {
		if err := infer(); err != nil {
			return err
		}
	}
	var calls []mcp.Exchange
	engine.Trace = func(list []mcp.Exchange) {
		if calls == nil { // checks may ask again
			calls = list
		}
	}
	named := byname.Engine{Judge: f.Judge}
	replayed, err := gate.Replay(ctx, engine, named, list)
	if err != nil {
		return err
	}
	result, story := reports.ReplayScreen(hello, replayed, named.Level()), replayed[0].Story()
	result.Lists = append(result.Lists, screen.Sections([]explain.Section{mcp.Tell(calls)})...)
	story.Sections = append(story.Sections, mcp.Tell(calls))
	if err := f.Out.tell(e, result, story); err != nil {
		return err
	}
	if !replayed[0].Well {
		return gateFailed()
	}
	return nil
}

func newMCPReplay(e env) *cobra.Command {
	var f mcpShow
	return command(e, &cobra.Command{
		Use:   "replay FILE|DIALECT:SEED:INDEX [flags] -- COMMAND",
		Short: "Play a stored case to a task server again, and show what breaks",
		RunE: func(cmd *cobra.Command, args []string) error {
			names := split(cmd, args, &f.command)
			if len(names) != 1 {
				return usagef("give one case, and the server's command after --")
			}
			return f.replay(cmd.Context(), e, names[0])
		},
	}, &f)
}
