package rpc

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// Plans are most of what travels, and almost all of them have the usual form.
// So they are cut out, read (or only looked at) in one pass, and the rest, which
// is small, is left to the JSON library. Whatever is unusual goes the long way,
// where it is said what is wrong.

// planOf finds the plan among the first members of an object, behind strings
// only, and returns its place: data[from:to], with its name and the comma that
// goes with it.
func planOf(data []byte) (p *plan.Plan, from, to int, ok bool) {
	rest, ok := bytes.CutPrefix(data, []byte("{"))
	for ok {
		var name []byte
		from = len(data) - len(rest)
		if name, rest, ok = memberName(rest); !ok {
			break
		}
		if string(name) == "plan" {
			p, n, ok := plan.Scan(rest)
			if ok {
				from, to, ok = span(data, from, len(data)-len(rest)+n)
			}
			return p, from, to, ok
		}
		if _, rest, ok = plainString(rest); ok {
			rest, ok = bytes.CutPrefix(trimSpace(rest), []byte(","))
		}
	}
	return nil, 0, 0, false
}

// memberName takes a name and its colon off the beginning of data.
func memberName(data []byte) (name, rest []byte, ok bool) {
	if name, rest, ok = plainString(trimSpace(data)); ok {
		rest, ok = bytes.CutPrefix(trimSpace(rest), []byte(":"))
	}
	return name, trimSpace(rest), ok
}

// span widens the place of a member by one comma, so that what is left when it
// is cut out is as well-formed as before.
func span(data []byte, from, to int) (wideFrom, wideTo int, ok bool) {
	rest := trimSpace(data[to:])
	if !bytes.HasPrefix(rest, []byte(",")) && !bytes.HasPrefix(rest, []byte("}")) {
		return 0, 0, false
	}
	if head := bytes.TrimRight(data[:from], " \t"); head[len(head)-1] == ',' {
		return len(head) - 1, to, true
	}
	if rest, ok := bytes.CutPrefix(rest, []byte(",")); ok && bytes.HasPrefix(trimSpace(rest), []byte(`"`)) {
		return from, len(data) - len(rest), true
	}
	return from, to, true
}

// plainString takes a string without escapes off the beginning of data.
func plainString(data []byte) (s, rest []byte, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return nil, nil, false
	}
	n := bytes.IndexByte(data[1:], '"')
	if n < 0 || bytes.IndexByte(data[1:1+n], '\\') >= 0 {
		return nil, nil, false
	}
	return data[1 : 1+n], data[n+2:], true
}

// quickOutcome reads an outcome with a plan of the usual form.
func quickOutcome(result []byte) (harness.Outcome, bool) {
	p, from, to, ok := planOf(result)
	if !ok {
		return harness.Outcome{}, false
	}
	var o harness.Outcome
	rest := append(append(make([]byte, 0, len(result)-(to-from)), result[:from]...), result[to:]...)
	if err := json.Unmarshal(rest, &o); err != nil || o.Plan != nil { // a second plan
		return harness.Outcome{}, false
	}
	o.Plan = p
	return o, true
}

// quickEval encodes the parameters of eval where the plan of the case has the
// usual form and stands on one line.
func quickEval(p EvalParams) ([]byte, bool) {
	document := p.Case.Plan
	if bytes.IndexByte(document, '\n') >= 0 || !plan.Usual(document) {
		return nil, false
	}
	p.Case.Plan = nil
	b, err := json.Marshal(p, tolerant())
	b, ok := bytes.CutSuffix(b, []byte("}}")) // of the case and of the parameters
	if err != nil || !ok {
		return nil, false
	}
	const member = `,"plan":`
	b = slices.Grow(b, len(member)+len(document)+2)
	return append(append(append(b, member...), document...), "}}"...), true
}
