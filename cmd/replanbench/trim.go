package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/harness/budget/recorded"
	trim "replanbench/harness/dialect/trim/generate"
	"replanbench/reports"
	"replanbench/reports/escape"
)

// trimFlags say which histories are trimmed how.
type trimFlags struct {
	history   []string
	policies  []string
	tags      []string
	kinds     []string
	tokenizer string
	maxTokens int
	seed      uint64
	cases     int
	pick      int
	explain   bool
	sweep     bool
	time      bool
	quiet     bool
	workers   int
	engine    engineFlags
}

func newTrim(e env) *cobra.Command {
	var out output
	var f trimFlags
	cmd := &cobra.Command{
		Use:   "trim",
		Short: "Simulate trimming: which policy keeps what, over many histories",
		Long: `Trim chat histories to a token budget by every policy, and show what fits, what
survives and what is torn apart: of the documented incident and of generated
histories, or of your own (--history).

A history file holds a list of messages, an object with messages, or JSON Lines
of those or of recorded calls ({"request": {"messages": …}, …}); a .yaml file is
read as a cassette of recorded requests. Tag messages as system_prompt,
repo_map, replan_constraints or plan ("tag": "plan", or --tag 'plan=^# Plan')
to see whether they survive.

With an engine of your own that declares the dialect trim, generated histories
go to it, one policy after the other, and its answers are judged by what the
policy claims.

Exit code 1 if a policy does not do what it claims.`,
		Example: `  replanbench trim
  replanbench trim --history session.json --max-tokens 32768 --policy pinned --explain
  replanbench trim --kinds tool_loop --policy 'window(3)' --policy 'window(4)' --policy pinned
  replanbench trim --policy 'section_caps|emergency|clamp(25)' --cases 100000 --tokenizer chars/4
  replanbench trim --policy pinned -- ./my-engine`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if rest := f.engine.split(cmd, args); len(rest) > 0 {
				return usagef("unexpected argument %q (--history FILE reads histories)", rest[0])
			}
			return f.run(cmd.Context(), e, out)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.history, "history", nil, "trim the histories of this `FILE` (- is standard input; may stand several times)")
	flags.StringArrayVar(&f.policies, "policy", nil, "a `PIPELINE` of policies, such as 'clamp|emergency' (may stand several times; see replanbench list trimming)")
	flags.StringArrayVar(&f.tags, "tag", nil, "tag the untagged messages of --history that match: `TAG=REGEXP`; may stand several times")
	flags.StringSliceVar(&f.kinds, "kinds", nil, "generate only these `KINDS` of histories (see replanbench list histories)")
	addChoice(cmd, &f.tokenizer, "tokenizer", "who counts", harness.Names(budget.Tokenizers())...)
	flags.IntVar(&f.maxTokens, "max-tokens", 0, "the budget in tokens (default 32768; generated histories draw theirs)")
	flags.Uint64Var(&f.seed, "seed", 1, "the seed of the generated histories")
	flags.IntVar(&f.cases, "cases", 1000, "how many histories to generate")
	flags.IntVar(&f.pick, "case", -1, "show history number `N` alone, counted from 0")
	flags.BoolVar(&f.explain, "explain", false, "show message by message what became of a single history")
	flags.BoolVar(&f.sweep, "sweep", false, "try budgets from 150 % to 10 % of each history, to see where each policy breaks")
	flags.BoolVar(&f.time, "time", false, "measure the time that each policy takes (on one core)")
	addCount(cmd, &f.workers, "workers", runtime.GOMAXPROCS(0), 1, maxWorkers, "how many histories may be under way at once")
	addQuiet(cmd, &f.quiet)
	f.engine.add(cmd)
	out.add(cmd, reports.Formats()...)
	return cmd
}

// defaultMaxTokens is the budget of the documented incident.
const defaultMaxTokens = budget.IncidentMaxTokens

// source is where the histories come from.
type source struct {
	name   string
	n      int
	sample func(i int) budget.Sample
	unread []string
}

func (f *trimFlags) run(ctx context.Context, e env, out output) error {
	if err := f.check(); err != nil {
		return err
	}
	s, err := f.simulation(e)
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, f.command(), f.engine)
	if err != nil {
		return err
	}
	defer g.engine.Close()
	g.quiet = f.quiet
	if f.engine.isReference() {
		f.simulate(ctx, g, s)
		return errors.Join(ctx.Err(), g.finish(out))
	}
	err = f.examine(ctx, g, s)
	if g.report.Trim == nil {
		return err
	}
	return errors.Join(err, g.finish(out))
}

// trimming is the simulation as a part of the gate: of the engine under test
// where it trims, else of the policies themselves.
func (g *gate) trimming(ctx context.Context, f trimFlags) error {
	f.engine = g.flags
	s, err := f.simulation(g.env)
	if err != nil {
		return err
	}
	_, trims := g.hello.Dialects["trim"]
	if trims && !f.engine.isReference() {
		return f.examine(ctx, g, s)
	}
	f.simulate(ctx, g, s)
	return ctx.Err()
}

