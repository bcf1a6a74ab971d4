package calibrate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/hunt/calibrate"
)

// TestOneDefectHidesNoOtherInBulk looks at engines with two defects, one shown in
// nearly every case, and wants a cause of each.
func TestOneDefectHidesNoOtherInBulk(t *testing.T) {
	for _, names := range [][]string{
		{"trim-counts-bytes", "trim-acts-at-four"},
		{"trim-reorders", "trim-renumbers-calls"},
	} {
		o := calibrate.CauseOptions{Sets: 1}
		o.Dialect, o.Defects, o.Cases = "trim", choose(t, names...), 1500
		got, err := calibrate.RunCauses(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]calibrate.Share{{N: 2, Of: 2}, {N: 2, Of: 2}},
			[]calibrate.Share{got.Recall, got.Precision}); diff != "" {
			t.Errorf("%v: recall and precision (-want +got):\n%s", names, diff)
		}
	}
}
