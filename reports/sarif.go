package reports

import (
	"cmp"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"slices"

	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
)

// The parts of SARIF 2.1.0 (OASIS, Static Analysis Results Interchange Format)
// that a report needs.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
		Properties  map[string]string `json:"properties,omitempty"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string       `json:"id"`
		ShortDescription sarifMessage `json:"shortDescription"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool   `json:"executionSuccessful"`
		CommandLine         string `json:"commandLine"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]string `json:"properties,omitempty"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region struct {
			StartLine int `json:"startLine"`
		} `json:"region"`
	}
	sarifLogical struct {
		Name string `json:"fullyQualifiedName"`
	}
)

// sarifSchema is the id of the schema. The program does not fetch it.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the failures as results of a static analysis: one run, with a rule for each
// invariant or suite that has failures. Locations are the scenarios or the engine's file.
func (r *Report) SARIF(w io.Writer) error {
	rules := r.rules()
	run := sarifRun{
		// A complete run is successful, even with findings.
		Invocations: []sarifInvocation{{r.Verdict != Incomplete, escape.Terminal("replanbench " + r.Command)}},
		Results:     []sarifResult{},
		Properties:  map[string]string{"engine": escape.Terminal(r.Engine.String()), "verdict": escape.Terminal(r.Line())},
	}
	run.Tool.Driver = sarifDriver{Name: "replanbench", Version: cmp.Or(r.Environment.Version, "devel"), Rules: rules}
	for _, f := range r.Failures {
		at := slices.IndexFunc(rules, func(x sarifRule) bool { return x.ID == escape.Terminal(f.rule()) })
		run.Results = append(run.Results, f.sarif(at))
	}
	return WriteJSON(w, sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}})
}

// rules lists the rules of the failures, in the order of their names.
func (r *Report) rules() []sarifRule {
	texts := map[string]string{
		suiteScenarios: "a scenario has an unexpected outcome",
		"baseline":     "a line of the baseline matches nothing",
		"corpus":       "recorded replies violate a threshold",
		"compare":      "a metric became worse",
		"trim":         "a trimming policy breaks its contract",
		"calibrate":    "no check finds a built-in defect",
		suiteAgent:     "a session with the agent breaks a check",
	}
	maps.Copy(texts, r.claims())
	for _, c := range all.Checks() {
		texts[c.Name] = c.Text
	}
	names := map[string]bool{}
	rules := []sarifRule{}
	for _, f := range r.Failures {
		id := f.rule()
		if names[id] {
			continue
		}
		names[id] = true
		rules = append(rules, sarifRule{escape.Terminal(id), sarifMessage{escape.Terminal(cmp.Or(texts[id], id))}})
	}
	slices.SortFunc(rules, func(a, b sarifRule) int { return cmp.Compare(a.ID, b.ID) })
	return rules
}

func (f Failure) sarif(rule int) sarifResult {
	level := "error"
	if f.Advisory {
		level = "note"
	}
	x := sarifResult{
		RuleID: escape.Terminal(f.rule()), RuleIndex: rule, Level: level,
		Message: sarifMessage{escape.Terminal(escape.Cut(cmp.Or(f.reason(), string(f.Status)), longest)) +
			"\nreproduce: " + escape.Terminal(f.Reproduce)},
		Fingerprints: map[string]string{"replanbench/v1": escape.Terminal(f.Suite + "/" + f.ID)},
		Properties:   map[string]string{"status": escape.Terminal(string(f.Status))},
		Locations:    []sarifLocation{{Logical: []sarifLogical{{escape.Terminal(f.ID)}}}},
	}
	if f.File != "" {
		uri := url.URL{Path: filepath.ToSlash(f.File)}
		place := &sarifPhysical{}
		place.Artifact.URI, place.Region.StartLine = uri.String(), max(1, f.Line)
		x.Locations[0].Physical = place
	}
	return x
}
