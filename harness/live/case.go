package live

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/live/prompt"
	"replanbench/harness/strictjson"
)

// Case is a plan with a step that needs attention.
type Case struct {
	ID     string
	Plan   jsontext.Value
	Limits harness.Limits
	Intent *corpora.Intent

	variables prompt.Variables
}

// Variables are what templates see of the case.
func (c *Case) Variables() prompt.Variables { return c.variables }

// CaseSpec is a case as it stands in a file.
type CaseSpec struct {
	ID           string         `json:"id"`
	Case         string         `json:"case"` // wins over the id, which in a record is the reply's
	Plan         jsontext.Value `json:"plan"`
	Limits       harness.Limits `json:"limits"`
	MaxPlanSteps *int           `json:"max_plan_steps"`
	FailedStep   string         `json:"failed_step"`
	ErrorType    *string        `json:"error_type"`
	ErrorMessage *string        `json:"error_message"`
	Error        *string        `json:"error"`
	// More are the other members, by name: templates see them as the variable case.
	More map[string]jsontext.Value `json:",embed"`
}

// ReadCases reads a file of cases, JSON Lines: id, plan and, as far as they are
// known, limits or max_plan_steps, failed_step (the id of the step that needs
// attention), error_type, and error_message or error. Other members are for
// templates, so that a corpus will do as well; a case met twice is taken once. Errors
// name the line.
func ReadCases(d *dialect.Dialect, name string, data []byte) ([]Case, error) {
	var list []Case
	seen := map[string]string{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		c, err := readCase(d, line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		hash := c.Hash()
		if before, ok := seen[c.ID]; ok {
			if before != hash {
				return nil, fmt.Errorf("%s:%d: the id %q stands for another case already (ids must be unique)", name, n, c.ID)
			}
			continue
		}
		seen[c.ID] = hash
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf(`%s: no cases (a line looks like {"id":"c1","plan":{…},"max_plan_steps":12,"failed_step":"step_3","error_message":"…"})`, name)
	}
	return list, nil
}

func readCase(d *dialect.Dialect, line []byte) (Case, error) {
	var l CaseSpec
	if err := json.Unmarshal(line, &l); err != nil {
		return Case{}, strictjson.Plain(err)
	}
	if l.Case != "" { // a record: its id is that of the reply
		l.ID = l.Case
	}
	return NewCase(d, l)
}

// NewCase checks a case of a dialect. Without an id it is named by a hash.
func NewCase(d *dialect.Dialect, l CaseSpec) (Case, error) {
	if l.MaxPlanSteps != nil {
		l.Limits.MaxPlanSteps = l.MaxPlanSteps
	}
	if l.ErrorMessage == nil {
		l.ErrorMessage = l.Error
	}
	if l.Plan == nil {
		return Case{}, fmt.Errorf(`"plan" is missing`)
	}
	p, err := d.Judging.Plan(harness.Case{Dialect: d.Name, Plan: l.Plan})
	if err != nil {
		return Case{}, fmt.Errorf("the plan is unsound: %w", err)
	}
	c := Case{ID: l.ID, Plan: l.Plan, Limits: l.Limits}
	if err := c.Plan.Compact(); err != nil {
		return c, err
	}
	if c.ID == "" {
		c.ID = "plan-" + c.Hash()
	}
	v, ok := prompt.Of(p, l.Limits.MaxPlanSteps, l.FailedStep)
	if !ok {
		return c, fmt.Errorf("failed_step is %q, and the plan has no such step", l.FailedStep)
	}
	v.ErrorType, v.ErrorMessage, v.Plan = l.ErrorType, l.ErrorMessage, c.Plan
	if v.Case, err = json.Marshal(l.More, json.Deterministic(true)); err != nil {
		return c, err
	}
	c.variables = v
	if l.FailedStep != "" {
		c.Intent = &corpora.Intent{FailedStep: l.FailedStep}
	}
	return c, nil
}

// Hash tells the plan with its limits from others.
func (c *Case) Hash() string { return corpora.PlanHash(c.Plan, c.Limits) }
