package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
	"replanbench/harness/engine/reference"
	"replanbench/harness/history"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// scoreFlags say how replies are scored.
type scoreFlags struct {
	By          []string `list:"${keys}" default:"${by}" arg:"KEYS" help:"group by these KEYS, such as model,prompt,temperature,mode (see replanbench list keys)"`
	Where       []string `sep:"none" list:"${keys}" arg:"KEY=VALUE" help:"score only replies with this KEY=VALUE; may be given several times"`
	profileFlag `set:"judge=score under"`
	Ladder      string   `rare:"" arg:"RUNGS" help:"the fallback ladder, RUNGS such as patch,retry,react (default that of the profile)"`
	Tokenizer   string   `default:"o200k_base" list:"${tokenizers}" arg:"NAME" help:"the tokenizer that counts: a NAME of replanbench list tokenizers, or none"`
	Budget      []int    `arg:"TOKENS" help:"budget in TOKENS of prompt and reply together (default no limit)"`
	Policy      []string `sep:"none" list:"${trimming}" arg:"PIPELINE" help:"also measure recorded prompts, trimmed to --budget by this PIPELINE; may be given several times (see replanbench list trimming)"`
	TagRules    []string `name:"tag" sep:"none" rare:"" arg:"TAG=REGEXP" help:"tag untagged messages of prompts that match: TAG=REGEXP; may be given several times"`
	Prices      string   `arg:"FILE" help:"a price table, a JSON FILE: {\"currency\":\"USD\",\"models\":{\"NAME\":{\"prompt\":0.15,\"reply\":0.60}}}, per million tokens"`
	workersFlag `set:"work=batches of replies"`
}

const noTokenizer = "none"

// options turns the flags into what the scoring package takes.
func (f *scoreFlags) options(e env) (score.Options, error) {
	o := score.Options{By: f.By, Workers: f.Workers}
	var err error
	if o.Profile, err = f.rules(); err != nil {
		return o, err
	}
	for _, w := range f.Where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return o, usagef("--where %s: write KEY=VALUE", w)
		}
		if o.Where == nil {
			o.Where = map[string]string{}
		}
		o.Where[key] = value
	}
	for _, key := range append(slices.Clip(f.By), slices.Sorted(maps.Keys(o.Where))...) {
		if err := score.CheckKey(key); err != nil {
			return o, usageError(err)
		}
	}
	if f.Tokenizer != noTokenizer {
		if o.Counter, err = tokens.New(f.Tokenizer); err != nil {
			return o, usagef("--tokenizer: %w", err)
		}
	}
	if err := f.prompts(&o); err != nil {
		return o, err
	}
	if f.Prices == "" {
		return o, nil
	}
	data, err := readInput(e, f.Prices)
	if err != nil {
		return o, err
	}
	if o.Prices, err = score.ParsePrices(data); err != nil {
		return o, usagef("%s: %w", f.Prices, err)
	}
	return o, nil
}

// prompts says how recorded prompts are measured.
func (f *scoreFlags) prompts(o *score.Options) error {
	for _, b := range f.Budget {
		if b < 0 || b > history.MaxTokens {
			return usagef("--budget %d: the budget is 1 to %d tokens", b, history.MaxTokens)
		}
	}
	if len(f.Budget) > 1 {
		return usagef("--budget: give one budget (live --send-trimmed takes several)")
	}
	for _, b := range f.Budget {
		o.Budget = b
	}
	if f.Policy != nil && o.Budget == 0 {
		return usagef("--policy: give --budget, the number of tokens to trim to")
	}
	if f.Policy != nil && f.Tokenizer == noTokenizer {
		return usagef("--policy: trimming needs a --tokenizer other than none")
	}
	var err error
	o.Trim = all.Trimmer().Trim
	if o.Policies, err = parsePolicies(f.Policy); err != nil {
		return err
	}
	o.Tags, err = parseTags(f.TagRules)
	return err
}

