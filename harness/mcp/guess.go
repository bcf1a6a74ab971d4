package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/plan"
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
	usual    bool              // no tool lists its words for statuses: the usual ones count
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
	if g.usual = len(g.statuses) == 0; g.usual {
		g.statuses = map[string][]string{
			"pending": {"pending", "todo", "open", "new"}, "in_progress": {"in_progress", "in-progress", "doing", "active", "started"},
			"completed": {"completed", "done", "closed", "finished"}, "cancelled": {"cancelled", "canceled", "dropped"},
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

// learn creates a task on the server, reads it back, and completes the guess by what it sees:
// where ids are reported and where the tasks are.
func (p *Profile) learn(ctx context.Context, s *slot) (*Profile, error) {
	g := p.guess
	args := p.Server.State.args(s.place)
	if !s.engine.Target.owned() { // it may keep tasks of an earlier campaign
		before, err := s.process.call(ctx, p.Server.State.Tool, args)
		if err != nil {
			return nil, err
		}
		g.before = string(before.Structured) + before.Text
	}
	subject := g.newSubject("Probe of the store")
	uses, ok := p.Write(toolmap.Call{"call": "create", "subject": subject}, s.vars())
	if !ok {
		return nil, g.unmapped("no tool of the server %q creates a task with a subject", g.name)
	}
	made, err := s.process.call(ctx, uses[0].Tool, uses[0].Arguments)
	if err != nil {
		return nil, err
	}
	listed, err := s.process.call(ctx, p.Server.State.Tool, args)
	if err != nil {
		return nil, err
	}
	state, _ := g.server["state"].(map[string]any)
	object, ok := g.find(listed, subject, state)
	if !ok {
		return nil, g.unmapped("%s does not show the id, subject and status of the task that %s created (%s)",
			p.Server.State.Tool, uses[0].Tool, brief(listed.Text))
	}
	id := fmt.Sprint(object["id"])
	g.result["id"] = idPlaces(made, id)
	if uses, ok := p.Write(toolmap.Call{"call": "next"}, s.vars()); ok {
		a, err := s.process.call(ctx, uses[0].Tool, uses[0].Arguments)
		if err != nil {
			return nil, err
		}
		g.learnNext(a, id, subject)
	}
	if err := g.learnEdges(ctx, s, args, id, state); err != nil {
		return nil, err
	}
	learned, err := g.parse()
	if err != nil {
		return nil, err
	}
	s.profile = learned
	if learned, err = g.verify(ctx, s, state); errors.As(err, new(*harness.Failure)) {
		s.spoil()
		return s.profile, nil // the campaign shows it
	} else if err != nil {
		return nil, err
	}
	s.profile = learned
	learned.wipes, err = s.forgets(ctx)
	return learned, err
}

// verify makes tasks of each status, reads them back, and leaves out what the list shows otherwise than it was written,
// such as the beginnings of texts: a campaign would call that a loss.
func (g *guess) verify(ctx context.Context, s *slot, state map[string]any) (*Profile, error) {
	scene := newScene(s, samples(s.profile.without()))
	u := (*unable)(nil)
	if err := scene.build(ctx); errors.As(err, &u) {
		return s.profile, nil // the rules of the server forbid such tasks
	} else if err != nil {
		return nil, err
	}
	shown, err := g.shown(ctx, scene, state)
	if err != nil {
		return nil, err
	}
	leave := map[string]bool{}
	for i := range scene.graph.Tasks {
		want, got := &scene.graph.Tasks[i], shown[scene.graph.Tasks[i].ID]
		switch tool := s.profile.Server.State.Tool; {
		case got == nil:
			return nil, g.unmapped("%s does not show a task that is %s", tool, want.Status)
		case got.Status != want.Status:
			return nil, g.unmapped("%s shows a task that is %s as %q", tool, want.Status, got.Status)
		}
		text := strings.TrimRight(got.Description, ".… ")
		leave["description"] = leave["description"] || got.Description != want.Description && text != "" &&
			strings.HasPrefix(want.Description, text)
		leave["blocked_by"] = leave["blocked_by"] || len(got.BlockedBy) == len(want.BlockedBy) &&
			slices.ContainsFunc(got.BlockedBy, func(id string) bool { return shown[id] == nil })
	}
	for name, member := range state["members"].(map[string]any) {
		if to, _ := member.(map[string]any); leave[fmt.Sprint(to["to"])] {
			delete(state["members"].(map[string]any), name)
			g.doubts = append(g.doubts, fmt.Sprintf("%s does not show %s as it was written: it is not tested",
				s.profile.Server.State.Tool, name))
		}
	}
	return g.parse()
}

// samples returns tasks of each status that the server has, with edges and a long text.
func samples(without []string) *spec.Graph {
	g := new(spec.Graph)
	text := strings.TrimSpace(strings.Repeat("What is to be done here, in many words. ", 10))
	if slices.Contains(without, "new_description") {
		text = ""
	}
	for _, status := range []plan.Status{plan.Completed, plan.InProgress, plan.Cancelled, plan.Pending} {
		if slices.Contains(without, string(status)) {
			continue
		}
		t := spec.Task{ID: string(status), Subject: "Sample " + string(status), Description: text, Status: status}
		if status == plan.Pending && !slices.Contains(without, "new_blockers") {
			for _, other := range g.Tasks {
				t.BlockedBy = append(t.BlockedBy, other.ID)
			}
		}
		g.Tasks = append(g.Tasks, t)
	}
	return g
}

// shown reads the tasks of a scene, by name. If some are missing, those of a status may have a place of their own.
func (g *guess) shown(ctx context.Context, s *scene, state map[string]any) (map[string]*spec.Task, error) {
	tasks := map[string]*spec.Task{}
	for {
		graph, err := s.read(ctx)
		if err != nil {
			return nil, err
		}
		for i := range graph.Tasks {
			tasks[graph.Tasks[i].ID] = &graph.Tasks[i]
		}
		pointer, _ := state["tasks"].(string)
		anywhere := strings.Repeat("/*", strings.Count(pointer, "/"))
		missing := slices.ContainsFunc(s.graph.Tasks, func(t spec.Task) bool { return tasks[t.ID] == nil })
		if !missing || pointer == anywhere || pointer == "" {
			return tasks, nil
		}
		state["tasks"] = anywhere
		if s.profile, err = g.parse(); err != nil {
			return nil, err
		}
	}
}

// newSubject returns a subject that no task has, such as one of an earlier campaign.
func (g *guess) newSubject(subject string) string {
	name := subject
	for n := 2; strings.Contains(g.before, name); n++ {
		name = fmt.Sprintf("%s, number %d", subject, n)
	}
	return name
}

// learnEdges creates a task that waits for the first one, and completes the pattern of a list in words by what follows
// on its line.
func (g *guess) learnEdges(ctx context.Context, s *slot, args map[string]any, id string, state map[string]any) error {
	subject := g.newSubject("Second probe")
	pattern, _ := state["match"].(string)
	uses, ok := s.profile.Write(toolmap.Call{"call": "create", "subject": subject, "blocked_by": []any{id}}, s.vars())
	if !ok || pattern == "" {
		return nil
	}
	if _, err := s.process.call(ctx, uses[0].Tool, uses[0].Arguments); err != nil {
		return err
	}
	a, err := s.process.call(ctx, s.profile.Server.State.Tool, args)
	if err != nil {
		return err
	}
	pattern = strings.TrimSuffix(pattern, "$")
	second := strings.Replace(pattern, `(?P<subject>.*?)`, regexp.QuoteMeta(subject), 1)
	line := regexp.MustCompile(second + "(.+)$").FindStringSubmatch(a.Text)
	if line == nil {
		return nil
	}
	rest := strings.Replace(regexp.QuoteMeta(line[len(line)-1]), regexp.QuoteMeta(id), `(?P<blocked_by>.+?)`, 1)
	state["match"] = pattern + "(?:" + rest + ")?$"
	if members, _ := state["members"].(map[string]any); strings.Contains(rest, "(?P<blocked_by>") {
		members["blocked_by"] = map[string]any{"to": "blocked_by", "as": toolmap.AsCommas}
	}
	return nil
}

// forgets reports whether a server that is under way has no tasks any more when its files are
// removed, so that one process serves many cases.
func (s *slot) forgets(ctx context.Context) (bool, error) {
	if !s.engine.Target.owned() {
		return false, nil
	}
	if err := s.place.Empty(); err != nil {
		return false, err
	}
	objects, err := newScene(s, new(spec.Graph)).objects(ctx)
	if u := (*unreadable)(nil); errors.As(err, &u) {
		return false, nil
	}
	return err == nil && len(objects) == 0, err
}

// learnNext completes where the call next names ready tasks. The only task is ready.
func (g *guess) learnNext(a toolmap.Answer, id, subject string) {
	places := idPlaces(a, id)
	lines := map[string]any{}
	if _, ok := matchLine(a.Text, subject, lines); ok && len(places) > 0 && places[0].(map[string]any)["match"] != nil {
		places = []any{map[string]any{"match": readyPattern(fmt.Sprint(lines["match"]))}}
	}
	if len(places) == 0 {
		g.tools = slices.DeleteFunc(g.tools, func(t map[string]any) bool { return t["call"] == "next" })
		g.doubts = append(g.doubts, "the tool that names the next task does not name the only one, and is not used")
		return
	}
	g.result["ready"] = places
	first, _ := places[0].(map[string]any)
	if pointer, _ := first["json"].(string); pointer != "" && !strings.Contains(pointer, "*") {
		g.server["next"] = map[string]any{"one": true, "in_progress": true}
	}
}

// readyPattern makes the id the only group of a pattern of a line.
func readyPattern(pattern string) string {
	pattern = strings.NewReplacer("(?P<subject>", "(?:", "(?P<status>", "(?:").Replace(pattern)
	return strings.Replace(pattern, "(?P<id>", "(", 1)
}

// find finds the task in the answer of the tool that lists tasks, and writes where it is.
func (g *guess) find(a toolmap.Answer, subject string, state map[string]any) (map[string]any, bool) {
	for _, v := range a.Values() {
		object, pointer := search(v, "", subject)
		if object == nil {
			return nil, false
		}
		members := map[string]any{}
		taken := map[string]bool{}
		for _, name := range byLikelihood(object) {
			to := g.member(name)
			if object[name] == any(subject) {
				to = "subject"
			}
			if to == "" || taken[to] || to == "subject" && object[name] != any(subject) {
				continue
			}
			taken[to] = true
			members[name] = map[string]any{"to": to}
		}
		state["tasks"], state["members"] = pointer, members
		known := map[string]any{}
		for name := range members {
			to, _ := members[name].(map[string]any)
			known[fmt.Sprint(to["to"])] = toolmapID(object[name])
		}
		return known, taken["id"] && taken["status"]
	}
	object, ok := matchLine(a.Text, subject, state)
	if match, _ := state["match"].(string); ok && strings.Contains(match, box) {
		g.readStatuses(boxes())
	}
	return object, ok
}

// box is the pattern of a mark of boxes.
const box = `(?P<status>\[.\])`

// boxes returns the marks that lists in Markdown show for statuses.
func boxes() map[string][]string {
	return map[string][]string{
		"pending": {"[ ]"}, "in_progress": {"[~]", "[>]", "[/]", "[*]"}, "completed": {"[x]", "[X]"}, "cancelled": {"[-]"},
	}
}

// toolmapID writes whole numbers without a point.
func toolmapID(v any) any {
	if f, ok := v.(float64); ok && f == float64(int64(f)) {
		return int64(f)
	}
	return v
}

// search finds the object with the subject in a list, and its place.
func search(v any, at, subject string) (map[string]any, string) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] == any(subject) && strings.Contains(at, "*") {
				return v, at
			}
			if object, place := search(v[name], at+"/"+name, subject); object != nil {
				return object, place
			}
		}
	case []any:
		for _, item := range v {
			if object, place := search(item, at+"/*", subject); object != nil {
				return object, place
			}
		}
	}
	return nil, ""
}

