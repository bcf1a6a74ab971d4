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
	"replanbench/harness/score/protocols"
	"replanbench/harness/score/tokens"
)

// protocolsLive says which model writes the changes, and what it may use.
type protocolsLive struct {
	model       string
	temperature float64
	replyTokens int
	limits      live.Limits
	endpoint    endpointFlags
	set         bool // the temperature
}

// liveChanges are how many changes a model is asked for where none are given.
const liveChanges = 20

func (l *protocolsLive) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&l.model, "live", "", "let this `MODEL` write the changes instead of injecting errors (default 20 "+
		"changes, each once)")
	flags.Float64Var(&l.temperature, "temperature", 0, "the model's temperature (default the endpoint's)")
	flags.IntVar(&l.replyTokens, "reply-tokens", 0, "limit of a reply in `TOKENS` (default the endpoint's)")
	flags.IntVar(&l.limits.Requests, "max-requests", 0, "stop after this number of `REQUESTS`, retries included")
	flags.IntVar(&l.limits.Tokens, "max-tokens", 0, "stop before this number of `TOKENS`, counting running requests")
	l.endpoint.add(cmd)
}

// settle refuses what means nothing to a model, and makes the defaults small: each
// change is asked for in every protocol.
func (l *protocolsLive) settle(cmd *cobra.Command, f *protocolsFlags) error {
	if f.rates != nil || f.channel != nil {
		return usagef("with --live the model makes the errors (leave --rate and --rates-from out)")
	}
	if l.replyTokens < 0 || l.limits.Requests < 0 || l.limits.Tokens < 0 {
		return usagef("--reply-tokens, --max-requests and --max-tokens cannot be below 0")
	}
	if !cmd.Flags().Changed("changes") {
		f.from = []string{generatedCases + strconv.Itoa(liveChanges)}
	}
	if !cmd.Flags().Changed("repeats") {
		f.repeats = 1
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
	routes, err := l.endpoint.routes(e, clock, []string{l.model})
	if err != nil {
		return nil, err
	}
	bodies, err := l.endpoint.bodies([]string{l.model})
	if err != nil {
		return nil, err
	}
	options := live.Options{
		Routes: routes, Counter: o.Counter.(tokens.Tokenizer), Limits: l.limits, Clock: clock,
		Retry: live.DefaultRetry(rand.Float64), Replay: l.endpoint.replay != "",
	}
	options.Retry.Tries = l.endpoint.tries
	caller := live.NewCaller(options, l.replyTokens)
	params := live.Params{ReplyTokens: l.replyTokens, Body: bodies[l.model]}
	if l.set {
		params.Temperature = &l.temperature
	}
	var asked atomic.Int64
	defer shown.end()
	result, err := protocols.Live(ctx, changes, o, l.endpoint.concurrency,
		func(ctx context.Context, q protocols.Question) (string, error) {
			a, err := caller.Ask(ctx, live.Request{
				Name: q.Name, Model: l.model, Params: params,
				Messages: []live.Message{{Role: "system", Content: q.System}, {Role: "user", Content: q.User}},
			})
			shown.show(fmt.Sprintf("%d questions answered", asked.Add(1)))
			return a.Text, err
		})
	result.Model = l.model
	if f := (*live.Failure)(nil); errors.As(err, &f) && result.Asked() {
		err = nil // the table counts what got no reply
	}
	if err != nil {
		err = harness.Mistakef("not every question was answered: %w", err)
	}
	return result, err
}
