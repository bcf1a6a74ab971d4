package profile

import (
	_ "embed" // guess.yaml
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"go.yaml.in/yaml/v4"

	"replanbench/harness/agent/wire"
	"replanbench/harness/plan/toolmap"
)

// object is a schema of JSON, or a part of one.
type object = map[string]any

// guessed returns a profile for an agent whose tools no profile names. The plan tool is the one that
// takes a list of objects with a text and a status. It reports false if there is none.
func guessed(tools []wire.Tool) (*Profile, bool) {
	for _, t := range tools {
		var schema object
		if json.Unmarshal(t.Schema, &schema) != nil {
			continue
		}
		properties, _ := schema["properties"].(object)
		for _, list := range slices.Sorted(maps.Keys(properties)) {
			of := resolve(schema, properties[list])
			g := guess{schema: schema, tool: t.Name, list: list, members: object{}, statuses: map[string][]string{}}
			if of["type"] == "array" && g.item(resolve(schema, of["items"])) {
				return g.profile()
			}
		}
	}
	return nil, false
}

// resolve follows a reference within a schema.
func resolve(schema object, v any) object {
	of, _ := v.(object)
	path, refers := of["$ref"].(string)
	if !refers || !strings.HasPrefix(path, "#/") {
		return of
	}
	for name := range strings.SplitSeq(path[2:], "/") {
		schema, _ = schema[name].(object)
	}
	return schema
}

// guess describes a plan tool, as far as its schema does.
type guess struct {
	schema     object
	tool, list string
	members    object // as in a map of tools, without the list
	statuses   map[string][]string
	without    []string
}

// names lists usual names for the members of an item, the likeliest first.
func names() map[string][]string {
	return map[string][]string{
		"id":         {"id"},
		"content":    {"content", "title", "text", "task", "description", "step", "subject", "name", "summary", "todo", "item"},
		"status":     {"status", "state"},
		"priority":   {"priority"},
		"activeForm": {"activeForm"},
	}
}

// item reads the schema of an item, and reports whether it has a text and a status.
func (g *guess) item(of object) bool {
	properties, _ := of["properties"].(object)
	for _, to := range slices.Sorted(maps.Keys(names())) {
		for _, name := range names()[to] {
			if member := resolve(g.schema, properties[name]); member["type"] == "string" || member["enum"] != nil {
				g.members[g.list+"."+name] = to
				g.has(to, member)
				break
			}
		}
		if g.member(to) == "" {
			g.without = append(g.without, to)
		}
	}
	if g.member("activeForm") == "" {
		g.without = append(g.without, "active_form")
	}
	return g.member("content") != "" && g.member("status") != ""
}

// has reads the words for a status.
func (g *guess) has(to string, member object) {
	if to != "status" {
		return
	}
	words, named := member["enum"].([]any)
	for _, status := range toolmap.Statuses() {
		if !named {
			g.statuses[status] = []string{status}
		}
		for _, w := range words {
			if word, _ := w.(string); toolmap.StatusWord(word) == status {
				g.statuses[status] = append(g.statuses[status], word)
			}
		}
		if g.statuses[status] == nil {
			g.without = append(g.without, status)
			continue
		}
		g.statuses[status] = append(g.statuses[status], marks()[status]...)
	}
}

// member returns the argument that is a member of an item; "" if there is none.
func (g *guess) member(to string) string {
	for name, x := range g.members {
		if x == to {
			return name
		}
	}
	return ""
}

//go:embed guess.yaml
var common []byte

// profile makes a profile of what was found.
func (g *guess) profile() (*Profile, bool) {
	p := object{}
	if yaml.Load(common, &p) != nil {
		return nil, false
	}
	g.members[g.list] = p["list"]
	delete(p, "list")
	p["name"], p["text"] = g.tool, "guessed from the schema of the tool "+g.tool
	p["without"], p["statuses"] = g.without, g.statuses
	p["tools"] = []any{object{"tool": g.tool, "call": toolmap.Rewrite, "members": g.members}}
	p["agent"] = object{"state": g.states()}
	text, err := yaml.Dump(p, yaml.WithIndent(2))
	if err != nil {
		return nil, false
	}
	made, err := Parse(g.tool, text)
	if err != nil {
		return nil, false
	}
	made.Guess = string(text)
	return made, true
}

// states lists where the plan may be in the result of a call, or in a message behind it: in lines that
// begin with the status in brackets or before a colon, in lines that end with it, or in JSON. A message
// has the words of the tool in the brackets: it may contain other lists.
func (g *guess) states() []any {
	line := func(pattern, rest string) object {
		return object{"match": `(?m)^[\s\d.)*-]*` + pattern, "rest": rest, "list": "items"}
	}
	message := func(state object) any { state["message"] = wire.Behind; return state }
	var words, shown []string
	for _, list := range g.statuses {
		for _, w := range list {
			shown = append(shown, regexp.QuoteMeta(w))
			if len(w) > 1 {
				words = append(words, regexp.QuoteMeta(w))
			}
		}
	}
	slices.Sort(words)
	slices.Sort(shown)
	return []any{
		line(`\[(?P<status>[^\]\n]{1,30})\]:? `, "content"),
		line(`(?P<status>`+strings.Join(words, "|")+`): `, "content"),
		line(`(?P<content>.+) [([](?P<status>[^])]+)[])]$`, ""),
		object{"json": g.list, "list": "items"},
		message(line(`\[(?P<status>`+strings.Join(shown, "|")+`)\]:? `, "content")),
		message(line(`(?P<status>`+strings.Join(words, "|")+`): `, "content")),
		message(line(`(?P<content>.+) [([](?P<status>`+strings.Join(words, "|")+`)[])]$`, "")),
		message(object{"json": g.list, "list": "items"}),
		object{"json": "-", "list": "items", "empty": `(?i)\b(no|empty|cleared|0)\b|:\s*$|^\s*$`},
	}
}

// marks are characters that show a status in a list.
func marks() map[string][]string {
	return map[string][]string{"pending": {" "}, "in_progress": {"~", ">", "-"}, "completed": {"x", "X"}}
}
