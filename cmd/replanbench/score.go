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
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// readScore reads the scores that a report holds.
func (e env) readScore(name string) (*score.Result, error) {
	data, err := e.in().ReadUpTo(name, maxReport)
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
the --earlier report, missing or new.`,
		Example: `  replanbench score
  replanbench score replies.jsonl --by model,prompt --budget 8192
  replanbench score replies.jsonl --by model,mode --columns benchmark --format latex
  replanbench score replies.jsonl --ablate
  replanbench score --budget 400 --policy pinned --tag 'plan=PLAN max='
  replanbench score replies.jsonl --require "parse_rate.low >= 0.9" --earlier last.json
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
	choice.Scoring `set:"by=model,mode"`
	choice.Gate
	choice.SampleRule
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
	if todo.Options, err = f.Options(e.in()); err != nil {
		return err
	}
	todo.Shard = f.Shard
	if todo.columns, err = score.ParseColumns(f.Columns); err != nil {
		return usagef("--columns: %w", err)
	}
	f.Baseline = cmp.Or(f.Out.score(), f.Baseline)
	if todo.conditions, err = f.Conditions(f.SampleRule, e.readScore); err != nil {
		return err
	}
	sources, done, err := corpora.Open(args, e.stdin)
	if err != nil {
		return err
	}
	defer done()
	if f.ID != "" {
		return scoreOne(e, f.Out, sources, f.ID, todo.Options)
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

// scoreOne shows one request with its recorded retries, and what the tables count of it.
func scoreOne(e env, out reportOutput, sources []corpora.Source, id string, o score.Options) error {
	x, err := score.Find(sources, id, o.Profile, o.Counter)
	switch {
	case err != nil:
		return usageError(err)
	case x == nil:
		return usagef("unknown reply id %q (replanbench score --replies FILE lists them)", id)
	case x.Score.Unscored == score.NoPlan:
		return usagef("the corpus has no plan for the reply %q, so it cannot be applied", id)
	}
	subject := explain.Subject{
		Case: x.Case, Profile: o.Profile, Outcome: x.Outcome, PlanName: "plan", ReplyNames: x.IDs,
	}
	story := all.Tell(subject)
	result, note := reports.StoryScreen(story, id), "In the tables: "+counts(&x.Score)
	result.Notes = []string{note}
	to := screenOutput{out.output, out.Verbose}
	return to.show(e, result, func(w io.Writer) error {
		if out.Format == "json" {
			return reports.WriteJSON(w, struct {
				Outcome harness.Outcome `json:"outcome"`
				Score   score.Score     `json:"score"`
			}{x.Outcome, x.Score})
		}
		if err := to.writeStory(w, e, story); err != nil {
			return err
		}
		_, err := fmt.Fprintln(w, "\n"+escape.Terminal(note))
		return err
	})
}

// counts says what the tables count of a request.
func counts(s *score.Score) string {
	yes := func(is bool) string {
		if is {
			return "yes"
		}
		return "no"
	}
	if s.Unscored != "" {
		return "not scored, " + s.Unscored
	}
	list := []string{
		"parse " + yes(s.Tier != harness.TierNone), "apply " + yes(s.Verdict == harness.Applied),
		"ladder ends on " + cmp.Or(string(s.Rung), "failed"), fmt.Sprintf("retries %d", s.Retries),
		"danger " + yes(s.Danger),
	}
	for _, d := range s.Dangers {
		list = append(list, d.Kind+" of "+d.Step)
	}
	if s.Ladder >= 0 {
		list = append(list, fmt.Sprintf("%d tokens", s.Ladder))
	}
	return strings.Join(list, ", ")
}
