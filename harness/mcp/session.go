package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/plan/toolmap"
	"replanbench/scenarios"
)

// SessionFile is the name of the file with the session of a cause.
const SessionFile = "session.json"

// Session is the case of a cause, and what passed between this client and the server.
type Session struct {
	V        int        `json:"v"`
	Server   string     `json:"server"`
	Cause    string     `json:"cause"`
	Sentence string     `json:"sentence"`
	Message  string     `json:"message"`
	Scenario string     `json:"scenario"` // the case, as a file of scenarios
	Calls    []Exchange `json:"calls"`
}

// sessionVersion is the version of the format of sessions.
const sessionVersion = 1

// The purposes of exchanges.
const (
	forSetup = "setup"
	forCall  = "call"
	forRead  = "read"
)

// Exchange is a call of a tool with its answer, or a file that was written.
type Exchange struct {
	For       string         `json:"for"` // setup, call or read
	Tool      string         `json:"tool,omitzero"`
	Arguments jsontext.Value `json:"arguments,omitzero"`
	File      string         `json:"file,omitzero"`
	Text      string         `json:"text,omitzero"` // of the answer or the file
	Result    jsontext.Value `json:"result,omitzero"`
	Error     bool           `json:"error,omitzero"`   // the answer is marked as an error
	Failure   string         `json:"failure,omitzero"` // in place of an answer
}

// trace keeps exchanges. A nil trace keeps none.
type trace struct {
	mu      sync.Mutex
	purpose string
	list    []Exchange
}

// now sets what the next exchanges are for, and returns what restores it.
func (t *trace) now(purpose string) (restore func()) {
	if t == nil {
		return func() {}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	before := t.purpose
	t.purpose = purpose
	return func() { t.purpose = before }
}

func (t *trace) add(x Exchange) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	x.For, x.Text = t.purpose, clip(x.Text)
	if len(x.Arguments) > maxKept {
		x.Arguments = strictjson.Encode(clip(string(x.Arguments)))
	}
	if len(x.Result) > maxKept {
		x.Result = strictjson.Encode(clip(string(x.Result)))
	}
	t.list = append(t.list, x)
}

// maxKept limits the length of a stored text, in bytes.
const maxKept = 4000

func clip(text string) string {
	if len(text) <= maxKept {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:maxKept], ""), len(text))
}

// keep adds a call.
func (s *process) keep(name string, arguments any, a toolmap.Answer, err error) {
	if s.trace == nil {
		return
	}
	x := Exchange{Tool: name, Text: a.Text, Result: a.Structured, Error: a.Error}
	x.Arguments, _ = json.Marshal(arguments, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		x.Failure = err.Error()
	}
	s.trace.add(x)
}

// traced carries out a case, and passes on or remembers what passed.
func (s *slot) traced(ctx context.Context, j *job) (harness.Outcome, error) {
	e := s.engine
	if e.Trace != nil && e.Target.owned() {
		s.end() // ids begin anew
	}
	t := &trace{purpose: forCall}
	s.trace = t
	if s.process != nil {
		s.process.trace = t
	}
	out, err := s.eval(ctx, j)
	s.trace = nil
	if s.process != nil {
		s.process.trace = nil
	}
	if e.Trace != nil {
		e.Trace(t.list)
	} else {
		e.memory.put(&j.asked, t.list, len(spec.Notes(&out)) > 0)
	}
	return out, err
}

// maxRemembered limits the exchanges that are remembered, in bytes.
const maxRemembered = 64 << 20

// memory has what passed in the latest cases, so that the session of a cause is the one in which
// it was seen.
type memory struct {
	mu     sync.Mutex
	bytes  int
	latest []string // keys, the oldest first
	of     map[string]remembered
}

type remembered struct {
	list  []Exchange
	noted bool // something broke besides the answers
}

// Remember keeps what passes in the cases from now on, for [Engine.Keep].
func (e *Engine) Remember() { e.memory = &memory{of: map[string]remembered{}} }

