package conformance_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/check"
)

// TestLacksInBulk has one engine for each capability that it lacks and does not declare to lack. The check names the
// capability, and no other one. Without REPLANBENCH_TEST_LONG, an engine lacks several at once.
func TestLacksInBulk(t *testing.T) {
	groups := map[string][][]string{
		"planpatch":    {{"max_plan_steps", "title", "conflicts", "unknown members of updates", "type", "padded ids"}, {"id"}},
		"operations":   {{"version", "metadata", "generated ids"}, {"priority"}},
		"orchestrator": {{"budget", "max_tool_result_chars"}, {"dependencies", "titles of full plans"}},
		"todos":        {{"priority", "active form", "cancelled", "statuses", "max_depth"}},
		"tasks":        {{"parent", "many", "new_status", "plan"}},
	}
	if os.Getenv("REPLANBENCH_TEST_LONG") != "" {
		groups = map[string][][]string{}
		for _, d := range all.Dialects() {
			for _, name := range harness.Names(d.Vocabulary.Capabilities) {
				groups[d.Name] = append(groups[d.Name], []string{name})
			}
		}
	}
	// The engines of these would need another answer than any of the reference's, or a process that is stopped.
	unseen := []string{
		"orchestrator/plan", "orchestrator/tools", "orchestrator/verify", "orchestrator/limits",
		"orchestrator/max_depth", "planmode/paths", "planmode/context", "planmode/files",
		"trim/messages", "trim/budget", "trim/policy", "tasks/restart", "tasks/clients", "tasks/file",
	}
	for _, dialect := range slices.Sorted(maps.Keys(groups)) {
		for _, names := range groups[dialect] {
			if slices.Contains(unseen, dialect+"/"+names[0]) {
				continue
			}
			t.Run(dialect+"/"+strings.Join(names, "+"), func(t *testing.T) {
				_, lines := run(t, without(all.Find(dialect), names))
				var found []string
				for _, line := range lines {
					if list, ok := strings.CutPrefix(line, `hint: if so, check again with WITHOUT (in Go: without) = `); ok {
						if err := json.Unmarshal([]byte(list), &found); err != nil {
							t.Fatal(err)
						}
					}
				}
				slices.Sort(found)
				if slices.Sort(names); !slices.Equal(found, names) {
					t.Errorf("the check finds %q, want %q:\n%s", found, names, strings.Join(lines, "\n"))
				}
			})
		}
	}
}

// without is the reference without capabilities, which it does not declare: it drops their member, ignores their
// limit, refuses what needs them, or accepts what they would reject.
func without(d *dialect.Dialect, names []string) *fake {
	f := &fake{dialects: []string{d.Name}, declare: func(x *harness.Declaration) {
		x.Features, x.Gives = []string{harness.FeatureLadder}, []string{"results", "operations"}
	}}
	f.answer = func(_ int32, a string) (string, error) { return a, nil }
	var mu sync.Mutex // several cases are asked at once
	applied := ""
	f.change = func(c harness.Case, answer string) string {
		mu.Lock()
		defer mu.Unlock()
		for _, name := range names {
			switch is := slices.Contains(d.Needs(c), name); {
			case d.Name == "operations" && slices.Contains(dropped, name):
				answer = omitting(answer, name)
			case name == "id":
				answer = numbered(answer)
			case is && limit(&c, name):
				answer = outcomeOf(c)
			case is && strings.Contains(answer, `"verdict":"applied"`):
				return `{"verdict":"rejected","code":"refused"}`
			case is && (name == "plan" || d.Name == "planmode"):
				answer = applied
			case is:
				answer = fmt.Sprintf(`{"verdict":"applied","plan":%s}`, c.Plan)
			case strings.Contains(answer, `"verdict":"applied"`):
				applied = answer
			}
		}
		return answer
	}
	return f
}

// dropped are capabilities of operations that an engine lacks by not keeping a member.
var dropped = []string{"version", "results", "assigned_specialist", "priority", "parameters", "tools_expected"}

// omitting returns an answer without the members of a name.
func omitting(answer, name string) string {
	var value any
	if err := json.Unmarshal([]byte(answer), &value); err != nil {
		panic(err)
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if delete(v, name); name != "results" {
				for key, m := range v {
					if key != "results" && (key != "history" || name != "version") {
						walk(m)
					}
				}
			}
		case []any:
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(value)
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		panic(err)
	}
	return string(text)
}

// numbered returns an answer with the positions of the steps as their ids.
func numbered(answer string) string {
	var out harness.Outcome
	if err := json.Unmarshal([]byte(answer), &out); err != nil || out.Plan == nil {
		return answer
	}
	names := map[string]string{}
	for i, s := range out.Plan.Steps {
		names[s.ID] = strconv.Itoa(i + 1)
	}
	out.Plan = check.Renamed(out.Plan, func(id string) string { return names[id] })
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// limit removes a limit of a case, and reports whether it had one.
func limit(c *harness.Case, name string) bool {
	for _, l := range c.Limits.All() {
		if l.Name == name && *l.Value != nil {
			*l.Value = nil
			return true
		}
	}
	return false
}
