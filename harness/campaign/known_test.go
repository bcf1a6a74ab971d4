package campaign

import (
	"slices"
	"testing"

	"replanbench/harness/finding"
)

// TestKnownFindings checks that what is known does not end a campaign: it goes on
// to as many findings as are new.
func TestKnownFindings(t *testing.T) {
	c := config(almost)
	c.MaxFindings = 2
	first := start(t, c).Result
	var known []string
	for _, f := range first.Findings() {
		known = append(known, f.ID())
	}
	c.Known = func(f finding.Finding) bool { return slices.Contains(known, f.ID()) }
	second := start(t, c).Result
	fresh := 0
	for _, f := range second.Findings() {
		if !c.Known(f) {
			fresh++
		}
	}
	if fresh != 2 || len(second.Findings()) <= 2 {
		t.Errorf("with %d known findings %d in all, %d of them new", len(known), len(second.Findings()), fresh)
	}
	c.Known = func(finding.Finding) bool { return true }
	if all := start(t, c).Result; all.Cases != c.Cases || all.Stopped != "" {
		t.Errorf("a campaign in which all is known ended after %d cases: %s", all.Cases, all.Stopped)
	}
}
