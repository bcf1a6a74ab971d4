package prompt_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
	"replanbench/harness/live/prompt"
)

// showing lists the built-in templates of a dialect that show the plan. The others
// continue a conversation that began with one of these.
func showing(t *testing.T, d *dialect.Dialect) (list []prompt.Source) {
	t.Helper()
	for _, term := range d.Prompts.List {
		s, err := prompt.Open(term.Name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(s.Text, "cur_plan_") {
			list = append(list, s)
		}
	}
	return list
}

// shownStep is a line of cur_plan_md: its box, and the id as it is shown.
var shownStep = regexp.MustCompile(`(?m)^- \[(.)\] \*\*("(?:[^"\\]|\\.)*"|[^*"]+)\*\* `)

// asJSON writes an id as a model does that copies what is shown: text in quotes as it is,
// other text between quotes.
func asJSON(shown string) string {
	if strings.HasPrefix(shown, `"`) {
		return shown
	}
	return `"` + shown + `"`
}

// items are the steps of a plan, or of a list of todos.
func items(t require, plan jsontext.Value) []map[string]jsontext.Value {
	var p struct {
		Steps []map[string]jsontext.Value `json:"steps"`
		Items []map[string]jsontext.Value `json:"items"`
	}
	if err := json.Unmarshal(plan, &p); err != nil {
		t.Fatal(err)
	}
	return append(p.Steps, p.Items...)
}

type require interface{ Fatal(args ...any) }

// ids are the ids of steps or, of todos, their contents.
func ids(t require, plan jsontext.Value) (list []string) {
	for _, item := range items(t, plan) {
		value, ok := item["content"]
		if !ok {
			value = item["id"]
		}
		var id string
		if err := json.Unmarshal(value, &id); err != nil {
			t.Fatal(err)
		}
		list = append(list, id)
	}
	return list
}

// shown are the ids or contents that a prompt shows, read as a model would, and the
// reply of a model that copies the first open one.
func shown(t require, text string) (list []string, reply string) {
	if _, behind, ok := strings.Cut(text, "\n{\"items\":"); ok {
		line, _, _ := strings.Cut(behind, "\n")
		list = ids(t, jsontext.Value(`{"items":`+line))
		if before, after, ok := strings.Cut(line, `"status": "pending"`); ok {
			reply = `{"todos":` + before + `"status": "cancelled"` + after
		}
		return list, reply
	}
	for _, m := range shownStep.FindAllStringSubmatch(text, -1) {
		var id string
		if err := json.Unmarshal([]byte(asJSON(m[2])), &id); err != nil {
			t.Fatal(m[2], err)
		}
		if list = append(list, id); m[1] != " " || reply != "" {
			continue
		}
		reply = fmt.Sprintf(`{"type":"PlanPatch","update_steps":[{"id":%s,"description":"again"}]}`, asJSON(m[2]))
		if strings.Contains(text, `"operations"`) {
			reply = fmt.Sprintf(`{"operations":[{"type":"modify","step_id":%s,"step_data":{"description":"again"}}]}`, asJSON(m[2]))
		}
	}
	return list, reply
}

// plans makes plans of the dialect; odd gives other texts to their ids, tools and
// descriptions, where the plan stays sound.
func plans(t *testing.T, d *dialect.Dialect) func(i int, odd func() string) (live.Case, error) {
	t.Helper()
	rules := harness.Reference()
	source, err := d.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: 8})
	if err != nil {
		t.Fatal(err)
	}
	return func(i int, odd func() string) (live.Case, error) {
		c := source.At(7, uint64(i)).Case
		spec := live.CaseSpec{ID: "c", Plan: c.Plan, Limits: c.Limits}
		other := spec
		other.Plan = rewrite(t, c.Plan, odd)
		if c, err := live.NewCase(d, other); err == nil {
			return c, nil
		}
		return live.NewCase(d, spec)
	}
}

