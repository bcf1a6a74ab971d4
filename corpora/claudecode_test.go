package corpora_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/plan/toolmap"
)

// wholeLists are calls whose list is a text: every call writes the whole list.
func wholeLists() *corpora.Calls {
	spell := func(arguments string) string { // {"todos":["a","b"]} is "ab"
		return `"` + strings.Join(strings.FieldsFunc(strings.TrimPrefix(arguments, `{"todos":`), func(r rune) bool {
			return strings.ContainsRune(`[]{}",: `, r)
		}), "") + `"`
	}
	return &corpora.Calls{
		Start: jsontext.Value(`""`), Whole: true,
		Follow:   func(_ jsontext.Value, reply harness.Reply, _ []string) jsontext.Value { return jsontext.Value(reply) },
		Finished: func(plan jsontext.Value) bool { return strings.HasPrefix(string(plan), `"done`) },
		List:     func(items, _ jsontext.Value) jsontext.Value { return jsontext.Value(spell(string(items))) },
		Spell:    func(_ *toolmap.Map, _, arguments string) (string, bool) { return spell(arguments), true },
	}
}

// called is a line with a call of a tool, answered a line with its result.
func called(id, tool, list string) string {
	return fmt.Sprintf(`{"type":"assistant","sessionId":"s","message":{"model":"m","content":[`+
		`{"type":"tool_use","id":%q,"name":%q,"input":{"todos":[%s]}}]}}`, id, tool, list)
}

func answered(id, result string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"s","toolUseResult":%s,"message":{"content":[`+
		`{"type":"tool_result","tool_use_id":%q,"content":"ok"}]}}`, result, id)
}

func refused(id string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"s","message":{"content":[`+
		`{"type":"tool_result","tool_use_id":%q,"is_error":true,"content":"no"}]}}`, id)
}

// TestClaudeCodePlans takes the plan of a call from its result, or from the calls before
// it, and from nowhere else.
func TestClaudeCodePlans(t *testing.T) {
	for _, test := range []struct {
		name  string
		files [][]string
		want  []string // id: plan → reply
		tally corpora.Tally
	}{
		{
			"the result has the lists",
			[][]string{{
				called("1", "TodoWrite", `"a"`), answered("1", `{"oldTodos":["x"],"newTodos":["y"]}`),
				called("2", "TodoWrite", `"b"`), answered("2", `{}`),
			}},
			[]string{`1: "x" → "a"`, `2: "y" → "b"`},
			corpora.Tally{},
		},
		{
			"a session may begin with a list",
			[][]string{{called("1", "TodoWrite", `"a"`), called("2", "TodoWrite", `"b"`)}},
			[]string{`1: null → "a"`, `2: "a" → "b"`},
			corpora.Tally{NoPlan: 1},
		},
		{
			"a finished list is emptied",
			[][]string{{called("1", "TodoWrite", `"done"`), called("2", "TodoWrite", `"b"`)}},
			[]string{`1: null → "done"`, `2: "" → "b"`},
			corpora.Tally{NoPlan: 1},
		},
		{
			"a refused call leaves the list",
			[][]string{{
				called("1", "TodoWrite", `"a"`), called("2", "TodoWrite", `"b"`), refused("2"),
				called("3", "TodoWrite", `"c"`),
			}},
			[]string{`1: null → "a"`, `2: "a" → "b"`, `3: "a" → "c"`},
			corpora.Tally{NoPlan: 1},
		},
		{
			"a resumed session repeats its calls",
			[][]string{
				{called("1", "TodoWrite", `"a"`), answered("1", `{"oldTodos":[]}`)},
				{called("1", "TodoWrite", `"a"`), answered("1", `{"oldTodos":[]}`), called("2", "TodoWrite", `"b"`)},
			},
			[]string{`1: "" → "a"`, `2: "a" → "b"`},
			corpora.Tally{Repeated: 1},
		},
		{
			"other plan tools are counted",
			[][]string{{
				called("1", "TaskCreate", ""), called("2", "TaskUpdate", ""), called("3", "TaskUpdate", ""),
				called("4", "Bash", ""),
			}},
			nil,
			corpora.Tally{NoCalls: 1, Tools: map[string]int{"TaskCreate": 1, "TaskUpdate": 2}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var names, got []string
			for i, lines := range test.files {
				name := filepath.Join(t.TempDir(), fmt.Sprintf("%d.jsonl", i))
				if err := os.WriteFile(name, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			var tally corpora.Tally
			for r, err := range corpora.Import("claude-code", names, corpora.Options{
				Dialect: "letters", Calls: wholeLists(), Maps: toolmap.For("todos"), Tally: &tally,
			}) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, fmt.Sprintf("%s: %s → %s", r.ID, r.Plan, r.Reply))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("records: -want +got:\n%s", diff)
			}
			tally.Read = nil // see TestOwnCounts
			if diff := cmp.Diff(test.tally, tally); diff != "" {
				t.Errorf("tally: -want +got:\n%s", diff)
			}
		})
	}
}
