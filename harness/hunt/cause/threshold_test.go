package cause

import (
	"compress/gzip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness/dialect/all"
)

// saved reads the evidence of campaigns against engines of the exam with mutations.
func saved[T any](t *testing.T, file string) (list T) {
	t.Helper()
	f, err := os.Open("testdata/" + file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.UnmarshalRead(z, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

// one is the file with campaigns against engines with one mutation each.
const one = "mutants.json.gz"

// failing returns the clusters of evidence that are not advisory.
func failing(e *Evidence, threshold float64) [][]int {
	return slices.DeleteFunc(clusters(e, threshold), func(members []int) bool {
		return !slices.ContainsFunc(members, func(k int) bool { return !e.Groups[k].Advisory })
	})
}

// TestThreshold has the curve that Threshold was chosen on: how many of the saved campaigns
// have exactly one failing cause, and how many at most two; and of engines with eight bugs that
// plain cases do not show, how many percent of the bugs have a cause of their own, and how many
// causes there are for 100 bugs.
func TestThreshold(t *testing.T) {
	campaigns := saved[[]Evidence](t, one)
	rare := slices.DeleteFunc(slices.Clone(campaigns), func(e Evidence) bool {
		return slices.ContainsFunc(e.Groups, func(f Fact) bool { return !f.Advisory && len(f.Culprits) == 0 })
	})
	type point struct {
		threshold                float64
		one, two, there, percent int
	}
	var got []point
	for _, threshold := range []float64{0.3, 0.4, Threshold, 0.5, 0.6, 0.7} {
		p := point{threshold: threshold}
		for i := range campaigns {
			switch n := len(failing(&campaigns[i], threshold)); n {
			case 1:
				p.one++
				fallthrough
			case 2:
				p.two++
			}
		}
		bugs, there, causes := 0, 0, 0
		for _, set := range combined(rare, 8) {
			e, owners := join(set)
			clusters := failing(&e, threshold)
			bugs, there, causes = bugs+len(set), there+matched(clusters, owners), causes+len(clusters)
		}
		p.there, p.percent = 100*there/bugs, 100*causes/bugs
		got = append(got, p)
	}
	want := []point{
		{0.3, 59, 72, 93, 109},
		{0.4, 59, 72, 96, 114},
		{Threshold, 57, 72, 97, 115},
		{0.5, 57, 72, 97, 115},
		{0.6, 46, 69, 97, 131},
		{0.7, 39, 65, 98, 153},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(point{})); diff != "" {
		t.Error(diff)
	}
}

// combined returns sets of campaigns of one dialect. No two of a set share a group of their
// worst class: nothing could tell those bugs apart.
func combined(campaigns []Evidence, size int) (sets [][]*Evidence) {
	for first := 0; first < len(campaigns); first += 5 {
		var set []*Evidence
		used := map[string]bool{}
		for k := range campaigns {
			e := &campaigns[(first+k)%len(campaigns)]
			shared := slices.ContainsFunc(e.Groups, func(f Fact) bool {
				return f.Class == e.Groups[0].Class && !f.Advisory && used[f.ID]
			})
			if shared || e.Dialect != campaigns[first].Dialect || len(set) == size {
				continue
			}
			set = append(set, e)
			for i := range e.Groups {
				used[e.Groups[i].ID] = true
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// join returns the evidence of an engine that has the bugs of several campaigns, and by
// group the bugs that show it.
func join(set []*Evidence) (e Evidence, owners map[string][]int) {
	owners = map[string][]int{}
	for bug, o := range set {
		for _, f := range o.Groups {
			if owners[f.ID] == nil {
				e.Groups = append(e.Groups, f)
			}
			owners[f.ID] = append(owners[f.ID], bug)
		}
	}
	e.Dialect, e.Cases = set[0].Dialect, set[0].Cases
	slices.SortStableFunc(e.Groups, func(a, b Fact) int { return a.Class.Rank() - b.Class.Rank() })
	for i := range e.Groups { // the places of matched
		owners[place(i)] = append(owners[place(i)], owners[e.Groups[i].ID]...)
	}
	return e, owners
}

// place names the group of a place.
func place(i int) string { return string(rune(i)) }

// matched counts the pairs of a cause and a bug that shows one of its groups, as many as can
// be with each in one pair.
func matched(clusters [][]int, owners map[string][]int) (n int) {
	taken := map[int]int{}
	var find func(k int, seen map[int]bool) bool
	find = func(k int, seen map[int]bool) bool {
		for _, i := range clusters[k] {
			for _, bug := range owners[place(i)] {
				if seen[bug] {
					continue
				}
				seen[bug] = true
				if old, ok := taken[bug]; !ok || find(old, seen) {
					taken[bug] = k
					return true
				}
			}
		}
		return false
	}
	for k := range clusters {
		if find(k, map[int]bool{}) {
			n++
		}
	}
	return n
}

// TestLenient: an engine that hardly rejects anything has one bug, whatever its rules reject.
func TestLenient(t *testing.T) {
	list := saved[[]Evidence](t, one)
	i := slices.IndexFunc(list, func(e Evidence) bool { return len(e.Groups) > 100 && e.Groups[0].Lenient })
	if i < 0 {
		t.Fatal("no saved campaign is lenient")
	}
	for lenient, want := range map[bool]int{true: 2, false: 16} { // the other one is that it is not steady
		e := list[i]
		e.Groups = slices.Clone(e.Groups)
		for i := range e.Groups {
			e.Groups[i].Lenient = e.Groups[i].Lenient && lenient
		}
		causes := Describe(all.Find(e.Dialect), &e, Cluster(&e))
		says := strings.HasPrefix(causes[0].Sentence, "Does not reject invalid updates (17 reason codes)")
		if len(causes) != want || says != lenient {
			t.Errorf("lenient %v: %d causes, the first is %q", lenient, len(causes), causes[0].Sentence)
		}
	}
}

// TestSeeds: the ids of causes do not depend on the seed. Each mutation was fuzzed with three seeds, and nothing
// was tuned on these mutations.
func TestSeeds(t *testing.T) {
	same, either := 0, 0
	for _, seeds := range saved[[][]Evidence](t, "seeds.json.gz") {
		counts := map[string]int{}
		for i := range seeds {
			e := &seeds[i]
			for _, c := range Describe(all.Find(e.Dialect), e, failing(e, Threshold)) {
				counts[c.ID]++
			}
		}
		for _, n := range counts {
			either++
			if n == len(seeds) {
				same++
			}
		}
	}
	if t.Logf("%d of %d ids are equal for all seeds", same, either); 100*same < 90*either {
		t.Errorf("%d of %d ids are equal for all seeds, want 90 %%", same, either)
	}
}
