package engine

import (
	"context"
	"fmt"
	"os"
	"sync"

	"replanbench/harness/internal/group"
)

// Leash holds the processes that engines have started, so that all of them can be
// ended at once, and finds what they leave behind. It is for a program that runs
// engines and nothing else: on Linux the orphans of all processes that it starts
// become its children.
type Leash struct {
	reaper bool // orphans become children of this process

	mu      sync.Mutex
	held    map[int]*process // by their ids
	started int
	strays  int
}

// NewLeash returns a leash.
func NewLeash() *Leash { return &Leash{reaper: becomeReaper()} }

type leashKey struct{}

// With returns a context whose engines are on the leash.
func (l *Leash) With(ctx context.Context) context.Context {
	return context.WithValue(ctx, leashKey{}, l)
}

// leashOf is the leash of a context, or one of its own.
func leashOf(ctx context.Context) *Leash {
	if l, ok := ctx.Value(leashKey{}).(*Leash); ok {
		return l
	}
	return &Leash{}
}

// Strays is how many processes have left the group of their engine and were still
// there when it had ended. They were ended as well.
func (l *Leash) Strays() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.strays
}

// Kill ends all processes without asking them, and where orphans become children of
// this process all that it has ever started.
func (l *Leash) Kill() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.held {
		group.Kill(p.cmd.Process)
	}
	if l.reaper {
		killDescendants()
	}
}

// markName names the variable by which the children of an engine are known.
const markName = "REPLANBENCH_ENGINE"

// start starts a process, and marks it and whatever it starts.
func (l *Leash) start(p *process) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started++
	p.mark = fmt.Sprintf("%s=%d-%p-%d", markName, os.Getpid(), l, l.started)
	if p.cmd.Env == nil {
		p.cmd.Env = os.Environ()
	}
	p.cmd.Env = append(p.cmd.Env[:len(p.cmd.Env):len(p.cmd.Env)], p.mark)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if l.held == nil {
		l.held = map[int]*process{}
	}
	l.held[p.cmd.Process.Pid] = p
	return nil
}

// over ends what a process that was waited for has left behind. With the last one
// go the orphans of which nobody knows whose they are.
func (l *Leash) over(p *process) {
	pid := p.cmd.Process.Pid
	l.mu.Lock()
	delete(l.held, pid)
	last := len(l.held) == 0
	l.mu.Unlock()
	group.Kill(p.cmd.Process)
	n := killStrays(pid, p.mark, func(child int) bool { return last && l.reaper && !l.holds(child) })
	l.mu.Lock()
	l.strays += n
	l.mu.Unlock()
}

func (l *Leash) holds(pid int) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held[pid] != nil
}
