package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/agent"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/launch"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// agentFlags are the flags of sessions with an agent.
type agentFlags struct {
	agent.Config
	as       string
	env      []string
	patience time.Duration
	listen   string
	judge    string
	record   string
	dir      string
	known    knownFlags
	out      output
	command  []string

	recorder *agent.Recorder
}

func newAgent(e env) *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "agent [flags] -- COMMAND",
		Short: "Test a whole agent from outside: play the model and check its plan",
		Long: `Run an agent and play its model: call its plan tool with generated edits, read the plan
that it sends back, check every transition, inject faults into answers and connections,
and report causes, each with the shortest session that shows it.

The command runs in an empty directory with an empty HOME. Its environment points it to
an endpoint on this machine (OPENAI_BASE_URL, ANTHROPIC_BASE_URL,
GOOGLE_GEMINI_BASE_URL, and a random key). It gets PATH, LANG, TERM and the variables
that --env names. Its child processes end with it.

The program selects a profile by the agent's tools; --as names another one or a file
(replanbench agent profile opencode prints one to start from).
Exit code 1 if a cause is not known.`,
		Example: `  replanbench agent -- qwen --auth-type openai -y -p 'fix the tests'
  replanbench agent --as opencode --sessions 20 --dir found -- opencode run 'fix the tests'
  replanbench agent --listen 127.0.0.1:8099 --time 10m`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := f.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (give the agent's command after --)", rest[0])
			}
			if err := wholeOnly(cmd, f.Shard, "listen"); err != nil {
				return err
			}
			return f.run(cmd.Context(), e)
		},
	}
	f.add(cmd)
	f.addSessions(cmd)
	cmd.AddCommand(newAgentProbe(e), newAgentReplay(e), newAgentProfile(e))
	return cmd
}

// add adds the flags that say how the agent is run.
func (f *agentFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.as, "as", "", "the `PROFILE` of the agent: a built-in name, or a YAML file (default: selected "+
		"by the agent's tools)")
	flags.StringArrayVar(&f.env, "env", nil,
		"pass a variable to the agent: `NAME`, or NAME=VALUE; may be given several times")
	addProfile(cmd, &f.Rules, "judge under")
	flags.DurationVar(&f.patience, "timeout", 30*time.Second, "maximum time without a request from the agent")
	flags.StringVar(&f.record, "record", "", "store all requests and answers in this `DIR`, without keys")
	addSeed(cmd, &f.Seed, "sessions")
}

func (f *agentFlags) addSessions(cmd *cobra.Command) {
	flags := cmd.Flags()
	addCount(cmd, bounded{&f.Sessions, 1, 100_000}, "sessions", 80, "number of sessions to play")
	addCount(cmd, bounded{&f.Turns, 0, 1000}, "turns", 4,
		"number of edits in a session, not counting edits with injected faults")
	flags.StringSliceVar(&f.Faults, "faults", nil,
		"inject only these `FAULTS` into answers and connections (a,b; none: no faults; see replanbench list transport)")
	flags.StringSliceVar(&f.Traits, "traits", nil,
		"plant only these `TRAITS` in edits (a,b; none: plain edits; see replanbench list traits)")
	addCount(cmd, bounded{&f.Parallel, 1, 64}, "parallel", 1, "number of sessions to play at once")
	addCount(cmd, bounded{&f.ShrinkRuns, 0, 100}, "shrink-runs", 5,
		"number of sessions to play for each cause to shorten its example")
	flags.DurationVar(&f.Time, "time", 0, "start no session after this time, such as 10m, not even to shorten examples")
	addShard(cmd, &f.Shard, "sessions")
	flags.StringVar(&f.listen, "listen", "",
		"start no agent; play the model at this `ADDRESS` (127.0.0.1:8099) to agents that you start")
	addDir(cmd, &f.dir, "store the report and the sessions that show causes")
	addJudge(cmd, &f.judge, "agent")
	f.known.addRead(cmd)
	f.out.addReport(cmd)
	f.out.orDir(cmd, &f.dir)
}

// split takes the agent's command from behind --.
func (f *agentFlags) split(cmd *cobra.Command, args []string) []string {
	dash := cmd.ArgsLenAtDash()
	if dash < 0 {
		return args
	}
	f.command = args[dash:]
	return args[:dash]
}

