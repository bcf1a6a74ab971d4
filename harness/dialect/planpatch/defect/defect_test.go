package defect

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/testdata/mutanttest"
)

// plain is a plan with a done step and two open ones in a row.
const plain = `{"title":"T","steps":[
	{"id":"step_1","description":"one","status":"done"},
	{"id":"step_2","description":"two","dependencies":["step_1"]},
	{"id":"step_3","description":"three","dependencies":["step_2"]}]}`

// strike is a case on which a defect shows.
type strike struct {
	plan    string // "" is plain
	profile string // settings, separated by blanks
	limits  harness.Limits
	replies []string
}

func (s strike) harnessCase(t *testing.T) harness.Case {
	t.Helper()
	c := harness.Case{Dialect: "planpatch", Limits: s.limits, Plan: jsontext.Value(plain)}
	if s.plan != "" {
		c.Plan = jsontext.Value(s.plan)
	}
	if s.profile != "" {
		p := harness.Reference()
		for setting := range strings.FieldsSeq(s.profile) {
			if err := p.Apply(setting); err != nil {
				t.Fatal(err)
			}
		}
		c.Profile = &p
	}
	for _, r := range s.replies {
		c.Replies = append(c.Replies, harness.Reply(r))
	}
	return c
}

func replies(texts ...string) strike { return strike{replies: texts} }

func (s strike) on(plan string) strike       { s.plan = plan; return s }
func (s strike) under(profile string) strike { s.profile = profile; return s }
func (s strike) within(steps int) strike     { s.limits.MaxPlanSteps = &steps; return s }

const (
	// update is a patch that touches nothing that could go wrong.
	update = `{"update_steps":[{"id":"step_3","description":"III","dependencies":["step_2"]}]}`
	// whole is a full plan that keeps the plain one but for a text.
	whole = `{"title":"T","steps":[
		{"id":"step_1","description":"one","status":"done"},
		{"id":"step_2","description":"II","dependencies":["step_1"]},
		{"id":"step_3","description":"three","dependencies":["step_2"]}]}`
	twoDone = `{"title":"T","steps":[
		{"id":"step_1","description":"one","status":"done","result":"ok"},
		{"id":"step_2","description":"two","status":"done","dependencies":["step_1"]},
		{"id":"step_3","description":"three","status":"failed","dependencies":["step_2"]}],"verification_policy":"run_pytest"}`
	lone = `{"title":"T","steps":[{"id":"step_1","description":"one"}]}`
)

func add(id, rest string) string {
	return fmt.Sprintf(`{"add_steps":[{"id":%q,"description":"d"%s}]}`, id, rest)
}

