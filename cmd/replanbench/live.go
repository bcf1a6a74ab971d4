package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/live"
	"replanbench/harness/score"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// liveFlags choose the cases, prompts, models and endpoints.
type liveFlags struct {
	recorded
	Model []string `arg:"MODELS" help:"send the prompts to these MODELS (a,b)"`
	promptFlags
	caseFlags
	Temperature    []float64 `arg:"TEMPERATURES" help:"TEMPERATURES (default the endpoint's)"`
	TopP           float64   `rare:"" help:"the endpoint's top_p (default not sent)"`
	Seed           int64     `rare:"" help:"the seed of the first sample; each further sample takes the next number (default not sent)"`
	Samples        int       `default:"1" range:"1," help:"number of samples for each case"`
	ReplyTokens    int       `arg:"TOKENS" help:"limit of a reply in TOKENS (default the endpoint's)"`
	ReplyTokensAs  string    `rare:"" line:"no" enum:"max_tokens,max_completion_tokens" help:"how --reply-tokens is sent"`
	Stop           []string  `rare:"" sep:"none" arg:"TEXT" help:"a TEXT that ends a reply; may be given several times"`
	ResponseFormat []string  `default:"free" line:"yes" arg:"FORMATS" help:"the response FORMATS: free, json_object, json_schema, tool (the edit is the arguments of a tool call)"`
	Schema         string    `rare:"" arg:"FILE" help:"the JSON Schema FILE of json_schema and tool (default that of an edit, see replanbench schema, without patterns)"`
	Stream         bool      `rare:"" line:"no" help:"stream replies"`
	Corpus         string    `writes:"" line:"no" default:"replies.jsonl" arg:"FILE" help:"the FILE that replies are appended to"`
	Resume         bool      `line:"no" help:"continue the corpus: send only the requests that have no reply in it"`
	MaxRequests    int       `line:"no" rare:"" range:"0," arg:"REQUESTS" help:"stop after this number of REQUESTS over the whole run, retries and earlier sessions included"`
	MaxTokens      int       `line:"no" rare:"" range:"0," arg:"TOKENS" help:"stop before this number of TOKENS, over the whole run; running requests reserve their prompt and --reply-tokens"`
	MaxCost        float64   `line:"no" arg:"AMOUNT" help:"stop before this AMOUNT, over the whole run; needs --prices"`
	shardFlag      `rare:"" set:"parts=cases, with that part of the limits"`
	DryRun         bool `conflicts:"replay" line:"no" help:"show the requests, tokens and cost of the run, and send nothing"`
	Race           bool `whole:"" rare:"" help:"stop a prompt early once it is worse than another"`
	endpointFlags  `group:"Flags of the endpoint"`
	scoreFlags     `rare:"" set:"by=prompt,model,temperature,mode"`
	armFlags
	gateFlags
	repeatFlag
	Out reportOutput `embed:""`

	limits live.Limits
}

func newLive(e env) *cobra.Command {
	var f liveFlags
	cmd := &cobra.Command{
		Use:   "live --model NAME",
		Short: "Send prompts to models, record and score the replies, compare prompts and models",
		Long: `Request plan edits from models over an OpenAI-compatible endpoint: every prompt, model,
temperature, format and sample for every case. If a reply cannot be applied, the next
rung of the ladder sends code and message back. Each reply is appended to the corpus at
once, and so is each request that failed for good. --resume continues a stopped run: it
sends the missing and the failed requests only.

--base-url NAME=URL adds an endpoint; the models MODEL@NAME use it. Prompts, models
and formats are compared case by case.

The key comes from the environment variable that --key-env names and is written to no
file. Cases are JSON Lines with id, plan, max_plan_steps, failed_step, error_type
and error_message, or a corpus.

With --send-trimmed, each --policy with each --budget is an arm of the run: before each
request the policy trims the conversation. The report then shows the rates against the
degree of overflow, and tests the arms against each other.

With --shard each part sends its own cases, writes its own corpus, and has its share of
every limit. To compare prompts, models and formats, concatenate the corpora and run
with --resume and without --shard: no request is repeated.

Exit code 1 if a request got no reply or was not sent, or if a --require is not met.`,
		Example: `  replanbench live --model NAME --cases cases.jsonl --dry-run --prices prices.json
  replanbench live --model NAME --prompt replan --prompt mine.j2 --samples 3 --max-cost 5
  replanbench live --base-url http://127.0.0.1:8099/v1 --model tiny-replan-l --response-format free,json_schema
  replanbench live --base-url a=http://one/v1 --base-url b=http://two/v1 --model small@a,large@b
  replanbench live --model NAME --prompt replan --prompt replan.hardened --samples 3
  replanbench live --model NAME --prompt replan.before --prompt replan.after --samples 3
  replanbench live --model NAME --history session.json --send-trimmed --policy none --policy pinned --budget 4096,8192
  replanbench live --dialect operations --model NAME --response-format free,tool
  replanbench live --model NAME --cases cases.jsonl --corpus replies.jsonl --resume`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, e) },
	}
	return command(e, cmd, &f)
}

