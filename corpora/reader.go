package corpora

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// effect is what a session says about a call afterwards. Members that it does not say are
// nil or "".
type effect struct {
	before, after jsontext.Value // the items of the plan, as JSON lists
	text          string         // what the tool answered
	structured    jsontext.Value // the same as an object
	refused       bool           // the call changed nothing
}

// rule says where an object of a session has calls or their results. Paths are names and
// indices joined by dots, relative to the item; paths that begin with ^ are relative to the
// object. Conditions are PATH=VALUE|VALUE, PATH!=VALUE or PATH!~TEXT, and ;; separates
// alternatives.
type rule struct {
	when, where string // conditions on the object and on the item
	each        string // the list of items; "": the object is the item
	// id, name and args of a call. A rule without a name is for results, and id names
	// their call.
	id, name, args   string
	model, finish    string
	refused          string // the condition of a refused call
	before, after    string // the lists around the call
	text, structured string // the answer of the tool
}

// read returns the calls and results of an object.
func (r *rule) read(doc jsontext.Value) (list []answer) {
	if !holds(doc, doc, r.when) {
		return nil
	}
	items := []jsontext.Value{doc}
	if r.each != "" {
		items = elements(pathAt(doc, doc, r.each))
	}
	for _, item := range items {
		if !holds(doc, item, r.where) {
			continue
		}
		a, id, result := answer{}, text(pathAt(doc, item, r.id)), &effect{
			before: listAt(doc, item, r.before), after: listAt(doc, item, r.after),
			text: answerText(pathAt(doc, item, r.text)), structured: pathAt(doc, item, r.structured).Clone(),
			refused: r.refused != "" && holds(doc, item, r.refused),
		}
		if r.name != "" && r.refused+r.after+r.text == "" {
			result = nil // another object has it
		}
		switch in := pathAt(doc, item, r.args); {
		case r.name == "" && id != "":
			a.of, a.result = id, result
		case r.name != "" && in != nil:
			a.ID, a.Model = id, text(pathAt(doc, item, r.model))
			a.FinishReason = finish(text(pathAt(doc, item, r.finish)))
			a.calls = []call{{text(pathAt(doc, item, r.name)), text(in), id, result}}
		default:
			continue
		}
		list = append(list, a)
	}
	return list
}

// answerText returns an answer that is a text or a list of texts.
func answerText(v jsontext.Value) string {
	if v.Kind() == '[' {
		return flatten(v)
	}
	return text(v)
}

// pathAt follows a path of a rule; "" leads nowhere.
func pathAt(doc, item jsontext.Value, path string) jsontext.Value {
	if path == "" {
		return nil
	}
	if rest, ok := strings.CutPrefix(path, "^"); ok {
		item, path = doc, rest
	}
	return lookup(item, strings.Split(path, ".")...)
}

func listAt(doc, item jsontext.Value, paths string) jsontext.Value {
	for path := range strings.SplitSeq(paths, ";;") {
		if v := pathAt(doc, item, path); v.Kind() == '[' {
			return v
		}
	}
	return nil
}

// holds reports whether any of the alternatives of a condition holds. "" always holds.
func holds(doc, item jsontext.Value, condition string) bool {
	if condition == "" {
		return true
	}
	for one := range strings.SplitSeq(condition, ";;") {
		if path, part, ok := strings.Cut(one, "!~"); ok {
			if v := pathAt(doc, item, path); v != nil && !strings.Contains(text(v), part) {
				return true
			}
			continue
		}
		path, value, _ := strings.Cut(one, "=")
		path, not := strings.CutSuffix(path, "!")
		if slices.Contains(strings.Split(value, "|"), text(pathAt(doc, item, path))) != not {
			return true
		}
	}
	return false
}

// readRules returns what the first rules that apply find in an object.
func readRules(rules []rule, doc jsontext.Value) (list []answer) {
	for i := range rules {
		list = append(list, rules[i].read(doc)...)
	}
	return list
}

// maxPending is the number of calls that may wait for the result of an earlier one.
const maxPending = 1000

// sessionReader hands the calls of a session on, in their order, as soon as their results
// are known.
type sessionReader struct {
	seen    map[string]bool // ids of calls: a message may come again with more in it
	pending []draft         // each is one call
	found   func(draft) bool
	stopped bool
}

func newSessionReader(found func(draft) bool) *sessionReader {
	return &sessionReader{seen: map[string]bool{}, found: found}
}

// take takes a call, a result or a problem. It returns false to stop.
func (r *sessionReader) take(d draft) bool {
	switch {
	case d.err != nil:
		return r.flush(0) && r.found(d)
	case d.of != "":
		i := slices.IndexFunc(r.pending, func(p draft) bool { return p.calls[0].id == d.of })
		if i >= 0 {
			r.pending[i].calls[0].result = d.result
		}
		return r.flush(maxPending)
	}
	if d.calls[0].id == "" {
		d.ID = fmt.Sprintf("%s#%d", d.ID, d.choice)
	}
	if d.choice = 0; !r.seen[d.ID] {
		r.seen[d.ID] = true
		r.pending = append(r.pending, d)
	}
	return r.flush(maxPending)
}

// flush hands on the first calls whose results are known, and others while more than most
// of them wait.
func (r *sessionReader) flush(most int) bool {
	for len(r.pending) > 0 && !r.stopped && (r.pending[0].calls[0].result != nil || len(r.pending) > most) {
		r.stopped = !r.found(r.pending[0])
		r.pending = r.pending[1:]
	}
	return !r.stopped
}

// readLines reads a session with an object in each line. complete sees each object first,
// with a nil answer, and then completes the calls in it.
func readLines(name string, found func(draft) bool, rules []rule, complete func(doc jsontext.Value, a *answer)) error {
	r := newSessionReader(found)
	err := eachLine(name, r.take, func(doc jsontext.Value) ([]answer, error) {
		list := readRules(rules, doc)
		complete(doc, nil)
		for i := range list {
			complete(doc, &list[i])
		}
		return list, nil
	})
	r.flush(0)
	return err
}

// readObjects reads a session from the objects of a document.
func readObjects(name string, found func(draft) bool, rules []rule, docs []jsontext.Value,
	complete func(doc jsontext.Value, a *answer),
) {
	r := newSessionReader(found)
	for i, doc := range docs {
		list := readRules(rules, doc)
		for k := range list {
			complete(doc, &list[k])
		}
		if !handOn(Problem{Source: name, Line: i + 1}, doc, list, nil, r.take) {
			return
		}
	}
	r.flush(0)
}
