package rpc

import (
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// DecodeOutcome reads the result of eval for a case of the given dialect and
// checks that it is a whole answer: the names of closed lists are ones that
// exist, and what must be there is there. Whether the answer is right is not
// asked. Members that the harness does not know are passed over.
func DecodeOutcome(dialect string, result []byte) (harness.Outcome, error) {
	var o harness.Outcome
	if jsontext.Value(result).Kind() != '{' {
		return o, fmt.Errorf("the result of eval is not an object")
	}
	if quick, ok := quickOutcome(result); ok {
		return quick, CheckOutcome(dialect, quick)
	}
	if err := json.Unmarshal(result, &o); err != nil {
		return o, fmt.Errorf("the result of eval: %w", plain(err))
	}
	return o, CheckOutcome(dialect, o)
}

// CheckOutcome reports what keeps an outcome from being a whole answer.
func CheckOutcome(dialect string, o harness.Outcome) error {
	switch {
	case o.Verdict == "":
		return fmt.Errorf(`the member "verdict" is missing`)
	case !slices.Contains([]harness.Verdict{harness.Applied, harness.Rejected, harness.Unsupported}, o.Verdict):
		return fmt.Errorf("unknown verdict %q (the verdicts are applied, rejected, unsupported)", o.Verdict)
	case o.Verdict == harness.Rejected && o.Code == "":
		return fmt.Errorf(`a rejection needs the member "code"`)
	case o.Verdict != harness.Rejected && o.Code != "":
		return fmt.Errorf("the code %q stands beside the verdict %s (only a rejection has a code)", o.Code, o.Verdict)
	}
	if err := checkWords(&o); err != nil {
		return err
	}
	return checkForm(forms[dialect], &o)
}

// form is what the outcomes of a dialect must look like beyond verdict and code.
type form struct {
	record bool     // plans have a name, a version and a history instead of a title
	needs  []member // of an applied outcome
}

// member is a member that must be given.
type member struct {
	name  string
	given func(*harness.Outcome) bool
}

// forms holds the forms of the dialects' outcomes. It is never written.
var forms = map[string]form{
	"planpatch": {needs: []member{ // who gives up planning has no plan
		{"plan", func(o *harness.Outcome) bool { return o.Plan != nil || o.Rung == harness.RungReact }},
	}},
	"operations": {record: true, needs: []member{ // no results are as good as an empty object
		{"plan", func(o *harness.Outcome) bool { return o.Plan != nil }},
		{"operations", func(o *harness.Outcome) bool { return o.Operations != nil }},
	}},
	"orchestrator": {needs: []member{
		{"trace", func(o *harness.Outcome) bool { return o.Trace != nil }},
	}},
	"planmode": {needs: []member{
		{"trace", func(o *harness.Outcome) bool { return o.Trace != nil }},
		{"mode", func(o *harness.Outcome) bool { return o.Mode != "" }},
	}},
	"trim": {needs: []member{
		{"messages", func(o *harness.Outcome) bool { return o.Messages != nil }},
	}},
}

func checkForm(f form, o *harness.Outcome) error {
	switch {
	case o.Plan != nil && f.record && o.Plan.Record == nil:
		return fmt.Errorf(`the plan has no name (the plans of this dialect have "name", "description", "version", "steps" and "history")`)
	case o.Plan != nil && !f.record && o.Plan.Record != nil:
		return fmt.Errorf(`the plan has no title (the plans of this dialect have "title" and "steps")`)
	case o.Verdict != harness.Applied:
		return nil
	}
	for _, m := range f.needs {
		if !m.given(o) {
			return fmt.Errorf("an applied outcome needs the member %q", m.name)
		}
	}
	return nil
}

// vocabulary holds the closed lists from which an outcome takes its words. It
// is never written.
var vocabulary = sync.OnceValue(func() words {
	v := all.Words()
	return words{
		codes:    listOf("code", v.Codes),
		tiers:    listOf("tier", v.Tiers),
		rungs:    listOf("rung", v.Rungs),
		repairs:  listOf("repair", v.Repairs),
		warnings: listOf("warning", v.Warnings),
		results:  listOf("result of an operation", v.Results),
		updates:  listOf("type of update", v.Updates),
	}
})

type words struct{ codes, tiers, rungs, repairs, warnings, results, updates list }

// checkWords reports a word that stands in none of the closed lists.
func checkWords(o *harness.Outcome) error {
	v := vocabulary()
	err := firstError(v.codes.check(string(o.Code)), v.tiers.check(string(o.Tier)), v.rungs.check(string(o.Rung)), v.updates.check(o.UpdateType))
	for _, r := range o.Repairs {
		err = firstError(err, v.repairs.check(r.Rule))
	}
	for _, w := range o.Warnings {
		err = firstError(err, v.warnings.check(w.Code))
	}
	for _, x := range o.Operations {
		err = firstError(err, v.results.check(x.Result))
	}
	for _, e := range o.Events {
		err = firstError(err, v.codes.check(string(e.Code)))
	}
	for _, t := range o.Trace {
		err = firstError(err, v.codes.check(string(t.Code)))
	}
	return err
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// list is a closed list of words.
type list struct {
	what  string
	words map[string]bool
}

func listOf(what string, terms []harness.Term) list {
	l := list{what, make(map[string]bool, len(terms))}
	for _, t := range terms {
		l.words[t.Name] = true
	}
	return l
}

// check refuses a word that is not in the list; none at all is fine.
func (l list) check(word string) error {
	if word == "" || l.words[word] {
		return nil
	}
	hint := ""
	if near := harness.Nearest(word, slices.Sorted(maps.Keys(l.words))); near != "" {
		hint = fmt.Sprintf("; did you mean %q?", near)
	}
	return fmt.Errorf("unknown %s %q%s", l.what, word, hint)
}
