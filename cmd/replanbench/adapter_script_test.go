package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// fill puts code in the place of the function that an adapter leaves to its
// user, as a person would: fill ADAPTER CODE.
func fill(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: fill ADAPTER CODE")
	}
	rule := regexp.MustCompile(`(?m)^(#|//) -{20,}$`)
	parts := rule.Split(ts.ReadFile(args[0]), -1)
	if len(parts) != 3 || !strings.Contains(parts[1], "YOUR CODE") {
		ts.Fatalf("%s: the place to fill in is not marked", args[0])
	}
	text := parts[0] + ts.ReadFile(args[1]) + parts[2]
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}

// replace puts one text in the place of another that stands once in a file:
// replace FILE OLD NEW.
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace FILE OLD NEW")
	}
	text := ts.ReadFile(args[0])
	if n := strings.Count(text, args[1]); n != 1 {
		ts.Fatalf("%s: %q stands there %d times, want once", args[0], args[1], n)
	}
	text = strings.Replace(text, args[1], args[2], 1)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
}