// rewrite replaces every id, tool, description and content, equal ids by equal ones.
func rewrite(t *testing.T, plan jsontext.Value, odd func() string) jsontext.Value {
	t.Helper()
	var doc any
	if err := json.Unmarshal(plan, &doc); err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	var walk func(v any, key string) any
	walk = func(v any, key string) any {
		switch v := v.(type) {
		case map[string]any:
			for k := range v {
				v[k] = walk(v[k], k)
			}
		case []any:
			for i := range v {
				v[i] = walk(v[i], key)
			}
		case string:
			if key != "id" && key != "dependencies" && key != "tools_expected" && key != "description" && key != "content" {
				return v
			}
			if _, ok := names[v]; !ok {
				names[v] = odd()
			}
			return names[v]
		}
		return v
	}
	data, err := json.Marshal(walk(doc, ""), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestPromptsShowTheIDsOfThePlan: in every dialect and template, the ids that a
// prompt shows are those of the plan, whatever texts the plan holds, and a model that
// copies one as it is shown finds its step.
func TestPromptsShowTheIDsOfThePlan(t *testing.T) {
	text := rapid.OneOf(rapid.StringN(1, 12, -1), rapid.SampledFrom([]string{
		"step_2", "read_file", "a b", "a,b", `a "b"`, `\n`, "x (after a)", "**b**", "```", "a\nb", "- [ ] **z** y", "<b>&amp;", "发布", "a\u2028b", "null", "👩\u200d💻",
	}))
	for _, d := range all.Dialects() {
		for _, s := range showing(t, d) {
			t.Run(s.Name, func(t *testing.T) {
				makeCase := plans(t, d)
				rapid.Check(t, func(t *rapid.T) {
					n := 0
					c, err := makeCase(rapid.IntRange(0, 500).Draw(t, "case"), func() string { n++; return fmt.Sprint(text.Draw(t, "text"), n) })
					if err != nil {
						t.Fatal(err)
					}
					check(t, d, s, c)
				})
			})
		}
	}
}

// check renders the prompt of a case and returns what comes of the reply of a model that
// copies; false where no step is open.
func check(t require, d *dialect.Dialect, s prompt.Source, c live.Case) (harness.Outcome, bool) {
	text, err := (&prompt.Go{}).Render(context.Background(), s, c.Variables())
	if err != nil {
		t.Fatal(err)
	}
	list, reply := shown(t, text)
	if diff := cmp.Diff(ids(t, c.Plan), list); diff != "" {
		t.Fatal(fmt.Sprintf("ids (-plan +prompt):\n%s\n%s", diff, text))
	}
	if reply == "" {
		return harness.Outcome{}, false
	}
	o := d.Eval(harness.Case{Dialect: d.Name, Plan: c.Plan, Limits: c.Limits, Replies: []harness.Reply{harness.Reply(reply)}}, harness.Reference())
	if o.Code == harness.UnknownStep || o.Code == harness.NoDocument {
		t.Fatal(fmt.Sprintf("%s: %s\nreply %s\n%s", o.Code, o.Message, reply, text))
	}
	return o, true
}

// TestModelsThatCopyIDs: of 1,000 generated plans in each dialect and template, a model
// that copies the first open step's id never gets unknown_step.
func TestModelsThatCopyIDs(t *testing.T) {
	for _, d := range all.Dialects() {
		for _, s := range showing(t, d) {
			makeCase, asked, applied := plans(t, d), 0, 0
			for i := range 1000 {
				n := 0
				c, err := makeCase(i, func() string { n++; return fmt.Sprintf("step_%d", n) })
				if err != nil {
					t.Fatal(err)
				}
				if o, ok := check(t, d, s, c); ok {
					if asked++; o.Verdict == harness.Applied {
						applied++
					}
				}
			}
			if asked < 500 || applied < asked*9/10 {
				t.Errorf("%s: %d of %d replies were applied", s.Name, applied, asked)
			}
		}
	}
}
