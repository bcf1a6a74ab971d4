package prompt_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
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
	"replanbench/harness/plan"
)

// conversation is the prompts that a model has seen when it replies.
type conversation []prompt.Source

// conversations lists, for every built-in template of a dialect, the templates that a
// model sees up to it. A template that does not show the plan continues the conversation
// that began with the first prompt of its language.
func conversations(t *testing.T, d *dialect.Dialect) (list []conversation) {
	t.Helper()
	open := func(name string) prompt.Source {
		s, err := prompt.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for _, term := range d.Prompts.List {
		s := open(term.Name)
		switch {
		case strings.Contains(s.Text, "cur_plan_"):
			list = append(list, conversation{s})
		case strings.HasSuffix(term.Name, ".zh"):
			list = append(list, conversation{open(d.Prompts.First + ".zh"), s})
		default:
			list = append(list, conversation{open(d.Prompts.First), s})
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
		Tasks []map[string]jsontext.Value `json:"tasks"`
	}
	if err := json.Unmarshal(plan, &p); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(p.Steps, p.Items, p.Tasks)
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
	if _, behind, ok := strings.Cut(text, "\n{\"tasks\":"); ok {
		line, _, _ := strings.Cut(behind, "\n")
		tasks := jsontext.Value(`{"tasks":` + line)
		for _, task := range items(t, tasks) {
			if reply == "" && string(task["status"]) == `"pending"` {
				reply = `{"calls":[{"call":"update","id":` + string(task["id"]) + `,"status":"cancelled"}]}`
			}
		}
		return ids(t, tasks), reply
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
			reply = fmt.Sprintf(`{"operations":[{"type":"modify","step_id":%s,"step_data":{"description":"again"}}]}`,
				asJSON(m[2]))
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
			if !slices.Contains([]string{
				"id", "dependencies", "blocked_by", "parent", "tools_expected", "description", "content", "subject",
			}, key) {
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
		"step_2", "read_file", "a b", "a,b", `a "b"`, `\n`, "x (after a)", "**b**", "```", "a\nb", "- [ ] **z** y",
		"<b>&amp;", "发布", "a\u2028b", "null", "👩\u200d💻",
	}))
	for _, d := range all.Dialects() {
		if d.Session != nil {
			continue // see TestSessionsShowTheIDsOfThePlan
		}
		for _, s := range conversations(t, d) {
			t.Run(s[len(s)-1].Name, func(t *testing.T) {
				makeCase := plans(t, d)
				rapid.Check(t, func(t *rapid.T) {
					n := 0
					c, err := makeCase(rapid.IntRange(0, 500).Draw(t, "case"),
						func() string { n++; return fmt.Sprint(text.Draw(t, "text"), n) })
					if err != nil {
						t.Fatal(err)
					}
					check(t, d, s, c)
				})
			})
		}
	}
}

// check renders the prompts of a case and returns what comes of the reply of a model that
// copies; false where no step is open.
func check(t require, d *dialect.Dialect, talk conversation, c live.Case) (harness.Outcome, bool) {
	text, v := "", c.Variables()
	for _, s := range talk {
		next, err := (&prompt.Go{}).Render(context.Background(), s, v)
		if err != nil {
			t.Fatal(err)
		}
		text, v = text+"\n"+next, v.WithError(string(harness.EmptyPatch), "nothing changes")
	}
	list, reply := shown(t, text)
	if diff := cmp.Diff(ids(t, c.Plan), list); diff != "" {
		t.Fatal(fmt.Sprintf("ids (-plan +prompt):\n%s\n%s", diff, text))
	}
	if reply == "" {
		return harness.Outcome{}, false
	}
	o := d.Eval(harness.Case{
		Dialect: d.Name, Plan: c.Plan, Limits: c.Limits,
		Replies: []harness.Reply{harness.Reply(reply)},
	}, harness.Reference())
	if o.Code == harness.UnknownStep || o.Code == harness.NoDocument {
		t.Fatal(fmt.Sprintf("%s: %s\nreply %s\n%s", o.Code, o.Message, reply, text))
	}
	return o, true
}

// TestModelsThatCopyIDs: of 250 generated plans in each dialect and template (1,000 in the
// long form), a model that copies the first open step's id never gets unknown_step.
func TestModelsThatCopyIDs(t *testing.T) {
	plansEach := 250
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		plansEach = 1000
	}
	for _, d := range all.Dialects() {
		if d.Session != nil {
			continue
		}
		for _, s := range conversations(t, d) {
			makeCase, asked, applied := plans(t, d), 0, 0
			for i := range plansEach {
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
			if asked < plansEach/2 || applied < asked*9/10 {
				t.Errorf("%s: %d of %d replies were applied", s[len(s)-1].Name, applied, asked)
			}
		}
	}
}

// TestSessionsShowTheIDsOfThePlan: in a run, the prompts for a step and for a replan show
// the ids of the plan so far, and a model that copies one as it is shown finds its step.
func TestSessionsShowTheIDsOfThePlan(t *testing.T) {
	for _, d := range all.Dialects() {
		if d.Session == nil {
			continue
		}
		replans, makeCase := 0, sessionPlans(t, d)
		for i := range 1000 {
			c, ok := makeCase(i)
			if !ok {
				continue
			}
			for _, language := range []string{"", ".zh"} {
				d.Session(c, harness.Reference(), func(q harness.Question) (harness.Reply, bool) {
					if q.Why != nil && q.Why.Code == harness.UnknownStep {
						t.Errorf("case %d: %s", i, q.Why.Message)
					}
					if q.Kind == harness.AskPlan || len(q.Plan) == 0 || replans > 40000 {
						return "", false
					}
					name := d.Prompts.Step
					if q.Kind == harness.AskReplan {
						name = d.Prompts.Retry
						replans++
					}
					reply := copied(t, name+language, q)
					if q.Kind == harness.AskStep {
						return `{"control":"replan","reason":"again"}`, true
					}
					return harness.Reply(reply), reply != ""
				})
			}
		}
		if replans < 1000 {
			t.Errorf("%s: only %d questions for a replan", d.Name, replans)
		}
	}
}

// sessionPlans makes runs whose plans have odd ids.
func sessionPlans(t *testing.T, d *dialect.Dialect) func(i int) (harness.Case, bool) {
	t.Helper()
	rules := harness.Reference()
	source, err := d.Source(generators.Options{Traits: []string{}, Profile: &rules, MaxSteps: 8})
	if err != nil {
		t.Fatal(err)
	}
	odd := []string{"step_2", "a b", "a,b", `a "b"`, `\n`, "x (after a)", "**b**", "a\nb", "<b>&amp;", "发布", "a\u2028b"}
	return func(i int) (harness.Case, bool) {
		c, n := source.At(7, uint64(i)).Case, 0
		if c.Plan == nil {
			return c, false
		}
		c.Replies, c.InterruptAfter = nil, nil
		c.Plan = rewrite(t, c.Plan, func() string { n++; return fmt.Sprint(odd[(i+n)%len(odd)], n) })
		return c, true
	}
}

// copied renders a question of a run, checks the ids that it shows, and returns the reply
// of a model that copies the first open one.
func copied(t *testing.T, template string, q harness.Question) string {
	t.Helper()
	s, err := prompt.Open(template)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.Decode(q.Plan)
	if err != nil {
		t.Fatal(err)
	}
	v, _ := prompt.Of(p, nil, q.Step)
	v.Plan = q.Plan
	text, err := (&prompt.Go{}).Render(t.Context(), s, v)
	if err != nil {
		t.Fatal(err)
	}
	list, reply := shown(t, text)
	if diff := cmp.Diff(ids(t, q.Plan), list); diff != "" {
		t.Fatalf("%s: ids (-plan +prompt):\n%s\n%s", template, diff, text)
	}
	return reply
}
