package mcp

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/plan/toolmap"
)

// guess makes a profile from names, schemas and descriptions of tools, and from a task that it
// creates and reads back.
type guess struct {
	name     string // of the server
	version  string
	offered  []*tool
	statuses map[string][]string
	tools    []map[string]any
	knobs    []string
	notes    []string // what could not be mapped
	doubts   []string // what the server shows otherwise than it should
	result   map[string]any
	server   map[string]any
	named    map[string]string // the members that arguments without usual names are
	before   string            // what the server lists before it is asked to create tasks
}

// words are the names that tools use for the members of calls, the likeliest first.
func words() map[string][]string {
	return map[string][]string{
		"id":          {"id", "taskid", "itemid", "todoid", "issueid"},
		"ids":         {"ids", "taskids"},
		"subject":     {"subject", "title", "name", "content", "summary", "task", "text"},
		"description": {"description", "details", "body", "notes", "desc"},
		"status":      {"status", "state", "newstatus"},
		"parent":      {"parent", "parentid", "parenttaskid"},
		"blocked_by": {
			"blockedby", "dependencies", "dependson", "deps", "blockers", "prerequisites", "dependsontaskids", "dependencyids",
			"needs", "requires", "after", "waitsfor",
		},
		"add_blocked_by":    {"addblockedby", "adddependencies", "adddependson"},
		"remove_blocked_by": {"removeblockedby", "removedependencies", "removedependson"},
		"add_blocks":        {"addblocks"},
		"blocks":            {"blocks"},
	}
}

// member returns the member of a call that an argument of this server is; "" for another one.
func (g *guess) member(name string) string {
	return cmp.Or(g.named[name], memberOf(name))
}

// memberOf returns the member of a call that an argument usually is; "" for another one.
func memberOf(name string) string {
	n := toolmap.Plain(name)
	for _, to := range slices.Sorted(maps.Keys(words())) {
		if slices.Contains(words()[to], n) {
			return to
		}
	}
	return ""
}

// Unmapped is the error of a server whose tools are not understood well enough.
type Unmapped struct {
	error
	Draft string // the profile as far as it is known, to edit
}

func (u *Unmapped) Unwrap() error { return u.error }

func (g *guess) unmapped(format string, args ...any) error {
	why := harness.Mistakef(format+" (complete the draft that replanbench mcp probe --save FILE writes, and give it with --as FILE)", args...)
	text, err := g.draft()
	return cmp.Or(err, error(&Unmapped{why, text}))
}

// guessProfile returns a profile for a server with these tools. The error names missing tools.
func guessProfile(name, version string, tools []*tool) (*Profile, error) {
	g := &guess{name: name, version: version, offered: tools, statuses: map[string][]string{}, named: map[string]string{}}
	return g.profile()
}

// unused is the call of a tool that has nothing to do with the tasks of a plan.
const unused = "unused"

// verbs maps parts of tool names to calls. The first that fits counts.
func verbs() []struct{ call, set, name string } {
	return []struct{ call, set, name string }{
		{unused, "", `comment|subtask|note|label|tag|attach|project|research|analy|report|export|import|expand|parse|archiveall|clear`},
		{"remove_edge", "", `^(remove|delete|unlink).*(depend|block|edge|link)|^unlink`},
		{"add_edge", "", `^(add|link|set|create).*(depend|block|edge|link)|^(block|depend|link)`},
		{"next", "", `next|ready`},
		{"list", "", `^list|^get.*(all|s)$|^(show|query|read|view).*s$|^all`},
		{"get", "", `^(get|show|view|read|fetch)`},
		{"create", "", `^(create|add|new|make|insert)|create$|add$`},
		{"delete", "", `^(delete|remove|archive|destroy|drop)|(delete|remove)$`},
		{"update", "completed", `^(complete|finish|close|markdone|done)|complete$|finish$`},
		{"update", "in_progress", `^(start|begin|claim)|start$`},
		{"update", "cancelled", `^cancel|cancel$`},
		{"update", "", `update|edit|modify|change|set|mark|move|patch|^(state|status)`},
	}
}

