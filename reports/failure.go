package reports

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/finding"
	"replanbench/harness/hunt/suite"
)

// Evidence is the case of a failure with the expected and the actual outcome. Pages draw
// it.
type Evidence struct {
	Case  harness.Case     `json:"case"`
	Given *harness.Outcome `json:"given,omitzero"` // absent: the engine did not respond
	// Failed is what kept the engine from a response, as [harness.Failure.Word].
	Failed string           `json:"failed,omitzero"`
	Want   *harness.Outcome `json:"want,omitzero"` // absent if unknown
	// At is the JSON Pointer into the last reply that the expected rejection names.
	At *string `json:"at,omitzero"`
}

// aligned returns the evidence with the expected outcome in the names that the engine chose.
func (e *Evidence) aligned() *Evidence {
	if e.Want == nil || e.Given == nil {
		return e
	}
	same, rules := *e, all.Rules(e.Case.Dialect)
	same.Want = rules.Aligned(harness.Declaration{}, e.Case, e.Want, e.Given)
	return &same
}

// reason returns the message and the differences in one line.
func (f Failure) reason() string {
	title, _, _ := strings.Cut(f.Title, "\n")
	text := cmp.Or(f.Message, title)
	if f.Message != "" && title != "" {
		text = strings.TrimSuffix(f.Message, ".") + ". " + title
	}
	if len(f.Differences) == 0 {
		return text
	}
	d := f.Differences[0]
	if text != "" {
		text = strings.TrimSuffix(text, ".") + "; "
	}
	return text + placeOf(d) + ": expected " + d.Want + ", got " + d.Got
}

// rule returns the name by which tools group failures: the invariant of a finding, or
// else the suite.
func (f Failure) rule() string {
	if f.Suite == suiteFuzz {
		if parts := strings.Split(f.ID, "/"); len(parts) > 2 {
			return parts[len(parts)-2]
		}
	}
	if f.Suite == "" {
		return "failure"
	}
	return f.Suite
}

// The suites of failures.
const (
	suiteCheck     = "check" // a suite, named by the id, that did not run to its end
	suiteCompare   = "compare"
	suiteFuzz      = "fuzz"
	suiteAgent     = "agent"
	suiteScenarios = "scenarios"
	suiteCorpus    = "corpus"
	suiteTrim      = "trim"
	suiteCalibrate = "calibrate"
	suiteBaseline  = "baseline"
)

// suiteTerm describes a suite of failures, for reports with and without failures.
type suiteTerm struct{ name, claim, broken string }

// suites lists the suites in the order in which a report has them.
func suites() []suiteTerm {
	return []suiteTerm{
		{suiteCompare, "no metric became worse", "a metric became worse"},
		{suiteFuzz, "", ""},
		{suiteAgent, "the agent keeps its plan in every session", "a session with the agent breaks a check"},
		{suiteScenarios, "", "a scenario has an unexpected outcome"},
		{suiteCorpus, "all thresholds are met", "recorded replies violate a threshold"},
		{suiteTrim, "every policy keeps its contract", "a trimming policy breaks its contract"},
		{suiteCalibrate, "", "no check finds a built-in defect"},
		{suiteBaseline, "", "a line of the baseline matches nothing"},
	}
}

// suiteOrder returns the position of a failure's suite in a report.
func suiteOrder(f Failure) int {
	return slices.IndexFunc(suites(), func(s suiteTerm) bool { return s.name == f.Suite })
}

// name returns the id of the failure, after its engine if the report has several.
func (f Failure) name() string {
	if f.Engine == "" {
		return f.ID
	}
	return f.Engine + ": " + f.ID
}

// detail is what a section of a report adds to a failure.
type detail struct {
	evidence *Evidence
	cause    *cause.Cause
	message  string         // of the example of the cause
	turns    []session.Turn // of a session with an agent
}

// details returns a lookup of the detail of a failure: its own evidence, or the entry
// with its name in the section of its suite.
func (r *Report) details() func(Failure) detail {
	list := map[string]detail{}
	for _, c := range r.campaigns() {
		for _, p := range c.ByCause() {
			x := detail{cause: p.Cause}
			if f := p.Shows(); f != nil {
				x.message, x.evidence = f.Message, findingEvidence(f)
			}
			for _, name := range append(p.Names(), p.Name()) {
				list[name] = x
			}
		}
	}
	if r.Agent != nil {
		for i := range r.Agent.Causes {
			c := &r.Agent.Causes[i]
			list[c.Name(r.Agent.Dialect)] = detail{cause: &c.Cause, message: c.Message, turns: c.Session.Turns}
		}
	}
	return func(f Failure) detail {
		x := list[f.ID]
		if x.cause != nil && strings.HasPrefix(f.Message, campaign.NewPart) {
			x.cause = r.newPart(f, *x.cause)
		}
		if f.Evidence != nil {
			x.evidence = f.Evidence
		}
		return x
	}
}

// newPart returns a known cause with the class and the cases of its new groups alone.
func (r *Report) newPart(f Failure, c cause.Cause) *cause.Cause {
	c.Sentence, c.LooksLike = f.Message, ""
	for _, x := range r.campaigns() {
		for _, g := range x.Groups {
			if g.Name(x.Dialect) == f.ID {
				c.Class, c.Cases = g.Class, g.Cases
			}
		}
	}
	return &c
}

