package agent

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/session"
	"replanbench/harness/document/files"
	"replanbench/harness/live/redact"
)

// CausesDir is where causes are kept, below the directory of a run; SessionFile is
// the session of one.
const (
	causesDir   = "causes"
	sessionFile = "session.json"
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
		about, err := json.Marshal(c, jsontext.Multiline(true), jsontext.WithIndent("  "), jsontext.AllowInvalidUTF8(true),
			jsontext.AllowDuplicateNames(true), json.Deterministic(true))
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
		if err := files.WriteData(filepath.Join(filepath.Dir(file), "cause.json"), append(about, '\n')); err != nil {
			return err
		}
	}
	return nil
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
