package explain_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/engine/reference"
	"replanbench/harness/plan"
	"replanbench/harness/testdata/golden"
)

const small = `{"title":"t","steps":[
 {"id":"a","description":"first","status":"done"},
 {"id":"b","description":"second","dependencies":["a"]},
 {"id":"c","description":"third","dependencies":["b"]}]}`

func decode(t testing.TB, text string) *plan.Plan {
	t.Helper()
	p, err := plan.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func subject(out harness.Outcome, replies ...harness.Reply) explain.Subject {
	return explain.Subject{
		Case:    harness.Case{Dialect: "planpatch", Plan: jsontext.Value(small), Replies: replies},
		Profile: harness.Reference(), Outcome: out, PlanName: "plan.json",
	}
}

// long is a plan of many steps. All but one stay.
func long(change bool) string {
	var b strings.Builder
	b.WriteString(`{"title":"long","steps":[`)
	for i := range 60 {
		description := "as it was"
		if change && i == 30 {
			description = strings.Repeat("much to say ", 12)
		}
		fmt.Fprintf(&b, `{"id":"s%d","description":"%s"},`, i, description)
	}
	return strings.TrimSuffix(b.String(), ",") + "]}"
}

func stories(t *testing.T) map[string]explain.Subject {
	moved := decode(t, small)
	moved.Title = "new"
	moved.Steps[1], moved.Steps[2] = moved.Steps[2], moved.Steps[1]
	moved.Steps[1].Dependencies, moved.Steps[2].Dependencies = nil, nil
	cut := decode(t, small)
	cut.Steps = append(cut.Steps[:1], plan.Step{
		ID: "d", Description: "\x1b[31mred\u202e", Status: plan.Pending,
		Dependencies: []string{"a"},
	})
	longPlan := subject(harness.Outcome{Verdict: harness.Applied, Plan: decode(t, long(true))}, "{}")
	longPlan.Case.Plan = jsontext.Value(long(false))
	unsound := subject(harness.Outcome{Verdict: harness.Rejected, Code: harness.InvalidPlan})
	unsound.Case.Plan = jsontext.Value("{\"title\":\"t\",\n \"steps\":[{\"id\":\"a\",\"description\":1}]}")
	return map[string]explain.Subject{
		"bare_applied": subject(harness.Outcome{Verdict: harness.Applied, Plan: cut}, "{}"),
		"bare_rejected": subject(harness.Outcome{
			Verdict: harness.Rejected, Code: harness.UnknownStep,
			Message: "no step x\x00",
		}, "{}"),
		"moved": subject(harness.Outcome{
			Verdict: harness.Applied, Plan: moved, Rung: harness.RungFullPlan,
			Tier: harness.TierStrict,
		}, "{}"),
		"long_plan":   longPlan,
		"unsound":     unsound,
		"unsupported": subject(harness.Outcome{Verdict: harness.Unsupported, Message: "no ladder"}, "{}"),
		"trimmed": {
			Case: harness.Case{Dialect: "trim"},
			Outcome: harness.Outcome{
				Verdict: harness.Applied, Tokens: &harness.TokenChange{Before: 900, After: 90},
				Dropped: []int{1, 2}, Cut: []harness.Cut{{Index: 3, Before: 800, After: 40}},
			},
		},
		"cannot_fit": {
			Case: harness.Case{Dialect: "trim"},
			Outcome: harness.Outcome{
				Verdict: harness.Rejected, Code: harness.CannotFit,
				Message: "message 0 alone has 900 tokens",
			},
		},
		"far_column": subject(harness.Outcome{
			Verdict: harness.Rejected, Code: harness.BadType, Message: "line 1, column 5012: a number is no id",
		}, harness.Reply(strings.Repeat("修", 5000)+`{"id":\t  1}`+strings.Repeat("x", 5000))),
		"outside_the_reply": subject(harness.Outcome{
			Verdict: harness.Rejected, Code: harness.BadType,
			Message: "line 9, column 9: lost",
		}, "{}"),
	}
}

// TestMovedByOperation: of two neighbours that changed places the one is marked that
// an operation moved.
func TestMovedByOperation(t *testing.T) {
	for id, position := range map[string]int{"b": 2, "c": 1} {
		c := harness.Case{
			Dialect: "operations", Plan: jsontext.Value(
				`{"name":"N","steps":[{"id":"a","name":"first"},{"id":"b","name":"second"},{"id":"c","name":"third"}]}`),
			Replies: []harness.Reply{harness.Reply(fmt.Sprintf(`{"operations":[{"type":"reorder","step_id":"%s","position":%d,"reason":"sooner"}]}`, id, position))},
		}
		out, err := reference.Judge(c, harness.Reference())
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := all.Tell(explain.Subject{Case: c, Profile: harness.Reference(), Outcome: out}).Terminal(&b,
			false); err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(b.String(), "\n") {
			if strings.Contains(line, "[moved]") != strings.HasPrefix(line, "  > "+id+" ") {
				t.Errorf("%s was moved, and the line says %q", id, line)
			}
		}
		if !strings.Contains(b.String(), "[moved]") || !strings.Contains(b.String(), "reason: ") {
			t.Errorf("a story without the mark or the reason:\n%s", b.String())
		}
	}
}

func TestStories(t *testing.T) {
	for name, s := range stories(t) {
		t.Run(name, func(t *testing.T) {
			var b bytes.Buffer
			if err := all.Tell(s).Terminal(&b, false); err != nil {
				t.Fatal(err)
			}
			harmless(t, b.String())
			golden.Check(t, filepath.Join("testdata", name+".golden"), b.Bytes())
		})
	}
}

func harmless(t *testing.T, text string) {
	t.Helper()
	for _, bad := range []string{"\x1b", "\u202e", "\x00"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is let through", bad)
		}
	}
}

