package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
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
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/style"
	"replanbench/harness/engine/byname"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
	"replanbench/reports/table"
)

// agentFlags say how an agent is run.
type agentFlags struct {
	recorded
	As           string `list:"${agents}" arg:"PROFILE" help:"the PROFILE of the agent: a built-in name, or a YAML file (default: selected by the agent's tools)"`
	choice.Rules `set:"judge=judge under"`
	Env          []string      `sep:"none" line:"name" arg:"NAME" help:"pass a variable to the agent: NAME, or NAME=VALUE; may be given several times"`
	Timeout      time.Duration `default:"30s" line:"no" help:"maximum time without a request from the agent"`
	levelFlag
	Record   string `line:"no" arg:"DIR" help:"store all requests and answers in this DIR, without keys"`
	seedFlag `set:"seeded=sessions"`

	behind
	config   agent.Config
	recorder *agent.Recorder
}

// agentCommand are the flags of agent.
type agentCommand struct {
	agentFlags
	Sessions   int           `default:"80" range:"1,100000" line:"yes" help:"number of sessions to play"`
	Turns      int           `default:"4" range:"0,1000" line:"yes" help:"number of edits in a session, not counting edits with injected faults"`
	Faults     []string      `list:"${transport}" arg:"FAULTS" help:"inject only these FAULTS into answers and connections (a,b; none: no faults; see replanbench list transport)"`
	Traits     []string      `list:"${traits}" arg:"TRAITS" help:"plant only these TRAITS in edits (a,b; none: plain edits; see replanbench list traits)"`
	Parallel   int           `default:"1" range:"1,64" line:"no" rare:"" help:"number of sessions to play at once"`
	ShrinkRuns int           `default:"5" range:"0,100" line:"no" rare:"" help:"number of sessions to play for each cause to shorten its example"`
	Time       time.Duration `line:"no" help:"start no session after this time, such as 10m; late examples are shrunk less"`
	shardFlag  `line:"no" set:"parts=sessions"`
	Listen     string `whole:"" arg:"ADDRESS" help:"start no agent; play the model at this ADDRESS (127.0.0.1:8099) to agents that you start"`
	Dir        string `line:"no" arg:"DIR" help:"store the report and the sessions that show causes in this DIR, which is created if missing"`
	knownList  `line:"no"`
	Out        reportOutput `embed:"" set:"or=; a directory, or a name without an extension, is used as --dir"`
}

func newAgent(e env) *cobra.Command {
	var f agentCommand
	cmd := &cobra.Command{
		Use:   "agent [flags] -- COMMAND",
		Short: "Test a whole agent from outside: play the model and check its plan",
		RunE:  alone(e, &f.command, "give the agent's command after --", f.run),
	}
	cmd.AddCommand(newAgentProbe(e), newAgentReplay(e),
		agentProfiles().command(e, "agent"), newAgentTable(e))
	return command(e, cmd, &f)
}

// check lets --out name the directory of --dir.
func (f *agentCommand) check() error { return f.Out.orDir(&f.Dir) }

// prepare makes the configuration of a run of the agent.
func (f *agentFlags) prepare(e env) error {
	list, err := agentProfiles().choose(e, f.As)
	if err != nil {
		return err
	}
	f.config.Rules, f.config.Seed = f.Profile, f.Seed
	f.config.Agent = session.Agent{Profiles: list, Patience: f.Timeout}
	if f.Timeout < time.Second {
		return usagef("--timeout %s: an agent needs at least a second", f.Timeout)
	}
	if _, err := (&byname.Engine{Profile: f.Profile}).Settings(); err != nil {
		return err
	}
	variables, err := e.variables(f.Env)
	if err != nil {
		return err
	}
	f.config.Agent.Command.Env = append(f.config.Agent.Command.Env, variables...)
	if f.Record != "" {
		if f.recorder, err = agent.NewRecorder(f.Record); err != nil {
			return usageError(err)
		}
		f.config.Agent.Record = f.recorder.Record
	}
	return nil
}

