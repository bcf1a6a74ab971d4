package toolmap

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness/document/strictjson"
)

// Use is the use of a tool.
type Use struct {
	Tool      string
	Arguments map[string]any
	Result    *Result // where the tool reports; see [Map.Answer]
}

// JSON returns the arguments as JSON with sorted names.
func (u Use) JSON() []byte {
	return strictjson.Encode(u.Arguments)
}

// Write returns how to carry out a call with the tools: one use, or several in order where the
// tools need a second step for the same task. It reports false if no tool takes the members of the
// call. vars replace {NAME} in filled arguments.
func (m *Map) Write(c Call, vars map[string]string) ([]Use, bool) { return m.write(c, vars, false) }

// Build is Write that may also use the ways that only build up a graph.
func (m *Map) Build(c Call, vars map[string]string) ([]Use, bool) { return m.write(c, vars, true) }

func (m *Map) write(c Call, vars map[string]string, setup bool) ([]Use, bool) {
	for i := range m.Tools {
		t := &m.Tools[i]
		if t.Call != c["call"] || t.Setup && !setup {
			continue
		}
		args, ok := m.arguments(t, c)
		if !ok {
			continue
		}
		fill(args, t, vars)
		for name, v := range t.When {
			put(args, name, v)
		}
		uses := []Use{{t.Tool, args, m.resultOf(t)}}
		for _, next := range t.Then {
			uses = append(uses, m.follow(next, c, vars))
		}
		return uses, true
	}
	return nil, false
}

// follow returns the use of a tool that completes a call. It takes the id only.
func (m *Map) follow(tool string, c Call, vars map[string]string) Use {
	u := Use{tool, map[string]any{}, &m.Result}
	for _, t := range m.ways(tool) {
		u.Result = m.resultOf(t)
		for name, x := range t.Members {
			if x.To == "id" {
				put(u.Arguments, name, m.argument(x, c["id"]))
			}
		}
		fill(u.Arguments, t, vars)
	}
	return u
}

// fill adds the arguments that the call lacks. The name EACH.NAME adds to the objects of a list.
func fill(args map[string]any, t *Tool, vars map[string]string) {
	for name, v := range t.Fill {
		if _, inList := strings.CutPrefix(name, t.Each+"."); t.Each != "" && inList {
			continue
		}
		if _, ok := get(args, name); !ok {
			put(args, name, expand(v, vars))
		}
	}
}

func (m *Map) resultOf(t *Tool) *Result {
	if t.Result == nil {
		return &m.Result
	}
	return t.Result
}

// arguments returns the arguments for a call; false if the way cannot express it.
func (m *Map) arguments(t *Tool, c Call) (map[string]any, bool) {
	if t.Each == "" {
		return m.members(t, c)
	}
	var items []any
	tasks, _ := c["tasks"].([]any)
	switch {
	case t.Call == "replace" && tasks != nil:
		mode := t.Set["mode"]
		if mode == nil {
			mode = "append"
		}
		if given, ok := c["mode"]; ok && given != mode || !ok && mode != "append" {
			return nil, false
		}
		for _, task := range tasks {
			object, _ := task.(map[string]any)
			args, ok := m.members(t, object)
			if object == nil || !ok {
				return nil, false
			}
			items = append(items, args)
		}
	case c["ids"] != nil:
		ids, ok := c["ids"].([]any)
		if !ok {
			return nil, false
		}
		for _, one := range ids {
			single := maps.Clone(c)
			delete(single, "ids")
			single["id"] = one
			args, ok := m.members(t, single)
			if !ok {
				return nil, false
			}
			items = append(items, args)
		}
	default:
		args, ok := m.members(t, c)
		if !ok {
			return nil, false
		}
		items = []any{args}
	}
	return m.listed(t, items), true
}