// prepare makes the configuration of what the flags say.
func (f *agentFlags) prepare(e env) error {
	list, err := f.profiles(e)
	if err != nil {
		return err
	}
	f.Agent = session.Agent{Profiles: list, Patience: f.patience}
	if f.patience < time.Second {
		return usagef("--timeout %s: an agent needs a second at least", f.patience)
	}
	if f.listen != "" && f.command != nil {
		return usagef("--listen waits for agents that you start, and is given a command as well: %s (leave one of the two "+
			"out)", escape.Shell(f.command...))
	}
	if err := f.names(); err != nil {
		return err
	}
	if f.listen == "" {
		if f.Agent.Command.Args, err = launch.Resolve(f.command); err != nil {
			return err
		}
	}
	for _, v := range f.env {
		if !strings.Contains(v, "=") {
			v += "=" + e.getenv(v)
		}
		f.Agent.Command.Env = append(f.Agent.Command.Env, v)
	}
	if slices.Equal(f.Faults, []string{gate.NoFaults}) {
		f.Faults = []string{}
	}
	if slices.Equal(f.Traits, []string{gate.NoFaults}) {
		f.Traits = []string{}
	}
	if f.record != "" {
		if f.recorder, err = agent.NewRecorder(f.record); err != nil {
			return usageError(err)
		}
		f.Agent.Record = f.recorder.Record
	}
	_, err = agent.Faults(f.Faults)
	return err
}

// names refuses traits and rules that no agent can have, before one is started.
func (f *agentFlags) names() error {
	var known []string
	for _, d := range all.Dialects() {
		for _, t := range d.Traits {
			known = append(known, t.Name)
		}
	}
	for _, name := range f.Traits {
		if name != gate.NoFaults && !slices.Contains(known, name) {
			return usagef("--traits: unknown trait %q%s (see replanbench list traits)", name, harness.DidYouMean(name, known))
		}
	}
	_, err := (&byname.Engine{Profile: f.Rules}).Settings()
	return err
}

// profiles are those that --as leaves to choose from.
func (f *agentFlags) profiles(e env) ([]*profile.Profile, error) {
	list, err := profile.Builtin()
	if err != nil || f.as == "" {
		return list, err
	}
	var names []string
	for _, p := range list {
		if p.Name == f.as {
			return []*profile.Profile{p}, nil
		}
		names = append(names, p.Name)
	}
	if !strings.ContainsAny(f.as, "./") {
		return nil, usagef("--as: unknown profile %q%s (the profiles are %s; or give a YAML file)", f.as,
			harness.DidYouMean(f.as, names), strings.Join(names, ", "))
	}
	data, err := readInput(e, f.as)
	if err != nil {
		return nil, err
	}
	p, err := profile.Parse(f.as, data)
	return []*profile.Profile{p}, err
}

