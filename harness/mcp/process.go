package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"replanbench/harness"
	"replanbench/harness/agent/launch"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/schema"
	"replanbench/harness/plan/toolmap"
)

// Target is the server to test: a command, an address, or a command and the address at which
// it listens.
type Target struct {
	Args []string
	// URL is the address of Streamable HTTP. With a command, {port} in it and in the command is
	// a free port.
	URL      string
	Env      []string
	Patience time.Duration // for one answer; starting may take ten times as long
	// Pipe starts a server within this process in a directory, and returns its standard input and
	// output; nil for others.
	Pipe func(dir string) (io.WriteCloser, io.ReadCloser)
}

// owned reports whether the server is started here, so that it can be stopped and its files
// removed.
func (t *Target) owned() bool { return t.Args != nil || t.Pipe != nil }

// tool is a tool that a server offers.
type tool struct {
	Name, Text    string
	Schema        map[string]any
	input, output *schema.Checker // nil if there is none, or it cannot be checked
}

// process is a server under way, with a session.
type process struct {
	target *Target
	// patience is how long an answer may take: longer during the start.
	patience time.Duration
	place    *launch.Place
	run      *launch.Run // nil for a server that no command here started
	wire     *wire       // nil for an address
	url      string
	session  *mcp.ClientSession
	trace    *trace // of the calls; nil keeps none
	name     string // as the server calls itself
	version  string
	tools    map[string]*tool
	extra    []spec.Note
	begun    []spec.Note // during the start: they hold for every case
	calls    int
}

// start starts the server in a place, and opens a session.
func (t *Target) start(ctx context.Context, place *launch.Place, p *Profile) (*process, error) {
	s := &process{target: t, place: place, url: t.URL, patience: 10 * t.Patience}
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	var transport mcp.Transport
	switch {
	case t.Pipe != nil:
		s.wire = newWire(t.Pipe(place.Dir()))
		transport = s.wire
	case t.Args != nil:
		if err := s.launch(ctx, slices.Concat(p.env(place), t.Env)); err != nil {
			return nil, err
		}
		transport = s.wire
	}
	if t.URL != "" {
		transport = overHTTP(s.url)
	}
	if err := s.connect(ctx, transport); err != nil {
		f := s.failed(ctx, "the handshake", err)
		s.stop()
		return nil, f
	}
	s.patience, s.begun = t.Patience, s.notes()
	return s, nil
}

func overHTTP(url string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: url, MaxRetries: -1, HTTPClient: http.DefaultClient}
}

// another opens a second session: at the same address, or with a second process in the same
// place.
func (s *process) another(ctx context.Context, p *Profile) (*process, error) {
	if s.url == "" {
		return s.target.start(ctx, s.place, p)
	}
	second := &process{target: s.target, patience: s.patience, place: s.place, url: s.url, trace: s.trace}
	return second, second.connect(ctx, overHTTP(s.url))
}

// launch starts the command, and waits until it listens if it has an address.
func (s *process) launch(ctx context.Context, env []string) error {
	c := launch.Command{Args: slices.Clone(s.target.Args), Env: env, Piped: s.url == ""}
	if strings.Contains(s.url, portPlace) {
		port, err := freePort(ctx)
		if err != nil {
			return err
		}
		s.url = strings.ReplaceAll(s.url, portPlace, port)
		for _, list := range [][]string{c.Args, c.Env} {
			for i := range list {
				list[i] = strings.ReplaceAll(list[i], portPlace, port)
			}
		}
	}
	var err error
	if s.run, err = launch.Start(s.place, c); err != nil {
		return harness.Mistaken(err)
	}
	if c.Piped {
		s.wire = newWire(s.run.In, s.run.Out)
		go s.endWithProcess()
		return nil
	}
	if err := s.listens(ctx); err != nil {
		f := s.failed(ctx, "the start", err)
		s.stop()
		return f
	}
	return nil
}

// portPlace is replaced by a free port in addresses and commands.
const portPlace = "{port}"

