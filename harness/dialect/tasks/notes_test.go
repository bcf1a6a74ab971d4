package tasks_test

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks"
)

// TestNotesDiffer: what a store did differs, and not the folder or the time that a note quotes.
func TestNotesDiffer(t *testing.T) {
	noted := func(notes string) *harness.Outcome {
		return &harness.Outcome{
			Verdict: harness.Applied, Results: jsontext.Value(`[{"ok":true}]`),
			More: map[string]jsontext.Value{"notes": jsontext.Value(notes)},
		}
	}
	line := noted(`[{"check":"protocol","kind":"stdout","text":"a line that is no message: WARN in /tmp/1"}]`)
	for _, test := range []struct {
		name, notes string
		same        bool
	}{
		{"another folder", `[{"check":"protocol","kind":"stdout","text":"a line that is no message: WARN in /tmp/2"}]`, true},
		{"another kind", `[{"check":"protocol","kind":"twice","text":"a line that is no message: WARN in /tmp/1"}]`, false},
		{"another check", `[{"check":"parallel","kind":"stdout","text":"a line that is no message: WARN in /tmp/1"}]`, false},
		{"one more", `[{"check":"protocol","kind":"stdout","text":"x"},{"check":"protocol","kind":"twice","text":"y"}]`, false},
	} {
		if d := tasks.Dialect().Members.Differ(line, noted(test.notes)); (d == nil) != test.same {
			t.Errorf("%s: the difference is %+v", test.name, d)
		}
	}
}
