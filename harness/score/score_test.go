package score_test

import (
	"bytes"
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

const plan = `{"title":"t","steps":[{"id":"a","description":"A","status":"done"},{"id":"b","description":"B","dependencies":["a"],"status":"failed"},{"id":"c","description":"C","dependencies":["b"]}]}`

// Replies to the plan above.
const (
	good     = `{"type":"PlanPatch","update_steps":[{"id":"b","description":"B again"}]}`
	fenced   = "Here it is:\n```json\n" + good + "\n```"
	comma    = `{"type":"PlanPatch","update_steps":[{"id":"b","description":"B again"},]}`
	beside   = `{"type":"PlanPatch","update_steps":[{"id":"c","description":"C again"}]}`
	unknown  = `{"type":"PlanPatch","update_steps":[{"id":"x","description":"X"}]}`
	touching = `{"type":"PlanPatch","remove_steps":["a"]}`
	whole    = `{"type":"FullPlan","title":"t","steps":[{"id":"b2","description":"B another way"}]}`
	prose    = `I cannot do that.`
	cut      = `{"type":"PlanPatch","update_steps":[{"id":"b","description":"B again"}],"reason":"because`
)

// record makes a record; change it as the case needs.
func record(id, reply string, change ...func(*corpora.Record)) corpora.Record {
	r := corpora.Record{
		V: 1, ID: id, Dialect: "planpatch", Case: id, Plan: []byte(plan), Model: "m", Attempt: 1,
		Reply: harness.Reply(reply), FinishReason: "stop", Source: corpora.Recorded,
		Intent: &corpora.Intent{FailedStep: "b"},
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func retryOf(id string) func(*corpora.Record) {
	return func(r *corpora.Record) { r.RetryOf, r.Attempt = id, 2 }
}

// source makes a corpus of records, and of lines as they are.
func source(t testing.TB, items ...any) corpora.Source {
	t.Helper()
	var text []byte
	for _, item := range items {
		switch x := item.(type) {
		case string:
			text = append(text, x+"\n"...)
		case corpora.Record:
			line, err := x.Append(text)
			if err != nil {
				t.Fatal(err)
			}
			text = line
		}
	}
	return corpora.Source{Name: "c", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)),
			nil
	}}
}

