package invariant

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/strictjson"
)

// request is what one reply asks for, read leniently and for itself. There is
// one only where no reader could see it otherwise: the reply holds exactly one
// JSON object, with nothing round it that could be another, no name given
// twice, and every member of the type that it should have.
type request struct {
	text   string // the reply
	start  int    // of the object in the reply
	end    int
	root   *strictjson.Value
	full   bool // a full plan; else a patch
	title  string
	remove []string
	update []item
	add    []item // of a patch; the steps of a full plan
}

// item is a step as a reply writes it. What it leaves out is nil.
type item struct {
	id           string
	description  *string
	dependencies *strictjson.Value
	tools        *strictjson.Value
	status       string // "" if absent
}

// asks returns what the reply that counts asks for, or nil.
func (x *examination) asks() *request {
	return remembered(x, func() *request {
		i, ok := x.appliedReply()
		if !ok {
			return nil
		}
		return readRequest(string(x.item.Case.Replies[i]))
	})
}

// maxRequest is the size of a reply that is still looked into.
const maxRequest = 256 << 10

func readRequest(text string) *request {
	r := findObject(text)
	if r == nil {
		return nil
	}
	r.full = r.root.Get("steps") != nil
	if !r.read() {
		return nil
	}
	return r
}

// findObject finds the only object of a reply; nil if there is none, or
// perhaps another.
func findObject(text string) *request {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')+1
	if start < 0 || end <= start || len(text) > maxRequest {
		return nil
	}
	for _, around := range []string{text[:start], text[end:]} {
		if strings.ContainsAny(around, "[]") || strings.Contains(around, "<think") {
			return nil
		}
	}
	doc, err := strictjson.Parse([]byte(text[start:end]), harness.DefaultMaxDepth)
	if err != nil || len(doc.Duplicates) > 0 || len(doc.Surrogates) > 0 {
		return nil
	}
	return &request{text: text, start: start, end: end, root: &doc.Root}
}

// read fills the request from its document, and reports whether that is as it
// should be.
func (r *request) read() bool {
	for i := range r.root.Members {
		m := &r.root.Members[i]
		if !r.member(m.Name, &m.Value) {
			return false
		}
	}
	return true
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
		r.remove, ok = texts(v)
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
	it.id = id.Text
	if d := given(v, "description"); d != nil {
		if d.Kind != strictjson.String {
			return false
		}
		it.description = &d.Text
	}
	if s := given(v, "status"); s != nil {
		if s.Kind != strictjson.String {
			return false
		}
		it.status = s.Text
	}
	it.dependencies, it.tools = given(v, "dependencies"), given(v, "tools_expected")
	return isTexts(it.dependencies) && isTexts(it.tools)
}

// hasOthers reports whether an update has a member that none may have: what
// becomes of it is a matter of policy.
func hasOthers(list *strictjson.Value) bool {
	for i := range list.Items {
		for _, m := range list.Items[i].Members {
			switch m.Name {
			case "id", "description", "dependencies", "tools_expected":
			default:
				return true
			}
		}
	}
	return false
}

// nameSet returns every id that the lists of a patch name, trimmed.
func (r *request) nameSet() *set {
	var s set
	for _, id := range r.remove {
		s.add(strings.TrimSpace(id))
	}
	for i := range r.update {
		s.add(strings.TrimSpace(r.update[i].id))
	}
	for i := range r.add {
		s.add(strings.TrimSpace(r.add[i].id))
	}
	return &s
}

// set is a set of strings, without a map while it is small.
type set struct {
	list  []string
	index map[string]bool
	room  [few]string
}

func (s *set) has(v string) bool {
	if s.index != nil {
		return s.index[v]
	}
	return slices.Contains(s.list, v)
}

func (s *set) add(v string) {
	if s.list == nil {
		s.list = s.room[:0]
	}
	if s.index == nil && len(s.list) == few {
		s.index = make(map[string]bool)
		for _, e := range s.list {
			s.index[e] = true
		}
	}
	if s.index != nil {
		s.index[v] = true
		return
	}
	s.list = append(s.list, v)
}
