package budget

import (
	"context"
	"errors"
	"fmt"

	"replanbench/harness"
)

// The checks that [Examine] makes beside those of [Judge].
const (
	CheckTotal         = "trim-total"
	CheckDeterministic = "trim-deterministic"
	CheckReference     = "trim-reference"
)

// Examination is what was found about an engine's answer to one case.
type Examination struct {
	Outcome     harness.Outcome
	Unsupported bool // the engine does not do such a case
	Breaks      []Break
}

// Examine asks an engine three times: the case, the case again, and the case
// with the trimmed history. It judges the answers and compares the first with
// the rules of this package under the same policy. The last is a matter of
// policy ([CheckReference]): an engine that trims in its own way may differ and
// still keep every promise.
//
// An engine that fails breaks [CheckTotal]. The error says that the context
// ended or that the engine was given up.
func Examine(ctx context.Context, e harness.Engine, c harness.Case) (Examination, error) {
	x := examiner{ctx: ctx, engine: e}
	first, ok := x.ask(c)
	if !ok || first.Verdict == harness.Unsupported {
		return Examination{Outcome: first, Unsupported: ok, Breaks: x.breaks}, x.err
	}
	x.breaks = append(x.breaks, Judge(c, first)...)
	if second, ok := x.ask(c); ok && !sameAnswer(first, second) {
		x.broke(CheckDeterministic, "asked again, the engine answers otherwise")
	}
	if next, ok := Again(c, first); ok {
		if second, ok := x.ask(next); ok {
			x.breaks = append(x.breaks, JudgeAgain(first, second)...)
		}
	}
	if want := Eval(c, harness.Reference()); !sameAnswer(want, first) {
		x.broke(CheckReference, difference(want, first))
	}
	return Examination{Outcome: first, Breaks: x.breaks}, x.err
}

type examiner struct {
	ctx    context.Context
	engine harness.Engine
	breaks []Break
	err    error
}

func (x *examiner) broke(check, message string) {
	x.breaks = append(x.breaks, Break{check, message})
}

// ask calls the engine and reports whether it answered.
func (x *examiner) ask(c harness.Case) (harness.Outcome, bool) {
	if x.err != nil {
		return harness.Outcome{}, false
	}
	o, err := x.engine.Eval(x.ctx, c)
	switch {
	case err == nil:
		return o, true
	case x.ctx.Err() != nil:
		x.err = x.ctx.Err()
	case errors.Is(err, harness.ErrStopped):
		x.err = err
	default:
		x.broke(CheckTotal, "the engine failed: "+harness.AsFailure(err).Error())
	}
	return harness.Outcome{}, false
}

// sameAnswer compares what an engine must say: verdict, code and messages.
func sameAnswer(a, b harness.Outcome) bool {
	if a.Verdict != b.Verdict || a.Code != b.Code {
		return false
	}
	p, errP := Decode(a.Messages)
	q, errQ := Decode(b.Messages)
	if errP != nil || errQ != nil {
		return string(a.Messages) == string(b.Messages)
	}
	return string(Encode(p)) == string(Encode(q))
}

// difference says in a sentence how an answer differs from the reference's.
func difference(want, got harness.Outcome) string {
	switch {
	case want.Verdict != got.Verdict || want.Code != got.Code:
		return fmt.Sprintf("the reference answers %s, the engine %s", answer(want), answer(got))
	case fmt.Sprint(want.Dropped) != fmt.Sprint(got.Dropped):
		return fmt.Sprintf("the reference drops %v, the engine %v", want.Dropped, got.Dropped)
	}
	return fmt.Sprintf("the reference cuts %v, the engine %v", want.Cut, got.Cut)
}

func answer(o harness.Outcome) string {
	if o.Code != "" {
		return string(o.Verdict) + " (" + string(o.Code) + ")"
	}
	return string(o.Verdict)
}
