package generators

import (
	"slices"

	"replanbench/harness/plan"
)

// MaxPlanSteps is the size of the largest plan that the generators make.
const MaxPlanSteps = 200

// Spoils break a sound plan at one of its steps, by the names of their traits.
func Spoils() map[string]func(c *Choices, p *plan.Plan, s *plan.Step) {
	return map[string]func(c *Choices, p *plan.Plan, s *plan.Step){
		"plan-status-spelled": func(c *Choices, _ *plan.Plan, s *plan.Step) {
			s.Status = Pick(c, []plan.Status{"Done", "completed", "DONE", "todo", " done", "in-progress", ""})
		},
		"plan-duplicate-id": func(_ *Choices, p *plan.Plan, s *plan.Step) { p.Steps = append(p.Steps, *s) },
		"plan-blank-id": func(c *Choices, p *plan.Plan, _ *plan.Step) {
			id := Pick(c, []string{"", " ", "\u3000"})
			p.Steps = append(p.Steps, plan.Step{ID: id, Status: plan.Pending})
		},
		"plan-dangling": func(_ *Choices, _ *plan.Plan, s *plan.Step) {
			s.Dependencies = append(s.Dependencies, "no such step")
		},
		"plan-cycle": func(_ *Choices, _ *plan.Plan, s *plan.Step) { s.Dependencies = append(s.Dependencies, s.ID) },
	}
}

// NoPlan draws the JSON of a document that is no plan, one of more or of those that no dialect takes for one.
func NoPlan(c *Choices, more ...string) string {
	return Pick(c, append(more,
		"[]", `"plan"`, "{}", `{"title":"t"}`, `{"title":"t","steps":[]}`, `{"title":"t","steps":{}}`,
		`{"title":"t","steps":["a"]}`, `{"title":7,"steps":[{"id":"a","description":""}]}`,
		`{"title":"t","steps":[{"id":"a"}]}`, `{"title":"t","steps":[{"id":7,"description":""}]}`,
		`{"title":"t","steps":[{"id":"a","description":"","dependencies":"a"}]}`,
		`{"type":"PlanPatch","title":"t","steps":[{"id":"a","description":""}]}`,
	))
}

// Grower makes a plan.
type Grower struct {
	Choices
	Max   int
	Style IdStyle
	P     *plan.Plan
	Arena []string // lists of strings are cut from it
}

// PlainPlan makes an ordinary plan: short ASCII ids and texts, the
// first steps done and the others pending, dependencies on earlier steps. It has at
// least the given numbers of done and open steps, and n steps if they fit; 0 means
// three to eight.
func (g *Grower) PlainPlan(done, open, n int) *plan.Plan {
	if n == 0 {
		n = 3 + g.Below(6)
	}
	n = max(done+max(open, 1), min(n, g.Max))
	g.Style = Pick(&g.Choices, []IdStyle{"step_#", "s#"})
	g.P = &plan.Plan{Title: Pick(&g.Choices, Phrases), Steps: make([]plan.Step, n)}
	g.Arena = make([]string, 0, 3*n+8)
	finished := done + g.Below(n-done-max(open, 1)+1)
	shape, width := Pick(&g.Choices, shapes[:]), 2+g.Below(2)
	for i := range g.P.Steps {
		s := &g.P.Steps[i]
		s.ID, s.Description, s.Status = g.Style.Id(i), Pick(&g.Choices, Phrases), plan.Pending
		if i < finished {
			s.Status = plan.Done
		}
		s.ToolsExpected = g.Tools()
		mark := len(g.Arena)
		g.dependencies(shape, width, i)
		s.Dependencies = g.List(mark)
	}
	return g.P
}

// The shapes of graphs.
const (
	edgeless = iota // no edges
	chain
	star // everything after the first
	chains
)

var shapes = [...]int{edgeless, chain, chain, star, chains}

// List returns the part of the arena that was appended since the mark.
func (g *Grower) List(mark int) []string {
	if mark == len(g.Arena) {
		return nil
	}
	return slices.Clip(g.Arena[mark:])
}

// Tools returns up to three names of tools.
func (g *Grower) Tools() []string {
	n := g.Below(8) - 5
	mark := len(g.Arena)
	for i := range n {
		g.Arena = append(g.Arena, ToolNames[(g.Below(len(ToolNames)/2)*2+i)%len(ToolNames)])
	}
	return g.List(mark)
}

// dependencies appends the dependencies of the i-th step.
func (g *Grower) dependencies(shape, width, i int) {
	on := func(step int) { g.Arena = append(g.Arena, g.P.Steps[step].ID) }
	switch {
	case i == 0 || shape == edgeless:
	case shape == chain:
		on(i - 1)
	case shape == star:
		on(0)
	case i >= width: // parallel chains
		on(i - width)
	}
}
