package invariant

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Kind is the ground on which a check stands.
type Kind string

// The kinds.
const (
	Safety      Kind = "safety"      // holds for every engine, whatever its policy
	Metamorphic Kind = "metamorphic" // holds between a case and one derived from it
	Oracle      Kind = "oracle"      // compares with an answer that is known
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
	Name string `json:"name"`
	Text string `json:"text"`
	Kind Kind   `json:"kind"`
	// Sampled checks ask the engine again, and so are made on a share of the
	// cases, chosen by the case's salt.
	Sampled bool `json:"sampled,omitzero"`
	// Run makes the check.
	Run func(*examination) result `json:"-"`
}

// safety makes a check that holds for every engine.
func safety(name, text string, run func(*examination) result) Check {
	return Check{Name: name, Text: text, Kind: Safety, Run: run}
}

// metamorphic makes a check between a case and one derived from it. It is made
// on a share of the cases.
func metamorphic(name, text string, run func(*examination) result) Check {
	return Check{Name: name, Text: text, Kind: Metamorphic, Sampled: true, Run: run}
}

// sampled makes a check on a share of the cases only.
func sampled(c Check) Check {
	c.Sampled = true
	return c
}

// Rules are what a dialect says of how its outcomes are judged.
type Rules struct {
	// Checks stand in the order in which breaks are reported: of several
	// breaks of one case the first says most.
	Checks []Check
	// Plan reads the plan of a case; the error says what makes it unsound.
	Plan func(harness.Case) (*plan.Plan, error)
	// Missing names a member that an applied outcome must have and this one
	// lacks; "" if it is whole.
	Missing func(*examination) string
	// Align returns the outcome with the names that the engine was free to
	// choose called as in the right one; nil leaves it as it is.
	Align func(x *examination, want *harness.Outcome) *harness.Outcome
	// Compare finds the first difference between the members of two outcomes that
	// only some dialects have; nil compares what both give.
	Compare func(want, got *harness.Outcome) *difference
	// Free reports whether engines may answer the case in their own way, so that
	// the reference does not count; nil is never.
	Free func(*examination) bool
	// Unknown says what of the case an engine need not support though it
	// declares the dialect; "" or nil is nothing.
	Unknown func(harness.Case) string
}

// Place returns the place of a check among those of the dialect, or -1.
func (r Rules) Place(name string) int { return find(r.Checks, name) }

// Answers are the checks that look at any answer. They come first.
func Answers() []Check {
	return []Check{
		safety(Total, "every request gets a well-formed answer within its deadline", (*examination).total),
		safety(InputUnchanged, "the engine leaves the case as it was", (*examination).inputUnchanged),
	}
}

// Again asks the same again.
func Again() Check {
	return sampled(safety(Deterministic, "the same request gets the same outcome again", (*examination).deterministic))
}

// Oracles compare with an answer that is known. They come last: what an
// invariant says of a break says more.
func Oracles() []Check {
	return []Check{
		{Name: Reference, Text: "the outcome is that of the reference under the same profile", Kind: Oracle, Run: (*examination).reference},
		{Name: Expected, Text: "the outcome is what the maker of the case knows to be right", Kind: Oracle, Run: (*examination).expected},
	}
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
	Message string `json:"message"`        // one sentence
	Step    string `json:"step,omitzero"`  // the id of the step that shows it
	Field   string `json:"field,omitzero"` // the member that shows it
	Want    string `json:"want,omitzero"`  // the right answer, where one is known
	Got     string `json:"got"`            // the engine's answer
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

// result is what a check found: whether it had something to look at, and what
// broke.
type result struct {
	exercised bool
	broken    *Break
}

func skip() result { return result{} }
func held() result { return result{exercised: true} }

// broke reports a break; step and field may be "".
func broke(step, field, message string) result {
	return result{true, &Break{Message: message, Step: step, Field: field}}
}
