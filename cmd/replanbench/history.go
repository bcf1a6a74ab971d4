package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/files"
	"replanbench/reports"
)

// historyFile is the file in the directory of a history: JSON Lines, a run each.
const historyFile = "history.jsonl"

// keepHistory adds the run to the history, unless it is there, and the history to
// the report.
func keepHistory(e env, dir string, r *reports.Report) error {
	if r.League != nil {
		return usagef("--earlier keeps the runs of one engine (give the reports one by one)")
	}
	name := filepath.Join(dir, historyFile)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("%s: %w", dir, files.Cause(err))
	}
	unlock, err := files.Lock(name, "replanbench report")
	if err != nil {
		return err
	}
	return errors.Join(addToHistory(e, name, r, r.Past(commit(e))), unlock())
}

func addToHistory(e env, name string, r *reports.Report, run reports.Past) error {
	h, err := readHistory(name)
	if err != nil {
		return err
	}
	r.History = h
	if len(h.Runs) == 0 {
		e.warn(fmt.Sprintf("%s has no earlier run: this one begins it", filepath.Dir(name)))
	}
	if slices.ContainsFunc(h.Runs, run.Same) {
		return nil
	}
	h.Runs = append(h.Runs, run)
	return files.Append(name, func(w io.Writer) error {
		line, err := json.Marshal(run)
		if err == nil {
			_, err = w.Write(append(line, '\n'))
		}
		return err
	})
}

func readHistory(name string) (*reports.History, error) {
	h := &reports.History{}
	data, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return h, nil
	}
	if err != nil {
		return nil, usagef("%s: %w", name, files.Cause(err))
	}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p, err := reports.DecodePast(line)
		if err != nil {
			return nil, usagef("%s:%d: %w", name, n, err)
		}
		h.Runs = append(h.Runs, p)
	}
	return h, nil
}

// commit is what was tested: as the CI system says it, or as git does; "" where
// neither knows.
func commit(e env) string {
	for _, name := range []string{"GITHUB_SHA", "CI_COMMIT_SHA", "BUILDKITE_COMMIT", "CIRCLE_SHA1"} {
		if sha := e.getenv(name); sha != "" {
			return sha
		}
	}
	out, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return "" // no repository, or no git
	}
	return strings.TrimSpace(string(out))
}
