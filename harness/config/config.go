// Package config reads replanbench.yaml: what the gate runs, and what it requires.
//
// The types below are the single source of everything about the file: decoding, the
// comments of a new project's file, the JSON Schema for editors, and the listing of
// the settings in effect. The package knows the form of the file. Callers check
// names (of traits, policies), and report errors with
// [Config.Errorf], which adds the place.
package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"replanbench/harness/engine/byname"
)

// FileName is what the file is called where no other name is given.
const FileName = "replanbench.yaml"

// Config is what the file holds. The tag doc explains a key, min and max
// are the smallest and the largest number allowed.
type Config struct {
	Engine       byname.Engine `yaml:"engine" doc:"The engine under test."`
	Dialects     []string      `yaml:"dialects" doc:"The dialects that are tested (see replanbench list dialects). Empty: all that the engine declares."`
	Limits       limits        `yaml:"limits" doc:"Limits of the engine."`
	Budget       budget        `yaml:"budget" doc:"The token budget of recorded replies, and the tokenizer."`
	Suites       suites        `yaml:"suites" doc:"The suites to run."`
	Known        string        `yaml:"known" doc:"A file of known failures and findings, which do not fail the gate. A line is a pattern and a reason: */no-silent-loss/*  # no warnings yet. A line for scenarios that matches no failure fails the gate. A line for a cause need not match."`
	Thresholds   []string      `yaml:"thresholds" doc:"Thresholds for the scores of the corpora, such as \"parse_rate >= 0.95\" or \"apply_rate.low >= 0.7 where model=NAME\". For the names see: replanbench list metrics."`
	Repeat       string        `yaml:"repeat" doc:"With several samples per case: how many must pass, such as \"2 of 3\". Empty: each reply counts by itself."`
	Earlier      string        `yaml:"earlier" doc:"The report of an earlier run (--format json): only failures that it does not contain, and metrics that are worse, fail. Empty: no report."`
	Baseline     string        `yaml:"baseline" doc:"Deprecated, use earlier. A report of an earlier score (replanbench score --format json): no metric of the corpora may be worse, and no group or case may be missing or new. Empty: no baseline."`
	AllowMissing bool          `yaml:"allow_missing" doc:"Accept groups and cases that the baseline or the new score lacks."`
	Judge        string        `yaml:"judge" doc:"How much of the engine's behaviour counts: safety (what no rules excuse, such as lost work and unsound plans), rules (also what it accepts, with which result), exact (also codes and places)."`
	Outputs      []Output      `yaml:"outputs" doc:"Additional report formats, each written to a file: table, markdown, json, jsonl, csv, parquet, junit, html, latex, sarif, github.\n  - format: junit\n    file: replanbench.xml"`
	Workers      int           `yaml:"workers" min:"0" max:"1024" doc:"The maximum number of concurrent cases. 0: one per processor, in campaigns up to four for an engine outside this process."`

	name    string
	renamed [][2]string      // keys that the file has under former names: old and new
	places  map[string]place // of the keys that the file has
	origin  map[string]string
}

// limits bound the engine.
type limits struct {
	Timeout   time.Duration `yaml:"timeout" doc:"The time limit for one case. 0s: 2s for an engine outside this process, 10s for one inside."`
	Memory    string        `yaml:"memory" doc:"The memory limit for one copy of its command (Linux only). 0: no limit."`
	Restarts  int           `yaml:"restarts" min:"0" doc:"How often its command is restarted before the run stops."`
	Processes int           `yaml:"processes" min:"1" max:"256" doc:"The number of copies of its command that run at once."`
}

// budget is the token budget of prompt and reply together.
type budget struct {
	Tokens    int    `yaml:"tokens" min:"0" doc:"The token limit for prompt and reply together. 0: no limit."`
	Tokenizer string `yaml:"tokenizer" doc:"The tokenizer, here and in trimming (see replanbench list tokenizers). chars/4 is a fast estimate."`
}

