package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
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
	"replanbench/harness/hunt/shard"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// scoreFlags say how replies are scored.
type scoreFlags struct {
	by        []string
	where     []string
	profile   []string
	ladder    string
	tokenizer string
	budgets   []int
	policies  []string
	tags      []string
	prices    string
	workers   int
}

const noTokenizer = "none"

func (f *scoreFlags) add(cmd *cobra.Command, by ...string) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.by, "by", by, "group by these `KEYS`, such as model,prompt,temperature,mode (see "+
		"replanbench list keys)")
	flags.StringArrayVar(&f.where, "where", nil, "score only replies with this `KEY=VALUE`; may be given several times")
	addProfile(cmd, &f.profile, "score under")
	flags.StringVar(&f.ladder, "ladder", "",
		"the fallback ladder, `RUNGS` such as patch,retry,react (default that of the profile)")
	flags.StringVar(&f.tokenizer, "tokenizer", tokens.O200kBase,
		"the tokenizer that counts: a `NAME` of replanbench list tokenizers, or none")
	flags.IntSliceVar(&f.budgets, "budget", nil, "budget in `TOKENS` of prompt and reply together (default no limit)")
	flags.StringArrayVar(&f.policies, "policy", nil,
		"also measure recorded prompts, trimmed to --budget by this `PIPELINE`; may be given several times (see "+
			"replanbench list trimming)")
	flags.StringArrayVar(&f.tags, "tag", nil,
		"tag untagged messages of prompts that match: `TAG=REGEXP`; may be given several times")
	flags.StringVar(&f.prices, "prices", "", `a price table, a JSON `+"`FILE`"+
		`: {"currency":"USD","models":{"NAME":{"prompt":0.15,"reply":0.60}}}, per million tokens`)
	addWorkers(cmd, &f.workers, "batches of replies")
}

// options turns the flags into what the scoring package takes.
func (f *scoreFlags) options(e env) (score.Options, error) {
	o := score.Options{By: f.by, Workers: f.workers}
	var err error
	if o.Profile, err = f.rules(); err != nil {
		return o, err
	}
	for _, w := range f.where {
		key, value, ok := strings.Cut(w, "=")
		if !ok {
			return o, usagef("--where %s: write KEY=VALUE", w)
		}
		if o.Where == nil {
			o.Where = map[string]string{}
		}
		o.Where[key] = value
	}
	for _, key := range append(slices.Clip(f.by), slices.Sorted(maps.Keys(o.Where))...) {
		if err := score.CheckKey(key); err != nil {
			return o, usageError(err)
		}
	}
	if f.tokenizer != noTokenizer {
		if o.Counter, err = tokens.New(f.tokenizer); err != nil {
			return o, usagef("--tokenizer: %w", err)
		}
	}
	if err := f.prompts(&o); err != nil {
		return o, err
	}
	if f.prices == "" {
		return o, nil
	}
	data, err := readInput(e, f.prices)
	if err != nil {
		return o, err
	}
	if o.Prices, err = score.ParsePrices(data); err != nil {
		return o, usagef("%s: %w", f.prices, err)
	}
	return o, nil
}

// prompts says how recorded prompts are measured.
func (f *scoreFlags) prompts(o *score.Options) error {
	for _, b := range f.budgets {
		if b < 0 || b > history.MaxTokens {
			return usagef("--budget %d: the budget is 1 to %d tokens", b, history.MaxTokens)
		}
	}
	if len(f.budgets) > 1 {
		return usagef("--budget: give one budget (live --send-trimmed takes several)")
	}
	for _, b := range f.budgets {
		o.Budget = b
	}
	if f.policies != nil && o.Budget == 0 {
		return usagef("--policy: give --budget, the number of tokens to trim to")
	}
	if f.policies != nil && f.tokenizer == noTokenizer {
		return usagef("--policy: trimming needs a --tokenizer other than none")
	}
	var err error
	o.Trim = all.Trimmer().Trim
	if o.Policies, err = parsePolicies(f.policies); err != nil {
		return err
	}
	o.Tags, err = parseTags(f.tags)
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
	set, err := (&byname.Engine{Profile: f.profile}).Settings()
	if err != nil {
		return p, err
	}
	if set != nil {
		p = *set
	}
	if f.ladder != "" {
		if err := p.Set("ladder", f.ladder); err != nil {
			return p, usagef("--ladder: %w", err)
		}
	}
	return p, nil
}

