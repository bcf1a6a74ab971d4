package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

// item is an item of a list of todos.
type item struct {
	ID         string `json:"id,omitempty"`
	Content    string `json:"content"`
	Status     string `json:"status"`
	Priority   string `json:"priority,omitempty"`
	ActiveForm string `json:"active_form,omitempty"`
}

// bug says whether to have a bug, by its number: see README.md.
func bug(number string) bool { return slices.Contains(os.Args[1:], number) }

func refuse(message string) error { return &Rejected{"refused", message} }

// applyReply applies {"todos":[…]}, a rewrite of the whole list.
func applyReply(plan json.RawMessage, reply []byte, limits Limits) (Result, error) {
	var list struct {
		Items []item `json:"items"`
	}
	if err := json.Unmarshal(plan, &list); err != nil {
		return Result{}, err
	}
	asked, err := readReply(reply)
	if err != nil {
		return Result{}, err
	}
	next, fits := rewrite(list.Items, asked), true
	if limits.MaxPlanSteps != nil {
		next, fits = cut(next, list.Items, *limits.MaxPlanSteps)
	}
	switch {
	case !fits:
		return Result{}, refuse("the list is too long")
	case len(next) == 0 && slices.ContainsFunc(list.Items, open):
		return Result{}, refuse("something is open, and nothing is left of it")
	case slices.Equal(next, list.Items):
		return Result{}, refuse("nothing changed")
	}
	raw, err := json.Marshal(map[string]any{"items": append([]item{}, next...)})
	return Result{Plan: raw}, err
}

func open(i item) bool { return i.Status == "pending" || i.Status == "in_progress" }

// rewrite is the new list. What is completed stays so, one item is in progress, and
// what the reply leaves out comes back behind the item that stood before it.
func rewrite(old, asked []item) (next []item) {
	if len(asked) == 0 {
		return nil
	}
	busy := false
	give := func(i item) item {
		if i.Status == "in_progress" && busy {
			i.Status = "pending"
		}
		busy = busy || i.Status == "in_progress"
		return i
	}
	for _, a := range asked {
		if at := find(old, a.ID); at >= 0 {
			a = update(old[at], a)
		}
		next = append(next, give(a))
	}
	at := 0
	for _, o := range old {
		if i := find(next, o.ID); i >= 0 {
			at = i + 1
		} else if o.Status != "cancelled" {
			if !bug("4") {
				o = give(o)
			}
			next = slices.Insert(next, at, o)
			if !bug("3") {
				at++
			}
		}
	}
	return next
}

func find(list []item, id string) int {
	return slices.IndexFunc(list, func(i item) bool { return id != "" && i.ID == id })
}

// update is an item with what was said of it.
func update(old, said item) item {
	if normal(said.Content) == normal(old.Content) {
		said.Content = old.Content
	}
	if old.Status == "completed" && (!bug("2") || said.Status == "pending") {
		said.Status = old.Status
	}
	if said.Priority == "" {
		said.Priority = old.Priority
	}
	if said.ActiveForm == "" && !bug("1") {
		said.ActiveForm = old.ActiveForm
	}
	return said
}

// cut leaves out the last of the new items, but for completed ones, until the limit
// holds, if it can.
func cut(next, old []item, limit int) (list []item, fits bool) {
	added := func(i item) bool { return find(old, i.ID) < 0 && !slices.Contains(old, i) }
	for at := len(next) - 1; at >= 0 && len(next) > limit; at-- {
		if added(next[at]) && next[at].Status != "completed" {
			next = slices.Delete(next, at, at+1)
		}
	}
	return next, limit >= 1 && (len(next) <= limit || !slices.ContainsFunc(next, added))
}

// readReply reads the items of a reply, of each id the last.
func readReply(reply []byte) (asked []item, err error) {
	var doc map[string]any
	if !utf8.Valid(reply) || strings.Contains(string(reply), `\ud`) || json.Unmarshal(reply, &doc) != nil {
		return nil, refuse("the reply is no JSON object")
	}
	list, ok := doc["todos"].([]any)
	if !ok || len(doc) > 1 {
		return nil, refuse("the reply holds no list of todos, or other things beside it")
	}
	for _, v := range list {
		i, err := readItem(v)
		if err != nil {
			return nil, err
		}
		asked = slices.DeleteFunc(asked, func(a item) bool { return a.ID == i.ID })
		asked = append(asked, i)
	}
	return asked, nil
}

func readItem(v any) (i item, err error) {
	doc, ok := v.(map[string]any)
	if !ok {
		return i, refuse("an item is no object")
	}
	members := map[string]*string{
		"id": &i.ID, "content": &i.Content, "status": &i.Status, "priority": &i.Priority, "active_form": &i.ActiveForm, "activeForm": &i.ActiveForm,
	}
	for _, name := range []string{"id", "content", "status", "priority", "active_form", "activeForm"} {
		if text, ok := doc[name].(string); ok {
			*members[name] = text
		} else if doc[name] != nil {
			return i, refuse(name + " is no text")
		}
	}
	for name := range doc {
		if members[name] == nil {
			return i, refuse("an item has no " + name)
		}
	}
	for name, text := range members {
		if name == "id" || name == "content" || strings.TrimSpace(*text) == "" {
			*text = strings.TrimSpace(*text)
		}
	}
	if i.ID == "" || i.Content == "" || !open(i) && i.Status != "completed" && i.Status != "cancelled" {
		return i, refuse("an item needs an id, a content and a status")
	}
	return i, nil
}

// composed has the letters with accents of the samples in their composed form.
var composed = strings.NewReplacer("e\u0301", "é", "a\u0300", "à")

// normal returns the normal form of a content.
func normal(content string) string {
	return strings.Join(strings.Fields(composed.Replace(content)), " ")
}
