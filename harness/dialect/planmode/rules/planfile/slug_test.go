package planfile_test

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"replanbench/harness/dialect/planmode/rules/planfile"
)

// parts draws n slugs and returns their words by place.
func parts(t *testing.T, seed uint64, n int) [3][]string {
	t.Helper()
	slugs := planfile.NewSlugs(seed, nil)
	var words [3][]string
	for range n {
		slug := slugs.Next()
		list := strings.Split(slug, "-")
		if len(list) != 3 || !planfile.IsSlug(slug) {
			t.Fatalf("%q is no slug", slug)
		}
		for i := range words {
			words[i] = append(words[i], list[i])
		}
	}
	return words
}

// The stated number of names follows from the words that come up, and each word
// is a word.
func TestWords(t *testing.T) {
	word := regexp.MustCompile(`^[a-z]{3,12}$`)
	for i, words := range parts(t, 1, 20_000) {
		slices.Sort(words)
		distinct := slices.Compact(words)
		if want := []int{200, 100, 200}[i]; len(distinct) != want {
			t.Errorf("place %d has %d words, want %d", i, len(distinct), want)
		}
		for _, w := range distinct {
			if !word.MatchString(w) {
				t.Errorf("place %d: %q is no word", i, w)
			}
		}
	}
}

// uniform returns the probability that uniform draws from n kinds are spread at
// least as unevenly (Pearson's chi-squared test).
func uniform(draws []string, n int) float64 {
	count := map[string]int{}
	for _, d := range draws {
		count[d]++
	}
	expected := float64(len(draws)) / float64(n)
	sum := float64(n-len(count)) * expected
	for _, k := range count {
		sum += (float64(k) - expected) * (float64(k) - expected) / expected
	}
	return distuv.ChiSquared{K: float64(n - 1)}.Survival(sum)
}

func TestSlugsAreUniform(t *testing.T) {
	const draws = 200_000
	words := parts(t, 20261121, draws)
	pairs := make([]string, draws)
	for i := range pairs {
		pairs[i] = words[0][i] + words[1][i]
	}
	for _, test := range []struct {
		name  string
		draws []string
		kinds int
	}{
		{"adjectives", words[0], 200},
		{"verbs", words[1], 100},
		{"nouns", words[2], 200},
		{"adjectives with verbs", pairs, 20_000},
	} {
		if p := uniform(test.draws, test.kinds); p < 0.001 {
			t.Errorf("%s: uniform draws are as uneven only with p = %g", test.name, p)
		}
	}
	rare, instead := words[1][0], words[1][1] // the test must be able to fail
	for i, w := range words[1] {
		if w == rare && i%5 == 0 {
			words[1][i] = instead
		}
	}
	if p := uniform(words[1], 100); p > 0.001 {
		t.Errorf("a verb that comes up a fifth too rarely is not noticed: p = %g", p)
	}
}

func TestSlugsDependOnTheSeed(t *testing.T) {
	a, b, c := planfile.NewSlugs(7, nil), planfile.NewSlugs(7, []string{"one-two-three"}), planfile.NewSlugs(8, nil)
	if got := b.Next(); got != "one-two-three" {
		t.Errorf("the script comes first, but the first slug is %q", got)
	}
	differ := false
	for range 100 {
		x := a.Next()
		if y := b.Next(); x != y {
			t.Fatalf("one seed, two slugs: %s and %s", x, y)
		}
		differ = differ || x != c.Next()
	}
	if !differ {
		t.Error("two seeds give the same slugs")
	}
}

func TestFree(t *testing.T) {
	var script []string
	for i := range 12 {
		script = append(script, fmt.Sprintf("a-b-%c", 'a'+i))
	}
	for taken, want := range map[int]string{0: "a-b-a", 1: "a-b-b", 10: "a-b-k", 11: ""} {
		draws := 0
		got, err := planfile.NewSlugs(1, script).Free(func(slug string) bool {
			draws++
			return slices.Index(script, slug) < taken
		})
		if got != want || (err != nil) != (want == "") || err != nil && !errors.Is(err, planfile.ErrExhausted) {
			t.Errorf("with %d slugs taken: %q, %v; want %q", taken, got, err, want)
		}
		if wantDraws := min(taken+1, 11); draws != wantDraws {
			t.Errorf("with %d slugs taken there were %d draws, want %d", taken, draws, wantDraws)
		}
	}
}

func TestSlugOf(t *testing.T) {
	for path, want := range map[string]string{
		"plans/calm-baking-fox.md": "calm-baking-fox", "plans/Calm-baking-fox.md": "", "plans/calm-baking.md": "",
		"calm-baking-fox.md": "", "plans/a/calm-baking-fox.md": "", "plans/calm-baking-fox.md ": "",
		"/plans/calm-baking-fox.md": "",
		"plans/calm-baking-fox.MD":  "", "plans/calm-baking-fox-two.md": "", "plans/" + strings.Repeat("a", 300) +
			"-b-c.md": "",
		"plans/calm-baking-fox\n.md": "",
	} {
		if got, ok := planfile.SlugOf(path); got != want && ok || ok != (want != "") {
			t.Errorf("%q: %q, %t; want %q", path, got, ok, want)
		}
	}
}