// strikes holds, for every defect, a case on which it shows.
func strikes() map[string]strike {
	long := strings.Repeat("x", 300)
	four, exact := 4, len(update)
	deep := `{"reason":` + strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70) + `}`
	return map[string]strike{
		"panics-on-deep-nesting":     replies(deep),
		"first-of-two-objects":       replies(`{"control":"replan"} ` + update),
		"last-of-two-objects":        replies(update + ` {"tokens":12}`),
		"first-brace-to-last-brace":  replies("In {short}: " + update),
		"reads-think-block":          replies(`<think>{"title":"draft"}</think>` + update),
		"chokes-on-bom":              replies("\uFEFF" + update),
		"completes-cut-off-replies":  replies(`{"title":"new","reason":"since`),
		"strips-slashes-in-strings":  replies(`{"title":"see http://example.org"}`),
		"single-quotes-in-strings":   replies(`{"title":"it's new"}`),
		"trailing-commas-in-strings": replies(`{"title":"a ,] b"}`),
		"unescapes-html":             replies(`{"title":"a &amp; b"}`),
		"ends-at-nul":                replies(update + "\x00" + `{"title":"other"}`),

		"ignores-extra-fields":        replies(`{"title":"new","confidence":0.9}`),
		"ignores-type":                replies(`{"type":"Patch","title":"new"}`),
		"full-plan-as-patch":          replies(whole),
		"crash-on-null":               replies(`{"title":"new","remove_steps":null}`),
		"null-empties-lists":          replies(`{"update_steps":[{"id":"step_3","description":"III","dependencies":null}]}`),
		"skips-items-of-wrong-type":   replies(`{"title":"new","remove_steps":[3]}`),
		"numbers-as-ids":              replies(`{"add_steps":[{"id":4,"description":"four"}]}`),
		"accepts-missing-description": replies(`{"add_steps":[{"id":"step_4"}]}`),
		"keeps-spaces-in-ids":         replies(add(" step_4 ", "")),

		"keeps-instead-of-replacing": replies(`{"remove_steps":["step_3"],"add_steps":[{"id":"step_3","description":"III"}]}`),
		"drops-conflicting-add":      replies(`{"title":"new","add_steps":[{"id":"step_3","description":"III"}]}`),
		"add-overwrites":             replies(add("step_3", "")),
		"adds-in-reverse":            replies(`{"add_steps":[{"id":"a","description":"a"},{"id":"b","description":"b"}]}`),
		"update-inserts":             replies(`{"update_steps":[{"id":"step_4","description":"four"}]}`),
		"skips-unknown-updates":      replies(`{"title":"new","update_steps":[{"id":"step_4","description":"four"}]}`),
		"refuses-duplicate-removes":  replies(`{"remove_steps":["step_3","step_3"]}`),
		"forgets-repairs":            replies(`{"remove_steps":["step_3"],"update_steps":[{"id":"step_3","description":"III"}]}`),

		"accepts-self-dependency":    replies(add("a", `,"dependencies":["a"]`)),
		"accepts-cycle":              replies(`{"update_steps":[{"id":"step_2","dependencies":["step_3"]}]}`),
		"accepts-missing-dependency": replies(add("a", `,"dependencies":["b"]`)),
		"leaves-orphans":             replies(`{"remove_steps":["step_2"]}`),
		"keeps-duplicate-deps":       replies(add("a", `,"dependencies":["step_1","step_1"]`)),

		"off-by-one-limit":          replies(add("a", "")).within(3),
		"ignores-limit":             replies(add("a", "")).within(3),
		"counts-done-against-limit": replies(add("a", "")).within(4),
		"forgets-done-in-limit":     replies(add("a", "")).within(3),
		"reply-limit-off-by-one":    {limits: harness.Limits{MaxReplyBytes: &exact}, replies: []string{update}},
		"depth-limit-off-by-one":    {limits: harness.Limits{MaxDepth: &four}, replies: []string{update}},
		"zero-means-no-limit":       replies(update).within(0),
		"counts-removed-steps":      replies(`{"remove_steps":["step_3"],"add_steps":[{"id":"a","description":"a"}]}`).within(3),
		"truncates-before-checking": replies(`{"add_steps":[{"id":"a","description":"a"},{"id":"step_3","description":"III"}]}`).within(4),
		"cuts-old-steps":            replies(add("a", "")).within(2),
		"hides-truncation":          replies(`{"add_steps":[{"id":"a","description":"a"},{"id":"b","description":"b"}]}`).within(4),

		"spelled-done": replies(`{"remove_steps":["step_3"]}`).on(
			`{"title":"T","steps":[{"id":"step_2","description":"two"},{"id":"step_3","description":"three","status":"completed"}]}`),
		"updates-done-steps": replies(`{"update_steps":[{"id":"step_1","description":"I"}]}`),
		"removes-done-steps": replies(`{"remove_steps":["step_1"]}`).on(
			`{"title":"T","steps":[{"id":"step_1","description":"one","status":"done"},{"id":"step_2","description":"two"}]}`),
		"accepts-forged-done":   replies(add("a", `,"status":"done"`)),
		"done-by-id-only":       replies(`{"title":"T","steps":[{"id":"a","description":"a"}]}`),
		"cuts-before-restoring": replies(`{"title":"T","steps":[{"id":"a","description":"a"},{"id":"b","description":"b"}]}`).within(2),

		"applies-empty-patch":       replies(`{}`),
		"accepts-empty-plan":        replies(`{"remove_steps":["step_1"]}`).on(lone),
		"blank-title-erases":        replies(`{"title":" ",` + update[1:]),
		"ignores-title-only":        replies(`{"title":"new"}`),
		"resets-dependencies":       replies(`{"update_steps":[{"id":"step_3","description":"III"}]}`),
		"resets-status":             replies(update).on(twoDone),
		"loses-verification-policy": replies(update).on(twoDone),
		"loses-unknown-members":     replies(update).on(twoDone),
		"sorts-steps":               replies(add("a", "")),
		"adds-to-front":             replies(add("a", "")),
		"integers-first":            replies(add("7", "")),
		"cuts-long-descriptions":    replies(`{"update_steps":[{"id":"step_3","description":"` + long + `"}]}`),
		"squeezes-white-space":      replies(`{"update_steps":[{"id":"step_3","description":"a\n  b"}]}`),
		"forgets-warnings":          replies(`{"title":"new","remove_steps":["step_9"]}`),
		"miscounts-updates":         replies(`{"title":"new","update_steps":[{"id":"step_3"}]}`),
		"wrong-code":                replies(`{"update_steps":[{"id":"step_4","description":"four"}]}`),
		"blames-from-one":           replies(`{"remove_steps":["step_1"]}`),

		"never-retries":              replies("no", update),
		"retries-without-end":        replies("no", "no", update),
		"reads-first-reply-again":    replies("no", update),
		"never-takes-full-plans":     replies(whole),
		"cuts-plans-above-limit":     replies(update).within(2),
		"gives-up-early":             replies("no", "no", update).under("react"),
		"full-plan-before-giving-up": replies("no", "no", whole).under("ladder=patch,retry,react"),
		"half-applied":               replies(`{"remove_steps":["step_3"],"update_steps":[{"id":"step_9"}]}`),
		"keeps-plan-instead":         replies("no"),

		"mutates-input": replies(`{"remove_steps":["step_3"]}`).on(
			`{"title":"T","steps":[{"id":"a","description":"a","status":"pending"},{"id":"step_3","description":"three"}]}`),
		"second-answer-differs": replies(add("a", "")),
		"hangs-on-open-fence":   replies("```json\n" + update),
	}
}

