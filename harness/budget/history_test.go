package budget_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/harness/budget"
	trim "replanbench/harness/dialect/trim/generate"
)

// chat writes a history of letters: s, u and a speak, c calls a tool, t is its
// result, o the result of a call that nobody made.
func chat(letters string) []budget.Message {
	var list []budget.Message
	for i, l := range letters {
		m := budget.Message{Content: string(rune('A' + i))}
		switch l {
		case 's':
			m.Role = budget.System
		case 'u':
			m.Role = budget.User
		case 'a':
			m.Role = budget.Assistant
		case 'c':
			m.Role, m.Calls = budget.Assistant, []budget.Call{{ID: "c", Raw: []byte(`{"id":"c"}`)}}
		case 't':
			m.Role, m.CallID = budget.Tool, "c"
		case 'o':
			m.Role, m.CallID = budget.Tool, "nobody"
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
		for _, m := range budget.Normalize(chat(letters)) {
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
		"uas":   {2}, // system stands at the head
		"ut":    {1},
		"uat":   {2}, // there was no call
		"suctu": {4}, // the assistant's word is missing
	} {
		if diff := cmp.Diff(want, budget.AlternationErrors(chat(letters)), cmpopts.EquateEmpty()); diff != "" {
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
		results, calls := budget.Orphans(chat(letters))
		if diff := cmp.Diff(want, [2][]int{results, calls}, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", letters, diff)
		}
	}
}

func TestSections(t *testing.T) {
	rules := make([]budget.TagRule, 0, 2)
	for _, s := range []string{"plan=^B$", "other=B|C"} {
		r, err := budget.ParseTagRule(s)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, r)
	}
	messages := chat("suau")
	messages[3].Tag = budget.TagRepoMap // a tag that is there stays
	budget.ApplyTags(messages, rules)
	got := budget.Count(messages, tokenizer(t, budget.Chars4)).Sections()
	want := []budget.Section{{"(system)", 1, 1, 0.25}, {"plan", 1, 1, 0.25}, {"other", 1, 1, 0.25}, {"repo_map", 1, 1, 0.25}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, s := range []string{"", "plan", "=x", "plan=", "plan=("} {
		if _, err := budget.ParseTagRule(s); err == nil {
			t.Errorf("ParseTagRule(%q) gave no error", s)
		}
	}
}

// Two histories under a window of one, counted by hand: a tool exchange of
// which the result alone is left, and a chat that has nothing to lose.
func TestSimulateByHand(t *testing.T) {
	tok := tokenizer(t, budget.Chars4)
	loop := chat("suct")
	loop[1].Tag = budget.TagConstraints
	samples := []budget.Sample{{History: budget.Count(loop, tok), MaxTokens: 2}, {History: budget.Count(chat("su"), tok), MaxTokens: 9}}
	got := budget.Simulate(t.Context(), []budget.Policy{policy(t, "window(1)")}, 2, func(i int) budget.Sample { return samples[i] }, budget.Options{})[0]
	want := budget.Tally{
		Policy: "window(1)", Histories: 2,
		OverBefore: budget.Rate{K: 1, N: 2}, OverAfter: budget.Rate{K: 0, N: 2}, CannotFit: budget.Rate{K: 0, N: 2},
		TokensBefore: 7 + 2, TokensAfter: 2 + 2, // the call's JSON has 12 characters, [ and ]: 3 more tokens
		Constraints: budget.Rate{K: 0, N: 1}, LastUser: budget.Rate{K: 1, N: 2},
		Alternation: budget.Rate{K: 1, N: 2}, Orphans: budget.Rate{K: 1, N: 2}, Safe: budget.Rate{K: 1, N: 2},
		FirstBroken: -1,
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(budget.Tally{}, "Losses")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	losses := map[string]int{}
	for _, l := range got.Losses {
		losses[l.Tag] = l.Dropped
	}
	if diff := cmp.Diff(map[string]int{"": 1, budget.TagConstraints: 1}, losses); diff != "" {
		t.Errorf("dropped, by tag (-want +got):\n%s", diff)
	}
}

// The counts do not depend on how many goroutines make them.
func TestSimulateWorkers(t *testing.T) {
	tok := tokenizer(t, budget.Chars4)
	sample := func(i int) budget.Sample {
		h := trim.HistoryAt(trim.HistoryOptions{Tokenizer: tok}, 5, uint64(i))
		return budget.Sample{History: budget.Count(h.Messages, tok), MaxTokens: h.MaxTokens}
	}
	one := budget.Simulate(t.Context(), builtins(t), 120, sample, budget.Options{Workers: 1})
	many := budget.Simulate(t.Context(), builtins(t), 120, sample, budget.Options{Workers: 7})
	if diff := cmp.Diff(one, many); diff != "" {
		t.Errorf("one worker and seven (-one +seven):\n%s", diff)
	}
}

// BenchmarkTrim trims histories that differ in their number of messages, or in
// the length of one: twice as much takes twice as long.
func BenchmarkTrim(b *testing.B) {
	tok := tokenizer(b, budget.Chars4)
	type size struct {
		name     string
		messages []budget.Message
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
				h := budget.Count(s.messages, tok)
				for b.Loop() {
					if _, err := p.Trim(h, 500); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "histories/s")
			})
		}
	}
}
