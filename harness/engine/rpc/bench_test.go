package rpc_test

import (
	"fmt"
	"strings"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine/rpc"
)

// benchPlan is a plan of eight steps, about a thousand bytes.
func benchPlan() string {
	var steps []string
	for i := range 8 {
		steps = append(steps, fmt.Sprintf(`{"id":"step_%d","description":"Write down what was found","dependencies":[],"status":"pending","tools_expected":["read_file"]}`, i+1))
	}
	return `{"title":"Fix the login","steps":[` + strings.Join(steps, ",") + `]}`
}

// BenchmarkEncodeEval measures the encoding of a case for an engine.
func BenchmarkEncodeEval(b *testing.B) {
	p := rpc.EvalParams{DeadlineMS: 2000, Case: harness.Case{
		Dialect: "planpatch", Plan: []byte(benchPlan()),
		Replies: []harness.Reply{`{"type":"PlanPatch","add_steps":[{"id":"step_9","description":"Run the tests","dependencies":["step_1"]}],"reason":"to be sure"}`},
	}}
	for b.Loop() {
		line, err := rpc.EncodeEval(p)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(int64(len(line)))
	}
}

// BenchmarkDecodeOutcome measures decoding and checking an engine's answer.
func BenchmarkDecodeOutcome(b *testing.B) {
	for _, bench := range []struct{ name, result string }{
		{"usual", `{"verdict":"applied","plan":` + benchPlan() + `}`},
		{"rejected", `{"verdict":"rejected","code":"unknown_step","at":"/update_steps/0"}`},
		{"full", `{"verdict":"applied","tier":"repaired","rung":"patch","repairs":[{"rule":"comment"}],"plan":` +
			benchPlan() + `,"meta":{"added":1},"warnings":[{"code":"truncated","ids":["x"]}]}`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := rpc.DecodeOutcome(harness.Case{Dialect: "planpatch"}, []byte(bench.result)); err != nil {
					b.Fatal(err)
				}
			}
			b.SetBytes(int64(len(bench.result)))
		})
	}
}