func parseTags(rules []string) ([]history.TagRule, error) {
	var list []history.TagRule
	for _, s := range rules {
		r, err := history.ParseTagRule(s)
		if err != nil {
			return nil, usagef("--tag: %w", err)
		}
		list = append(list, r)
	}
	return list, nil
}

func (f *scoreFlags) rules() (harness.Profile, error) {
	p := harness.Reference()
	set, err := (&byname.Engine{Profile: f.Profile}).Settings()
	if err != nil {
		return p, err
	}
	if set != nil {
		p = *set
	}
	if f.Ladder != "" {
		if err := p.Set("ladder", f.Ladder); err != nil {
			return p, usagef("--ladder: %w", err)
		}
	}
	return p, nil
}

// gateFlags are the conditions that scores must meet.
type gateFlags struct {
	Require      []string `sep:"none" list:"${metrics}" key:"thresholds" arg:"THRESHOLD" help:"a THRESHOLD that the scores must meet, such as \"parse_rate >= 0.95\", \"apply_rate.low >= 0.7 where model=NAME\"; may be given several times"`
	Baseline     string   `rare:"" key:"baseline" arg:"REPORT" help:"a REPORT of an earlier score (--format json): fail if a metric is worse, or if a group or case is missing or new"`
	AllowMissing bool     `rare:"" key:"allow_missing" help:"with --baseline: accept groups and cases that only one of the two scores has"`
}

// repeatFlag says how many samples of a case must pass.
type repeatFlag struct {
	Repeat string `rare:"" arg:"K of N" help:"with several samples per case: the case passes if K of N samples pass, such as \"2 of 3\""`
}

// repeat returns the rule of --repeat.
func (f *repeatFlag) repeat() (r score.Repeat, err error) {
	if f.Repeat == "" {
		return r, nil
	}
	if r, err = score.ParseRepeat(f.Repeat); err != nil {
		return r, usagef("--repeat: %w", err)
	}
	return r, nil
}

func (f *gateFlags) gate(e env, repeat repeatFlag) (score.Gate, error) {
	var g score.Gate
	for _, s := range f.Require {
		t, err := score.ParseThreshold(s)
		if err != nil {
			return g, usagef("--require: %w", err)
		}
		g.Thresholds = append(g.Thresholds, t)
	}
	var err error
	if g.Repeat, err = repeat.repeat(); err != nil {
		return g, err
	}
	if f.Baseline != "" {
		g.Baseline, err = readScore(e, f.Baseline)
	}
	g.AllowMissing = f.AllowMissing
	return g, err
}

// readScore reads the scores that a report holds.
func readScore(e env, name string) (*score.Result, error) {
	data, err := readUpTo(e, name, maxReport)
	if err != nil {
		return nil, err
	}
	r, err := reports.Decode(data)
	if err != nil {
		return nil, usagef("%s: %w", name, err)
	}
	if r.Score == nil {
		return nil, usagef("%s: the report holds no scores (it must be one of replanbench score --format json)", name)
	}
	return &r.Score.Result, nil
}

func newScore(e env) *cobra.Command {
	var f scoreCommand
	cmd := &cobra.Command{
		Use:   "score [CORPUS...]",
		Short: "Score recorded replies: parse rate, fallback rate, tokens",
		Long: `Score recorded replies by group: how many could be read and applied, where the
fallback ladder ended, why replies were rejected, and how many tokens they took. The
95 % intervals account for several replies to one case.

A corpus is JSON Lines, also .gz or .zst. "builtin" is the built-in corpus and the
default; "-" is standard input. Import recordings of other tools first (replanbench
corpus import). Standard input and pipes are copied to TMPDIR, because a corpus is
read twice; it is never completely in memory.

Exit code 1 if a --require is not met, or if a metric, group or case is worse than in
the --baseline, missing or new.`,
		Example: `  replanbench score
  replanbench score replies.jsonl --by model,prompt --budget 8192
  replanbench score replies.jsonl --by model,mode --columns benchmark --format latex
  replanbench score replies.jsonl --ablate
  replanbench score --budget 400 --policy pinned --tag 'plan=PLAN max='
  replanbench score replies.jsonl --require "parse_rate.low >= 0.9" --baseline last.json
  replanbench score --id test-009/l/t0.7/free
  aws s3 cp s3://BUCKET/replies.jsonl.zst - | replanbench score - --shard 3/8 --format json >shard-3.json`,
		Args: anyArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			streamingHeap().use(e)
			return f.run(cmd.Context(), e, args)
		},
	}
	return command(e, cmd, &f)
}

