// Package spec holds what rules, samples and checks of the dialect share: lists
// of todos, when contents are equal, the knobs, the words of outcomes, and where
// things stand in documents. It applies no reply.
package spec

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Item is a todo. An id, priority or active form that it does not have is "". As JSON it has the format todos.
type Item struct {
	ID         string      `json:"id,omitzero"`
	Content    string      `json:"content"`
	Status     plan.Status `json:"status"`
	Priority   string      `json:"priority,omitzero"`
	ActiveForm string      `json:"activeForm,omitzero"`
}

// Open reports whether the work is still to be done.
func (i *Item) Open() bool { return i.Status == plan.Pending || i.Status == plan.InProgress }

// Name returns the item's name in warnings.
func (i *Item) Name() string {
	if i.ID != "" {
		return i.ID
	}
	return i.Content
}

// extra are the members of an item that plans keep as they are.
type extra struct {
	Priority   string `json:"priority,omitzero"`
	ActiveForm string `json:"active_form,omitzero"`
}

// Plan is the list as outcomes have it.
func Plan(items []Item) *plan.Plan {
	p := &plan.Plan{Listed: true, Steps: make([]plan.Step, len(items))}
	for i, item := range items {
		p.Steps[i] = plan.Step{
			ID: item.ID, Description: item.Content, Status: item.Status,
			Extra: strictjson.Texts("priority", item.Priority, "active_form", item.ActiveForm),
		}
	}
	return p
}

// Items returns the items of a plan. Members that items do not have are ignored.
func Items(p *plan.Plan) []Item {
	if p == nil {
		return nil
	}
	items := make([]Item, len(p.Steps))
	for i, s := range p.Steps {
		items[i] = Item{ID: s.ID, Content: s.Description, Status: s.Status}
		if s.Extra != nil {
			var e extra
			_ = json.Unmarshal(s.Extra, &e, jsontext.AllowDuplicateNames(true)) // what is no text is none of these
			items[i].Priority, items[i].ActiveForm = e.Priority, e.ActiveForm
		}
	}
	return items
}

// Origins returns for each item of the new list its place in the old one, -1 for a new item; nil if the outcome does
// not have a list with them.
func Origins(o *harness.Outcome) []int {
	var was []*int
	if o.Plan == nil || json.Unmarshal(o.More[Was], &was) != nil || len(was) != len(o.Plan.Steps) {
		return nil
	}
	list := make([]int, len(was))
	for i, at := range was {
		if list[i] = -1; at != nil {
			list[i] = *at
		}
	}
	return list
}

// Places writes the member of outcomes that [Origins] reads.
func Places(was []int) map[string]jsontext.Value {
	raw := []byte{'['}
	for i, at := range was {
		if i > 0 {
			raw = append(raw, ',')
		}
		if at < 0 {
			raw = append(raw, "null"...)
		} else {
			raw = strconv.AppendInt(raw, int64(at), 10)
		}
	}
	return map[string]jsontext.Value{Was: append(raw, ']')}
}

// Before reads the list of a case. The error says what makes it unsound.
func Before(c harness.Case) (*plan.Plan, error) { return plan.DecodeList(c.Plan) }

// Normal is the form in which contents are compared: NFC, runs of white space as
// one space, none round it. Case and markup count.
func Normal(content string) string {
	plain := true
	for i := range len(content) {
		b := content[i]
		plain = plain && b > ' ' && b < 0x7f || b == ' ' && i > 0 && i < len(content)-1 && content[i-1] != ' ' && plain
	}
	if plain {
		return content
	}
	return strings.Join(strings.FieldsFunc(norm.NFC.String(content), unicode.IsSpace), " ")
}

// Restate writes the rewrite that makes a list out of any other one, and reports
// whether it does so under these rules: by some of them items that it leaves out
// stay. "" is a list that no rewrite makes.
func Restate(list jsontext.Value, p harness.Profile) (reply string, anywhere bool) {
	s := SettingsOf(p)
	decoded, err := plan.DecodeList(list)
	if err != nil {
		return "", false
	}
	items := Items(decoded)
	anywhere = s.OmittedDone == harness.Drop && s.OmittedOpen == harness.Drop
	if s.Format == Markdown {
		return restateMarkdown(items), anywhere
	}
	if s.IDs != Optional {
		number(items)
	}
	return Written(items, s), anywhere
}

// Written writes the items as a rewrite in JSON.
func Written(items []Item, s Settings) string {
	list := make([]map[string]string, len(items))
	for i, x := range items {
		m := map[string]string{s.Text(): x.Content, "status": string(x.Status)}
		if s.Format != PlanForm {
			for name, value := range map[string]string{"id": x.ID, "priority": x.Priority, "activeForm": x.ActiveForm} {
				if value != "" {
					m[name] = value
				}
			}
		}
		list[i] = m
	}
	return string(strictjson.Encode(map[string]any{s.List(): list}))
}

// number gives items without an id the first number that is free.
func number(items []Item) {
	used := collect.Set(collect.Map(items, func(x Item) string { return x.ID }))
	next := 1
	for i := range items {
		for items[i].ID == "" {
			if id := strconv.Itoa(next); !used[id] {
				items[i].ID, used[id] = id, true
			}
			next++
		}
	}
}

func restateMarkdown(items []Item) string {
	marks := map[plan.Status]string{plan.Pending: " ", plan.InProgress: "-", plan.Completed: "x"}
	var b strings.Builder
	for _, x := range items {
		mark, ok := marks[x.Status]
		if !ok || strings.ContainsAny(x.Content, "\r\n") {
			return ""
		}
		b.WriteString("- [" + mark + "] " + x.Content + "\n")
	}
	return b.String()
}
