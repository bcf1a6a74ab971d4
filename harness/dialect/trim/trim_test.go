package trim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/score/tokens"
)

func policy(t testing.TB, text string) history.Policy {
	t.Helper()
	p, err := history.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tokenizer(t testing.TB, name string) tokens.Tokenizer {
	t.Helper()
	tok, err := tokens.New(name)
	if err != nil {
		t.Fatal(err)
	}
	return tok
}

func TestIncident(t *testing.T) {
	for _, term := range tokens.Tokenizers() {
		t.Run(term.Name, func(t *testing.T) {
			tok := tokenizer(t, term.Name)
			h := history.Count(simulate.Incident(tok), tok)
			if len(h.Messages) != 6 || h.Total != 265_759 {
				t.Fatalf("%d messages, %d tokens; want 6 and 265759", len(h.Messages), h.Total)
			}
			if got := 100 * h.Utilisation(32_768); got < 810.95 || got >= 811.05 {
				t.Errorf("utilisation %.2f %%, want 811.0 %%", got)
			}
			tests := []struct {
				policy      string
				dropped     []int
				cut         []int
				over        bool
				constraints bool
			}{
				{"none", nil, nil, true, true},
				{"window", []int{1}, nil, true, false},
				{"section_caps", nil, nil, true, true},
				{"emergency", []int{1, 2}, nil, true, false},
				{"clamp", nil, []int{5}, false, true},
				{"dedup", nil, nil, true, true},
				{"clamp|emergency", nil, []int{5}, false, true},
				{"section_caps|emergency|clamp(25)", []int{1, 2}, []int{5}, false, false},
				{"priority", []int{4, 5}, nil, false, true},
				{"pinned", nil, []int{5}, false, true},
			}
			for _, test := range tests {
				r, err := rules.Trim(policy(t, test.policy), h, 32_768)
				if err != nil {
					t.Fatal(err)
				}
				var cut []int
				for _, c := range r.Cut {
					cut = append(cut, c.Index)
				}
				if diff := cmp.Diff(test.dropped, r.Dropped); diff != "" {
					t.Errorf("%s: dropped (-want +got):\n%s", test.policy, diff)
				}
				if diff := cmp.Diff(test.cut, cut); diff != "" {
					t.Errorf("%s: cut (-want +got):\n%s", test.policy, diff)
				}
				if over := r.After > 32_768; over != test.over {
					t.Errorf("%s: %d tokens after", test.policy, r.After)
				}
				if kept := strings.Contains(string(history.Encode(r.Messages)), "Replan rules"); kept != test.constraints {
					t.Errorf("%s: constraints kept: %v", test.policy, kept)
				}
			}
		})
	}
}

func TestParsePolicy(t *testing.T) {
	tests := []struct{ text, want, err string }{
		{"none", "none", ""},
		{"window", "window", ""},
		{" window( 6 ) ", "window(6)", ""},
		{"window(4)", "window", ""},
		{"section_caps|emergency|clamp(25)", "section_caps|emergency|clamp", ""},
		{"section_caps(system_prompt=30)", "section_caps(20, 30)", ""},
		{"pinned(90,,)", "", `policy, column 11: "" is no whole number`},
		{"pinned(over=90, keep=5)", "pinned(90, 4, 5)", ""},
		{"emergency()", "emergency", ""},
		{"", "", "policy, column 1: a policy's name is missing"},
		{"clamp|", "", "policy, column 7: a policy's name is missing"},
		{"clamp|clmp(3)", "", `policy, column 7: unknown policy "clmp"; did you mean "clamp"?`},
		{"clamp(101)", "", "policy, column 7: percent of clamp is 101, and must be 0 to 100"},
		{"clamp(25", "", "policy, column 6: the parenthesis after clamp is not closed"},
		{"clamp(25) emergency", "", `policy, column 11: unexpected "e" after clamp (steps are separated by |)`},
		{"clamp(1, 2)", "", "policy, column 10: clamp takes at most 1 parameters"},
		{"clamp(size=2)", "", `policy, column 7: clamp has no parameter "size"`},
		{"none(1)", "", "policy, column 6: none takes no parameters"},
		{"clamp|计划", "", "policy, column 7: a policy's name is missing"},
		{"clamp(x)", "", `policy, column 7: "x" is no whole number`},
		{strings.Repeat("none|", 64) + "none", "", "policy, column 321: a policy has at most 64 steps"},
	}
	for _, test := range tests {
		p, err := history.ParsePolicy(test.text)
		if test.err != "" {
			if err == nil || !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("ParsePolicy(%q): error %v, want %s", test.text, err, test.err)
			}
			continue
		}
		if err != nil || p.String() != test.want {
			t.Errorf("ParsePolicy(%q) = %q, %v, want %q", test.text, p, err, test.want)
		}
		if again, err := history.ParsePolicy(p.String()); err != nil || !cmp.Equal(again, p) {
			t.Errorf("ParsePolicy(%q) does not read what String wrote: %v", p.String(), err)
		}
	}
}

