package agent

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/redact"
)

// CausesDir is where causes are kept, below the directory of a run; SessionFile is
// the session of one.
const (
	causesDir   = "causes"
	sessionFile = "session.json"
	aboutFile   = "cause.json"
)

// SessionPath is where the session of a cause is kept.
func SessionPath(dir, id string) string { return filepath.Join(dir, causesDir, id, sessionFile) }

// Keep makes the directory and writes the session and the details of each cause into it.
func (r *Result) Keep(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range r.Causes {
		session, err := c.Session.Encode()
		if err != nil {
			return err
		}
		about, err := strictjson.Indent(c)
		if err != nil {
			return err
		}
		file := SessionPath(dir, c.ID)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := files.WriteData(file, session); err != nil {
			return err
		}
		if err := files.WriteData(filepath.Join(filepath.Dir(file), aboutFile), about); err != nil {
			return err
		}
	}
	return nil
}

// RemoveFixed removes the causes that earlier runs kept in dir if this run did not find them and the agent
// no longer shows them. It returns their sessions.
func (r *Result) RemoveFixed(ctx context.Context, c Config, dir string) []string {
	c.Level = harness.JudgeExact // a cause that this run does not judge stays
	names := []string{sessionFile, aboutFile}
	return files.Prune(filepath.Join(dir, causesDir), names, func(name string, data []byte) bool {
		s, err := DecodeSession(name, data)
		if err != nil || s.Profile != r.Profile || slices.ContainsFunc(r.Causes, func(x Cause) bool { return x.ID == name }) {
			return false
		}
		again, err := Play(ctx, c, s)
		return err == nil && !again.Shown
	})
}

// Recorder writes every exchange of every session to a file of its own, one a
// line, without the keys.
type Recorder struct {
	dir string
	mu  sync.Mutex
	err error
}

// NewRecorder makes the directory.
func NewRecorder(dir string) (*Recorder, error) { return &Recorder{dir: dir}, os.MkdirAll(dir, 0o755) }

// Record writes one exchange of a session.
func (r *Recorder) Record(name session.Name, key string, x endpoint.Exchange) {
	line, err := json.Marshal(struct {
		Path    string `json:"path"`
		Request string `json:"request"`
		Status  int    `json:"status"`
		Answer  string `json:"answer"`
	}{x.Path, string(x.Request), x.Status, string(x.Answer)}, jsontext.AllowInvalidUTF8(true))
	if err == nil {
		text := redact.New(key).Text(string(line))
		r.mu.Lock()
		defer r.mu.Unlock()
		err = files.Append(filepath.Join(r.dir, fmt.Sprintf("session-%s.jsonl", name)), func(w io.Writer) error {
			_, err := io.WriteString(w, text+"\n")
			return err
		})
	}
	if err != nil && r.err == nil {
		r.err = err
	}
}

// Err is the first error of writing.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Session is a session that is kept in a file, to be played again: what the model
// says, and what broke.
type Session struct {
	V       int    `json:"v"`
	Profile string `json:"profile"`
	Cause   string `json:"cause,omitzero"`
	// Check and Kind are what broke; "" is nothing in particular.
	Check    string `json:"check,omitzero"`
	Kind     string `json:"kind,omitzero"`
	Sentence string `json:"sentence,omitzero"`
	session.Script
}

// sessionVersion is the version of the file.
const sessionVersion = 1

// Encode writes the session for people to read.
func (s Session) Encode() ([]byte, error) {
	s.V = sessionVersion
	return strictjson.Indent(s)
}

// maxTurns bounds the turns of a session.
const maxTurns = 10_000

// DecodeSession reads a session. The error names the file and the problem.
func DecodeSession(name string, data []byte) (Session, error) {
	var s Session
	if err := json.Unmarshal(data, &s, json.RejectUnknownMembers(true)); err != nil {
		return s, harness.Mistakef("%s: not a session: %w", name, strictjson.Plain(err))
	}
	switch {
	case s.V != sessionVersion:
		return s, harness.Mistakef("%s: session version %d is unsupported (this program reads version %d)", name, s.V,
			sessionVersion)
	case len(s.Turns) == 0:
		return s, harness.Mistakef("%s: the session has no turns", name)
	case len(s.Turns) > maxTurns:
		return s, harness.Mistakef("%s: the session has %d turns (at most %d are allowed)", name, len(s.Turns), maxTurns)
	}
	for i, t := range s.Turns {
		if t.Fault == "" {
			continue
		}
		if _, err := fault.Find(t.Fault); err != nil {
			return s, harness.Mistakef("%s: turns[%d]: %w", name, i, err)
		}
	}
	return s, nil
}

// Replay is what came of a session that was played again.
type Replay struct {
	Session Session
	Log     session.Log
	Broken  []Broken
	// Shown reports whether the break showed that the session is kept for; of one
	// kept for nothing in particular, whether anything broke that fails the gate.
	Shown bool
}

// Play plays a kept session again, and judges it at the level of the configuration.
func Play(ctx context.Context, c Config, s Session) (Replay, error) {
	subject, err := c.subject(ctx)
	if err != nil {
		return Replay{}, err
	}
	d := driver{config: c, subject: subject}
	one, err := d.play(ctx, Planned{Script: s.Script})
	r := Replay{Session: s, Log: one.log}
	for _, b := range one.broken {
		if !c.Level.Includes(subject.Dialect.Judging.Level(b.Check, b.Kind, b.Class)) {
			continue
		}
		r.Broken = append(r.Broken, b)
		same := b.Check == s.Check && b.Kind == s.Kind
		r.Shown = r.Shown || same || s.Check == "" && !b.Advisory
	}
	return r, err
}

// Probe describes how an agent handled three turns.
type Probe struct {
	Profile *profile.Profile
	Log     session.Log
	Edits   []string
}

// Look plays three turns to an agent, to learn how it is driven.
func Look(ctx context.Context, c Config) (Probe, error) {
	subject, err := c.subject(ctx)
	if err != nil {
		return Probe{}, err
	}
	source, err := subject.Source([]string{})
	if err != nil {
		return Probe{}, err
	}
	script := newPlanner(subject, source, c.Seed, 1, 0, nil).Session(0).Script
	script.Turns = script.Turns[:min(3, len(script.Turns))]
	log, err := c.Agent.Play(ctx, script, session.Name{})
	p := Probe{Profile: subject.Profile, Log: log}
	for _, t := range script.Turns {
		p.Edits = append(p.Edits, t.Edit)
	}
	return p, err
}