// wordsOf splits the name of a tool into words, in lower case.
func wordsOf(name string) []string {
	list := regexp.MustCompile(`\p{Lu}?[\p{Ll}\p{Lo}0-9]+|\p{Lu}+`).FindAllString(name, -1)
	if len(list) == 0 {
		return []string{name}
	}
	for i := range list {
		list[i] = strings.ToLower(list[i])
	}
	return list
}

// sharedWords returns how many words all tools begin with, such as the name of the server.
func sharedWords(tools []*tool) (n int) {
	for i, t := range tools {
		own, first := wordsOf(t.Name), wordsOf(tools[0].Name)
		if i == 0 {
			n = len(own) - 1
		}
		for n = min(n, len(own)-1); !slices.Equal(first[:n], own[:n]); {
			n--
		}
	}
	return n
}

// callOf returns the call that a tool is, and the status that it implies; "" for none. skip is the number
// of words that all tools begin with. Names such as task_list have their verb at the end.
func callOf(t *tool, skip int) (call, set string) {
	own := wordsOf(t.Name)[skip:]
	last := len(own) - 1
	for _, name := range []string{strings.Join(own, ""), own[last] + strings.Join(own[:last], "")} {
		for _, v := range verbs() {
			if !regexp.MustCompile(v.name).MatchString(name) {
				continue
			}
			if v.call == "get" && len(requiredOf(t.Schema)) == 0 {
				return "list", v.set
			}
			return v.call, v.set
		}
	}
	return "", ""
}

// idArgument returns the argument that all tools for one task require, if none of them has a usual
// name for it; "" if there is none.
func idArgument(tools []*tool, calls []string) (id string) {
	count, n := map[string]int{}, 0
	for i, t := range tools {
		if !slices.Contains([]string{"get", "update", "delete", "add_edge", "remove_edge"}, calls[i]) {
			continue
		}
		n++
		for _, name := range requiredOf(t.Schema) {
			if memberOf(name) == "id" {
				return ""
			}
			if count[name]++; count[name] > count[id] {
				id = name
			}
		}
	}
	if count[id] < max(2, n) {
		return ""
	}
	return id
}

// findCreate finds the tool that creates tasks if its name is unusual, the only one that is not understood and
// requires a text but no id, and the argument that is the subject.
func (g *guess) findCreate(calls []string) {
	subjects := make([]string, len(g.offered))
	at := slices.Index(calls, "create")
	var candidates []int
	for i, t := range g.offered {
		for _, name := range slices.Backward(requiredOf(t.Schema)) {
			of, _ := propertiesOf(t.Schema)[name].(map[string]any)
			switch to := g.member(name); {
			case to == "subject" || to == "" && typeOf(of) == "string" && of["enum"] == nil:
				subjects[i] = name
			case to == "id":
				calls[i] = cmp.Or(calls[i], unused)
			}
		}
		if calls[i] == "" && subjects[i] != "" {
			candidates = append(candidates, i)
		}
	}
	if at < 0 && len(candidates) == 1 {
		at = candidates[0]
		calls[at] = "create"
	}
	if at < 0 || subjects[at] == "" {
		return
	}
	if item, _ := g.items(g.offered[at]); !g.hasSubject(propertiesOf(item)) {
		g.named[subjects[at]] = "subject"
	}
}

