package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/scenarios"
)

// FuzzParse feeds foreign bytes to the loader: it must answer with a scenario
// or an error that names the file, and what it accepts must survive being
// written and read again.
func FuzzParse(f *testing.F) {
	f.Add([]byte(header + planFile + reply + wants))
	f.Add([]byte(header + "level: should\nprofile: strict\nprofile: ladder=patch\nmax_depth: 3\n" + planFile +
		"-- reply.1.b64 --\n//79\n" + wants))
	f.Add([]byte(header + planFile + "-- reply.1.gen --\nrepeat 3 \"\\u00e9[\"\ntext \"]\"\n" + wants))
	f.Add([]byte("# Why.\r\ndialect: planpatch\r\n-- plan.json --\r\n[]\r\n-- reply.1.txt --\r\nx\r\n-- want.json " +
		"--\r\n{\"verdict\":\"rejected\"}\r\n"))
	f.Add([]byte("# Why.\ndialect: trim\n-- messages.json --\n[]\n-- want.json " +
		"--\n{\"verdict\":\"applied\",\"dropped\":[1]}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := scenarios.Parse("file", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "file:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		if size(s) > 1<<20 {
			t.Skip("a recipe of many mebibytes takes the time of many small ones")
		}
		text := s.Format()
		again, err := scenarios.Parse("file", text)
		if err != nil {
			t.Fatalf("what was written does not parse: %v\n%s", err, text)
		}
		if diff := cmp.Diff(s.Case.Replies, again.Case.Replies); diff != "" {
			t.Fatalf("replies (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(string(text), string(again.Format())); diff != "" {
			t.Fatalf("the canonical form is not stable (-first +second):\n%s", diff)
		}
	})
}

// size is the length of all replies together.
func size(s scenarios.Scenario) int {
	n := 0
	for _, r := range s.Case.Replies {
		n += len(r)
	}
	return n
}
