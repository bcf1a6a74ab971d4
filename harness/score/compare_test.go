package score_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/corpora"
	"replanbench/harness/score"
)

// draws makes a corpus of so many cases with replies that can be applied with
// a chance that depends on the case, plus a shift. How hard the cases are is
// the same in every corpus.
func draws(t *testing.T, seed uint64, cases, samples int, shift float64) corpora.Source {
	hardness := rand.New(rand.NewPCG(1, 1))
	rng := rand.New(rand.NewPCG(seed, 2))
	var items []any
	for i := range cases {
		chance := 0.88 + shift
		if hardness.IntN(3) == 0 {
			chance = 0.1 + shift
		}
		for k := range samples {
			reply := unknown
			if rng.Float64() < chance {
				reply = good
			}
			items = append(items, record(fmt.Sprintf("%d/%d", i, k), reply, func(r *corpora.Record) {
				r.Case, r.Sample, r.Intent = fmt.Sprint(i), k, nil
			}))
		}
	}
	return source(t, items...)
}

func compare(t *testing.T, base, now corpora.Source, o score.CompareOptions) *score.Comparison {
	t.Helper()
	c, err := score.Compare(run(t, score.Options{EveryCase: true}, base), run(t, score.Options{EveryCase: true}, now), o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func row(t *testing.T, c *score.Comparison, metric string) score.Row {
	t.Helper()
	i := slices.IndexFunc(c.Rows, func(r score.Row) bool { return r.Metric == metric })
	if i < 0 {
		t.Fatalf("no row for %s", metric)
	}
	return c.Rows[i]
}

// Two corpora from one process: nothing may be called better or worse.
func TestCompareSameProcessInBulk(t *testing.T) {
	alarms := 0
	for seed := range uint64(16) {
		c := compare(t, draws(t, 2*seed, 400, 1, 0), draws(t, 2*seed+1, 400, 1, 0), score.CompareOptions{})
		for _, r := range c.Rows {
			if r.Verdict == score.Better || r.Verdict == score.Worse {
				alarms++
				break
			}
		}
	}
	// Less than one false alarm is what the level allows on average; 4 or more
	// have a chance of 0.7 %.
	if alarms > 3 {
		t.Errorf("%d of 16 comparisons of the same process show a difference", alarms)
	}
	c := compare(t, draws(t, 100, 2000, 1, 0), draws(t, 101, 2000, 1, 0), score.CompareOptions{})
	if r := row(t, c, score.ApplyRate); r.Verdict != score.NoDifference {
		t.Errorf("2000 pairs of the same process: %s (%.4f → %.4f, p %.3f)", r.Verdict, r.Base, r.New, r.P)
	}
}

// A planted difference of 5 points is found with 2000 pairs, and with 50 the
// answer is that they are too few, and how many it takes.
func TestComparePlantedInBulk(t *testing.T) {
	scored := func(seed uint64, cases int, shift float64) *score.Result {
		return run(t, score.Options{EveryCase: true}, draws(t, seed, cases, 1, shift))
	}
	for seed := range uint64(3) {
		base, now := scored(3*seed, 2000, 0), scored(3*seed+1, 2000, 0.05)
		for _, test := range []struct {
			base, now *score.Result
			want      score.Verdict
		}{{base, now, score.Better}, {now, base, score.Worse}} {
			c, err := score.Compare(test.base, test.now, score.CompareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r := row(t, c, score.ApplyRate)
			if r.Verdict != test.want || r.Test != "McNemar" || r.Pairs != 2000 || len(r.Flipped) == 0 {
				t.Errorf("seed %d: %s by %s over %d pairs (%+.4f, p %.4f)", seed, r.Verdict, r.Test, r.Pairs, r.Difference,
					r.Corrected)
			}
		}
	}
	r := row(t, compare(t, draws(t, 7, 50, 1, 0), draws(t, 8, 50, 1, 0.05), score.CompareOptions{}), score.ApplyRate)
	if r.Verdict != score.TooFew || r.More() < 300 || r.More() > 3000 {
		t.Errorf("50 pairs: %s, %d more", r.Verdict, r.More())
	}
	t.Logf("50 pairs: %s, %d more", r.Verdict, r.More())
}

// What the pairs at hand would show and what a difference takes are one
// question asked from two sides.
func TestCompareDetectableInBulk(t *testing.T) {
	for _, samples := range []int{1, 5} { // McNemar, bounded mean
		base, now := draws(t, 7, 300, samples, 0), draws(t, 10, 300, samples, 0)
		o := score.CompareOptions{Metrics: []string{score.ApplyRate}}
		r := row(t, compare(t, base, now, o), score.ApplyRate)
		o.Detect = r.Detectable
		if again := row(t, compare(t, base, now, o), score.ApplyRate); again.Needed < 298 || again.Needed > 302 {
			t.Errorf("%s: %v is detectable with 300 pairs, and takes %d", r.Test, r.Detectable, again.Needed)
		}
	}
}

// So many pairs as Needed says find the difference in about four of five
// attempts.
func TestCompareNeededIsEnoughInBulk(t *testing.T) {
	needed := row(t, compare(t, draws(t, 7, 300, 1, 0), draws(t, 8, 300, 1, 0.08), score.CompareOptions{Detect: 0.08}),
		score.ApplyRate).Needed
	found := 0
	const attempts = 20
	for seed := range uint64(attempts) {
		c := compare(t, draws(t, 50+2*seed, needed, 1, 0), draws(t, 51+2*seed, needed, 1, 0.08),
			score.CompareOptions{Metrics: []string{score.ApplyRate}})
		if c.Rows[0].Verdict == score.Better {
			found++
		}
	}
	if found < attempts*6/10 {
		t.Errorf("%d pairs find the difference in %d of %d attempts", needed, found, attempts)
	}
}

// Several samples of a case count as one pair, and the test is another one.
func TestCompareSamplesInBulk(t *testing.T) {
	c := compare(t, draws(t, 1, 300, 5, 0), draws(t, 2, 300, 5, 0.15), score.CompareOptions{})
	r := row(t, c, score.ApplyRate)
	if r.Test != "bounded mean" || r.Pairs != 300 || r.Verdict != score.Better {
		t.Errorf("%s over %d pairs: %s", r.Test, r.Pairs, r.Verdict)
	}
	again := row(t, compare(t, draws(t, 1, 300, 5, 0), draws(t, 2, 300, 5, 0.15), score.CompareOptions{}), score.ApplyRate)
	if diff := cmp.Diff(r, again, cmpopts.IgnoreUnexported(score.Row{})); diff != "" {
		t.Errorf("the same question gets another answer:\n%s", diff)
	}
	repeated := row(t, compare(t, draws(t, 1, 300, 5, 0), draws(t, 2, 300, 5, 0.15),
		score.CompareOptions{Repeat: score.Repeat{K: 3, N: 5}}), score.ApplyRate)
	if repeated.Test != "McNemar" || repeated.Verdict != score.Better {
		t.Errorf("3 of 5: %s: %s", repeated.Test, repeated.Verdict)
	}
}

func TestCompareByHand(t *testing.T) {
	base := source(t, record("1", good), record("2", good), record("3", unknown), record("only-base", good))
	now := source(t, record("1", unknown), record("2", good), record("3", good), record("only-new", good),
		record("only-new-2", good))
	r := row(t, compare(t, base, now, score.CompareOptions{}), score.ApplyRate)
	want := score.Row{
		Key: []string{}, Metric: score.ApplyRate, Pairs: 3, Unpaired: 3, Base: 2. / 3, New: 2. / 3,
		Test: "McNemar", P: 1, Corrected: 1, Verdict: score.TooFew, Worsened: 1, Improved: 1, Flipped: []string{"1"},
		Risen: []string{"3"},
	}
	if diff := cmp.Diff(want, r, cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(score.Row{}, "Low", "High", "RulesOutLow", "RulesOutHigh",
		"Needed", "Detectable"), cmpopts.IgnoreUnexported(score.Row{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if r.Detectable != 1 {
		t.Errorf("three pairs would show %v, want nothing less than all of them", r.Detectable)
	}
	if r.Low >= -0.5 || r.High <= 0.5 {
		t.Errorf("interval %v to %v of three pairs", r.Low, r.High)
	}
}

// TestCompareIntervals: an interval claims no more than the pairs can say, and a
// difference of shares lies within −1 and 1.
func TestCompareIntervals(t *testing.T) {
	side := func(cases int, replies ...string) corpora.Source {
		var items []any
		for i := range cases {
			for k, reply := range replies {
				items = append(items, record(fmt.Sprintf("%d/%d", i, k), reply, func(r *corpora.Record) {
					r.Case, r.Sample, r.Intent, r.Usage = fmt.Sprint(i), k, nil,
						&corpora.Usage{PromptTokens: 9, CompletionTokens: len(reply)}
				}))
			}
		}
		return source(t, items...)
	}
	tests := []struct {
		name      string
		base, now corpora.Source
		low, high float64 // the interval is at least as wide
	}{
		{"nothing changed in 5 pairs", side(5, good), side(5, good), -0.35, 0.35},
		{"nothing changed in 5 cases of 2 replies", side(5, good, unknown), side(5, good, unknown), -0.35, 0.35},
		{"one pair", side(1, unknown), side(1, good), -0.2, 1},
		{"one case of 2 replies", side(1, unknown, good), side(1, good, good), -0.95, 0.95},
		{"all changed in 4 pairs", side(4, unknown), side(4, good), 0.2, 1},
	}
	for _, tt := range tests {
		c := compare(t, tt.base, tt.now, score.CompareOptions{})
		r := row(t, c, score.ApplyRate)
		if r.Low > tt.low || r.High < tt.high || r.Low < -1 || r.High > 1 || r.Verdict != score.TooFew {
			t.Errorf("%s: [%.3f, %.3f], %s; want at least [%.2f, %.2f] within ±1, too few", tt.name, r.Low, r.High, r.Verdict,
				tt.low, tt.high)
		}
		if r := row(t, c, "reply_tokens"); r.Verdict != score.TooFew || r.Needed < 6 {
			t.Errorf("%s: reply tokens are said to show %q, and %d pairs to do", tt.name, r.Verdict, r.Needed)
		}
	}
}

// TestPassesOfEqualCases: that all replies to a few cases apply does not show that
// all replies to any case would.
func TestPassesOfEqualCases(t *testing.T) {
	var items []any
	for i := range 12 {
		items = append(items, record(fmt.Sprint(i), good, func(r *corpora.Record) {
			r.Case, r.Sample = fmt.Sprint(i/3),
				i%3
		}))
	}
	passes := run(t, score.Options{}, source(t, items...)).Groups[0].Passes
	if len(passes) != 3 {
		t.Fatalf("%d estimates, want those for 1, 2 and 3 replies", len(passes))
	}
	for _, p := range passes {
		if p.All.Value != 1 || p.All.High != 1 || p.All.Low > 0.6 || p.Any != p.All {
			t.Errorf("of 4 cases: pass^%d %v, pass@%d %v", p.K, p.All, p.K, p.Any)
		}
	}
}

// TestCorrectTogether: comparisons that are made together share their
// correction.
func TestCorrectTogether(t *testing.T) {
	a := compare(t, draws(t, 1, 200, 1, 0), draws(t, 2, 200, 1, 0.1), score.CompareOptions{})
	b := compare(t, draws(t, 1, 200, 1, 0), draws(t, 4, 200, 1, 0.02), score.CompareOptions{})
	questions, alone := a.Questions+b.Questions, row(t, a, score.ApplyRate)
	score.Correct(a, b)
	if a.Questions != questions || b.Questions != questions {
		t.Errorf("corrected for %d and %d questions, want %d", a.Questions, b.Questions, questions)
	}
	together := row(t, a, score.ApplyRate)
	if together.Corrected <= alone.Corrected || together.P != alone.P {
		t.Errorf("p %v was corrected to %v alone, and to %v together", alone.P, alone.Corrected, together.Corrected)
	}
}

func TestCompareRefuses(t *testing.T) {
	c := source(t, record("1", good))
	by := run(t, score.Options{By: []string{"model"}}, c)
	if _, err := score.Compare(run(t, score.Options{}, c), by, score.CompareOptions{}); err == nil {
		t.Error("results that are grouped differently were compared")
	}
	if _, err := score.Compare(by, by, score.CompareOptions{Metrics: []string{"beauty"}}); err == nil {
		t.Error("an unknown metric was taken")
	}
	mixed := run(t, score.Options{By: []string{"model"}}, c,
		source(t, record("2", good, func(r *corpora.Record) { r.Source = corpora.Documented })))
	if r, err := score.Compare(mixed, by, score.CompareOptions{}); err != nil || len(r.Rows) == 0 ||
		len(r.Unmatched) != 1 {
		t.Errorf("two sources before and one of them now: %+v, %v", r, err)
	}
	other := run(t, score.Options{By: []string{"model"}},
		source(t, record("1", good, func(r *corpora.Record) { r.Model = "n" })))
	r, err := score.Compare(by, other, score.CompareOptions{})
	if err != nil || len(r.Rows) != 0 || len(r.Unmatched) != 2 {
		t.Errorf("groups of one side alone: %+v, %v", r, err)
	}
}

func TestThresholds(t *testing.T) {
	for _, s := range []string{
		"", "parse_rate", "parse_rate > 0.9", "parse_rate >= much", "beauty >= 1", "parse_rate.middle >= 0.9",
		"parse_rate >= 95", "danger_rate <= 5", "parse_rate >= NaN", "danger_rate <= -0.1", "parse_rate >= 0.9 where model",
		"parse_rate >= 0.9 where colour=red",
	} {
		if _, err := score.ParseThreshold(s); err == nil {
			t.Errorf("ParseThreshold(%q) gave no error", s)
		}
	}
	for _, s := range []string{
		"parse_rate >= 0.95", "apply_rate.low >= 0.7 where mode=free,model=m",
		"danger_rate <= 0.01", "reply_tokens <= 80",
	} {
		threshold, err := score.ParseThreshold(s)
		if err != nil || threshold.String() != s {
			t.Errorf("ParseThreshold(%q) = %q, %v", s, threshold, err)
		}
	}
}

func TestGate(t *testing.T) {
	// 8 of 10 applied, 9 of 10 read: the lower ends are 0.467, 0.581.
	items := []any{record("prose", prose), record("unknown", unknown)}
	for i := range 8 {
		items = append(items, record(fmt.Sprint(i), good))
	}
	r := run(t, score.Options{By: []string{"model"}}, source(t, items...))
	tests := []struct {
		threshold string
		breach    string // part of the message; "" for none
	}{
		{"parse_rate >= 0.9", ""},
		{"parse_rate >= 0.91", "0.9000 (9 of 10, 95 % interval 0.5812 to 0.9961)"},
		{"parse_rate.low >= 0.58", ""},
		{"parse_rate.low >= 0.59", "9 of 10"},
		{"apply_rate >= 0.8 where model=m", ""},
		{"danger_rate <= 0", ""},
		{"danger_rate.high <= 0.1", "0 of 10"},
		{"overflow_rate <= 0.1", "there is no data"},
		{"apply_rate >= 0.1 where model=another", "no group matches"},
	}
	for _, test := range tests {
		threshold, err := score.ParseThreshold(test.threshold)
		if err != nil {
			t.Fatal(err)
		}
		breaches, err := score.Gate{Thresholds: []score.Threshold{threshold}}.Check(r)
		if err != nil {
			t.Errorf("%s: %v", test.threshold, err)
			continue
		}
		got := ""
		if len(breaches) > 0 {
			got = breaches[0].Message
		}
		if (got == "") != (test.breach == "") || !strings.Contains(got, test.breach) {
			t.Errorf("%s: %q, want %q", test.threshold, got, test.breach)
		}
	}
	other, err := score.ParseThreshold("apply_rate >= 0.1 where mode=free")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (score.Gate{Thresholds: []score.Threshold{other}}).Check(r); err == nil {
		t.Error("a threshold over a key that groups are not made by was taken")
	}
}

// A case with 2 good samples of 3 passes under 2 of 3 and fails under 3 of 3;
// one with two samples is not judged.
// TestGateOnOneCase: the mean over one case may be held against a bound, and an
// interval, which it has not, may not.
func TestGateOnOneCase(t *testing.T) {
	r := run(t, score.Options{}, source(t, record("only", good, func(r *corpora.Record) {
		r.Usage = &corpora.Usage{PromptTokens: 50, CompletionTokens: 20}
	})))
	for text, want := range map[string]string{
		"reply_tokens <= 30":      "",
		"reply_tokens.high <= 30": "a single case gives no interval",
	} {
		threshold, err := score.ParseThreshold(text)
		if err != nil {
			t.Fatal(err)
		}
		breaches, err := score.Gate{Thresholds: []score.Threshold{threshold}}.Check(r)
		if err != nil || (len(breaches) > 0) != (want != "") || len(breaches) > 0 && breaches[0].Message != want {
			t.Errorf("%s: %v, %v, want %q", text, breaches, err, want)
		}
	}
}

func TestGateRepeatInBulk(t *testing.T) {
	sample := func(name string, k int, reply string) corpora.Record {
		return record(fmt.Sprint(name, k), reply, func(r *corpora.Record) { r.Case, r.Sample = name, k })
	}
	r := run(t, score.Options{}, source(
		t, sample("a", 0, good), sample("a", 1, unknown), sample("a", 2, good),
		sample("b", 0, good), sample("b", 1, good), sample("b", 2, good),
		sample("c", 0, unknown), sample("c", 1, unknown),
	))
	threshold, err := score.ParseThreshold("apply_rate >= 1")
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[string]string{
		"2 of 3": "",
		"3 of 3": "0.5000 (1 of 2, 95 % interval 0.0193 to 0.9807); 1 cases have too few samples",
		"4 of 4": "there is no data; 3 cases have too few samples",
	} {
		repeat, err := score.ParseRepeat(rule)
		if err != nil {
			t.Fatal(err)
		}
		breaches, err := score.Gate{Thresholds: []score.Threshold{threshold}, Repeat: repeat}.Check(r)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if len(breaches) > 0 {
			got = breaches[0].Message
		}
		if got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
	for _, s := range []string{"", "2", "2 of", "0 of 3", "4 of 3", "2 of 3 or so", "two of three"} {
		if _, err := score.ParseRepeat(s); err == nil {
			t.Errorf("ParseRepeat(%q) gave no error", s)
		}
	}
}

func TestGateBaseline(t *testing.T) {
	base := run(t, score.Options{}, draws(t, 1, 800, 1, 0.1))
	worse := run(t, score.Options{}, draws(t, 2, 800, 1, -0.1))
	breaches, err := score.Gate{Baseline: base}.Check(worse)
	if err != nil || len(breaches) == 0 || len(breaches[0].Cases) == 0 {
		t.Errorf("20 points less over 800 cases: %v, %v", breaches, err)
	}
	if breaches, err := (score.Gate{Baseline: base}).Check(base); err != nil || len(breaches) > 0 {
		t.Errorf("against itself: %v, %v", breaches, err)
	}
	other := run(t, score.Options{}, source(t, record("a case of its own", good)))
	if breaches, err := (score.Gate{Baseline: base, AllowMissing: true}).Check(other); err != nil || len(breaches) != 1 {
		t.Errorf("a baseline without a case in common: %v, %v; want a breach", breaches, err)
	}
}

// TestGateCoverage: what stands in the baseline or in the result alone is a
// breach that names it, unless it is allowed.
func TestGateCoverage(t *testing.T) {
	cases := func(model string, from, to int, reply string) []any {
		var items []any
		for i := from; i < to; i++ {
			items = append(items, record(fmt.Sprint(model, i), reply, func(r *corpora.Record) {
				r.Model, r.Case = model, fmt.Sprint("case-", i)
			}))
		}
		return items
	}
	by := score.Options{By: []string{"model"}}
	base := run(t, by, source(t, append(cases("a", 0, 40, good), cases("b", 0, 40, good)...)...))
	unsound := append(cases("a", 1, 40, good), record("a0", good, func(r *corpora.Record) {
		r.Model, r.Case, r.Plan = "a", "case-0", []byte(`{"title":"t","steps":[]}`)
	}))
	tests := []struct {
		name string
		now  []any
		want []string // parts of the messages, by breach
	}{
		{"the same", append(cases("a", 0, 40, good), cases("b", 0, 40, good)...), nil},
		{"a group vanishes", cases("a", 0, 40, good), []string{"b: the group is missing, with its 40 cases"}},
		{
			"a bad group comes", slices.Concat(cases("a", 0, 40, good), cases("b", 0, 40, good), cases("c", 0, 5, unknown)),
			[]string{"c: the group is new, with its 5 cases"},
		},
		{
			"most cases are gone", append(cases("a", 0, 3, good), cases("b", 0, 40, good)...),
			[]string{"a: 37 of 40 cases are missing: case-10, case-11"},
		},
		{
			"a case is new", append(cases("a", 0, 41, good), cases("b", 0, 40, good)...),
			[]string{"a: 1 of 41 cases are new: case-40"},
		},
		{"a case is judged no more", append(unsound, cases("b", 0, 40, good)...), []string{
			"a: parse_rate has no value in", "a: apply_rate has no value in 1 cases where the baseline has one: case-0",
			"a: apply_rate_after_retry has",
			"a: danger_rate has", "a: loss_rate has", "a: intent_rate has",
		}},
	}
	for _, tt := range tests {
		now := run(t, by, source(t, tt.now...))
		breaches, err := score.Gate{Baseline: base}.Check(now)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range breaches {
			got = append(got, strings.Join(b.Group, ", ")+": "+b.Message)
		}
		found := len(got) == len(tt.want)
		for _, w := range tt.want {
			found = found && slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, w) })
		}
		if !found {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if breaches, err := (score.Gate{Baseline: base, AllowMissing: true}).Check(now); err != nil || len(breaches) > 0 {
			t.Errorf("%s, which is allowed: %v, %v", tt.name, breaches, err)
		}
	}
}

// counted makes a result of one group in which so many of each case's replies
// could be applied.
func counted(samples int, applied []int) *score.Result {
	g := score.Group{Key: []string{}}
	for i, k := range applied {
		g.ByCase = append(g.ByCase, score.CaseCounts{
			Case:   fmt.Sprintf("case-%03d", i),
			Counts: []score.Count{{Yes: k, Asked: samples}},
		})
	}
	return &score.Result{By: []string{}, Metrics: []string{score.ApplyRate}, Groups: []score.Group{g}}
}

// TestCompareUnequalSamplesInBulk: one reply to a case before and ten now, of the same
// process, differ in no more than 5.5 % of all comparisons; and a baseline that
// chance made perfect breaks no gate.
func TestCompareUnequalSamplesInBulk(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 10))
	drawn := func(n, cases int) []int {
		list := make([]int, cases)
		for i := range list {
			for range n {
				if rng.Float64() < 0.95 {
					list[i]++
				}
			}
		}
		return list
	}
	const attempts = 200
	for _, cases := range []int{10, 20, 100} {
		wrong := 0
		for i := range attempts {
			base, now := counted(1, drawn(1, cases)), counted(10, drawn(10, cases))
			c, err := score.Compare(base, now, score.CompareOptions{})
			if err != nil {
				t.Fatal(err)
			}
			verdict := c.Rows[0].Verdict
			if verdict == score.Better || verdict == score.Worse {
				wrong++
			}
			if i%10 > 0 {
				continue
			}
			breaches, err := score.Gate{Baseline: base}.Check(now)
			if err != nil {
				t.Fatal(err)
			}
			if (verdict == score.Worse) != (len(breaches) > 0) {
				t.Errorf("%s, and the gate says %v", verdict, breaches)
			}
		}
		if wrong > attempts*55/1000 {
			t.Errorf("%d cases: %d of %d comparisons of the same process show a difference", cases, wrong, attempts)
		}
	}
}

// TestNoDifferenceRulesInterestOutInBulk: where there is a difference of just the size
// that is of interest, it is ruled out in no more than 5 % of all comparisons.
func TestNoDifferenceRulesInterestOutInBulk(t *testing.T) {
	const attempts = 400
	for _, tt := range []struct{ cases, samples int }{{150, 1}, {400, 1}, {100, 5}} {
		rng := rand.New(rand.NewPCG(5, uint64(tt.cases)))
		ruledOut, found := 0, 0
		for range attempts {
			var base, now []int
			for range tt.cases {
				ease := 0.5 + 0.4*rng.Float64()
				draw := func(chance float64) (k int) {
					for range tt.samples {
						if rng.Float64() < chance {
							k++
						}
					}
					return k
				}
				base, now = append(base, draw(ease)), append(now, draw(ease+0.1))
			}
			c, err := score.Compare(counted(tt.samples, base), counted(tt.samples, now), score.CompareOptions{Detect: 0.1})
			if err != nil {
				t.Fatal(err)
			}
			switch c.Rows[0].Verdict {
			case score.NoDifference:
				ruledOut++
			case score.Better:
				found++
			}
		}
		t.Logf("%d cases of %d: found in %d and ruled out in %d of %d", tt.cases, tt.samples, found, ruledOut, attempts)
		if ruledOut > attempts*7/100 {
			t.Errorf("%d cases of %d: a difference of interest was ruled out in %d of %d comparisons", tt.cases, tt.samples,
				ruledOut, attempts)
		}
	}
}

// TestPlanKnowsTheQuestionsInBulk: what is told as needed and detectable is for the
// level that the correction leaves.
func TestPlanKnowsTheQuestionsInBulk(t *testing.T) {
	base, now := draws(t, 1, 300, 1, 0), draws(t, 2, 300, 1, 0.1)
	one := row(t, compare(t, base, now, score.CompareOptions{Metrics: []string{score.ApplyRate}}), score.ApplyRate)
	strict := row(t, compare(t, base, now, score.CompareOptions{Metrics: []string{score.ApplyRate}, Alpha: 0.001}),
		score.ApplyRate)
	a := compare(t, base, now, score.CompareOptions{Metrics: []string{score.ApplyRate}})
	list := []*score.Comparison{a}
	for i := range uint64(7) {
		list = append(list, compare(t, base, draws(t, 3+i, 300, 1, 0.1),
			score.CompareOptions{Metrics: []string{score.ApplyRate}}))
	}
	score.Correct(list...)
	among := row(t, a, score.ApplyRate)
	if among.Needed <= one.Needed || strict.Needed <= among.Needed || among.Detectable <= one.Detectable ||
		strict.Detectable <= among.Detectable {
		t.Errorf("needed %d alone, %d among eight, %d at 0.1 %%; detectable %.3f, %.3f, %.3f",
			one.Needed, among.Needed, strict.Needed, one.Detectable, among.Detectable, strict.Detectable)
	}
}

// TestEqualRowsHaveEqualAdvice: a row that repeats an earlier one repeats its verdict and the
// number of cases that it needs.
func TestEqualRowsHaveEqualAdvice(t *testing.T) {
	side := func(bad int) corpora.Source {
		var items []any
		for i := range 24 {
			reply := good
			if i < bad {
				reply = unknown
			}
			items = append(items, record(fmt.Sprint(i), reply, func(r *corpora.Record) { r.Case = fmt.Sprint(i) }))
		}
		return source(t, items...)
	}
	for _, bad := range []int{1, 3, 9, 20} {
		c := compare(t, side(0), side(bad), score.CompareOptions{Metrics: []string{score.ApplyRate, "apply_rate_after_retry"}})
		one, two := row(t, c, score.ApplyRate), row(t, c, "apply_rate_after_retry")
		if one.Verdict != two.Verdict || one.Needed != two.Needed || one.Detectable != two.Detectable {
			t.Errorf("%d: %s, needs %d, detects %v; and %s, needs %d, detects %v", bad, one.Verdict, one.Needed, one.Detectable,
				two.Verdict, two.Needed, two.Detectable)
		}
	}
}
