// Package plan defines the plan that an agent works by: steps with ids,
// dependencies and statuses. It reads and writes plans as JSON and Markdown, and
// answers questions about their graph.
//
// It applies no edits; the dialects do. [Diff] compares two plans, and [Patch]
// writes the patch that leads from one to the other.
package plan

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// Status is the state of a step.
type Status string

// The statuses.
const (
	Pending    Status = "pending"
	InProgress Status = "in_progress"
	Done       Status = "done"
	Blocked    Status = "blocked"
	Failed     Status = "failed"
)

// Statuses lists the statuses that a plan may hold, spelled as they must be.
func Statuses() []Status { return []Status{Pending, InProgress, Done, Blocked, Failed} }

// Plan is a title and steps in their order.
type Plan struct {
	Title              string
	Steps              []Step
	VerificationPolicy string // "" if there is none
	// Record is set in a plan of the dialect operations, which has a name and
	// versions in place of title and policy.
	Record *Record
	// Listed is set in a plan that is a list of items: it has no title, and an item
	// is a step with neither dependencies nor, perhaps, an id. Its content is the
	// description; Extra has priority and active_form.
	Listed bool
	// Tasks is set in a plan that is a graph of tasks: it has no title, and the subject of
	// a task is the description of a step. A task's own description and its parent are in
	// Extra.
	Tasks bool
}

// Step is a node of the plan's graph.
type Step struct {
	ID            string
	Description   string
	Dependencies  []string
	Status        Status
	ToolsExpected []string
	// Extra is a JSON object with the members that this package does not know, unchanged;
	// nil without such members. A finished step's result may be one, and must not be lost.
	Extra jsontext.Value
}

// Equal reports whether two steps are the same, member for member.
func (s Step) Equal(t Step) bool {
	return s.ID == t.ID && s.Description == t.Description && s.Status == t.Status &&
		slices.Equal(s.Dependencies, t.Dependencies) && slices.Equal(s.ToolsExpected, t.ToolsExpected) &&
		strictjson.Equal(s.Extra, t.Extra)
}

// Clone returns a deep copy.
func (s Step) Clone() Step {
	s.Dependencies = slices.Clone(s.Dependencies)
	s.ToolsExpected = slices.Clone(s.ToolsExpected)
	s.Extra = s.Extra.Clone()
	return s
}

// Equal reports whether two plans are the same, members and order. No plan
// equals only no plan.
func (p *Plan) Equal(q *Plan) bool {
	if p == nil || q == nil || p == q {
		return p == q
	}
	return p.Listed == q.Listed && p.Tasks == q.Tasks && p.Title == q.Title &&
		p.VerificationPolicy == q.VerificationPolicy &&
		p.Record.Equal(q.Record) &&
		slices.EqualFunc(p.Steps, q.Steps, Step.Equal)
}

// Clone returns a deep copy.
func (p *Plan) Clone() *Plan {
	c := *p
	c.Record = p.Record.Clone()
	c.Steps = make([]Step, len(p.Steps))
	for i, s := range p.Steps {
		c.Steps[i] = s.Clone()
	}
	return &c
}

// Rename gives every step another id, also where others depend on it. A blank id stays. Lists of dependencies that
// copies of the steps share do not change.
func (p *Plan) Rename(name func(id string) string) {
	for i := range p.Steps {
		s := &p.Steps[i]
		if s.ID != "" {
			s.ID = name(s.ID)
		}
		s.Dependencies = slices.Clone(s.Dependencies)
		for k, id := range s.Dependencies {
			s.Dependencies[k] = name(id)
		}
	}
}

// Index maps each id to its place among the steps; of steps with the same id
// the first counts.
func (p *Plan) Index() map[string]int {
	m := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if _, ok := m[s.ID]; !ok {
			m[s.ID] = i
		}
	}
	return m
}

// Places finds steps by id; of steps with the same id the first counts.
type Places struct {
	Steps []Step
	index map[string]int // nil for few steps
}

// few is how many steps are searched faster one by one.
const few = 12

// NewPlaces returns the places of steps.
func NewPlaces(steps []Step) Places {
	p := Places{Steps: steps}
	if len(steps) > few {
		p.index = make(map[string]int, len(steps))
		for i := range slices.Backward(steps) {
			p.index[steps[i].ID] = i
		}
	}
	return p
}

// At returns the place of the first step with that id, or -1.
func (p *Places) At(id string) int {
	if p.index != nil {
		if i, ok := p.index[id]; ok {
			return i
		}
		return -1
	}
	for i := range p.Steps {
		if p.Steps[i].ID == id {
			return i
		}
	}
	return -1
}

// Step returns the first step of that id, or nil.
func (p *Plan) Step(id string) *Step {
	for i := range p.Steps {
		if p.Steps[i].ID == id {
			return &p.Steps[i]
		}
	}
	return nil
}
