package conformance_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/conformance"
	"replanbench/harness/engine/reference"
)

// fake answers with the reference's outcome. answer may change the text of the outcome.
type fake struct {
	harness.Engine
	dialects []string
	answer   func(n int32, answer string) (string, error)
	change   func(c harness.Case, answer string) string // before answer; nil is none
	declare  func(*harness.Declaration)
	asked    atomic.Int32
}

func (f *fake) Hello(context.Context) (harness.Hello, error) {
	h := harness.Hello{Name: "fake", Version: "1", Window: 3, Dialects: map[string]harness.Declaration{}}
	for _, d := range f.dialects {
		declared := harness.Declaration{Profile: harness.Reference()}
		if f.declare != nil {
			f.declare(&declared)
		}
		h.Dialects[d] = declared
	}
	return h, nil
}

func (f *fake) Ask(ctx context.Context, c harness.Case) ([]byte, error) {
	out, err := f.Eval(ctx, c)
	if err != nil {
		return nil, err
	}
	answer, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	if f.change != nil {
		answer = []byte(f.change(c, string(answer)))
	}
	text, err := f.answer(f.asked.Add(1), string(answer))
	return []byte(text), err
}

// run returns the notes, one per line.
func run(t *testing.T, f *fake) (well bool, lines []string) {
	t.Helper()
	f.Engine = reference.New()
	well, err := conformance.Run(t.Context(), f, harness.JudgeExact, func(n conformance.Note) {
		word := "ok: "
		switch {
		case !n.OK:
			word = "FAIL: "
		case n.Doubt:
			word = "look: "
		}
		lines = append(lines, word+n.Text)
		for _, h := range n.Hints {
			lines = append(lines, "hint: "+h)
		}
		lines = append(lines, n.Stderr...)
	})
	if err != nil {
		t.Fatal(err)
	}
	return well, lines
}

