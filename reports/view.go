package reports

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
)

func statusTone(s harness.Status) style.Tone {
	switch s {
	case harness.Pass:
		return style.Good
	case harness.Known, harness.NotSupported:
		return style.Doubtful
	}
	return style.Bad
}

// chapter is a section of the report: what every renderer shows.
type chapter struct {
	name        string // for programs
	title, line string // line summarizes the chapter; "": no summary
	tables      []measure.Table
	plots       []measure.Plot // of pages
	compared    []*Comparison
	judged      bool // it passes or fails; else it contains figures only
	short       bool // not all of it was run
	open        bool // pages never fold it

	suite string             // of its failures; "": of all failures
	owns  func(Failure) bool // whether a failure is of the chapter; nil: its suite decides
	claim string             // what holds without failures
	// tests are the checks that it makes, and testsTitle their title if it is not the suite.
	tests      []test
	testsTitle string
}

func (c *chapter) has(f Failure) bool {
	if c.owns != nil {
		return c.owns(f)
	}
	return f.Suite == c.suite || c.suite == ""
}

// chapterOf completes the chapter of a section; nothing without the section.
func chapterOf[S any, P interface {
	*S
	tables() []measure.Table
}](section P, c chapter) []chapter {
	if section == nil {
		return nil
	}
	if x, ok := any(section).(interface{ line() string }); ok {
		c.line = x.line()
	}
	if x, ok := any(section).(interface{ plots() []measure.Plot }); ok {
		c.plots = x.plots()
	}
	if x, ok := any(section).(interface{ tests() []test }); ok {
		c.tests = x.tests()
	}
	c.tables = slices.DeleteFunc(section.tables(), func(t measure.Table) bool { return len(t.Measures)+len(t.Notes) == 0 })
	for _, s := range suites() {
		if s.name == c.suite {
			c.claim = s.claim
		}
	}
	return []chapter{c}
}

// explained reports whether all failing scenarios are evidence for causes, which fail in their place.
func (r *Report) explained() bool {
	return r.Scenarios != nil && r.Scenarios.total().Counts[harness.Fail] > 0 &&
		!slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Suite == suiteScenarios })
}

// chapters returns the chapters of all sections.
func (r *Report) chapters() []chapter {
	scenarios := chapter{name: "scenarios", title: "Scenarios", judged: !r.explained(), suite: suiteScenarios}
	calibrate := chapter{name: "calibration", title: "Kill table", judged: true, suite: suiteCalibrate}
	if r.Calibration != nil {
		calibrate.testsTitle = "calibrate " + r.Calibration.Dialect
	}
	list := slices.Concat(
		chapterOf(r.Part, chapter{name: "part", title: "Shard"}),
		chapterOf(r.History, chapter{name: "history", title: "History", open: true, suite: "history"}),
		chapterOf(r.League, chapter{name: "league", title: "League", judged: true}),
		chapterOf(r.Scenarios, scenarios),
		chapterOf(r.Trim, chapter{name: "trim", title: "Trimming", judged: true, suite: suiteTrim}),
		r.campaignChapters(), chapterOf(r.Calibration, calibrate),
		chapterOf(r.Naming, chapter{name: "naming", title: "Causes of known defects", suite: suiteCalibrate}),
		chapterOf(r.Shown, chapter{
			name: "shown", title: "Defects that scenarios detect", judged: true, suite: suiteCalibrate,
		}),
		chapterOf(r.Live, chapter{
			name: "live", title: "Live run", compared: r.Live.comparisons(), short: r.Live.gaps() > 0, suite: "live",
		}),
		chapterOf(r.Agent, chapter{name: "agent", title: "Agent", judged: true, suite: suiteAgent}),
		chapterOf(r.Protocols, chapter{name: "protocols", title: "Protocols", suite: "protocols"}),
		chapterOf(r.Score, chapter{name: "score", title: "Scored replies", suite: suiteCorpus}),
		chapterOf(r.Comparison, chapter{
			name: "comparison", title: "Comparison", suite: suiteCompare, compared: []*Comparison{r.Comparison},
		}),
	)
	for i := range r.Sections {
		list = append(list, r.Sections[i].chapter())
	}
	if said := r.Engine.Said; len(said) > 0 {
		list = append(list, chapter{name: "engine", title: "The engine", suite: "engine", tables: []measure.Table{
			measure.Note("Overridden declaration", "Instead of the declaration of "+r.Engine.Name+": "+
				strings.Join(said, "; ")+"."),
		}})
	}
	if len(r.Coverage) > 0 {
		list = append(list, chapter{name: "coverage", title: "Coverage", suite: "coverage", tables: r.coverage()})
	}
	return list
}

