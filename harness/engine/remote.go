package engine

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/rpc"
)

// remote is the common part of the engines outside this process.
type remote struct {
	o     Options
	hello harness.Hello // what the engine declared
	said  harness.Hello // the same after Restate; cases and judges use it

	mu      sync.Mutex
	count   int   // the number that MaxRestarts limits
	stopped error // why the engine was given up, if it was
}

// Deadline is the time limit for one case. Eval may take longer if several cases are open in a
// process, or if they are replayed after an error.
func (r *remote) Deadline() time.Duration { return r.o.Deadline }

// given returns why the engine was given up, or nil. A free call ignores it.
func (r *remote) given(ctx context.Context) error {
	if isFree(ctx) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stopped
}

// stop gives the engine up; the first reason counts.
func (r *remote) stop(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopped == nil {
		r.stopped = err
	}
	return r.stopped
}

// unsupported explains why a case cannot be sent.
type unsupported string

func (u unsupported) Error() string { return "unsupported: " + string(u) }

// encode returns the parameters of eval.
func (r *remote) encode(ctx context.Context, c harness.Case) ([]byte, error) {
	rules := all.Rules(c.Dialect)
	if isResolved(ctx) {
		rules.Needs = nil
	}
	profile, lack := rules.Resolve(r.said, c)
	if lack.Reason != "" {
		return nil, unsupported(lack.Reason)
	}
	c.Profile = r.sent(c, profile)
	params, err := rpc.EncodeEval(rpc.EvalParams{DeadlineMS: r.o.Deadline.Milliseconds(), Case: c})
	switch {
	case err != nil:
		return nil, unsupported(err.Error())
	case len(params) > rpc.MaxLine-1024:
		return nil, unsupported(fmt.Sprintf("the case has %d bytes, and at most %d MiB fit in a line", len(params),
			rpc.MaxLine>>20))
	}
	return params, nil
}

// sent returns the profile to send with a case. An engine without the feature profiles gets
// none. Any other engine gets the case's profile or, if its declared profile was overridden,
// the overriding one.
func (r *remote) sent(c harness.Case, profile harness.Profile) *harness.Profile {
	own := r.hello.Dialects[c.Dialect]
	switch {
	case !own.Has(harness.FeatureProfiles):
		return nil
	case c.Profile == nil && !profile.Same(own.Profile, all.Rules(c.Dialect).Knobs):
		return &profile
	}
	return c.Profile
}

func initializeParams() []byte {
	b, err := json.Marshal(rpc.InitializeParams{
		Protocol: rpc.Protocol,
		Client:   rpc.Party{Name: "replanbench", Version: harness.Version},
	})
	if err != nil {
		panic(err) // a number and two constant strings
	}
	return b
}

// answer is the result of a call. The JSON result is not decoded yet.
type answer struct {
	message
	from    *process // nil over HTTP
	failure *harness.Failure
	err     error // the case could not be sent
}

// result returns the raw result, unless there was an error.
func (a answer) result(err error) ([]byte, error) {
	if err == nil && a.Error != nil {
		err = a.failed(crash, "answered with the error %d: %s", a.Error.Code, quote([]byte(a.Error.Message)))
	}
	return a.Result, err
}

// outcome decodes the result, unless there was an error.
func (a answer) outcome(c harness.Case, err error) (harness.Outcome, error) {
	if why, ok := errors.AsType[unsupported](err); ok {
		return harness.Outcome{Verdict: harness.Unsupported, Message: string(why)}, nil
	}
	result, err := a.result(err)
	if err != nil {
		return harness.Outcome{}, err
	}
	out, err := rpc.DecodeOutcome(c, result)
	if stored, ok := errors.AsType[*rpc.Stored](err); ok {
		f := a.failed(protocol, "gave an invalid response: %v; the response: %s", err, quote(result))
		f.Site, f.Stored = stored.What, true
		return harness.Outcome{}, f
	}
	if err != nil {
		f := a.failed(protocol, "gave an invalid response: %v; the response: %s", err, quote(result))
		if unfit, ok := errors.AsType[*rpc.Unfit](err); ok {
			f.Site = unfit.What
		}
		return harness.Outcome{}, f
	}
	return out, nil
}

// failed returns the failure of the engine that gave this answer. It waits a moment, because
// its output on standard error may arrive after the answer. An engine that fails often is not
// slowed down: its output then is about an earlier failure if it is late.
func (a answer) failed(kind harness.Status, format string, args ...any) *harness.Failure {
	f := failure(kind, format, args...)
	if a.from == nil {
		return f
	}
	wait := settleAlone
	if a.from.failures.Add(1) > patientFailures {
		wait = settleFailed
	}
	select {
	case <-a.from.spoke:
	case <-time.After(wait):
	}
	return a.from.blame(f)
}