func run(t testing.TB, o score.Options, sources ...corpora.Source) *score.Result {
	t.Helper()
	r, err := score.Run(t.Context(), sources, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// words counts words, so that token counts are easy to see.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) }

func TestJudge(t *testing.T) {
	byID, _ := harness.Named(harness.ProfileDocumented)
	react := harness.Reference()
	react.Ladder = []harness.Rung{harness.RungPatch, harness.RungRetry, harness.RungReact}
	lenient, _ := harness.Named(harness.ProfileLenient)
	tests := []struct {
		name    string
		record  corpora.Record
		retries []harness.Reply
		profile harness.Profile
		want    score.Score
	}{
		{
			"applied", record("r", good), nil, harness.Reference(),
			score.Score{Tier: "strict", Verdict: "applied", Rung: "patch", Intent: score.Met},
		},
		{
			"extracted", record("r", fenced), nil, harness.Reference(),
			score.Score{Tier: "extracted", Verdict: "applied", Rung: "patch", Intent: score.Met},
		},
		{
			"repaired", record("r", comma), nil, lenient,
			score.Score{Tier: "repaired", Verdict: "applied", Rung: "patch", Intent: score.Met},
		},
		{
			"beside the point", record("r", beside), nil, harness.Reference(),
			score.Score{Tier: "strict", Verdict: "applied", Rung: "patch", Intent: score.Missed},
		},
		{
			"refused", record("r", unknown), nil, harness.Reference(),
			score.Score{Tier: "strict", Verdict: "rejected", Code: harness.UnknownStep},
		},
		{
			"refused, then a retry", record("r", unknown),
			[]harness.Reply{good},
			harness.Reference(),
			score.Score{Tier: "strict", Verdict: "rejected", Code: harness.UnknownStep, Rung: "retry", Retries: 1},
		},
		{
			"unreadable, then readable and refused", record("r", prose),
			[]harness.Reply{unknown},
			harness.Reference(),
			score.Score{Tier: "none", Verdict: "rejected", Code: harness.NoDocument, Retries: 1, Reread: true},
		},
		{
			"a whole plan", record("r", whole), nil, harness.Reference(),
			score.Score{
				Tier: "strict", Verdict: "applied", Rung: "fullplan", Intent: score.Met, Danger: true,
				Dangers: removalOfA(),
			},
		},
		{
			"a whole plan that loses finished work", record("r", whole), nil, byID,
			score.Score{
				Tier: "strict", Verdict: "applied", Rung: "fullplan", Intent: score.Met, Danger: true,
				Dangers: removalOfA(), Lost: true,
			},
		},
		{
			"finished work touched", record("r", touching), nil, harness.Reference(),
			score.Score{Tier: "strict", Verdict: "rejected", Code: harness.DoneImmutable, Danger: true, Dangers: removalOfA()},
		},
		{
			"planning given up", record("r", unknown), nil, react,
			score.Score{Tier: "strict", Verdict: "rejected", Code: harness.UnknownStep, Rung: "react"},
		},
		{
			"cut off", record("r", cut, func(r *corpora.Record) { r.FinishReason = "length" }), nil, harness.Reference(),
			score.Score{Tier: "none", Verdict: "rejected", Code: harness.NoDocument, CutOff: true},
		},
		{
			"no plan", record("r", good, func(r *corpora.Record) { r.Plan = nil }), nil, harness.Reference(),
			score.Score{Tier: "strict", Unscored: score.NoPlan},
		},
		{
			"no plan, unreadable", record("r", prose, func(r *corpora.Record) { r.Plan = nil }), nil, harness.Reference(),
			score.Score{Tier: "none", Unscored: score.NoPlan},
		},
		{
			"unsound plan", record("r", good, func(r *corpora.Record) { r.Plan = []byte(`{"title":"t","steps":[]}`) }), nil,
			harness.Reference(),
			score.Score{Unscored: score.BadPlan},
		},
		{
			"unknown dialect", record("r", good, func(r *corpora.Record) { r.Dialect = "other" }), nil, harness.Reference(),
			score.Score{Unscored: score.NoRules},
		},
		{
			"the plan that was wanted", record("r", beside, func(r *corpora.Record) {
				r.Intent = &corpora.Intent{Plan: []byte(strings.Replace(plan, `"C"`, `"C again"`, 1))}
			}), nil, harness.Reference(),
			score.Score{Tier: "strict", Verdict: "applied", Rung: "patch", Intent: score.Met},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := score.Judge(&test.record, test.retries, test.profile, nil)
			want := test.want
			want.ID, want.Case, want.Prompt, want.Reply, want.Ladder, want.Largest, want.Message = "r", "r", -1, -1, -1, -1,
				got.Message
			if diff := cmp.Diff(want, got, cmp.FilterPath(unexported, cmp.Ignore())); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func removalOfA() []harness.Danger { return []harness.Danger{{Kind: "removal", Step: "a"}} }

func unexported(p cmp.Path) bool {
	f, ok := p.Last().(cmp.StructField)
	return ok && strings.ToLower(f.Name()[:1]) == f.Name()[:1]
}

func TestTokens(t *testing.T) {
	reported := record("r", fenced, func(r *corpora.Record) {
		r.Usage = &corpora.Usage{
			PromptTokens:     7,
			CompletionTokens: 9,
		}
	})
	s := score.Judge(&reported, nil, harness.Reference(), words{})
	// The reply has 7 words. The plan that comes out has none but those of the
	// changed description, which stand together: 2.
	if s.Prompt != 7 || s.Reply != 9 || s.Patch != 7 || s.Whole != 2 {
		t.Errorf("prompt %d, reply %d, patch %d, plan %d", s.Prompt, s.Reply, s.Patch, s.Whole)
	}
	other := record("r2", fenced, func(r *corpora.Record) { r.Case = "other" })
	result := run(t, score.Options{Counter: words{}}, source(t, reported, other))
	want := score.Rate{Name: score.Saving, Yes: -10, N: 4, Cases: 2, Value: -2.5, Low: -2.5, High: -2.5}
	if got, _ := result.Groups[0].Mean(score.Saving); got != want {
		t.Errorf("saving %+v, want %+v", got, want)
	}
	counted := record("r", fenced)
	if s := score.Judge(&counted, nil, harness.Reference(), words{}); s.Prompt != -1 || s.Reply != 7 {
		t.Errorf("counted: prompt %d, reply %d, want -1, 7", s.Prompt, s.Reply)
	}
}

func rates(g score.Group) map[string]string {
	m := map[string]string{}
	for _, r := range g.Rates {
		m[r.Name] = fmt.Sprintf("%d/%d", r.Yes, r.N)
	}
	return m
}

// Nothing that was in the files may be missing from the counts.
func TestRunCountsEverything(t *testing.T) {
	noPlan := record("no-plan", fenced, func(r *corpora.Record) { r.Plan = nil })
	c := source(
		t, record("good", good), record("fenced", fenced), "{damaged",
		record("fails", unknown), record("fails/retry", good, retryOf("fails")),
		record("prose", prose), record("prose/retry", prose, retryOf("prose")),
		record("prose/retry/2", good, retryOf("prose/retry")),
		noPlan, record("alone", good, retryOf("nobody")), `{"v":1}`,
	)
	r := run(t, score.Options{Counter: words{}}, c)
	if r.Records != 9 || r.Retries != 4 || r.Bad != 2 || len(r.Groups) != 1 {
		t.Fatalf("%d records, %d retries, %d bad, %d groups; want 9, 4, 2, 1", r.Records, r.Retries, r.Bad, len(r.Groups))
	}
	wantProblems := []string{
		`c:3:2: not JSON: invalid character 'd' at start of string (expecting '"') at /`,
		`c:11: "reply" is missing (the model's raw text; "" where it said nothing)`,
	}
	if len(r.Problems) != 2 || r.Problems[1] != wantProblems[1] || !strings.HasPrefix(r.Problems[0], "c:3:2: not JSON") {
		t.Errorf("problems %q", r.Problems)
	}
	g := r.Groups[0]
	if g.Requests != 6 {
		t.Errorf("%d requests, want 6: five first attempts and the retry of nobody", g.Requests)
	}
	if diff := cmp.Diff(map[string]int{score.NoPlan: 1, score.LostRetry: 1}, g.Unscored); diff != "" {
		t.Errorf("unscored (-want +got):\n%s", diff)
	}
	want := map[string]string{
		"parse_rate": "4/5", "parse_rate_after_retry": "5/5", "strict_rate": "2/5", "extracted_rate": "2/5",
		"repaired_rate": "0/5", "coerced_rate": "0/5", "apply_rate": "2/4", "apply_rate_after_retry": "3/4",
		"fallback_rate": "2/4", "danger_rate": "0/4", "loss_rate": "0/4", "conflict_rate": "0/4", "cut_off_rate": "0/5",
		"intent_rate": "2/4", "metadata_only_rate": "0/4", "overflow_rate": "0/0",
		"retry_rate": "1/4", "fullplan_rate": "0/4", "react_rate": "0/4", "failed_rate": "1/4",
	}
	if diff := cmp.Diff(want, rates(g)); diff != "" {
		t.Errorf("rates (-want +got):\n%s", diff)
	}
	wantRungs := []score.Rung{{"patch", 2}, {"retry", 1}, {"fullplan", 0}, {"react", 0}, {"failed", 1}}
	if diff := cmp.Diff(wantRungs, g.Rungs); diff != "" {
		t.Errorf("rungs (-want +got):\n%s", diff)
	}
	if n := g.Tokens.Reply.N; n != 9 {
		t.Errorf("tokens of %d replies, want all 9", n)
	}
}

// If attempts are kept apart, every reply is a request of its own.
func TestRunByAttempt(t *testing.T) {
	c := source(t, record("fails", unknown), record("fails/retry", good, retryOf("fails")))
	r := run(t, score.Options{By: []string{"attempt"}}, c)
	if len(r.Groups) != 2 || rates(r.Groups[0])["apply_rate"] != "0/1" || rates(r.Groups[1])["apply_rate"] != "1/1" {
		t.Errorf("groups %+v", r.Groups)
	}
}

func TestRunNeverMixesSources(t *testing.T) {
	made := record("made", prose, func(r *corpora.Record) { r.Source = corpora.Synthetic })
	r := run(t, score.Options{}, source(t, record("real", good), made))
	if diff := cmp.Diff([]string{"source"}, r.By); diff != "" {
		t.Errorf("groups are not made by source (-want +got):\n%s", diff)
	}
	if len(r.Groups) != 2 || r.Groups[0].Requests != 1 || r.Groups[1].Requests != 1 {
		t.Errorf("%d groups, want recorded and synthetic apart", len(r.Groups))
	}
	if r := run(t, score.Options{}, source(t, record("real", good))); len(r.By) != 0 || len(r.Groups[0].Key) != 0 {
		t.Errorf("with one source alone: by %v, key %v, want neither", r.By, r.Groups[0].Key)
	}
}

func TestRunGroups(t *testing.T) {
	with := func(id, model, params string, tags ...string) corpora.Record {
		return record(id, good, func(r *corpora.Record) { r.Model, r.Params, r.Tags = model, []byte(params), tags })
	}
	c := source(
		t, with("1", "b", `{"temperature":1}`), with("2", "a", `{"temperature":0.7}`, "lang:en"),
		with("3", "a", `{"temperature":10}`), with("4", "a", `{"response_format":"json_object"}`),
	)
	tests := []struct {
		by   string
		want []string
	}{
		{"model", []string{"a", "b"}},
		{"temperature", []string{"", "0.7", "1", "10"}},
		{"mode", []string{"free", "json_object"}},
		{"tag.lang", []string{"", "en"}},
		{"param.temperature", []string{"", "0.7", "1", "10"}},
		{"corpus", []string{"c"}},
		{"case", []string{"1", "2", "3", "4"}},
	}
	for _, test := range tests {
		var got []string
		for _, g := range run(t, score.Options{By: []string{test.by}}, c).Groups {
			got = append(got, g.Key[0])
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("by %s (-want +got):\n%s", test.by, diff)
		}
	}
	r := run(t, score.Options{Where: map[string]string{"model": "a"}}, c)
	if r.Records != 3 || r.Left != 1 {
		t.Errorf("where model=a: %d records, %d left out", r.Records, r.Left)
	}
	if _, err := score.Run(t.Context(), []corpora.Source{c}, score.Options{By: []string{"colour"}}); err == nil {
		t.Error("an unknown key was taken")
	}
}

func TestFailuresTopTen(t *testing.T) {
	var items []any
	for i := range 3 {
		items = append(items, record(fmt.Sprint("unknown", i), unknown))
	}
	items = append(items, record("prose", prose), record("touching", touching))
	got := run(t, score.Options{}, source(t, items...)).Groups[0].Failures
	var list []string
	for _, f := range got {
		list = append(list, fmt.Sprint(f.Code, " ", f.N, " ", f.Example))
	}
	want := []string{"unknown_step 3 unknown0", "done_immutable 1 touching", "no_document 1 prose"}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestBudgetAndCost(t *testing.T) {
	usage := func(prompt, reply int) func(*corpora.Record) {
		return func(r *corpora.Record) { r.Usage = &corpora.Usage{PromptTokens: prompt, CompletionTokens: reply} }
	}
	prices, err := score.ParsePrices([]byte(`{"currency":"USD","models":{"m":{"prompt":1,"reply":2},"x-*":{"prompt":10,"reply":0}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := source(
		t, record("1", unknown, usage(900, 200)), record("1r", good, usage(1000, 300), retryOf("1")),
		record("2", good, usage(700, 100), func(r *corpora.Record) { r.Model = "x-large" }),
		record("3", good, usage(700, 100), func(r *corpora.Record) { r.Model = "other" }), record("4", good),
	)
	g := run(t, score.Options{Budget: 1000, Prices: prices}, c).Groups[0]
	if got := rates(g)["overflow_rate"]; got != "1/3" {
		t.Errorf("overflow %s, want 1/3: of the first attempts with known tokens", got)
	}
	// m: 1900 · 1 + 500 · 2; x-large: 700 · 10, all by million.
	want := &score.Cost{Currency: "USD", Amount: 0.0099, Unpriced: 2}
	if diff := cmp.Diff(want, g.Cost, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("cost (-want +got):\n%s", diff)
	}
	if want := (score.Spread{N: 4, P50: 700, P95: 1000, Max: 1000, Sum: 3300}); g.Tokens.Prompt != want {
		t.Errorf("prompt tokens %+v, want %+v", g.Tokens.Prompt, want)
	}
}

func TestParsePricesRefuses(t *testing.T) {
	for _, s := range []string{
		``, `{}`, `{"currency":"USD"}`, `{"currency":"USD","models":{"[":{"prompt":1,"reply":1}}}`,
		`{"currency":"USD","models":{"m":{"prompt":-1,"reply":1}}}`, `{"currency":"USD","models":{"m":{"input":1}}}`,
	} {
		if _, err := score.ParsePrices([]byte(s)); err == nil {
			t.Errorf("ParsePrices(%s) gave no error", s)
		}
	}
}

// The result must not depend on how many workers there are, nor on where the
// scheduler puts them; nor must the order of the scores.
func TestRunIsDeterministic(t *testing.T) {
	encoded := func(workers int) (string, []string) {
		var ids []string
		r := run(t, score.Options{
			By: []string{"model", "temperature"}, Workers: workers, Counter: words{},
			Each: func(s score.Score, _ *corpora.Record) error {
				ids = append(ids, s.ID)
				return nil
			},
		}, corpora.Builtin()...)
		b, err := stdjson.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		return string(b), ids
	}
	one, ids := encoded(1)
	for _, workers := range []int{7} {
		many, others := encoded(workers)
		if one != many {
			t.Errorf("%d workers give another result than one", workers)
		}
		if !slices.Equal(ids, others) {
			t.Errorf("%d workers give the scores in another order", workers)
		}
	}
}

func TestRunEnds(t *testing.T) {
	stop := errors.New("stop")
	_, err := score.Run(t.Context(), corpora.Builtin(),
		score.Options{Each: func(score.Score, *corpora.Record) error { return stop }})
	if !errors.Is(err, stop) {
		t.Errorf("Each's error came back as %v", err)
	}
	missing := corpora.File("no-such-corpus.jsonl")
	if _, err := score.Run(t.Context(), []corpora.Source{missing}, score.Options{}); err == nil ||
		!strings.Contains(err.Error(), "no such file") {
		t.Errorf("a missing corpus: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	r, err := score.Run(ctx, corpora.Builtin(), score.Options{Each: func(score.Score, *corpora.Record) error {
		if n++; n == 100 {
			cancel()
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) || r == nil || r.Records < 100 {
		t.Errorf("interrupted after 100: result %v, error %v; want what was done", r != nil, err)
	}
}

// More cases than are kept apart: they are heaped, nothing is lost, and the
// interval stays what it is for single replies, within rounding of chance.
func TestRunManyCasesInBulk(t *testing.T) {
	var text bytes.Buffer
	const cases = 4500
	for i := range cases {
		reply := good
		if i%4 == 0 {
			reply = unknown
		}
		r := record(fmt.Sprint(i), reply)
		line, err := r.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(line)
	}
	c := source(t, strings.TrimSpace(text.String()))
	heaped := run(t, score.Options{}, c).Groups[0]
	apart := run(t, score.Options{EveryCase: true}, c).Groups[0]
	if heaped.Cases > 4096 || heaped.ByCase != nil || apart.Cases != cases || len(apart.ByCase) != cases {
		t.Errorf("cases: %d heaped, %d apart", heaped.Cases, apart.Cases)
	}
	x, _ := heaped.Rate(score.ApplyRate)
	y, _ := apart.Rate(score.ApplyRate)
	if x.Yes != y.Yes || x.N != y.N || x.Low < y.Low-0.003 || x.Low > y.Low+0.003 {
		t.Errorf("heaped %+v, apart %+v", x, y)
	}
}

func TestAblateBuiltinInBulk(t *testing.T) {
	list, err := score.Ablate(t.Context(), corpora.Builtin(), score.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 2 || list[0].Source != corpora.Recorded || list[0].Requests != 1550 {
		t.Fatalf("%d sources, the first %+v", len(list), list[0].Source)
	}
	for _, a := range list {
		strict, all := a.Rules[0], a.Rules[len(a.Rules)-1]
		if strict.Rule != score.NoRule || all.Rule != score.AllRules {
			t.Errorf("rules from %s to %s", strict.Rule, all.Rule)
		}
		for _, b := range a.Rules {
			if b.Applied.Yes != strict.Applied.Yes+b.Gained-b.Lost {
				t.Errorf("%s, %s: %d applied, want %d + %d − %d", a.Source, b.Rule, b.Applied.Yes, strict.Applied.Yes, b.Gained,
					b.Lost)
			}
			if b.Wrong > b.Judged || b.Judged > b.Gained || b.CutOff > b.Gained {
				t.Errorf("%s, %s: %+v", a.Source, b.Rule, b)
			}
			if b.Gained > all.Gained {
				t.Errorf("%s: %s alone gains %d, all together %d", a.Source, b.Rule, b.Gained, all.Gained)
			}
		}
	}
}

func TestAblate(t *testing.T) {
	off := func(r *corpora.Record) { r.FinishReason = "length" }
	c := source(
		t, record("good", good), record("fenced", fenced), record("comma", comma), record("cut", cut, off),
		record("aside", "See: "+beside), record("no-plan", good, func(r *corpora.Record) { r.Plan = nil }),
	)
	list, err := score.Ablate(t.Context(), []corpora.Source{c}, score.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, b := range list[0].Rules {
		got[b.Rule] = fmt.Sprintf("%d applied, +%d −%d, wrong %d of %d, cut off %d, %s %s", b.Applied.Yes, b.Gained, b.Lost,
			b.Wrong, b.Judged, b.CutOff, b.GainedExample, b.WrongExample)
	}
	want := map[string]string{
		"none":                 "1 applied, +0 −0, wrong 0 of 0, cut off 0,  ",
		"reading.extract=true": "3 applied, +2 −0, wrong 1 of 2, cut off 0, fenced aside",
		"reading.repair=true":  "3 applied, +2 −0, wrong 0 of 2, cut off 1, comma ",
		"all":                  "5 applied, +4 −0, wrong 1 of 4, cut off 1, fenced aside",
	}
	maps.DeleteFunc(got, func(rule, _ string) bool { return want[rule] == "" })
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if list[0].Unscored != 1 {
		t.Errorf("%d unscored, want the one without a plan", list[0].Unscored)
	}
	some, err := score.Ablate(t.Context(), []corpora.Source{c}, score.Options{Where: map[string]string{"case": "fenced"}})
	if err != nil || some[0].Requests != 1 {
		t.Errorf("with one case asked for: %+v, %v", some, err)
	}
}