// simulation is what is to be trimmed, and how.
type simulation struct {
	source
	tok      budget.Tokenizer
	policies []budget.Policy
}

func (f *trimFlags) simulation(e env) (simulation, error) {
	tok, err := budget.NewTokenizer(f.tokenizer)
	if err != nil {
		return simulation{}, usageError(err)
	}
	policies, err := f.pipelines()
	if err != nil {
		return simulation{}, err
	}
	src, err := f.source(e, tok)
	if err != nil {
		return simulation{}, err
	}
	if f.pick >= src.n {
		return simulation{}, usagef("--case %d: there are %d histories, counted from 0", f.pick, src.n)
	}
	return simulation{src, tok, policies}, nil
}

func (f *trimFlags) simulate(ctx context.Context, g *gate, s simulation) {
	progress := newProgress(g.env, g.quiet)
	g.report.AddTrim(f.section(ctx, s.counting(progress), s.tok, s.policies), f.reproduce)
	progress.end()
}

// counting shows how many histories were asked for.
func (s source) counting(p *progress) source {
	var asked atomic.Int64
	sample, show := s.sample, p.counting("histories")
	s.sample = func(i int) budget.Sample {
		show(int((asked.Add(1)-1)%int64(s.n))+1, s.n) // a sweep asks for all of them again
		return sample(i)
	}
	return s
}

// examine sends the histories to the engine under test, one policy after the
// other.
func (f *trimFlags) examine(ctx context.Context, g *gate, src simulation) error {
	if _, ok := g.hello.Dialects["trim"]; !ok {
		return usagef("the engine %s does not declare the dialect %s", g.hello.Name, "trim")
	}
	t := &reports.Trim{Tokenizer: f.tokenizer, Unread: src.unread, Engine: reports.NewTrimEngine()}
	progress := newProgress(g.env, g.quiet)
	src.source = src.counting(progress)
	defer progress.end()
	var err error
	failed, otherwise := 0, 0
	first, end := 0, src.n
	if f.pick >= 0 {
		first, end = f.pick, f.pick+1
	}
	for i := first; i < end; i++ {
		p, s := src.policies[i%len(src.policies)], src.sample(i)
		h := trim.History{Messages: s.History.Messages, MaxTokens: s.MaxTokens}
		var x budget.Examination
		if x, err = budget.Examine(ctx, g.engine, h.TrimCase(f.tokenizer, p)); err != nil {
			break
		}
		t.Engine.Add(i, p.String(), x)
		switch {
		case len(x.Breaks) == 1 && x.Breaks[0].Check == budget.CheckReference:
			otherwise++
		case len(x.Breaks) > 0:
			failed++
		}
	}
	g.report.AddTrimEngine(t, failed, otherwise, f.reproduce)
	g.report.Summary.AddMany(harness.NotRun, end-first-t.Engine.Cases)
	return err
}

func (f *trimFlags) check() error {
	switch {
	case f.maxTokens < 0 || f.maxTokens > budget.MaxTokens:
		return usagef("--max-tokens %d: the budget is 1 to %d tokens", f.maxTokens, budget.MaxTokens)
	case f.cases < 1:
		return usagef("--cases %d: at least one history is needed", f.cases)
	case f.history == nil && f.tags != nil:
		return usagef("--tag tags the messages of --history; generated ones have their tags")
	case f.history != nil && f.kinds != nil:
		return usagef("--kinds says what to generate, and --history what to read instead; give one of them")
	}
	kinds := harness.Names(trim.HistoryKinds())
	for _, k := range f.kinds {
		if !slices.Contains(kinds, k) {
			return usagef("--kinds: unknown kind %q%s (the kinds are %s)", k, didYouMean(k, kinds), strings.Join(kinds, ", "))
		}
	}
	return nil
}

// pipelines parses the policies, or names all built-in ones and a few
// pipelines of them.
func (f *trimFlags) pipelines() ([]budget.Policy, error) {
	list := f.policies
	if list == nil {
		list = []string{"none", "window", "window(3)", "window(5)", "section_caps", "emergency", "clamp", "clamp|emergency", "priority", "pinned"}
	}
	return parsePolicies(list)
}

func parsePolicies(list []string) ([]budget.Policy, error) {
	var policies []budget.Policy
	for _, text := range list {
		p, err := budget.ParsePolicy(text)
		if err != nil {
			return nil, usagef("--policy %q: %w", text, err)
		}
		policies = append(policies, p)
	}
	return policies, nil
}

func (f *trimFlags) source(e env, tok budget.Tokenizer) (source, error) {
	if f.history != nil {
		return f.recorded(e, tok)
	}
	o := trim.HistoryOptions{Kinds: f.kinds, MaxTokens: f.maxTokens, Tokenizer: tok}
	name := fmt.Sprintf("generated histories, seed %d", f.seed)
	if f.kinds != nil {
		name += ", " + strings.Join(f.kinds, ", ")
	}
	return source{name: name, n: f.cases, sample: func(i int) budget.Sample {
		h := trim.HistoryAt(o, f.seed, uint64(i))
		return budget.Sample{History: budget.Count(h.Messages, tok), MaxTokens: h.MaxTokens}
	}}, nil
}