// start finds the agent's program.
func (f *agentFlags) start() (err error) {
	f.config.Agent.Command.Args, err = launch.Resolve(f.command)
	return err
}

// sessions makes the configuration of the sessions.
func (f *agentCommand) sessions() error {
	if f.Listen != "" && f.command != nil {
		return usagef("--listen starts no agent, but there is a command: %s (leave one of them out)",
			escape.Shell(f.command...))
	}
	if err := f.names(); err != nil {
		return err
	}
	if f.Listen == "" {
		if err := f.start(); err != nil {
			return err
		}
	}
	c := &f.config
	c.Sessions, c.Turns, c.Faults, c.Traits = f.Sessions, f.Turns, gate.Planted(f.Faults), gate.Planted(f.Traits)
	c.Parallel, c.ShrinkRuns, c.Time, c.Shard = f.Parallel, f.ShrinkRuns, f.Time, f.Shard
	if _, err := agent.Faults(c.Faults); err != nil {
		return usagef("--faults: %w", err)
	}
	return nil
}

// names refuses traits that no dialect has, before an agent is started.
func (f *agentCommand) names() error {
	known := gate.TraitNames()
	for _, name := range f.Traits {
		if name != gate.NoFaults && !slices.Contains(known, name) {
			return usagef("--traits: unknown trait %q%s (see replanbench list traits)", name, harness.DidYouMean(name, known))
		}
	}
	return nil
}

// profiles are the built-in profiles of agents or of task servers, and how other ones are read.
type profiles[P interface {
	Called() string
	Former() []string
}] struct {
	builtin func() ([]P, error)
	parse   func(file string, data []byte) (P, error)
	source  func(name string) ([]byte, error)
}

func agentProfiles() profiles[*profile.Profile] {
	return profiles[*profile.Profile]{profile.Builtin, profile.Parse, profile.Source}
}

// names lists the built-in profiles.
func (s profiles[P]) names() []string {
	list, _ := s.builtin() // they are part of the program
	return collect.Map(list, func(p P) string { return p.Called() })
}

// choose returns the profiles that --as selects: all built-in ones, one of them, or the one in a YAML file.
func (s profiles[P]) choose(e env, as string) ([]P, error) {
	list, err := s.builtin()
	if err != nil || as == "" {
		return list, err
	}
	if i := slices.Index(s.names(), as); i >= 0 {
		return list[i : i+1], nil
	}
	if !strings.ContainsAny(as, "./") {
		return nil, usagef("--as: unknown profile %q%s (the profiles are %s; or give a YAML file)", as,
			harness.DidYouMean(as, s.names()), strings.Join(s.names(), ", "))
	}
	data, err := readInput(e, as)
	if err != nil {
		return nil, err
	}
	p, err := s.parse(as, data)
	if err != nil {
		return nil, err
	}
	if former := p.Former(); former != nil {
		e.warn(fmt.Sprintf("%s has former names of members: %s", as, strings.Join(former, ", ")))
	}
	return []P{p}, nil
}

// command returns the command that prints a built-in profile of what: agent or mcp.
func (s profiles[P]) command(e env, what string) *cobra.Command {
	var f struct {
		Out outFile `embed:"" set:"extensions=.yaml,.yml|result=profile|or=, and its JSON Schema next to it"`
	}
	return command(e, &cobra.Command{
		Use:   "profile NAME",
		Short: "Print a built-in profile, as a start for your own",
		Args:  exactly(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := s.choose(e, args[0]); err != nil {
				return err
			}
			text, err := s.source(args[0])
			if err != nil {
				return usagef("%s is no built-in profile", args[0])
			}
			return f.Out.profile(e, what, string(text))
		},
	}, &f)
}

// profile writes a profile, and its JSON Schema next to it.
func (f *outFile) profile(e env, what, text string) error {
	kind := what + "-profile"
	err := f.write(e, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s%s", schema.FirstLine(kind), text)
		return err
	})
	if err != nil || f.Out == "" {
		return err
	}
	return files.WriteData(filepath.Join(filepath.Dir(f.Out), schema.File(kind)), profileSchema(what))
}

