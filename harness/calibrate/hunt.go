package calibrate

import (
	"context"
	"fmt"

	"replanbench/harness"
	"replanbench/harness/campaign"
	"replanbench/harness/finding"
	"replanbench/harness/judge"
	"replanbench/harness/reference"
)

// hunter looks for one defect with one seed.
type hunter struct {
	dialect string
	engine  func() harness.Engine
	seed    uint64
	cases   int
}

// hunt runs a campaign that ends with its first finding.
func (h hunter) hunt(ctx context.Context) (Hunt, error) {
	run, err := campaign.Start(ctx, campaign.Config{
		Dialect: h.dialect, Seed: h.seed, Cases: uint64(h.cases), MaxFindings: 1,
		Engine: h.engine(), Fresh: func() (harness.Engine, error) { return h.engine(), nil },
		Judging: judge.Options{Reference: reference.New()},
	})
	if err != nil {
		return Hunt{}, fmt.Errorf("a campaign with seed %d: %w", h.seed, err)
	}
	list := run.Result.Findings()
	if len(list) == 0 {
		return Hunt{Seed: h.seed, Cases: h.cases}, nil
	}
	f := list[0]
	return Hunt{
		Seed: h.seed, Cases: int(f.CaseIndex) + 1, Check: f.Invariant, Message: f.Message, Flaky: f.Kind == finding.Flaky,
		Case: f.Case, Steps: f.Shrunk.To.Steps, Operations: f.Shrunk.To.Operations,
	}, nil
}
