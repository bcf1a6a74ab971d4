package trim_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/generators/histories"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/history/sequence"
	"replanbench/harness/history/simulate"
	"replanbench/harness/score/tokens"
)

// chat writes a history of letters: s, u and a speak, c calls a tool, t is its
// result, o the result of a call that nobody made.
func chat(letters string) []history.Message {
	var list []history.Message
	for i, l := range letters {
		m := history.Message{Content: string(rune('A' + i))}
		switch l {
		case 's':
			m.Role = history.System
		case 'u':
			m.Role = history.User
		case 'a':
			m.Role = history.Assistant
		case 'c':
			m.Role, m.Calls = history.Assistant, []history.Call{{ID: "c", Raw: []byte(`{"id":"c"}`)}}
		case 't':
			m.Role, m.CallID = history.Tool, "c"
		case 'o':
			m.Role, m.CallID = history.Tool, "nobody"
		}
		list = append(list, m)
	}
	return list
}

func TestNormalize(t *testing.T) {
	for letters, want := range map[string]string{
		"":        "",
		"sua":     "system:A user:B assistant:C",
		"uua":     "user:A\n\nB assistant:C",
		"suaas":   "system:A\n\nE user:B assistant:C\n\nD",
		"ucta":    "user:A assistant:B tool:C assistant:D",
		"uctct":   "user:A assistant:B tool:C assistant:D tool:E",
		"uac":     "user:A assistant:B\n\nC",
		"uca":     "user:A assistant:B assistant:C", // the gap behind the call stays
		"oou":     "tool:A tool:B user:C",
		"ausau":   "system:C assistant:A user:B assistant:D user:E",
		"ssssuss": "system:A\n\nB\n\nC\n\nD\n\nF\n\nG user:E",
	} {
		var got []string
		for _, m := range sequence.Normalize(chat(letters)) {
			got = append(got, string(m.Role)+":"+m.Content)
		}
		if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letters, diff)
		}
	}
}

func TestAlternationErrors(t *testing.T) {
	for letters, want := range map[string][]int{
		"":      nil,
		"sua":   nil,
		"suau":  nil,
		"ucta":  nil,
		"uctct": nil, // results are the other side
		"suct":  nil,
		"sa":    {1},
		"suu":   {2},
		"suaa":  {3},
		"uas":   {2}, // the system message comes first
		"ut":    {1},
		"uat":   {2}, // there was no call
		"suctu": {4}, // the assistant's word is missing
	} {
		if diff := cmp.Diff(want, sequence.AlternationErrors(chat(letters)), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letters, diff)
		}
	}
}

func TestOrphans(t *testing.T) {
	for letters, want := range map[string][2][]int{
		"suct":  {},
		"suc":   {nil, {2}},
		"tuct":  {{0}, nil},
		"uctt":  {{3}, nil},
		"uco":   {{2}, {1}},
		"ucct":  {nil, {1}}, // the result answers the later call
		"ucctt": {},
	} {
		results, calls := sequence.Orphans(chat(letters))
		if diff := cmp.Diff(want, [2][]int{results, calls}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letters, diff)
		}
	}
}

