package cause

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/hunt/finding"
)

// File is the name of the file with the cause, next to the scenario that shows it.
const File = "cause.json"

// Write keeps the cause in a directory of its own below dir, named by its id:
// what it is, and, where there is an example, the scenario that shows it.
func (c Cause) Write(dir string, example *finding.Finding) error {
	own := filepath.Join(dir, c.ID)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return fmt.Errorf("making a directory for a cause: %w (choose another with --dir)", err)
	}
	if example != nil {
		s, err := example.Scenario()
		if err != nil {
			return err
		}
		if err := files.WriteData(filepath.Join(own, finding.ReproFile), s.Format()); err != nil {
			return err
		}
	}
	text, err := strictjson.Indent(c)
	if err != nil {
		return fmt.Errorf("writing the cause %s: %w", c.ID, err)
	}
	return files.WriteData(filepath.Join(own, File), text)
}

// evidenceFile is the name of the file with the evidence of a campaign.
const evidenceFile = "evidence.json"

// Write writes the evidence into a directory, without examples.
func (e Evidence) Write(dir string) error {
	e.Groups = slices.Clone(e.Groups)
	for i := range e.Groups {
		e.Groups[i].Example = nil
	}
	text, err := strictjson.Indent(e)
	if err != nil {
		return fmt.Errorf("writing the evidence: %w", err)
	}
	return files.WriteData(filepath.Join(dir, evidenceFile), text)
}
