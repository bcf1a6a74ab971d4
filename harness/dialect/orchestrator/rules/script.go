package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// script is what the world answers: model, tools and verification.
type script struct {
	replies []harness.Reply
	tools   []toolResult
	checks  []check
}

// toolResult is what a tool answers.
type toolResult struct {
	ok     bool
	output string
	writes map[string]string // path → hash of what stands there now
}

// check is what a verification answers.
type check struct {
	ok     bool
	errors []string
}

// maxDepth bounds the nesting of the scripts.
const maxDepth = 1000

func newScript(c harness.Case) (script, *harness.Refusal) {
	s := script{replies: c.Replies}
	tools := reader{name: "tools"}
	for i, v := range tools.list(c.Tools) {
		s.tools = append(s.tools, tools.toolResult(&v, fmt.Sprintf("/tools/%d", i)))
	}
	checks := reader{name: "verify"}
	for i, v := range checks.list(c.Verify) {
		s.checks = append(s.checks, checks.check(&v, fmt.Sprintf("/verify/%d", i)))
	}
	if tools.refusal != nil {
		return s, tools.refusal
	}
	return s, checks.refusal
}

// reader decodes a script and keeps the first refusal.
type reader struct {
	name    string
	refusal *harness.Refusal
}

func (r *reader) fail(code harness.Code, at, format string, args ...any) {
	if r.refusal == nil {
		r.refusal = &harness.Refusal{Code: code, At: &at, Message: at + ": " + fmt.Sprintf(format, args...)}
	}
}

func (r *reader) list(raw jsontext.Value) []strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	at := "/" + r.name
	doc, err := strictjson.Parse(raw, maxDepth)
	switch {
	case strictjson.InvalidUTF8(raw) >= 0:
		r.fail(harness.InvalidUTF8, at, "holds bytes that are not UTF-8")
	case err != nil:
		r.fail(harness.BadType, at, "is not well-formed JSON: %v", err)
	case len(doc.Duplicates) > 0:
		r.fail(harness.DuplicateKey, at+doc.Duplicates[0].Pointer, "the member %q stands twice", doc.Duplicates[0].Name)
	case doc.Root.Kind == strictjson.Null:
	case doc.Root.Kind != strictjson.Array:
		r.fail(harness.BadType, at, "is a list of results, not %s", doc.Root.Kind)
	default:
		return doc.Root.Items
	}
	return nil
}

func (r *reader) toolResult(v *strictjson.Value, at string) toolResult {
	t := toolResult{ok: r.result(v, at, "output", "writes")}
	if m := v.Get("output"); m != nil && m.Kind != strictjson.Null {
		t.output = r.text(m, at+"/output")
	}
	m := v.Get("writes")
	if m == nil || m.Kind == strictjson.Null {
		return t
	}
	if m.Kind != strictjson.Object {
		r.fail(harness.BadType, at+"/writes", "is an object of paths and hashes, not %s", m.Kind)
	}
	t.writes = make(map[string]string, len(m.Members))
	for _, w := range m.Members {
		t.writes[w.Name] = r.text(&w.Value, at+"/writes/"+strictjson.Escape(w.Name))
	}
	return t
}

func (r *reader) check(v *strictjson.Value, at string) check {
	k := check{ok: r.result(v, at, "errors")}
	m := v.Get("errors")
	if m == nil || m.Kind == strictjson.Null {
		return k
	}
	if m.Kind != strictjson.Array {
		r.fail(harness.BadType, at+"/errors", "is a list of texts, not %s", m.Kind)
	}
	for i := range m.Items {
		k.errors = append(k.errors, r.text(&m.Items[i], fmt.Sprintf("%s/errors/%d", at, i)))
	}
	return k
}

// result reads the member ok, which every result has: one that does not say so
// is no success. Beside it only the members others may stand.
func (r *reader) result(v *strictjson.Value, at string, others ...string) bool {
	if v.Kind != strictjson.Object {
		r.fail(harness.BadType, at, "is an object with the member ok, not %s", v.Kind)
		return false
	}
	for _, m := range v.Members {
		if m.Name != "ok" && !slices.Contains(others, m.Name) {
			r.fail(harness.ExtraField, at+"/"+strictjson.Escape(m.Name), "there is no such member (ok, %s)", strings.Join(others, ", "))
		}
	}
	ok := v.Get("ok")
	switch {
	case ok == nil:
		r.fail(harness.MissingField, at, `the member "ok" is missing`)
		return false
	case ok.Kind != strictjson.Bool:
		r.fail(harness.BadType, at+"/ok", "is true or false, not %s", ok.Kind)
		return false
	}
	return ok.Text == "true"
}

func (r *reader) text(v *strictjson.Value, at string) string {
	if v.Kind != strictjson.String {
		r.fail(harness.BadType, at, "must be a string, not %s", v.Kind)
	}
	return v.Text
}
