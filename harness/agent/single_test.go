package agent

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/hunt/judge"
)

// TestParallel has the calls of a reply in one answer only if they have one result in any order.
func TestParallel(t *testing.T) {
	t.Parallel()
	const plan = `{"tasks":[{"id":"A","subject":"a","status":"pending"},{"id":"B","subject":"b","status":"pending",` +
		`"blocked_by":["A"]},{"id":"C","subject":"c","status":"pending"}]}`
	s := claudeTasks(t)
	for reply, want := range map[string][]int{
		`{"call":"update","id":"A","status":"completed"},{"call":"update","id":"C","subject":"x"}`:            {2},
		`{"call":"update","id":"A","subject":"x"},{"call":"update","id":"nowhere","subject":"x"}`:             {2},
		`{"call":"update","id":"A","status":"completed"},{"call":"update","id":"B","status":"in_progress"}`:   {1, 1},
		`{"call":"update","id":"A","status":"completed"},{"call":"update","id":"A","status":"in_progress"}`:   {1, 1},
		`{"call":"update","id":"A","subject":"x"},{"call":"update","id":"A","subject":"y"}`:                   {1, 1},
		`{"call":"create","subject":"d"},{"call":"create","subject":"e"}`:                                     {2},
		`{"call":"create","subject":"d"},{"call":"update","id":"$1","add_blocked_by":["A"]}`:                  {1, 1},
		`{"call":"create","subject":"d"},{"call":"delete","id":"C"},{"call":"update","id":"A","subject":"x"}`: {1, 1, 1},
	} {
		c := harness.Case{Dialect: "tasks", Plan: []byte(plan), Replies: []harness.Reply{harness.Reply(`{"calls":[` + reply + `]}`)}}
		turns, ok := s.singles(c, `{"calls":[]}`, session.Turn{Setup: true}, session.Turn{})
		var got []int
		for _, turn := range turns {
			got = append(got, len(turn.Calls()))
		}
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v (-want +got):\n%s", reply, ok, diff)
		}
	}
}

// TestAlign gives results the codes of the rules, and excuses a claim where the plan is right.
func TestAlign(t *testing.T) {
	t.Parallel()
	rules := harness.Outcome{Results: []byte(`[{"ok":true},{"ok":false,"code":"not_run"}]`)}
	for given, want := range map[string]string{
		`[{"ok":true},{"ok":false,"code":"refused"}]`: `[{"ok":true},{"code":"not_run","ok":false}]`,
		`[{"ok":true},{"ok":true}]`:                   `[{"ok":true},{"ok":true}]`,
		`[{"ok":false,"code":"refused"}]`:             `[{"ok":false,"code":"refused"}]`,
	} {
		out := harness.Outcome{Results: []byte(given)}
		align(&out, rules)
		if got := string(out.Results); got != want {
			t.Errorf("%s: got %s, want %s", given, got, want)
		}
	}
}

// TestWorseBreakOfAnotherLevel reports a cycle next to a description that is lost, which is worse but counts from the
// level rules on.
func TestWorseBreakOfAnotherLevel(t *testing.T) {
	t.Parallel()
	s := claudeTasks(t)
	c := harness.Case{
		Dialect: "tasks", Plan: []byte(`{"tasks":[{"id":"A","subject":"a","status":"pending"},` +
			`{"id":"B","subject":"b","status":"pending"}]}`),
		Replies: []harness.Reply{`{"calls":[{"call":"create","subject":"c","description":"d"}]}`},
	}
	for level, want := range map[harness.Level]judge.Class{
		harness.JudgeSafety: judge.Unsound, harness.JudgeRules: judge.Loss,
	} {
		out := s.Dialect.Eval(c, s.Rules)
		steps := out.Plan.Steps
		steps[2].Extra, steps[2].Dependencies = nil, []string{steps[2].ID}
		s.level = level
		list, err := s.breaks(t.Context(), c, out, nil, s.Rules, true)
		if err != nil || len(list) != 1 || list[0].Class != want {
			t.Errorf("%s: %+v, %v", level, list, err)
		}
	}
}

// claudeTasks is an agent with the task tools of Claude Code.
func claudeTasks(t *testing.T) *Subject {
	t.Helper()
	data, err := profile.Source("claude-code-tasks")
	if err != nil {
		t.Fatal(err)
	}
	p, err := profile.Parse("claude.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSubject(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
