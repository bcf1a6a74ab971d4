// Package golden compares what the tests of this module make with files that
// are kept beside them. It is for tests alone: whoever imports it has the flag
// -update.
package golden

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files that tests compare with")

// Update reports whether the files are to be written and not compared.
func Update() bool { return *update }

// Check fails the test where got differs from what the file holds. With
// -update it writes the file first.
func Check(t testing.TB, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (-update writes it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, -update rewrites it:\n%s", file, diff)
	}
}
