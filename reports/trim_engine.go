package reports

import (
	"fmt"

	"replanbench/harness"
	"replanbench/harness/budget"
	"replanbench/reports/style"
)

// TrimEngine is what an engine under test did with generated histories.
type TrimEngine struct {
	Cases       int         `json:"cases"`
	Unsupported int         `json:"unsupported"`
	Checks      []TrimCheck `json:"checks"` // every check, in its order
}

// TrimCheck is a check and the cases that broke it.
type TrimCheck struct {
	Check   string `json:"check"`
	Breaks  int    `json:"breaks"` // cases
	First   int    `json:"first"`  // the first of them; -1 if none
	Policy  string `json:"policy,omitzero"`
	Message string `json:"message,omitzero"` // what broke in the first
}

// NewTrimEngine returns an empty section.
func NewTrimEngine() *TrimEngine {
	e := &TrimEngine{}
	for _, t := range budget.Checks() {
		e.Checks = append(e.Checks, TrimCheck{Check: t.Name, First: -1})
	}
	return e
}

// Add counts case i, which ran under a policy.
func (e *TrimEngine) Add(i int, policy string, x budget.Examination) {
	e.Cases++
	if x.Unsupported {
		e.Unsupported++
	}
	for k := range e.Checks {
		c := &e.Checks[k]
		for _, b := range x.Breaks {
			if b.Check != c.Check {
				continue
			}
			c.Breaks++
			if c.First < 0 {
				c.First, c.Policy, c.Message = i, policy, b.Message
			}
			break
		}
	}
}

// AddTrimEngine adds the section's cases and failures to the report: so many
// cases broke a check, and so many only differ from the reference, which is
// advisory.
func (r *Report) AddTrimEngine(t *Trim, failed, otherwise int, reproduce func(policy string, i int) string) {
	r.Trim = t
	e := t.Engine
	counts := map[harness.Status]int{
		harness.Fail: failed + otherwise, harness.NotSupported: e.Unsupported,
		harness.Pass: e.Cases - failed - otherwise - e.Unsupported,
	}
	r.Summary.Advisory += otherwise
	for status, n := range counts {
		for range n {
			r.Summary.Add(status)
		}
	}
	for _, c := range e.Checks {
		if c.Breaks == 0 {
			continue
		}
		r.Failures = append(r.Failures, Failure{
			Suite: "trim", ID: c.Check, Status: harness.Fail, Advisory: c.Check == budget.CheckReference,
			Message:   fmt.Sprintf("%s (under %s; %d of %d cases break this check)", c.Message, c.Policy, c.Breaks, e.Cases),
			Reproduce: reproduce(c.Policy, c.First),
		})
	}
}

func (e *TrimEngine) blocks() []block {
	t := table{title: "Checks of the engine", columns: []column{{name: "check"}, {rateName("broken"), true}, {name: "what it asks"}}}
	for i, c := range e.Checks {
		broken := rate(c.Breaks, e.Cases-e.Unsupported)
		if c.Breaks > 0 {
			broken.tone = style.Bad
		}
		t.rows = append(t.rows, []cell{text(c.Check), broken, text(budget.Checks()[i].Text)})
	}
	var notes []string
	if e.Unsupported > 0 {
		notes = append(notes, fmt.Sprintf("Unsupported, so not judged: %d of %d cases. An engine may decline a tokenizer; choose its own by --tokenizer.", e.Unsupported, e.Cases))
	}
	return []block{{table: &t, notes: notes}}
}