func TestCannotFitNamesWhatIsTooLarge(t *testing.T) {
	tok := tokenizer(t, tokens.Chars4)
	h := history.Count([]history.Message{
		{Role: history.System, Content: "short"},
		{Role: history.User, Content: strings.Repeat("word ", 400), Tag: history.TagConstraints},
		{Role: history.Assistant, Content: "ok"},
		{Role: history.User, Content: "go on"},
	}, tok)
	for _, name := range []string{"priority", "pinned"} {
		_, err := rules.Trim(policy(t, name), h, 100)
		var e *history.CannotFit
		if !errors.As(err, &e) {
			t.Fatalf("%s: error %v, want CannotFit", name, err)
		}
		if e.Large[0].Index != 1 || !strings.Contains(err.Error(), "message 1 (user, replan_constraints) with 500") {
			t.Errorf("%s: %v does not name message 1", name, err)
		}
	}
}

// TestTrim trims short histories whose tokens are counted as characters / 4.
func TestTrim(t *testing.T) {
	result := func(n int) string {
		return `{"role":"assistant","content":"","tool_calls":[{"id":"c"}]},{"role":"tool","tool_call_id":"c","content":"` +
			strings.Repeat("r", n) + `"},`
	}
	for _, tt := range []struct {
		name, policy, messages string
		max                    int
		want                   string // dropped, cut, or where it cannot fit
	}{
		{"a reference is shorter", "dedup", result(24) + result(24), 9, "[] [{3 6 5}]"},
		{"a reference takes as many tokens", "dedup", result(20) + result(20), 9, "[] []"},
		{
			"a result that answers nothing goes with the call before it", "priority",
			`{"role":"user","content":"old"},{"role":"assistant","content":"","tool_calls":[{"id":"c","x":"` +
				strings.Repeat("x", 400) + `"}]},{"role":"tool","tool_call_id":"d","content":"r"},{"role":"assistant","content":"ok"},`, 50, "[1 2] []",
		},
		{
			"the largest of what must stay", "priority",
			`{"role":"system","content":"short"},{"role":"system","content":"` + strings.Repeat("x", 40) + `"},`, 9, "/1",
		},
	} {
		o := rules.Eval(harness.Case{
			Dialect: "trim", Messages: jsontext.Value(`[` + tt.messages + `{"role":"user","content":"go on"}]`),
			Budget: jsontext.Value(fmt.Sprintf(`{"max_tokens":%d,"tokenizer":"chars/4"}`, tt.max)),
			Policy: jsontext.Value(`"` + tt.policy + `"`),
		}, harness.Reference())
		got := fmt.Sprint(o.Dropped, " ", o.Cut)
		if o.At != nil {
			got = *o.At
		}
		if got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// A threshold that a policy does not have is another fault than one out of its range.
func TestThresholdsOfSteps(t *testing.T) {
	for _, tt := range []struct {
		policy string
		code   harness.Code
		at     string
	}{
		{`[{"name":"clamp","percent":100}]`, "", ""},
		{`["none",{"name":"clamp","percent":101}]`, harness.BadLimit, "/1/percent"},
		{`[{"name":"clamp","share":5}]`, harness.ExtraField, "/0/share"},
		{`[{"name":"clamp","share":"x"}]`, harness.ExtraField, "/0/share"},
		{`[{"name":"none","n":1}]`, harness.ExtraField, "/0/n"},
		{`[{"name":"clamp","percent":"5"}]`, harness.BadType, "/0/percent"},
		{`[{"percent":5}]`, harness.MissingField, "/0"},
	} {
		c := harness.Case{
			Dialect: "trim", Messages: jsontext.Value(`[]`), Budget: jsontext.Value(`{"max_tokens":5,"tokenizer":"chars/4"}`),
			Policy: jsontext.Value(tt.policy),
		}
		o := rules.Eval(c, harness.Reference())
		at := ""
		if o.At != nil {
			at = *o.At
		}
		if o.Code != tt.code || at != tt.at {
			t.Errorf("%s: %q at %q, want %q at %q (%s)", tt.policy, o.Code, at, tt.code, tt.at, o.Message)
		}
	}
}
