package check

import (
	"slices"
	"strings"

	"replanbench/harness/dialect/check"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/judge"
)

// request is the parsed content of one reply. It exists only if every member has
// the expected type.
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

// single returns the request of the only reply, or nil if it is ambiguous or if
// a limit on its size forbids rewriting it.
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
	r := &request{Request: object, full: object.Root.Get("steps") != nil}
	for i := range r.Root.Members {
		m := &r.Root.Members[i]
		if !r.member(m.Name, &m.Value) {
			return nil
		}
	}
	return r
}

func (r *request) member(name string, v *strictjson.Value) (ok bool) {
	null := v.Kind == strictjson.Null
	switch {
	case name == "type":
		want := "PlanPatch"
		if r.full {
			want = "FullPlan"
		}
		return null || v.Kind == strictjson.String && v.Text == want
	case name == "title":
		r.title = v.Text
		return v.Kind == strictjson.String || null && !r.full
	case name == "steps":
		r.add, ok = items(v)
		return ok
	case r.full:
		return name != "verification_policy" || v.Kind == strictjson.String
	case name == "reason":
		return null || v.Kind == strictjson.String
	case name == "remove_steps":
		ids, ok := v.Strings()
		r.remove = collect.Map(ids, strings.TrimSpace)
		return ok || null
	case name == "update_steps":
		r.update, ok = items(v)
		return (ok || null) && !hasOthers(v)
	case name == "add_steps":
		r.add, ok = items(v)
		return ok || null
	}
	return false
}

func items(v *strictjson.Value) ([]item, bool) {
	if v.Kind != strictjson.Array {
		return nil, false
	}
	list := make([]item, len(v.Items))
	for i := range v.Items {
		if !list[i].read(&v.Items[i]) {
			return nil, false
		}
	}
	return list, true
}

func (it *item) read(v *strictjson.Value) bool {
	id := v.Get("id")
	if v.Kind != strictjson.Object || id == nil || id.Kind != strictjson.String {
		return false
	}
	it.id, it.written = strings.TrimSpace(id.Text), id.Text
	text, status := v.Given("description"), v.Given("status")
	if text != nil {
		it.description = &text.Text
	}
	it.status, it.dependencies, it.tools = status.Str(), v.Given("dependencies"), v.Given("tools_expected")
	return (text == nil || text.Kind == strictjson.String) && (status == nil || status.Kind == strictjson.String) &&
		(it.dependencies == nil || it.dependencies.IsStrings()) && (it.tools == nil || it.tools.IsStrings())
}

// hasOthers reports whether an update has an unknown member. Policies decide what
// happens to it.
func hasOthers(list *strictjson.Value) bool {
	known := []string{"id", "description", "dependencies", "tools_expected"}
	return slices.ContainsFunc(list.Items, func(it strictjson.Value) bool {
		return slices.ContainsFunc(it.Members, func(m strictjson.Member) bool { return !slices.Contains(known, m.Name) })
	})
}

func ids(list []item) []string { return collect.Map(list, func(it item) string { return it.id }) }

// named returns the ids in all lists of a patch; nil without a request.
func (r *request) named() map[string]bool {
	if r == nil {
		return nil
	}
	return collect.Set(slices.Concat(r.remove, ids(r.update), ids(r.add)))
}