func (f *liveFlags) run(cmd *cobra.Command, e env) error {
	streamingHeap().use(e)
	ctx := cmd.Context()
	f.limits = live.Limits{Requests: f.MaxRequests, Tokens: f.MaxTokens, Cost: f.MaxCost}
	if err := f.cut(); err != nil {
		return err
	}
	plan, err := f.plan(cmd, e)
	if err != nil {
		return err
	}
	scoring, err := f.scoring(cmd, e)
	if err != nil {
		return err
	}
	conditions, err := f.gate(e, f.repeatFlag)
	if err != nil {
		return err
	}
	if err := f.check(scoring); err != nil {
		return err
	}
	plan.Profile = scoring.Profile
	o := live.Options{
		Renderer: f.render(), Counter: scoring.Counter.(tokenizer), Prices: scoring.Prices, Limits: f.limits,
		Clock: live.SystemClock(), Replay: f.Replay != "", Shard: f.Shard,
	}
	if f.Race {
		race := live.DefaultRace()
		o.Race = &race
	}
	g, err := ofReference(ctx, e, escape.Shell(f.line([]string{"live"})...))
	if err != nil {
		return err
	}
	defer g.Engine.Close()
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

// tokenizer is what counts tokens for the scores and for the run alike.
type tokenizer interface {
	Name() string
	Count(text string) int
}

func (f *liveFlags) check(scoring score.Options) error {
	switch {
	case len(f.Model) == 0:
		return usagef("--model is missing: name the model to ask (a,b for several)")
	case scoring.Counter == nil:
		return usagef("--tokenizer none: live must count tokens (chars/4 is a cheap estimate)")
	case f.limits.Cost > 0 && scoring.Prices.Models == nil:
		return usagef("--max-cost needs --prices")
	case f.MaxCost < 0:
		return usagef("--max-cost %v: give a positive amount", f.MaxCost)
	case len(slices.Compact(slices.Sorted(slices.Values(f.Model)))) != len(f.Model):
		return usagef("--model names a model twice (--samples asks more often)")
	case f.API == string(live.Responses) && (f.Seed != 0 || f.Stop != nil):
		return usagef("--api responses has neither a seed nor texts that end a reply: leave --seed and --stop out")
	}
	for _, m := range f.Model {
		if _, ok := scoring.Prices.Of(m, 0, 0); f.limits.Cost > 0 && !ok {
			return usagef("--max-cost: the model %s has no price", m)
		}
	}
	return nil
}

// plan is what the flags ask for.
func (f *liveFlags) plan(cmd *cobra.Command, e env) (live.Plan, error) {
	p := live.Plan{Dialect: f.of(), Models: f.Model, Samples: f.Samples}
	var err error
	if p.Bodies, err = f.bodies(f.Model); err != nil {
		return p, err
	}
	if p.Cases, err = f.load(e, p.Dialect); err != nil {
		return p, err
	}
	if p.Cases = p.Cases.Of(f.Shard); p.Cases.N == 0 {
		return p, usagef("--shard %s holds none of the cases (take fewer shards)", f.Shard)
	}
	if p.Prompts, err = f.sets(e); err != nil {
		return p, err
	}
	if p.System, err = f.systemText(e); err != nil {
		return p, err
	}
	if err = f.addArms(e, &p); err != nil {
		return p, err
	}
	for _, t := range f.Temperature {
		p.Temperatures = append(p.Temperatures, &t)
	}
	if p.Temperatures == nil {
		p.Temperatures = []*float64{nil}
	}
	for _, name := range f.ResponseFormat {
		if !slices.Contains(live.Formats(), name) {
			return p, usagef("--response-format: unknown format %q%s (the formats are %s)", name,
				harness.DidYouMean(name, live.Formats()), strings.Join(live.Formats(), ", "))
		}
		p.Formats = append(p.Formats, live.Format(name))
	}
	p.Params = live.Params{
		ReplyTokens: f.ReplyTokens, Completion: f.ReplyTokensAs == "max_completion_tokens", Stop: f.Stop,
		Stream: f.Stream,
	}
	if cmd.Flags().Changed("top-p") {
		p.Params.TopP = &f.TopP
	}
	if cmd.Flags().Changed("seed") {
		p.Params.Seed = &f.Seed
	}
	p.Params.Schema, err = f.jsonSchema(e)
	return p, err
}

// cut takes of the limits the part of the shard. None of them may become 0, which is no
// limit.
func (f *liveFlags) cut() error {
	for _, x := range []struct {
		flag  string
		limit *int
	}{
		{"--max-requests", &f.limits.Requests},
		{"--max-tokens", &f.limits.Tokens},
		{"--requests-per-minute", &f.RequestsPerMinute},
		{"--tokens-per-minute", &f.TokensPerMinute},
	} {
		whole := *x.limit
		if whole <= 0 {
			continue
		}
		if *x.limit = f.Shard.Share(whole); *x.limit == 0 {
			return usagef("%s %d leaves nothing for --shard %s (raise it, or take fewer shards)", x.flag, whole, f.Shard)
		}
	}
	f.limits.Cost /= float64(max(1, f.Shard.N))
	return nil
}

func (f *liveFlags) jsonSchema(e env) (jsontext.Value, error) {
	if f.Schema == "" {
		return live.PatchSchema(f.of())
	}
	data, err := readInput(e, f.Schema)
	if err == nil && !jsontext.Value(data).IsValid() {
		err = usagef("--schema %s: not JSON", f.Schema)
	}
	return data, err
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
	if o.Routes, err = f.routes(e, o.Clock, f.Model); err != nil {
		return err
	}
	if o.Journal, err = live.OpenJournal(f.Corpus, f.Resume, o.Clock.Now); err != nil {
		return usageError(err)
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	o.Retry, o.Workers = live.DefaultRetry(rand.Float64), f.Concurrency
	o.Retry.Tries = f.Tries
	shown := newProgress(e, f.Out.Quiet)
	o.Tell = func(p live.Progress) { shown.show(liveLine(p)) }
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
	section := reports.Live{Run: result}
	if result.Replies == 0 {
		g.Report.AddLive(section)
		return errors.New("no reply came: " + f.firstReason(result))
	}
	source := j.options.Journal.Source(corpusName, result.Records)
	if !f.Shard.Whole() {
		j.scoring.Places = result.Places()
	}
	fmt.Fprintf(e.stderr, "the replies are in %s, which the report calls %s\n", escape.Terminal(f.Corpus), corpusName)
	scores, err := scoreSection(ctx, []corpora.Source{source}, scoreOptions{Options: j.scoring, conditions: j.conditions})
	if scores != nil {
		g.Report.AddScore(*scores, "replanbench "+g.Report.Command)
	}
	if err == nil && f.Shard.Whole() {
		section.Comparisons, err = compareRun(ctx, source, j.plan, j.scoring)
	}
	g.Report.AddLive(section)
	return err
}

func (f *liveFlags) firstReason(r *live.Result) string {
	switch {
	case len(r.Failures) > 0:
		return r.Failures[0].Name + ": " + r.Failures[0].Example
	case len(r.Skipped) > 0:
		return r.Skipped[0].Name
	}
	return "nothing was asked"
}

// liveLine is a progress line.
func liveLine(p live.Progress) string {
	line := fmt.Sprintf("%d of %d cells, %.1f/s, %d requests, %d tokens", p.Cells, p.Total, p.Rate, p.Spent.Requests,
		p.Spent.PromptTokens+p.Spent.ReplyTokens)
	if p.Currency != "" {
		line += fmt.Sprintf(", %.4f %s", p.Spent.Cost, p.Currency)
	}
	if p.Failed > 0 {
		line += fmt.Sprintf(", %d failed", p.Failed)
	}
	if p.Left > 0 {
		line += ", " + p.Left.Round(time.Second).String() + " left"
	}
	return line
}
