package generate_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/generators/gentest"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect/trim/generate"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
)

// The labels are made without trimming anything; where one is known, the rules
// come to the same.
func TestTrimLabels(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{})
	known, refused := 0, 0
	met := map[string]int{}
	for i := range uint64(1000) {
		s := source.At(7, i)
		for _, f := range s.Traits {
			met[f]++
		}
		got := rules.Eval(s.Case, harness.Reference())
		switch want := s.Want; {
		case want.Loose:
			if want.Verdict != "" || want.More != nil || s.Valid {
				t.Fatalf("case %d is loose and says more: %+v", i, want)
			}
		case want.Verdict == harness.Rejected:
			refused++
			if got.Verdict != want.Verdict || !slices.Contains(want.Codes, got.Code) {
				t.Errorf("case %d (%v): %s %s, want one of %v", i, s.Traits, got.Verdict, got.Code, want.Codes)
			}
		default:
			known++
			if diff := messageDiff(want.More.Messages, got.Messages); diff != "" || got.Verdict != want.Verdict || !s.Valid {
				t.Errorf("case %d under %s: %s (-want +got):\n%s", i, s.Case.Policy, got.Verdict, diff)
			}
			if diff := cmp.Diff(want.More.Tokens, got.Tokens); diff != "" {
				t.Errorf("case %d under %s, tokens (-want +got):\n%s", i, s.Case.Policy, diff)
			}
			if diff := cmp.Diff(want.More.Dropped, got.Dropped); diff != "" {
				t.Errorf("case %d under %s, dropped (-want +got):\n%s", i, s.Case.Policy, diff)
			}
		}
	}
	if known < 300 || refused < 50 {
		t.Errorf("%d labels known, %d refusals", known, refused)
	}
	for _, f := range generate.Traits() {
		if met[f.Name] == 0 {
			t.Errorf("the fault %s was never planted", f.Name)
		}
	}
}

// messageDiff is cmp.Diff, which takes its time also where there is none.
func messageDiff(want, got jsontext.Value) string {
	if bytes.Equal(want, got) {
		return ""
	}
	return cmp.Diff(want, got)
}

// Every history is one that the dialect trim can read, and has its kind.
func TestHistories(t *testing.T) {
	kinds := harness.Names(histories.Kinds())
	gen := histories.Histories(histories.Options{})
	rapid.Check(t, func(t *rapid.T) {
		h := gen.Draw(t, "history")
		if !slices.Contains(kinds, h.Kind) || h.MaxTokens < 1 {
			t.Fatalf("the kind %q, %d tokens", h.Kind, h.MaxTokens)
		}
		written := history.Encode(h.Messages)
		read, err := history.Decode(written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(written), string(history.Encode(read))); diff != "" {
			t.Fatalf("what is read back differs (-written +read):\n%s", diff)
		}
	})
}

func TestTrimOptions(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{Traits: []string{"tool_loop", "role-twice"}, MaxSteps: 6})
	for i := range uint64(300) {
		s := source.At(1, i)
		for _, f := range s.Traits {
			if f != "tool_loop" && f != "role-twice" {
				t.Fatalf("case %d has the fault %s, which was not asked for", i, f)
			}
		}
		if list, err := history.Decode(s.Case.Messages); err == nil && len(list) > 6 {
			t.Fatalf("case %d has %d messages, and 6 are allowed", i, len(list))
		}
	}
	_, err := generate.New(generators.Options{Traits: []string{"tool_lop"}})
	if err == nil || !strings.Contains(err.Error(), "tool_loop") {
		t.Errorf("a fault with a slip in its name: %v", err)
	}
}