func findingEvidence(f *finding.Finding) *Evidence {
	e := &Evidence{Case: f.Case, Given: f.Given, At: f.At}
	if f.Answer.Verdict != "" {
		e.Want = &f.Answer
	}
	return e
}

// Wider counts what the next level of judging would add to a run.
type Wider struct {
	Level     harness.Level `json:"level"`
	Causes    int           `json:"causes"`
	Scenarios int           `json:"scenarios"`
}

// wider returns what the next level would add; nil at the widest level.
func (r *Report) wider() *Wider {
	next := r.Judge.Next()
	if next == "" {
		return nil
	}
	w := &Wider{Level: next}
	for _, c := range r.campaigns() {
		if c.Unconnected { // nothing was tested
			return nil
		}
		w.Causes += c.Wider
	}
	if r.Agent != nil {
		w.Causes += r.Agent.Wider
	}
	if r.Scenarios != nil {
		for _, s := range r.Scenarios.Results {
			if s.Wider == next {
				w.Scenarios++
			}
		}
	}
	return w
}

// line is what the next level would add, in words; "" for nil.
func (w *Wider) line() string {
	if w == nil {
		return ""
	}
	var parts []string
	if w.Causes > 0 || w.Scenarios == 0 {
		parts = append(parts, counted(w.Causes, "more cause"))
	}
	if w.Scenarios > 0 {
		parts = append(parts, counted(w.Scenarios, "more scenario"))
	}
	return fmt.Sprintf("With --judge %s: %s", w.Level, strings.Join(parts, ", "))
}

// widerLine is what the next level would add to one case, in words; "" at the widest level.
func widerLine(level harness.Level, breaks int) string {
	next := level.Next()
	if next == "" {
		return ""
	}
	return fmt.Sprintf("With --judge %s: %s", next, counted(breaks, "more violation"))
}

// explain moves failing scenarios below the causes that explain them: their rows are
// removed, and the cause lists them. A scenario stays a failure of its own if its cause is
// known and the dialect has no new one, or if this is the report of a shard, which does not
// have all causes.
func (r *Report) explain() {
	if r.Fuzz == nil || r.Part != nil {
		return
	}
	failureOf, isNew := r.failureOf(), map[*campaign.Result]bool{}
	for _, c := range r.campaigns() {
		isNew[c] = slices.ContainsFunc(c.ByCause(), func(p campaign.Grouped) bool { return failureOf(p) != nil })
	}
	r.Failures = slices.DeleteFunc(r.Failures, func(f Failure) bool {
		if f.Suite != suiteScenarios || f.Evidence == nil || f.Engine != "" {
			return false
		}
		for _, c := range r.campaigns() {
			if c.Dialect != f.Evidence.Case.Dialect || c.Source != "" {
				continue
			}
			x := c.Explaining(f.Evidence.Case, f.Evidence.Given, f.Status, f.Evidence.Failed)
			if x != nil && (x.Advisory || isNew[c]) {
				x.Scenarios = append(x.Scenarios, f.ID)
				return true
			}
		}
		return false
	})
	failureOf = r.failureOf()
	for _, c := range r.campaigns() {
		for _, p := range c.ByCause() {
			if f := failureOf(p); f != nil {
				text, _, _ := strings.Cut(f.Title, "\n"+explains)
				f.Title = text + explained(p.Cause.Scenarios)
			}
		}
	}
}

// failureOf returns a lookup of the failure of a cause; it finds nil if the cause is known or advisory.
func (r *Report) failureOf() func(campaign.Grouped) *Failure {
	places := map[string]int{}
	for i, f := range slices.Backward(r.Failures) {
		if f.Suite == suiteFuzz {
			places[f.ID] = i
		}
	}
	return func(p campaign.Grouped) *Failure {
		first := len(r.Failures)
		for _, name := range append(p.Names(), p.Name()) {
			if i, ok := places[name]; ok {
				first = min(first, i)
			}
		}
		if first == len(r.Failures) {
			return nil
		}
		return &r.Failures[first]
	}
}

// Known returns a list of known failures: the causes, each with its groups and the scenarios
// that it explains, and the other scenarios of the list.
func (r *Report) Known(scenarios []finding.Entry) (list []finding.Entry) {
	failureOf := r.failureOf()
	for _, c := range r.campaigns() {
		for _, p := range c.ByCause() {
			f := failureOf(p)
			if f == nil {
				continue
			}
			names := p.Names()
			// The name in the report comes first. It may have a worse class than the group of this id.
			names = slices.DeleteFunc(names, func(name string) bool { return path.Base(name) == path.Base(f.ID) })
			names = slices.Insert(names, 0, f.ID)
			for _, id := range p.Cause.Scenarios {
				names = append(names, suite.Pattern(id))
			}
			list = append(list, finding.Entry{Pattern: names[0], Reason: escape.Terminal(f.Message), Also: names[1:]})
			scenarios = slices.DeleteFunc(scenarios, func(e finding.Entry) bool { return slices.Contains(names, e.Pattern) })
		}
	}
	return append(list, scenarios...)
}

// explains begins the line of a cause that lists failing scenarios.
const explains = "Failing scenarios: "

// explained returns the line that lists the failing scenarios of a cause, or "".
func explained(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "\n" + explains + firstOf(ids, 3, ", ", ", and %d more, in the JSON report") + "."
}