// matchLine reads a list in words: a line with the subject, an id and a status.
func matchLine(text, subject string, state map[string]any) (map[string]any, bool) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if !strings.Contains(line, subject) {
			continue
		}
		id := regexp.MustCompile(`#?([A-Za-z]+-[0-9.]+|[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]+|\b[a-z0-9]{6,12}\b)`).FindStringSubmatch(
			strings.Replace(line, subject, "", 1))
		word, form := "[ ]", box // an empty one, if there is no word
		if !strings.Contains(line, word) {
			word = ""
		}
		for _, w := range regexp.MustCompile(`[A-Za-z]+(?:[ _-][A-Za-z]+)?`).FindAllString(strings.Replace(line, subject, "", 1), -1) {
			if toolmap.StatusWord(w) != "" {
				word, form = w, `(?P<status>[A-Za-z_ -]+?)`
			}
		}
		if id == nil || word == "" {
			return nil, false
		}
		p := regexp.QuoteMeta(line)
		for _, part := range [][2]string{
			{subject, `(?P<subject>.*?)`}, {word, form}, {id[1], `(?P<id>[^\s\]\):,]+?)`},
		} {
			p = strings.Replace(p, regexp.QuoteMeta(part[0]), part[1], 1)
		}
		state["match"] = "(?m)^" + p + "$"
		state["members"] = map[string]any{"id": "id", "subject": "subject", "status": "status"}
		return map[string]any{"id": id[1]}, true
	}
	return nil, false
}

// idPlaces returns where an answer reports the id.
func idPlaces(a toolmap.Answer, id string) []any {
	var places []any
	last := "none"
	for _, v := range a.Values() {
		if at, ok := pointerTo(v, "", id); ok && at != last { // both may have one form
			places, last = append(places, map[string]any{"json": at}), at
		}
	}
	if at := strings.Index(a.Text, id); len(places) == 0 && at >= 0 {
		before := regexp.QuoteMeta(a.Text[max(0, at-12):at])
		if at == 0 {
			before = `\A`
		}
		places = append(places, map[string]any{"match": before + `([^\s"'\]\):,.]+)`})
	}
	return places
}

// pointerTo finds the member with the id.
func pointerTo(v any, at, id string) (string, bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, name := range byLikelihood(v) {
			if found, ok := pointerTo(v[name], at+"/"+name, id); ok {
				return found, true
			}
		}
	case []any:
		for _, item := range v {
			if found, ok := pointerTo(item, at+"/*", id); ok {
				return found, true
			}
		}
	default:
		if v != nil && fmt.Sprint(toolmapID(v)) == id {
			return at, true
		}
	}
	return "", false
}
