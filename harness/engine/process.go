package engine

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"replanbench/harness"
	"replanbench/harness/engine/group"
	"replanbench/harness/engine/rpc"
)

// process is one running copy of an engine. A single goroutine owns it. Further goroutines
// serve each pipe, wait for the end, and watch memory.
type process struct {
	cmd    *exec.Cmd
	mark   string // in the environment of the process and its children
	leash  *Leash
	stdin  *os.File
	stderr ring
	spoke  chan struct{} // closed at the end of standard error
	lines  chan message  // from standard output; closed at its end
	out    chan request  // to write; closed by end
	exited chan struct{} // closed when the process was waited for
	swept  chan struct{} // closed when its leftover processes were killed
	ended  sync.Once
	lastID int64
	// failures counts the answers for which the engine is blamed.
	failures atomic.Int32
	extra    *message // the first line that came at the end, when no request was open

	mu        sync.Mutex
	condemned *harness.Failure // why the harness ended it, if it did
}

// request is a line for standard input; one without an id is a notification.
type request struct {
	id     int64
	method string
	params []byte
}

// message is a line of standard output and its content.
type message struct {
	line []byte
	rpc.Response
	err error // why it is not a response
}

// spawn starts a process without sending anything.
func spawn(argv []string, o Options, leash *Leash) (*process, error) {
	p := &process{
		lastID: 1 - idStep,
		cmd:    exec.Command(argv[0], argv[1:]...),
		leash:  leash,
		spoke:  make(chan struct{}),
		lines:  make(chan message, 64),
		out:    make(chan request, maxWindow+2), // initialize and shutdown
		exited: make(chan struct{}),
		swept:  make(chan struct{}),
	}
	p.cmd.Dir, p.cmd.Env = o.Dir, o.Env
	group.Own(p.cmd)
	var ours, theirs [3]*os.File
	defer func() { closeAll(theirs[:]) }()
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours[:])
			return nil, startError(argv[0], err)
		}
		if ours[i], theirs[i] = r, w; i == 0 {
			ours[i], theirs[i] = w, r
		}
	}
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
	if err := leash.start(p); err != nil {
		closeAll(ours[:])
		return nil, startError(argv[0], err)
	}
	p.stdin = ours[0]
	go p.write()
	go p.read(ours[1])
	go p.wait(ours[1], ours[2])
	go p.listen(ours[2])
	go p.watchMemory(int64(o.Memory))
	return p, nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// missing explains what to do about a program that is not found.
func missing(name string) string {
	if strings.ContainsRune(name, filepath.Separator) {
		return "no such program (check the path)"
	}
	if _, err := os.Stat(name); err == nil {
		return fmt.Sprintf("no such program in PATH (the file of this name here is .%c%s)", filepath.Separator, name)
	}
	return "no such program in PATH"
}

func startError(name string, err error) error {
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return harness.Mistakef("start the engine: %s: %s", name, missing(name))
	case errors.Is(err, os.ErrPermission):
		return harness.Mistakef("start the engine: %s: the file is not executable (chmod +x, or name its interpreter first)", name)
	case exhausted(err):
		return fmt.Errorf("start the engine: replanbench cannot open more files or processes: %w (raise ulimit -n and -u, "+
			"or use fewer --engines and --workers)", err)
	}
	return fmt.Errorf("start the engine: %w", err)
}

// write writes requests until out is closed. All waiting requests go out in one write. It
// ignores write errors, because the end of standard output reports them.
func (p *process) write() {
	defer p.stdin.Close()
	w := bufio.NewWriterSize(p.stdin, 64<<10)
	var line []byte
	for r := range p.out {
		if line = line[:0]; r.id > 0 {
			line = rpc.AppendRequest(line, r.id, r.method, r.params)
		} else {
			line = rpc.AppendShutdown(line)
		}
		_, err := w.Write(line)
		if err == nil && len(p.out) == 0 {
			err = w.Flush()
		}
		if err != nil {
			for range p.out { // until it is closed
			}
		}
	}
	_ = w.Flush()
}

// read sends the lines of standard output to the owner.
func (p *process) read(stdout *os.File) {
	defer close(p.lines)
	defer stdout.Close()
	lines := rpc.NewLineReader(stdout, 0)
	for {
		line, err := lines.Next()
		if errors.Is(err, rpc.ErrTooLong) {
			p.condemn(failure(protocol, "printed %v", err))
		}
		if err != nil {
			return
		}
		if len(line) > 0 {
			r, err := rpc.DecodeResponse(line)
			p.lines <- message{line, r, err}
		}
	}
}

// listen keeps the end of standard error.
func (p *process) listen(stderr *os.File) {
	defer close(p.spoke)
	defer stderr.Close()
	_, _ = io.Copy(&p.stderr, stderr) // it ends when the process does
}

// wait reaps the process and kills its children. If an unknown child keeps the pipes open, they
// are read for a short time only.
func (p *process) wait(stdout, stderr *os.File) {
	_ = p.cmd.Wait() // the process state reports the error
	close(p.exited)
	p.leash.over(p)
	close(p.swept)
	limit := time.Now().Add(drain)
	_ = stdout.SetReadDeadline(limit) // fails only if it is already closed
	_ = stderr.SetReadDeadline(limit)
	_ = p.stdin.SetWriteDeadline(limit)
}

