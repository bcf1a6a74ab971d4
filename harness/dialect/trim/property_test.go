package trim_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/score/tokens"
)

// builtins are the built-in policies and pipelines of them.
func builtins(t testing.TB) []history.Policy {
	var list []history.Policy
	for _, term := range history.Policies() {
		list = append(list, policy(t, term.Name))
	}
	for _, text := range []string{
		"window(5)", "clamp|emergency", "section_caps|emergency|clamp(25)", "clamp(5)|pinned",
		"section_caps(5, 10)|priority(60)", "pinned(50, 0, 1)",
	} {
		list = append(list, policy(t, text))
	}
	return list
}

// TestEveryPolicyKeepsItsPromises judges the policies by checks that know
// nothing of how they work.
func TestEveryPolicyKeepsItsPromises(t *testing.T) {
	tok := tokenizer(t, tokens.Chars4)
	policies := builtins(t)
	cannotFit := 0
	for i := range uint64(700) {
		h := histories.At(histories.Options{Tokenizer: tok}, 1, i)
		p := policies[int(i)%len(policies)]
		c := h.Case("trim", tok.Name(), p)
		o := rules.Eval(c, harness.Reference())
		for name, b := range broken(c, o) {
			t.Errorf("history %d (%s), policy %s: %s: %s", i, h.Kind, p, name, b.Message)
		}
		if o.Code == harness.CannotFit {
			cannotFit++
		}
	}
	if cannotFit == 0 {
		t.Error("no history was too large to fit, so that cannot_fit was never judged")
	}
}

// judged is what an outcome of a case breaks.
func judged(c harness.Case, o harness.Outcome, gives func(string) bool) map[string]*judge.Break {
	req, err := history.DecodeCase(c)
	if err != nil {
		return nil
	}
	broken, _ := check.Judge(req, o, gives)
	return broken
}

// broken is what an outcome of the reference breaks, and what the reference
// does when asked to trim it again.
func broken(c harness.Case, o harness.Outcome) map[string]*judge.Break {
	found := judged(c, o, given)
	if next := c; o.Verdict == harness.Applied && o.Messages != nil {
		next.Messages = o.Messages
		if message := check.Changed(o, rules.Eval(next, harness.Reference())); message != "" {
			found[check.Idempotent] = &judge.Break{Message: message}
		}
	}
	return found
}

// TestMessagesAlone: an engine need not report what it dropped and cut; its messages
// are found again in the input.
func TestMessagesAlone(t *testing.T) {
	policies := builtins(t)
	for i := range uint64(300) {
		h := histories.At(histories.Options{}, 2, i)
		c := h.Case("trim", tokens.Chars4, policies[int(i)%len(policies)])
		o := rules.Eval(c, harness.Reference())
		o.Tokens, o.Dropped, o.Cut = nil, nil, nil
		for name, b := range judged(c, o, func(string) bool { return false }) {
			t.Errorf("history %d (%s), policy %s: %s: %s", i, h.Kind, c.Policy, name, b.Message)
		}
	}
}

// TestSystemDroppedAlone: a system message that is gone is found without the engine's own list.
func TestSystemDroppedAlone(t *testing.T) {
	in := []history.Message{
		{Role: history.System, Content: "be brief"},
		{Role: history.User, Content: "one"},
		{Role: history.User, Content: "two"},
	}
	c := harness.Case{
		Dialect: "trim", Messages: history.Encode(in), Policy: jsontext.Value(`["window(2)"]`),
		Budget: jsontext.Value(`{"max_tokens":400,"tokenizer":"chars/4"}`),
	}
	found := judged(c, harness.Outcome{Verdict: harness.Applied, Messages: history.Encode(in[1:])}, func(string) bool { return false })
	if b := found[check.System]; b == nil || b.Message != "the system message 0 was dropped" {
		t.Errorf("found %v", found)
	}
}

// TestMarkersAreMeasuredFairly: a cut must not lengthen a message, but a marker
// with characters of several bytes does not make it longer by itself.
func TestMarkersAreMeasuredFairly(t *testing.T) {
	const text = "Replan rules: one list per step id. Done steps stay as they are. At most 8 steps."
	for _, tt := range []struct {
		name, content string
		after         int
		grows         bool
	}{
		{"wide marker", "Replan rules: one list [… “cut” …] as they are. At most eight steps in all.", 19, false},
		{"more characters", text + "]", 21, true},
		{"more tokens", text + " [cut]", 22, true},
	} {
		c := harness.Case{
			Dialect:  "trim",
			Messages: encoded(text),
			Budget:   jsontext.Value(`{"max_tokens":400,"tokenizer":"chars/4"}`),
			Policy:   jsontext.Value(`["clamp(5)"]`),
		}
		found := judged(c, harness.Outcome{
			Verdict: harness.Applied, Messages: encoded(tt.content), Dropped: []int{},
			Tokens: &harness.TokenChange{Before: 21, After: tt.after},
			Cut:    []harness.Cut{{Index: 0, Before: 21, After: tt.after}},
		}, given)
		_, grows := found[check.NoGrowth]
		if grows != tt.grows {
			t.Errorf("%s: grows %v, want %v (%v)", tt.name, grows, tt.grows, found)
		}
	}
}