// recorded reads the files of --history.
func (f *trimFlags) recorded(e env, tok budget.Tokenizer) (source, error) {
	limit := f.maxTokens
	if limit == 0 {
		limit = defaultMaxTokens
	}
	tags, err := parseTags(f.tags)
	if err != nil {
		return source{}, err
	}
	src := source{name: strings.Join(f.history, ", ")}
	var counted []*budget.Counted
	for _, file := range f.history {
		data, err := readInput(e, file)
		if err != nil {
			return source{}, err
		}
		list, problems := recorded.Read(file, data)
		for _, p := range problems {
			src.unread = append(src.unread, fmt.Sprintf("%s: %v", file, p))
		}
		for _, h := range list {
			budget.ApplyTags(h.Messages, tags)
			counted = append(counted, budget.Count(h.Messages, tok))
		}
	}
	if len(counted) == 0 {
		return source{}, usagef("%s", strings.Join(src.unread[:min(3, len(src.unread))], "; "))
	}
	src.n = len(counted)
	src.sample = func(i int) budget.Sample { return budget.Sample{History: counted[i], MaxTokens: limit} }
	return src, nil
}

// section runs the simulation.
func (f *trimFlags) section(ctx context.Context, src source, tok budget.Tokenizer, policies []budget.Policy) *reports.Trim {
	t := &reports.Trim{Tokenizer: tok.Name(), Unread: src.unread}
	single := func(name string, s budget.Sample) {
		one := reports.NewTrimSingle(name, s.History, s.MaxTokens, policies)
		one.Explain = f.explain
		t.Single = append(t.Single, one)
	}
	switch {
	case f.pick >= 0:
		single(fmt.Sprintf("History %d of %s", f.pick, src.name), src.sample(f.pick))
		return t
	case f.history == nil:
		limit := f.maxTokens
		if limit == 0 {
			limit = defaultMaxTokens
		}
		single("The documented incident", budget.Sample{History: budget.Count(budget.Incident(tok), tok), MaxTokens: limit})
	case src.n == 1:
		single(src.name, src.sample(0))
	}
	if src.n > 1 || f.history == nil || f.sweep {
		t.Many = f.many(ctx, src, policies)
	}
	return t
}

// sweepPercents are the budgets of a sweep.
func sweepPercents() []int { return []int{150, 100, 75, 50, 25, 10} }

func (f *trimFlags) many(ctx context.Context, src source, policies []budget.Policy) *reports.TrimMany {
	o := budget.Options{Workers: f.workers}
	if f.time {
		o = budget.Options{Workers: 1, Clock: time.Now}
	}
	m := &reports.TrimMany{Name: src.name, N: src.n, Tallies: budget.Simulate(ctx, policies, src.n, src.sample, o)}
	if f.time {
		for i := range m.Tallies {
			m.Seconds = append(m.Seconds, m.Tallies[i].Time.Seconds())
		}
	}
	if !f.sweep {
		return m
	}
	for _, percent := range sweepPercents() {
		tallies := budget.Simulate(ctx, policies, src.n, func(i int) budget.Sample {
			s := src.sample(i)
			s.MaxTokens = max(1, s.History.Total*percent/100)
			return s
		}, budget.Options{Workers: f.workers})
		m.Sweep = append(m.Sweep, reports.TrimBudget{Percent: percent, Tallies: tallies})
	}
	return m
}

// command is the command line that was run, as far as it decides the result.
func (f *trimFlags) command() string {
	args := f.common()
	for _, p := range f.policies {
		args = append(args, "--policy", p)
	}
	if f.pick >= 0 {
		args = append(args, "--case", fmt.Sprint(f.pick))
	}
	if f.sweep {
		args = append(args, "--sweep")
	}
	return escape.Shell(args...)
}

// reproduce is the command line that shows one history under one policy.
func (f *trimFlags) reproduce(policy string, i int) string {
	args := append([]string{"replanbench"}, f.common()...)
	args = append(args, "--policy", policy, "--case", fmt.Sprint(i), "--explain")
	return escape.Shell(append(args, f.engine.again()...)...)
}

func (f *trimFlags) common() []string {
	args := []string{"trim", "--tokenizer", f.tokenizer}
	if f.maxTokens > 0 {
		args = append(args, "--max-tokens", fmt.Sprint(f.maxTokens))
	}
	for _, h := range f.history {
		args = append(args, "--history", h)
	}
	for _, t := range f.tags {
		args = append(args, "--tag", t)
	}
	if f.history == nil {
		args = append(args, "--seed", fmt.Sprint(f.seed), "--cases", fmt.Sprint(f.cases))
	}
	if f.kinds != nil {
		args = append(args, "--kinds", strings.Join(f.kinds, ","))
	}
	return args
}
