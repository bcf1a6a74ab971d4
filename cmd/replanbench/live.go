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
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live"
	"replanbench/harness/score"
	"replanbench/reports"
	"replanbench/reports/gate"
)

// liveFlags choose the cases, prompts, models and endpoints.
// It has a field for each flag.
type liveFlags struct {
	prompts      promptFlags
	cases        caseFlags
	score        scoreFlags
	gate         gateFlags
	endpoint     endpointFlags
	arms         armFlags
	models       []string
	temperatures []float64
	topP         float64
	seed         int64
	samples      int
	replyTokens  int
	limitName    string
	stop         []string
	formats      []string
	schema       string
	stream       bool
	corpus       string
	resume       bool
	limits       live.Limits
	shard        shard.Shard
	dryRun       bool
	race         bool
	out          output
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
	f.addAsking(cmd)
	f.addRunning(cmd)
	f.prompts.add(cmd)
	f.endpoint.add(cmd)
	f.score.add(cmd, "prompt", "model", "temperature", "mode")
	f.arms.add(cmd)
	f.gate.add(cmd)
	addRepeat(cmd, &f.gate.repeat)
	f.out.addReport(cmd)
	return cmd
}

func (f *liveFlags) addAsking(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.models, "model", nil, "send the prompts to these `MODELS` (a,b)")
	flags.StringArrayVar(&f.cases.sources, "cases", []string{scenarioCases},
		"where the cases come from: scenarios, builtin, generated:N, or a `FILE`; may be given several times")
	flags.Uint64Var(&f.cases.seed, "case-seed", 1, "the seed of generated cases")
	flags.IntVar(&f.cases.limit, "limit", 0, "take only the first `N` cases")
	flags.Float64SliceVar(&f.temperatures, "temperature", nil, "`TEMPERATURES` (default the endpoint's)")
	flags.Float64Var(&f.topP, "top-p", 0, "the endpoint's top_p (default not sent)")
	flags.Int64Var(&f.seed, "seed", 0, "the seed of the first sample; each further sample takes the next number "+
		"(default not sent)")
	flags.IntVar(&f.samples, "samples", 1, "number of samples for each case")
	flags.IntVar(&f.replyTokens, "reply-tokens", 0, "limit of a reply in `TOKENS` (default the endpoint's)")
	addChoice(cmd, &f.limitName, "reply-tokens-as", "how --reply-tokens is sent", "max_tokens", "max_completion_tokens")
	flags.StringArrayVar(&f.stop, "stop", nil, "a `TEXT` that ends a reply; may be given several times")
	flags.StringSliceVar(&f.formats, "response-format", []string{string(live.Free)},
		"the response `FORMATS`: free, json_object, json_schema, tool (the edit is the arguments of a tool call)")
	flags.StringVar(&f.schema, "schema", "",
		"the JSON Schema `FILE` of json_schema and tool (default that of an edit, see replanbench schema, without patterns)")
	flags.BoolVar(&f.stream, "stream", false, "stream replies")
}

func (f *liveFlags) addRunning(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.corpus, "corpus", "replies.jsonl", "the `FILE` that replies are appended to")
	markWritten(cmd, "corpus")
	flags.BoolVar(&f.resume, "resume", false, "continue the corpus: send only the requests that have no reply in it")
	flags.IntVar(&f.limits.Requests, "max-requests", 0,
		"stop after this number of `REQUESTS` over the whole run, retries and earlier sessions included")
	flags.IntVar(&f.limits.Tokens, "max-tokens", 0,
		"stop before this number of `TOKENS`, over the whole run; running requests reserve their prompt and --reply-tokens")
	flags.Float64Var(&f.limits.Cost, "max-cost", 0, "stop before this `AMOUNT`, over the whole run; needs --prices")
	addShard(cmd, &f.shard, "cases, with that part of the limits")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show the requests, tokens and cost of the run, and send nothing")
	flags.BoolVar(&f.race, "race", false, "stop a prompt early once it is worse than another")
}