func TestWellInBulk(t *testing.T) {
	f := &fake{dialects: []string{"planpatch", "trim"}, answer: func(_ int32, a string) (string, error) { return a, nil }}
	well, lines := run(t, f)
	if !well {
		t.Error("the reference is not well")
	}
	for _, dialect := range f.dialects {
		smoke := 0
		for _, line := range lines {
			if strings.HasPrefix(line, "ok: "+dialect+"/") && strings.Contains(line, "a valid answer: applied") {
				smoke++
			}
		}
		if smoke != 1 {
			t.Errorf("%s has %d smoke cases, want 1:\n%s", dialect, smoke, strings.Join(lines, "\n"))
		}
	}
	for _, want := range []string{
		"ok: planpatch, a plain edit (title, update): applied, as its rules require",
		"ok: planpatch, the patch removes a finished step: rejected done_immutable, as its rules require",
		"ok: planpatch, the reply is empty: rejected no_document, as its rules require",
		"ok: planpatch, the plan has 60 to 200 steps: applied, as its rules require",
		"ok: trim, a plain edit (clamp): applied, as its rules require",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the lines lack %q:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}

func TestUnwellInBulk(t *testing.T) {
	replaced := func(old, new string) func(int32, string) (string, error) {
		return func(_ int32, a string) (string, error) { return strings.Replace(a, old, new, 1), nil }
	}
	fails := func(f *harness.Failure) func(int32, string) (string, error) {
		return func(int32, string) (string, error) { return "", f }
	}
	const id = "planpatch/documented/valid_patch_read: "
	for _, tc := range []struct {
		name   string
		answer func(int32, string) (string, error)
		want   []string // from the first failure on, the beginning of each line
	}{
		{
			"unknown verdict", replaced(`"applied"`, `"done"`),
			[]string{
				"FAIL: " + id + `the answer is not valid: unknown verdict "done"`, "hint: the answer is {",
				"hint: replanbench schema outcome",
			},
		},
		{
			"against the schema", replaced(`{`, `{"dropped":[-1],"extra":1,`),
			[]string{"FAIL: " + id + "the answer is not valid: ", "hint: the answer is {", "hint: replanbench schema outcome"},
		},
		{"crash", fails(&harness.Failure{Kind: harness.Crash, Detail: "exited", Stderr: strings.Repeat("x\n", 20) +
			"boom\n"}), append(append([]string{
			"FAIL: " + id + "crash: the engine exited", "hint: run the engine by hand",
		}, strings.Split(strings.Repeat("x,", 9), ",")[:9]...), "boom")},
		{
			"error", fails(&harness.Failure{Kind: harness.Crash, Detail: `answered with the error -32000: "e.py:3: KeyError: 'id'"`}),
			[]string{
				"FAIL: " + id + `crash: the engine answered with the error -32000: "e.py:3: KeyError: 'id'"`,
				"hint: fix the error at e.py:3, or catch it and reject the reply",
			},
		},
		{
			"hang", fails(&harness.Failure{Kind: harness.Hang, Detail: "gave no answer"}),
			[]string{"FAIL: " + id + "hang: the engine gave no answer", "hint: does the engine flush"},
		},
		{
			"protocol", fails(&harness.Failure{Kind: harness.ProtocolFailure, Detail: "printed"}),
			[]string{"FAIL: " + id + "protocol: the engine printed", "hint: standard output is for answers only"},
		},
		{"another answer the second time", func(n int32, a string) (string, error) {
			if n > 1 {
				a = strings.Replace(a, `"title":"`, `"title":"x`, 1)
			}
			return a, nil
		}, []string{"FAIL: " + id + "the engine gave another answer when the case was repeated", "hint: the first time {"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			well, lines := run(t, &fake{dialects: []string{"planpatch"}, answer: tc.answer})
			for len(lines) > 0 && !strings.HasPrefix(lines[0], "FAIL") {
				lines = lines[1:]
			}
			if well || len(lines) != len(tc.want) {
				t.Fatalf("well: %v; got\n%s\nwant\n%s", well, strings.Join(lines, "\n"), strings.Join(tc.want, "\n"))
			}
			for i, want := range tc.want {
				if !strings.HasPrefix(lines[i], want) {
					t.Errorf("got  %s\nwant %s", lines[i], want)
				}
			}
		})
	}
}

// A plain edit that is not applied fails, and the hint says what to declare. Unusual cases and
// undeclared members are only reported.
func TestTriesInBulk(t *testing.T) {
	f := &fake{dialects: []string{"planpatch"}, answer: func(_ int32, a string) (string, error) {
		switch {
		case strings.Contains(a, `"updated":`) && !strings.Contains(a, `"updated":0`):
			return `{"verdict":"rejected","code":"refused","message":"no updates here"}`, nil
		case strings.Contains(a, "no_document"):
			return "", &harness.Failure{Kind: harness.Crash, Detail: "answered with an error"}
		}
		return a, nil
	}}
	well, lines := run(t, f)
	text := strings.Join(lines, "\n")
	for _, want := range []string{
		"FAIL: planpatch, a plain edit (title, update): rejected refused, but its rules require another outcome\n",
		"\nhint: the engine answers: no updates here\n",
		"\nhint: if the engine lacks this, declare it: \"without\": [\"update\"]",
		"\nlook: planpatch, the reply is empty: crash: the engine answered with an error\n",
		"\nok: planpatch: returns rung, tier, at, repairs, warnings, meta, events but does not declare it\n",
	} {
		if well || !strings.Contains(text, want) {
			t.Errorf("well: %v; the lines lack %q:\n%s", well, want, text)
		}
	}
}

// If no scenario of a dialect fits, plain cases are sent.
func TestNoScenarioInBulk(t *testing.T) {
	well, lines := run(t, &fake{dialects: []string{"todos"}, answer: func(_ int32, a string) (string, error) {
		return a,
			nil
	}})
	if want := "ok: todos, a plain edit: a valid answer: applied"; !well || !slices.Contains(lines, want) {
		t.Errorf("well: %v; the lines lack %q:\n%s", well, want, strings.Join(lines, "\n"))
	}
}

// The errors of the schema name the place.
func TestSchemaFaultsArePlain(t *testing.T) {
	f := &fake{dialects: []string{"planpatch"}, answer: func(_ int32, a string) (string, error) {
		return strings.Replace(a, `{`, `{"dropped":[-1],`, 1), nil
	}}
	_, lines := run(t, f)
	want := "FAIL: planpatch/documented/valid_patch_read: the answer is not valid: at /dropped/0: minimum: got -1, want 0"
	if d := cmp.Diff(want, lines[2]); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// Messages for people may differ from answer to answer.
func TestMessagesMayDifferInBulk(t *testing.T) {
	f := &fake{dialects: []string{"planpatch"}, answer: func(n int32, a string) (string, error) {
		if strings.Contains(a, `"message"`) {
			return a, nil
		}
		return strings.Replace(a, `{`, `{"message":"answer `+string('a'+n)+`",`, 1), nil
	}}
	if well, lines := run(t, f); !well {
		t.Errorf("not well:\n%s", strings.Join(lines, "\n"))
	}
}

func TestUnknownDialect(t *testing.T) {
	well, lines := run(t, &fake{dialects: []string{"planpach"}})
	if want := "FAIL: planpach: unknown dialect"; well || lines[2] != want {
		t.Errorf("well: %v, got %v, want %s", well, lines, want)
	}
}

func TestGivenUp(t *testing.T) {
	f := &fake{
		Engine: reference.New(), dialects: []string{"planpatch"},
		answer: func(int32, string) (string, error) { return "", harness.ErrStopped },
	}
	if _, err := conformance.Run(t.Context(), f, harness.JudgeExact, func(conformance.Note) {}); !errors.Is(err, harness.ErrStopped) {
		t.Errorf("got %v, want the engine's error", err)
	}
}

// TestMistakesInBulk has one adapter for each common mistake. The check names it, and finds no other mistake.
func TestMistakesInBulk(t *testing.T) {
	for _, test := range []struct {
		name, dialect string
		declare       func(*harness.Declaration)
		answer        func(c harness.Case, answer string) string
		want, not     string // of the lines
		fix           string // in a hint
	}{
		{
			name: "echoes a malformed plan", dialect: "planpatch",
			answer: func(c harness.Case, answer string) string {
				if strings.Contains(answer, "invalid_plan") {
					return `{"verdict":"rejected","code":"refused","plan":` + string(c.Plan) + "}"
				}
				return answer
			},
			want: "ok: planpatch, the plan is not a plan document: rejected refused", not: "FAIL",
		},
		{
			name: "breaks the JSON at a lone surrogate", dialect: "todos",
			answer: func(c harness.Case, answer string) string {
				if len(c.Replies) > 0 && strings.Contains(strings.ToLower(string(c.Replies[0])), `\ud`) {
					return `{"verdict":"applied","plan":{"items":[{"content":"` + "\xed\xa0\x80" + `"}]}}`
				}
				return answer
			},
			want: "FAIL: todos, a string contains a lone surrogate: the answer is not valid",
			fix:  "write half a character as its escape",
		},
		{
			name: "stores a number for a text", dialect: "planpatch",
			answer: func(_ harness.Case, answer string) string {
				if strings.Contains(answer, "bad_type") {
					return `{"verdict":"applied","plan":{"title":"t","steps":[{"id":"a","description":5}]}}`
				}
				return answer
			},
			want: "stores a number as description", fix: "unless the adapter converts values",
		},
		{
			name: "refuses single operations without a reason", dialect: "operations",
			answer: func(_ harness.Case, answer string) string {
				return strings.ReplaceAll(answer, `"result":"done_immutable"`, `"result":"refused"`)
			},
			want: "ok: operations, ", not: "FAIL",
		},
		{
			name: "has no word for a failed operation", dialect: "operations",
			answer: func(_ harness.Case, answer string) string {
				return strings.ReplaceAll(answer, `"result":"done_immutable"`, `"result":"failed"`)
			},
			want: `unknown result of an operation "failed"; refused gives no reason`, fix: "replanbench schema outcome",
		},
		{
			name: "reads the first reply alone, and declares ladder", dialect: "operations",
			declare: func(d *harness.Declaration) { d.Features = []string{harness.FeatureLadder} },
			answer: func(c harness.Case, answer string) string {
				c.Replies = c.Replies[:min(1, len(c.Replies))]
				return outcomeOf(c)
			},
			want: "look: operations, a second update follows: applied, but its rules require another outcome",
			fix:  "do not declare the feature ladder",
		},
		{
			name: "has other names for events", dialect: "orchestrator",
			answer: func(_ harness.Case, answer string) string {
				return strings.ReplaceAll(answer, `"plan_step_start"`, `"step_start"`)
			},
			want: `look: orchestrator: unknown event "step_start"`,
			fix:  "replanbench list events --dialect orchestrator",
		},
		{
			name: "gets parsed arguments", dialect: "planpatch",
			answer: func(c harness.Case, answer string) string {
				if len(c.Replies) > 0 && !jsontext.Value(c.Replies[0]).IsValid() {
					return `{"verdict":"rejected","code":"refused"}`
				}
				return answer
			},
			want: "look: planpatch: reads replies that are JSON alone", not: "seems to lack", fix: `declare "arguments": "parsed"`,
		},
		{
			name: "makes up random ids", dialect: "operations",
			answer: func(c harness.Case, answer string) string {
				return regexp.MustCompile(`step_\d+`).ReplaceAllStringFunc(answer, func(id string) string {
					if strings.Contains(string(c.Plan)+string(c.Replies[0]), id) {
						return id
					}
					return id + "-" + strconv.FormatUint(rand.Uint64(), 36)
				})
			},
			want: "ok: operations, ", not: "FAIL",
		},
		{
			name: "sets finished steps back", dialect: "planpatch",
			answer: func(_ harness.Case, answer string) string {
				return strings.ReplaceAll(answer, `"status":"done"`, `"status":"pending"`)
			},
			want: "FAIL: planpatch, a plain edit", not: "hint: if the engine lacks this",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := &fake{dialects: []string{test.dialect}, declare: test.declare}
			f.change = test.answer
			f.answer = func(_ int32, a string) (string, error) { return a, nil }
			_, lines := run(t, f)
			text := strings.Join(lines, "\n")
			hinted := func(line string) bool {
				return strings.HasPrefix(line, "hint: ") && strings.Contains(line, test.fix)
			}
			if test.fix != "" && !slices.ContainsFunc(lines, hinted) {
				t.Errorf("no hint says %q:\n%s", test.fix, text)
			}
			if !strings.Contains(text, test.want) || test.not != "" && strings.Contains(text, test.not) {
				t.Errorf("want %q and not %q:\n%s", test.want, test.not, text)
			}
		})
	}
}

// outcomeOf returns what the reference answers to a case.
func outcomeOf(c harness.Case) string {
	out, err := reference.New().Eval(context.Background(), c)
	if err != nil {
		panic(err)
	}
	text, err := json.Marshal(out)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// An answer that is right with one other setting of a knob names the setting, and no other one.
func TestTriesNameSettingsInBulk(t *testing.T) {
	for _, tc := range []struct{ dialect, knob, value, hint string }{
		{"planpatch", "ladder", "patch", "declare ladder=patch or ladder=retry"},
		{"planpatch", "done", "replaceable", "declare done=replaceable"},
		{"todos", "omitted_done", "drop", "declare omitted_done=drop"},
	} {
		t.Run(tc.dialect+"/"+tc.knob+"="+tc.value, func(t *testing.T) {
			meant := harness.Reference()
			if err := meant.Set(tc.knob, tc.value, all.Find(tc.dialect).Judging.Knobs...); err != nil {
				t.Fatal(err)
			}
			f := &fake{dialects: []string{tc.dialect}, answer: func(_ int32, a string) (string, error) { return a, nil }}
			f.change = func(c harness.Case, _ string) string {
				c.Profile = &meant
				return outcomeOf(c)
			}
			_, lines := run(t, f)
			lines = slices.DeleteFunc(lines, func(l string) bool { return !strings.Contains(l, "if the engine means it") })
			want := "hint: if the engine means it, " + tc.hint + " in its profile"
			if len(lines) == 0 || len(slices.Compact(lines)) > 1 || lines[0] != want {
				t.Errorf("got %q, want %q", lines, want)
			}
		})
	}
}

// TestMerge joins notes that differ in a number and in the case only, and crashes at one place.
func TestMerge(t *testing.T) {
	got := conformance.Merge([]conformance.Note{
		{Text: "trim, a plain edit (dedup): step 1 is missing", Hints: []string{"h"}},
		{Text: "trim, a plain edit (clamp): step 22 is missing"},
		{OK: true, Doubt: true, Text: "trim, max_tokens is 1: step 1 is missing"},
		{Text: "trim, a plain edit (none): rejected"},
		{Text: "trim, a: crash: the engine answered with an error: 1", Place: "e.py:3"},
		{Text: "trim, b: crash: the engine answered with an error: other", Place: "e.py:3"},
		{Text: "trim, b: crash: the engine answered with an error: other", Place: "e.py:33"},
	})
	want := []conformance.Note{
		{Text: "trim, a plain edit (dedup) and 1 more: step 1 is missing", Hints: []string{"h"}},
		{OK: true, Doubt: true, Text: "trim, max_tokens is 1: step 1 is missing"},
		{Text: "trim, a plain edit (none): rejected"},
		{Text: "trim, a and 1 more: crash: the engine answered with an error: 1", Place: "e.py:3"},
		{Text: "trim, b: crash: the engine answered with an error: other", Place: "e.py:33"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