func freePort(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// listens waits until something listens at the address.
func (s *process) listens(ctx context.Context) error {
	u, err := url.Parse(s.url)
	if err != nil {
		return harness.Mistaken(err)
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "80")
	}
	for {
		c, err := new(net.Dialer).DialContext(ctx, "tcp", host)
		if err == nil {
			return c.Close()
		}
		select {
		case <-s.run.Ended():
			return err
		case <-ctx.Done():
			return err
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// connect opens the session.
func (s *process) connect(ctx context.Context, transport mcp.Transport) (err error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "replanbench", Version: "1"}, &mcp.ClientOptions{
		//nolint:staticcheck // deprecated in the protocol, and servers still ask for it
		CreateMessageHandler: func(context.Context, *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			return nil, errors.New("this client has no model")
		},
		ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("this client has no user")
		},
	})
	//nolint:staticcheck // deprecated in the protocol, and servers still ask for them
	client.AddRoots(&mcp.Root{URI: "file://" + s.place.Dir(), Name: filepath.Base(s.place.Dir())})
	s.session, err = client.Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
	if err == nil {
		err = s.offered(ctx)
	}
	return err
}

// endWithProcess closes the pipes a little after the process has ended, although a child may
// hold them.
func (s *process) endWithProcess() {
	<-s.run.Ended()
	time.Sleep(50 * time.Millisecond) // what was written is still read
	_ = s.wire.Close()
}

// env returns the variables that the profile gives the server.
func (p *Profile) env(place *launch.Place) (list []string) {
	if p == nil {
		return nil
	}
	for _, v := range p.Server.Env {
		list = append(list, strings.ReplaceAll(v, "{dir}", place.Dir()))
	}
	return list
}

// offered reads the tools.
func (s *process) offered(ctx context.Context) error {
	if info := s.session.InitializeResult().ServerInfo; info != nil {
		s.name, s.version = info.Name, info.Version
	}
	s.tools = map[string]*tool{}
	for t, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		one := &tool{Name: t.Name, Text: t.Description}
		one.Schema, _ = t.InputSchema.(map[string]any)
		one.input, one.output = checker(t.InputSchema), checker(t.OutputSchema)
		s.tools[t.Name] = one
	}
	return nil
}

// checker compiles a schema of a tool; nil if there is none, or it cannot be compiled.
func checker(document any) *schema.Checker {
	object, ok := document.(map[string]any)
	if !ok {
		return nil
	}
	c, err := schema.Compile("tool", object)
	if err != nil {
		return nil
	}
	return &c
}

// sorted returns the tools by name.
func (s *process) sorted() []*tool {
	return collect.Map(slices.Sorted(maps.Keys(s.tools)), func(name string) *tool { return s.tools[name] })
}

// call calls a tool. The error is a failure: no answer in time, or the server has ended.
func (s *process) call(ctx context.Context, name string, arguments any) (toolmap.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience)
	defer cancel()
	s.calls++
	result, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	var a toolmap.Answer
	rpc, isError := errors.AsType[*jsonrpc.Error](err)
	switch {
	case isError:
		a, err = toolmap.Answer{Text: rpc.Message, Error: true}, nil
	case err != nil:
		err = s.failed(ctx, name, err)
	default:
		a = s.read(name, result)
	}
	s.keep(name, arguments, a, err)
	return a, err
}

// ping asks the server for a sign of life after something. An error object is one, though the protocol wants
// an empty result.
func (s *process) ping(ctx context.Context, after string) error {
	err := s.session.Ping(ctx, nil)
	if e, isError := errors.AsType[*jsonrpc.Error](err); isError {
		s.extra = append(s.extra, spec.Note{Check: "protocol", Kind: "no-ping", Text: "ping: " + brief(e.Message)})
		return nil
	}
	if err != nil {
		return s.failed(ctx, "a ping after "+after, err)
	}
	return nil
}

