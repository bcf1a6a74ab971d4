package reports

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/live"
	"replanbench/harness/score"
)

// scored is a report of a live run with every kind of table that one can have.
func scored() *Report {
	r := New("live", "devel", harness.Hello{Name: "reference"})
	trimmed := simulate.NewTally(history.Policy{{Name: "pinned"}})
	trimmed.TokensBefore, trimmed.TokensAfter, trimmed.Safe = 600, 200, simulate.Rate{K: 1, N: 2}
	rate := score.Rate{Name: "parse_rate", Yes: 1, N: 2, Value: 0.5, Low: 0.1, High: 0.9}
	r.AddScore(Score{
		Result: score.Result{
			By: []string{"prompt"}, Sources: []string{"recorded"}, Records: 2, Retries: 1, Bad: 3, Left: 4, Failed: 5,
			Groups: []score.Group{{
				Key: []string{"p"}, Requests: 2, Unscored: map[string]int{score.NoReply: 1}, Rates: []score.Rate{rate},
				Means: []score.Rate{{
					Name: score.Saving, Yes: 10, N: 40, Cases: 2, Value: 0.25, Low: 0.125, High: 0.5,
				}},
				Rungs:    []score.Rung{{Name: "patch", N: 1}},
				Failures: []score.Failure{{Code: harness.NoDocument, N: 1, Example: "=x"}},
				Tokens:   score.Tokens{Prompt: score.Spread{N: 2, P50: 10, P95: 20, Max: 21, Sum: 31}},
				Cost:     &score.Cost{Currency: "USD", Amount: 0.25, Unpriced: 1},
				Prompts: &score.Prompts{
					Measured: 2, Unread: 1, Sections: []history.Section{{Tag: "plan", Messages: 2, Tokens: 600, Share: 0.75}},
					Trimmed: []simulate.Tally{trimmed},
				},
				Passes: []score.PassK{{
					K: 2, Cases: 7, Any: score.Interval{Value: 0.75, Low: 0.5, High: 1},
					All: score.Interval{Value: 0.25, Low: 0, High: 0.5},
				}},
			}},
		},
		Ablations: []score.Ablation{{Source: "recorded", Requests: 2, Unscored: 1, Rules: []score.Buy{
			{Rule: score.NoRule, Parsed: rate, Applied: rate},
			{
				Rule: "reading.repair=true", Parsed: rate, Applied: rate, Gained: 6, Judged: 4, Wrong: 1, CutOff: 3,
				Acts: []score.Act{{Rule: "quotes", Gained: 5, Alone: 2}},
			},
		}}},
	}, "replanbench live")
	r.AddLive(Live{
		Run: &live.Result{
			Cells: 4, Whole: 2, Failed: 1, NotAsked: 1, Replies: 2, Spent: live.Spent{Requests: 5, Cost: 0.5}, Currency: "USD",
			Tries:    []live.Count{{Name: "rate_limit", N: 3}},
			Failures: []live.Count{{Name: "rate_limit", N: 1, Example: "slow down"}},
			Groups: []live.Group{{
				Key: live.Key{Prompt: "p", Model: "m", Format: "free"}, Cells: 4, Failed: 1, P50: 12.5,
				Prompt: live.Drift{Said: 70, Counted: 60},
			}},
		},
		Comparisons: []Comparison{{Base: "p", New: "q", Comparison: score.Comparison{By: []string{"model"}, Rows: []score.Row{
			{
				Key: []string{"m"}, Metric: "parse_rate", Pairs: 9, Base: 0.5, New: 0.75, Difference: 0.25, Low: -0.25, High: 0.75,
				P: 0.25, Corrected: 0.5, Verdict: score.TooFew,
			},
		}}}},
	})
	return r
}

// TestCSVHasTheTables: what the tables of scores, prompts and live runs show
// is in the CSV too.
func TestCSVHasTheTables(t *testing.T) {
	rows, err := csv.NewReader(bytes.NewReader(write(t, scored(), "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string]int{}
	for i, name := range rows[0] {
		columns[name] = i
	}
	got := map[string]string{}
	for _, row := range rows[1:] {
		var keys, values []string
		for _, name := range []string{"section", "metric"} {
			keys = append(keys, row[columns[name]])
		}
		for _, name := range []string{
			"prompt", "model", "format", "before", "after", "side", "code", "rung", "replies", "statistic", "policy", "rule", "act",
			"reason",
		} {
			if at, ok := columns[name]; !ok {
				t.Fatalf("no column %s in %v", name, rows[0])
			} else if row[at] != "" {
				keys = append(keys, name+"="+row[at])
			}
		}
		for _, name := range []string{"unit", "value", "low", "high", "k", "n", "p", "p_corrected", "text"} {
			values = append(values, row[columns[name]])
		}
		got[strings.Join(keys, "|")] = strings.TrimRight(strings.Join(values, "|"), "|")
	}
	policy := (history.Policy{{Name: "pinned"}}).String()
	sides := "|model=m|before=p|after=q|side="
	want := map[string]string{
		"score|bad_lines":                                         "number|3|||3",
		"score|requests_without_reply":                            "number|5|||5",
		"score|unscored|prompt=p|reason=no reply came":            "share|0.5|||1|2",
		"score|parse_rate|prompt=p":                               "share|0.5|0.1|0.9|1|2",
		"score|rejected|prompt=p|code=no_document":                "share|0.5|||1|2|||'=x",
		"score|ended|prompt=p|rung=patch":                         "number|1|||1",
		"score|pass_any|prompt=p|replies=2":                       "share|0.75|0.5|1||7",
		"score|pass_all|prompt=p|replies=2":                       "share|0.25|0|0.5||7",
		"score|prompt_tokens|prompt=p|statistic=p95":              "tokens|20|||20|2",
		"score|saving|prompt=p":                                   "share|0.25|0.125|0.5|10|40",
		"score|cost|prompt=p":                                     "money|0.25|||||||USD",
		"score|prompts_measured|prompt=p":                         "number|2|||2",
		"score|tokens_kept|prompt=p|policy=" + policy:             "share|0.3333333333333333|||200|600",
		"score|gained|rule=reading.repair=true":                   "number|6|||6",
		"score|gained_by_act|rule=reading.repair=true|act=quotes": "number|5|||5",

		"live|requests":                                   "number|5|||5",
		"live|failed_tries|reason=rate_limit":             "number|3|||3",
		"live|failures|reason=rate_limit":                 "number|1|||1||||slow down",
		"live|latency_p50|prompt=p|model=m|format=free":   "ms|12.5",
		"live|prompt_tokens|prompt=p|model=m|format=free": "number|70|||70",
		"comparison|parse_rate" + sides + "difference":    "difference|0.25|-0.25|0.75||9|0.25|0.5|too few",
		"comparison|parse_rate" + sides + "after":         "share|0.75||||9",
	}
	for key, value := range want {
		if found, ok := got[key]; !ok || found != value {
			t.Errorf("%s: %q, want %q", key, found, value)
		}
	}
	against := strings.Split(got["score|against_intent|rule=reading.repair=true"], "|")
	if diff := cmp.Diff([]string{"share", "0.25"}, against[:min(2, len(against))]); diff != "" {
		t.Errorf("against intent: %s", diff)
	}
}