// TestEveryCodeHasAHint holds the hints to the codes of the dialect.
func TestEveryCodeHasAHint(t *testing.T) {
	for _, code := range all.Vocabulary("planpatch").Codes {
		if code.Name == string(harness.ReplanFailed) {
			continue // the events carry the codes of the rungs, each with its hint
		}
		s := subject(harness.Outcome{Verdict: harness.Rejected, Code: harness.Code(code.Name), Message: "m"}, "{}")
		var b bytes.Buffer
		if err := all.Tell(s).Terminal(&b, false); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), "hint: ") {
			t.Errorf("%s has no hint:\n%s", code.Name, b.String())
		}
	}
}

// TestHintsOfTheDialect: a hint speaks of what the dialect has.
func TestHintsOfTheDialect(t *testing.T) {
	for _, tt := range []struct {
		dialect string
		code    harness.Code
		want    string
	}{
		{"planpatch", harness.RepliesExhausted, "end the ladder with react"},
		{"operations", harness.MissingField, "schema operations"},
		{"planmode", harness.BadType, "schema planmode"},
		{"orchestrator", harness.RepliesExhausted, "add the next reply, tool result or verification"},
		{"orchestrator", harness.MissingField, "objects with ok"},
		{"orchestrator", harness.DependencyDeadlock, "depend on a failed step"},
		{"orchestrator", harness.MaxReplansReached, "raise max_replans"},
		{"orchestrator", harness.VerificationFailed, "trace shows its errors"},
		{"trim", harness.BadLimit, "max_tokens must be at least 1"},
		{"trim", harness.BadType, "schema trim"},
		{"trim", harness.CannotFit, "raise the budget"},
	} {
		s := subject(harness.Outcome{Verdict: harness.Rejected, Code: tt.code, Message: "m"}, "{}")
		s.Case.Dialect = tt.dialect
		var b bytes.Buffer
		if err := all.Tell(s).Terminal(&b, false); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, "hint: ") ||
			!strings.Contains(text, tt.want) {
			t.Errorf("%s %s: no hint of %q:\n%s", tt.dialect, tt.code, tt.want, b.String())
		}
	}
}

