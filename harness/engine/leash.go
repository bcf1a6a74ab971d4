package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"replanbench/harness/engine/group"
)

// Leash tracks the processes that engines have started. It can end all of them at once, and it
// finds the processes that they leave behind. It is for a program that only runs engines: on
// Linux the orphans of all its processes become its children.
type Leash struct {
	reaper bool // orphans become children of this process

	mu      sync.Mutex
	held    map[int]*process // by process id
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

// leashOf returns the leash of a context, or a new one.
func leashOf(ctx context.Context) *Leash {
	if l, ok := ctx.Value(leashKey{}).(*Leash); ok {
		return l
	}
	return &Leash{}
}

// Strays counts the processes that left the group of their engine and outlived it. They were
// killed as well.
func (l *Leash) Strays() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.strays
}

// Kill kills all processes without a signal to terminate first. Where orphans become children
// of this process, it kills every descendant.
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

// markName is the environment variable that marks the children of an engine.
const markName = "REPLANBENCH_ENGINE"

// start starts a process and marks it and its descendants.
func (l *Leash) start(p *process) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.started++
	p.mark = fmt.Sprintf("%s=%d-%p-%d", markName, os.Getpid(), l, l.started)
	if p.cmd.Env == nil {
		p.cmd.Env = os.Environ()
	}
	p.cmd.Env = append(slices.Clip(p.cmd.Env), p.mark)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	if l.held == nil {
		l.held = map[int]*process{}
	}
	l.held[p.cmd.Process.Pid] = p
	return nil
}

// over kills the processes that an ended process has left behind. After the last engine it also
// kills the orphans that belong to no known engine.
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
