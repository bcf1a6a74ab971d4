package rpc

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/plan"
)

// DecodeOutcome reads the result of eval for a case and checks that it is complete: required
// members exist, and words of closed lists are known. It does not check whether the answer is
// right. It ignores members that the dialect does not have, members of steps that only the engine
// has, and the plan of a refusal if the case's own plan is malformed. A value that no plan can
// have is an error of type [Stored].
func DecodeOutcome(c harness.Case, result []byte) (harness.Outcome, error) {
	if jsontext.Value(result).Kind() != '{' {
		return harness.Outcome{}, fmt.Errorf("the result of eval is not an object")
	}
	o, err := decodeOutcome(c.Dialect, result)
	if err == nil {
		forgetOwn(c, o.Plan)
		return o, nil
	}
	// A message is free text: nothing is stored. Bytes that are not UTF-8 still break the protocol.
	if s := (*Stored)(nil); errors.As(err, &s) && s.At == "/message" && utf8.Valid(result) {
		if rest, ok := without(result, "message", `"rejected"`, `"applied"`); ok {
			return DecodeOutcome(c, rest)
		}
	}
	if refused, ok := withoutPlan(c, result); ok {
		return decodeOutcome(c.Dialect, refused)
	}
	return o, err
}

func decodeOutcome(dialect string, result []byte) (o harness.Outcome, err error) {
	if err := json.Unmarshal(result, &o); err != nil {
		if stored := storedIn(result, err); stored != nil {
			return o, stored
		}
		return o, fmt.Errorf("the result of eval: %w", plain(err))
	}
	members := all.Members(dialect)
	members.PassOver(&o)
	return o, checkOutcome(members, &o, result)
}

// forgetOwn forgets what an engine notes in steps for itself, such as updated_at: members that no
// dialect has and that the case does not name.
func forgetOwn(c harness.Case, p *plan.Plan) {
	if p == nil {
		return
	}
	p.KeepExtra(func(name string) bool { return plan.IsMember(name) || names(c, name) })
}

// names reports whether a document or a reply of the case has a member of that name, perhaps in
// a document within a string.
func names(c harness.Case, name string) bool {
	in := func(text []byte) bool {
		return bytes.Contains(text, []byte(`"`+name+`"`)) || bytes.Contains(text, []byte(`"`+name+`\"`))
	}
	for _, document := range c.Documents() {
		if in(document) {
			return true
		}
	}
	return slices.ContainsFunc(c.Replies, func(r harness.Reply) bool { return in([]byte(r)) })
}

// withoutPlan returns a refusal without its plan if the case's own plan is malformed: an engine
// that sends back what it got is not to blame.
func withoutPlan(c harness.Case, result []byte) ([]byte, bool) {
	read := all.Rules(c.Dialect).Plan
	if read == nil {
		return nil, false
	}
	if _, err := read(c); err == nil {
		return nil, false
	}
	return without(result, "plan", `"rejected"`)
}

// without returns a result without one of its members, if it has it and one of the verdicts.
func without(result []byte, member string, verdicts ...string) ([]byte, bool) {
	var members map[string]jsontext.Value
	tolerant := json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true),
		jsontext.PreserveRawStrings(true))
	if json.Unmarshal(result, &members, tolerant) != nil || members[member] == nil ||
		!slices.Contains(verdicts, string(members["verdict"])) {
		return nil, false
	}
	delete(members, member)
	rest, err := json.Marshal(members, tolerant)
	return rest, err == nil
}

// checkOutcome returns an error for an incomplete outcome, which result encodes.
func checkOutcome(members outcome.Members, o *harness.Outcome, result []byte) error {
	switch {
	case o.Verdict == "":
		return fmt.Errorf(`the member "verdict" is missing`)
	case !slices.Contains([]harness.Verdict{harness.Applied, harness.Rejected, harness.Unsupported}, o.Verdict):
		return fmt.Errorf("unknown verdict %q (the verdicts are applied, rejected, unsupported)", o.Verdict)
	case o.Verdict == harness.Rejected && o.Code == "":
		return fmt.Errorf(`a rejection needs the member "code"`)
	case o.Verdict != harness.Rejected && o.Code != "":
		return fmt.Errorf("the code %q comes with the verdict %s (only a rejection has a code)", o.Code, o.Verdict)
	}
	if err := checkWords(members, o); err != nil {
		return err
	}
	if member, words := members.Malformed(o); words != "" {
		return &Unfit{member, words}
	}
	if o.Verdict == harness.Applied {
		if name := members.Missing(outcome.Asked{Outcome: o}, func(string) bool { return false }); name != "" {
			var given map[string]jsontext.Value
			if json.Unmarshal(result, &given) == nil && given[name] != nil {
				return fmt.Errorf("an applied outcome needs the member %q, which is null (an empty list is [])", name)
			}
			return fmt.Errorf("an applied outcome needs the member %q", name)
		}
	}
	return nil
}

// words contains the closed lists of words in outcomes, by their subject. Nothing writes to it.
var words = sync.OnceValue(func() map[string]map[string]bool {
	lists := map[string]map[string]bool{"code": set(append(all.Words().Codes,
		harness.Term{Name: string(harness.Refused)}))}
	for _, d := range all.Dialects() {
		for _, m := range d.Members {
			if m.Closed.Terms != nil && lists[m.Closed.What] == nil {
				lists[m.Closed.What] = set(m.Closed.Terms(all.Words()))
			}
			if m.Closed.What == outcome.ResultOfOperation { // a result may be a code
				lists[m.Closed.What][string(harness.Refused)] = true
			}
		}
	}
	return lists
})

func set(terms []harness.Term) map[string]bool {
	m := make(map[string]bool, len(terms))
	for _, t := range terms {
		m[t.Name] = true
	}
	return m
}

// checkWords returns an error for a word that is in no closed list.
func checkWords(members outcome.Members, o *harness.Outcome) error {
	if err := checkWord("code", string(o.Code)); err != nil {
		return err
	}
	for i := range members {
		m := &members[i]
		if m.Closed.Terms == nil {
			continue
		}
		for word := range m.Words(o) {
			if err := checkWord(m.Closed.What, word); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkWord rejects a word that is not in its list. The empty word is fine.
func checkWord(what, word string) error {
	list := words()[what]
	if word == "" || list[word] {
		return nil
	}
	hint := ""
	if list[string(harness.Refused)] {
		hint = "; refused gives no reason"
	}
	if near := harness.Nearest(word, slices.Sorted(maps.Keys(list))); near != "" {
		hint += fmt.Sprintf("; did you mean %q?", near)
	}
	return &Unfit{"unknown " + what, fmt.Sprintf("unknown %s %q%s", what, word, hint)}
}

// Unfit is the error of an outcome that does not fit its dialect. What names the kind, such as "unknown code", or the
// member.
type Unfit struct{ What, words string }

func (e *Unfit) Error() string { return e.words }
