package profile

import (
	"cmp"
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
		if g, ok := planTool(t); ok {
			return g.profile()
		}
	}
	return nil, false
}

// planTool finds the list of a plan tool in its schema. It reports false if there is none.
func planTool(t wire.Tool) (*guess, bool) {
	var schema object
	if json.Unmarshal(t.Schema, &schema) != nil {
		return nil, false
	}
	properties, _ := schema["properties"].(object)
	for _, list := range slices.Sorted(maps.Keys(properties)) {
		of := resolve(schema, properties[list])
		g := &guess{schema: schema, tool: t.Name, list: list, members: object{}, statuses: map[string][]string{}}
		if g.items = resolve(schema, of["items"]); of["type"] == "array" && g.item(g.items) {
			g.required = append(required(schema, ""), required(g.items, "*.")...)
			return g, true
		}
	}
	return nil, false
}

// required lists the members that an object must have, with a prefix.
func required(of object, prefix string) (names []string) {
	list, _ := of["required"].([]any)
	for _, name := range list {
		if name, ok := name.(string); ok {
			names = append(names, prefix+name)
		}
	}
	return names
}

// fits reports whether the profile gives a tool of its name what the schema requires.
func (p *Profile) fits(offered wire.Tool) bool {
	g, ok := planTool(offered)
	if !ok || p.Single() {
		return true
	}
	t := p.main()
	for _, name := range g.required {
		member := strings.TrimPrefix(name, "*.")
		_, named := t.Members[member]
		given := name == g.list || named || t.Fills(member)
		if to := g.role(name); !given && (to == "" || slices.Contains(p.Without, to)) {
			return false
		}
	}
	return slices.Contains(p.Without, "id") || !slices.Contains(g.without, "id") && g.numbers == t.Numbers("id")
}

// role returns what a required member of an item means; "" if that is not known.
func (g *guess) role(name string) string {
	to, _ := g.members[strings.Replace(name, "*", g.list, 1)].(string)
	return to
}

// fill returns values for members that the tool requires, and that edits may lack.
func (g *guess) fill() object {
	values := object{}
	for _, name := range g.required {
		switch to := g.role(name); {
		case name == g.list || to == "id" || to == "content" || to == "status":
		case strings.HasPrefix(name, "*."):
			values["*."+cmp.Or(to, name[len("*."):])] = g.sample(g.items, name[len("*."):])
		default:
			values[name] = g.sample(g.schema, name)
		}
	}
	return values
}

// sample returns a value for a member of an object.
func (g *guess) sample(of object, name string) any {
	properties, _ := of["properties"].(object)
	member := resolve(g.schema, properties[name])
	if words, _ := member["enum"].([]any); len(words) > 0 {
		return words[0]
	}
	if value, ok := member["default"]; ok {
		return value
	}
	switch member["type"] {
	case "boolean":
		return false
	case "integer", "number":
		return 1
	case "array":
		return []any{}
	case "object":
		return object{}
	}
	return "text"
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
	items      object // the schema of an item
	tool, list string
	members    object // as in a map of tools, without the list
	statuses   map[string][]string
	without    []string
	numbers    bool     // ids are numbers
	required   []string // members that must be there; those of an item begin with "*."
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
			member := resolve(g.schema, properties[name])
			number := to == "id" && (member["type"] == "integer" || member["type"] == "number")
			if number || member["type"] == "string" || member["enum"] != nil {
				g.numbers = g.numbers || number
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
	members := maps.Clone(g.members)
	members[g.list] = p["list"]
	if g.numbers {
		members[g.member("id")] = object{"to": "id", "as": toolmap.AsNumber}
	}
	delete(p, "list")
	p["name"], p["text"] = g.tool, "guessed from the schema of the tool "+g.tool
	p["without"], p["statuses"] = g.without, g.statuses
	p["tools"] = []any{object{"tool": g.tool, "call": toolmap.Rewrite, "members": members, "fill": g.fill()}}
	if rules, _ := p["rules"].([]any); slices.ContainsFunc(g.required, func(name string) bool { return g.role(name) == "id" }) {
		p["rules"] = append(rules, "ids=required", "identity=id")
	}
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
	shownAs := object{} // the plan's names, by the tool's
	for name, to := range g.members {
		if _, member, ok := strings.Cut(name, "."); ok {
			shownAs[member] = to
			if to == "activeForm" {
				shownAs[member] = "active_form"
			}
		}
	}
	value := func(list string) object { return object{"json": list, "list": "items", "names": shownAs} }
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
		value(g.list),
		message(line(`\[(?P<status>`+strings.Join(shown, "|")+`)\]:? `, "content")),
		message(line(`(?P<status>`+strings.Join(words, "|")+`): `, "content")),
		message(line(`(?P<content>.+) [([](?P<status>`+strings.Join(words, "|")+`)[])]$`, "")),
		message(value(g.list)),
		message(value("-")),
		object{"json": "-", "list": "items", "names": shownAs, "empty": `(?i)\b(no|empty|cleared|0)\b|:\s*$|^\s*$`},
	}
}

// marks are characters that show a status in a list.
func marks() map[string][]string {
	return map[string][]string{"pending": {" "}, "in_progress": {"~", ">", "-"}, "completed": {"x", "X"}}
}
