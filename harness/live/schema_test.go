package live_test

import (
	"bytes"
	"testing"

	"replanbench/harness/dialect/all"
	"replanbench/harness/live"
)

func TestPatchSchemaKeepsItsOrder(t *testing.T) {
	s, err := live.PatchSchema(all.Asked())
	if err != nil || !s.IsValid() {
		t.Fatalf("%v\n%s", err, s)
	}
	if bytes.Contains(s, []byte(`"pattern"`)) {
		t.Errorf("a pattern is left: %s", s)
	}
	last := -1
	for _, name := range []string{
		`"type":{"enum"`, `"remove_steps"`, `"update_steps"`, `"add_steps"`, `"reason"`,
		`"$defs"`,
	} {
		if at := bytes.Index(s, []byte(name)); at <= last {
			t.Errorf("%s stands at %d, want behind %d", name, at, last)
		} else {
			last = at
		}
	}
}
