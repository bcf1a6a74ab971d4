package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
)

func (e env) readScore(name string) (*score.Result, error) {
	r, err := mergeReports(e, []string{name})
	if err != nil {
		return nil, err
	}
	if r.Score == nil {
		return nil, usagef("%s: the report holds no scores (it must be one of replanbench score --format json; two reports "+
			"of an engine: replanbench report NEW --earlier OLD)", name)
	}
	return &r.Score.Result, nil
}

func newScore(e env) *cobra.Command {
	var f scoreCommand
	return command(e, &cobra.Command{
		Use:   "score [CORPUS...]",
		Short: "Score recorded replies: parse rate, fallback rate, tokens",
		RunE: func(cmd *cobra.Command, args []string) error {
			streamingHeap().use(e)
			return f.run(cmd.Context(), e, args)
		},
	}, &f)
}

// scoreCommand are the flags of score.
type scoreCommand struct {
	recorded
	choice.Scoring `set:"by=model,mode"`
	choice.Gate
	choice.SampleRule
	shardFlag `line:"no" set:"parts=cases, each with all its replies"`
	Ablate    bool         `whole:"" rare:"" help:"also try each rule of reading and applying alone, and all together"`
	ID        string       `whole:"" help:"show the one reply with this ID, step by step" arg:"ID"`
	Scores    string       `writes:"" line:"no" rare:"" arg:"FILE" help:"also write the score of every request to this FILE: JSON Lines or, if it is called .parquet, a table with replies and parameters"`
	Replies   string       `writes:"" line:"no" old:"scores" help:"the old name of --scores"`
	Columns   []string     `arg:"COLUMNS" help:"show one table with these COLUMNS, a row for each group, such as benchmark or parse,apply,tokens (see replanbench list columns)"`
	Out       reportOutput `embed:""`
}

func (f *scoreCommand) run(ctx context.Context, e env, args []string) error {
	var err error
	todo := gate.Scoring{Scores: cmp.Or(f.Scores, f.Replies)}
	if todo.Options, err = f.Options(e.in()); err != nil {
		return err
	}
	todo.Shard = f.Shard
	if todo.Columns, err = score.ParseColumns(f.Columns); err != nil {
		return usagef("--columns: %w", err)
	}
	f.Baseline = cmp.Or(f.Out.score(), f.Baseline)
	if todo.Conditions, err = f.Conditions(f.SampleRule, e.readScore); err != nil {
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
	return f.all(ctx, e, sources, escape.Shell(f.line(append([]string{"score"}, args...))...), todo)
}

// all scores the corpora and writes the report.
func (f *scoreCommand) all(ctx context.Context, e env, sources []corpora.Source, command string, o gate.Scoring) error {
	g := ofReference(command)
	g.Cut(o.Shard)
	section, err := o.Section(ctx, sources)
	if section == nil {
		return err
	}
	if f.Ablate && err == nil {
		section.Ablations, err = score.Ablate(ctx, sources, o.Options)
	}
	g.Report.AddScore(*section, "replanbench "+g.Report.Command)
	return errors.Join(err, finish(e, g, f.Out))
}

// scoreCorpora scores corpora as a part of the gate.
func scoreCorpora(ctx context.Context, e env, g *gate.Gate, names []string, o gate.Scoring) error {
	sources, done, err := corpora.Open(names, e.stdin)
	if err != nil {
		return err
	}
	defer done()
	section, err := o.Section(ctx, sources)
	if section != nil {
		g.Report.AddScore(*section, escape.Shell(append([]string{"replanbench", "score"}, names...)...))
	}
	return err
}

// scoreOne shows one request with its recorded retries, and what the tables count of it.
func scoreOne(e env, out reportOutput, sources []corpora.Source, id string, o score.Options) error {
	x, err := score.Find(sources, id, o.Profile, o.Counter)
	switch {
	case err != nil:
		return usageError(err)
	case x == nil:
		return usagef("unknown reply id %q (replanbench score --scores FILE lists them)", id)
	case x.Score.Unscored == score.NoPlan:
		return usagef("the corpus has no plan for the reply %q, so it cannot be applied", id)
	}
	subject := explain.Subject{
		Case: x.Case, Profile: o.Profile, Outcome: x.Outcome, PlanName: "plan", ReplyNames: x.IDs,
	}
	story := all.Tell(subject)
	result, note := reports.StoryScreen(story, id), "In the tables: "+x.Score.Counted()
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
