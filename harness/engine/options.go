package engine

import (
	"cmp"
	"time"

	"replanbench/harness"
)

// Options bound what an engine may take. The zero value stands for the
// defaults.
type Options struct {
	// Processes is how many copies of a subprocess run at once; default 1.
	Processes int
	// Dir is the directory in which the process runs; default: this one's.
	Dir string
	// Env is the environment of the process; nil is that of this process.
	Env []string
	// Deadline is the time for one case; default 2 s. It counts from when the
	// case was sent or, if other cases were under way, from the last answer:
	// an engine may work them off one after the other.
	Deadline time.Duration
	// Start is the time for the handshake; default 10 s.
	Start time.Duration
	// Grace is the time between asking a process to end and killing it;
	// default 2 s.
	Grace time.Duration
	// MaxRestarts is how often a process is started anew after a crash or a
	// hang, over all copies, before Eval gives up with harness.ErrStopped;
	// default 20; see [NoRestart]. Over HTTP it is how often in a row the
	// endpoint may be out of reach.
	MaxRestarts int
	// Memory is how many bytes the processes of one copy may hold together;
	// 0 is no limit. See [MemoryWatched].
	Memory int64
	// Restate changes what the engine declares; nil changes nothing. Cases that the
	// changed declaration covers are sent, whatever the engine declares itself.
	Restate func(harness.Hello) harness.Hello

	clock clock // of tests; the zero value is the time of the machine
}

// clock tells for how long an engine is silent.
type clock struct {
	now  func() time.Time
	tick time.Duration // in place of [Options.tick]
}

// NoRestart is the value of [Options.MaxRestarts] for an engine that is given
// up at its first crash or hang.
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

// tick is how often it is looked whether an engine is silent for too long.
func (o Options) tick() time.Duration {
	return cmp.Or(o.clock.tick, max(o.Deadline/10, time.Millisecond))
}

// settle is how long an answer is held back for a second answer to the same
// request, which would make both void. While other requests are under way, the next
// answer delivers it. An engine that sent such lines before gets settleNoisy, so
// that the same case is to blame in every run.
const (
	settle      = 100 * time.Microsecond
	settleNoisy = 5 * time.Millisecond
)

// settleAlone is the same for a case that is replayed with nothing else under
// way, to find out which one is to blame.
const settleAlone = 20 * time.Millisecond

// drain is how long after its end the last words of a process are waited for.
// A child that it left behind may hold the pipes open for ever.
const drain = 200 * time.Millisecond
