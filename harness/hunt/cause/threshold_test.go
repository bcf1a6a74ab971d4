package cause

import (
	"compress/gzip"
	"os"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// TestThreshold has the curve that Threshold was chosen on: how many of 44 saved campaigns,
// each against an engine with one mutation that plain cases do not show, have exactly one
// failing cause, and how many at most two.
func TestThreshold(t *testing.T) {
	f, err := os.Open("testdata/mutants.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var saved []Evidence
	if err := json.UnmarshalRead(z, &saved); err != nil {
		t.Fatal(err)
	}
	type point struct {
		threshold float64
		one, two  int
	}
	var got []point
	for _, threshold := range []float64{0.3, 0.4, Threshold, 0.5, 0.6, 0.7} {
		p := point{threshold: threshold}
		for i := range saved {
			failing := slices.DeleteFunc(clusters(&saved[i], threshold), func(members []int) bool {
				return !slices.ContainsFunc(members, func(k int) bool { return !saved[i].Groups[k].Advisory })
			})
			if len(failing) == 1 {
				p.one++
			}
			if len(failing) <= 2 {
				p.two++
			}
		}
		got = append(got, p)
	}
	want := []point{{0.3, 35, 41}, {0.4, 35, 41}, {0.45, 34, 41}, {0.5, 30, 41}, {0.6, 24, 39}, {0.7, 22, 36}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(point{})); diff != "" {
		t.Error(diff)
	}
}