// profile maps the tools.
func (g *guess) profile() (*Profile, error) {
	calls, sets, skip := make([]string, len(g.offered)), make([]string, len(g.offered)), sharedWords(g.offered)
	for i, t := range g.offered {
		calls[i], sets[i] = callOf(t, skip)
	}
	if id := idArgument(g.offered, calls); id != "" {
		g.named[id] = "id"
	}
	g.findCreate(calls)
	var list *tool
	for i, t := range g.offered {
		if calls[i] == "" || calls[i] == unused {
			g.notes = append(g.notes, t.Name+" is not used")
			continue
		}
		if calls[i] == "list" {
			list = t
		}
		g.tool(t, calls[i], sets[i])
		g.promises(t)
	}
	if len(g.statuses) == 0 {
		g.statuses = map[string][]string{
			"pending": {"pending"}, "in_progress": {"in_progress"}, "completed": {"completed"}, "cancelled": {"cancelled"},
		}
	}
	g.result = map[string]any{
		"id":      []any{map[string]any{"json": "/id"}},
		"refused": []any{map[string]any{"json": "/status", "is": "error"}, map[string]any{"json": "/success", "is": false}, map[string]any{"match": "^Error"}},
	}
	state := map[string]any{"tool": "TOOL"}
	if list != nil {
		state = map[string]any{"tool": list.Name, "args": everything(list.Schema)}
	}
	g.server = map[string]any{"state": state}
	if list == nil || !slices.Contains(calls, "create") {
		return nil, g.unmapped("no profile fits the server %q, and its tools cannot be mapped by their names: one that creates "+
			"tasks and one that lists them are needed", g.name)
	}
	return g.parse()
}

// text returns the profile as YAML.
func (g *guess) text() ([]byte, error) {
	statuses := map[string]any{}
	for to, words := range g.statuses {
		statuses[to] = words
	}
	return yaml.Marshal(map[string]any{
		"name": cmp.Or(g.name, "server"), "text": "guessed from the tools of " + g.name, "dialect": "tasks", "statuses": statuses,
		"rules": g.knobs, "tools": g.tools, "result": g.result, "server": g.server,
	})
}

// draft returns the profile as YAML, with comments for a person who completes it.
func (g *guess) draft() (string, error) {
	text, err := g.text()
	b := new(strings.Builder)
	b.WriteString(offers(g.name, g.version, g.offered))
	for _, note := range slices.Concat(g.notes, g.doubts) {
		fmt.Fprintf(b, "# %s\n", strings.Join(strings.Fields(note), " "))
	}
	return b.String() + comments + string(text), err
}

func (g *guess) parse() (*Profile, error) {
	data, err := g.text()
	if err != nil {
		return nil, err
	}
	p, err := Parse("the guessed profile", data)
	if err != nil {
		return nil, err
	}
	p.guess = g
	return p, nil
}

// tool maps one tool.
func (g *guess) tool(t *tool, call, set string) {
	schema, each := t.Schema, ""
	if call == "create" {
		schema, each = g.items(t)
	}
	properties := propertiesOf(schema)
	edge := call == "add_edge" || call == "remove_edge"
	row := map[string]any{"tool": t.Name, "call": call}
	if edge {
		row["call"] = "update"
	}
	if set != "" {
		row["set"] = map[string]any{"status": set}
	}
	members := map[string]any{}
	taken := map[string]bool{}
	for _, name := range byLikelihood(properties) {
		of, _ := properties[name].(map[string]any)
		to, words := g.member(name), statusWords(of)
		if to == "" && len(words) > 1 { // whatever the argument is called
			to = "status"
		}
		switch {
		case edge && (to == "blocked_by" || to == ""):
			to = strings.TrimSuffix(call, "_edge") + "_blocked_by"
		case to == "description" && !taken["subject"] && call == "create" && !g.hasSubject(properties):
			to = "subject"
		case (call == "list" || call == "next") || to == "status" && set != "":
			to = ""
		case call == "update" && to == "blocks":
			to = "add_blocks"
		case (call == "delete" || call == "get") && to != "id":
			to = ""
		}
		if to == "" || taken[to] {
			continue
		}
		taken[to] = true
		members[name] = map[string]any{"to": to, "as": formOf(to, of)}
		if to == "status" {
			g.readStatuses(words)
		}
	}
	row["members"], row["fill"] = members, filled(schema, members)
	if each != "" {
		fill := filled(t.Schema, map[string]any{each: nil})
		for name, v := range filled(schema, members) {
			fill[each+"."+name] = v
		}
		row["each"], row["fill"] = each, fill
		whole := maps.Clone(row)
		whole["call"] = "replace"
		g.tools = append(g.tools, whole)
	}
	g.tools = append(g.tools, row)
}

