package gentest

import (
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/generators"
)

// Subsets plants every subset of the traits of samples that have any, n of them,
// and checks each one. A sample with fewer of its traits must be the same
// sample without the others: subsets keep the locations of traits, and the
// plan changes only with traits of the base.
func Subsets(t *testing.T, maker Maker, n uint64, agree func(generators.Sample) error) {
	t.Helper()
	s := Source(t, maker, generators.Options{})
	base := map[string]bool{}
	for _, trait := range s.Traits() {
		base[trait.Name] = trait.Base
	}
	for i, last := s.Mix(), s.Mix()+2*n; i < last; i++ {
		whole := s.At(5, i)
		if all := s.Keeping(5, i, whole.Traits).Case; !reflect.DeepEqual(whole.Case, all) { // cmp.Diff is slow
			t.Fatalf("case %d with all of its traits is not the case:\n%s", i, cmp.Diff(whole.Case, all))
		}
		fixed := !slices.ContainsFunc(whole.Traits, func(name string) bool { return base[name] })
		for set := range 1 << len(whole.Traits) {
			var kept []string
			for k, name := range whole.Traits {
				if set>>k&1 == 1 {
					kept = append(kept, name)
				}
			}
			part := s.Keeping(5, i, kept)
			if !slices.Equal(part.Traits, kept) {
				t.Fatalf("case %d has %v; of %v it keeps %v", i, whole.Traits, kept, part.Traits)
			}
			if fixed && string(part.Case.Plan) != string(whole.Case.Plan) {
				t.Fatalf("case %d with %v has another plan than with %v:\n%s\n%s", i, kept, whole.Traits, part.Case.Plan,
					whole.Case.Plan)
			}
			if err := agree(part); err != nil {
				t.Fatalf("case %d with %v of %v: %v", i, kept, whole.Traits, err)
			}
		}
	}
}
