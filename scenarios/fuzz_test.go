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

// FuzzYAML feeds foreign bytes to the reader of scenarios in YAML, as FuzzParse does.
func FuzzYAML(f *testing.F) {
	const head = "why: w\ndialect: planpatch\nplan: {title: t, steps: [{id: a, description: d}]}\n"
	for _, text := range []string{
		head + "replies: [{remove_steps: [a]}]\nwant: {verdict: rejected, code: done_immutable}\n",
		head + "replies: ['x', {base64: //8=}]\nwant: {verdict: applied}\n", head + "want: {verdict: .nan}\n",
		"why: 2020-01-01\ndialect: trim\nbudget: {max_tokens: .inf}\nwant: {verdict: applied}\n", "why: &x {a: *x}\n",
		"? [a]\n: b\n", "a: &a [x]\nb: [*a, *a]\n", "why: w\nwhy: x\n", "- a\n", "", "why: |\n  a\n  -- plan.json --\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		const name = "file.scenario.yaml"
		if s, err := scenarios.Parse(name, data); err != nil && !strings.HasPrefix(err.Error(), name+":") {
			t.Fatalf("the error does not name the file: %v", err)
		} else if err == nil && s.Want == nil {
			t.Fatalf("a scenario without an expected outcome: %s", data)
		}
	})
}
