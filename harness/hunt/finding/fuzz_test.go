package finding_test

import (
	"testing"

	"replanbench/harness/hunt/finding"
)

// FuzzParseBaseline checks that what is taken as a pattern matches without a panic,
// and that a list without an entry knows nothing.
func FuzzParseBaseline(f *testing.F) {
	f.Add([]byte("\ufeffplanpatch/*/abc  # why\n\n# comment\nplanpatch/**  # x"), "planpatch/a/abc")
	f.Add([]byte("[  # no pattern"), "")
	f.Add([]byte("'a/*': why\n\"b\": [x]\n? [c]\n: d\n"), "a/b")
	f.Fuzz(func(t *testing.T, data []byte, name string) {
		_, _ = finding.ParseBaseline("known.yaml", data) // must not panic
		b, err := finding.ParseBaseline("known.txt", data)
		_, found := b.Find(name)
		if found && err != nil {
			t.Errorf("a list with the error %v knows %q", err, name)
		}
		if !found && err == nil && len(b.Unused([]string{name})) < len(b.Unused(nil)) {
			t.Errorf("%q is unknown and uses an entry", name)
		}
	})
}
