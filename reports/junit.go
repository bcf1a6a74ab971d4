package reports

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
)

// The elements of a JUnit report, in the form that Jenkins describes and other
// programs read.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Time     string       `xml:"time,attr,omitempty"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name    string        `xml:"name,attr"`
		Class   string        `xml:"classname,attr"`
		Skipped string        `xml:"skipped,omitempty"`
		Error   *junitFailure `xml:"error"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes the report as JUnit XML: a test case for each scenario, each invariant of
// a campaign, and each other check. A failure contains the command that reproduces it.
func (r *Report) JUnit(w io.Writer) error {
	all := junitSuites{Name: escape.Terminal("replanbench " + r.Command), Suites: r.junitSuites()}
	if r.Environment.Seconds > 0 {
		all.Time = strconv.FormatFloat(r.Environment.Seconds, 'f', 3, 64)
	}
	for i := range all.Suites {
		s := &all.Suites[i]
		s.Timestamp = escape.Terminal(strings.TrimSuffix(r.Environment.Started, "Z"))
		s.Properties = []junitProperty{{"engine", escape.Terminal(r.Engine.String())}}
		s.count()
		all.Tests, all.Failures, all.Errors = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors
	}
	_, _ = io.WriteString(w, xml.Header)
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s *junitSuite) count() {
	s.Tests = len(s.Cases)
	for i := range s.Cases {
		switch c := &s.Cases[i]; {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		case c.Skipped != "":
			s.Skipped++
		}
	}
}

// junitSuites returns the test suites. Failures of a suite without a list of checks
// become test cases, so that none is lost.
func (r *Report) junitSuites() []junitSuite {
	left := slices.Clone(r.Failures)
	take := func(mine func(Failure) bool) []Failure {
		var taken []Failure
		left = slices.DeleteFunc(left, func(f Failure) bool {
			if mine(f) {
				taken = append(taken, f)
				return true
			}
			return false
		})
		return taken
	}
	var suites []junitSuite
	if r.Scenarios != nil {
		suites = append(suites, r.Scenarios.junit(take(func(f Failure) bool { return f.Suite == suiteScenarios })))
	}
	if r.Fuzz != nil {
		for i := range r.Fuzz.Campaigns {
			c := &r.Fuzz.Campaigns[i]
			name := "fuzz " + c.Title()
			suites = append(suites, junitChecks(name, c, take(func(f Failure) bool {
				return f.Suite == suiteFuzz && c.CauseOf(f.ID) != nil
			})))
		}
	}
	if r.Calibration != nil {
		suites = append(suites, r.Calibration.junit(take(func(f Failure) bool { return f.Suite == "calibrate" })))
	}
	return append(suites, junitRest(r, left)...)
}

func (s *Scenarios) junit(failures []Failure) junitSuite {
	byID := map[string]Failure{}
	for _, f := range failures {
		byID[f.ID] = f
	}
	suite := junitSuite{Name: suiteScenarios, Cases: make([]junitCase, len(s.Results))}
	for i, x := range s.Results {
		c := newJUnitCase(path.Dir(x.ID), path.Base(x.ID))
		if f, failed := byID[x.ID]; failed {
			c.fail([]Failure{f})
		} else if x.Status != harness.Pass {
			c.Skipped = escape.Terminal(strings.TrimSuffix(string(x.Status)+": "+x.Reason, ": "))
		}
		suite.Cases[i] = c
	}
	return suite
}

// junitChecks returns a test case for each invariant of a campaign. An invariant that
// checked no case is skipped.
func junitChecks(name string, r *campaign.Result, failures []Failure) junitSuite {
	suite := junitSuite{Name: escape.Terminal(name)}
	for _, k := range all.Rules(r.Dialect).Checks {
		c := newJUnitCase("fuzz/"+r.Dialect, k.Name)
		if r.Coverage.Checks[k.Name] == 0 {
			c.Skipped = r.Check(k.Name)
		}
		suite.Cases = append(suite.Cases, c)
	}
	for _, f := range failures { // one per cause, worst first
		c := newJUnitCase("causes/"+r.Dialect, strings.TrimPrefix(f.ID, r.Dialect+"/"))
		c.fail([]Failure{f})
		suite.Cases = append(suite.Cases, c)
	}
	return suite
}

func (c *Calibration) junit(failures []Failure) junitSuite {
	suite := junitSuite{Name: escape.Terminal("calibrate " + c.Dialect)}
	names := []string{"reference"}
	for _, d := range c.Defects {
		names = append(names, d.Name)
	}
	for _, name := range names {
		x := newJUnitCase("calibrate/"+c.Dialect, name)
		x.fail(slices.DeleteFunc(slices.Clone(failures), func(f Failure) bool { return f.ID != name }))
		suite.Cases = append(suite.Cases, x)
	}
	return suite
}

// junitRest returns a suite for each remaining suite of failures, and for each section
// without failures.
func junitRest(r *Report, failures []Failure) []junitSuite {
	cases := make([]junitCase, len(failures))
	for i, f := range failures {
		cases[i] = newJUnitCase(cmp.Or(f.Suite, "failures"), f.ID)
		cases[i].fail([]Failure{f})
	}
	order, by := grouped(cases, func(c junitCase) string { return c.Class })
	for _, x := range []struct {
		ran        bool
		name, test string
	}{
		{r.Trim != nil, "trim", "every policy keeps its contract"},
		{r.Agent != nil, suiteAgent, "the agent keeps its plan in every session"},
		{r.Score != nil, "corpus", "all thresholds are met"},
		{r.Comparison != nil, "compare", "no metric became worse"},
	} {
		if x.ran && by[x.name] == nil {
			order = append(order, x.name)
			by[x.name] = []junitCase{newJUnitCase(x.name, x.test)}
		}
	}
	for _, s := range r.Sections {
		if s.Claim != "" && by[s.Name] == nil {
			order = append(order, s.Name)
			by[s.Name] = []junitCase{newJUnitCase(s.Name, s.Claim)}
		}
	}
	suites := make([]junitSuite, len(order))
	for i, name := range order {
		suites[i] = junitSuite{Name: escape.Terminal(name), Cases: by[name]}
	}
	return suites
}

func newJUnitCase(class, name string) junitCase {
	return junitCase{Name: escape.Terminal(name), Class: escape.Terminal(class)}
}

// junitMost limits the failures in a test case.
const junitMost = 20

// fail adds failures to the test case: an error if the engine did not respond, else a
// failure. Advisory failures become a skip.
func (c *junitCase) fail(list []Failure) {
	if len(list) == 0 {
		return
	}
	first := list[0]
	if first.Advisory {
		c.Skipped = escape.Terminal("advisory: " + first.reason() + "; reproduce: " + first.Reproduce)
		return
	}
	x := &junitFailure{
		Type:    escape.Terminal(string(first.Status)),
		Message: escape.Terminal(escape.Cut(first.reason(), longest)),
	}
	var b strings.Builder
	for _, f := range list[:min(len(list), junitMost)] {
		fmt.Fprintf(&b, "\n%s\n", escape.Terminal(f.ID))
		for _, d := range f.Differences {
			d = d.shown()
			fmt.Fprintf(&b, "at %s\n  want %s\n  got  %s\n", d.At, d.Want, d.Got)
		}
		fmt.Fprintf(&b, "reproduce: %s\n", escape.Terminal(f.Reproduce))
	}
	if n := len(list) - junitMost; n > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", n)
	}
	x.Text = b.String()
	switch first.Status {
	case harness.Crash, harness.Hang, harness.ProtocolFailure:
		c.Error = x
	default:
		c.Failure = x
	}
}