// scoreCommand are the flags of score.
type scoreCommand struct {
	recorded
	scoreFlags `set:"by=model,mode"`
	gateFlags
	repeatFlag
	shardFlag `set:"parts=cases, each with all its replies"`
	Ablate    bool         `whole:"" rare:"" help:"also try each rule of reading and applying alone, and all together"`
	ID        string       `whole:"" help:"show the one reply with this ID, step by step" arg:"ID"`
	Replies   string       `writes:"" line:"no" rare:"" arg:"FILE" help:"also write the score of every request to this FILE: JSON Lines or, if it is called .parquet, a table with replies and parameters"`
	Columns   []string     `arg:"COLUMNS" help:"show one table with these COLUMNS, a row for each group, such as benchmark or parse,apply,tokens (see replanbench list columns)"`
	Out       reportOutput `embed:""`
}

func (f *scoreCommand) run(ctx context.Context, e env, args []string) error {
	todo := scoreOptions{
		replies: f.Replies, ablate: f.Ablate, command: escape.Shell(f.line(append([]string{"score"}, args...))...),
	}
	var err error
	if todo.Options, err = f.options(e); err != nil {
		return err
	}
	todo.Shard = f.Shard
	if todo.columns, err = score.ParseColumns(f.Columns); err != nil {
		return usagef("--columns: %w", err)
	}
	if todo.conditions, err = f.gate(e, f.repeatFlag); err != nil {
		return err
	}
	sources, done, err := corpora.Open(args, e.stdin)
	if err != nil {
		return err
	}
	defer done()
	if f.ID != "" {
		return scoreOne(e, f.Out, sources, f.ID, todo.Profile)
	}
	return scoreAll(ctx, e, f.Out, sources, todo)
}

// scoreOptions say how corpora are scored, and what becomes of the scores.
type scoreOptions struct {
	score.Options
	conditions score.Gate
	columns    []string // of the one table that is shown; nil: all tables are shown
	replies    string   // the file of every score; "" is none
	ablate     bool     // also try each rule alone
	command    string   // the recorded command line
}

func scoreAll(ctx context.Context, e env, out reportOutput, sources []corpora.Source, o scoreOptions) error {
	g, err := ofReference(ctx, e, o.command)
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(o.Shard)
	section, err := scoreSection(ctx, sources, o)
	if section == nil {
		return err
	}
	if o.ablate && err == nil {
		section.Ablations, err = score.Ablate(ctx, sources, o.Options)
	}
	g.Report.AddScore(*section, "replanbench "+g.Report.Command)
	return errors.Join(err, finish(e, g, out))
}

// scoreCorpora scores corpora as a part of the gate.
func scoreCorpora(ctx context.Context, e env, g *gate.Gate, names []string, o scoreOptions) error {
	sources, done, err := corpora.Open(names, e.stdin)
	if err != nil {
		return err
	}
	defer done()
	section, err := scoreSection(ctx, sources, o)
	if section != nil {
		g.Report.AddScore(*section, escape.Shell(append([]string{"replanbench", "score"}, names...)...))
	}
	return err
}

// scoreSection scores the corpora and holds the result against a gate.
func scoreSection(ctx context.Context, sources []corpora.Source, o scoreOptions) (*reports.Score, error) {
	result, err := writingReplies(o.replies, o.Options, func(o score.Options) (*score.Result, error) {
		return score.Run(ctx, sources, o)
	})
	if coded := (*exitError)(nil); result == nil && errors.As(err, &coded) {
		return nil, err
	} else if result == nil {
		return nil, usageError(err)
	}
	if result.Records == 0 && err == nil && result.Part == nil {
		return nil, usagef("no reply could be scored: %s", nothing(result))
	}
	section := &reports.Score{Result: *result, Columns: o.columns}
	if err != nil {
		return section, err
	}
	if result.Part != nil { // all shards together are judged
		if o.Shard.First() { // once is enough
			section.Gate = &o.conditions
		}
		return section, nil
	}
	if section.Breaches, err = o.conditions.Check(result); err != nil {
		return nil, usageError(err)
	}
	return section, nil
}

