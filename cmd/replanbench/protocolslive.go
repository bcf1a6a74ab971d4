package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"

	"github.com/spf13/cobra"

	"replanbench/harness"
	"replanbench/harness/live"
	"replanbench/harness/live/ask"
	"replanbench/harness/score/protocols"
	"replanbench/harness/score/tokens"
)

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
