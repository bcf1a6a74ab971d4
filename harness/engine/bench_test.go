package engine_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine"
	"replanbench/harness/engine/rpc"
)

// The engines of the benchmarks answer without reading the case, so that a benchmark measures
// the transport only. The answer is a patch applied to a plan of eight steps.

const benchWindow = 64

// serveBench answers every request with the same outcome and writes one line at a time, as
// engines do. work is the time that it spends on each request. The message of an outcome
// reports how long the engine has waited for requests and how long it has run.
func serveBench(work time.Duration) {
	in := bufio.NewReaderSize(os.Stdin, 64<<10)
	var idle time.Duration
	var begun time.Time
	for {
		waiting := time.Now()
		line, err := in.ReadSlice('\n')
		if err != nil || !bytes.Contains(line[:min(len(line), 80)], []byte(`"id":`)) {
			return
		}
		_, rest, _ := bytes.Cut(line, []byte(`"id":`))
		id, _, _ := bytes.Cut(rest, []byte(`,`))
		if bytes.Contains(line[:min(len(line), 80)], []byte(rpc.Initialize)) {
			fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"engine":{"name":"bench"},"window":%d,"dialects":{"planpatch":{}}}}`+"\n", id, benchWindow)
			continue
		}
		now := time.Now()
		if begun.IsZero() {
			begun, waiting = now, now
		}
		idle += now.Sub(waiting)
		for work > 0 && time.Since(now) < work {
			continue // busy, not asleep
		}
		os.Stdout.WriteString(`{"jsonrpc":"2.0","id":` + string(id) + `,"result":{"verdict":"applied",` +
			benchMember(work > 0, idle, time.Since(begun)) + "}}\n")
	}
}

// benchMember is the plan, with the times if they are needed.
func benchMember(timed bool, idle, total time.Duration) string {
	if !timed {
		return `"plan":` + benchPlan
	}
	return fmt.Sprintf(`"message":"%d %d","plan":%s`, idle, total, benchPlan)
}

const benchPlan = `{"title":"Fix the login","steps":[` +
	benchStep + "1" + benchRest + "," + benchStep + "2" + benchRest + "," + benchStep + "3" + benchRest + "," +
	benchStep + "4" + benchRest + "," +
	benchStep + "5" + benchRest + "," + benchStep + "6" + benchRest + "," + benchStep + "7" + benchRest + "," +
	benchStep + "8" + benchRest + `]}`

const (
	benchStep = `{"id":"step_`
	benchRest = `","description":"Write down what was found","dependencies":[],"status":"pending","tools_expected":["read_file"]}`
)

func benchCase() harness.Case {
	return harness.Case{
		Dialect: "planpatch", Plan: []byte(benchPlan),
		Replies: []harness.Reply{`{"type":"PlanPatch","add_steps":[{"id":"step_9","description":"Run the tests","dependencies":["step_1"],"tools_expected":["run_tests"]}],"reason":"to be sure"}`},
	}
}

// BenchmarkOverhead is what the harness costs against a bare loop over the same
// pipe, in which the same bytes go to and fro with nothing watched. Both keep 64
// requests under way in a process of the same program, and take turns, so that
// a loaded machine slows both down.
//
//   - transport: what the supervisor costs. The case is encoded once, and the
//     answers are not decoded, on either side.
//   - whole: whole evaluations. On either side each case is encoded and each
//     answer decoded and checked, which takes longer than the way to and fro.
//   - busy: how much of its time an engine that works 150 µs on each case is
//     kept at work, by its own clock.
func BenchmarkOverhead(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(800)) // like the command fuzz
	b.Run("transport", benchTransport)
	b.Run("whole", benchWhole)
	b.Run("busy", benchBusy)
}

// BenchmarkFailedAnswers measures an engine that answers each case with an error: the wait for its
// output on standard error must not be paid each time.
func BenchmarkFailedAnswers(b *testing.B) {
	e := startBench(b, "a JSON-RPC error")
	for b.Loop() {
		if _, err := e.Eval(b.Context(), testCase(trigger)); err == nil {
			b.Fatal("the engine did not fail")
		}
	}
}

const benchRound = 6400

func benchTransport(b *testing.B) {
	e, bare := startBench(b, "bench"), startEcho(b)
	params := encodeBench(b)
	against(b, func() {
		bare.pump(b, func() []byte { return params }, func([]byte) {})
	}, func() { e.Transport(b, params, benchRound) })
}

func benchWhole(b *testing.B) {
	e, bare := startBench(b, "bench"), startEcho(b)
	against(b, func() {
		bare.pump(b, func() []byte { return encodeBench(b) }, func(line []byte) {
			r, err := rpc.DecodeResponse(line)
			if err == nil {
				_, err = rpc.DecodeOutcome(harness.Case{Dialect: "planpatch"}, r.Result)
			}
			if err != nil {
				b.Error(err)
			}
		})
	}, func() { pump(b, e, benchRound) })
}

// against reports how many of benchRound cases a second the harness does, and
// how many the bare loop.
func against(b *testing.B, loop, harness func()) {
	var bare, whole time.Duration
	for b.Loop() {
		start := time.Now()
		loop()
		middle := time.Now()
		harness()
		bare, whole = bare+middle.Sub(start), whole+time.Since(middle)
	}
	n := float64(b.N) * benchRound
	b.ReportMetric(n/whole.Seconds(), "cases/s")
	b.ReportMetric(n/bare.Seconds(), "bare/s")
	b.ReportMetric(100*bare.Seconds()/whole.Seconds(), "%of-bare")
}

func encodeBench(b *testing.B) []byte {
	params, err := rpc.EncodeEval(rpc.EvalParams{DeadlineMS: 2000, Case: benchCase()})
	if err != nil {
		b.Error(err)
	}
	return params
}

func benchBusy(b *testing.B) {
	const round = 500
	e := startBench(b, "bench 150µs")
	for b.Loop() {
		pump(b, e, round)
	}
	out, err := e.Eval(b.Context(), benchCase())
	if err != nil {
		b.Fatal(err)
	}
	var idle, total time.Duration
	if _, err := fmt.Sscan(out.Message, &idle, &total); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(100*float64(total-idle)/float64(total), "%busy")
}

// echoPipe is a process that answers every request, with the loop that drives it.
type echoPipe struct {
	in     io.WriteCloser
	lines  *bufio.Reader
	lastID int64
}

func startEcho(b *testing.B) *echoPipe {
	b.Helper()
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
	b.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	})
	return &echoPipe{in: in, lines: bufio.NewReaderSize(out, 64<<10)}
}

// pump sends benchRound requests and reads the answers.
func (p *echoPipe) pump(b *testing.B, params func() []byte, answer func(line []byte)) {
	slots := make(chan struct{}, benchWindow)
	go func() {
		var line []byte
		for range benchRound {
			slots <- struct{}{}
			p.lastID++
			line = rpc.AppendRequest(line[:0], p.lastID, rpc.Eval, params())
			if _, err := p.in.Write(line); err != nil {
				b.Error(err)
				return
			}
		}
	}()
	for range benchRound {
		line, err := p.lines.ReadSlice('\n')
		if err != nil {
			b.Fatal(err)
		}
		answer(line[:len(line)-1])
		<-slots
	}
}

func startBench(b *testing.B, behaviour string) *engine.Subprocess {
	e, err := engine.Start(b.Context(), []string{os.Args[0]},
		engine.Options{Env: append(os.Environ(), behaviourEnv+"="+behaviour)})
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
