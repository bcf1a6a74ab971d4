package scenarios_test

import (
	"testing"

	"replanbench/scenarios"
)

func TestBuiltinLoads(t *testing.T) {
	all, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		t.Logf("%s\n%s", s.ID, s.Format())
	}
}