// suites are the suites to run.
type suites struct {
	Scenarios scenarios `yaml:"scenarios" doc:"Cases written by hand, with their expected outcomes."`
	Fuzz      fuzz      `yaml:"fuzz" doc:"Generated plans and edits; every outcome is judged."`
	Corpora   corpora   `yaml:"corpora" doc:"Recorded replies of models, scored."`
	Trim      trim      `yaml:"trim" doc:"The simulation of trimming histories to a token budget."`
}

// scenarios is the suite of hand-written cases.
type scenarios struct {
	Run     bool     `yaml:"run" doc:"false leaves the suite out."`
	Builtin bool     `yaml:"builtin" doc:"Run the built-in scenarios."`
	Paths   []string `yaml:"paths" doc:"Scenario files of your own, or directories of them."`
}

// fuzz is the suite of generated cases.
type fuzz struct {
	Run         bool          `yaml:"run" doc:"false leaves the suite out."`
	Cases       uint64        `yaml:"cases" doc:"The number of cases per dialect. 0: as many as fit into time."`
	Time        time.Duration `yaml:"time" doc:"The time limit per dialect, such as 10m. 0s: until all cases are run."`
	Seed        uint64        `yaml:"seed" doc:"The seed of the cases: the same seed makes the same cases."`
	Traits      []string      `yaml:"traits" doc:"Plant these traits only (see replanbench list traits). Empty: all of them."`
	MaxFindings int           `yaml:"max_findings" min:"1" doc:"Stop after this many new findings."`
	Out         string        `yaml:"out" doc:"Write findings as scenarios to this directory. Empty: do not write them."`
}

// corpora is the suite of recorded replies.
type corpora struct {
	Run     bool     `yaml:"run" doc:"false leaves the suite out."`
	Builtin bool     `yaml:"builtin" doc:"Score the built-in corpus."`
	Files   []string `yaml:"files" doc:"Corpora of your own: JSON Lines, also .gz and .zst."`
	By      []string `yaml:"by" doc:"The keys to group by (see replanbench list keys)."`
	Columns []string `yaml:"columns" doc:"Show the scores as one table with these columns, such as [benchmark] or [parse, apply, tokens] (see replanbench list columns). Empty: all tables."`
	Ladder  []string `yaml:"ladder" doc:"The fallback ladder, such as [patch, retry, react]. Empty: the ladder of the profile."`
}

// trim is the suite of trimming.
type trim struct {
	Run       bool     `yaml:"run" doc:"false leaves the suite out."`
	Cases     int      `yaml:"cases" min:"1" doc:"The number of histories to generate."`
	Seed      uint64   `yaml:"seed" doc:"The seed of the generated histories."`
	History   []string `yaml:"history" doc:"Files with your own histories, instead of generated ones."`
	Policies  []string `yaml:"policies" doc:"Pipelines of policies, such as \"clamp|emergency\" (see replanbench list trimming). Empty: the default selection."`
	MaxTokens int      `yaml:"max_tokens" min:"0" doc:"The budget in tokens. 0: 32768 for your own histories; generated histories have random budgets."`
}

// Output is a form of the report in a file.
type Output struct {
	Format string `yaml:"format" doc:"The format of the report."`
	File   string `yaml:"file" doc:"The file to write it to."`
}

// Default is what holds where there is no file.
func Default() *Config {
	return &Config{
		Engine: byname.Engine{Use: byname.Reference}, Judge: "exact",
		Limits: limits{Memory: "2GiB", Restarts: 20, Processes: 1},
		Budget: budget{Tokenizer: "chars/4"},
		Suites: suites{
			Scenarios: scenarios{Run: true, Builtin: true},
			Fuzz:      fuzz{Run: true, Cases: 20000, Seed: 1, MaxFindings: 300},
			Corpora:   corpora{Run: true, Builtin: true, By: []string{"model"}},
			Trim:      trim{Run: true, Cases: 1000, Seed: 1},
		},
		places: map[string]place{}, origin: map[string]string{},
	}
}

