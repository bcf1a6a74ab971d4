package reports

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
)

// explain moves failing scenarios below the causes that explain them: their rows are
// removed, and the cause lists them. A scenario stays a failure of its own if its cause is
// known, or if this is the report of a shard, which does not have all causes.
func (r *Report) explain() {
	if r.Fuzz == nil || r.Part != nil {
		return
	}
	r.Failures = slices.DeleteFunc(r.Failures, func(f Failure) bool {
		if f.Suite != suiteScenarios || f.Evidence == nil || f.Engine != "" {
			return false
		}
		for i := range r.Fuzz.Campaigns {
			c := &r.Fuzz.Campaigns[i]
			if c.Dialect != f.Evidence.Case.Dialect || c.Source != "" {
				continue
			}
			x := c.Explaining(f.Evidence.Case, f.Evidence.Given, f.Status)
			if x != nil && (x.Advisory || r.failureOf(c, x) != nil) {
				x.Scenarios = append(x.Scenarios, f.ID)
				return true
			}
		}
		return false
	})
	for i := range r.Fuzz.Campaigns {
		c := &r.Fuzz.Campaigns[i]
		for k := range c.Causes {
			if f := r.failureOf(c, &c.Causes[k]); f != nil {
				text, _, _ := strings.Cut(f.Title, "\n"+explains)
				f.Title = text + explained(c.Causes[k].Scenarios)
			}
		}
	}
}

// failureOf returns the failure of a cause; nil if it is known or advisory.
func (r *Report) failureOf(c *campaign.Result, x *cause.Cause) *Failure {
	names := append(c.GroupNames(*x), x.Name(c.Dialect))
	i := slices.IndexFunc(r.Failures, func(f Failure) bool { return f.Suite == suiteFuzz && slices.Contains(names, f.ID) })
	if i < 0 {
		return nil
	}
	return &r.Failures[i]
}

// explains begins the line of a cause that lists failing scenarios.
const explains = "Failing scenarios: "

// explained returns the line that lists the failing scenarios of a cause, or "".
func explained(ids []string) string {
	const most = 3
	if len(ids) == 0 {
		return ""
	}
	list := strings.Join(ids[:min(len(ids), most)], ", ")
	if more := len(ids) - most; more > 0 {
		list += fmt.Sprintf(", and %d more, in the JSON report", more)
	}
	return "\n" + explains + list + "."
}
