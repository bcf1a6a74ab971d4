package rules

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// script has the scripted answers of the model, the tools and the verification.
type script struct {
	replies []harness.Reply
	tools   []toolResult
	checks  []verification
	parser  *strictjson.Parser // of the writes, to be released
}

type toolResult struct {
	ok     bool
	output string
	writes []strictjson.Member // path → hash of the present content, by path
	// environment says what changed, other than by the tool; "" is nothing.
	environment string
}

// verification is the result of one.
type verification struct {
	OK     bool     `json:"ok"`
	Errors []string `json:"errors,omitzero"`
}

// maxDepth bounds the nesting of the scripts.
const maxDepth = 1000

// readScript reads the script, and returns the mistakes in its two documents.
func readScript(c harness.Case) (s script, faultOfTools, faultOfVerify *strictjson.Fault) {
	s.replies = c.Replies
	tools := reader{strictjson.Reader{Document: "/tools"}}
	results := tools.list(c.Tools)
	s.parser = tools.Parser
	s.tools = make([]toolResult, len(results))
	for i := range results {
		s.tools[i] = tools.toolResult(&results[i], path{}.Item(i))
	}
	checks := reader{strictjson.Reader{Document: "/verify"}}
	defer func() { checks.Parser.Release() }()
	for i, v := range checks.list(c.Verify) {
		s.checks = append(s.checks, checks.check(&v, path{}.Item(i)))
	}
	return s, tools.Fault, checks.Fault
}

// Faults are parts of a case, beside its plan, that no run can begin with.
type Faults struct{ Limits, Tools, Verify bool }

// FaultsOf looks for them in a case.
func FaultsOf(c harness.Case) Faults {
	_, limits := newRules(c, harness.Reference())
	script, tools, verify := readScript(c)
	defer script.parser.Release()
	return Faults{Limits: limits != nil, Tools: tools != nil, Verify: verify != nil}
}

// reader decodes a script and keeps the first fault.
type reader struct{ strictjson.Reader }

type path = strictjson.Path

// list returns the results of a script. Texts may contain lone surrogates.
func (r *reader) list(raw jsontext.Value) []strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	r.Parser = strictjson.Borrow(string(raw))
	doc, err := r.Parser.All(maxDepth)
	switch {
	case strictjson.InvalidUTF8(raw) >= 0:
		r.Fail(harness.InvalidUTF8, path{}, "holds bytes that are not UTF-8")
	case err != nil:
		r.Fail(harness.BadType, path{}, "is not well-formed JSON: %v", err)
	case len(doc.Duplicates) > 0:
		r.Fail(harness.DuplicateKey, strictjson.PathTo(doc.Duplicates[0].Pointer), "duplicate member %q",
			doc.Duplicates[0].Name)
	case doc.Root.Kind != strictjson.Null && r.Is(&doc.Root, strictjson.Array, path{}, "the script"):
		return doc.Root.Items
	}
	return nil
}

func (r *reader) toolResult(v *strictjson.Value, at path) toolResult {
	t := toolResult{ok: r.result(v, at, "ok", "output", "writes", "environment")}
	t.output, _ = r.Text(v, at, "output", false)
	t.environment, _ = r.Text(v, at, "environment", false)
	writes := r.Member(v, at, "writes", strictjson.Object, false)
	if writes == nil {
		return t
	}
	t.writes = writes.Members
	for _, w := range t.writes {
		r.Text(writes, at.Member("writes"), w.Name, true)
	}
	slices.SortFunc(t.writes, func(a, b strictjson.Member) int { return strings.Compare(a.Name, b.Name) })
	return t
}

func (r *reader) check(v *strictjson.Value, at path) verification {
	return verification{r.result(v, at, "ok", "errors"), r.Texts(v, at, "errors")}
}

// result reads the member ok, which every result must have. It allows only these members.
func (r *reader) result(v *strictjson.Value, at path, members ...string) bool {
	if !r.Is(v, strictjson.Object, at, "a result") {
		return false
	}
	r.Known(v, at, "a result", members...)
	ok := r.Member(v, at, "ok", strictjson.Bool, true)
	return ok != nil && ok.Text == "true"
}