// listed puts the objects of a call in the argument that has a list of them.
func (m *Map) listed(t *Tool, items []any) map[string]any {
	for i := range items {
		object, _ := items[i].(map[string]any)
		for name, v := range t.Fill {
			rest, ok := strings.CutPrefix(name, t.Each+".")
			if _, given := get(object, rest); ok && !given {
				put(object, rest, v)
			}
		}
	}
	var list any = append([]any{}, items...)
	if t.Raw {
		list = string(strictjson.Encode(list))
	}
	return map[string]any{t.Each: list}
}

// members returns the arguments for the members of a call or of a task.
func (m *Map) members(t *Tool, c Call) (map[string]any, bool) {
	args := map[string]any{}
	left := maps.Clone(c)
	delete(left, "call")
	for name, want := range t.Set {
		if t.Call == "replace" {
			continue
		}
		if got, ok := left[name]; !ok || !same(got, want) {
			return nil, false
		}
		delete(left, name)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Members)) {
		x := t.Members[name]
		v, ok := left[x.To]
		if x.As == AsMany && !ok && left["id"] != nil {
			v, ok = left["id"], true
			delete(left, "id")
		}
		if !ok {
			continue
		}
		if list, is := v.([]any); x.one() && is && len(list) != 1 {
			return nil, false
		}
		if word, is := v.(string); x.To == "status" && is && m.Statuses[word] == nil && slices.Contains(Statuses(), word) {
			return nil, false
		}
		put(args, name, m.argument(x, v))
		delete(left, x.To)
	}
	return args, len(left) == 0
}

// Fields writes an object with the members, such as a task in the file of a store.
func (m *Map) Fields(members map[string]Member, c Call) map[string]any {
	args, _ := m.members(&Tool{Members: members}, c)
	return args
}

// Statuses lists the statuses of the dialects. Cases make up other words.
func Statuses() []string { return []string{"pending", "in_progress", "completed", "cancelled"} }

// argument writes the value of a member in the form of the tool. Values of other types are left
// as they are: they test what the tool does with them.
func (m *Map) argument(x Member, v any) any {
	if word, ok := v.(string); ok && x.To == "status" {
		if words := m.Statuses[word]; words != nil {
			v = words[0]
		}
		if x.As == AsBool {
			return v == "true"
		}
		return v
	}
	list, isList := v.([]any)
	if isList && x.In != "" {
		wrapped := make([]any, len(list))
		for i := range list {
			wrapped[i] = map[string]any{x.In: list[i]}
		}
		return wrapped
	}
	switch x.As {
	case AsNumber:
		if text, ok := v.(string); ok {
			return number(text)
		}
		if isList {
			numbers := make([]any, len(list))
			for i := range list {
				numbers[i] = m.argument(x, list[i])
			}
			return numbers
		}
	case AsOne, AsOneNumber:
		if isList && len(list) == 1 {
			v = list[0]
		}
		if text, ok := v.(string); ok && x.As == AsOneNumber {
			return number(text)
		}
	case AsCommas, AsMany:
		if !isList {
			return v
		}
		var parts []string
		for _, item := range list {
			text, ok := item.(string)
			if !ok {
				return v
			}
			parts = append(parts, text)
		}
		return strings.Join(parts, ",")
	}
	return v
}

// number returns a text of digits as a number, and others as they are.
func number(text string) any {
	if n, err := strconv.ParseInt(text, 10, 53); err == nil && strconv.FormatInt(n, 10) == text {
		return n
	}
	return text
}

// expand replaces {NAME} in the texts of a value.
func expand(v any, vars map[string]string) any {
	return Replace(v, func(text string) any {
		for name, to := range vars {
			text = strings.ReplaceAll(text, "{"+name+"}", to)
		}
		return text
	})
}

// Replace returns a value with other values in place of its texts.
func Replace(v any, of func(text string) any) any {
	switch v := v.(type) {
	case string:
		return of(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = Replace(v[i], of)
		}
		return list
	case map[string]any:
		object := map[string]any{}
		for name, item := range v {
			object[name] = Replace(item, of)
		}
		return object
	}
	return v
}
