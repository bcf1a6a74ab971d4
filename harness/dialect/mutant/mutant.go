// Package mutant has the tools for making defects.
//
// A defect is a bug of real engines. It wraps the rules of a dialect: it
// changes the case before they see it, or the outcome afterwards, or it keeps state
// between two cases. The rules do not depend on it. On a
// case that does not trigger the defect both agree. The wrapped evaluation may have
// another defect.
//
// Each dialect lists its defects in its package defect. This package detects
// none: package calibrate runs campaigns against engines with a defect and shows
// which check detects it.
package mutant

import (
	"context"
	"time"

	"replanbench/harness"
)

// Eval evaluates a case under a profile.
type Eval func(c harness.Case, p harness.Profile) harness.Outcome

// Wrap returns an evaluation with a defect. Each call starts with
// empty state.
type Wrap func(right Eval) Eval

// Defect is a bug that an evaluation can have.
type Defect struct {
	Name string // unique in all dialects
	Text string // one line: a verb phrase
	Wrap Wrap
	// Large says why only a large case (many steps or operations) shows the defect; "" for
	// most.
	Large string
	// Unshown says why no scenario shows the defect; "" for most.
	Unshown string
	// Accepts reports that the engine applies whatever the rules reject: one bug, with many codes.
	Accepts bool
	// Hangs reports whether the engine hangs on the case; nil for most.
	Hangs func(c harness.Case) bool
	// Setting is the value of a knob that the engine follows whatever the profile says, as
	// KNOB=VALUE; "" for another defect.
	Setting string
	// Change is what the defect does to a case, if it does nothing else; see [Asks].
	Change func(c *harness.Case)
}

// New makes a defect.
func New(name, text string, w Wrap) Defect { return Defect{Name: name, Text: text, Wrap: w} }

// AtSize returns a copy of the defect that only a large case shows, with the reason.
func (d Defect) AtSize(why string) Defect { d.Large = why; return d }

// TwoRequests is the reason for [Defect.Beyond] of defects that keep state.
const TwoRequests = "it takes two requests, and a scenario is one"

// Beyond returns a copy of the defect that no scenario shows, with the reason.
func (d Defect) Beyond(why string) Defect { d.Unshown = why; return d }

// Hanging makes a defect that hangs on some cases.
func Hanging(name, text string, when func(c harness.Case) bool) Defect {
	return Defect{Name: name, Text: text, Hangs: when, Wrap: func(right Eval) Eval { return right }}
}

// Engine returns an engine for a dialect that evaluates with the defect. It starts
// with empty state and has the given declaration.
func Engine(dialect string, d Defect, right Eval, declared harness.Declaration) harness.Engine {
	e := &engine{dialect, d.Name, d.Wrap(right), declared}
	if d.Hangs != nil {
		return &hanging{e, d.Hangs}
	}
	return e
}

type engine struct {
	dialect, name string
	eval          Eval
	declared      harness.Declaration
}

func (e *engine) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{
		Name: "defect:" + e.name, Version: harness.Version, Window: 1,
		Dialects: map[string]harness.Declaration{e.dialect: e.declared},
	}, nil
}

func (e *engine) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Dialect != e.dialect {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "the engine has no dialect " + c.Dialect}, nil
	}
	p := e.declared.Profile
	if c.Profile != nil {
		p = *c.Profile
	}
	return e.eval(c, p), nil
}

func (e *engine) Close() error { return nil }

// hanging never answers some cases. Like an external engine it fails after
// its own deadline, which is short because it does no
// work.
type hanging struct {
	*engine
	hangs func(c harness.Case) bool
}

// Deadline returns the time after which a request fails.
func (e *hanging) Deadline() time.Duration { return 10 * time.Millisecond }

func (e *hanging) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if !e.hangs(c) {
		return e.engine.Eval(ctx, c)
	}
	ctx, cancel := context.WithTimeout(ctx, e.Deadline())
	defer cancel()
	<-ctx.Done()
	return harness.Outcome{}, &harness.Failure{Kind: harness.Hang, Detail: "no answer within " + e.Deadline().String()}
}
