package check

import (
	"slices"
	"strings"
	"sync"

	"replanbench/harness/dialect/check"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// request is the parsed content of a reply. It exists only if every member has the expected type.
type request struct {
	*check.Request
	full     bool // a full plan instead of a patch
	title    string
	remove   []string // trimmed
	update   []item
	add      []item          // added steps of a patch, or all steps of a full plan
	reported map[string]bool // ids that the outcome names; nil until first used
}

// item is a step as written in a reply. Absent members are nil.
type item struct {
	id           string // trimmed
	written      string // the id as it is written
	description  *string
	dependencies *strictjson.Value
	tools        *strictjson.Value
	status       string // "" if absent
}

// asks returns the request of the reply that was applied, or nil.
func asks(x *judge.Examination) *request {
	return judge.Remembered(x, func() *request {
		i, ok := check.AppliedReply(x)
		if !ok {
			return nil
		}
		return readRequest(x, string(x.Item.Case.Replies[i]))
	})
}

// single returns the request of the only reply, or nil if it is ambiguous or must not be rewritten.
func single(x *judge.Examination) *request {
	if !check.Single(x) {
		return nil
	}
	return asks(x)
}

func readRequest(x *judge.Examination, text string) *request {
	object := check.FindObject(x, text)
	if object == nil {
		return nil
	}
	r := &request{Request: object, full: object.Root.Get("steps") != nil, title: object.Root.Get("title").Str()}
	if reply.Fault(typed()[r.full], r.Root) != nil {
		return nil
	}
	list := func(name string) []strictjson.Value { return r.Root.Given(name).List() }
	if r.full {
		r.add = collect.Map(list("steps"), readItem)
		return r
	}
	r.remove = collect.Map(list("remove_steps"), func(id strictjson.Value) string { return strings.TrimSpace(id.Text) })
	r.update, r.add = collect.Map(list("update_steps"), readItem), collect.Map(list("add_steps"), readItem)
	return r
}

// typed declares patches and, by true, full plans in which no member but ids is required, and ids may be blank: a
// request that other rules than those about types reject is a request.
var typed = sync.OnceValue(func() map[bool]*document.Value {
	patch, full := spec.Patch(), spec.FullPlan()
	patch.Member("add_steps").Item.Open = true
	loosen(&patch)
	loosen(&full)
	return map[bool]*document.Value{false: &patch, true: &full}
})

func loosen(v *document.Value) {
	if v.Kind == document.IDKind {
		v.Kind = document.TextKind
	}
	for i := range v.Members {
		v.Members[i].Required = v.Members[i].Name == "id"
		loosen(&v.Members[i].Value)
	}
	if v.Item != nil {
		item := *v.Item // declarations share it
		loosen(&item)
		v.Item = &item
	}
}

func readItem(v strictjson.Value) item {
	it := item{
		id: strings.TrimSpace(v.Get("id").Text), written: v.Get("id").Text, status: v.Get("status").Str(),
		dependencies: v.Given("dependencies"), tools: v.Given("tools_expected"),
	}
	if text := v.Given("description"); text != nil {
		it.description = &text.Text
	}
	return it
}

func ids(list []item) []string { return collect.Map(list, func(it item) string { return it.id }) }

// named returns the ids in all lists of a patch; nil without a request.
func (r *request) named() map[string]bool {
	if r == nil {
		return nil
	}
	return collect.Set(slices.Concat(r.remove, ids(r.update), ids(r.add)))
}
