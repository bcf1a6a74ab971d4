// Command selftest shows how a Go project tests its own engine with enginetest and the
// generators. The built-in reference takes the place of the engine. Copy these functions into
// a _test.go file of yours: there `go test` runs them, and no main is needed.
//
//	go run ./cmd/selftest -test.v -test.run Properties
package main

import (
	"regexp"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"replanbench/generators"
	"replanbench/generators/rapidgen"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/enginetest"
	"replanbench/scenarios"
)

var tests = []testing.InternalTest{
	{Name: "TestEverything", F: testEverything},
	{Name: "TestScenarios", F: testScenarios},
	{Name: "TestProperties", F: testProperties},
	{Name: "TestOwnProperty", F: testOwnProperty},
}

func main() { testing.Main(regexp.MatchString, tests, nil, nil) }

// testEverything runs the built-in scenarios and a campaign for each dialect.
func testEverything(t *testing.T) {
	enginetest.Run(t, reference.New(), enginetest.Cases(500), enginetest.Seed(7),
		enginetest.Deadline(5*time.Second), enginetest.Findings(t.TempDir()), enginetest.Judge(harness.JudgeExact))
}

// testScenarios runs chosen scenarios. A list of known failures keeps the test green until
// something new fails: here it is empty.
func testScenarios(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(s scenarios.Scenario) bool { return s.Case.Dialect != "planpatch" })
	enginetest.Run(t, reference.New(), enginetest.Cases(0), enginetest.Scenarios(list), enginetest.Known(""))
}

// testProperties checks every invariant of a dialect, and lets rapid shrink a failure.
func testProperties(t *testing.T) { enginetest.Check(t, reference.New(), "planpatch") }

// testOwnProperty states one property of its own: an edit that changes nothing is rejected.
func testOwnProperty(t *testing.T) {
	engine := reference.New()
	samples := rapidgen.Samples(all.Find("planpatch").Generate, generators.Options{})
	rapid.Check(t, func(t *rapid.T) {
		s := samples.Filter(func(s generators.Sample) bool { return s.Before != nil }).Draw(t, "sample") // a valid plan
		c := harness.Case{Dialect: "planpatch", Plan: s.Case.Plan, Replies: []harness.Reply{"{}"}}
		got, err := engine.Eval(t.Context(), c)
		if err != nil || got.Code != harness.EmptyPatch {
			t.Fatalf("want the code %s, got %q (%v)", harness.EmptyPatch, got.Code, err)
		}
	})
}
