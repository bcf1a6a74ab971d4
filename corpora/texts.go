package corpora

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// planFile is the plan of the reply files in its directory and the directories below, unless
// these have their own.
const planFile = "plan.json"

// readTexts reads a directory. Each file is a reply, byte for byte.
func readTexts(root string, found func(draft) bool) error {
	plans := map[string]jsontext.Value{}
	report := func(path string, err error) bool { return found(draft{err: &Problem{Source: path, Text: err.Error()}}) }
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			if !report(path, err) {
				return filepath.SkipAll
			}
			return nil
		case d.IsDir():
			plan, err := planIn(path)
			if err != nil && !report(filepath.Join(path, planFile), err) {
				return filepath.SkipAll
			}
			if plan == nil {
				plan = plans[filepath.Dir(path)]
			}
			plans[path] = plan
			return nil
		case d.Name() == planFile || strings.HasPrefix(d.Name(), "."):
			return nil
		}
		if !found(readReply(root, path, plans[filepath.Dir(path)])) {
			return filepath.SkipAll
		}
		return nil
	})
}

func planIn(dir string) (jsontext.Value, error) {
	data, err := os.ReadFile(filepath.Join(dir, planFile))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	plan := jsontext.Value(data)
	if err := plan.Compact(); err != nil {
		return nil, fmt.Errorf("the plan is not JSON: %w", err)
	}
	return plan, nil
}

func readReply(root, path string, plan jsontext.Value) draft {
	info, err := os.Stat(path)
	if err == nil && info.Size() > MaxLine {
		err = fmt.Errorf("skipped a file of %.1f MiB (the limit for replies is %d MiB)", float64(info.Size())/(1<<20),
			MaxLine>>20)
	}
	var data []byte
	if err == nil {
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return draft{err: &Problem{Source: path, Text: err.Error()}}
	}
	id, err := filepath.Rel(root, path)
	if err != nil || id == "." {
		id = filepath.Base(path)
	}
	return draft{answer: answer{Record: Record{ID: filepath.ToSlash(id), Reply: harness.Reply(data), Plan: plan}}}
}
