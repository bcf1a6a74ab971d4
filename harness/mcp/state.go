package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/agent/launch"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
)

// unable is why a case cannot be given to a server. It blames nobody.
type unable struct{ reason string }

func (u *unable) Error() string { return u.reason }

// unreadable is why the tasks of a server cannot be read back.
type unreadable struct{ cause error }

func (u *unreadable) Error() string { return "the tasks cannot be read: " + u.cause.Error() }

// scene is one case on one server.
type scene struct {
	*slot
	graph *spec.Graph // of the case
	notes []spec.Note
	named []string          // tasks that do not exist and that answers to carried-out calls name
	texts map[string]string // descriptions, as stored and as written
}

func newScene(s *slot, g *spec.Graph) *scene {
	like := ""
	if s.names != nil {
		like = s.names.Like
	}
	s.names = toolmap.NewNames(like)
	scene := &scene{slot: s, graph: g, texts: map[string]string{}}
	for i := range g.Tasks {
		scene.wrote(g.Tasks[i].Description)
	}
	return scene
}

// wrote notes a description. White space around it and control characters have no meaning for a
// server.
func (s *scene) wrote(text string) {
	s.texts[text] = text
	if p := printed(text); s.texts[p] == "" {
		s.texts[p] = text
	}
}

// printed returns a text without white space around it and without control characters.
func printed(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, text))
}

// stateMap is the map with the statuses of the state.
func (p *Profile) stateMap() *toolmap.Map {
	m := *p.Map
	if p.Server.State.Statuses != nil {
		m.Statuses = p.Server.State.Statuses
	}
	return &m
}

// setUp makes the graph of the case.
func (s *scene) setUp(ctx context.Context) error {
	st := &s.profile.Server.State
	if !st.writes() {
		return s.build(ctx)
	}
	for i := range s.graph.Tasks {
		s.names.Know(s.graph.Tasks[i].ID, strings.NewReplacer("{n}", strconv.Itoa(i+1), "{uuid}", toolmap.UUID(i+1)).Replace(st.ID))
	}
	return s.write(st, s.graph.Tasks)
}

