package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"replanbench/cmd/replanbench/option"
	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/choice"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// trimDialect is the dialect whose cases are histories to trim.
const trimDialect = "trim"

// trimFlags say which histories are trimmed how.
type trimFlags struct {
	recorded
	Tokenizer   string   `enum:"${tokenizers}" line:"yes" help:"the tokenizer that counts"`
	MaxTokens   int      `help:"the budget in tokens (default 32768; random for generated histories)"`
	History     []string `sep:"none" arg:"FILE" help:"trim the histories of this FILE (- is standard input); may be given several times"`
	TagRules    []string `name:"tag" sep:"none" arg:"TAG=REGEXP" help:"tag untagged messages of --history that match: TAG=REGEXP; may be given several times"`
	seedFlag    `set:"seeded=generated histories"`
	Cases       int      `default:"1000" line:"yes" help:"number of histories to generate"`
	Kinds       []string `list:"${histories}" arg:"KINDS" help:"generate only these KINDS of histories (see replanbench list histories)"`
	Policy      []string `sep:"none" list:"${trimming}" arg:"PIPELINE" help:"a PIPELINE of policies, such as 'clamp|emergency'; may be given several times (see replanbench list trimming)"`
	Case        int      `default:"-1" whole:"" arg:"N" help:"show only history number N, counted from 0"`
	Sweep       bool     `help:"try budgets from 150 % to 10 % of each history, to show where each policy breaks"`
	Explain     bool     `line:"no" help:"show the trimming of a single history message by message"`
	Time        bool     `whole:"" line:"no" help:"measure the time of each policy (on one core)"`
	shardFlag   `set:"parts=histories"`
	choice.Work `set:"work=histories"`
	engineFlags
	Out reportOutput `embed:""`
}

func newTrim(e env) *cobra.Command {
	var f trimFlags
	cmd := &cobra.Command{
		Use:   "trim",
		Short: "Simulate trimming: what each policy keeps, over many histories",
		Long: `Trim chat histories to a token budget with every policy, and show what fits, what is
kept, and which tool calls lose their results. The histories are the documented
incident and generated ones, or your own (--history).

A history file holds a list of messages, an object with messages, or JSON Lines
of those or of recorded calls ({"request": {"messages": …}, …}); a .yaml file is
read as a cassette of recorded requests. Tag messages as system_prompt,
repo_map, replan_constraints or plan ("tag": "plan", or --tag 'plan=^# Plan')
to see whether they survive.

If your engine declares the dialect of this name, it gets the same histories with each policy,
and its answers are judged as in fuzz.

Exit code 1 if a policy or the engine breaks a claim of the policy.`,
		Example: `  replanbench trim
  replanbench trim --history session.json --max-tokens 32768 --policy pinned --explain
  replanbench trim --kinds tool_loop --policy 'window(3)' --policy 'window(4)' --policy pinned
  replanbench trim --policy 'section_caps|emergency|clamp(25)' --cases 100000 --tokenizer chars/4
  replanbench trim --policy pinned -- ./my-engine`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.alone(cmd, args, "--history FILE reads histories; "+commandAfter); err != nil {
				return err
			}
			return f.run(cmd.Context(), e)
		},
	}
	return command(e, cmd, &f)
}

func (f *trimFlags) run(ctx context.Context, e env) error {
	if len(f.History) == 0 { // those of files stay in memory, which a limit would make the collector search all the time
		campaignHeap().use(e)
	}
	s, err := f.simulation(e)
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, escape.Shell(f.words([]string{"trim"})...), f.engineFlags, f.Out.Quiet)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.Shard)
	if f.IsReference() {
		f.simulate(ctx, e, g, s)
		return errors.Join(ctx.Err(), finish(e, g, f.Out))
	}
	if _, ok := g.Hello.Dialects[all.Trimmer().Name]; !ok {
		return usagef("the engine %s does not declare the dialect %s", g.Hello.Name, all.Trimmer().Name)
	}
	return errors.Join(f.judge(ctx, g, s), finish(e, g, f.Out))
}