func (f *agentCommand) run(ctx context.Context, e env) error {
	known, err := f.load(e, &f.Out)
	if err != nil {
		return err
	}
	if err := f.prepare(e); err != nil {
		return err
	}
	if err := f.sessions(); err != nil {
		return err
	}
	if f.Dir != "" {
		if err := files.Writable(filepath.Join(f.Dir, "report.json")); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	p := newProgress(e, f.Out.Quiet)
	f.config.Progress = func(played, of, calls int) {
		p.show(fmt.Sprintf("%d of %d sessions, %d plan calls", played, of, calls))
	}
	f.config.Level = harness.Level(f.Judge)
	f.config.Found = func(sentence string) { p.tell("found: " + sentence) }
	f.config.Guessed = func(tool string) {
		p.tell("no profile fits; the plan tool is probably " + tool + " (replanbench agent probe prints this profile)")
	}
	started := time.Now()
	result, err := f.drive(ctx, e)
	if f.Dir != "" && f.Listen == "" && f.Time == 0 && err == nil { // playing takes time
		for _, file := range result.RemoveFixed(ctx, f.config, f.Dir) {
			p.tell("fixed: " + file + " shows no break now and is removed")
		}
	}
	p.end()
	name := cmp.Or(result.Profile, escape.Shell(f.command...))
	g := gate.Begin(f.again(), version(), harness.Hello{Name: name})
	if result.Profile == "" {
		return unstarted(ctx, e, g, f.Out, err)
	}
	g.Since(started)
	g.Cut(f.Shard)
	g.Report.Judge = f.config.Level
	found := g.Report.AddAgent(result, known, f.reproduce, f.file)
	unused := slices.DeleteFunc(known.Unused(found), finding.Entry.NamesFinding)
	g.Report.AddUnused(f.List, unused, "replanbench "+f.again())
	passed := g.Conclude()
	if f.Dir != "" {
		err = errors.Join(err, result.Keep(f.Dir), files.Write(filepath.Join(f.Dir, "report.json"), g.Report.JSON))
	}
	if f.recorder != nil {
		err = errors.Join(err, f.recorder.Err())
	}
	if err := errors.Join(err, f.Out.writeReport(e, g.Report)); err != nil || passed {
		return err
	}
	return gateFailed()
}

// drive starts the agent, or waits for agents.
func (f *agentCommand) drive(ctx context.Context, e env) (agent.Result, error) {
	if f.Listen == "" {
		return agent.Drive(ctx, f.config)
	}
	result, err := agent.Listen(ctx, f.config, f.Listen, func(url, key string) {
		fmt.Fprintf(e.stderr, "playing the model; start your agent with\n\n  export OPENAI_BASE_URL=%s/v1 "+
			"OPENAI_API_KEY=%s OPENAI_MODEL=%s\n  export ANTHROPIC_BASE_URL=%[1]s ANTHROPIC_API_KEY=%[2]s\n  export "+
			"GOOGLE_GEMINI_BASE_URL=%[1]s GEMINI_API_KEY=%[2]s\n\nor with settings of its own. Each new conversation is a "+
			"session; interrupt to end.\n", url, key, session.ModelName)
	})
	if taken := (*net.OpError)(nil); errors.As(err, &taken) && taken.Op == "listen" {
		return result, usagef("--listen %s: %w (choose another port, or 0 for a free one)", f.Listen, taken.Err)
	}
	return result, err
}

// again is the command line that was run, as far as it decides the result.
func (f *agentCommand) again() string { return escape.Shell(f.after(f.line([]string{"agent"}))...) }

// reproduce is the command line that shows a cause again.
func (f *agentCommand) reproduce(c agent.Cause) string {
	if f.Dir == "" || f.Listen != "" {
		return "replanbench " + f.again()
	}
	args := f.line([]string{"replanbench", "agent", "replay", agent.SessionPath(f.Dir, c.ID)}, "seed", "sessions", "turns",
		"faults", "traits")
	return escape.Shell(f.after(args)...)
}

func (f *agentCommand) file(c agent.Cause) string {
	if f.Dir == "" {
		return ""
	}
	return agent.SessionPath(f.Dir, c.ID)
}

// agentShow are the flags of probe and replay.
type agentShow struct {
	agentFlags
	Out screenOutput `embed:"" set:"forms=table,markdown"`
}

func newAgentReplay(e env) *cobra.Command {
	var f agentShow
	return command(e, &cobra.Command{
		Use:   "replay FILE [flags] -- COMMAND",
		Short: "Play a stored session again, turn by turn",
		RunE: func(cmd *cobra.Command, args []string) error {
			names := split(cmd, args, &f.command)
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
			if f.As == "" && slices.Contains(agentProfiles().names(), s.Profile) {
				f.As = s.Profile
			}
			if err := f.prepare(e); err != nil {
				return err
			}
			if err := f.start(); err != nil {
				return err
			}
			f.config.Level = harness.Level(f.Judge)
			r, err := agent.Play(cmd.Context(), f.config, s)
			if err != nil {
				return err
			}
			story := reports.AgentReplay(r)
			if err := f.Out.tell(e, reports.StoryScreen(story, s.Profile), story); err != nil {
				return err
			}
			if r.Shown {
				return gateFailed()
			}
			return nil
		},
	}, &f)
}

func newAgentProbe(e env) *cobra.Command {
	var f struct {
		agentShow
		Save string `writes:"" line:"no" arg:"FILE" help:"write the guessed profile to this FILE, to correct and give with --as"`
	}
	return command(e, &cobra.Command{
		Use:   "probe [flags] -- COMMAND",
		Short: "Play three turns to an agent, and show its tools and where the plan comes back",
		RunE: alone(e, &f.command, "give the agent's command after --", func(ctx context.Context, e env) error {
			if err := f.prepare(e); err != nil {
				return err
			}
			if err := f.start(); err != nil {
				return err
			}
			p, err := agent.Look(ctx, f.config)
			if err != nil {
				return err
			}
			if f.Save != "" && p.Profile.Guess == "" {
				return usagef("--save: the profile %[1]s fits; print it with replanbench agent profile %[1]s", p.Profile.Name)
			}
			if out := (outFile{Out: f.Save}); f.Save != "" {
				if err := out.profile(e, "agent", p.Profile.Guess); err != nil {
					return err
				}
			}
			story := reports.AgentProbe(p)
			return f.Out.tell(e, reports.StoryScreen(story, escape.Shell(f.command...)), story)
		}),
	}, &f)
}

// transportTerms lists the faults of transport and of the model.
func transportTerms() []harness.Term {
	return collect.Map(fault.All(), func(f fault.Fault) harness.Term { return harness.Term{Name: f.Name, Text: f.Text} })
}

func newAgentTable(e env) *cobra.Command {
	var f struct {
		Out screenOutput `embed:"" set:"forms=table,markdown"`
	}
	return command(e, &cobra.Command{
		Use:   "table FILE...",
		Short: "Show which causes occur in which version of agents: a column for each report",
		Args:  between(1, 1000),
		RunE: func(_ *cobra.Command, files []string) error {
			var v reports.AgentVersions
			for _, file := range files {
				r, err := mergeReports(e, []string{file})
				if err != nil {
					return err
				}
				if r.Agent == nil {
					return usagef("%s is no report of replanbench agent", inputName(file))
				}
				v.Names = append(v.Names, strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)))
				v.Runs = append(v.Runs, r.Agent)
			}
			return f.Out.show(e, v.Screen(), func(w io.Writer) error {
				t := v.Causes()
				if f.Out.Format == "markdown" {
					return table.Markdown(w, &t)
				}
				return table.Terminal(w, &t, style.Palette(f.Out.colour(e)), e.columns())
			})
		},
	}, &f)
}
