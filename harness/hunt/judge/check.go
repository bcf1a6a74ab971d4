package judge

import (
	"context"
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

// Ground is the reason why a check must hold.
type Ground string

// The grounds.
const (
	Safety      Ground = "safety"      // holds for every engine, whatever its policy
	Metamorphic Ground = "metamorphic" // holds between a case and one derived from it
	Oracle      Ground = "oracle"      // compares with an answer that is known
)

// The names of the checks that every dialect has.
const (
	Total          = "total"
	InputUnchanged = "input-unchanged"
	Deterministic  = "deterministic"
	Expected       = "expected"
	Reference      = "reference"
)

// Check is one thing that must hold.
type Check struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Ground Ground `json:"kind"`
	// Sampled checks ask the engine again, and so are made on a share of the
	// cases, chosen by the case's salt.
	Sampled bool `json:"sampled,omitzero"`
	// Kinds are all the ways in which it breaks.
	Kinds []Kind `json:"-"`
	// Borrows says that a kind is the name of another check, or of a relation, a
	// slash, and the kind of what broke there.
	Borrows bool `json:"-"`
	// Run makes the check.
	Run func(*Examination) Result `json:"-"`
}

// Holds makes a check that holds for every engine.
func Holds(name, text string, run func(*Examination) Result) Check {
	return Check{Name: name, Text: text, Ground: Safety, Run: run}
}

// Relates makes a check between a case and one derived from it. It is made
// on a share of the cases.
func Relates(name, text string, run func(*Examination) Result) Check {
	return Check{Name: name, Text: text, Ground: Metamorphic, Sampled: true, Borrows: true, Kinds: pairs(), Run: run}
}

// Where returns the check for the cases that the function holds for. It skips all others.
func (c Check) Where(is func(*Examination) bool) Check {
	run := c.Run
	c.Run = func(x *Examination) Result {
		if !is(x) {
			return Skip()
		}
		return run(x)
	}
	return c
}

// Breaking returns the check with the kinds in which it breaks.
func (c Check) Breaking(kinds ...[]Kind) Check { c.Kinds = slices.Concat(kinds...); return c }

// Sampled makes a check on a share of the cases only.
func Sampled(c Check) Check {
	c.Sampled = true
	return c
}

// Rules are what a dialect says of how its outcomes are judged.
type Rules struct {
	// Checks are in the order in which breaks are reported: the first break of a case says
	// most.
	Checks []Check
	// Codes are those that an outcome can have.
	Codes []harness.Term
	// Knobs are those that the dialect has of its own.
	Knobs []harness.Knob
	// Needs lists the features that an engine must declare for a case; nil is none.
	Needs func(harness.Case) []string
	// Plan reads the plan of a case; the error says why it is invalid. nil means that
	// cases have no plan.
	Plan func(harness.Case) (*plan.Plan, error)
	// Runs says that a rejected outcome has the plan that the run had until then, which is judged, too.
	Runs bool
	// Members are the members of outcomes.
	Members outcome.Members
	// Parts lists the answers within an outcome that is a list of them, such as
	// what became of each operation; nil is none.
	Parts func(*harness.Outcome) []Part
	// Uncoded says that the codes of parts are not compared.
	Uncoded bool
	// Align returns the outcome with the names that the engine was free to
	// choose called as in the right one; nil leaves it as it is.
	Align func(x *Examination, want *harness.Outcome) *harness.Outcome
	// Settle puts right the verdict of an engine that does not give the codes of the rules,
	// where the rest of its outcome contradicts it; nil changes nothing.
	Settle func(*harness.Outcome)
	// AlignFirst is the capability without which no name of an outcome means anything before it is aligned; "" is
	// none.
	AlignFirst string
	// Free reports whether engines may answer the case in their own way, so that
	// the reference does not count; nil is never.
	Free func(*Examination) bool
	// Chance reports whether what happens in a case depends on chance, as in a race: a break
	// counts although it does not show each time; nil is never.
	Chance func(harness.Case) bool
	// Unknown says what of the case an engine need not support though it
	// declares the dialect; "" or nil is nothing.
	Unknown func(harness.Case) string
}

// Resolve returns the profile under which an engine evaluates the case, or why it cannot; see
// [harness.Hello.Resolve]. needs are what the case needs, if the caller has them.
func (r *Rules) Resolve(h harness.Hello, c harness.Case, needs ...string) (p harness.Profile, lack harness.Lack) {
	if r.Needs == nil || h.Dialects[c.Dialect].Takes(c) {
		return h.Resolve(c, r.Knobs)
	}
	if needs == nil {
		needs = r.Needs(c)
	}
	return h.Resolve(c, r.Knobs, needs...)
}

// Chanced reports whether what happens in a case depends on chance.
func (r *Rules) Chanced(c harness.Case) bool { return r.Chance != nil && r.Chance(c) }

// Place returns the index of a check of the dialect, or -1.
func (r Rules) Place(name string) int { return find(r.Checks, name) }

