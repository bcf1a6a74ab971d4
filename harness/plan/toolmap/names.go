package toolmap

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness/plan"
)

// Names translates between the ids that a store assigned and the names that a case gives to tasks.
type Names struct {
	Plain   map[string]string // ids of the store to names of the case
	IDs     map[string]string // names of the case to ids of the store
	Created []string          // ids of created tasks, in order
	Like    string            // an id of the store; unknown ids get its form
	Raw     bool              // unknown ids are sent as they are
}

// NewNames returns names that know no task.
func NewNames(like string) *Names {
	return &Names{Plain: map[string]string{}, IDs: map[string]string{}, Like: like}
}

// Know notes the id of a task.
func (n *Names) Know(name, id string) {
	if _, ok := n.Plain[id]; !ok {
		n.Plain[id] = name
	}
	n.IDs[name] = id
	n.Like = id
}

// Made notes a created task, and returns its name. A store that assigns an id again gets the
// first name again.
func (n *Names) Made(id string) string {
	n.Created = append(n.Created, id)
	n.Know("made-"+strconv.Itoa(len(n.Created)), id)
	return n.Plain[id]
}

// Arrange sorts tasks as a list of names has them. Tasks without a name come last. The order in which a store
// returns its tasks means nothing.
func Arrange[T any](tasks []T, names []string, name func(T) string) {
	places := map[string]int{}
	for i, n := range names {
		if _, named := places[n]; !named {
			places[n] = i - len(names)
		}
	}
	slices.SortStableFunc(tasks, func(a, b T) int { return places[name(a)] - places[name(b)] })
}

// Canonical returns the id in the case of letters in which the store assigned it.
func (n *Names) Canonical(id string) string {
	if _, ok := n.Plain[id]; ok {
		return id
	}
	for known := range n.Plain {
		if strings.EqualFold(known, id) {
			return known
		}
	}
	return id
}

// Name returns the name of the task with an id, and the id itself if no task has it.
func (n *Names) Name(id string) string {
	id = n.Canonical(id)
	if name, ok := n.Plain[id]; ok {
		return name
	}
	return id
}

// Call returns a call with ids of the store.
func (n *Names) Call(c Call) Call { return c.mapped(n.ID) }

// mapped returns a call whose ids are changed.
func (c Call) mapped(change func(any) any) Call {
	t := Call{}
	for name, v := range c {
		if tasks, ok := v.([]any); ok && name == "tasks" {
			v = eachOf(tasks, func(item any) any {
				if object, ok := item.(map[string]any); ok {
					return map[string]any(Call(object).mapped(change))
				}
				return item
			})
		} else if name == "id" || name == "parent" || slices.Contains(idLists(), name) {
			v = change(v)
		}
		t[name] = v
	}
	return t
}

func eachOf(list []any, change func(any) any) []any {
	changed := make([]any, len(list))
	for i := range list {
		changed[i] = change(list[i])
	}
	return changed
}

// ID returns the id of the store for one of the case, or for a list. An unknown id gets the form of
// the store's ids.
func (n *Names) ID(v any) any {
	switch v := v.(type) {
	case []any:
		return eachOf(v, n.ID)
	case string:
		name := strings.TrimSpace(v)
		id, ok := n.IDs[name]
		if !ok {
			id = plan.Created(name, n.Created)
			ok = id != name
		}
		if !ok && name != "" && !n.Raw {
			id, ok = UnknownLike(n.Like), true
		}
		if ok {
			return strings.Replace(v, name, id, 1)
		}
	}
	return v
}

// Resolved returns a call of the case in which the names of created tasks are in the place of $N.
func (n *Names) Resolved(c Call) Call {
	var change func(any) any
	change = func(v any) any {
		switch v := v.(type) {
		case []any:
			return eachOf(v, change)
		case string:
			name := strings.TrimSpace(v)
			if id := plan.Created(name, n.Created); id != name {
				return n.Name(id)
			}
		}
		return v
	}
	return c.mapped(change)
}

var (
	uuidForm   = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	numberForm = regexp.MustCompile(`^(.*?)([0-9]+)$`)
)

// UUID returns the N-th id in the form of a UUID of version 4.
func UUID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", n) }

// UnknownLike returns an id that no task has, in the form of another one.
func UnknownLike(id string) string {
	if id == "" || uuidForm.MatchString(id) {
		return map[bool]string{true: "97031", false: UUID(0xdeadbeef)}[id == ""]
	}
	if m := numberForm.FindStringSubmatch(id); m != nil {
		return m[1] + "97031"
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z':
			return 'a' + (r-'a'+13)%26
		case r >= 'A' && r <= 'Z':
			return 'A' + (r-'A'+13)%26
		}
		return r
	}, id)
}

// Missing lists the capabilities that the tools lack, by what calls they can express.
func (m *Map) Missing(vars map[string]string) (list []string) {
	lack := func(name string, calls ...Call) {
		if !slices.ContainsFunc(calls, func(c Call) bool { _, ok := m.Write(c, vars); return ok }) {
			list = append(list, name)
		}
	}
	update := func(member string, v any) Call { return Call{"call": "update", "id": "1", member: v} }
	create := func(member string, v any) Call { return Call{"call": "create", "subject": "A", member: v} }
	ids, tasks := []any{"2"}, []any{map[string]any{"subject": "A"}}
	lack("delete", Call{"call": "delete", "id": "1"})
	lack("many", Call{"call": "update", "ids": []any{"1", "2"}, "status": "completed"})
	lack("replace", Call{"call": "replace", "tasks": tasks}, Call{"call": "replace", "mode": "open", "tasks": tasks})
	lack("next", Call{"call": "next"})
	lack("parent", update("parent", "2"), create("parent", "2"))
	lack("cancelled", update("status", "cancelled"))
	lack("in_progress", update("status", "in_progress"))
	lack("new_blockers", create("blocked_by", ids))
	lack("set_blockers", update("blocked_by", ids))
	lack("add_blockers", update("add_blocked_by", ids))
	lack("remove_blockers", update("remove_blocked_by", ids))
	lack("blocks", update("add_blocks", ids))
	lack("subject", update("subject", "A"))
	lack("description", update("description", "A"))
	lack("new_status", create("status", "completed"))
	lack("new_id", create("id", "1"))
	lack("extra", Call{"call": "delete", "id": "1", "subject": "x"})
	lack("new_description", create("description", "A"))
	return list
}