func TestEachDefectShowsOnItsCaseAndNotOnAPlainOne(t *testing.T) {
	list := strikes()
	simple := []strike{replies(update), replies("Sure:\n```json\n" + update + "\n```\nDone.")}
	for _, d := range Defects() {
		t.Run(d.Name, func(t *testing.T) {
			for _, s := range simple {
				if d.Name == "only-bare-json" && s.replies[0] != update {
					continue
				}
				c := s.harnessCase(t)
				if diff := mutanttest.Difference(t, rules.Eval, d, c); diff != "" {
					t.Errorf("differs on a plain case (-reference +defect):\n%s", diff)
				}
			}
			if d.Name == "quadratic-in-word-length" {
				return // it shows in time only: see TestQuadratic
			}
			s, ok := list[d.Name]
			if !ok {
				t.Fatal("no case shows the defect")
			}
			c := s.harnessCase(t)
			if mutanttest.Difference(t, rules.Eval, d, c) == "" {
				t.Error("does not differ from the reference on its case")
			}
		})
	}
}

// TestQuadratic counts the pairs of bytes that the slow engine looks at: of
// equal bytes, half of all.
func TestQuadratic(t *testing.T) {
	for _, n := range []int{30, 300, 3000} {
		want := n * (n - 1) / 4
		if got := countRepeats(strings.Repeat("a", n)); got < want-n || got > want+n {
			t.Errorf("a word of %d equal bytes: %d pairs, want about %d", n, got, want)
		}
	}
}

func TestEveryCaseBelongsToADefect(t *testing.T) {
	for name := range strikes() {
		if !slices.ContainsFunc(Defects(), func(d mutant.Defect) bool { return d.Name == name }) {
			t.Errorf("a case for %q, which is no defect", name)
		}
	}
	if n := len(Defects()); n < 50 {
		t.Errorf("%d defects for planpatch", n)
	}
}
