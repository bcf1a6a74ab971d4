package toolmap

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
)

// Call is a call of the dialect: its members, with the name of the call in "call". A call that
// only reads has the name list or get.
type Call map[string]any

// JSON returns the call as JSON with sorted members.
func (c Call) JSON() []byte {
	return strictjson.Encode(map[string]any(c))
}

// Reads reports whether the call only reads the graph.
func (c Call) Reads() bool { return c["call"] == "list" || c["call"] == "get" }

// Reading is what a use of a tool means.
type Reading struct {
	Calls []Call
	// Unknown lists arguments that the map does not know.
	Unknown []string
	// Partial counts objects of a list that are no objects and were left out.
	Partial int
}

// Read returns the calls that a use of a tool means. It reports false if the map does not know
// the tool with these arguments, or the arguments are no JSON object.
func (m *Map) Read(tool string, arguments []byte) (Reading, bool) {
	var args map[string]any
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	if json.Unmarshal(arguments, &args) != nil || args == nil {
		return Reading{}, false
	}
	for _, t := range m.ways(tool) {
		if t.fits(args) {
			return m.read(t, args), true
		}
	}
	return Reading{}, false
}

func (t *Tool) fits(args map[string]any) bool {
	for name, want := range t.When {
		if got, ok := get(args, name); !ok || !same(got, want) {
			return false
		}
	}
	return true
}

func (m *Map) read(t *Tool, args map[string]any) Reading {
	r := Reading{}
	if t.Each == "" {
		call := m.call(t, args, &r)
		call["call"] = t.Call
		r.Calls = []Call{call}
		return r
	}
	list, _ := args[t.Each].([]any)
	if text, ok := args[t.Each].(string); ok && t.Raw {
		_ = json.Unmarshal([]byte(text), &list) // another text is no list
	}
	tasks := []any{}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			r.Partial++
			continue
		}
		call := m.call(t, object, &r)
		tasks = append(tasks, map[string]any(call))
		if t.Call != "replace" {
			call["call"] = t.Call
			r.Calls = append(r.Calls, call)
		}
	}
	if t.Call == "replace" {
		call := Call{"call": t.Call, "tasks": tasks}
		maps.Copy(call, t.Set)
		r.Calls = []Call{call}
	}
	return r
}

// call reads the members of one call.
func (m *Map) call(t *Tool, args map[string]any, r *Reading) Call {
	c := Call{}
	if t.Call != "replace" {
		maps.Copy(c, t.Set)
	}
	for _, name := range slices.Sorted(maps.Keys(flat(args, t.Members))) {
		v, _ := get(args, name)
		if x, ok := t.Members[name]; ok {
			m.member(c, x, v)
			continue
		}
		_, filled := t.Fill[name]
		_, chosen := t.When[name]
		if !filled && !chosen && !slices.Contains(t.Ignore, name) && !slices.Contains(r.Unknown, name) {
			r.Unknown = append(r.Unknown, name)
		}
	}
	return c
}

// Object reads the members of one object, such as a task in the file of a store.
func (m *Map) Object(members map[string]Member, object map[string]any) Call {
	return m.call(&Tool{Members: members}, object, &Reading{})
}

// unwrapped returns the members of that name of objects.
func unwrapped(items []any, name string) []any {
	list := make([]any, len(items))
	for i := range items {
		list[i] = items[i]
		if object, ok := items[i].(map[string]any); ok {
			list[i] = object[name]
		}
	}
	return list
}

// flat lists the arguments by name. Objects that the members name parts of are listed by part.
func flat(args map[string]any, members map[string]Member) map[string]any {
	list := map[string]any{}
	for name, v := range args {
		object, ok := v.(map[string]any)
		nested := ok && slices.ContainsFunc(slices.Collect(maps.Keys(members)), func(m string) bool {
			return strings.HasPrefix(m, name+".")
		})
		if !nested {
			list[name] = v
			continue
		}
		for part, v := range object {
			list[name+"."+part] = v
		}
	}
	return list
}

// member writes a member of a call from an argument.
func (m *Map) member(c Call, x Member, v any) {
	if items, ok := v.([]any); ok && x.In != "" {
		v = unwrapped(items, x.In)
	}
	switch {
	case x.To == "status":
		v = m.status(v)
	case x.one():
		v = []any{id(v)}
	case x.As == AsCommas || x.As == AsMany:
		list := split(v)
		if x.As == AsMany && len(list) == 1 {
			c["id"] = list[0]
			return
		}
		v = list
	case x.To == "id" || x.To == "parent" || x.To == "key":
		v = id(v)
	case slices.Contains(idLists(), x.To):
		if list, ok := v.([]any); ok {
			ids := make([]any, len(list))
			for i := range list {
				ids[i] = id(list[i])
			}
			v = ids
		}
	}
	c[x.To] = v
}

// idLists lists the members of calls that are lists of ids.
func idLists() []string {
	return []string{"ids", "blocked_by", "remove_blocked_by", "add_blocked_by", "blocks", "add_blocks"}
}

// status returns the dialect's word for a status, and other words as they are.
func (m *Map) status(v any) any {
	text, ok := v.(string)
	if is, boolean := v.(bool); boolean {
		text, ok = strconv.FormatBool(is), true
	}
	if to, known := m.StatusOf(text); ok && known {
		return to
	}
	return v
}

// StatusOf returns the status of the dialect for a word of the tools.
func (m *Map) StatusOf(word string) (string, bool) {
	for _, to := range slices.Sorted(maps.Keys(m.Statuses)) {
		if slices.Contains(m.Statuses[to], word) {
			return to, true
		}
	}
	return "", false
}

// id returns an id as a text. Only whole numbers become texts.
func id(v any) any {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return strconv.FormatInt(int64(f), 10)
	}
	return v
}

// split returns the ids of a text with commas. The sign of a number is no part of an id.
func split(v any) []any {
	list := []any{}
	text, ok := id(v).(string)
	if !ok {
		return append(list, v)
	}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.Trim(part, " #"); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// get returns a nested argument.
func get(args map[string]any, name string) (any, bool) {
	if v, ok := args[name]; ok {
		return v, true
	}
	head, rest, nested := strings.Cut(name, ".")
	object, ok := args[head].(map[string]any)
	if !nested || !ok {
		return nil, false
	}
	return get(object, rest)
}

// put sets a nested argument.
func put(args map[string]any, name string, v any) {
	head, rest, nested := strings.Cut(name, ".")
	if !nested {
		args[name] = v
		return
	}
	object, ok := args[head].(map[string]any)
	if !ok {
		object = map[string]any{}
		args[head] = object
	}
	put(object, rest, v)
}

// same compares values of JSON with values of YAML.
func same(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	switch b.(type) {
	case int, float64, bool:
		return fmt.Sprint(a) == fmt.Sprint(b)
	}
	return false
}