// items returns the schema of a new task, and the argument that lists the tasks if the tool takes several.
func (g *guess) items(t *tool) (schema map[string]any, each string) {
	properties := propertiesOf(t.Schema)
	if g.hasSubject(properties) {
		return t.Schema, ""
	}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		list, _ := properties[name].(map[string]any)
		if item, _ := list["items"].(map[string]any); g.hasSubject(propertiesOf(item)) {
			return item, name
		}
	}
	return t.Schema, ""
}

func (g *guess) hasSubject(properties map[string]any) bool {
	names := slices.Collect(maps.Keys(properties))
	return slices.ContainsFunc(names, func(n string) bool { return g.member(n) == "subject" })
}

// byLikelihood sorts names so that the likeliest for a member comes first.
func byLikelihood(properties map[string]any) []string {
	names := slices.Sorted(maps.Keys(properties))
	rank := func(name string) int {
		if to := memberOf(name); to != "" {
			return slices.Index(words()[to], toolmap.Plain(name))
		}
		return 99
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a) - rank(b) })
	return names
}

// formOf returns the form of an argument by its schema.
func formOf(to string, of map[string]any) string {
	kind := typeOf(of)
	list := strings.HasSuffix(to, "blocked_by") || strings.HasSuffix(to, "blocks") || to == "ids"
	switch {
	case list && kind == "array":
		if items, _ := of["items"].(map[string]any); typeOf(items) == "integer" || typeOf(items) == "number" {
			return toolmap.AsNumber
		}
	case list && (to == "add_blocked_by" || to == "remove_blocked_by"):
		if kind == "integer" || kind == "number" {
			return toolmap.AsOneNumber
		}
		return toolmap.AsOne
	case list:
		return toolmap.AsCommas
	case kind == "integer" || kind == "number":
		return toolmap.AsNumber
	}
	return toolmap.AsText
}

// typeOf returns the type in a schema; of several, the first that is not null.
func typeOf(of map[string]any) string {
	switch t := of["type"].(type) {
	case string:
		return t
	case []any:
		for _, one := range t {
			if text, ok := one.(string); ok && text != "null" {
				return text
			}
		}
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		list, _ := of[name].([]any)
		for _, one := range list {
			if object, ok := one.(map[string]any); ok && typeOf(object) != "null" {
				return typeOf(object)
			}
		}
	}
	return ""
}

// statusWords returns the words for each status that a schema lists.
func statusWords(of map[string]any) map[string][]string {
	list, _ := of["enum"].([]any)
	words := map[string][]string{}
	for _, v := range list {
		word, _ := v.(string)
		if to := toolmap.StatusWord(word); to != "" {
			words[to] = append(words[to], word)
		}
	}
	return words
}

// readStatuses adds words for each status.
func (g *guess) readStatuses(words map[string][]string) {
	for status, list := range words {
		for _, word := range list {
			if !slices.Contains(g.statuses[status], word) {
				g.statuses[status] = append(g.statuses[status], word)
			}
		}
	}
}

// filled returns values for the required arguments that are no members.
func filled(schema, members map[string]any) map[string]any {
	fill := map[string]any{}
	for _, name := range requiredOf(schema) {
		of, _ := propertiesOf(schema)[name].(map[string]any)
		_, mapped := members[name]
		if to, _ := members[name].(map[string]any); mapped && to["to"] != "description" {
			continue
		}
		fill[name] = anyOf(name, of)
	}
	return fill
}

