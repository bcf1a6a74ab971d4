package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/cmd/replanbench/option"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/score/choice"
	"replanbench/harness/score/tokens"
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
	Cases       int      `default:"1000" range:"1," line:"yes" help:"number of histories to generate"`
	Kinds       []string `list:"${histories}" arg:"KINDS" help:"generate only these KINDS of histories (see replanbench list histories)"`
	Policy      []string `sep:"none" list:"${trimming}" arg:"PIPELINE" help:"a PIPELINE of policies, such as 'clamp|emergency'; may be given several times (see replanbench list trimming)"`
	Case        int      `default:"-1" shown:"all" whole:"" arg:"N" help:"show only history number N, counted from 0"`
	Sweep       bool     `help:"try budgets from 150 % to 10 % of each history, to show where each policy breaks"`
	Explain     bool     `line:"no" help:"show the trimming of a single history message by message"`
	Time        bool     `whole:"" line:"no" help:"measure the time of each policy (on one core)"`
	shardFlag   `line:"no" set:"parts=histories"`
	choice.Work `set:"work=histories|many="`
	engineFlags
	Out reportOutput `embed:""`
}

func newTrim(e env) *cobra.Command {
	var f trimFlags
	return command(e, &cobra.Command{
		Use:   "trim [flags] [-- COMMAND]",
		Short: "Simulate trimming: what each policy keeps, over many histories",
		RunE:  alone(e, &f.Command, "--history FILE reads histories; "+commandAfter, f.run),
	}, &f)
}

func (f *trimFlags) run(ctx context.Context, e env) error {
	if len(f.History) == 0 { // those of files stay in memory, which a limit would make the collector search all the time
		campaignHeap().use(e)
	}
	t, err := f.trimming(e)
	if err != nil {
		return err
	}
	g, err := newGate(ctx, e, escape.Shell(f.words([]string{"trim"})...), f.engineFlags, f.Out)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.Shard)
	if _, ok := g.Hello.Dialects[t.Dialect]; !ok && !f.IsReference() {
		return usagef("the engine %s does not declare the dialect %s", g.Hello.Name, t.Dialect)
	}
	return errors.Join(g.Trim(ctx, t), finish(e, g, f.Out))
}

// trimming reads the policies and the histories.
func (f *trimFlags) trimming(e env) (t gate.Trimming, err error) {
	t = gate.Trimming{
		Own: f.History != nil, Limit: cmp.Or(f.MaxTokens, simulate.IncidentMaxTokens), Case: f.Case, Sweep: f.Sweep,
		Explain: f.Explain, Time: f.Time, Seed: f.Seed, Workers: f.Workers, Reproduce: f.reproduce,
	}
	t.Dialect = all.Trimmer().Name
	if t.Tokenizer, err = tokens.New(f.Tokenizer); err != nil {
		return t, usageError(err)
	}
	if t.Policies, err = f.pipelines(); err != nil {
		return t, err
	}
	if t.Source, err = f.source(e, t.Tokenizer, t.Limit); err != nil {
		return t, err
	}
	if f.Case >= t.N {
		return t, usagef("--case %d: there are %d histories, counted from 0", f.Case, t.N)
	}
	return t, nil
}

// check rejects flags that make no sense.
func (f *trimFlags) check() error {
	switch {
	case f.MaxTokens < 0 || f.MaxTokens > history.MaxTokens:
		return usagef("--max-tokens %d: the budget is 1 to %d tokens", f.MaxTokens, history.MaxTokens)
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

func (f *trimFlags) source(e env, tok tokens.Tokenizer, limit int) (simulate.Source, error) {
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
	src := simulate.Recorded(files, tags, tok, limit)
	if src.N == 0 {
		return src, usagef("%s", strings.Join(src.Unread[:min(3, len(src.Unread))], "; "))
	}
	return src, nil
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

// trimPart simulates trimming.
func trimPart(e env, c *config.Config) gate.Part {
	s := c.Suites.Trim
	run := func(ctx context.Context, g *gate.Gate) error {
		if !gate.Tests(c, trimDialect) {
			return nil
		}
		var f trimFlags
		f.keep(option.Of(&f, values))
		f.History, f.Policy, f.Tokenizer, f.MaxTokens = s.History, s.Policies, c.Budget.Tokenizer, s.MaxTokens
		f.Seed, f.Cases, f.Workers, f.Shard = s.Seed, s.Cases, c.Workers, g.Shard
		if len(f.Policy) == 0 {
			f.Policy = []string{"window", "emergency", "clamp|emergency", "priority", "pinned"}
		}
		f.engineFlags = engineFlags{g.Named}
		t, err := f.trimming(e)
		if err != nil {
			return err
		}
		return g.Trim(ctx, t)
	}
	return gate.Part{Name: "trim", Runs: s.Run, Run: run}
}
