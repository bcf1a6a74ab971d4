package plan

import (
	"slices"
	"strings"

	"replanbench/harness/document/strictjson"
)

// Cancelled is a status that only items of a list have.
const Cancelled Status = "cancelled"

// listStatuses lists the statuses that an item of a list may have.
func listStatuses() []Status { return []Status{Pending, InProgress, Completed, Cancelled} }

// DecodeList is [Decode] for plans that are lists: {"items":[…]}, perhaps empty,
// of items with content and status, and perhaps id, priority and active_form. Ids
// are neither blank nor padded nor there twice, contents are not blank, and there
// is no other member.
func DecodeList(data []byte) (*Plan, error) {
	return decodeItems(data, "a list of items", "items", func(r *reader, p *Plan, v *strictjson.Value) {
		r.list(p, v)
		r.sound(p, v.Get("items"))
	})
}

// decodeItems reads a document that has a list and no other member.
func decodeItems(data []byte, what, list string, read func(*reader, *Plan, *strictjson.Value)) (*Plan, error) {
	r, p := newReader(data), &Plan{}
	defer r.Parser.Release()
	v := r.Parse(data, maxDepth)
	if r.Fault == nil && r.Is(v, strictjson.Object, path{}, what) {
		r.Known(v, path{}, what, list)
		read(&r, p, v)
	}
	if r.Fault != nil {
		return nil, r.Fault
	}
	return p, nil
}

// steps reads the items of the list that a pointer names.
func (r *reader) steps(p *Plan, v *strictjson.Value, list string, read func(*Step, *strictjson.Value, path)) {
	m := r.Member(v, path{}, list[1:], strictjson.Array, true)
	if m == nil {
		return
	}
	at := strictjson.PathTo(list)
	p.Steps = make([]Step, len(m.Items))
	for i := range m.Items {
		read(&p.Steps[i], &m.Items[i], at.Item(i))
	}
}

func (r *reader) list(p *Plan, v *strictjson.Value) {
	p.Listed, p.Steps = true, []Step{}
	r.steps(p, v, "/items", r.item)
}

// item reads an item and keeps all members.
func (r *reader) item(s *Step, v *strictjson.Value, at path) {
	if !r.Is(v, strictjson.Object, at, "an item") {
		return
	}
	s.ID, _ = r.Text(v, at, "id", false)
	s.Description, _ = r.Text(v, at, "content", true)
	status, _ := r.Text(v, at, "status", true)
	s.Status = Status(status)
	s.Extra = r.Rest(v, r.data, func(m *strictjson.Member) bool {
		return m.Value.Kind == strictjson.Null || slices.Contains([]string{"id", "content", "status"}, m.Name)
	})
}

// sound notes the first thing that makes a list unsound.
func (r *reader) sound(p *Plan, items *strictjson.Value) {
	seen := make(map[string]bool, len(p.Steps))
	for i, s := range p.Steps {
		if r.Fault != nil {
			return
		}
		at, v := strictjson.PathTo("/items").Item(i), &items.Items[i]
		r.Known(v, at, "an item", "id", "content", "status", "priority", "active_form")
		r.Text(v, at, "priority", false)
		r.Text(v, at, "active_form", false)
		switch id := v.Given("id"); {
		case id != nil && strings.TrimSpace(s.ID) == "":
			r.Fail(strictjson.CodeEmptyID, at.Member("id"), "the id is blank")
		case strings.TrimSpace(s.ID) != s.ID:
			r.Fail(strictjson.CodeBadType, at.Member("id"), "the id %q has white space round it", s.ID)
		case id != nil && seen[s.ID]:
			r.Fail(strictjson.CodeBadType, at.Member("id"), "duplicate id %q", s.ID)
		case strings.TrimSpace(s.Description) == "":
			r.Fail(strictjson.CodeEmptyID, at.Member("content"), "the content is blank")
		case !p.known(s.Status):
			r.Fail(strictjson.CodeBadType, at.Member("status"), "unknown status %q (valid are %s)", s.Status, p.statusNames())
		}
		seen[s.ID] = true
	}
}

// DecodeTasks reads the plan of a case that is a graph of tasks. It checks the shape of every
// task, but not the graph.
func DecodeTasks(data []byte) (*Plan, error) {
	return decodeItems(data, "a graph of tasks", "tasks", func(r *reader, p *Plan, v *strictjson.Value) {
		r.graph(p, v)
		for i := range p.Steps {
			item, at := &v.Get("tasks").Items[i], strictjson.PathTo("/tasks").Item(i)
			if item.Kind != strictjson.Object {
				break
			}
			r.Known(item, at, "a task", "id", "subject", "description", "status", "blocked_by", "parent")
			r.Text(item, at, "description", false)
			r.Text(item, at, "parent", false)
		}
	})
}

func (r *reader) graph(p *Plan, v *strictjson.Value) {
	p.Tasks, p.Steps = true, []Step{}
	r.steps(p, v, "/tasks", r.task)
}

func (r *reader) task(s *Step, v *strictjson.Value, at path) {
	if !r.Is(v, strictjson.Object, at, "a task") {
		return
	}
	s.ID, _ = r.Text(v, at, "id", true)
	s.Description, _ = r.Text(v, at, "subject", true)
	status, _ := r.Text(v, at, "status", true)
	s.Status = Status(status)
	s.Dependencies = r.Texts(v, at, "blocked_by")
	s.Extra = r.Rest(v, r.data, func(m *strictjson.Member) bool {
		return m.Value.Kind == strictjson.Null || m.Value.Kind == strictjson.String && m.Value.Text == "" ||
			slices.Contains([]string{"id", "subject", "status", "blocked_by"}, m.Name)
	})
}
