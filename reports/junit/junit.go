// Package junit writes tests and their failures as JUnit XML.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
	"strings"

	"replanbench/harness/document/escape"
)

// Report is the result of a run. The package escapes all texts.
type Report struct {
	Name, Engine, Started string // Started is RFC 3339, or ""
	Seconds               float64
	Suites                []Suite
}

// Suite is a list of tests.
type Suite struct {
	Name  string
	Tests []Test
}

// Test is a test, its reason to be skipped, and its failures.
type Test struct {
	Class, Name, Skipped string
	Failures             []Failure
}

// Failure is a reason why a test fails. Error: there was no result to judge.
type Failure struct {
	ID, Status, Reason, Reproduce string
	Advisory, Error               bool
	Differences                   [][3]string // the place, and the expected and the actual value, escaped
}

// The elements of a JUnit report, in the form that Jenkins describes and other
// programs read.
type (
	suites struct {
		XMLName  xml.Name `xml:"testsuites"`
		Name     string   `xml:"name,attr"`
		Tests    int      `xml:"tests,attr"`
		Failures int      `xml:"failures,attr"`
		Errors   int      `xml:"errors,attr"`
		Time     string   `xml:"time,attr,omitempty"`
		Suites   []suite  `xml:"testsuite"`
	}
	suite struct {
		Name       string     `xml:"name,attr"`
		Tests      int        `xml:"tests,attr"`
		Failures   int        `xml:"failures,attr"`
		Errors     int        `xml:"errors,attr"`
		Skipped    int        `xml:"skipped,attr"`
		Timestamp  string     `xml:"timestamp,attr,omitempty"`
		Properties []property `xml:"properties>property"`
		Cases      []testCase `xml:"testcase"`
	}
	property struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Skipped string   `xml:"skipped,omitempty"`
		Error   *failure `xml:"error"`
		Failure *failure `xml:"failure"`
	}
	failure struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// Write writes the report.
func Write(w io.Writer, r Report) error {
	all := suites{Name: escape.Terminal(r.Name)}
	if r.Seconds > 0 {
		all.Time = strconv.FormatFloat(r.Seconds, 'f', 3, 64)
	}
	for _, x := range r.Suites {
		s := suite{
			Name: escape.Terminal(x.Name), Tests: len(x.Tests), Timestamp: escape.Terminal(strings.TrimSuffix(r.Started, "Z")),
			Properties: []property{{"engine", escape.Terminal(r.Engine)}},
		}
		for _, t := range x.Tests {
			s.add(t.element())
		}
		all.Suites = append(all.Suites, s)
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

// add adds a test case and counts it.
func (s *suite) add(c testCase) {
	switch {
	case c.Error != nil:
		s.Errors++
	case c.Failure != nil:
		s.Failures++
	case c.Skipped != "":
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

const (
	mostFailures = 20 // in a test case
	longest      = 2000
)

// element returns the test case: with an error if there was no result, else with a failure.
// Advisory failures become a skip.
func (t *Test) element() testCase {
	c := testCase{Name: escape.Terminal(t.Name), Class: escape.Terminal(t.Class), Skipped: escape.Terminal(t.Skipped)}
	if len(t.Failures) == 0 {
		return c
	}
	first := t.Failures[0]
	if first.Advisory {
		c.Skipped = escape.Terminal("advisory: " + first.Reason + "; reproduce: " + first.Reproduce)
		return c
	}
	c.Skipped = ""
	var b strings.Builder
	for _, f := range t.Failures[:min(len(t.Failures), mostFailures)] {
		fmt.Fprintf(&b, "\n%s\n", escape.Terminal(f.ID))
		for _, d := range f.Differences {
			fmt.Fprintf(&b, "at %s\n  expected %s\n  got      %s\n", d[0], d[1], d[2])
		}
		fmt.Fprintf(&b, "reproduce: %s\n", escape.Terminal(f.Reproduce))
	}
	if n := len(t.Failures) - mostFailures; n > 0 {
		fmt.Fprintf(&b, "\nand %d more\n", n)
	}
	x := &failure{escape.Terminal(first.Status), escape.Terminal(escape.Cut(first.Reason, longest)), b.String()}
	if first.Error {
		c.Error = x
	} else {
		c.Failure = x
	}
	return c
}
