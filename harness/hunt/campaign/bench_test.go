package campaign

import (
	"testing"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/judge"
)

// bench is the campaign that the command fuzz runs against the reference: the
// default mix of a dialect, judged by every check.
func bench(dialect string, cases int) Config {
	return Config{
		Dialect: dialect, Seed: 1, Cases: uint64(cases),
		Engine: reference.New(), Fresh: func() (harness.Engine, error) { return reference.New(), nil },
		Judging: judge.Options{Reference: reference.New(), SampleReference: true},
	}
}

// BenchmarkLoop is the whole loop: make a case, write it as text, read it, apply
// it, judge the outcome, count what was covered. An operation is a case. Beside
// it is the ceiling, measured in the same run. With -cpu 1 all figures are
// for one core.
func BenchmarkLoop(b *testing.B) {
	for _, dialect := range all.Names() {
		b.Run(dialect, func(b *testing.B) { loop(b, dialect) })
	}
}

func loop(b *testing.B, dialect string) {
	b.ReportAllocs()
	run, err := Start(b.Context(), bench(dialect, b.N))
	if err != nil || run.Ran != uint64(b.N) || len(run.Result.Groups) > 0 {
		b.Fatalf("%d of %d cases, %d groups of findings: %v", run.Ran, b.N, len(run.Result.Groups), err)
	}
	b.StopTimer()
	ceiling, err := Ceiling(b.Context(), bench(dialect, b.N), b.N)
	if err != nil {
		b.Fatal(err)
	}
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "cases/s")
	b.ReportMetric(ceiling, "ceiling-cases/s")
	b.ReportMetric(100*rate/ceiling, "%-of-ceiling")
}

// BenchmarkMake is the generator alone.
func BenchmarkMake(b *testing.B) {
	source, err := all.Source("planpatch", generators.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := range b.N {
		source.At(1, uint64(i))
	}
}

// BenchmarkReadAndApply is the reference alone.
func BenchmarkReadAndApply(b *testing.B) {
	b.ReportAllocs()
	if _, err := Ceiling(b.Context(), bench("planpatch", b.N), b.N); err != nil {
		b.Fatal(err)
	}
}