func encoded(content string) jsontext.Value {
	return history.Encode([]history.Message{{Role: history.System, Content: content}})
}

// given says that an engine gives every member.
func given(string) bool { return true }

// TestShares: of a message above its share the ends stay, and of another all.
func TestShares(t *testing.T) {
	text := "the first line\n" + strings.Repeat("a line in between\n", 100) + "the last line"
	const system = history.System
	for _, tt := range []struct {
		name, policy, after string
		role                history.Role
		want                string
	}{
		{"both ends", "clamp(10)", "the first line\n…\nthe last line", system, ""},
		{"beginning alone", "clamp(10)", "the first line\n…", system, "ends"},
		{"end alone", "clamp(10)", "…\nthe last line", system, "ends"},
		{"nothing", "clamp(10)", "", system, "ends"},
		{"whole", "clamp(10)", text, system, "over"},
		{"nothing where little is allowed", "clamp(1)", "", system, ""},
		{"within its share", "clamp(50)", "the first line\n…\nthe last line", system, "within"},
		{"longer, which is no cut", "clamp(50)", text + "x", system, ""},
		{"capped prompt", "section_caps(0, 10)", "the first line\n…", system, ""},
		{"end of a capped prompt", "section_caps(0, 10)", "…\nthe last line", system, "ends"},
		{"no section", "section_caps(0, 10)", "the first line\n…", history.User, "within"},
		{"pipeline", "none|clamp(10)", "", system, ""},
	} {
		messages := func(content string) jsontext.Value {
			return history.Encode([]history.Message{{Role: tt.role, Content: content}})
		}
		c := harness.Case{
			Dialect:  "trim",
			Messages: messages(text),
			Budget:   jsontext.Value(`{"max_tokens":1000,"tokenizer":"chars/4"}`),
			Policy:   jsontext.Value(`"` + tt.policy + `"`),
		}
		found := judged(c, harness.Outcome{Verdict: harness.Applied, Messages: messages(tt.after)},
			func(string) bool { return false })
		got := ""
		if b := found[check.Shares]; b != nil {
			got = b.Kind
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestDisorder: messages in a wrong order, or wrongly reported by an engine, are
// still looked at where there is no doubt which they were.
func TestDisorder(t *testing.T) {
	family := "the whole family 👨‍👩‍👧 of the first question, and what else there is to say"
	in := []history.Message{
		{Role: history.System, Content: "be brief"},
		{Role: history.User, Content: family},
		{Role: history.Assistant, Content: "an answer"},
		{Role: history.User, Content: "the last question of all of them"},
	}
	torn := in[1]
	torn.Content = family[:strings.Index(family, "\u200d")]
	sly := in[1]
	sly.Content = "something else altogether"
	for _, tt := range []struct {
		name    string
		out     []history.Message
		dropped []int
		want    []string
	}{
		{"in order", in, []int{}, nil},
		{"in another order", []history.Message{in[0], in[2], in[1], in[3]}, []int{}, []string{check.Order}},
		{
			"in another order, and cut apart",
			[]history.Message{in[0], in[2], torn, in[3]},
			[]int{},
			[]string{check.Graphemes, check.Order},
		},
		{
			"in another order, and lost",
			[]history.Message{in[0], in[2], in[1]},
			[]int{3},
			[]string{check.Order, check.Protects},
		},
		{
			"said to be others, and cut apart",
			[]history.Message{in[0], torn, in[2], in[3]},
			[]int{2},
			[]string{check.Graphemes, check.Truthful},
		},
		{"in another order, and who knows", []history.Message{in[0], in[2], sly, in[3]}, []int{}, []string{check.Order}},
	} {
		c := harness.Case{
			Dialect:  "trim",
			Messages: history.Encode(in),
			Budget:   jsontext.Value(`{"max_tokens":100,"tokenizer":"chars/4"}`),
			Policy:   jsontext.Value(`"priority"`),
		}
		found := judged(c, harness.Outcome{
			Verdict: harness.Applied, Messages: history.Encode(tt.out),
			Dropped: tt.dropped,
		}, func(string) bool { return false })
		got := slices.Sorted(maps.Keys(found))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