// gateFlags are the conditions that scores must meet.
type gateFlags struct {
	require  []string
	repeat   string
	baseline string
	missing  bool // may be
}

// add adds --require and --baseline.
func (f *gateFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArrayVar(&f.require, "require", nil,
		"a `THRESHOLD` that the scores must meet, such as \"parse_rate >= 0.95\", \"apply_rate.low >= 0.7 where "+
			"model=NAME\"; may be given several times")
	flags.StringVar(&f.baseline, "baseline", "",
		"a `REPORT` of an earlier score (--format json): fail if a metric is worse, or if a group or case is missing or new")
	flags.BoolVar(&f.missing, "allow-missing", false,
		"with --baseline: accept groups and cases that only one of the two scores has")
}

// addRepeat adds --repeat.
func addRepeat(cmd *cobra.Command, repeat *string) {
	cmd.Flags().StringVar(repeat, "repeat", "",
		"with several samples per case: the case passes if `K of N` samples pass, such as \"2 of 3\"")
}

func (f *gateFlags) gate(e env) (score.Gate, error) {
	var g score.Gate
	for _, s := range f.require {
		t, err := score.ParseThreshold(s)
		if err != nil {
			return g, usagef("--require: %w", err)
		}
		g.Thresholds = append(g.Thresholds, t)
	}
	var err error
	if f.repeat != "" {
		if g.Repeat, err = score.ParseRepeat(f.repeat); err != nil {
			return g, usagef("--repeat: %w", err)
		}
	}
	if f.baseline != "" {
		g.Baseline, err = readScore(e, f.baseline)
	}
	g.AllowMissing = f.missing
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
	var out output
	var flags scoreFlags
	var conditions gateFlags
	var todo scoreOptions
	var id string
	var part shard.Shard
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
			var err error
			if todo.Options, err = flags.options(e); err != nil {
				return err
			}
			todo.Shard = part
			if todo.columns, err = score.ParseColumns(todo.columns); err != nil {
				return usagef("--columns: %w", err)
			}
			if todo.conditions, err = conditions.gate(e); err != nil {
				return err
			}
			sources, done, err := corpora.Open(args, e.stdin)
			if err != nil {
				return err
			}
			defer done()
			if err := wholeOnly(cmd, todo.Shard, "id", "ablate"); err != nil {
				return err
			}
			if id != "" {
				return scoreOne(e, out, sources, id, todo.Profile)
			}
			return scoreAll(cmd.Context(), e, out, sources, todo)
		},
	}
	flags.add(cmd, "model", "mode")
	conditions.add(cmd)
	addRepeat(cmd, &conditions.repeat)
	addShard(cmd, &part, "cases, each with all its replies")
	cmd.Flags().BoolVar(&todo.ablate, "ablate", false,
		"also try each rule of reading and applying alone, and all together")
	cmd.Flags().StringVar(&id, "id", "", "show the one reply with this `ID`, step by step")
	cmd.Flags().StringVar(&todo.replies, "replies", "",
		"also write the score of every request to this `FILE`: JSON Lines or, if it is called .parquet, a table with "+
			"replies and parameters")
	markWritten(cmd, "replies")
	cmd.Flags().StringSliceVar(&todo.columns, "columns", nil,
		"show one table with these `COLUMNS`, a row for each group, such as benchmark or parse,apply,tokens (see "+
			"replanbench list columns)")
	out.addReport(cmd)
	return cmd
}

// asTyped is the command line as it was typed, for repeating it.
func asTyped(command string) string {
	return escape.Shell(append([]string{command}, os.Args[min(2, len(os.Args)):]...)...)
}

// scoreOptions say how corpora are scored, and what becomes of the scores.
type scoreOptions struct {
	score.Options
	conditions score.Gate
	columns    []string // of the one table that is shown; nil: all tables are shown
	replies    string   // the file of every score; "" is none
	ablate     bool     // also try each rule alone
}

func scoreAll(ctx context.Context, e env, out output, sources []corpora.Source, o scoreOptions) error {
	g, err := ofReference(ctx, e, asRun("score"))
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
func scoreOne(e env, out output, sources []corpora.Source, id string, p harness.Profile) error {
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
	return out.write(e, func(w io.Writer) error { return writeSubject(w, out, e, subject) })
}