func (f *liveFlags) run(cmd *cobra.Command, e env) error {
	streamingHeap().use(e)
	ctx := cmd.Context()
	if err := wholeOnly(cmd, f.shard, "race"); err != nil {
		return err
	}
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
	conditions, err := f.gate.gate(e)
	if err != nil {
		return err
	}
	if err := f.check(scoring); err != nil {
		return err
	}
	plan.Profile = scoring.Profile
	o := live.Options{
		Renderer: f.prompts.render(), Counter: scoring.Counter.(tokenizer), Prices: scoring.Prices, Limits: f.limits,
		Clock: live.SystemClock(), Replay: f.endpoint.replay != "", Shard: f.shard,
	}
	if f.race {
		race := live.DefaultRace()
		o.Race = &race
	}
	g, err := ofReference(ctx, e, f.command())
	if err != nil {
		return err
	}
	defer g.Engine.Close()
	g.Cut(f.shard)
	job := liveJob{plan: plan, options: o, scoring: scoring, conditions: conditions}
	if f.dryRun {
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
	case len(f.models) == 0:
		return usagef("--model is missing: name the model to ask (a,b for several)")
	case f.samples < 1:
		return usagef("--samples %d: at least one is needed", f.samples)
	case scoring.Counter == nil:
		return usagef("--tokenizer none: live must count tokens (chars/4 is a cheap estimate)")
	case f.limits.Cost > 0 && scoring.Prices.Models == nil:
		return usagef("--max-cost needs --prices")
	case f.limits.Requests < 0 || f.limits.Tokens < 0 || f.limits.Cost < 0:
		return usagef("--max-requests, --max-tokens and --max-cost cannot be below 0")
	case len(slices.Compact(slices.Sorted(slices.Values(f.models)))) != len(f.models):
		return usagef("--model names a model twice (--samples asks more often)")
	case f.endpoint.api == string(live.Responses) && (f.seed != 0 || f.stop != nil):
		return usagef("--api responses has neither a seed nor texts that end a reply: leave --seed and --stop out")
	case f.dryRun && f.endpoint.replay != "":
		return usagef("--dry-run sends nothing, so there is nothing to --replay")
	}
	for _, m := range f.models {
		if _, ok := scoring.Prices.Of(m, 0, 0); f.limits.Cost > 0 && !ok {
			return usagef("--max-cost: the model %s has no price", m)
		}
	}
	return nil
}

// plan is what the flags ask for.
func (f *liveFlags) plan(cmd *cobra.Command, e env) (live.Plan, error) {
	p := live.Plan{Dialect: f.prompts.of(), Models: f.models, Samples: f.samples}
	var err error
	if p.Bodies, err = f.endpoint.bodies(f.models); err != nil {
		return p, err
	}
	if p.Cases, err = f.cases.load(e, p.Dialect); err != nil {
		return p, err
	}
	if p.Cases = p.Cases.Of(f.shard); p.Cases.N == 0 {
		return p, usagef("--shard %s holds none of the cases (take fewer shards)", f.shard)
	}
	if p.Prompts, err = f.prompts.sets(e); err != nil {
		return p, err
	}
	if p.System, err = f.prompts.systemText(e); err != nil {
		return p, err
	}
	if err = f.addArms(e, &p); err != nil {
		return p, err
	}
	for _, t := range f.temperatures {
		p.Temperatures = append(p.Temperatures, &t)
	}
	if p.Temperatures == nil {
		p.Temperatures = []*float64{nil}
	}
	for _, name := range f.formats {
		if !slices.Contains(live.Formats(), name) {
			return p, usagef("--response-format: unknown format %q%s (the formats are %s)", name,
				harness.DidYouMean(name, live.Formats()), strings.Join(live.Formats(), ", "))
		}
		p.Formats = append(p.Formats, live.Format(name))
	}
	p.Params = live.Params{
		ReplyTokens: f.replyTokens, Completion: f.limitName == "max_completion_tokens", Stop: f.stop,
		Stream: f.stream,
	}
	if cmd.Flags().Changed("top-p") {
		p.Params.TopP = &f.topP
	}
	if cmd.Flags().Changed("seed") {
		p.Params.Seed = &f.seed
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
		{"--requests-per-minute", &f.endpoint.requests},
		{"--tokens-per-minute", &f.endpoint.tokens},
	} {
		whole := *x.limit
		if whole <= 0 {
			continue
		}
		if *x.limit = f.shard.Share(whole); *x.limit == 0 {
			return usagef("%s %d leaves nothing for --shard %s (raise it, or take fewer shards)", x.flag, whole, f.shard)
		}
	}
	f.limits.Cost /= float64(max(1, f.shard.N))
	return nil
}

