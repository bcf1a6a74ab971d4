package reports

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/reference"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/scenarios"
)

// found is the report of a real run against an engine that is wrong: some built-in
// scenarios and a short campaign. The engine is asked once for all tests; each gets a
// report of its own.
func found(t testing.TB) *Report {
	t.Helper()
	asking.Do(func() {
		var b bytes.Buffer
		if err := ask(t).JSON(&b); err != nil {
			t.Fatal(err)
		}
		asked = b.Bytes()
	})
	r, err := Decode(asked)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var (
	asking sync.Once
	asked  []byte // the report of the run, as JSON
)

func ask(t testing.TB) *Report {
	t.Helper()
	e := all.Mutant("removes-done-steps")
	if e == nil {
		t.Fatal("the defect is gone")
	}
	hello, err := e.Hello(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := New("check", "devel", hello)
	r.Environment.Started, r.Environment.Seconds = "2026-01-02T03:04:05Z", 1.5
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(list, func(s scenarios.Scenario) bool {
		return !slices.Contains([]string{"conflicts", "finished", "reading", "documented", "ladder"},
			path.Base(path.Dir(s.ID)))
	})
	results, err := suite.Run(t.Context(), e, list, suite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.AddScenarios(results, shard.Shard{}, func(s scenarios.Scenario) string { return "replanbench replay " + s.ID })
	run, err := campaign.Start(t.Context(), campaign.Config{
		Dialect: "planpatch", Engine: e, Cases: 300, Seed: 1,
		Judging: judge.Options{Reference: reference.New()},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.AddFuzz(run, finding.Baseline{}, func(c cause.Cause) string {
		return "replanbench fuzz --first " +
			fmt.Sprint(c.First)
	})
	r.Conclude()
	causes := r.Fuzz.Campaigns[0].Causes
	if r.Verdict != Failed || len(r.Failures) != 1 || len(causes) != 1 || len(causes[0].Scenarios) < 4 {
		t.Fatalf("the defect gives %d failures, causes %+v and the verdict %s", len(r.Failures), causes, r.Verdict)
	}
	return r
}

func write(t testing.TB, r *Report, format string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := r.Write(&b, format); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestCSVInBulk reads the table back as a spreadsheet does.
func TestCSVInBulk(t *testing.T) {
	for name, r := range map[string]*Report{"hostile": small(), "found": found(t)} {
		rows, err := csv.NewReader(bytes.NewReader(write(t, r, "csv"))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if got := rows[0]; got[0] != "section" || got[1] != "metric" || !slices.Contains(got, "value") {
			t.Errorf("%s: the heading is %v", name, got)
		}
		failures := 0
		for _, row := range rows[1:] {
			if row[0] == "failure" {
				failures++
			}
			for i, cell := range row {
				switch {
				case cell == "":
				case slices.Contains([]string{"value", "low", "high", "k", "n", "p"}, rows[0][i]):
					if _, err := strconv.ParseFloat(cell, 64); err != nil {
						t.Errorf("%s: %s is no number: %q", name, rows[0][i], cell)
					}
				case strings.ContainsAny(cell[:1], "=+-@\t\r\n"):
					t.Errorf("%s: a spreadsheet takes %q for a formula", name, cell)
				}
			}
		}
		if failures != len(r.Failures) {
			t.Errorf("%s: %d failures of %d", name, failures, len(r.Failures))
		}
	}
}

// TestSARIFInBulk validates against the schema of OASIS.
func TestSARIFInBulk(t *testing.T) {
	raw, err := os.ReadFile("testdata/sarif-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sarif", unmarshal(t, raw)); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif")
	if err != nil {
		t.Fatal(err)
	}
	passed := New("check", "devel", harness.Hello{Name: "reference"})
	passed.Conclude()
	for name, r := range map[string]*Report{"hostile": small(), "found": found(t), "passed": passed} {
		doc := write(t, r, "sarif")
		if err := schema.Validate(unmarshal(t, doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if n := bytes.Count(doc, []byte(`"ruleId"`)); n != len(r.Failures) {
			t.Errorf("%s: %d results for %d failures", name, n, len(r.Failures))
		}
	}
	bad := bytes.Replace(write(t, small(), "sarif"), []byte(`"level": "error"`), []byte(`"level": "bad"`), 1)
	if schema.Validate(unmarshal(t, bad)) == nil {
		t.Error("the schema accepts anything")
	}
}

// TestJUnit validates against the schema of Jenkins.
func TestJUnit(t *testing.T) {
	raw, err := os.ReadFile("testdata/junit.xsd")
	if err != nil {
		t.Fatal(err)
	}
	xsd := parseXSD(t, raw)
	for name, r := range map[string]*Report{"hostile": small(), "found": found(t)} {
		doc := write(t, r, "junit")
		for _, problem := range xsd.validate(doc) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	good := string(write(t, small(), "junit"))
	for _, bad := range []string{
		strings.Replace(good, "<testcase name=", "<testcase nome=", 1),
		strings.Replace(good, "<testcase ", "<case></case><testcase ", 1),
		strings.Replace(good, "<property ", "<properties></properties><property ", 1),
		strings.Replace(good, "</testsuites>", "", 1),
	} {
		if xsd.validate([]byte(bad)) == nil {
			t.Error("the schema accepts anything")
		}
	}
}

// TestJUnitHoldsAll looks for every scenario, every invariant and every
// failure.
func TestJUnitHoldsAll(t *testing.T) {
	r := found(t)
	var doc struct {
		Suites []struct {
			Cases []struct{} `xml:"testcase"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(write(t, r, "junit"), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Suites) != 2 {
		t.Fatalf("%d suites, want those of scenarios and fuzzing", len(doc.Suites))
	}
	if got := len(doc.Suites[0].Cases); got != len(r.Scenarios.Results) {
		t.Errorf("%d test cases for %d scenarios", got, len(r.Scenarios.Results))
	}
	checks, causes := len(all.Rules("planpatch").Checks), 0
	for _, f := range r.Failures {
		if f.Suite == suiteFuzz {
			causes++
		}
	}
	if got := len(doc.Suites[1].Cases); causes == 0 || got != checks+causes {
		t.Errorf("%d test cases for %d invariants and %d causes", got, checks, causes)
	}
	text := string(write(t, r, "junit"))
	for _, f := range r.Failures {
		if !f.Advisory && !strings.Contains(text, "reproduce: "+f.Reproduce+"&#xA;") {
			t.Errorf("no command to reproduce %s", f.ID)
		}
	}
}

func TestGitHub(t *testing.T) {
	for name, r := range map[string]*Report{"hostile": small(), "found": found(t)} {
		lines := strings.Split(strings.TrimSuffix(string(write(t, r, "github")), "\n"), "\n")
		command := regexp.MustCompile(`^::(error|warning|notice) [^:\x00-\x1f]*::[^\x00-\x1f]+$`)
		for _, l := range lines {
			if !command.MatchString(l) {
				t.Errorf("%s: %q is no annotation", name, l)
			}
		}
		if !strings.Contains(lines[len(lines)-1], "FAIL: ") {
			t.Errorf("%s: the last line is not the verdict: %q", name, lines[len(lines)-1])
		}
	}
	many := small()
	for i := range 50 {
		many.Failures = append(many.Failures, Failure{Suite: "fuzz", ID: fmt.Sprint(i), Status: harness.Fail})
	}
	if out := string(write(t, many, "github")); strings.Count(out, "::error") != 10 ||
		!strings.Contains(out, "more failures") {
		t.Errorf("50 failures do not make ten errors and a count of the rest:\n%s", out)
	}
	for range 1000 {
		many.Failures = append(many.Failures, many.Failures[0])
	}
	var b bytes.Buffer
	if err := many.StepSummary(&b); err != nil || b.Len() > 1<<20 {
		t.Errorf("a summary of %d bytes: %v", b.Len(), err)
	}
	// One failure fits on a screen: the rest is folded.
	one := small()
	one.Failures = one.Failures[:1]
	b.Reset()
	if err := one.StepSummary(&b); err != nil {
		t.Fatal(err)
	}
	open, _, _ := strings.Cut(b.String(), "<details>")
	if n := strings.Count(open, "\n"); n > 24 || strings.Count(b.String(), "<details>") != strings.Count(b.String(), "</details>") {
		t.Errorf("%d lines are not folded:\n%s", n, &b)
	}
}

// xsd is a schema of elements, of which each has a sequence of others, a text,
// or both, and attributes: as much as the schema at hand uses.
type xsd map[string]xsdElement

type xsdElement struct {
	children []xsdChild
	text     bool
	attrs    map[string]bool // required?
}

type xsdChild struct {
	name      string
	min, most int // most < 0: any number
}

func parseXSD(t *testing.T, raw []byte) xsd {
	t.Helper()
	var doc struct {
		Elements []struct {
			Name    string `xml:"name,attr"`
			Type    string `xml:"type,attr"`
			Complex *struct {
				Mixed    bool `xml:"mixed,attr"`
				Sequence []struct {
					Ref string `xml:"ref,attr"`
					Min string `xml:"minOccurs,attr"`
					Max string `xml:"maxOccurs,attr"`
				} `xml:"sequence>element"`
				Attributes []struct {
					Name string `xml:"name,attr"`
					Use  string `xml:"use,attr"`
				} `xml:"attribute"`
			} `xml:"complexType"`
		} `xml:"element"`
	}
	if err := xml.Unmarshal(raw, &doc); err != nil || len(doc.Elements) == 0 {
		t.Fatalf("no schema: %v", err)
	}
	schema := xsd{}
	for _, e := range doc.Elements {
		x := xsdElement{text: e.Type == "xs:string", attrs: map[string]bool{}}
		if e.Complex != nil {
			x.text = e.Complex.Mixed
			for _, a := range e.Complex.Attributes {
				x.attrs[a.Name] = a.Use == "required"
			}
			for _, c := range e.Complex.Sequence {
				child := xsdChild{c.Ref, 1, 1}
				if c.Min == "0" {
					child.min = 0
				}
				if c.Max == "unbounded" {
					child.most = -1
				}
				x.children = append(x.children, child)
			}
		}
		schema[e.Name] = x
	}
	return schema
}

// validate lists the mistakes in a document.
func (s xsd) validate(doc []byte) (problems []string) {
	type open struct {
		name string
		seen []string
	}
	stack := []open{{name: ""}}
	d := xml.NewDecoder(bytes.NewReader(doc))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return problems
		}
		if err != nil {
			return append(problems, err.Error())
		}
		top := &stack[len(stack)-1]
		switch x := token.(type) {
		case xml.StartElement:
			top.seen = append(top.seen, x.Name.Local)
			problems = append(problems, s.attributes(x)...)
			stack = append(stack, open{name: x.Name.Local})
		case xml.EndElement:
			problems = append(problems, s.sequence(top.name, top.seen)...)
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if top.name != "" && !s[top.name].text && strings.TrimSpace(string(x)) != "" {
				problems = append(problems, "text in "+top.name)
			}
		}
	}
}

func (s xsd) attributes(x xml.StartElement) (problems []string) {
	e, ok := s[x.Name.Local]
	if !ok {
		return []string{"no element " + x.Name.Local}
	}
	for name, required := range e.attrs {
		if required && !slices.ContainsFunc(x.Attr, func(a xml.Attr) bool { return a.Name.Local == name }) {
			problems = append(problems, x.Name.Local+" lacks "+name)
		}
	}
	for _, a := range x.Attr {
		if _, ok := e.attrs[a.Name.Local]; !ok {
			problems = append(problems, x.Name.Local+" has no attribute "+a.Name.Local)
		}
	}
	return problems
}

func (s xsd) sequence(name string, seen []string) []string {
	for _, c := range s[name].children {
		n := 0
		for len(seen) > 0 && seen[0] == c.name && (c.most < 0 || n < c.most) {
			seen, n = seen[1:], n+1
		}
		if n < c.min {
			return []string{fmt.Sprintf("%s lacks %s", name, c.name)}
		}
	}
	if len(seen) > 0 {
		return []string{fmt.Sprintf("%s holds %s at a wrong place", name, seen[0])}
	}
	return nil
}
