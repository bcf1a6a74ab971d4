package todos_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
	"replanbench/harness/plan/toolmap"
	"replanbench/harness/score"
)

// sketch is a list in a line: ! is completed, * in progress.
func sketch(doc []byte) string {
	list, err := plan.DecodeList(doc)
	if err != nil {
		return err.Error()
	}
	var b []string
	for _, item := range spec.Items(list) {
		b = append(b, item.Content+map[plan.Status]string{plan.Completed: "!", plan.InProgress: "*"}[item.Status])
	}
	return strings.Join(b, ", ")
}

// TestSessions imports recorded sessions: what each call finds is what the calls
// before it left.
func TestSessions(t *testing.T) {
	for _, test := range []struct {
		importer, file string
		want           []string // model, list before, and what the reply does, or a problem
	}{
		{"claude-code", "claude.jsonl", []string{
			"toolu_1 claude-x: no plan",
			"toolu_2 claude-small: ",
			"! not a JSON object: skipped",
			"toolu_4 claude-x: Read the test*, Fix the race, Run all tests; done_items_lost 0/0 open_items_lost 2/3 " +
				"items_reworded 0/1 items_reopened 0/0 items_reordered 0/1",
		}},
		{"claude-code", "stream.jsonl", []string{
			"toolu_1 claude-x: no plan",
			"toolu_2 claude-x: ",
			"toolu_3 claude-x: Read!, Write; done_items_lost 0/1 open_items_lost 0/1 items_reworded 0/2 items_reopened 1/1 " +
				"items_reordered 1/2",
		}},
		{"claude-code", "claude-error.jsonl", []string{
			"t1 claude-x: no plan",
			"t2 claude-x: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 items_reopened 0/0 " +
				"items_reordered 0/0",
			"t3 claude-x: Read*, Fix; done_items_lost 0/0 open_items_lost 0/2 items_reworded 0/2 items_reopened 0/0 " +
				"items_reordered 0/2",
		}},
		{"opencode", "opencode.json", []string{
			"call_1 model-y: ",
			"call_3 model-y: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 items_reopened 0/0 " +
				"items_reordered 0/0",
			"call_4 model-y: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 items_reopened 0/0 " +
				"items_reordered 0/1",
		}},
		{"openai-pairs", "todo-pairs.jsonl", []string{
			"r1 gpt-z: ",
			"r2 gpt-z: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 items_reopened 0/0 " +
				"items_reordered 0/1",
			"r3 gpt-z: Read!; done_items_lost 0/1 open_items_lost 0/0 items_reworded 0/1 items_reopened 1/1 items_reordered 0/1",
		}},
		{"opencode", "opencode-storage", []string{
			"call_1 model-y: ",
			"call_2 model-y: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 " +
				"items_reopened 0/0 items_reordered 0/0",
			"call_4 model-y: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"codex", "codex.jsonl", []string{
			"c1 gpt-5-codex: ",
			"c3 gpt-5-codex: Read*, Fix",
			"c4 gpt-5-codex: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"gemini-cli", "gemini.jsonl", []string{
			"w1 gemini-3-pro-preview: ",
			"w2 gemini-3-pro-preview: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 " +
				"items_reopened 0/0 items_reordered 0/0",
			"w4 gemini-3-pro-preview: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"gemini-cli", "gemini.json", []string{
			"w1 gemini-3-pro-preview: ",
			"w2 gemini-3-pro-preview: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 " +
				"items_reopened 0/0 items_reordered 0/0",
			"w4 gemini-3-pro-preview: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"openhands", "openhands", []string{
			"k1 litellm_proxy/claude-sonnet-4-5: ",
			"k3 litellm_proxy/claude-sonnet-4-5: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 " +
				"items_reworded 0/0 items_reopened 0/0 items_reordered 0/0",
			"k5 litellm_proxy/claude-sonnet-4-5: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 " +
				"items_reworded 0/1 items_reopened 0/0 items_reordered 0/1",
		}},
		{"openhands", "openhands-trajectory.json", []string{
			"v1 claude-sonnet-4: ",
			"v3 claude-sonnet-4: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"langsmith", "langsmith.jsonl", []string{
			"r1 gpt-4.1-2025: ",
			"r2 gpt-4.1-2025: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 " +
				"items_reopened 0/0 items_reordered 0/0",
			"r3 gpt-4.1-2025: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
			"! the run failed: RateLimitError('429')",
			"chatcmpl-1 gpt-4o-mini-2024: ",
		}},
		{"otel", "otel.jsonl", []string{
			"a1 gpt-5-2026: ",
			"a2 gpt-5-2026: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
			"! span a3 has no gen_ai.output.messages (record the content of messages)",
			"a6 gpt-4o: ",
		}},
		{"otel", "otel-events.json", []string{
			"0xb1 gpt-5: ",
			"0xb2 gpt-5: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
		{"otel", "otel-console.json", []string{
			"0xa1 gpt-5: ",
		}},
		{"anthropic-pairs", "anthropic.jsonl", []string{
			"msg_1 claude-sonnet-4-5: ",
			"msg_2 claude-sonnet-4-5: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
			"! missing request or response (an orphan of claude-trace has no response)",
			"msg_3 claude-haiku-4-5: ",
		}},
		{"chat", "chat.jsonl", []string{
			"log-1 gpt-4.1: ",
			"log-1#1 gpt-4.1: Read*, Fix; done_items_lost 0/0 open_items_lost 2/2 items_reworded 0/0 " +
				"items_reopened 0/0 items_reordered 0/0",
			"log-1#2 gpt-4.1: Read*, Fix; done_items_lost 0/0 open_items_lost 1/2 items_reworded 0/1 " +
				"items_reopened 0/0 items_reordered 0/1",
		}},
	} {
		d := all.Find("todos")
		var got []string
		for r, err := range corpora.Import(test.importer, []string{"../../../corpora/testdata/import/" + test.file},
			corpora.Options{Dialect: d.Name, Calls: d.Calls, Maps: toolmap.For(d.Name)}) {
			if err != nil {
				_, text, _ := strings.Cut(err.Error(), ": ")
				got = append(got, "! "+text)
				continue
			}
			if session := corpora.IsSession(r.CaseKey()); session == strings.HasSuffix(test.importer, "-pairs") {
				t.Errorf("%s: the case of %s is %s", test.file, r.ID, r.CaseKey())
			}
			line := fmt.Sprintf("%s %s: no plan", r.ID, r.Model)
			if r.Plan != nil {
				line = fmt.Sprintf("%s %s: %s", r.ID, r.Model, sketch(r.Plan))
			}
			if s := score.Judge(&r, nil, harness.Reference(), nil); len(s.Items) > 0 {
				line += ";"
				for _, rate := range d.Vocabulary.Rates {
					line += fmt.Sprintf(" %s %d/%d", rate.Name, s.Items[rate.Name].Yes, s.Items[rate.Name].Of)
				}
			}
			got = append(got, line)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.file, diff)
		}
	}
}

// TestKnownRates makes a corpus in which it is known what each rewrite does, marked
// synthetic, and finds just that.
func TestKnownRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want, got := map[string]dialect.Share{}, map[string]dialect.Share{}
	count := func(name string, yes bool) {
		s := want[name]
		if s.Of++; yes {
			s.Yes++
		}
		want[name] = s
	}
	type todo struct {
		ID      string      `json:"id"`
		Content string      `json:"content"`
		Status  plan.Status `json:"status"`
	}
	for i := range 400 {
		var old []spec.Item
		rewrite := []todo{}
		for k := range 1 + rng.IntN(20) {
			item := spec.Item{ID: fmt.Sprint(k), Content: fmt.Sprintf("step %d of case %d", k, i), Status: plan.Pending}
			if rng.IntN(2) == 0 {
				item.Status = plan.Completed
			}
			old = append(old, item)
			done, gone := item.Status == plan.Completed, rng.IntN(10) == 0
			if done {
				count("done_items_lost", gone)
			} else {
				count("open_items_lost", gone)
			}
			if gone {
				continue
			}
			said := todo(struct {
				ID      string
				Content string
				Status  plan.Status
			}{item.ID, item.Content, item.Status})
			other := rng.IntN(5) == 0
			if count("items_reworded", other); other {
				said.Content = "something else than that, " + said.Content
			}
			if done {
				undone := rng.IntN(20) == 0
				if count("items_reopened", undone); undone {
					said.Status = plan.Pending
				}
			}
			rewrite = append(rewrite, said)
			count("items_reordered", false)
		}
		doc, err := json.Marshal(spec.Plan(old))
		reply, err2 := json.Marshal(map[string]any{"todos": rewrite})
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		r := corpora.Record{
			ID: fmt.Sprint(i), Dialect: "todos", Plan: doc, Reply: harness.Reply(reply),
			Source: corpora.Synthetic, Model: "by-the-dice",
		}
		s := score.Judge(&r, nil, harness.Reference(), nil)
		for name, share := range s.Items {
			sum := got[name]
			got[name] = dialect.Share{Yes: sum.Yes + share.Yes, Of: sum.Of + share.Of}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-planted +counted):\n%s", diff)
	}
}

