package suite

import (
	"context"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/hunt/judge"
)

// LevelOf returns the narrowest level at which an outcome with these differences from the
// expected one counts as a failure.
func LevelOf(ctx context.Context, hello harness.Hello, c harness.Case, out harness.Outcome,
	differences []outcome.Path,
) (harness.Level, error) {
	judged, err := judge.Given(ctx, hello, all.Rules(c.Dialect), judge.Options{}, judge.Item{Case: c}, out)
	if err != nil {
		return "", err
	}
	for _, b := range judged.Breaks {
		if b.Level == harness.JudgeSafety {
			return harness.JudgeSafety, nil
		}
	}
	members := all.Members(c.Dialect)
	for _, d := range differences {
		name, _, _ := strings.Cut(strings.TrimPrefix(d.Pointer, "/"), "/")
		if m := members.Find(name); name == "verdict" || m != nil && m.Content {
			return harness.JudgeRules, nil
		}
	}
	return harness.JudgeExact, nil
}
