package calibrate_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"replanbench/harness/dialect/all"
	"replanbench/harness/hunt/calibrate"
	"replanbench/harness/hunt/shard"
)

// TestScenariosInBulk shows defects by scenarios: each that is listed without a reason
// could be shown, and one with a reason is shown by none.
func TestScenariosInBulk(t *testing.T) {
	last := 0
	tables, err := calibrate.Scenarios(t.Context(), []string{"trim"}, shard.Shard{}, 0, func(done, total int) {
		if done != last+1 || total != len(all.Defects("trim")) {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
	})
	if err != nil || len(tables) != 1 || tables[0].Scenarios == 0 {
		t.Fatalf("%v, tables %v", err, tables)
	}
	for i, d := range all.Defects("trim") {
		row := tables[0].Defects[i]
		if row.Name != d.Name || row.NotRun || row.Why != "" && row.Scenarios != nil {
			t.Errorf("%s: %+v", d.Name, row)
		}
	}
	at := slices.IndexFunc(tables[0].Defects, func(r calibrate.ShownRow) bool { return r.Name == "trim-begins-on-orphan" })
	if at < 0 || len(tables[0].Defects[at].Scenarios) == 0 {
		t.Errorf("row %d shows nothing: %+v", at, tables[0].Defects)
	}
}

func TestScenariosInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tables, err := calibrate.Scenarios(ctx, []string{"trim"}, shard.Shard{}, 1, nil)
	if !errors.Is(err, context.Canceled) || !tables[0].Defects[0].NotRun {
		t.Errorf("%v, %+v", err, tables[0].Defects[0])
	}
}
