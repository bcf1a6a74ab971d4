package all

import (
	"os"
	"runtime"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
)

// TestDefectsCompose wraps each defect around the others of its dialect. Some may
// panic on purpose; none may fail with a runtime error.
func TestDefectsCompose(t *testing.T) {
	for _, d := range Dialects() {
		source, err := d.Source(generators.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, first := range d.Defects {
			for j, second := range d.Defects {
				if (i+j)%3 != 0 && !long() {
					continue // one pair in three
				}
				s := source.At(3, uint64(i*len(d.Defects)+j))
				if err := crash(second.Wrap(first.Wrap(d.Eval)), s.Case, s.Profile); err != nil {
					t.Errorf("%s around %s: %v", second.Name, first.Name, err)
				}
			}
		}
	}
}

func long() bool { return os.Getenv("REPLANBENCH_TEST_LONG") != "" }

// crash returns the error of the runtime that an evaluation ends with, or nil.
func crash(eval mutant.Eval, c harness.Case, p harness.Profile) (err error) {
	defer func() { err, _ = recover().(runtime.Error) }()
	c.Plan = c.Plan.Clone()
	eval(c, p)
	return nil
}
