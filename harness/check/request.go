package check

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/judge"
	"replanbench/harness/strictjson"
)

// Request is what one reply asks for, read leniently and for itself. There is
// one only where no reader could see it otherwise: the reply holds exactly one
// JSON object, with nothing round it that could be another, no name given
// twice, and every member of the type that it should have.
type Request struct {
	Text   string // the reply
	Start  int    // of the object in the reply
	End    int
	Root   *strictjson.Value
	Full   bool // a full plan; else a patch
	Title  string
	Remove []string
	Update []Item
	Add    []Item // of a patch; the steps of a full plan
}

// Item is a step as a reply writes it. What it leaves out is nil.
type Item struct {
	Id           string
	Description  *string
	Dependencies *strictjson.Value
	Tools        *strictjson.Value
	Status       string // "" if absent
}

// Asks returns what the reply that counts asks for, or nil.
func Asks(x *judge.Examination) *Request {
	return judge.Remembered(x, func() *Request {
		i, ok := AppliedReply(x)
		if !ok {
			return nil
		}
		return readRequest(string(x.Item.Case.Replies[i]))
	})
}

// maxRequest is the size of a reply that is still looked into.
const maxRequest = 256 << 10

func readRequest(text string) *Request {
	r := FindObject(text)
	if r == nil {
		return nil
	}
	r.Full = r.Root.Get("steps") != nil
	if !r.read() {
		return nil
	}
	return r
}

// FindObject finds the only object of a reply; nil if there is none, or
// perhaps another.
func FindObject(text string) *Request {
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
	return &Request{Text: text, Start: start, End: end, Root: &doc.Root}
}

// read fills the request from its document, and reports whether that is as it
// should be.
func (r *Request) read() bool {
	for i := range r.Root.Members {
		m := &r.Root.Members[i]
		if !r.member(m.Name, &m.Value) {
			return false
		}
	}
	return true
}

func (r *Request) member(name string, v *strictjson.Value) (ok bool) {
	null := v.Kind == strictjson.Null
	switch {
	case name == "type":
		want := "PlanPatch"
		if r.Full {
			want = "FullPlan"
		}
		return null || v.Kind == strictjson.String && v.Text == want
	case name == "title":
		r.Title = v.Text
		return v.Kind == strictjson.String || null && !r.Full
	case name == "steps":
		r.Add, ok = items(v)
		return ok
	case r.Full:
		return name != "verification_policy" || v.Kind == strictjson.String
	case name == "reason":
		return null || v.Kind == strictjson.String
	case name == "remove_steps":
		r.Remove, ok = v.Strings()
		return ok || null
	case name == "update_steps":
		r.Update, ok = items(v)
		return (ok || null) && !hasOthers(v)
	case name == "add_steps":
		r.Add, ok = items(v)
		return ok || null
	}
	return false
}

func items(v *strictjson.Value) ([]Item, bool) {
	if v.Kind != strictjson.Array {
		return nil, false
	}
	list := make([]Item, len(v.Items))
	for i := range v.Items {
		if !list[i].read(&v.Items[i]) {
			return nil, false
		}
	}
	return list, true
}

func (it *Item) read(v *strictjson.Value) bool {
	id := v.Get("id")
	if v.Kind != strictjson.Object || id == nil || id.Kind != strictjson.String {
		return false
	}
	it.Id = id.Text
	if d := v.Given("description"); d != nil {
		if d.Kind != strictjson.String {
			return false
		}
		it.Description = &d.Text
	}
	if s := v.Given("status"); s != nil {
		if s.Kind != strictjson.String {
			return false
		}
		it.Status = s.Text
	}
	it.Dependencies, it.Tools = v.Given("dependencies"), v.Given("tools_expected")
	return (it.Dependencies == nil || it.Dependencies.IsStrings()) && (it.Tools == nil || it.Tools.IsStrings())
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

// NameSet returns every id that the lists of a patch name, trimmed.
func (r *Request) NameSet() *Set {
	var s Set
	for _, id := range r.Remove {
		s.Add(strings.TrimSpace(id))
	}
	for i := range r.Update {
		s.Add(strings.TrimSpace(r.Update[i].Id))
	}
	for i := range r.Add {
		s.Add(strings.TrimSpace(r.Add[i].Id))
	}
	return &s
}

// Set is a set of strings, without a map while it is small.
type Set struct {
	list  []string
	index map[string]bool
	room  [judge.Few]string
}

func (s *Set) Has(v string) bool {
	if s.index != nil {
		return s.index[v]
	}
	return slices.Contains(s.list, v)
}

func (s *Set) Add(v string) {
	if s.list == nil {
		s.list = s.room[:0]
	}
	if s.index == nil && len(s.list) == judge.Few {
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
