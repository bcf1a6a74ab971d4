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
		Comparisons: []Comparison{{Base: "p", New: "q", Comparison: score.Comparison{Rows: []score.Row{
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
	got := map[string]string{}
	for _, row := range rows[1:] {
		got[strings.Join(row[:3], "|")] = strings.TrimRight(strings.Join(row[3:9], "|"), "|")
	}
	policy := (history.Policy{{Name: "pinned"}}).String()
	want := map[string]string{
		"score||bad lines":                        "3",
		"score||requests without a reply":         "5",
		"score|p|unscored: no reply came":         "1",
		"score|p|parse_rate":                      "1|2|0.5|0.1|0.9",
		"score|p|refused: no_document":            "1|||||'=x",
		"score|p|rung: patch":                     "1",
		"score|p|pass@2":                          "|7|0.75|0.5|1",
		"score|p|pass^2":                          "|7|0.25|0|0.5",
		"score|p|prompt tokens: p95":              "20",
		"score|p|saving":                          "10|40|0.25|0.125|0.5",
		"score|p|cost":                            "||0.25|||USD",
		"prompts|p|measured":                      "2",
		"prompts|p|unread":                        "1",
		"prompts|p|messages: plan":                "2",
		"prompts|p|tokens: plan":                  "600||0.75",
		"prompts|p · " + policy + "|tokens after": "200",

		"ablation|recorded · reading.repair=true|gained":           "6",
		"ablation|recorded · reading.repair=true|gained by quotes": "5",

		"live||requests":                              "5",
		"live||failed tries: rate_limit":              "3",
		"live||failed: rate_limit":                    "1|||||slow down",
		"live|p · m · – · free|latency p50 ms":        "||12.5",
		"live|p · m · – · free|prompt tokens said":    "70",
		"comparison|p → q, m, parse rate|difference":  "|9|0.25|-0.25|0.75|too few",
		"comparison|p → q, m, parse rate|p corrected": "|9|0.5",
		"comparison|p → q, m, parse rate|after":       "|9|0.75",
	}
	for key, value := range want {
		if found, ok := got[key]; !ok || found != value {
			t.Errorf("%s: %q, want %q", key, found, value)
		}
	}
	against := strings.Split(got["ablation|recorded · reading.repair=true|against intent"], "|")
	if diff := cmp.Diff([]string{"1", "4", "0.25"}, against[:min(3, len(against))]); diff != "" {
		t.Errorf("against intent: %s", diff)
	}
}
