// Package launch runs the command of an agent or server once, in an empty working
// directory, with an empty HOME, and with an environment that has only what the
// command needs to find the endpoint. At the end it removes the directories and
// ends the processes that the command left.
package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/group"
)

// Place is where an agent runs: it outlives the command, so that a second run
// finds what the first one left.
type Place struct {
	root string
	vars Variables
}

// Variables are the values that replace their names in settings.
type Variables struct {
	URL   string // of the endpoint, without a path
	Key   string
	Model string
}

// Expand puts the values in the place of {url}, {key} and {model}.
func (v Variables) Expand(text string) string {
	return strings.NewReplacer("{url}", v.URL, "{key}", v.Key, "{model}", v.Model).Replace(text)
}

// NewPlace makes a place. The caller removes it.
func NewPlace(v Variables) (*Place, error) {
	root, err := os.MkdirTemp("", "replanbench-agent-")
	if err != nil {
		return nil, err
	}
	p := &Place{root: root, vars: v}
	for _, dir := range []string{p.Home(), p.Dir(), p.temporary()} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, errors.Join(err, p.Remove())
		}
	}
	return p, nil
}

// Home returns the HOME of the agent.
func (p *Place) Home() string { return filepath.Join(p.root, "home") }

// Dir returns the working directory of the agent.
func (p *Place) Dir() string { return filepath.Join(p.root, "project") }

func (p *Place) temporary() string { return filepath.Join(p.root, "tmp") }

// Empty removes all files in HOME and in the working directory.
func (p *Place) Empty() error {
	for _, dir := range []string{p.Home(), p.Dir()} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Remove takes the place away. Files that cannot be removed at once, since a
// process still writes, are tried again.
func (p *Place) Remove() (err error) {
	for range 5 {
		if err = os.RemoveAll(p.root); err == nil {
			return nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	return err
}

// Write writes a file of settings, below HOME if home is true, else below the working
// directory.
func (p *Place) Write(name string, home bool, content string) error {
	dir := p.Dir()
	if home {
		dir = p.Home()
	}
	if !filepath.IsLocal(name) {
		return harness.Mistakef("the settings file %q is outside its directory", name)
	}
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(p.vars.Expand(content)), 0o600)
}

// Command is what to run.
type Command struct {
	Args []string
	// Env are further variables, NAME=VALUE, in which {url}, {key} and {model} are
	// replaced. They win over the variables that every agent gets.
	Env []string
	// Piped connects standard input and output with In and Out of the run. The command then gets
	// no variables that lead to an endpoint.
	Piped bool
}

// Resolve makes a command independent of the directory that it runs in: the
// program is looked up, and arguments that look like a file (a dot or a slash is
// in them) and name one are made absolute.
func Resolve(args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, harness.Mistakef("the agent's command is missing: give it after --")
	}
	program, err := exec.LookPath(args[0])
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return nil, harness.Mistakef("%s: no such program (check the path)", args[0])
	case err != nil:
		return nil, harness.Mistakef("the command cannot be run: %w", err)
	}
	list := append([]string{program}, args[1:]...)
	for i, arg := range list {
		info, err := os.Stat(arg)
		if i > 0 && (err != nil || !info.Mode().IsRegular() || !strings.ContainsAny(arg, "./")) {
			continue
		}
		if list[i], err = filepath.Abs(arg); err != nil {
			return nil, err
		}
	}
	return append(interpreter(list[0]), list...), nil
}

// interpreter returns the program that runs a script without a first line that names one,
// as some npm packages install; nil for any other file.
func interpreter(file string) []string {
	head := files.Head(file, 512)
	if head == nil || bytes.HasPrefix(head, []byte("#!")) || bytes.IndexByte(head, 0) >= 0 || runtime.GOOS == "windows" {
		return nil
	}
	if real, err := filepath.EvalSymlinks(file); err == nil && slices.Contains([]string{".js", ".mjs", ".cjs"},
		filepath.Ext(real)) {
		return []string{"node"}
	}
	return []string{"sh"} // as a shell does
}

// Run is a command under way.
type Run struct {
	cmd     *exec.Cmd
	place   *Place
	strays  strays
	out     *tail
	started time.Time
	ended   chan struct{}
	err     error
	// In and Out are the standard input and output of a piped command.
	In  io.WriteCloser
	Out io.ReadCloser
}

// Exit is how a command ended.
type Exit struct {
	Code    int           `json:"code"` // -1: by a signal, or it had to be killed
	Text    string        `json:"text"` // in words
	Output  string        `json:"-"`    // the end of what it wrote, both streams
	Elapsed time.Duration `json:"-"`
	Late    bool          `json:"late,omitzero"` // it had to be killed
	Behind  int           `json:"behind,omitzero"`
}