// condemn kills the process for a reason; the first one counts.
func (p *process) condemn(f *harness.Failure) {
	p.mu.Lock()
	if p.condemned == nil {
		p.condemned = f
	}
	p.mu.Unlock()
	p.signal(group.Kill)
}

// signal sends a signal to the group, unless the process was reaped: then its group was killed,
// and another process may have its id.
func (p *process) signal(send func(*os.Process)) {
	select {
	case <-p.exited:
	default:
		send(p.cmd.Process)
	}
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// end asks the process group to end, kills it after the grace, and waits until
// it is gone.
func (p *process) end(grace time.Duration) {
	p.ended.Do(func() {
		close(p.out)
		p.signal(group.Terminate)
		p.await(grace)
	})
}

// shutdown ends an idle process: it sends the shutdown notification, and a signal only if the
// process does not exit by itself. The failure reports an error of the process while it ends.
func (p *process) shutdown(grace time.Duration) (f *harness.Failure) {
	p.ended.Do(func() {
		select { // full only if the process reads nothing
		case p.out <- request{method: rpc.Shutdown}:
		default:
		}
		close(p.out)
		asked := !p.gone(grace)
		if asked {
			p.signal(group.Terminate)
		}
		p.await(grace)
		switch {
		case p.extra != nil:
			f = stray(p.extra.line, "it came when no request was open")
		case !asked && !p.cmd.ProcessState.Success():
			f = failure(crash, "%s when it was asked to shut down", group.ExitText(p.cmd.ProcessState))
		default:
			return
		}
		<-p.spoke
		_ = p.blame(f)
	})
	return f
}

// await waits for the end of the process and kills it after the grace.
func (p *process) await(grace time.Duration) {
	if !p.gone(grace) {
		p.signal(group.Kill)
		<-p.exited
	}
	<-p.swept
	for m := range p.lines { // the reader must not block
		if p.extra == nil {
			p.extra = &m
		}
	}
}

// gone waits for the process to exit by itself and reads its remaining output.
func (p *process) gone(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	lines := p.lines
	for {
		select {
		case <-p.exited:
			return true
		case <-timer.C:
			return false
		case m, ok := <-lines:
			if !ok {
				lines = nil
			} else if p.extra == nil {
				p.extra = &m
			}
		}
	}
}

// autopsy explains why standard output ended.
func (p *process) autopsy() *harness.Failure {
	f := failure(crash, "closed its standard output but did not exit")
	if p.gone(drain) {
		<-p.spoke
		f = failure(crash, "%s", group.ExitText(p.cmd.ProcessState))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.condemned != nil {
		f = failure(p.condemned.Kind, "%s", p.condemned.Detail)
	}
	return p.blame(f)
}

// blame adds the end of standard error to a failure.
func (p *process) blame(f *harness.Failure) *harness.Failure {
	f.Stderr = p.stderr.String()
	return f
}

// send writes a request and returns its id. Ids are odd, so that an engine that counts ids
// itself cannot guess the next one.
func (p *process) send(method string, params []byte) int64 {
	p.lastID += idStep
	p.out <- request{p.lastID, method, params}
	return p.lastID
}

// startHint says what an engine that ended at once must do.
func startHint(stderr string) string {
	if strings.Contains(stderr, `Unknown file extension ".mts"`) || strings.Contains(stderr, `Unknown file extension ".ts"`) ||
		strings.Contains(stderr, "Cannot find package 'tsx'") {
		return "this Node runs no TypeScript: npm install --save-dev tsx, then node --import tsx FILE"
	}
	return "it must answer, then wait for more requests"
}

// hello sends initialize and reads the declaration.
func (p *process) hello(ctx context.Context, o Options) (harness.Hello, error) {
	id := p.send(rpc.Initialize, initializeParams())
	timer := time.NewTimer(o.Start)
	defer timer.Stop()
	select {
	case m, ok := <-p.lines:
		if !ok {
			f := p.autopsy()
			f.Detail += " before it answered initialize (" + startHint(f.Stderr) + ")"
			return harness.Hello{}, f
		}
		h, err := readHello(m, id)
		if f := (*harness.Failure)(nil); errors.As(err, &f) {
			_ = p.blame(f)
		}
		return h, err
	case <-timer.C:
		return harness.Hello{}, p.blame(failure(hang,
			"did not answer initialize within %v (does it read standard input line by line, and flush what it prints?)",
			o.Start))
	case <-ctx.Done():
		return harness.Hello{}, ctx.Err()
	}
}

// idStep is the distance between the ids of two requests. The first id is 1.
const idStep = 2

// maxWindow limits the declared window.
const maxWindow = 1024

func readHello(m message, id int64) (harness.Hello, error) {
	switch {
	case m.err != nil:
		return harness.Hello{}, stray(m.line, m.err.Error())
	case m.ID != id:
		return harness.Hello{}, stray(m.line, fmt.Sprintf("no request has the id %d", m.ID))
	case m.Error != nil:
		return harness.Hello{}, failure(protocol, "answered initialize with an error: %s", quote([]byte(m.Error.Message)))
	}
	h, err := rpc.DecodeHello(m.Result)
	if err != nil {
		return harness.Hello{}, failure(protocol, "answered initialize wrongly: %v", err)
	}
	h.Window = min(h.Window, maxWindow)
	h.Remote = true
	return h, nil
}
