package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

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

// verify makes tasks of each status and reads them back. It learns the words of the list for statuses, and leaves
// out what the list shows otherwise than it was written, such as the beginnings of texts: a campaign would call that
// a loss.
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
		case toolmap.StatusWord(string(got.Status)) == string(want.Status):
			g.readStatuses(map[string][]string{string(want.Status): {string(got.Status)}})
		case got.Status != want.Status:
			return nil, g.unmapped("%s shows a task that is %s as %q", tool, want.Status, got.Status)
		}
		text := strings.TrimRight(got.Description, ".… ")
		leave["description"] = leave["description"] || got.Description != want.Description && text != "" &&
			strings.HasPrefix(want.Description, text)
		leave["blocked_by"] = leave["blocked_by"] || len(got.BlockedBy) == len(want.BlockedBy) &&
			slices.ContainsFunc(got.BlockedBy, func(id string) bool { return shown[id] == nil })
	}
	members, _ := state["members"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if to, _ := members[name].(map[string]any); leave[fmt.Sprint(to["to"])] {
			delete(members, name)
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

// shown reads the tasks of a scene, by name. If some are missing, each status may have a list of its own.
func (g *guess) shown(ctx context.Context, s *scene, state map[string]any) (tasks map[string]*spec.Task, err error) {
	places := []any{state["tasks"]} // nil for a list in words
	if place, ok := places[0].(string); ok {
		places = append(places, strings.Repeat("/*", strings.Count(place, "/")), place)
	}
	for _, at := range places {
		if at != state["tasks"] {
			state["tasks"] = at
			if s.profile, err = g.parse(); err != nil {
				return nil, err
			}
		}
		graph, err := s.read(ctx)
		if err != nil {
			return nil, err
		}
		tasks = map[string]*spec.Task{}
		for i := range graph.Tasks {
			tasks[graph.Tasks[i].ID] = &graph.Tasks[i]
		}
		if !slices.ContainsFunc(s.graph.Tasks, func(t spec.Task) bool { return tasks[t.ID] == nil }) {
			break
		}
	}
	return tasks, nil
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
