// Package sarif writes failures as the results of a static analysis.
package sarif

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
)

// The parts of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format)
// that a report needs.
type (
	document struct {
		Schema  string `json:"$schema"`
		Version string `json:"version"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool struct {
			Driver driver `json:"driver"`
		} `json:"tool"`
		Invocations []invocation      `json:"invocations"`
		Results     []result          `json:"results"`
		Properties  map[string]string `json:"properties,omitempty"`
	}
	driver struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Rules   []rule `json:"rules"`
	}
	rule struct {
		ID               string  `json:"id"`
		ShortDescription message `json:"shortDescription"`
	}
	invocation struct {
		ExecutionSuccessful bool   `json:"executionSuccessful"`
		CommandLine         string `json:"commandLine"`
	}
	message struct {
		Text string `json:"text"`
	}
	result struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      message           `json:"message"`
		Locations    []location        `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]string `json:"properties,omitempty"`
	}
	location struct {
		Physical *physical `json:"physicalLocation,omitempty"`
		Logical  []logical `json:"logicalLocations,omitempty"`
	}
	physical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
	logical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// schema is the id of the schema. The program does not fetch it.
const schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// Run is a run of the program. The package escapes all texts.
type Run struct {
	Command, Version, Engine, Line string
	Complete                       bool // a complete run is successful, even with failures
	Rules                          map[string]string
	Failures                       []Failure
}

// Failure is a failure of a rule. Rules contains what the rule says, if that is not its name.
type Failure struct {
	Rule, ID, Fingerprint, Status, Reason, Reproduce string
	Advisory                                         bool
	File                                             string // "" is none
	Line                                             int
}

// Document returns the log of one run, with a rule for each that has failures, by name.
func Document(r Run) any {
	names := collect.Map(r.Failures, func(f Failure) string { return f.Rule })
	slices.Sort(names)
	names = slices.Compact(names)
	x := run{
		Invocations: []invocation{{r.Complete, escape.Terminal(r.Command)}},
		Results:     []result{},
		Properties:  map[string]string{"engine": escape.Terminal(r.Engine), "verdict": escape.Terminal(r.Line)},
	}
	x.Tool.Driver = driver{Name: "replanbench", Version: cmp.Or(r.Version, "devel"), Rules: []rule{}}
	for _, name := range names {
		text := escape.Terminal(cmp.Or(r.Rules[name], name))
		x.Tool.Driver.Rules = append(x.Tool.Driver.Rules, rule{escape.Terminal(name), message{text}})
	}
	for _, f := range r.Failures {
		x.Results = append(x.Results, f.result(slices.Index(names, f.Rule)))
	}
	return document{Schema: schema, Version: "2.1.0", Runs: []run{x}}
}

// longest limits the characters of a reason.
const longest = 2000

func (f *Failure) result(at int) result {
	level := "error"
	if f.Advisory {
		level = "note"
	}
	x := result{
		RuleID: escape.Terminal(f.Rule), RuleIndex: at, Level: level,
		Message: message{escape.Terminal(escape.Cut(cmp.Or(f.Reason, f.Status), longest)) +
			"\nreproduce: " + escape.Terminal(f.Reproduce)},
		Fingerprints: map[string]string{"replanbench/v1": escape.Terminal(f.Fingerprint)},
		Properties:   map[string]string{"status": escape.Terminal(f.Status)},
		Locations:    []location{{Logical: []logical{{escape.Terminal(f.ID)}}}},
	}
	if f.File != "" {
		uri := url.URL{Path: filepath.ToSlash(f.File)}
		place := &physical{}
		place.Artifact.URI, place.Region.StartLine = uri.String(), max(1, f.Line)
		x.Locations[0].Physical = place
	}
	return x
}