type place struct{ line, column int }

// Renamed lists the keys that the file has under former names: each old name with the new one.
func (c *Config) Renamed() [][2]string { return c.renamed }

// Errorf is an error about the value of a key, such as suites.fuzz.traits, with
// its place: in the file, or in the flag that set it.
func (c *Config) Errorf(key, format string, args ...any) error {
	what := fmt.Errorf(format, args...)
	list, _, _ := strings.Cut(key, "[")
	if flag := c.origin[list]; flag != "" {
		return fmt.Errorf("%s: %w", flag, what)
	}
	if p, ok := c.places[key]; ok {
		return fmt.Errorf("%s:%d:%d: %s: %w", c.name, p.line, p.column, key, what)
	}
	return fmt.Errorf("%s: %w", key, what)
}

// Override sets a key to the value of a flag, to which value points. It panics at an unknown key.
func (c *Config) Override(key, flag string, value any) {
	target := reflect.ValueOf(c).Elem()
	for name := range strings.SplitSeq(key, ".") {
		fields := fieldsOf(target)
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		target = fields[i].value
	}
	if from := reflect.ValueOf(value).Elem(); target.Kind() == reflect.String && from.Kind() != reflect.String {
		target.SetString(fmt.Sprint(value))
	} else {
		target.Set(from)
	}
	c.origin[key] = flag
}

// Origin says where the value of a key comes from: a flag, a line of the file,
// or the defaults.
func (c *Config) Origin(key string) string {
	if flag := c.origin[key]; flag != "" {
		return flag
	}
	if p, ok := c.places[key]; ok {
		return fmt.Sprintf("%s:%d", c.name, p.line)
	}
	return "default"
}

// Schema returns the JSON Schema (draft 2020-12) of the file, for editors.
func Schema() map[string]any {
	s := schemaOf(reflect.ValueOf(Default()).Elem())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = FileName
	s["description"] = "The configuration of replanbench check."
	return s
}

func schemaOf(v reflect.Value) map[string]any {
	orNull := func(types ...any) []any { return append(types, "null") }
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		// 0 may be a number: minimum and maximum apply to numbers alone.
		return map[string]any{
			"type":    orNull("string", "integer"),
			"pattern": `^(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$|^0$`, "minimum": 0, "maximum": 0,
		}
	case v.Kind() == reflect.Struct:
		return objectSchema(v)
	case v.Kind() == reflect.Slice:
		items := schemaOf(reflect.New(v.Type().Elem()).Elem())
		types := typesOf(items)
		items["type"] = types[:len(types)-1] // a list has no place for null
		return map[string]any{"type": orNull("array"), "items": items}
	case v.Kind() == reflect.Bool:
		return map[string]any{"type": orNull("boolean")}
	case v.Kind() == reflect.String:
		return map[string]any{"type": orNull("string", "number", "boolean")} // a text need not be quoted
	case v.Kind() == reflect.Uint64:
		return map[string]any{"type": orNull("integer"), "minimum": 0, "maximum": uint64(math.MaxUint64)}
	}
	return map[string]any{"type": orNull("integer"), "minimum": 0, "maximum": math.MaxInt64}
}

func objectSchema(v reflect.Value) map[string]any {
	properties := map[string]any{}
	for _, f := range fieldsOf(v) {
		p := schemaOf(f.value)
		p["description"] = f.tag.Get("doc")
		switch f.value.Kind() {
		case reflect.Struct, reflect.Slice:
		default:
			p["default"] = plain(f.value)
		}
		if least, ok := f.bound("min"); ok {
			p["minimum"] = least
		}
		if most, ok := f.bound("max"); ok {
			p["maximum"] = most
		}
		properties[f.name] = p
	}
	return map[string]any{"type": []any{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func plain(v reflect.Value) any {
	if v.Type() == reflect.TypeFor[time.Duration]() {
		return time.Duration(v.Int()).String()
	}
	return v.Interface()
}
