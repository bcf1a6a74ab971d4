package config_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"replanbench/harness/config"
	"replanbench/harness/engine"
)

func parse(t *testing.T, text string) *config.Config {
	t.Helper()
	c, err := config.Parse("replanbench.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var values = cmpopts.IgnoreUnexported(config.Config{}, engine.Options{})

// TestCommented reads the file that a project begins with: it holds every key,
// explained, and changes nothing.
func TestCommented(t *testing.T) {
	text := string(config.Default().Commented())
	if diff := cmp.Diff(config.Default(), parse(t, text), values, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("the commented file changes what it should only show (-default +file):\n%s", diff)
	}
	if c := parse(t, text); c.Suites.Trim.History != nil || c.Engine.Command != nil {
		t.Error("an empty list is not the same as none")
	}
	before := ""
	for line := range strings.Lines(text) {
		if len([]rune(line)) > 81 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
		if key, _, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && !strings.HasPrefix(key, "#") &&
			!strings.HasPrefix(strings.TrimSpace(before), "#") {
			t.Errorf("the key %s has no comment", key)
		}
		before = line
	}
}

func TestParse(t *testing.T) {
	got := parse(t, `
engine:
  command: [python3, "my adapter.py"]
  profile: [documented, conflicts=reject]
limits:
  timeout: 500ms
suites:
  fuzz: {cases: 500, traits: [fence-long], out: found}
  corpora:
    run: false
    files:
outputs:
  - format: junit
    file: out.xml
thresholds: ["parse_rate >= 0.95"]
`)
	want := config.Default()
	want.Engine.Command = []string{"python3", "my adapter.py"}
	want.Engine.Profile = []string{"documented", "conflicts=reject"}
	want.Limits.Timeout = 500_000_000
	want.Suites.Fuzz.Cases, want.Suites.Fuzz.Traits, want.Suites.Fuzz.Out = 500, []string{"fence-long"}, "found"
	want.Suites.Corpora.Run = false
	want.Outputs = []config.Output{{Format: "junit", File: "out.xml"}}
	want.Thresholds = []string{"parse_rate >= 0.95"}
	if diff := cmp.Diff(want, got, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := parse(t, string(got.Commented())); !cmp.Equal(got, again, values, cmpopts.EquateEmpty()) {
		t.Errorf("does not read back:\n%s", cmp.Diff(got, again, values))
	}
	for _, empty := range []string{"", "# nothing\n", "{}", "engine:\n"} {
		if c := parse(t, empty); !cmp.Equal(config.Default(), c, values) {
			t.Errorf("%q is not the default", empty)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"engin: {}", `replanbench.yaml:1:1: unknown key "engin" at the top; did you mean "engine"?`},
		{"suites:\n  fuzz:\n    casses: 3\n", `replanbench.yaml:3:5: unknown key "casses" below suites.fuzz; did you mean "cases"?`},
		{"xyzzy: 1", `replanbench.yaml:1:1: unknown key "xyzzy" at the top (there are allow_missing, baseline, budget, `},
		{
			"suites:\n  fuzz:\n    cases: many\n",
			`replanbench.yaml:3:12: suites.fuzz.cases: expected a whole number, not "many"`,
		},
		{"suites: {fuzz: {cases: -1}}", `suites.fuzz.cases: -1 is too small (at least 0)`},
		{"workers: -1", `replanbench.yaml:1:10: workers: -1 is too small (at least 0)`},
		{"workers: 5000", `replanbench.yaml:1:10: workers: 5000 is too large (at most 1024)`},
		{"workers: 99999999999999999999", `workers: 99999999999999999999 is too large (at most 1024)`},
		{"limits: {timeout: 5}", `replanbench.yaml:1:19: limits.timeout: expected a time such as 500ms, 2s or 10m, not "5"`},
		{"limits: {timeout: -5s}", `limits.timeout: expected a time such as 500ms, 2s or 10m, not "-5s"`},
		{"suites: {trim: {run: perhaps}}", `expected true or false, not "perhaps"`},
		{"engine: reference", `replanbench.yaml:1:9: engine: expected keys and values (arguments, codes, command, gives, profile, source, use, without), not "reference"`},
		{"dialects: planpatch", `replanbench.yaml:1:11: dialects: expected a list, not "planpatch" (write ["planpatch"])`},
		{"limits: {timeout: 1.5.2s}", `limits.timeout: expected a time`},
		{"limits: {timeout: 99999999999h}", `replanbench.yaml: `},
		{
			"limits: {timeout: 0}\nlimitz: 1\nengine: {use: [x]}",
			`replanbench.yaml:2:1: unknown key "limitz" at the top; did you mean "limits"?` + "\n" +
				`replanbench.yaml:3:15: engine.use: expected a text, not a list`,
		},
		{"known: [a]", `known: expected a text, not a list`},
		{"known: a\nknown: b\n", `replanbench.yaml:2:1: `},
		{"a: &x 1\nknown: *x", `aliases are not read`},
		{"outputs:\n  - form: junit\n", `replanbench.yaml:2:5: unknown key "form" below outputs[0]; did you mean "format"?`},
		{"known: [x", "replanbench.yaml:1:8: not YAML: a list that begins with [ does not end"},
		{"a: b: c", "replanbench.yaml:1:5: not YAML: a colon is not allowed here"},
		{"- a\n- b", "expected keys and values"},
	} {
		_, err := config.Parse("replanbench.yaml", []byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	_, err := config.Parse("f", []byte("engin: 1\nworkers: x\n"))
	if err == nil || strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("not all errors are told at once: %v", err)
	}
}

// size is a flag whose key is a text.
type size int

func (s *size) String() string { return fmt.Sprintf("%dMiB", int(*s)) }

// TestPlaces checks where values are said to come from.
func TestPlaces(t *testing.T) {
	c := parse(t, "workers: 2\nsuites:\n  fuzz:\n    traits: [x]\n")
	seed, memory := uint64(7), size(5)
	c.Override("suites.fuzz.seed", "--seed", &seed)
	c.Override("limits.memory", "--engine-memory", &memory)
	if c.Suites.Fuzz.Seed != 7 || c.Limits.Memory != "5MiB" {
		t.Errorf("the flags set %d and %q", c.Suites.Fuzz.Seed, c.Limits.Memory)
	}
	for key, want := range map[string]string{
		"workers": "replanbench.yaml:1", "suites.fuzz.seed": "--seed", "suites.fuzz.cases": "default",
		"suites.fuzz.traits": "replanbench.yaml:4",
	} {
		if got := c.Origin(key); got != want {
			t.Errorf("%s comes from %s, want %s", key, got, want)
		}
	}
	if got, want := c.Errorf("suites.fuzz.traits", "no fault %q", "x").Error(),
		`replanbench.yaml:4:13: suites.fuzz.traits: no fault "x"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	text := string(c.Explained())
	for _, want := range []string{
		"workers: 2  # replanbench.yaml:1\n", "    seed: 7  # --seed\n",
		"    cases: 20000  # default\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the explanation lacks %q:\n%s", want, text)
		}
	}
	if again := parse(t, text); !cmp.Equal(c, again, values, cmpopts.EquateEmpty()) {
		t.Error("the explanation does not read back")
	}
}

// TestSchema holds the schema to the decoder: what one refuses the other does.
func TestSchema(t *testing.T) {
	raw, err := json.Marshal(config.Schema())
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("config", doc); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("config")
	if err != nil {
		t.Fatal(err)
	}
	for text, ok := range map[string]bool{
		string(config.Default().Commented()):  true,
		"workers: 3":                          true,
		"engine:":                             true,
		"outputs: [{format: junit, file: x}]": true,
		"engin: {}":                           false,
		"workers: -1":                         false,
		"workers: many":                       false,
		"dialects: planpatch":                 false,
		"limits: {timeout: 5}":                false,
		"suites: {fuzz: {max_findings: 0}}":   false,
		"outputs: [{form: junit}]":            false,
	} {
		_, err := config.Parse("f", []byte(text))
		if (err == nil) != ok {
			t.Errorf("%.60q: the decoder says %v", text, err)
		}
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != ok {
			t.Errorf("%.60q: the schema says %v", text, err)
		}
	}
}

// FuzzParse reads any bytes; an accepted configuration is written and read back unchanged.
func FuzzParse(f *testing.F) {
	f.Add(config.Default().Commented())
	f.Add([]byte("engine: {command: [a, \"\\e[31m\", null]}\nlimits: {timeout: 1h1ns}"))
	f.Add([]byte("a: &a [*a]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := config.Parse("f", data)
		if err != nil {
			return
		}
		again, err := config.Parse("f", c.Commented())
		if err != nil {
			t.Fatalf("does not read back: %v\n%s", err, c.Commented())
		}
		if diff := cmp.Diff(c, again, values, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("reads back as another (-first +again):\n%s", diff)
		}
	})
}

// TestRenamed: a key under its former name is read, and reported.
func TestRenamed(t *testing.T) {
	c := parse(t, "suites:\n  fuzz: {faults: [fence-long]}\n")
	if diff := cmp.Diff([]string{"fence-long"}, c.Suites.Fuzz.Traits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([][2]string{{"suites.fuzz.faults", "suites.fuzz.traits"}}, c.Renamed()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
