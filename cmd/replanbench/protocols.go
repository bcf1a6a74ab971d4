package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/byname"
	"replanbench/harness/live"
	"replanbench/harness/live/ask"
	"replanbench/harness/score/choice"
	"replanbench/harness/score/protocols"
	"replanbench/harness/score/tokens"
	"replanbench/reports"
)

// protocolsFlags say which changes are written, and what becomes of them.
type protocolsFlags struct {
	recorded
	Live         protocolsLive `embed:""`
	Changes      []string      `sep:"none" default:"generated:1000" line:"yes" arg:"CORPUS" help:"the source of the changes: generated:N, builtin, or a CORPUS with applicable replies"`
	RatesFrom    []string      `sep:"none" arg:"CORPUS" help:"take the rates from this CORPUS, or builtin; --rate overrides them"`
	Rate         []string      `sep:"none" arg:"NAME=SHARE" help:"the rate of an error, NAME=SHARE with NAME cut, broken, drop, wrong or extra; may be given several times (default 0.01 each)"`
	choice.Rules `set:"judge=apply under"`
	Repeats      int          `default:"3" range:"1,1000" line:"yes" help:"number of times that errors are injected into each reply"`
	Seed         uint64       `default:"1" line:"yes" help:"the seed of changes and errors"`
	Tokenizer    string       `default:"o200k_base" list:"${tokenizers}" arg:"NAME" help:"the tokenizer that counts: a NAME of replanbench list tokenizers"`
	Out          reportOutput `embed:""`
}

// handRates is the rate of each error without --rate: one error in a hundred
// opportunities.
const handRates = 0.01

func newProtocols(e env) *cobra.Command {
	var f protocolsFlags
	return command(e, &cobra.Command{
		Use:   "protocols",
		Short: "Compare edit formats: tokens, and the effect of errors on each",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.Live.Model != "" {
				if err := f.Live.settle(cmd, &f); err != nil {
					return err
				}
			}
			return f.run(cmd.Context(), e)
		},
	}, &f)
}

func (f *protocolsFlags) run(ctx context.Context, e env) error {
	o := protocols.Options{Seed: f.Seed, Repeats: f.Repeats, Profile: harness.Reference()}
	set, err := (&byname.Engine{Profile: f.Profile}).Settings()
	if err != nil {
		return err
	}
	if set != nil {
		o.Profile = *set
	}
	counter, err := tokens.New(f.Tokenizer)
	if err != nil {
		return usagef("--tokenizer: %w", err)
	}
	o.Counter = counter
	section := &reports.Protocols{Source: strings.Join(f.Changes, ", "), Tokenizer: counter.Name()}
	if f.Live.Model == "" {
		o.Channel, section.Rates, err = f.rate(e, o)
	}
	if err != nil {
		return err
	}
	changes, err := f.changes(e, o.Profile)
	if err != nil {
		return err
	}
	g := ofReference(escape.Shell(f.line([]string{"protocols"})...))
	var result *protocols.Result
	if f.Live.Model == "" {
		result, err = protocols.Run(ctx, changes, o)
	} else {
		result, err = f.Live.ask(ctx, e, newProgress(e, f.Out.Quiet), changes, o)
	}
	if result == nil {
		return err
	}
	section.Result = *result
	g.Report.Protocols = section
	return errors.Join(err, finish(e, g, f.Out))
}

// rate is the channel, and where its rates are from.
func (f *protocolsFlags) rate(e env, o protocols.Options) (c protocols.Channel, from string, err error) {
	from = "set by hand"
	if f.RatesFrom != nil {
		sources, done, err := corpora.Open(f.RatesFrom, e.stdin)
		if err != nil {
			return c, "", err
		}
		defer done()
		var n int
		if c, n = protocols.Estimate(sources, o.Profile, o.Counter); n == 0 {
			return c, "", usagef("--rates-from %s: no reply there can be scored", strings.Join(f.RatesFrom, ", "))
		}
		from = fmt.Sprintf("from %d replies of %s (too low: only the first error of a reply counts, and omissions do "+
			"not)", n, strings.Join(f.RatesFrom, ", "))
	} else if f.Rate == nil {
		for _, r := range c.Rates() {
			*r.Value = handRates
		}
	}
	for _, s := range f.Rate {
		name, value, ok := strings.Cut(s, "=")
		x, err := strconv.ParseFloat(value, 64)
		if !ok || err != nil || !(x >= 0 && x <= 1) {
			return c, "", usagef("--rate %s: write NAME=SHARE with a share from 0 to 1", s)
		}
		found := false
		var names []string
		for _, r := range c.Rates() {
			if names = append(names, r.Name); r.Name == name {
				*r.Value, found = x, true
			}
		}
		if !found {
			return c, "", usagef("--rate %s: unknown error %q%s (the errors are %s)", s, name, harness.DidYouMean(name, names),
				strings.Join(names, ", "))
		}
	}
	return c, from, nil
}