// TestPlanOfAFailedRun: a run that failed has done steps, so that nothing is said
// of a plan that it does not show.
func TestPlanOfAFailedRun(t *testing.T) {
	for _, tt := range []struct {
		name  string
		trace []harness.TraceItem
		want  string
	}{
		{"a refused reply", nil, "The plan is unchanged"},
		{
			"a failed run",
			[]harness.TraceItem{{State: spec.StateExecuting, Event: spec.EventStepDone, Step: "a"}},
			"the engine did not return the plan after the failed run",
		},
	} {
		s := subject(harness.Outcome{Verdict: harness.Rejected, Code: harness.ReplanFailed, Trace: tt.trace}, "{}")
		var b bytes.Buffer
		if err := all.Tell(s).Terminal(&b, false); err != nil {
			t.Fatal(err)
		}
		if text := strings.Join(strings.Fields(b.String()), " "); !strings.Contains(text, tt.want) {
			t.Errorf("%s: no %q:\n%s", tt.name, tt.want, b.String())
		}
	}
}

// FuzzTell takes outcomes as foreign engines may give them.
func FuzzTell(f *testing.F) {
	f.Add([]byte(`{"verdict":"applied","plan":{"title":"t","steps":[{"id":"b","description":"x"},{"id":"b","description":"y"}]}}`), []byte(small), "{}")
	f.Add([]byte(`{"verdict":"rejected","code":"bad_type","message":"line 2, column 3: no","events":[{"event":"patch_rejected","code":"bad_type","message":"line 99999999999999999999, column 1: x"}]}`), []byte(small), "{\n  1")
	f.Add([]byte(`{"verdict":"rejected","code":"invalid_plan","events":[{"event":"full_plan_used"}]}`),
		[]byte(`{"steps":[]}`), "")
	f.Fuzz(func(t *testing.T, outcome, planText []byte, reply string) {
		var out harness.Outcome
		if err := json.Unmarshal(outcome, &out); err != nil {
			return
		}
		s := subject(out, harness.Reply(reply))
		s.Case.Plan = planText
		var b bytes.Buffer
		if err := all.Tell(s).Terminal(&b, false); err != nil {
			t.Fatal(err)
		}
		if err := all.Tell(s).Markdown(&b); err != nil {
			t.Fatal(err)
		}
		harmless(t, b.String())
	})
}

// TestMeaningOfNoReason: a rejection without a reason code is not called a mistake.
func TestMeaningOfNoReason(t *testing.T) {
	for name, want := range map[string]string{
		"refused": "the engine gives no reason code", "odd": "not in the dialect's list",
	} {
		if got := explain.Meaning(nil, name); got != want {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
	}
}

// TestHintsNameKnobs: a hint names only knobs that the dialect has.
func TestHintsNameKnobs(t *testing.T) {
	setting := regexp.MustCompile(`([a-z_.]+)=`)
	for _, dialect := range all.Names() {
		words := all.Vocabulary(dialect)
		for _, code := range words.Codes {
			s := subject(harness.Outcome{Verdict: harness.Rejected, Code: harness.Code(code.Name), Message: "m"}, "{}")
			s.Case.Dialect = dialect
			var b bytes.Buffer
			if err := all.Tell(s).Terminal(&b, false); err != nil {
				t.Fatal(err)
			}
			_, hint, _ := strings.Cut(b.String(), "hint: ")
			for _, m := range setting.FindAllStringSubmatch(hint, -1) {
				if !slices.ContainsFunc(words.Settings(), func(k harness.Knob) bool { return k.Name == m[1] }) {
					t.Errorf("%s %s: there is no knob %s: %s", dialect, code.Name, m[1], hint)
				}
			}
		}
	}
}
