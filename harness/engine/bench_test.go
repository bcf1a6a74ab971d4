package engine_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/rpc"
)

// The engines of the benchmarks answer without reading what they are asked, so
// that what is measured is the way there and back. The answer is that of a
// patch that was applied to a plan of eight steps.

const benchWindow = 64

// serveBench answers every request with the same outcome, one write a line, as
// engines do; work is how long it is busy with each.
func serveBench(work time.Duration) {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	result := benchResult()
	for {
		line, err := in.ReadSlice('\n')
		if err != nil || !bytes.Contains(line[:min(len(line), 80)], []byte(`"id":`)) {
			return
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(`,`))
		answer := result
		if bytes.Contains(line[:min(len(line), 80)], []byte(rpc.Initialize)) {
			answer = fmt.Sprintf(`{"protocol":1,"engine":{"name":"bench"},"window":%d,"dialects":{"planpatch":{}}}`, benchWindow)
		} else if work > 0 {
			start := time.Now()
			for time.Since(start) < work { // work, not sleep
			}
		}
		os.Stdout.WriteString(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":` + answer + "}\n")
	}
}

func benchPlan() string {
	var b strings.Builder
	b.WriteString(`{"title":"Fix the login","steps":[`)
	for i := range 8 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"step_%d","description":"Write down what was found","dependencies":[],"status":"pending","tools_expected":["read_file"]}`, i)
	}
	b.WriteString(`]}`)
	return b.String()
}

func benchResult() string { return `{"verdict":"applied","plan":` + benchPlan() + `}` }

func benchCase() harness.Case {
	return harness.Case{
		Dialect: harness.PlanPatch, Plan: []byte(benchPlan()),
		Replies: []harness.Reply{`{"type":"PlanPatch","add_steps":[{"id":"step_9","description":"Run the tests","dependencies":["step_1"],"tools_expected":["run_tests"]}],"reason":"to be sure"}`},
	}
}

// BenchmarkEcho is the bare rate of the pipe: the same bytes as those of
// BenchmarkSubprocess to the same process, with as many under way, and nothing
// read into them.
func BenchmarkEcho(b *testing.B) {
	params, err := rpc.EncodeEval(rpc.EvalParams{DeadlineMS: 2000, Case: benchCase()})
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), behaviourEnv+"=bench")
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	lines := bufio.NewReaderSize(out, 64<<10)
	slots := make(chan struct{}, benchWindow)
	b.ResetTimer()
	go func() {
		defer in.Close()
		for i := range b.N {
			slots <- struct{}{}
			if _, err := in.Write(rpc.AppendRequest(nil, int64(i+1), rpc.Eval, params)); err != nil {
				return
			}
		}
	}()
	for range b.N {
		if _, err := lines.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		<-slots
	}
	b.StopTimer()
	if _, err := io.Copy(io.Discard, lines); err != nil {
		b.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}

// BenchmarkSubprocess is the rate of whole evaluations: encoding, the pipe,
// decoding and checking the answer.
func BenchmarkSubprocess(b *testing.B) {
	e := startBench(b, "bench")
	b.ResetTimer()
	pump(b, e, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}

// BenchmarkBusy is an engine that works 150 µs on each case: how much of the
// time it is kept at work.
func BenchmarkBusy(b *testing.B) {
	const work = 150 * time.Microsecond
	e := startBench(b, "bench 150µs")
	b.ResetTimer()
	pump(b, e, b.N)
	b.ReportMetric(100*float64(work)*float64(b.N)/float64(b.Elapsed()), "%busy")
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cases/s")
}

func startBench(b *testing.B, behaviour string) *engine.Subprocess {
	e, err := engine.Start(b.Context(), []string{os.Args[0]}, engine.Options{Env: append(os.Environ(), behaviourEnv+"="+behaviour)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { e.Close() })
	return e
}

// pump evaluates n cases with the engine's window full.
func pump(b *testing.B, e harness.Engine, n int) {
	c := benchCase()
	hello, err := e.Hello(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	var workers sync.WaitGroup
	for w := range hello.Window {
		workers.Go(func() {
			for i := w; i < n; i += hello.Window {
				if _, err := e.Eval(b.Context(), c); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
}