// Start starts the command.
func Start(p *Place, c Command) (*Run, error) {
	r := &Run{place: p, strays: adopt(), out: &tail{}, ended: make(chan struct{}), started: time.Now()}
	r.cmd = exec.Command(c.Args[0], c.Args[1:]...)
	r.cmd.Dir = p.Dir()
	r.cmd.Env = p.environment(c)
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.out
	r.cmd.WaitDelay = time.Second // a child that holds the pipe does not hold us
	group.Own(r.cmd)
	start := r.cmd.Start
	if c.Piped {
		start = r.pipe
	}
	if err := start(); err != nil {
		return nil, fmt.Errorf("the agent cannot be started: %w", err)
	}
	go func() {
		r.err = r.cmd.Wait()
		close(r.ended)
	}()
	return r, nil
}

// pipe starts the command with pipes. The command's ends are closed here, so that reading ends
// with the last process that has them.
func (r *Run) pipe() error {
	in, toIn, err := os.Pipe()
	if err != nil {
		return err
	}
	fromOut, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, in.Close(), toIn.Close())
	}
	r.cmd.Stdin, r.cmd.Stdout, r.In, r.Out = in, out, toIn, fromOut
	if err = r.cmd.Start(); err != nil {
		err = errors.Join(err, toIn.Close(), fromOut.Close())
	}
	return errors.Join(err, in.Close(), out.Close())
}

// Signal sends a signal to the process group of the command: SIGTERM if it may clean up, else
// SIGKILL.
func (r *Run) Signal(gently bool) {
	if gently {
		group.Terminate(r.cmd.Process)
		return
	}
	group.Kill(r.cmd.Process)
}

// environment is all that the agent sees of the world. The variables of proxies
// lead back to the endpoint, which lets nothing through.
func (p *Place) environment(c Command) []string {
	list := []string{"HOME=" + p.Home(), "TMPDIR=" + p.temporary(), "PWD=" + p.Dir(), marker + "={key}"}
	if !c.Piped {
		list = append(list, endpoint()...)
	}
	for _, name := range []string{"PATH", "LANG", "LC_ALL", "TERM", "SystemRoot"} {
		if value, ok := os.LookupEnv(name); ok {
			list = append(list, name+"="+value)
		}
	}
	list = append(list, c.Env...)
	for i := range list {
		list[i] = p.vars.Expand(list[i])
	}
	return list
}

// endpoint are the variables that lead to the endpoint.
func endpoint() []string {
	return []string{
		"OPENAI_BASE_URL={url}/v1", "OPENAI_API_BASE={url}/v1", "OPENAI_API_KEY={key}", "OPENAI_MODEL={model}",
		"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY={key}", "ANTHROPIC_MODEL={model}",
		"GOOGLE_GEMINI_BASE_URL={url}", "GEMINI_API_KEY={key}",
		"HTTP_PROXY={url}", "HTTPS_PROXY={url}", "http_proxy={url}", "https_proxy={url}",
		"NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
}

// marker is the variable by which processes that an agent left behind are known.
const marker = "REPLANBENCH_SESSION"

// Output is the end of what the command has written so far.
func (r *Run) Output() string { return r.out.String() }

// Ended is closed when the command has ended.
func (r *Run) Ended() <-chan struct{} { return r.ended }

// grace is how long an agent may take to end once it is asked to.
const grace = 500 * time.Millisecond

// Stop ends the command if it has not ended, and all that it left behind, and
// says how it ended.
func (r *Run) Stop() Exit {
	late := false
	select {
	case <-r.ended:
	default:
		late = true
		group.Terminate(r.cmd.Process)
		select {
		case <-r.ended:
		case <-time.After(grace):
		}
	}
	elapsed := time.Since(r.started)
	group.Kill(r.cmd.Process)
	behind := r.strays.kill(r.cmd.Process.Pid, r.place.vars.Key)
	<-r.ended
	r.strays.reap(r.cmd.Process.Pid)
	x := Exit{
		Code: r.cmd.ProcessState.ExitCode(), Text: group.ExitText(r.cmd.ProcessState), Output: r.out.String(),
		Elapsed: elapsed, Late: late, Behind: behind,
	}
	if late {
		x.Code, x.Text = -1, "had to be killed"
	}
	return x
}

// Wait waits for the command to end, for the context, or for so long.
func (r *Run) Wait(ctx context.Context, most time.Duration) (ended bool) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-r.ended:
		return true
	case <-timer.C:
	case <-ctx.Done():
	}
	return false
}

// tailSize is how much of an agent's output is kept: its end.
const tailSize = 1 << 20

// tail keeps the last bytes written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-tailSize):]...)
	if len(t.text) > 2*tailSize {
		t.text = append(t.text[:0], t.text[len(t.text)-tailSize:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(t.text[max(0, len(t.text)-tailSize):]), "\uFFFD")
}
