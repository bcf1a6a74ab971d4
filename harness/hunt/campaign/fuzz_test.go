package campaign

import (
	"bytes"
	"os"
	"testing"

	"replanbench/harness"
	"replanbench/harness/engine/reference"
)

// FuzzCheckpoint goes on from foreign bytes: that fails with a message, or the
// campaign goes on to its end, and what it leaves behind can be gone on from.
func FuzzCheckpoint(f *testing.F) {
	small := func(dir string) Config {
		c := config(nil)
		c.Engine = altered{reference.New(), func(harness.Case, *harness.Outcome) error { return nil }}
		c.Fresh, c.Workers = nil, 1
		c.Dir, c.Cases, c.Bare, c.ShrinkBudget, c.Resume = dir, 5, true, -1, true
		return c
	}
	for _, change := range []func(harness.Case, *harness.Outcome) error{nil, forgetful} {
		c := small(f.TempDir())
		if change != nil {
			c.Engine = altered{reference.New(), change}
		}
		if _, err := Start(f.Context(), c); err != nil {
			f.Fatal(err)
		}
		data, err := os.ReadFile(c.checkpoint())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
		f.Add(bytes.Replace(data, []byte(`"declared":`), []byte(`"undeclared":`), 1))
	}
	f.Add([]byte(`{"groups":[{}],"causes":[{}],"coverage":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c := small(t.TempDir())
		if err := os.WriteFile(c.checkpoint(), data, 0o600); err != nil {
			t.Fatal(err)
		}
		run, err := Start(t.Context(), c)
		if err != nil {
			if err.Error() == "" {
				t.Error("no message")
			}
			return
		}
		again, err := Start(t.Context(), c)
		if err != nil || again.Ran != 0 || again.Result.Cases != run.Result.Cases {
			t.Errorf("its own checkpoint: %d cases, then %d more of %d: %v", run.Result.Cases, again.Ran, again.Result.Cases,
				err)
		}
	})
}
