package shrink_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/shrink"
)

// TestOtherDocuments: the documents that other dialects have become small too,
// and ids are the same in all of them.
func TestOtherDocuments(t *testing.T) {
	update := harness.Case{
		Dialect: "operations",
		Plan: jsontext.Value(`{"name":"A plan","description":"long","version":17,"steps":[
 {"id":"first","name":"One","status":"completed"},{"id":"second","name":"Two","dependencies":["first"],"parameters":{"k":[1,2,3]}},{"id":"third","name":"Three"}],
 "history":[{"version":16,"steps":[{"id":"gone","name":"G"}]}]}`),
		Results: jsontext.Value(`{"first":{"n":1},"second":"half","other":null}`),
		Replies: []harness.Reply{`{"operations":[{"type":"remove","step_id":"third"},{"type":"modify","step_id":"second","step_data":{"name":"TWO"},"reason":"because"}]}`},
	}
	history := harness.Case{
		Dialect:  "trim",
		Messages: jsontext.Value(`[{"role":"system","content":"be brief"},{"role":"user","content":"what is in the files?"},{"role":"assistant","content":"a long answer"}]`),
		Budget:   jsontext.Value(`{"max_tokens":32768,"tokenizer":"chars/4"}`),
		Policy:   jsontext.Value(`["window"]`),
	}
	session := harness.Case{
		Dialect: "planmode",
		Context: jsontext.Value(`{"user":"someone"}`),
		Files:   jsontext.Value(`{"plans/a.md":"# A","plans/b.md":"# B"}`),
		Calls:   jsontext.Value(`[{"tool":"read","path":"x"},{"tool":"write","path":"/etc/passwd"},{"tool":"exit"}]`),
	}
	run := harness.Case{
		Dialect: "orchestrator", InterruptAfter: new(23),
		Tools:   jsontext.Value(`[{"tool":"grep","output":"many lines"},{"tool":"bash","output":"boom"}]`),
		Verify:  jsontext.Value(`[{"passed":true}]`),
		Replies: []harness.Reply{`{"action":"call"}`, `{"action":"done"}`},
	}
	spaced, long := update, "second"+strings.Repeat("_very", 13)+"_long"
	spaced.Plan = jsontext.Value(strings.ReplaceAll(string(update.Plan), "second", long))
	spaced.Results = jsontext.Value(strings.ReplaceAll(string(update.Results), "second", long))
	spaced.Replies = []harness.Reply{harness.Reply(strings.Replace(string(update.Replies[0]), "second", ` `+long+`\t`, 1))}
	modified := func(c harness.Case) bool {
		var results map[string]any
		var doc struct {
			Operations []struct {
				Type string `json:"type"`
				ID   string `json:"step_id"`
			} `json:"operations"`
		}
		if json.Unmarshal(c.Results, &results) != nil || len(c.Replies) == 0 ||
			json.Unmarshal([]byte(c.Replies[0]), &doc) != nil {
			return false
		}
		for _, op := range doc.Operations {
			if _, ok := results[strings.TrimSpace(op.ID)]; ok && op.Type == "modify" &&
				strings.Contains(string(c.Plan), `"`+strings.TrimSpace(op.ID)+`"`) {
				return true
			}
		}
		return false
	}
	const smallUpdate = `{"dialect":"operations","plan":{"name":"a"},"replies":["{\"operations\":[{\"type\":\"modify\",\"step_id\":\"a\"}]}"],"results":{"a":"a"}}`
	tests := []struct {
		name string
		c    harness.Case
		keep func(c harness.Case) bool
		want string
	}{
		{"a result of a modified step", update, modified, smallUpdate},
		{"a step that is named with white space", spaced, modified, smallUpdate},
		{"a message of a user", history, func(c harness.Case) bool {
			return strings.Contains(string(c.Messages), `"user"`) && strings.Contains(string(c.Budget), "max_tokens")
		}, `{"dialect":"trim","messages":{"role":"user"},"budget":{"max_tokens":0},"policy":[]}`},
		{"a call", session, func(c harness.Case) bool {
			return strings.Contains(string(c.Calls), "/etc/passwd")
		}, `{"dialect":"planmode","context":{},"files":{},"calls":{"path":"/etc/passwd"}}`},
		{"an interrupt", run, func(c harness.Case) bool {
			return c.InterruptAfter != nil && strings.Contains(string(c.Tools), "boom")
		}, `{"dialect":"orchestrator","tools":{"output":"boom"},"interrupt_after":0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			small, tried := shrunk(all.Find(tt.c.Dialect), tt.c, shrink.DefaultBudget, tt.keep)
			if !tt.keep(small) || tried == 0 {
				t.Fatal("the small case is not one")
			}
			got, err := json.Marshal(small)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, string(got)); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}
