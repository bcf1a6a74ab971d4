package defect_test

import (
	"reflect"
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/defect"
	"replanbench/harness/dialect/todos/generate"
	"replanbench/harness/dialect/todos/rules"
	"replanbench/harness/testdata/gentest"
)

// TestEachDefectShows finds for every defect a sample that it answers otherwise,
// among those with one trait, and none among plain ones, but for defects that are
// wrong about every rewrite.
func TestEachDefectShows(t *testing.T) {
	always := map[string]bool{
		"new-items-in-front": true, "half-applied-list": true, "every-item-is-new": true,
	}
	source := gentest.Source(t, generate.New, generators.Options{})
	var samples []generators.Sample
	var right []harness.Outcome
	for i := range uint64(generators.PlainCases + 10*len(generate.Traits())) {
		s := source.At(5, i)
		samples, right = append(samples, s), append(right, rules.Eval(s.Case, s.Profile))
	}
	for _, d := range defect.Defects() {
		wrong := d.Wrap(rules.Eval)
		plain, shown := 0, 0
		for i, s := range samples {
			if !reflect.DeepEqual(wrong(s.Case, s.Profile), right[i]) {
				shown++
				if s.Valid {
					plain++
				}
			}
		}
		if shown == 0 || plain > 0 && !always[d.Name] {
			t.Errorf("%s shows in %d samples, %d of them plain", d.Name, shown, plain)
		}
	}
	if n := len(defect.Defects()); n < 40 {
		t.Errorf("only %d defects", n)
	}
}

// TestDefectsCompose evaluates with every two defects that follow each other.
func TestDefectsCompose(t *testing.T) {
	source := gentest.Source(t, generate.New, generators.Options{})
	list := defect.Defects()
	for i := range list {
		both := list[(i+1)%len(list)].Wrap(list[i].Wrap(rules.Eval))
		for k := range uint64(60) {
			s := source.At(6, 40+17*k)
			before := string(s.Case.Plan)
			if out := both(s.Case, s.Profile); out.Verdict == "" || string(s.Case.Plan) != before {
				t.Fatalf("%s, then %s: the verdict is %q; the plan of the case is %s", list[i].Name, list[(i+1)%len(list)].Name,
					out.Verdict, s.Case.Plan)
			}
		}
	}
}
