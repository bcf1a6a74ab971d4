// Package mutant is the kit that defects are made with.
//
// A defect is a bug that real engines have. It wraps the rules of a dialect: it
// changes the case before they see it, or the outcome afterwards, or it keeps
// something in mind between two cases. The rules know nothing of it, and on a
// case that does not touch the defect both agree. What is wrapped may have a
// defect already.
//
// The dialects list their defects in packages of their own. Nothing here finds
// any: package calibrate runs campaigns against engines with a defect and shows
// which check notices which.
package mutant

import (
	"context"
	"time"

	"replanbench/harness"
)

// Eval says what comes of a case under a profile.
type Eval func(c harness.Case, p harness.Profile) harness.Outcome

// Wrap makes an evaluation with a defect of one without. What the defect
// remembers between two cases it begins to remember here.
type Wrap func(right Eval) Eval

// Defect is a way to be wrong.
type Defect struct {
	Name string // among the defects of all dialects
	Text string // one line, what the engine does
	Wrap Wrap
	// Large says why only a large case shows the defect (many steps, or many
	// operations), where one would expect a small one to do; mostly "".
	Large string
	// Unshown says why no scenario shows the defect; mostly "".
	Unshown string
	// Hangs reports whether the engine never answers the case; mostly nil.
	Hangs func(c harness.Case) bool
}

// New makes a defect.
func New(name, text string, w Wrap) Defect { return Defect{Name: name, Text: text, Wrap: w} }

// Large makes a defect that only a large case shows, and says why.
func Large(name, text, why string, w Wrap) Defect {
	return Defect{Name: name, Text: text, Large: why, Wrap: w}
}

// TwoRequests says why no scenario shows what an engine remembers.
const TwoRequests = "it takes two requests, and a scenario is one"

// Beyond returns the defect as one that no scenario shows, and says why.
func (d Defect) Beyond(why string) Defect {
	d.Unshown = why
	return d
}

// Hanging makes a defect by which the engine never answers some cases.
func Hanging(name, text string, when func(c harness.Case) bool) Defect {
	return Defect{Name: name, Text: text, Hangs: when, Wrap: func(right Eval) Eval { return right }}
}

// Engine returns an engine for a dialect that evaluates with the defect and
// remembers nothing yet. It says of itself what is declared.
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

// hanging never answers some cases. Like an engine behind a process or a network
// it is given up after a time of its own, which is short, since nothing is to be
// waited for.
type hanging struct {
	*engine
	hangs func(c harness.Case) bool
}

// Deadline is how long the engine is waited for.
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