// TestRewordingsAreNoLosses: without ids, identity=auto finds no reworded or split item, but the
// score does, and says that it matches by similarity. Where rewordings cannot be seen, none are
// counted.
func TestRewordingsAreNoLosses(t *testing.T) {
	d := all.Find("todos")
	for _, test := range []struct {
		name, items, reply string
		settings           []string
		want               string
	}{
		{
			"without ids", `{"content":"Read the failing test","status":"completed"},{"content":"Fix the race","status":"pending"}`,
			`{"content":"Read the failing tests","status":"completed"},{"content":"Fix the races","status":"pending"}`, nil,
			"done_items_lost 0/1 open_items_lost 0/1 items_reworded 2/2 similar rewrite",
		},
		{
			"lost", `{"content":"Read the failing test","status":"completed"}`, `{"content":"Ship it","status":"pending"}`, nil,
			"done_items_lost 1/1 open_items_lost 0/0 items_reworded 0/0 similar removal",
		},
		{
			"split", `{"content":"Fix the parser and the lexer","status":"pending"}`,
			`{"content":"Fix the parser","status":"pending"},{"content":"Fix the lexer","status":"pending"}`, nil,
			"done_items_lost 0/0 open_items_lost 0/1 items_reworded 1/1 similar",
		},
		{
			"another in its place", `{"content":"Fix the parser and the lexer","status":"pending"}`,
			`{"content":"Fix the linter","status":"pending"},{"content":"Ship the release","status":"pending"}`, nil,
			"done_items_lost 0/0 open_items_lost 1/1 items_reworded 0/0 similar",
		},
		{
			"with ids", `{"id":"1","content":"Read the failing test","status":"completed"}`,
			`{"id":"1","content":"Ship it","status":"completed"}`, nil,
			"done_items_lost 0/1 open_items_lost 0/0 items_reworded 1/1 rewrite",
		},
		{
			"by content alone", `{"content":"Read the failing test","status":"pending"}`,
			`{"content":"Read the failing test","status":"pending"},{"content":"Fix","status":"pending"}`,
			[]string{"identity=content"},
			"done_items_lost 0/0 open_items_lost 0/1 items_reworded 0/0",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := harness.Reference()
			for _, s := range test.settings {
				if err := p.Apply(s, spec.Knobs()...); err != nil {
					t.Fatal(err)
				}
			}
			r := corpora.Record{
				ID: "r", Dialect: d.Name, Plan: []byte(`{"items":[` + test.items + `]}`), Model: "m", Source: corpora.Synthetic,
				Reply: harness.Reply(`{"todos":[` + test.reply + `]}`),
			}
			s := score.Judge(&r, nil, p, nil)
			var got []string
			for _, name := range []string{"done_items_lost", "open_items_lost", "items_reworded"} {
				got = append(got, fmt.Sprintf("%s %d/%d", name, s.Items[name].Yes, s.Items[name].Of))
			}
			if s.Similar {
				got = append(got, "similar")
			}
			for _, danger := range s.Dangers {
				got = append(got, danger.Kind)
			}
			if diff := cmp.Diff(test.want, strings.Join(got, " ")); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}
