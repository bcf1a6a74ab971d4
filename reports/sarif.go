package reports

import (
	"cmp"
	"io"
	"net/url"
	"path/filepath"
	"slices"

	"replanbench/harness/dialect/all"
	"replanbench/reports/escape"
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

// sarifSchema names the schema to those who read the document; nothing is
// fetched from there.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// SARIF writes the failures as results of a static analysis, one run, a rule
// for each invariant or suite that has failures. They stand where their
// scenario stands, or in the engine's own file.
func (r *Report) SARIF(w io.Writer) error {
	rules := r.rules()
	run := sarifRun{
		// The run itself went well, even if it found something; if not all
		// was run it did not.
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
		suiteScenarios: "a scenario does not give what it wants",
		"baseline":     "a line of the baseline matches nothing",
		"corpus":       "a threshold over recorded replies does not hold",
		"compare":      "a metric became worse",
		"trim":         "a trimming policy does not do what it claims",
		"calibrate":    "a built-in defect is not found",
		suiteAgent:     "a session with the agent breaks what must hold",
	}
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
		Message:      sarifMessage{escape.Terminal(escape.Cut(cmp.Or(f.reason(), string(f.Status)), longest)) + "\nreproduce: " + escape.Terminal(f.Reproduce)},
		Fingerprints: map[string]string{"replanbench/v1": escape.Terminal(f.Suite + "/" + f.ID)},
		Properties:   map[string]string{"status": escape.Terminal(string(f.Status))},
		Locations:    []sarifLocation{{Logical: []sarifLogical{{escape.Terminal(f.ID)}}}},
	}
	if f.File != "" {
		uri := url.URL{Path: filepath.ToSlash(f.File)}
		place := &sarifPhysical{}
		place.Artifact.URI, place.Region.StartLine = uri.String(), 1
		x.Locations[0].Physical = place
	}
	return x
}
