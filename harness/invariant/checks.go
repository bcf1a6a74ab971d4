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

	VersionOnce      = "version-once"
	HistoryKept      = "history-kept"
	ResultsSelective = "results-selective"
	IDsOnce          = "ids-once"
	OneByOne         = "one-by-one"

	LegalTransitions  = "legal-transitions"
	DependenciesFirst = "dependencies-first"
	DoneOnce          = "done-once"
	StepsClosed       = "steps-closed"
	DoneMeansDone     = "done-means-done"
	LimitsKept        = "limits-kept"
	EndNamed          = "end-named"
	RunBound          = "run-bound"
	TrueSignals       = "true-signals"
	RolesAlternate    = "roles-alternate"
	ResumeAnywhere    = "resume-anywhere"
)

// What a check of several dialects says, each in its own way.
const (
	untouchedText = "steps that the reply does not name keep their members and their order"
	lossText      = "what the reply asked for and did not get is named in the outcome"
	renameText    = "renaming ids renames them in the outcome and changes nothing else"
	layoutText    = "white space, key order and fences round the same JSON change nothing"
	twiceText     = "the same reply on the new plan breaks no safety invariant"
)

// Check is one thing that must hold.
type Check struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Kind Kind   `json:"kind"`
	// Sampled checks ask the engine again, and so are made on a share of the
	// cases, chosen by the case's salt.
	Sampled bool `json:"sampled,omitzero"`
	// Dialects are those that it is made for; nil is every one.
	Dialects []string `json:"dialects,omitzero"`
}

// Checks lists every check once, with all its dialects. Those of one dialect
// stand in the order in which breaks are reported; see [For].
func Checks() []Check {
	var list []Check
	for _, r := range table {
		i := slices.IndexFunc(list, func(c Check) bool { return c.Name == r.Name })
		if i < 0 {
			list = append(list, r.Check)
			continue
		}
		list[i].Dialects = slices.Concat(list[i].Dialects, r.Dialects)
	}
	return list
}

// For lists the checks of a dialect in the order in which breaks are reported:
// of several breaks of one case the first says most.
func For(dialect string) []Check {
	rules := byDialect[dialect]
	list := make([]Check, len(rules))
	for i, c := range rules {
		list[i] = c.Check
	}
	return list
}

// rule is a check with the function that makes it.
type rule struct {
	Check
	run func(*examination) result
}

// table holds the checks of every dialect; never written.
var table = slices.Concat(answerRules(), planRules(), patchRules(), operationsRules(), runRules(), sessionRules(), trimRules(), againRules(), relatedPatchRules(), relatedUpdateRules(), relatedSessionRules(), oracleRules())

// byDialect holds the rules of each dialect in the order of the table; never
// written.
var byDialect = func() map[string][]rule {
	m := map[string][]rule{}
	for _, d := range harness.Dialects() {
		for _, r := range table {
			if r.Dialects == nil || slices.Contains(r.Dialects, d.Name) {
				m[d.Name] = append(m[d.Name], r)
			}
		}
	}
	return m
}()

// answerRules look at any answer.
func answerRules() []rule {
	return []rule{
		{Check{Name: Total, Text: "every request gets a well-formed answer within its deadline", Kind: Safety}, (*examination).total},
		{Check{Name: InputUnchanged, Text: "the engine leaves the case as it was", Kind: Safety}, (*examination).inputUnchanged},
	}
}

// planRules look at the plan before and after an edit.
func planRules() []rule {
	plans := []string{harness.PlanPatch, harness.Operations}
	runs := append(plans[:2:2], harness.Orchestrator)
	return []rule{
		{Check{Atomic, "a refused reply leaves nothing behind", Safety, false, plans}, (*examination).atomic},
		{Check{DoneImmutable, "every done step stands in the new plan, member for member, in the same order", Safety, false, runs}, (*examination).doneImmutable},
		{Check{IDsUnique, "ids in the new plan are unique and not blank", Safety, false, runs}, (*examination).idsUnique},
		{Check{DepsExist, "every dependency names a step of the new plan", Safety, false, runs}, (*examination).depsExist},
		{Check{DepsAcyclic, "no step of the new plan depends on itself, directly or through others", Safety, false, runs}, (*examination).depsAcyclic},
		{Check{WithinLimit, "the new plan has at most max_plan_steps steps, or no more than the old one", Safety, false, runs}, (*examination).withinLimit},
		{Check{NewPending, "an added step starts as pending, and no reply makes a step done", Safety, false, plans}, (*examination).newPending},
		{Check{Progress, "an accepted reply changes the plan", Safety, false, []string{harness.PlanPatch}}, (*examination).progress},
	}
}

// patchRules look at what a patch or a full plan asks for.
func patchRules() []rule {
	patch := []string{harness.PlanPatch}
	return []rule{
		{Check{UntouchedKept, untouchedText, Safety, false, patch}, (*examination).untouchedKept},
		{Check{NoSilentLoss, lossText, Safety, false, patch}, (*examination).noSilentLoss},
	}
}

// againRules ask the same again.
func againRules() []rule {
	replied := []string{harness.PlanPatch, harness.Operations, harness.Orchestrator}
	return []rule{
		{Check{Name: Deterministic, Text: "the same request gets the same outcome again", Kind: Safety, Sampled: true}, (*examination).deterministic},
		{Check{Bounded, "time grows no faster than the reply", Safety, true, replied}, (*examination).bounded},
	}
}

// relatedPatchRules compare a patch with others derived from it.
func relatedPatchRules() []rule {
	patch := []string{harness.PlanPatch}
	return []rule{
		{Check{RenameIDs, renameText, Metamorphic, true, patch}, (*examination).renameIDs},
		{Check{PermuteLists, "the order of remove_steps and update_steps changes nothing", Metamorphic, true, patch}, (*examination).permuteLists},
		{Check{Layout, layoutText, Metamorphic, true, patch}, (*examination).layout},
		{Check{DiffPatch, "a patch made from the old and the new plan leads from one to the other", Metamorphic, true, patch}, (*examination).diffPatch},
		{Check{ApplyTwice, twiceText, Metamorphic, true, patch}, (*examination).applyTwice},
	}
}

// oracleRules compare with an answer that is known. They come last: what an
// invariant says of a break says more.
func oracleRules() []rule {
	return []rule{
		{Check{Name: Reference, Text: "the outcome is that of the reference under the same profile", Kind: Oracle}, (*examination).reference},
		{Check{Name: Expected, Text: "the outcome is what the maker of the case knows to be right", Kind: Oracle}, (*examination).expected},
	}
}

// Set is a set of checks of one dialect, by their place in [For].
type Set uint64

// Has reports whether the set holds the i-th check.
func (s Set) Has(i int) bool { return s>>i&1 == 1 }

// Find reports whether there is a check of that name, as its place among all;
// -1 if there is none. Sets are by the place among those of a dialect: see
// [Place].
func Find(name string) int { return find(table, name) }

// Place returns the place of a check among those of a dialect, or -1.
func Place(dialect, name string) int { return find(byDialect[dialect], name) }

func find(rules []rule, name string) int {
	return slices.IndexFunc(rules, func(r rule) bool { return r.Name == name })
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
