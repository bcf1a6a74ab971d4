package generate_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/generate"
	"replanbench/harness/dialect/trim/rules"
	"replanbench/harness/history"
	"replanbench/harness/testdata/gentest"
)

// Both doors lead to samples whose labels the rules give.
func TestSamplesAgree(t *testing.T) { gentest.BothDoors(t, generate.New, 2000, agree) }

// So do all subsets of the traits of a sample.
func TestSubsets(t *testing.T) { gentest.Subsets(t, generate.New, 1000, agree) }

// agree holds a label, which is made without trimming anything, against the rules,
// and what the rules make against the checks.
func agree(s generators.Sample) error {
	got, want := rules.Eval(s.Case, harness.Reference()), s.Want
	for _, need := range rules.Needs(s.Case) {
		if slices.Contains([]string{"messages", "budget", "policy"}, need) && want.Verdict != harness.Rejected {
			return fmt.Errorf("%v: the case needs %s", s.Traits, need)
		}
	}
	req, err := history.DecodeCase(s.Case)
	if decoded, ok := s.Decoded.([]history.Message); ok != (err == nil) || !cmp.Equal(req.Messages, decoded) {
		return fmt.Errorf("%v: the messages of the case are not Decoded (%w):\n%s", s.Traits, err,
			cmp.Diff(req.Messages, decoded))
	}
	if err == nil {
		broken, _ := check.Judge(req, got, given)
		for name, b := range broken {
			return fmt.Errorf("%v under %s: %s: %s", s.Traits, s.Case.Policy, name, b.Message)
		}
	}
	switch {
	case want.Loose:
		return nil
	case s.Valid && want.Verdict != harness.Applied, want.Verdict != got.Verdict:
		return fmt.Errorf("%v under %s: %s and not %s (%s)", s.Traits, s.Case.Policy, got.Verdict, want.Verdict, got.Message)
	case want.Verdict == harness.Rejected && !slices.Contains(want.Codes, got.Code):
		return fmt.Errorf("%v: %s, want one of %v", s.Traits, got.Code, want.Codes)
	case want.More == nil:
		return nil
	}
	if d := all.Members("trim").Compare(want.More, &got, given); d != nil {
		return fmt.Errorf("%v under %s: %s", s.Traits, s.Case.Policy, d.Words)
	}
	return nil
}

// Every trait is planted, and most labels are known.
func TestMix(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{})
	met, known, plain := map[string]int{}, 0, map[string]int{}
	for i := range uint64(2000) {
		s := source.At(7, i)
		for _, f := range s.Traits {
			met[f]++
		}
		if !s.Want.Loose {
			known++
		}
		if s.Valid {
			plain[string(s.Case.Policy)]++
		}
	}
	for _, f := range generate.Traits() {
		if met[f.Name] < generators.AloneCases {
			t.Errorf("the trait %s was planted %d times", f.Name, met[f.Name])
		}
	}
	if known < 400 || len(plain) < len(history.Policies()) {
		t.Errorf("%d labels are known; plain cases run under %v", known, plain)
	}
}

// Every history is one that the dialect trim can read, and has its kind.
func TestHistories(t *testing.T) {
	kinds := harness.Names(histories.Kinds())
	rapid.Check(t, func(t *rapid.T) {
		h := histories.New(generators.Drawn(func() bool { return rapid.Bool().Draw(t, "") }), histories.Options{})
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

func TestOptions(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{
		Traits: []string{}, MaxSteps: 6,
		Without: []string{"priority", "pinned"},
	})
	for i := range uint64(300) {
		s := source.At(1, i)
		if list, err := history.Decode(s.Case.Messages); err != nil || len(list) > 6 || len(s.Traits) > 0 ||
			bytes.Contains(s.Case.Policy, []byte(`"p`)) {
			t.Fatalf("case %d: %v, %d messages, traits %v, policy %s", i, err, len(list), s.Traits, s.Case.Policy)
		}
	}
	_, err := generate.New(generators.Options{Traits: []string{"tool-lop"}})
	if err == nil || !strings.Contains(err.Error(), "tool-loop") {
		t.Errorf("a trait with a slip in its name: %v", err)
	}
}

func BenchmarkSamples(b *testing.B) {
	s := gentest.Source(b, generate.New, generators.Options{})
	b.ReportAllocs()
	var i uint64
	for b.Loop() {
		s.At(1, i)
		i++
	}
}

// given says that an engine gives every member.
func given(string) bool { return true }