// tables returns the tables of all chapters.
func (r *Report) tables() []measure.Table {
	return collect.Flat(r.chapters(), func(p chapter) []measure.Table { return p.tables })
}

// lineOf returns the line of a section, or "" without the section.
func lineOf[S any, P interface {
	*S
	line() string
}](section P) string {
	if section == nil {
		return ""
	}
	return section.line()
}

// coverage returns the table of coverage, and for programs the count of each name.
func (r *Report) coverage() []measure.Table {
	t := measure.Table{Title: "Coverage", Again: true}
	data := measure.Table{Hidden: true}
	for _, c := range r.Coverage {
		var missing []string
		k := measure.By("kind", c.Kind)
		for _, i := range c.Items {
			data.Add(k.With("name", i.Name).Count("occurrences", i.N))
			if i.N == 0 {
				missing = append(missing, i.Name)
			}
		}
		n := len(c.Items)
		t.Add(covered(k, n-len(missing), n), k.Words("not_covered", someOf(missing)).In(style.Bad))
	}
	return []measure.Table{t, data}
}

// covered returns how many of n names occur.
func covered(k measure.Keys, part, n int) measure.Measure {
	return k.Portion("covered", part, n).As("%d of %d", part, n).In(style.Good).If(part < n, style.Bad)
}

// someOf returns the first names of a list and the number of the others. CSV and JSON
// contain all.
func someOf(names []string) string { return firstOf(names, 20, ", ", " … and %d more") }

// firstOf joins the first items of a list. If there are more than `most`, rest says how many.
func firstOf(list []string, most int, between, rest string) string {
	text := strings.Join(list[:min(len(list), most)], between)
	if n := len(list) - most; n > 0 {
		text += fmt.Sprintf(rest, n)
	}
	return text
}

// Line summarizes the report in one line: verdict, name of what was tested, and counts.
func (r *Report) Line() string {
	return strings.ToUpper(string(r.Verdict)) + ": " + r.subject() + ": " + r.line()
}

// line summarizes the report without verdict and name.
func (r *Report) line() string {
	parts := append(r.wrongCounts(), r.others()...)
	if r.Summary.Cases > r.Live.gaps() || len(parts) == 0 { // cells are counted already
		parts = append(parts, r.Summary.line())
	}
	return strings.Join(parts, "; ")
}

// wrongCounts counts the causes, and the failures that no cause explains.
func (r *Report) wrongCounts() (parts measure.Notes) {
	const cause, known, scenario, missed, unfinished, other = "cause", "known cause", "scenario", "missed threshold",
		"unfinished suite", "other failure"
	nouns := map[string]string{
		suiteFuzz: cause, suiteAgent: cause, suiteScenarios: scenario, suiteCorpus: missed, suiteCheck: unfinished,
	}
	counts := map[string]int{known: collect.Count(r.passedOver(), func(f Failure) bool { return !f.Advisory })}
	for _, f := range r.Failures {
		if !f.Advisory {
			counts[cmp.Or(nouns[f.Suite], other)]++
		}
	}
	for _, noun := range []string{cause, known, scenario, missed, other, unfinished} {
		parts.If(counts[noun] > 0, "%s", counted(counts[noun], noun))
	}
	return parts
}

// line counts the cases by status.
func (s *Summary) line() string {
	var parts measure.Notes
	for _, t := range harness.Statuses() {
		n := s.Counts[harness.Status(t.Name)]
		parts.If(n > 0, "%d %s", n, measure.Named(t.Name))
	}
	line := counted(s.Cases, "case")
	if len(parts) > 0 {
		line += ": " + strings.Join(parts, ", ")
	}
	if s.Advisory > 0 {
		line += "; " + counted(s.Advisory, "advisory failure")
	}
	return line
}

// others returns the lines of the sections that do not count cases.
func (r *Report) others() []string {
	lines := []string{lineOf(r.Live), lineOf(r.Comparison), lineOf(r.Protocols)}
	if r.Live == nil { // which counts its own requests
		lines = append(lines, lineOf(r.Score))
	}
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}

// eachText replaces every text below v by the result of edit.
func eachText(v reflect.Value, edit func(string) string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(edit(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			eachText(v.Elem(), edit)
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			eachText(field, edit)
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				eachText(v.Index(i), edit)
			}
		}
	}
}

// counted returns a number with its noun: "1 case", "2 cases".
func counted(n int, noun string) string {
	return fmt.Sprintf("%d %s", n, english.PluralWord(n, noun, ""))
}