// part is the simulation as a part of the gate: of the engine under test
// where it trims, else of the policies themselves.
func (f *trimFlags) part(ctx context.Context, e env, g *gate.Gate) error {
	f.engineFlags = engineFlags{g.Named}
	s, err := f.simulation(e)
	if err != nil {
		return err
	}
	_, trims := g.Hello.Dialects[all.Trimmer().Name]
	if trims && !f.IsReference() {
		return f.judge(ctx, g, s)
	}
	f.simulate(ctx, e, g, s)
	return ctx.Err()
}

// simulation holds the histories to trim and the policies to trim them with.
type simulation struct {
	simulate.Cases
	tok tokens.Tokenizer
}

func (f *trimFlags) simulation(e env) (s simulation, err error) {
	s.Dialect = all.Trimmer().Name
	if s.tok, err = tokens.New(f.Tokenizer); err != nil {
		return s, usageError(err)
	}
	if s.Policies, err = f.pipelines(); err != nil {
		return s, err
	}
	if s.Source, err = f.source(e, s.tok); err != nil {
		return s, err
	}
	if f.Case >= s.N {
		return s, usagef("--case %d: there are %d histories, counted from 0", f.Case, s.N)
	}
	return s, nil
}

func (f *trimFlags) simulate(ctx context.Context, e env, g *gate.Gate, s simulation) {
	progress := newProgress(e, f.Out.Quiet)
	var asked atomic.Int64
	at, show := s.At, progress.counting("histories")
	s.At = func(i int) simulate.Sample {
		// a sweep asks for all of them again
		show(int((asked.Add(1)-1)%int64(max(1, f.Shard.Size(s.N))))+1, f.Shard.Size(s.N))
		return at(i)
	}
	g.Report.AddTrim(f.section(ctx, s), f.reproduce)
	progress.end()
}

// judge sends the histories to the engine under test, one policy after the
// other, and makes every check on its answers.
func (f *trimFlags) judge(ctx context.Context, g *gate.Gate, s simulation) error {
	if s.Unread != nil {
		g.Report.Trim = &reports.Trim{Tokenizer: f.Tokenizer, Unread: s.Unread}
	}
	c := campaign.Config{
		Dialect: s.Dialect, Sample: s.Sample, Source: s.Name, Generator: generators.Options{Traits: []string{}},
		Seed: f.Seed, Cases: uint64(s.N), Workers: f.Workers, Judging: judge.Options{Every: 1}, Shard: f.Shard,
	}
	if f.Case >= 0 {
		c.First, c.Cases = uint64(f.Case), 1
	}
	_, err := g.Campaign(ctx, c, func(x cause.Cause) string {
		return f.reproduce(s.Policy(x.First).String(),
			int(x.First))
	})
	return err
}

// check rejects flags that make no sense.
func (f *trimFlags) check() error {
	switch {
	case f.MaxTokens < 0 || f.MaxTokens > history.MaxTokens:
		return usagef("--max-tokens %d: the budget is 1 to %d tokens", f.MaxTokens, history.MaxTokens)
	case f.Cases < 1:
		return usagef("--cases %d: at least one history is needed", f.Cases)
	case f.History == nil && f.TagRules != nil:
		return usagef("--tag tags the messages of --history; generated ones have their tags")
	case f.History != nil && f.Kinds != nil:
		return usagef("give --kinds for generated histories, or --history for your own, not both")
	}
	kinds := harness.Names(histories.Kinds())
	for _, k := range f.Kinds {
		if !slices.Contains(kinds, k) {
			return usagef("--kinds: unknown kind %q%s (the kinds are %s)", k, harness.DidYouMean(k, kinds),
				strings.Join(kinds, ", "))
		}
	}
	return nil
}

// pipelines parses the policies, or names all built-in ones and a few
// pipelines of them.
func (f *trimFlags) pipelines() ([]history.Policy, error) {
	list := f.Policy
	if list == nil {
		list = []string{
			"none", "window", "window(3)", "window(5)", "section_caps", "emergency", "clamp", "clamp|emergency",
			"dedup", "priority", "pinned",
		}
	}
	return choice.Policies(list)
}