// keyOf identifies a case, whatever its rules.
func keyOf(c *harness.Case) string {
	return fmt.Sprintf("%s\x00%q\x00%s", c.Plan, c.Replies, spec.Fault(c))
}

// put remembers a case in place of an earlier run of it, unless only the earlier one showed
// something.
func (m *memory) put(c *harness.Case, list []Exchange, noted bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := keyOf(c)
	old, has := m.of[key]
	if old.noted && !noted {
		return
	}
	m.bytes += size(list) - size(old.list)
	if m.of[key] = (remembered{list, noted}); !has {
		m.latest = append(m.latest, key)
	}
	for m.bytes > maxRemembered && len(m.latest) > 1 {
		m.bytes -= size(m.of[m.latest[0]].list)
		delete(m.of, m.latest[0])
		m.latest = m.latest[1:]
	}
}

func size(list []Exchange) (n int) {
	for i := range list {
		n += len(list[i].Arguments) + len(list[i].Text) + len(list[i].Result)
	}
	return n
}

// Keep writes the session of each cause into its directory below dir. A case that is not
// remembered runs again, unless the time until is over and not zero.
func (e *Engine) Keep(ctx context.Context, dir string, r *campaign.Result, until time.Time) error {
	for _, c := range r.Causes {
		f := r.Shows(c)
		if f == nil {
			continue
		}
		s, err := f.Scenario()
		if err != nil {
			return err
		}
		x := Session{
			V: sessionVersion, Server: e.name + " " + e.version, Cause: c.ID, Sentence: c.Sentence, Message: f.Message,
			Scenario: string(s.Format()), Calls: []Exchange{},
		}
		if e.memory != nil {
			x.Calls = append(x.Calls, e.memory.of[keyOf(&f.Case)].list...)
		}
		if len(x.Calls) == 0 && !late(until) {
			e.Trace = func(list []Exchange) { x.Calls = list }
			_, _ = e.Eval(ctx, f.Case) // a failure is part of the session
			e.Trace = nil
		}
		data, err := strictjson.Indent(x)
		if err != nil {
			return err
		}
		if err := files.WriteData(filepath.Join(dir, campaign.CausesDir, c.ID, SessionFile), data); err != nil {
			return err
		}
	}
	return nil
}

// ParseSession reads the scenario of a session.
func ParseSession(name string, data []byte) (scenarios.Scenario, error) {
	var s Session
	if err := json.Unmarshal(data, &s, jsontext.AllowInvalidUTF8(true)); err != nil {
		return scenarios.Scenario{}, harness.Mistakef("%s is not a session of mcp --dir: %w", name, err)
	}
	if s.V != sessionVersion || s.Scenario == "" {
		return scenarios.Scenario{}, harness.Mistakef("%s is not a session of mcp --dir (version %d)", name, s.V)
	}
	return scenarios.Parse(s.Cause, []byte(s.Scenario))
}

// Tell returns exchanges as a section for people.
func Tell(list []Exchange) explain.Section {
	const most = 60
	section := explain.Section{Title: "Calls of the server's tools"}
	for i, x := range list {
		if i == most {
			section.Add("", 0, style.Faint, "… %d more", len(list)-most)
			break
		}
		tone := style.Plain
		if x.For != forCall {
			tone = style.Faint
		}
		if x.File != "" {
			section.Add("", 0, tone, "%s: file %s: %s", x.For, x.File, brief(x.Text))
			continue
		}
		section.Add("", 0, tone, "%s: %s %s", x.For, x.Tool, brief(string(x.Arguments)))
		answer := x.Text
		if answer == "" {
			answer = string(x.Result)
		}
		switch {
		case x.Failure != "":
			section.Add("", 1, style.Bad, "%s", brief(x.Failure))
		case x.Error:
			section.Add("", 1, style.Doubtful, "error: %s", brief(answer))
		default:
			section.Add("", 1, style.Faint, "%s", brief(answer))
		}
	}
	return section
}
