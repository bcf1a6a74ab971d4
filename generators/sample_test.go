package generators_test

import (
	"testing"

	"replanbench/generators"
	"replanbench/harness"
)

func source(t testing.TB, opts generators.Options) *generators.Source {
	t.Helper()
	s, err := generators.New(harness.PlanPatch, opts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func BenchmarkAt(b *testing.B) {
	s := source(b, generators.Options{})
	b.ReportAllocs()
	var i uint64
	for b.Loop() {
		s.At(1, i)
		i++
	}
}