// everything returns the arguments with which a tool lists all tasks: also finished ones, and on one page.
func everything(schema map[string]any) map[string]any {
	args := filled(schema, nil)
	for name, v := range propertiesOf(schema) {
		of, _ := v.(map[string]any)
		words, _ := of["enum"].([]any)
		is := func(pattern string) bool { return regexp.MustCompile("(?i)" + pattern).MatchString(name) }
		switch kind := typeOf(of); {
		case slices.Contains(words, any("all")):
			args[name] = "all"
		case kind == "boolean" && is(`only|hide|exclude|skip`):
			args[name] = false
		case kind == "boolean" && is(`include|show|with|all`):
			args[name] = true
		case (kind == "integer" || kind == "number") && is(`^(limit|max|top|count)|page_?size|per_?page`):
			args[name] = 1000
			if most, ok := of["maximum"]; ok {
				args[name] = most
			}
		}
	}
	return args
}

// propertiesOf returns the members that the schema of an object names, and requiredOf those that must be there.
func propertiesOf(schema map[string]any) map[string]any {
	list, _ := schema["properties"].(map[string]any)
	return list
}

func requiredOf(schema map[string]any) (names []string) {
	list, _ := schema["required"].([]any)
	for _, v := range list {
		name, _ := v.(string)
		names = append(names, name)
	}
	return names
}

// anyOf returns a value that a schema allows.
func anyOf(name string, of map[string]any) any {
	if list, _ := of["enum"].([]any); len(list) > 0 {
		return list[0]
	}
	if v, ok := of["default"]; ok {
		return v
	}
	switch typeOf(of) {
	case "integer", "number":
		if v, ok := of["minimum"]; ok {
			return v
		}
		return 1
	case "boolean":
		return true
	case "array":
		return []any{}
	case "object":
		object := map[string]any{}
		for _, part := range requiredOf(of) {
			one, _ := propertiesOf(of)[part].(map[string]any)
			object[part] = anyOf(part, one)
		}
		return object
	}
	if regexp.MustCompile(`(?i)root|dir|cwd|path|workspace`).MatchString(name) {
		return "{dir}"
	}
	return "Some text about the work"
}

// promises reads the rules that the description of a tool promises. A task may have another name there, such as card,
// and other words of the sentence may follow it.
func (g *guess) promises(t *tool) {
	const (
		never   = `[^.]*(cannot|can't|can not|may not|must not) be `
		done    = `\b(completed|finished|done|closed) \w+`
		only    = `only (uncompleted|incomplete|unfinished|open|pending) \w+ can be `
		deleted = `(deleted|removed)`
		edited  = `(updated|edited|changed|modified)`
	)
	text := strings.ToLower(t.Text)
	for _, p := range []struct{ pattern, knob string }{
		{only + deleted + `|` + done + never + deleted + `|not allow deleting completed`, "delete_done=reject"},
		{only + edited + `|` + done + never + edited, "done_edit=reject"},
		{never + `reopened|` + done + never + `(moved|started|set)`, "reopen=reject"},
		{`(other|another)[^.]*(need|depend|wait|block)` + never + deleted, "delete_needed=reject"},
		{`(circular|cycles?|cyclic)[^.]*(reject|refus|not allowed|error|prevent)|(reject|refus|prevent)[^.]*(circular|cycle)`, "cycles=reject"},
		{`((block|depend|prerequisite|wait)|\btasks?)` + never + `(started|completed|closed|finished)`, "early=reject"},
		{`(cannot|can't|can not|may not|must not) (be )?start(ed)?[^.]*(block|depend|prerequisite)`, "early=reject"},
		{`only one \w+ (can|may) be in[ _-]progress`, "in_progress=one"},
	} {
		if regexp.MustCompile(p.pattern).MatchString(text) && !slices.Contains(g.knobs, p.knob) {
			g.knobs = append(g.knobs, p.knob)
		}
	}
}