func (f *liveFlags) jsonSchema(e env) (jsontext.Value, error) {
	if f.schema == "" {
		return live.PatchSchema(f.prompts.of())
	}
	data, err := readInput(e, f.schema)
	if err == nil && !jsontext.Value(data).IsValid() {
		err = usagef("--schema %s: not JSON", f.schema)
	}
	return data, err
}

func (f *liveFlags) estimate(ctx context.Context, e env, g *gate.Gate, j liveJob) error {
	if f.resume {
		journal, err := live.OpenJournal(f.corpus, true, j.options.Clock.Now)
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
	return finish(e, g, f.out)
}

// ask runs the plan, scores what came, and reports both.
func (f *liveFlags) ask(ctx context.Context, e env, g *gate.Gate, j liveJob) (err error) {
	o := &j.options
	if o.Routes, err = f.endpoint.routes(e, o.Clock, f.models); err != nil {
		return err
	}
	if o.Journal, err = live.OpenJournal(f.corpus, f.resume, o.Clock.Now); err != nil {
		return usageError(err)
	}
	defer func() { err = errors.Join(err, o.Journal.Close()) }()
	o.Retry, o.Workers = live.DefaultRetry(rand.Float64), f.endpoint.concurrency
	o.Retry.Tries = f.endpoint.tries
	shown := newProgress(e, f.out.quiet)
	o.Tell = func(p live.Progress) { shown.show(liveLine(p)) }
	result, ran := live.Run(ctx, j.plan, *o)
	shown.end()
	if result == nil {
		return usageError(ran)
	}
	err = f.report(context.WithoutCancel(ctx), e, g, j, result)
	if result.Resumed > 0 {
		fmt.Fprintf(e.stderr, "%d of %d replies were in %s already\n", result.Resumed, result.Replies, f.corpus)
	}
	return errors.Join(ran, err, finish(e, g, f.out))
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
	if !f.shard.Whole() {
		j.scoring.Places = result.Places()
	}
	fmt.Fprintf(e.stderr, "the replies are in %s, which the report calls %s\n", escape.Terminal(f.corpus), corpusName)
	scores, err := scoreSection(ctx, []corpora.Source{source}, scoreOptions{Options: j.scoring, conditions: j.conditions})
	if scores != nil {
		g.Report.AddScore(*scores, "replanbench "+g.Report.Command)
	}
	if err == nil && f.shard.Whole() {
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

// command is the command line that was run, as far as it decides the result.
func (f *liveFlags) command() string {
	args := []string{"live"}
	several := func(name string, values []string) {
		for _, v := range values {
			args = append(args, name, v)
		}
	}
	if d := f.prompts.of().Name; d != all.Asked().Name {
		args = append(args, "--dialect", d)
	}
	several("--model", f.models)
	several("--prompt", f.prompts.prompts)
	one := func(name, value string) {
		if value != "" {
			args = append(args, name, value)
		}
	}
	one("--retry-prompt", f.prompts.others.Retry)
	one("--step-prompt", f.prompts.others.Step)
	one("--full-plan-prompt", f.prompts.others.FullPlan)
	one("--system", f.prompts.system)
	several("--var", f.prompts.vars)
	several("--vars", f.prompts.varFiles)
	several("--cases", f.cases.sources)
	several("--response-format", f.formats)
	several("--body", f.endpoint.body)
	args = append(args, f.armArgs()...)
	several("--policy", f.score.policies)
	several("--tag", f.score.tags)
	for _, b := range f.score.budgets {
		args = append(args, "--budget", fmt.Sprint(b))
	}
	for _, t := range f.temperatures {
		args = append(args, "--temperature", fmt.Sprint(t))
	}
	if f.samples != 1 {
		args = append(args, "--samples", fmt.Sprint(f.samples))
	}
	if f.seed != 0 {
		args = append(args, "--seed", fmt.Sprint(f.seed))
	}
	return escape.Shell(args...)
}