func (f *agentFlags) run(ctx context.Context, e env) error {
	known, err := f.known.load(e)
	if err != nil {
		return err
	}
	if err := f.prepare(e); err != nil {
		return err
	}
	if f.dir != "" {
		if err := files.Writable(filepath.Join(f.dir, "report.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	p := newProgress(e, f.out.quiet)
	f.Progress = func(played, of, calls int) {
		p.show(fmt.Sprintf("%d of %d sessions, %d plan calls", played, of, calls))
	}
	f.Level = harness.Level(f.judge)
	f.Found = func(sentence string) { p.tell("found: " + sentence) }
	result, err := f.drive(ctx, e)
	p.end()
	if result.Profile == "" {
		return err
	}
	g := gate.Begin(f.line(), version(), harness.Hello{Name: result.Profile})
	g.Cut(f.Shard)
	g.Report.Judge = f.Level
	found := g.Report.AddAgent(result, known, f.reproduce, f.file)
	g.Report.AddUnused(f.known.read, known.Unused(found), "replanbench "+f.line())
	passed := g.Conclude()
	if f.dir != "" {
		err = errors.Join(err, result.Keep(f.dir), files.Write(filepath.Join(f.dir, "report.json"), g.Report.JSON))
	}
	if f.recorder != nil {
		err = errors.Join(err, f.recorder.Err())
	}
	if err := errors.Join(err, f.out.writeReport(e, g.Report)); err != nil || passed {
		return err
	}
	return gateFailed()
}

// drive starts the agent, or waits for agents.
func (f *agentFlags) drive(ctx context.Context, e env) (agent.Result, error) {
	if f.listen == "" {
		return agent.Drive(ctx, f.Config)
	}
	result, err := agent.Listen(ctx, f.Config, f.listen, func(url, key string) {
		fmt.Fprintf(e.stderr, "playing the model; start your agent with\n\n  export OPENAI_BASE_URL=%s/v1 "+
			"OPENAI_API_KEY=%s OPENAI_MODEL=%s\n  export ANTHROPIC_BASE_URL=%[1]s ANTHROPIC_API_KEY=%[2]s\n  export "+
			"GOOGLE_GEMINI_BASE_URL=%[1]s GEMINI_API_KEY=%[2]s\n\nor with settings of its own. Each new conversation is a "+
			"session; interrupt to end.\n", url, key, session.ModelName)
	})
	if taken := (*net.OpError)(nil); errors.As(err, &taken) && taken.Op == "listen" {
		return result, usagef("--listen %s: %w (choose another port, or 0 for a free one)", f.listen, taken.Err)
	}
	return result, err
}

// line is the command line that was run, as far as it decides the result.
func (f *agentFlags) line() string {
	args := append(f.judged([]string{"agent"}), "--seed", fmt.Sprint(f.Seed), "--sessions", fmt.Sprint(f.Sessions), "--turns", fmt.Sprint(f.Turns))
	if f.Faults != nil {
		args = append(args, "--faults", strings.Join(orNone(f.Faults), ","))
	}
	if f.Traits != nil {
		args = append(args, "--traits", strings.Join(orNone(f.Traits), ","))
	}
	if f.Level.Effective() != harness.JudgeExact {
		args = append(args, "--judge", f.judge)
	}
	if f.listen != "" {
		args = append(args, "--listen", f.listen)
	}
	return escape.Shell(f.withCommand(args)...)
}

func orNone(names []string) []string {
	if len(names) == 0 {
		return []string{gate.NoFaults}
	}
	return names
}

// judged adds the flags that decide how a session runs and is judged. It adds only the names of
// environment variables, because a value can be a key.
func (f *agentFlags) judged(args []string) []string {
	if f.as != "" {
		args = append(args, "--as", f.as)
	}
	for _, r := range f.Rules {
		args = append(args, "--profile", r)
	}
	for _, v := range f.env {
		name, _, _ := strings.Cut(v, "=")
		args = append(args, "--env", name)
	}
	return args
}

func (f *agentFlags) withCommand(args []string) []string {
	if f.listen != "" {
		return args
	}
	return append(append(args, "--"), f.command...)
}

// reproduce is the command line that shows a cause again.
func (f *agentFlags) reproduce(c agent.Cause) string {
	if f.dir == "" || f.listen != "" {
		return "replanbench " + f.line()
	}
	args := f.judged([]string{"replanbench", "agent", "replay", agent.SessionPath(f.dir, c.ID)})
	return escape.Shell(f.withCommand(args)...)
}

func (f *agentFlags) file(c agent.Cause) string {
	if f.dir == "" {
		return ""
	}
	return agent.SessionPath(f.dir, c.ID)
}

func newAgentProfile(e env) *cobra.Command {
	return &cobra.Command{
		Use:     "profile NAME",
		Short:   "Print a built-in profile of an agent, as a start for your own",
		Example: "  replanbench agent profile opencode > mine.yaml",
		Args:    exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			f := agentFlags{as: args[0]}
			list, err := f.profiles(e)
			if err != nil {
				return err
			}
			text, err := profile.Source(list[0].Name)
			if err != nil {
				return usagef("%s is no built-in profile", args[0])
			}
			_, err = e.stdout.Write(text)
			return err
		},
	}
}

func newAgentReplay(e env) *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:   "replay FILE [flags] -- COMMAND",
		Short: "Play a stored session again, turn by turn",
		Long: `Play a stored session (replanbench agent --dir) to the agent again, and show each turn:
the edit, the plan before and after it, and the broken checks.

Exit code 1 if the cause of the session occurs again.`,
		Example: "  replanbench agent replay found/causes/3f9a12c04b77/session.json -- qwen --auth-type openai -y -p 'fix " +
			"the tests'",
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			names := f.split(cmd, args)
			if len(names) != 1 {
				return usagef("give one session file, and the agent's command after --")
			}
			data, err := readInput(e, names[0])
			if err != nil {
				return err
			}
			s, err := agent.DecodeSession(inputName(names[0]), data)
			if err != nil {
				return err
			}
			if f.as == "" {
				f.as = s.Profile
			}
			if err := f.prepare(e); err != nil {
				return err
			}
			r, err := agent.Play(cmd.Context(), f.Config, s)
			if err != nil {
				return err
			}
			if err := f.out.writeStory(e.stdout, e, reports.AgentReplay(r)); err != nil {
				return err
			}
			if r.Shown {
				return gateFailed()
			}
			return nil
		},
	}
	f.add(cmd)
	addChoice(cmd, &f.out.format, "format", "how to write the result", "table", "markdown")
	return cmd
}

func newAgentProbe(e env) *cobra.Command {
	var f agentFlags
	cmd := &cobra.Command{
		Use:     "probe [flags] -- COMMAND",
		Short:   "Play three turns to an agent, and show its tools and where the plan comes back",
		Example: "  replanbench agent probe -- opencode run 'fix the tests'",
		Args:    anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := f.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (give the agent's command after --)", rest[0])
			}
			if err := f.prepare(e); err != nil {
				return err
			}
			p, err := agent.Look(cmd.Context(), f.Config)
			if err != nil {
				return err
			}
			return f.out.writeStory(e.stdout, e, reports.AgentProbe(p))
		},
	}
	f.add(cmd)
	addChoice(cmd, &f.out.format, "format", "how to write the result", "table", "markdown")
	return cmd
}

// transportTerms lists the faults of transport and of the model.
func transportTerms() []harness.Term {
	var list []harness.Term
	for _, f := range fault.All() {
		list = append(list, harness.Term{Name: f.Name, Text: f.Text})
	}
	return list
}