func (f *trimFlags) source(e env, tok tokens.Tokenizer) (simulate.Source, error) {
	if f.History == nil {
		o := histories.Options{Kinds: f.Kinds, MaxTokens: f.MaxTokens, Tokenizer: tok}
		return simulate.Generated(o, f.Seed, f.Cases), nil
	}
	tags, err := choice.Tags(f.TagRules)
	if err != nil {
		return simulate.Source{}, err
	}
	files := make([]simulate.File, len(f.History))
	for i, name := range f.History {
		data, err := readInput(e, name)
		if err != nil {
			return simulate.Source{}, err
		}
		files[i] = simulate.File{Name: name, Data: data}
	}
	src := simulate.Recorded(files, tags, tok, f.limit())
	if src.N == 0 {
		return src, usagef("%s", strings.Join(src.Unread[:min(3, len(src.Unread))], "; "))
	}
	return src, nil
}

// limit is the budget of histories that draw none: that of the documented
// incident if none was asked for.
func (f *trimFlags) limit() int { return cmp.Or(f.MaxTokens, simulate.IncidentMaxTokens) }

// section runs the simulation.
func (f *trimFlags) section(ctx context.Context, s simulation) *reports.Trim {
	t := &reports.Trim{Tokenizer: s.tok.Name(), Unread: s.Unread}
	single := func(name string, x simulate.Sample) {
		one := simulate.NewSingle(name, x, s.Policies, all.Trimmer().Trim)
		one.Explain = f.Explain
		t.Single = append(t.Single, one)
	}
	switch {
	case f.Case >= 0:
		single(fmt.Sprintf("History %d of %s", f.Case, s.Name), s.At(f.Case))
		return t
	case !f.Shard.First(): // the first shows them
	case f.History == nil:
		single("The documented incident, rebuilt", simulate.Sample{
			History:   history.Count(simulate.Incident(s.tok), s.tok),
			MaxTokens: f.limit(),
		})
		t.Single[0].Rebuilt = true
	case s.N == 1:
		single(s.Name, s.At(0))
	}
	if s.N > 1 || f.History == nil || f.Sweep {
		o := simulate.Options{Trim: all.Trimmer().Trim, Shard: f.Shard, Workers: cmp.Or(f.Workers, runtime.GOMAXPROCS(0))}
		if f.Time {
			o.Clock = time.Now
		}
		t.Many = simulate.NewMany(ctx, s.Policies, s.Source, o, f.Sweep)
	}
	return t
}

// reproduce is the command line that shows one history under one policy.
func (f *trimFlags) reproduce(policy string, i int) string {
	args := f.words([]string{"replanbench", "trim"}, "policy", "case", "sweep")
	args = append(args, "--policy", policy, "--case", fmt.Sprint(i), "--explain")
	return escape.Shell(append(args, f.Args()...)...)
}

// words are the arguments that decide the result. The seed is for generated histories.
func (f *trimFlags) words(begin []string, without ...string) []string {
	if f.History != nil {
		without = append(without, "seed", "cases")
	}
	return f.line(begin, without...)
}

// sensibleTrim returns the errors of the trimming suite.
func sensibleTrim(c *config.Config) (errs []error) {
	for i, text := range c.Suites.Trim.Policies {
		if _, err := history.ParsePolicy(text); err != nil {
			errs = append(errs, c.Errorf(fmt.Sprintf("suites.trim.policies[%d]", i), "%w", err))
		}
	}
	return errs
}

// trimPart simulates trimming.
func trimPart(e env, c *config.Config, quiet bool) gate.Part {
	s := c.Suites.Trim
	run := func(ctx context.Context, g *gate.Gate) error {
		if !gate.Tests(c, trimDialect) {
			return nil
		}
		var f trimFlags
		f.keep(option.Of(&f, values))
		f.History, f.Policy, f.Tokenizer, f.MaxTokens = s.History, s.Policies, c.Budget.Tokenizer, s.MaxTokens
		f.Seed, f.Cases, f.Workers, f.Shard, f.Out.Quiet = s.Seed, s.Cases, c.Workers, g.Shard, quiet
		if len(f.Policy) == 0 {
			f.Policy = []string{"window", "emergency", "clamp|emergency", "priority", "pinned"}
		}
		return f.part(ctx, e, g)
	}
	return gate.Part{Name: "trim", Runs: s.Run, Run: run}
}