func TestSections(t *testing.T) {
	rules := make([]history.TagRule, 0, 2)
	for _, s := range []string{"plan=^B$", "other=B|C"} {
		r, err := history.ParseTagRule(s)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	messages := chat("suau")
	messages[3].Tag = history.TagRepoMap // a tag that is there stays
	history.ApplyTags(messages, rules)
	got := history.Count(messages, tokenizer(t, tokens.Chars4)).Sections()
	want := []history.Section{
		{Tag: "(system)", Messages: 1, Tokens: 1, Share: 0.25},
		{Tag: "plan", Messages: 1, Tokens: 1, Share: 0.25},
		{Tag: "other", Messages: 1, Tokens: 1, Share: 0.25},
		{Tag: "repo_map", Messages: 1, Tokens: 1, Share: 0.25},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, s := range []string{"", "plan", "=x", "plan=", "plan=("} {
		if _, err := history.ParseTagRule(s); err == nil {
			t.Errorf("ParseTagRule(%q) gave no error", s)
		}
	}
}

// Two histories under a window of one, counted by hand: a tool exchange of
// which the result alone is left, and a chat that has nothing to lose.
func TestSimulateByHand(t *testing.T) {
	tok := tokenizer(t, tokens.Chars4)
	loop := chat("suct")
	loop[1].Tag = history.TagConstraints
	samples := []simulate.Sample{
		{History: history.Count(loop, tok), MaxTokens: 2},
		{History: history.Count(chat("su"), tok), MaxTokens: 9},
	}
	got := simulate.Run(t.Context(), []history.Policy{policy(t, "window(1)")}, 2,
		func(i int) simulate.Sample { return samples[i] }, simulate.Options{Trim: rules.Trim})[0]
	want := simulate.Tally{
		Policy: "window(1)", Histories: 2,
		OverBefore: simulate.Rate{K: 1, N: 2}, OverAfter: simulate.Rate{K: 0, N: 2}, CannotFit: simulate.Rate{K: 0, N: 2},
		TokensBefore: 7 + 2, TokensAfter: 2 + 2, // the call's JSON has 12 characters, [ and ]: 3 more tokens
		Constraints: simulate.Rate{K: 0, N: 1}, LastUser: simulate.Rate{K: 1, N: 2},
		Alternation: simulate.Rate{K: 1, N: 2}, Orphans: simulate.Rate{K: 1, N: 2}, Safe: simulate.Rate{K: 1, N: 2},
		FirstBroken: -1,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(simulate.Tally{}, "Losses")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	losses := map[string]int{}
	for _, l := range got.Losses {
		losses[l.Tag] = l.Dropped
	}
	if diff := cmp.Diff(map[string]int{"": 1, history.TagConstraints: 1}, losses); diff != "" {
		t.Errorf("dropped, by tag (-want +got):\n%s", diff)
	}
}

// The counts do not depend on how many goroutines make them.
func TestSimulateWorkers(t *testing.T) {
	tok := tokenizer(t, tokens.Chars4)
	sample := func(i int) simulate.Sample {
		h := histories.At(histories.Options{Tokenizer: tok}, 5, uint64(i))
		return simulate.Sample{History: history.Count(h.Messages, tok), MaxTokens: h.MaxTokens}
	}
	one := simulate.Run(t.Context(), builtins(t), 120, sample, simulate.Options{Trim: rules.Trim, Workers: 1})
	many := simulate.Run(t.Context(), builtins(t), 120, sample, simulate.Options{Trim: rules.Trim, Workers: 7})
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("one worker and seven (-one +seven):\n%s", diff)
	}
}

// BenchmarkTrim trims histories that differ in their number of messages, or in
// the length of one: twice as much takes twice as long.
func BenchmarkTrim(b *testing.B) {
	tok := tokenizer(b, tokens.Chars4)
	type size struct {
		name     string
		messages []history.Message
	}
	var sizes []size
	for _, n := range []int{1000, 2000, 4000} {
		sizes = append(sizes, size{"messages=" + strconv.Itoa(n), chat("s" + strings.Repeat("uctctcta", n/8))})
	}
	for _, n := range []int{1, 2, 4} {
		m := chat("sucta")
		m[3].Content = strings.Repeat("a line of some tool's output\n", n<<20/29)
		sizes = append(sizes, size{"MiB=" + strconv.Itoa(n), m})
	}
	for _, name := range []string{"window", "emergency", "clamp", "priority", "pinned"} {
		p := policy(b, name)
		for _, s := range sizes {
			b.Run(name+"/"+s.name, func(b *testing.B) {
				h := history.Count(s.messages, tok)
				for b.Loop() {
					if _, err := rules.Trim(p, h, 500); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "histories/s")
			})
		}
	}
}
