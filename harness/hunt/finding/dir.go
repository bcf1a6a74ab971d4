package finding

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/scenarios"
)

// The files of a finding's directory.
const (
	ReproFile = "repro.txtar"
	JSONFile  = "finding.json"
)

// Scenario returns the finding as a scenario, to be replayed, or kept for good
// among the scenarios of a suite.
func (f Finding) Scenario() (scenarios.Scenario, error) {
	answer := f.Answer
	answer.Message = ""
	raw, err := json.Marshal(answer)
	var want map[string]jsontext.Value
	if err == nil {
		err = json.Unmarshal(raw, &want)
	}
	for _, m := range all.Members(f.Dialect) {
		if v, ok := want[m.Name]; ok && m.KeepShort && err == nil {
			want[m.Name], err = json.Marshal(m.InShort([]any{""}, outcome.Tree(v)))
		}
	}
	b, also := json.Marshal(want, json.Deterministic(true))
	if err = errors.Join(err, also); err != nil {
		return scenarios.Scenario{}, fmt.Errorf("writing the finding %s as a scenario: %w", f.ID(), err)
	}
	return scenarios.Scenario{
		ID: f.ID(), Level: scenarios.Must, Case: f.Case, Want: b,
		Doc:    f.Invariant + ": " + oneLine(f.Message),
		Source: fmt.Sprintf(origin, f.Dialect, f.Seed, f.CaseIndex),
	}, nil
}

// oneLine makes a text safe for one line of a scenario's header.
func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufeff' || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))), " ")
}

// Write keeps the finding in a directory of its own below dir, named by its
// fingerprint. Both files appear whole or not at all, finding.json last, so
// that a directory with it is complete.
func (f Finding) Write(dir string) error {
	s, err := f.Scenario()
	if err != nil {
		return err
	}
	own := filepath.Join(dir, f.Fingerprint)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return fmt.Errorf("making a directory for a finding: %w (choose another with --dir)", err)
	}
	files.Sweep(own)
	if err := files.WriteData(filepath.Join(own, ReproFile), s.Format()); err != nil {
		return err
	}
	doc, err := strictjson.Indent(f)
	if err != nil {
		return fmt.Errorf("writing the finding %s: %w", f.ID(), err)
	}
	return files.WriteData(filepath.Join(own, JSONFile), doc)
}

// origin says where a finding's scenario comes from: the dialect, the seed and the case.
const origin = "fuzz --dialect %s --seed %d, case %d"

// Origin reads the source of a scenario; ok says whether a campaign found it.
func Origin(source string) (seed, index uint64, ok bool) {
	var dialect string
	n, _ := fmt.Sscanf(source, origin, &dialect, &seed, &index)
	return seed, index, n == 3
}
