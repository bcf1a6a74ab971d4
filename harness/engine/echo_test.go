package engine_test

import (
	"context"

	"replanbench/harness"
)

// echo is an engine that rejects every case with the first reply as message.
type echo struct{ window int }

func (e echo) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{
		Name: "echo", Version: "1", Window: max(4, e.window),
		Dialects: map[string]harness.Declaration{"planpatch": {Profile: harness.Reference()}},
	}, nil
}

func (echo) Eval(_ context.Context, c harness.Case) (harness.Outcome, error) {
	return harness.Outcome{Verdict: harness.Rejected, Code: harness.EmptyPatch, Message: string(c.Replies[0])}, nil
}

func (echo) Close() error { return nil }
