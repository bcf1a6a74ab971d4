// Package invariant judges outcomes: what must hold for every engine whatever
// its policy (safety), what must hold between related cases (metamorphic), and
// what the answer should have been (oracles: the reference under the same
// profile, and the label of whoever made the case).
//
// The safety and metamorphic checks know plans and nothing of how edits are
// applied: they share no code with the reference engine, which is judged by
// them like any other.
package invariant

import (
	"slices"

	"replanbench/harness"
)

// Kind is the ground on which a check stands.
type Kind string

// The kinds.
const (
	Safety      Kind = "safety"      // holds for every engine, whatever its policy
	Metamorphic Kind = "metamorphic" // holds between a case and one derived from it
	Oracle      Kind = "oracle"      // compares with an answer that is known
)

// The names of the checks.
const (
	Total          = "total"
	InputUnchanged = "input-unchanged"
	Atomic         = "atomic"
	IDsUnique      = "ids-unique"
	DepsExist      = "deps-exist"
	DepsAcyclic    = "deps-acyclic"
	DoneImmutable  = "done-immutable"
	WithinLimit    = "within-limit"
	NewPending     = "new-pending"
	Progress       = "progress"
	UntouchedKept  = "untouched-kept"
	NoSilentLoss   = "no-silent-loss"
	Deterministic  = "deterministic"
	Bounded        = "bounded"
	RenameIDs      = "rename-ids"
	PermuteLists   = "permute-lists"
	Layout         = "layout"
	DiffPatch      = "diff-patch"
	ApplyTwice     = "apply-twice"
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
}

// Checks lists every check in the order in which breaks are reported: of
// several breaks of one case the first says most.
func Checks() []Check {
	list := make([]Check, len(table))
	for i, c := range table {
		list[i] = c.Check
	}
	return list
}

// rule is a check with the function that makes it.
type rule struct {
	Check
	run func(*examination) result
}

// table is never written.
var table = []rule{
	{Check{Total, "every request gets a well-formed answer within its deadline", Safety, false}, (*examination).total},
	{Check{InputUnchanged, "the engine leaves the case as it was", Safety, false}, (*examination).inputUnchanged},
	{Check{Atomic, "a refused reply leaves nothing behind", Safety, false}, (*examination).atomic},
	{Check{DoneImmutable, "every done step stands in the new plan, member for member, in the same order", Safety, false}, (*examination).doneImmutable},
	{Check{IDsUnique, "ids in the new plan are unique and not blank", Safety, false}, (*examination).idsUnique},
	{Check{DepsExist, "every dependency names a step of the new plan", Safety, false}, (*examination).depsExist},
	{Check{DepsAcyclic, "no step of the new plan depends on itself, directly or through others", Safety, false}, (*examination).depsAcyclic},
	{Check{WithinLimit, "the new plan has at most max_plan_steps steps, or no more than the old one", Safety, false}, (*examination).withinLimit},
	{Check{NewPending, "an added step starts as pending, and no reply makes a step done", Safety, false}, (*examination).newPending},
	{Check{Progress, "an accepted reply changes the plan", Safety, false}, (*examination).progress},
	{Check{UntouchedKept, "steps that the reply does not name keep their members and their order", Safety, false}, (*examination).untouchedKept},
	{Check{NoSilentLoss, "what the reply asked for and did not get is named in the outcome", Safety, false}, (*examination).noSilentLoss},
	{Check{Deterministic, "the same request gets the same outcome again", Safety, true}, (*examination).deterministic},
	{Check{Bounded, "time grows no faster than the reply", Safety, true}, (*examination).bounded},
	{Check{RenameIDs, "renaming ids renames them in the outcome and changes nothing else", Metamorphic, true}, (*examination).renameIDs},
	{Check{PermuteLists, "the order of remove_steps and update_steps changes nothing", Metamorphic, true}, (*examination).permuteLists},
	{Check{Layout, "white space, key order and fences round the same JSON change nothing", Metamorphic, true}, (*examination).layout},
	{Check{DiffPatch, "a patch made from the old and the new plan leads from one to the other", Metamorphic, true}, (*examination).diffPatch},
	{Check{ApplyTwice, "the same reply on the new plan breaks no safety invariant", Metamorphic, true}, (*examination).applyTwice},
	{Check{Reference, "the outcome is that of the reference under the same profile", Oracle, false}, (*examination).reference},
	{Check{Expected, "the outcome is what the maker of the case knows to be right", Oracle, false}, (*examination).expected},
}

// Set is a set of checks, by their place in [Checks].
type Set uint32

// Has reports whether the set holds the i-th check.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// Find returns the place of the check with that name, or -1.
func Find(name string) int {
	return slices.IndexFunc(table, func(r rule) bool { return r.Name == name })
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
