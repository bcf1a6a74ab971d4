package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness/document/escape"
	"replanbench/harness/live"
	"replanbench/harness/live/ask"
	"replanbench/harness/score"
	"replanbench/harness/score/choice"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// liveFlags choose the cases, prompts, models and endpoints.
type liveFlags struct {
	recorded
	ask.Run
	Corpus    string `writes:"" line:"no" default:"replies.jsonl" arg:"FILE" help:"the FILE that replies are appended to"`
	Resume    bool   `line:"no" help:"continue the corpus: send only the requests that have no reply in it"`
	shardFlag `line:"no" rare:"" set:"parts=cases, with that part of the limits"`
	DryRun    bool `conflicts:"replay" line:"no" help:"show the requests, tokens and cost of the run, and send nothing"`
	choice.Gate
	choice.SampleRule
	Out reportOutput `embed:""`
}

func newLive(e env) *cobra.Command {
	var f liveFlags
	return command(e, &cobra.Command{
		Use:   "live --model NAME",
		Short: "Send prompts to models, record and score the replies, compare prompts and models",
		Args:  noArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return f.run(cmd.Context(), e) },
	}, &f)
}

func (f *liveFlags) run(ctx context.Context, e env) error {
	streamingHeap().use(e)
	limits, err := f.Cut(f.Shard)
	if err != nil {
		return err
	}
	plan, err := f.Plan(e.in(), f.Shard)
	if err != nil {
		return err
	}
	scoring, err := f.Scored(e.in())
	if err != nil {
		return err
	}
	f.Baseline = cmp.Or(f.Out.score(), f.Baseline)
	conditions, err := f.Conditions(f.SampleRule, e.readScore)
	if err != nil {
		return err
	}
	if err := f.Check(scoring); err != nil {
		return err
	}
	plan.Profile = scoring.Profile
	o := live.Options{
		Renderer: f.Render(), Counter: scoring.Counter.(ask.Tokenizer), Prices: scoring.Prices, Limits: limits,
		Clock: live.SystemClock(), Replay: f.Replay != "", Shard: f.Shard,
	}
	if f.Race {
		race := live.DefaultRace()
		o.Race = &race
	}
	g := ofReference(escape.Shell(f.line([]string{"live"})...))
	g.Cut(f.Shard)
	job := liveJob{plan: plan, options: o, scoring: scoring, conditions: conditions}
	if f.DryRun {
		return f.estimate(ctx, e, g, job)
	}
	return f.ask(ctx, e, g, job)
}

// liveJob holds the requests of a run and how its replies are scored.
type liveJob struct {
	plan       live.Plan
	options    live.Options
	scoring    score.Options
	conditions score.Gate
}

func (f *liveFlags) estimate(ctx context.Context, e env, g *gate.Gate, j liveJob) error {
	if f.Resume {
		journal, err := live.OpenJournal(f.Corpus, true, j.options.Clock.Now)
		if err != nil {
			return usageError(err)
		}
		defer journal.Close()
		j.options.Journal = journal
	}
	estimate, err := j.plan.Estimate(ctx, j.options)
	if err != nil {
		return usageError(err)
	}
	g.Report.AddLive(reports.Live{Estimate: estimate})
	return finish(e, g, f.Out)
}

// ask runs the plan, scores what came, and reports both.
func (f *liveFlags) ask(ctx context.Context, e env, g *gate.Gate, j liveJob) (err error) {
	o := &j.options
	if o.Routes, err = f.Routes(e.world(), o.Clock, f.Model); err != nil {
		return err
	}
	if o.Journal, err = live.OpenJournal(f.Corpus, f.Resume, o.Clock.Now); err != nil {
		return usageError(err)
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	o.Retry, o.Workers = live.DefaultRetry(rand.Float64), f.Concurrency
	o.Retry.Tries = f.Tries
	shown := newProgress(e, f.Out.Quiet)
	o.Tell = func(p live.Progress) { shown.show(ask.ProgressLine(p)) }
	result, ran := live.Run(ctx, j.plan, *o)
	shown.end()
	if result == nil {
		return usageError(ran)
	}
	err = f.report(context.WithoutCancel(ctx), e, g, j, result)
	if result.Resumed > 0 {
		fmt.Fprintf(e.stderr, "%d of %d replies were in %s already\n", result.Resumed, result.Replies, f.Corpus)
	}
	return errors.Join(ran, err, finish(e, g, f.Out))
}

// corpusName names the corpus in the report, which is the same wherever the
// replies were written.
const corpusName = "CORPUS"

// report adds the run, its scores and the comparisons of prompts.
func (f *liveFlags) report(ctx context.Context, e env, g *gate.Gate, j liveJob, result *live.Result) error {
	section := reports.Live{Run: result, Corpus: f.Corpus}
	if result.Replies == 0 {
		g.Report.AddLive(section)
		return errors.New("no reply came: " + f.firstReason(result))
	}
	source := j.options.Journal.Source(corpusName, result.Records)
	if !f.Shard.Whole() {
		j.scoring.Places = result.Places()
	}
	fmt.Fprintf(e.stderr, "replies: %s\n", escape.Terminal(f.Corpus))
	scores, err := gate.Scoring{Options: j.scoring, Conditions: j.conditions}.Section(ctx, []corpora.Source{source})
	if scores != nil {
		g.Report.AddScore(*scores, "replanbench "+g.Report.Command)
	}
	if err == nil && f.Shard.Whole() {
		var list []ask.Comparison
		list, err = ask.Compare(ctx, source, j.plan, j.scoring)
		section.Comparisons = []reports.Comparison{}
		for _, c := range list {
			section.Comparisons = append(section.Comparisons, reports.Comparison(c))
		}
	}
	g.Report.AddLive(section)
	return err
}

func (f *liveFlags) firstReason(r *live.Result) string {
	switch {
	case len(r.Failures) > 0:
		hint, lacks := "", func(url string) bool { return !strings.Contains(url, "/v") }
		if r.Failures[0].Name == string(live.NotFound) && slices.ContainsFunc(f.BaseURL, lacks) {
			hint = " (most addresses of --base-url end with /v1)"
		}
		return r.Failures[0].Name + ": " + r.Failures[0].Example + hint
	case len(r.Skipped) > 0:
		return r.Skipped[0].Name
	}
	return "nothing was sent"
}
