package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A store of tasks behind the adapter. It keeps the rules of the profile reference.

type task struct {
	ID          string   `json:"id"`
	Subject     string   `json:"subject"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	BlockedBy   []string `json:"blocked_by"`
}

type result struct {
	OK   bool   `json:"ok"`
	ID   string `json:"id,omitempty"`
	Code string `json:"code,omitempty"`
}

type store struct {
	tasks   []task
	used    map[string]bool // ids that tasks have or had
	created []string
}

func refuse(format string, args ...any) error {
	return &Rejected{"refused", fmt.Sprintf(format, args...)}
}

// members lists the members of each call: its texts, and its lists of ids.
func members() map[string][2][]string {
	return map[string][2][]string{
		"create": {{"subject", "description", "status"}, {"blocked_by", "blocks"}},
		"update": {{"id", "subject", "description", "status"}, {"blocked_by", "remove_blocked_by", "add_blocked_by", "add_blocks"}},
		"delete": {{"id"}, nil},
	}
}

// call is a call that was read, with $N replaced by the ids of created tasks.
type call struct {
	name  string
	texts map[string]string
	lists map[string][]string
}

func (s *store) read(data json.RawMessage) (c call, err error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(data, &given) != nil || json.Unmarshal(given["call"], &c.name) != nil {
		return c, refuse("a call is an object with the member call")
	}
	known, ok := members()[c.name]
	if !ok {
		return c, refuse("unknown call %q", c.name)
	}
	c.texts, c.lists = map[string]string{}, map[string][]string{}
	for name, value := range given {
		var text string
		var list []*string
		switch isText, isList := slices.Contains(known[0], name), slices.Contains(known[1], name); {
		case name == "call":
		case !isText && !isList:
			return c, refuse("unknown member %q", name)
		case string(value) == "null":
		case isText && json.Unmarshal(value, &text) == nil:
			c.texts[name] = text
		case isList && json.Unmarshal(value, &list) == nil && !slices.Contains(list, nil):
			c.lists[name] = []string{}
			for _, id := range list {
				if strings.TrimSpace(*id) == "" {
					return c, refuse("an id is blank")
				}
				c.lists[name] = append(c.lists[name], s.id(*id))
			}
		default:
			return c, refuse("%q has the wrong type", name)
		}
	}
	return c, c.check()
}

func (c *call) check() error {
	for _, name := range []string{"id", "subject"} {
		if text, ok := c.texts[name]; ok && strings.TrimSpace(text) == "" {
			return refuse("%s is blank", name)
		}
	}
	status, ok := c.texts["status"]
	if ok && !slices.Contains([]string{"pending", "in_progress", "completed"}, status) {
		return refuse("unknown status %q", status)
	}
	return nil
}

func (s *store) id(text string) string {
	text = strings.TrimSpace(text)
	for i, id := range s.created {
		if text == fmt.Sprintf("$%d", i+1) {
			return id
		}
	}
	return text
}

func (s *store) find(id string) *task {
	if i := slices.IndexFunc(s.tasks, func(t task) bool { return t.ID == id }); i >= 0 {
		return &s.tasks[i]
	}
	return nil
}

// apply carries out a call on a copy of the tasks, and returns the id of a new task.
func (s *store) apply(c call) (string, error) {
	if c.name == "create" {
		return s.create(c)
	}
	t := s.find(s.id(c.texts["id"]))
	if t == nil {
		return "", refuse("there is no task %q", c.texts["id"])
	}
	if c.name == "update" {
		return "", s.change(t, c)
	}
	needs := func(o task) bool { return slices.Contains(o.BlockedBy, t.ID) }
	if t.Status == "completed" || slices.ContainsFunc(s.tasks, needs) {
		return "", refuse("the task is done or needed")
	}
	s.tasks = slices.DeleteFunc(s.tasks, func(o task) bool { return o.ID == t.ID })
	return "", nil
}

func (s *store) create(c call) (string, error) {
	if status := c.texts["status"]; c.texts["subject"] == "" || status != "" && status != "pending" {
		return "", refuse("a new task has a subject and is pending")
	}
	id := "n1"
	for n := 2; s.used[id]; n++ {
		id = fmt.Sprintf("n%d", n)
	}
	s.tasks = append(s.tasks, task{ID: id, Status: "pending"})
	return id, s.change(s.find(id), c)
}

// change gives a task its new members, and checks the graph after it.
func (s *store) change(t *task, c call) error {
	old := *t
	for name, member := range map[string]*string{"subject": &t.Subject, "description": &t.Description, "status": &t.Status} {
		if text, ok := c.texts[name]; ok {
			*member = text
		}
	}
	t.Subject = strings.TrimSpace(t.Subject)
	if list, ok := c.lists["blocked_by"]; ok {
		t.BlockedBy = list
	}
	t.BlockedBy = slices.DeleteFunc(slices.Clone(t.BlockedBy), func(id string) bool { return slices.Contains(c.lists["remove_blocked_by"], id) })
	t.BlockedBy = unique(append(t.BlockedBy, c.lists["add_blocked_by"]...))
	same := slices.Equal(slices.Sorted(slices.Values(t.BlockedBy)), slices.Sorted(slices.Values(old.BlockedBy)))
	if old.Status == "completed" && (t.Subject != old.Subject || t.Description != old.Description || t.Status != old.Status || !same) {
		return refuse("the task is done")
	}
	for _, id := range slices.Concat(c.lists["blocked_by"], c.lists["add_blocked_by"]) {
		if s.find(id) == nil {
			return refuse("there is no task %q", id)
		}
	}
	for _, id := range slices.Concat(c.lists["blocks"], c.lists["add_blocks"]) {
		o := s.find(id)
		if o == nil || o.Status == "completed" && !slices.Contains(o.BlockedBy, t.ID) {
			return refuse("%q is unknown or done", id)
		}
		o.BlockedBy = unique(append(slices.Clone(o.BlockedBy), t.ID))
	}
	return s.check(t, old.Status)
}

func (s *store) check(t *task, before string) error {
	reached := map[string]bool{}
	for todo := slices.Clone(t.BlockedBy); len(todo) > 0; {
		id := todo[0]
		if todo = todo[1:]; !reached[id] {
			reached[id] = true
			todo = append(todo, s.find(id).BlockedBy...)
		}
	}
	open := func(id string) bool { return s.find(id).Status != "completed" }
	switch {
	case reached[t.ID]:
		return refuse("a cycle")
	case t.Status != before && t.Status != "pending" && slices.ContainsFunc(t.BlockedBy, open):
		return refuse("the task is blocked")
	}
	return nil
}

func unique(ids []string) (list []string) {
	for _, id := range ids {
		if !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}

// strict reports whether a text is one JSON value without duplicate members, bytes that are not
// UTF-8 and half characters.
func strict(data []byte) bool {
	dec := json.NewDecoder(bytes.NewReader(data))
	return utf8.Valid(data) && value(dec) && dec.Decode(new(any)) == io.EOF && !halves(string(data))
}

func value(dec *json.Decoder) bool {
	token, err := dec.Token()
	opened, isDelim := token.(json.Delim)
	if err != nil || !isDelim {
		return err == nil
	}
	for seen := map[any]bool{}; dec.More(); {
		if opened == '{' {
			name, err := dec.Token()
			if err != nil || seen[name] {
				return false
			}
			seen[name] = true
		}
		if !value(dec) {
			return false
		}
	}
	_, err = dec.Token()
	return err == nil
}

// halves reports whether a JSON text has the escape of half a character, which decoding replaces.
func halves(text string) bool {
	return strings.Count(text, "\uFFFD") != strings.Count(decoded(text), "\uFFFD")
}

func decoded(text string) string {
	var v any
	_ = json.Unmarshal([]byte(text), &v)
	return fmt.Sprint(v)
}

func applyReply(plan json.RawMessage, reply []byte, _ Limits) (Result, error) {
	var before struct {
		Tasks []task `json:"tasks"`
	}
	var turn map[string][]json.RawMessage
	if err := json.Unmarshal(plan, &before); err != nil {
		return Result{}, err
	}
	if !strict(reply) || json.Unmarshal(reply, &turn) != nil || len(turn) != 1 || turn["calls"] == nil {
		return Result{}, refuse("the reply is not {\"calls\": […]}")
	}
	s := &store{tasks: before.Tasks, used: map[string]bool{}, created: []string{}}
	for i := range s.tasks {
		s.tasks[i].Subject = strings.TrimSpace(s.tasks[i].Subject)
		s.used[s.tasks[i].ID] = true
	}
	results, carried := []result{}, false
	for _, data := range turn["calls"] {
		next := &store{slices.Clone(s.tasks), maps.Clone(s.used), slices.Clone(s.created)}
		c, err := next.read(data)
		id := ""
		if err == nil {
			id, err = next.apply(c)
		}
		if err != nil {
			results = append(results, result{Code: "refused"})
			continue
		}
		if id != "" {
			next.created, next.used[id] = append(next.created, id), true
		}
		s, carried = next, true
		results = append(results, result{OK: true, ID: id})
	}
	if !carried {
		return Result{}, refuse("no call was carried out")
	}
	now, err := json.Marshal(map[string]any{"tasks": s.tasks})
	return Result{Plan: now, More: map[string]any{"results": results, "created": s.created}}, err
}
