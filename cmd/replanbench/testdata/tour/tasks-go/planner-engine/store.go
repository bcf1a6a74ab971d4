package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

type task struct {
	ID          string   `json:"id"`
	Subject     string   `json:"subject"`
	Description string   `json:"description"`
	Status      string   `json:"status"`
	BlockedBy   []string `json:"blocked_by"`
}

// store has tasks by id. An agent changes it call by call.
type store map[string]task

// create adds a task with members in JSON, and returns its id.
func (s store) create(members []byte) (string, error) {
	id := fmt.Sprint("new_", len(s)+1)
	return id, s.change(task{ID: id, Status: "pending"}, members)
}

// update gives a task other members.
func (s store) update(id string, members []byte) error { return s.change(s[id], members) }

func (s store) change(old task, members []byte) error {
	t := task{old.ID, old.Subject, old.Description, old.Status, nil}
	if err := json.Unmarshal(members, &t); err != nil {
		return err
	}
	if t.ID, t.Subject = old.ID, strings.TrimSpace(t.Subject); t.BlockedBy == nil {
		t.BlockedBy = old.BlockedBy
	}
	t.BlockedBy = slices.Compact(slices.Sorted(slices.Values(t.BlockedBy)))
	statuses := []string{"pending", "in_progress", "completed"}
	isOpen := func(id string) bool { return s[id].Status != "completed" }
	switch {
	case t.ID == "" || t.Subject == "" || !slices.Contains(statuses, t.Status):
		return fmt.Errorf("an unknown task or status, or a blank subject")
	case old.Status == "completed" && fmt.Sprint(t) != fmt.Sprint(old):
		return fmt.Errorf("the task is done")
	case s.lead(t.BlockedBy, "") || s.lead(t.BlockedBy, t.ID): // an unknown task has no id
		return fmt.Errorf("an unknown blocker, or a cycle")
	case t.Status != old.Status && t.Status != "pending" && slices.ContainsFunc(t.BlockedBy, isOpen):
		return fmt.Errorf("a blocker is open")
	}
	s[t.ID] = t
	return nil
}

// lead reports whether ids or what they depend on contain a task.
func (s store) lead(ids []string, to string) bool {
	return slices.ContainsFunc(ids, func(id string) bool {
		return s[id].ID == to || s.lead(s[id].BlockedBy, to)
	})
}