// read reads a result, and checks it against the schema of the tool.
func (s *process) read(name string, result *mcp.CallToolResult) toolmap.Answer {
	a := toolmap.Answer{Error: result.IsError}
	var texts []string
	for _, c := range result.Content {
		if t, ok := c.(*mcp.TextContent); ok {
			texts = append(texts, t.Text)
		}
	}
	a.Text = strings.Join(texts, "\n")
	if result.StructuredContent != nil {
		var err error
		if a.Structured, err = json.Marshal(result.StructuredContent); err != nil {
			panic("mcp: what was read from JSON is not JSON: " + err.Error())
		}
	}
	if t := s.tools[name]; t != nil && t.output != nil && !result.IsError {
		if a.Structured == nil {
			s.extra = append(s.extra, spec.Note{Check: "protocol", Kind: "output-schema", Text: name + " has an output schema and returns no structured result"})
		} else if faults, err := t.output.Check(a.Structured); err != nil || len(faults) > 0 {
			s.extra = append(s.extra, spec.Note{Check: "protocol", Kind: "output-schema", Text: name + ": " + brief(strings.Join(faults, "; "))})
		}
	}
	return a
}

// allows reports whether the schema of a tool allows the arguments; true without a schema.
func (s *process) allows(u toolmap.Use) bool {
	t := s.tools[u.Tool]
	if t == nil || t.input == nil {
		return t != nil
	}
	faults, err := t.input.Check(u.JSON())
	return err == nil && len(faults) == 0
}

// failed returns the failure that an error of the session means.
func (s *process) failed(ctx context.Context, during string, err error) error {
	if f, ok := errors.AsType[*harness.Failure](err); ok {
		return f
	}
	if s.run != nil {
		select {
		case <-s.run.Ended():
			x := s.run.Stop()
			return &harness.Failure{
				Kind: harness.Crash, Site: during, Stderr: x.Output, Detail: fmt.Sprintf("the server %s during %s", x.Text, during),
			}
		case <-time.After(map[bool]time.Duration{true: 0, false: 300 * time.Millisecond}[ctx.Err() != nil]):
		}
	}
	if ctx.Err() != nil {
		return &harness.Failure{Kind: harness.Hang, Site: during, Detail: fmt.Sprintf("the server does not answer %s within %s", during, s.patience)}
	}
	return &harness.Failure{Kind: harness.Crash, Site: during, Detail: fmt.Sprintf("the connection broke during %s: %s", during, brief(err.Error()))}
}

// notes returns what the server did besides its answers since the last time.
func (s *process) notes() []spec.Note {
	list := slices.Concat(s.begun, s.extra)
	s.extra = nil
	if s.wire != nil {
		list = append(list, s.wire.taken()...)
	}
	return list
}

// stop ends the session, the process and its children.
func (s *process) stop() {
	if s.run != nil {
		s.run.Stop()
	}
	if s.wire != nil {
		_ = s.wire.Close()
	} else if s.session != nil {
		_ = s.session.Close()
	}
}

// prepare writes the files and runs the commands that the server needs before it starts.
func (p *Profile) prepare(ctx context.Context, t *Target, place *launch.Place) error {
	if p == nil {
		return nil
	}
	for _, f := range p.Server.Files {
		if err := place.Write(f.Name, false, strings.ReplaceAll(f.Content, "{dir}", place.Dir())); err != nil {
			return err
		}
	}
	for _, words := range p.Server.Run {
		args := slices.Clone(words)
		at := slices.Index(args, "{server}")
		if at >= 0 && len(t.Args) > 0 {
			args = slices.Replace(args, at, at+1, program(t.Args)...)
		}
		args, err := launch.Resolve(args)
		if err != nil {
			return err
		}
		run, err := launch.Start(place, launch.Command{Args: args, Env: slices.Concat(p.env(place), t.Env)})
		if err != nil {
			return err
		}
		run.Wait(ctx, 10*t.Patience)
		if x := run.Stop(); x.Code != 0 {
			return harness.Mistakef("the command %s that prepares the server %s: %s", strings.Join(words, " "), x.Text, brief(x.Output))
		}
	}
	return nil
}

// program returns the words of a command that name the program: an interpreter and its script.
func program(args []string) []string {
	if len(args) > 1 && (strings.HasSuffix(args[1], ".js") || strings.HasSuffix(args[1], ".mjs") || strings.HasSuffix(args[1], ".py")) {
		return args[:2]
	}
	return args[:1]
}

func ignoreClosed(err error) error {
	if errors.Is(err, os.ErrClosed) || errors.Is(err, fs.ErrClosed) || errors.Is(err, exec.ErrNotFound) {
		return nil
	}
	return err
}
