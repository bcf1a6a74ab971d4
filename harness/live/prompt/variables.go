package prompt

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
	"replanbench/harness/live/jinja"
	"replanbench/harness/plan"
)

// Variables are what a template sees. A nil pointer is Python's None.
type Variables struct {
	MaxPlanSteps     *int
	StepID           *string
	StepDescription  *string
	StepStatus       *string
	StepDependencies []string
	StepTools        []string // the step's tools_expected
	StepMD           *string  // the step as [plan.Step.Brief] shows it
	CurPlanMD        string   // the plan as a checklist, see [plan.Plan.Markdown]
	// ErrorType and ErrorMessage say why the step failed and, when a reply was
	// refused, the code and the message of that.
	ErrorType    *string
	ErrorMessage *string
	// Plan is the plan as an object (also as text: cur_plan_json), and Case what the case has beside the members
	// that are known, such as examples. Empty is None.
	Plan jsontext.Value
	Case jsontext.Value
}

// Map names the variables as templates do.
func (v Variables) Map() map[string]any {
	return map[string]any{
		"max_plan_steps": value(v.MaxPlanSteps), "step_dependencies": list(v.StepDependencies),
		"step_tools": list(v.StepTools), "cur_plan_md": v.CurPlanMD,
		"step_md": value(v.StepMD), "cur_plan_json": text(v.Plan),
		"step_id": value(v.StepID), "step_description": value(v.StepDescription), "step_status": value(v.StepStatus),
		"error_type": value(v.ErrorType), "error_message": value(v.ErrorMessage),
		"plan": object(v.Plan), "case": object(v.Case),
	}
}

// list is a list of Python, which is never None.
func list(texts []string) []string {
	if texts == nil {
		return []string{}
	}
	return texts
}

// object is a JSON document as templates see it.
func object(raw jsontext.Value) any {
	doc, err := strictjson.Parse(raw, maxDepth)
	if err != nil {
		return nil
	}
	return jinja.FromJSON(&doc.Root)
}

// text is a JSON document on one line, as templates print it: every text is as
// it is, but for what JSON must escape. Empty is None.
func text(raw jsontext.Value) any {
	if len(raw) == 0 {
		return nil
	}
	line := raw.Clone()
	err := line.Format(jsontext.Multiline(false), jsontext.SpaceAfterComma(true), jsontext.SpaceAfterColon(true),
		jsontext.PreserveRawStrings(false), jsontext.EscapeForHTML(false), jsontext.EscapeForJS(true),
		jsontext.AllowDuplicateNames(true))
	if err != nil {
		return string(raw)
	}
	return string(line)
}

// maxDepth bounds the nesting of what templates see.
const maxDepth = 100

func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// WithError returns the variables with another error.
func (v Variables) WithError(kind, message string) Variables {
	v.ErrorType, v.ErrorMessage = &kind, &message
	return v
}

// Of returns the variables for a step of a plan. Where the id is "", it is the
// step that failed or, without one, the first that is under way, blocked or
// pending.
func Of(p *plan.Plan, maxPlanSteps *int, id string) (Variables, bool) {
	v := Variables{MaxPlanSteps: maxPlanSteps, CurPlanMD: p.Markdown()}
	i := attention(p, id)
	if i < 0 {
		return v, id == ""
	}
	s := &p.Steps[i]
	status, brief := string(s.Status), s.Brief()
	v.StepID, v.StepDescription, v.StepStatus, v.StepMD = &s.ID, &s.Description, &status, &brief
	v.StepDependencies, v.StepTools = s.Dependencies, s.ToolsExpected
	return v, true
}

func attention(p *plan.Plan, id string) int {
	if id != "" {
		return slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.ID == id })
	}
	for _, status := range []plan.Status{plan.Failed, plan.InProgress, plan.Running, plan.Blocked, plan.Pending} {
		if i := slices.IndexFunc(p.Steps, func(s plan.Step) bool { return s.Status == status }); i >= 0 {
			return i
		}
	}
	return -1
}