// Answers are the checks that look at any answer. They come first.
func Answers() []Check {
	return []Check{
		Holds(Total, "every request gets a valid response before the timeout", (*Examination).Total).Breaking(
			Says(Crashes, "crash:SITE", "Crashes"), Says(Crashes, "hang", "Does not respond before the timeout"),
			At(harness.JudgeRules, Says(Differs, "invalid-plan:SITE", "Fails on a case whose own plan is invalid")),
			Says(Crashes, "memory", "Runs out of memory"), Says(Unsound, "stores:WHAT", "Stores …"),
			Says(Crashes, "garbage:WHAT", "Returns an invalid response (…)"),
			Says(Crashes, "missing:MEMBER", "Omits … from the response"),
			Says(Refuses, "unsupported", "Calls a declared feature unsupported (list it under without)")),
		Holds(InputUnchanged, "the engine does not change the case", (*Examination).inputUnchanged).Breaking(Says(Loss,
			"DOCUMENT", "Changes the case that it receives")),
	}
}

// Late is the kind of a timeout that is not the answer each time.
const Late = "late"

// Again asks the same again.
func Again() Check {
	return Sampled(Holds(Deterministic, "the same request always gets the same outcome", (*Examination).deterministic).
		Breaking(Says(Unsteady, "again", "Returns different outcomes for the same request"),
			Says(Unsteady, "history", "Returns outcomes that depend on earlier requests"),
			Says(Unsteady, "fails", "Fails on a request that it answered before"),
			Says(Unsteady, Late, "Times out on a request that it also answers in time")))
}

// Oracles compare with an answer that is known. They come last: what an
// invariant says of a break says more.
func Oracles() []Check {
	list := []Check{
		{
			Name: Reference, Text: "the outcome is that of the reference under the same profile", Ground: Oracle,
			Run: (*Examination).reference,
		},
		{
			Name: Expected, Text: "the outcome is the expected one, which the maker of the case knows", Ground: Oracle,
			Run: (*Examination).expected,
		},
	}
	for i := range list {
		list[i].Kinds = pairs()
	}
	return list
}

// Part is one answer of several in an outcome.
type Part struct {
	Applied bool
	Code    harness.Code // of a part that was not
	At      string       // its place in the request, if that is known
}

// Set is a set of checks of one dialect, by their place in [Rules].
type Set uint64

// Has reports whether the set holds the i-th check.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// find returns the place of the check of that name, or -1.
func find(checks []Check, name string) int {
	return slices.IndexFunc(checks, func(c Check) bool { return c.Name == name })
}

// Break says that a check failed.
type Break struct {
	Check   string `json:"check"`
	Kind    string `json:"kind"` // one of the check's kinds
	Class   Class  `json:"class"`
	Message string `json:"message"`        // one sentence
	Step    string `json:"step,omitzero"`  // the id of the step that shows it
	Field   string `json:"field,omitzero"` // the member that shows it
	Want    string `json:"want,omitzero"`  // the right answer, where one is known
	Got     string `json:"got"`            // the engine's answer
	// Level is the level at which it counts.
	Level harness.Level `json:"level,omitzero"`
	// Advisory breaks are reported and do not fail a gate.
	Advisory bool `json:"advisory,omitzero"`
	// Case is the one that shows the break, where it is derived from the case that
	// was judged; nil is that case itself.
	Case *harness.Case `json:"-"`
}

// Key is what makes two breaks the same kind of break: everything but the
// step and the words.
func (b Break) Key() string { return b.Check + "|" + b.Field + "|" + b.Want + "|" + b.Got }

// Answer puts an outcome in a word or two: its verdict, and its code.
func Answer(o harness.Outcome) string {
	if o.Code != "" {
		return string(o.Verdict) + " " + string(o.Code)
	}
	return string(o.Verdict)
}

// Result is what a check found: whether it had something to look at, and what
// broke.
type Result struct {
	Exercised bool
	Unseen    bool // there was something, and it cannot be seen from outside
	Broken    *Break
}

// Skip is the result of a check that has nothing to look at.
func Skip() Result { return Result{} }

// Held is the result of a check that holds.
func Held() Result { return Result{Exercised: true} }

// Broke reports a break of a kind; step and field may be "".
func Broke(kind, step, field, message string) Result {
	return Result{Exercised: true, Broken: &Break{Kind: kind, Message: message, Step: step, Field: field}}
}

// Brokef is Broke with a formatted message.
func Brokef(kind, step, field, format string, args ...any) Result {
	return Broke(kind, step, field, fmt.Sprintf(format, args...))
}

// Unseen is the result of a check that this engine cannot be held to, because
// what it looks at does not come out of the engine.
func Unseen() Result { return Result{Unseen: true} }

// constant is an engine that returns the same outcome for every case.
type constant struct {
	harness.Engine
	out harness.Outcome
}

func (t constant) Eval(context.Context, harness.Case) (harness.Outcome, error) { return t.out, nil }

// Given judges an outcome that an engine gave already. It makes the unsampled safety checks and
// those that are named, and asks the engine nothing.
func Given(ctx context.Context, hello harness.Hello, r Rules, o Options, item Item, out harness.Outcome,
	names ...string,
) (Judgement, error) {
	for _, c := range r.Checks {
		if c.Ground == Safety && !c.Sampled {
			names = append(names, c.Name)
		}
	}
	return New(constant{out: out}, hello, r, o).Only(ctx, item, names...)
}