// write writes the files of the state.
func (s *scene) write(st *State, tasks []spec.Task) error {
	m := s.profile.stateMap()
	list := []any{}
	for i := range tasks {
		list = append(list, s.fields(m, st, &tasks[i]))
	}
	if st.Files != "" {
		return s.writeEach(st, list)
	}
	data, err := json.Marshal(around(st.Around, list), json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	s.trace.add(Exchange{File: st.File, Text: string(data)})
	return s.place.Write(st.File, false, string(data))
}

// fields returns a task as the file has it.
func (s *scene) fields(m *toolmap.Map, st *State, t *spec.Task) map[string]any {
	c := toolmap.Call{
		"id": s.names.IDs[t.ID], "subject": t.Subject, "status": string(t.Status), "description": t.Description,
		"blocked_by": s.translated(t.BlockedBy),
	}
	if t.Parent != "" {
		c["parent"] = s.names.IDs[t.Parent]
	}
	object := m.Fields(st.Members, c)
	for name, v := range st.Fill {
		if _, ok := object[name]; !ok {
			object[name] = v
		}
	}
	return object
}

// around puts the list in the place of the text {tasks}.
func around(v any, list []any) any {
	return toolmap.Replace(v, func(text string) any {
		if text == "{tasks}" {
			return list
		}
		return text
	})
}

// writeEach writes a file for each task, in place of those that are there.
func (s *scene) writeEach(st *State, list []any) error {
	for _, pattern := range append([]string{st.Files}, st.Clear...) {
		files, err := filepath.Glob(filepath.Join(s.place.Dir(), pattern))
		if err != nil {
			return err
		}
		for _, file := range files {
			if err := os.Remove(file); err != nil {
				return err
			}
		}
	}
	for _, item := range list {
		object, _ := item.(map[string]any)
		id, _ := object["id"].(string)
		text, _ := object["description"].(string)
		delete(object, "description")
		head, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		body := ""
		if text != "" {
			body = strings.ReplaceAll(st.Body, "{description}", text)
		}
		name := strings.ReplaceAll(st.Path, "{id}", strings.ToLower(id))
		text = "---\n" + string(head) + "---\n" + body
		s.trace.add(Exchange{File: name, Text: text})
		if err := s.place.Write(name, false, text); err != nil {
			return err
		}
	}
	return nil
}

// build makes the graph with calls: creations, then statuses, the done ones first.
func (s *scene) build(ctx context.Context) error {
	for i := range s.graph.Tasks {
		t := &s.graph.Tasks[i]
		c := toolmap.Call{"call": "create", "subject": t.Subject}
		if t.Description != "" {
			c["description"] = t.Description
		}
		if len(t.BlockedBy) > 0 {
			c["blocked_by"] = s.translated(t.BlockedBy)
		}
		if t.Parent != "" {
			c["parent"] = s.names.IDs[t.Parent]
		}
		r, err := s.buildBy(ctx, c)
		if err != nil {
			return err
		}
		if len(r.IDs) != 1 {
			return &unable{"the answer to a creation does not name one new id"}
		}
		s.names.Know(t.ID, r.IDs[0])
	}
	for _, status := range []plan.Status{plan.Completed, plan.Cancelled, plan.InProgress} {
		for i := range s.graph.Tasks {
			if t := &s.graph.Tasks[i]; t.Status == status {
				if _, err := s.buildBy(ctx, toolmap.Call{"call": "update", "id": s.names.IDs[t.ID], "status": string(status)}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (s *scene) translated(names []string) []any {
	list := []any{}
	for _, name := range names {
		list = append(list, s.names.IDs[name])
	}
	return list
}

func (s *scene) buildBy(ctx context.Context, c toolmap.Call) (r toolmap.Report, err error) {
	uses, ok := s.profile.Build(c, s.vars())
	if !ok {
		return r, &unable{fmt.Sprintf("no tool makes the graph of the case (%s)", c.JSON())}
	}
	for i, u := range uses {
		a, err := s.process.call(ctx, u.Tool, u.Arguments)
		if err != nil {
			return r, err
		}
		one := u.Result.Read(a)
		if one.Refused {
			return r, &unable{"the server rejects a call that makes the graph of the case: " + brief(a.Text)}
		}
		if i == 0 {
			r = one
		}
	}
	return r, nil
}

// read reads the graph back, in names of the case.
func (s *scene) read(ctx context.Context) (*spec.Graph, error) {
	defer s.trace.now(forRead)()
	objects, err := s.objects(ctx)
	if err != nil {
		return nil, err
	}
	m := s.profile.stateMap()
	g := &spec.Graph{Tasks: []spec.Task{}}
	for _, object := range objects {
		t, ok := s.task(m.Object(s.profile.Server.State.Members, object))
		if ok || !s.profile.Server.Accumulate {
			g.Tasks = append(g.Tasks, t)
		}
	}
	toolmap.Arrange(g.Tasks, s.arranged(), func(t spec.Task) string { return t.ID })
	return g, nil
}

// task returns a task of the state in names of the case, and whether the case knows it.
func (s *scene) task(c toolmap.Call) (spec.Task, bool) {
	text := func(v any) string {
		t, _ := v.(string)
		return t
	}
	name := func(v any) string { return s.names.Name(text(v)) }
	t := spec.Task{
		ID: name(c["id"]), Subject: strings.TrimSpace(text(c["subject"])), Description: text(c["description"]),
		Status: plan.Status(text(c["status"])), Parent: name(c["parent"]),
	}
	if s.defaults[t.Description] {
		t.Description = ""
	} else if written, ok := s.texts[t.Description]; ok {
		t.Description = written
	} else if written, ok := s.texts[printed(t.Description)]; ok {
		t.Description = written
	}
	if list, ok := c["blocked_by"].([]any); ok {
		for _, b := range list {
			t.BlockedBy = append(t.BlockedBy, name(b))
		}
	}
	_, known := s.names.Plain[s.names.Canonical(text(c["id"]))]
	return t, known
}

// arranged returns the names of the tasks as the case has them, then in the order of their creation.
func (s *scene) arranged() (names []string) {
	for _, t := range s.graph.Tasks {
		names = append(names, t.ID)
	}
	for _, id := range s.names.Created {
		names = append(names, s.names.Plain[id])
	}
	return names
}

// objects reads the tasks of the server.
func (s *scene) objects(ctx context.Context) ([]map[string]any, error) {
	st := &s.profile.Server.State
	switch {
	case st.Files != "":
		return s.readEach(st)
	case st.File != "":
		data, err := os.ReadFile(filepath.Join(s.place.Dir(), st.File))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		} else if err != nil {
			return nil, &unreadable{err}
		}
		var v any
		if err := json.Unmarshal(data, &v, jsontext.AllowInvalidUTF8(true)); err != nil {
			return nil, &unreadable{err}
		}
		return objectsAt(v, st.Tasks), nil
	}
	return s.ask(ctx, st)
}

// args returns the arguments of the tool that reads the tasks.
func (st *State) args(place *launch.Place) map[string]any {
	args := map[string]any{}
	for name, v := range st.Args {
		args[name] = v
		if text, ok := v.(string); ok {
			args[name] = strings.ReplaceAll(text, "{dir}", place.Dir())
		}
	}
	return args
}

// ask reads the tasks with a tool.
func (s *scene) ask(ctx context.Context, st *State) ([]map[string]any, error) {
	args := st.args(s.place)
	if st.IDs != "" {
		ids := slices.Sorted(maps.Keys(s.names.Plain))
		if args[st.IDs] = ids; len(ids) == 0 {
			return nil, nil
		}
	}
	a, err := s.process.call(ctx, st.Tool, args)
	if err != nil {
		return nil, err
	}
	if s.profile.Result.Read(a).Refused {
		return nil, &unreadable{errors.New(brief(a.Text))}
	}
	if st.Match.Regexp != nil {
		return matched(st.Match, a.Text), nil
	}
	values := a.Values()
	for _, v := range values {
		if list := objectsAt(v, st.Tasks); list != nil {
			return list, nil
		}
	}
	if text := strings.TrimSpace(a.Text); len(values) == 0 && text != "" && strings.Contains("{[", text[:1]) {
		return nil, &unreadable{fmt.Errorf("it is no JSON: %s", brief(text))}
	}
	return []map[string]any{}, nil
}

// matched returns an object for each match, with the named groups as members.
func matched(p toolmap.Pattern, text string) (list []map[string]any) {
	for _, m := range p.FindAllStringSubmatch(text, -1) {
		object := map[string]any{}
		for i, name := range p.SubexpNames() {
			if name != "" {
				object[name] = m[i]
			}
		}
		list = append(list, object)
	}
	return list
}

func objectsAt(v any, pointer string) (list []map[string]any) {
	for _, item := range toolmap.At(v, pointer) {
		if object, ok := item.(map[string]any); ok {
			list = append(list, object)
		}
	}
	return list
}

// readEach reads the files with one task each.
func (s *scene) readEach(st *State) (list []map[string]any, err error) {
	files, err := filepath.Glob(filepath.Join(s.place.Dir(), st.Files))
	if err != nil {
		return nil, err
	}
	text, err := regexp.Compile(st.Text)
	if err != nil {
		return nil, harness.Mistakef("server.state.text: %w", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, &unreadable{err}
		}
		_, rest, ok := strings.Cut(string(data), "---\n")
		head, body, closed := strings.Cut(rest, "\n---\n")
		object := map[string]any{}
		if !ok || !closed {
			return nil, &unreadable{fmt.Errorf("%s: no YAML between two lines ---", filepath.Base(file))}
		}
		if err := yaml.Unmarshal([]byte(head), &object); err != nil {
			return nil, &unreadable{fmt.Errorf("%s: %w", filepath.Base(file), err)}
		}
		if m := text.FindStringSubmatch(body); m != nil {
			object["description"] = m[1]
		}
		list = append(list, object)
	}
	return list, nil
}
