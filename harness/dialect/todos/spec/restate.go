package spec

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/plan"
)

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
	text, err := json.Marshal(map[string]any{s.List(): restated(items, s)}, json.Deterministic(true),
		jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", false
	}
	return string(text), anywhere
}

// restated are the items as a reply has them.
func restated(items []Item, s Settings) []map[string]string {
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
	return list
}

// number gives items without an id the first number that is free.
func number(items []Item) {
	used := map[string]bool{}
	for _, x := range items {
		used[x.ID] = true
	}
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
