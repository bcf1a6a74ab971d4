package score_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

// side makes a corpus of replies, by case and sample.
func side(t *testing.T, replies map[string][]string) score.Side {
	t.Helper()
	var text strings.Builder
	for _, name := range []string{"kept", "lost", "gained"} {
		for i, reply := range replies[name] {
			r := record(name+string(rune('a'+i)), reply)
			r.Case, r.Sample = name, i
			line, err := r.Append(nil)
			if err != nil {
				t.Fatal(err)
			}
			text.Write(line)
		}
	}
	return score.Side{
		Sources: []corpora.Source{source(t, strings.TrimSpace(text.String()))},
		Options: score.Options{EveryCase: true},
	}
}

// Of the cases that came out otherwise both replies are shown: on the better side one
// that was applied, on the worse one that was not.
func TestChanges(t *testing.T) {
	base := side(t, map[string][]string{"kept": {good, good}, "lost": {unknown, good}, "gained": {"no JSON", "no JSON"}})
	now := side(t, map[string][]string{"kept": {good, good}, "lost": {"no JSON", "no JSON"}, "gained": {"no JSON", good}})
	c, err := score.Compare(run(t, base.Options, base.Sources...), run(t, now.Options, now.Sources...),
		score.CompareOptions{})
	if err != nil {
		t.Fatal(err)
	}
	changes, err := score.Changes(t.Context(), c, base, now)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, x := range changes {
		got = append(got, x.Case, string(x.Base.Verdict)+" "+string(x.Base.Code), x.Base.Text, string(x.New.Verdict)+" "+
			string(x.New.Code), x.New.Text)
		if x.Gained != (x.Case == "gained") {
			t.Errorf("%s: gained %v", x.Case, x.Gained)
		}
	}
	want := []string{
		"lost", string(harness.Applied) + " ", good, string(harness.Rejected) + " no_document", "no JSON",
		"gained", string(harness.Rejected) + " no_document", "no JSON", string(harness.Applied) + " ", good,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What a row of documented replies lacks is left out of its JSON, and nothing else.
func TestBareRow(t *testing.T) {
	got, err := json.Marshal(score.Row{
		Key: []string{"m"}, Metric: score.ApplyRate, Pairs: 2, Improved: 1,
		Flipped: []string{}, Risen: []string{"a"}, P: 1, Needed: 3, Bare: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"key":["m"],"metric":"apply_rate","pairs":2,"unpaired":0,"base":0,"new":0,"difference":0,"verdict":"","worsened":0,"improved":1,"flipped":[],"risen":["a"],"no_interval":true}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
