package agent

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/session"
)

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
	data, err := json.Marshal(s, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true))
	return append(data, '\n'), err
}

// maxTurns bounds the turns of a session.
const maxTurns = 10_000

// DecodeSession reads a session. The error names the file and what is wrong.
func DecodeSession(name string, data []byte) (Session, error) {
	var s Session
	if err := json.Unmarshal(data, &s, json.RejectUnknownMembers(true)); err != nil {
		return s, harness.Mistakef("%s: not a session: %w", name, err)
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