// existing lists the values that replies have for some keys.
func existing(values map[string][]string) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if names := slices.DeleteFunc(values[key], func(v string) bool { return v == "" }); len(names) > 0 {
			list = append(list, "they have "+key+" "+strings.Join(names, ", "))
		} else {
			list = append(list, "none has "+key)
		}
	}
	return strings.Join(list, "; ")
}

// nothing says why there was nothing to score.
func nothing(r *score.Result) string {
	switch {
	case len(r.Problems) > 0:
		what := fmt.Sprintf("%d bad lines, the first: %s", r.Bad, r.Problems[0])
		if r.Bad == 1 {
			what = "1 bad line: " + r.Problems[0]
		}
		if strings.HasSuffix(what, ")") {
			return what // with a way out of its own
		}
		return what + " (a corpus is JSON Lines, see replanbench schema record; replanbench corpus import reads other " +
			"recordings)"
	case r.Left > 0:
		return fmt.Sprintf("--where leaves out all %d (%s)", r.Left, existing(r.LeftValues))
	case r.Failed > 0:
		return fmt.Sprintf("none of its %d requests got one", r.Failed)
	}
	return "the corpus holds none"
}

// writingReplies runs a scoring that also writes every score to a file. It goes on
// where that fails.
func writingReplies(name string, o score.Options,
	run func(score.Options) (*score.Result, error),
) (result *score.Result, err error) {
	if name == "" {
		return run(o)
	}
	return result, errors.Join(files.Write(name, func(w io.Writer) error {
		put, end := scoreLines(w)
		if strings.HasSuffix(name, ".parquet") {
			table := reports.NewReplies(w)
			put, end = table.Write, table.Close
		}
		var lost error
		o.Each = func(s score.Score, r *corpora.Record) error {
			if lost == nil {
				lost = put(s, r)
			}
			return nil
		}
		result, err = run(o)
		return cmp.Or(err, lost, end())
	}))
}

// scoreLines writes scores as JSON Lines.
func scoreLines(w io.Writer) (put func(score.Score, *corpora.Record) error, end func() error) {
	put = func(s score.Score, _ *corpora.Record) error {
		err := json.MarshalWrite(w, s)
		if err == nil {
			_, err = io.WriteString(w, "\n")
		}
		return err
	}
	return put, func() error { return nil }
}

// scoreOne shows one reply with its recorded retries.
func scoreOne(e env, out reportOutput, sources []corpora.Source, id string, p harness.Profile) error {
	var found *corpora.Record
	var names []string
	var c harness.Case
	for _, s := range sources {
		for r, err := range s.Records() {
			switch {
			case err != nil:
				continue // score without --id reports it
			case r.Failure != nil:
				continue
			case r.ID == id:
				found = &r
				names = append([]string{r.ID}, names...)
				c.Replies = append([]harness.Reply{r.Reply}, c.Replies...)
			case r.RetryOf == id:
				names, c.Replies = append(names, r.ID), append(c.Replies, r.Reply)
			}
		}
	}
	if found == nil {
		return usagef("unknown reply id %q (replanbench score --replies FILE lists them)", id)
	}
	if found.Plan == nil {
		return usagef("the corpus has no plan for the reply %q, so it cannot be applied", id)
	}
	c.Dialect, c.Plan, c.Limits = found.Dialect, found.Plan, found.Limits
	o, err := reference.Judge(c, p)
	if err != nil {
		return usageError(err)
	}
	subject := explain.Subject{Case: c, Profile: p, Outcome: o, PlanName: "plan", ReplyNames: names}
	return out.write(e, func(w io.Writer) error { return writeSubject(w, out.output, e, subject) })
}