// generatedChangeSteps bounds generated plans, in steps.
const generatedChangeSteps = 12

func (f *protocolsFlags) changes(e env, p harness.Profile) ([]protocols.Change, error) {
	var list []protocols.Change
	for _, from := range f.Changes {
		if count, ok := strings.CutPrefix(from, ask.Generated); ok {
			n, err := strconv.Atoi(count)
			if err != nil || n < 1 || n > 100_000 {
				return nil, usagef("--changes %s: write generated:N with N from 1 to 100000", from)
			}
			more, err := protocols.Generated(f.Seed, n, generatedChangeSteps)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
			continue
		}
		sources, done, err := corpora.Open([]string{from}, e.stdin)
		if err != nil {
			return nil, err
		}
		more, err := protocols.FromCorpus(sources, p)
		done()
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, usagef("--changes %s: no reply there can be applied", strings.Join(f.Changes, ", "))
	}
	return list, nil
}

// protocolsLive says which model writes the changes, and what it may use.
type protocolsLive struct {
	Model         string  `name:"live" arg:"MODEL" help:"let this MODEL write the changes instead of injecting errors (default 20 changes, each once)"`
	Temperature   float64 `line:"no" rare:"" help:"the model's temperature (default the endpoint's)"`
	ReplyTokens   int     `line:"no" rare:"" range:"0," arg:"TOKENS" help:"limit of a reply in TOKENS (default the endpoint's)"`
	MaxRequests   int     `line:"no" rare:"" range:"0," arg:"REQUESTS" help:"stop after this number of REQUESTS, retries included"`
	MaxTokens     int     `line:"no" range:"0," arg:"TOKENS" help:"stop before this number of TOKENS, counting running requests"`
	ask.Endpoints `group:"Flags of the endpoint" line:"no"`

	set bool // the temperature
}

// liveChanges are how many changes a model is asked for where none are given.
const liveChanges = 20

// settle refuses what means nothing to a model, and makes the defaults small: each
// change is asked for in every protocol.
func (l *protocolsLive) settle(cmd *cobra.Command, f *protocolsFlags) error {
	if f.RatesFrom != nil || f.Rate != nil {
		return usagef("with --live the model makes the errors (leave --rate and --rates-from out)")
	}
	if !cmd.Flags().Changed("changes") {
		f.Changes = []string{ask.Generated + strconv.Itoa(liveChanges)}
	}
	if !cmd.Flags().Changed("repeats") {
		f.Repeats = 1
	}
	l.set = cmd.Flags().Changed("temperature")
	return nil
}

// ask has the model write the changes. What came until an interrupt, or until a limit
// was met, is the result all the same.
func (l *protocolsLive) ask(ctx context.Context, e env, shown *progress, changes []protocols.Change,
	o protocols.Options,
) (*protocols.Result, error) {
	clock := live.SystemClock()
	routes, err := l.Routes(e.world(), clock, []string{l.Model})
	if err != nil {
		return nil, err
	}
	bodies, err := l.Bodies([]string{l.Model})
	if err != nil {
		return nil, err
	}
	options := live.Options{
		Routes: routes, Counter: o.Counter.(tokens.Tokenizer),
		Limits: live.Limits{Requests: l.MaxRequests, Tokens: l.MaxTokens}, Clock: clock,
		Retry: live.DefaultRetry(rand.Float64), Replay: l.Replay != "",
	}
	options.Retry.Tries = l.Tries
	caller := live.NewCaller(options, l.ReplyTokens)
	params := live.Params{ReplyTokens: l.ReplyTokens, Body: bodies[l.Model]}
	if l.set {
		params.Temperature = &l.Temperature
	}
	var asked atomic.Int64
	defer shown.end()
	result, err := protocols.Live(ctx, changes, o, l.Concurrency,
		func(ctx context.Context, q protocols.Question) (string, error) {
			a, err := caller.Ask(ctx, live.Request{
				Name: q.Name, Model: l.Model, Params: params,
				Messages: []live.Message{{Role: "system", Content: q.System}, {Role: "user", Content: q.User}},
			})
			shown.show(fmt.Sprintf("%d questions answered", asked.Add(1)))
			return a.Text, err
		})
	result.Model = l.Model
	if f := (*live.Failure)(nil); errors.As(err, &f) && result.Asked() {
		err = nil // the table counts what got no reply
	}
	if err != nil {
		err = harness.Mistakef("not every question was answered: %w", err)
	}
	return result, err
}
