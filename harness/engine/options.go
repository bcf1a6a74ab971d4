package engine

import (
	"cmp"
	"time"

	"replanbench/harness"
)

// Options limit an engine. The zero value means the defaults.
type Options struct {
	// Processes is how many copies of a subprocess run at once; default 1.
	Processes int `name:"engines" key:"limits.processes" default:"1" range:"1,256" rare:"" help:"number of copies of the engine's command that run at once"`
	// Dir is the working directory of the process; default: the current one.
	Dir string
	// Env is the environment of the process; nil means this process's environment.
	Env []string
	// Deadline is the time limit for one case; default 2 s. It starts when the case was sent
	// or, with several open cases, at the last answer, because an engine may evaluate them in
	// sequence.
	Deadline time.Duration `name:"timeout" key:"limits.timeout" help:"time limit of the engine for one case (default 2s for a separate process, 10s in this one)"`
	// Start is the time limit for initialize; default 10 s.
	Start time.Duration
	// Grace is the time between asking a process to end and killing it;
	// default 2 s.
	Grace time.Duration
	// MaxRestarts limits the restarts after a hang, and after a crash without an answer since, over
	// all copies; then Eval fails with harness.ErrStopped. Default 20; see [NoRestart]. Over HTTP it limits how often in a
	// row the endpoint may be unreachable.
	MaxRestarts int `key:"limits.restarts" default:"20" range:"0," rare:"" help:"restarts of the engine's command before the run stops; one after a crash counts until the engine answers"`
	// Memory limits the bytes of memory of one copy's processes; 0 means no limit. See
	// [MemoryWatched].
	Memory Bytes `name:"engine-memory" key:"limits.memory" default:"2GiB" rare:"" help:"memory limit of each copy of the engine with its children (0: none; Linux only)"`
	// Restate changes the engine's declaration; nil changes nothing. Cases that fit the changed
	// declaration are sent, whatever the engine itself declares.
	Restate func(harness.Hello) harness.Hello

	clock clock // set by tests; the zero value is the system clock
}

// clock measures how long an engine is silent.
type clock struct {
	now  func() time.Time
	tick time.Duration // replaces [Options.tick]
}

// NoRestart is the value of [Options.MaxRestarts] that gives an engine up at its first crash or
// hang.
const NoRestart = -1

func (o Options) withDefaults() Options {
	o.Processes = max(1, o.Processes)
	o.Deadline = cmp.Or(o.Deadline, 2*time.Second)
	o.Start = cmp.Or(o.Start, 10*time.Second)
	o.Grace = cmp.Or(o.Grace, 2*time.Second)
	o.MaxRestarts = max(0, cmp.Or(o.MaxRestarts, 20))
	if o.Restate == nil {
		o.Restate = func(h harness.Hello) harness.Hello { return h }
	}
	if o.clock.now == nil {
		o.clock = clock{now: time.Now}
	}
	return o
}

// tick is the interval of the checks for a silent engine.
func (o Options) tick() time.Duration {
	return cmp.Or(o.clock.tick, max(o.Deadline/10, time.Millisecond))
}

// settle is how long an answer is held back for a second answer to the same request, which
// makes both invalid. While other requests are open, the next answer delivers it. An engine
// that has sent stray lines gets settleNoisy, so that every run blames the same case.
const (
	settle      = 100 * time.Microsecond
	settleNoisy = 5 * time.Millisecond
)

// settleAlone replaces settle for a case that is replayed alone to find the one to blame.
const settleAlone = 20 * time.Millisecond

// patientFailures is how many failed answers of a process get settleAlone for their output on
// standard error. Later ones get settleFailed.
const (
	patientFailures = 4
	settleFailed    = time.Millisecond
)

// drain is how long to read the rest of standard error after a process has ended. A child that
// it left behind may keep the pipes open for ever.
const drain = 200 * time.Millisecond
