package generators

import (
	"slices"

	"replanbench/harness/plan"
)

// MaxPlanSteps is the size of the largest plan that the generators make without
// a trait.
const MaxPlanSteps = 200

// SoundPlan makes valid plans of 1 to [MaxPlanSteps] steps, mostly small:
// chains, stars, diamonds, layered, random and disconnected graphs; every
// mix of statuses, also odd ones (a done step that depends on an open one,
// everything done, nothing ready); ids in many styles.
func SoundPlan(c Choices) *plan.Plan {
	g := Grower{Choices: c, Max: MaxPlanSteps}
	return g.plan()
}

// Grower makes a plan.
type Grower struct {
	Choices
	Max   int
	Style IdStyle
	P     *plan.Plan
	Rank  []int    // of each step; a step depends only on steps of lower rank
	order []int    // the steps by rank
	Arena []string // lists of strings are cut from it
}

// plan makes a plan of any kind.
func (g *Grower) plan() *plan.Plan {
	n := g.size()
	g.Style = IdStyle(g.Below(idStyles))
	g.P = &plan.Plan{Title: Pick(&g.Choices, Phrases), Steps: make([]plan.Step, n)}
	g.Arena = make([]string, 0, 3*n+8)
	g.ranks(n, g.OneIn(8))
	for i := range g.P.Steps {
		s := &g.P.Steps[i]
		s.ID, s.Description, s.Status = g.Style.Id(i), Pick(&g.Choices, Phrases), plan.Pending
		s.ToolsExpected = g.Tools()
	}
	g.edges()
	g.statuses()
	g.extras()
	if g.OneIn(5) {
		g.P.VerificationPolicy = "run_pytest"
	}
	return g.P
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
	g.Style = IdStyle(g.Below(2))
	g.P = &plan.Plan{Title: Pick(&g.Choices, PlainPhrases), Steps: make([]plan.Step, n)}
	g.Arena = make([]string, 0, 3*n+8)
	g.ranks(n, false)
	finished := done + g.Below(n-done-max(open, 1)+1)
	shape, width := Pick(&g.Choices, plainShapes[:]), 2+g.Below(2)
	for i := range g.P.Steps {
		s := &g.P.Steps[i]
		s.ID, s.Description, s.Status = g.Style.Id(i), Pick(&g.Choices, PlainPhrases), plan.Pending
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

// plainShapes are the shapes of ordinary graphs; see dependencies.
var plainShapes = [...]int{0, 1, 1, 2, 7}

// size draws the number of steps: half of the plans have at most five.
func (g *Grower) size() int {
	var n int
	switch r := g.Below(256); {
	case r < 210:
		n = 1 + g.Below(9)
	case r < 249:
		n = 8 + g.Below(12)
	case r < 255:
		n = 20 + g.Below(40)
	default:
		n = 60 + g.Below(MaxPlanSteps-59)
	}
	return min(n, g.Max)
}

// ranks sets the direction of dependencies: mostly from later to
// earlier steps, sometimes reversed.
func (g *Grower) ranks(n int, backwards bool) {
	both := make([]int, 2*n)
	g.Rank, g.order = both[:n], both[n:]
	for i := range n {
		r := i
		if backwards {
			r = n - 1 - i
		}
		g.Rank[i], g.order[r] = r, i
	}
}

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

// edges draws the dependencies.
func (g *Grower) edges() {
	shape := g.Below(8)
	width := 2 + g.Below(3)
	for r, i := range g.order {
		mark := len(g.Arena)
		g.dependencies(shape, width, r)
		g.P.Steps[i].Dependencies = g.List(mark)
	}
}

// dependencies appends the dependencies of the step of rank r.
func (g *Grower) dependencies(shape, width, r int) {
	last := len(g.order) - 1
	on := func(rank int) { g.Arena = append(g.Arena, g.P.Steps[g.order[rank]].ID) }
	switch {
	case r == 0 || shape == 0: // no edges
	case shape == 1: // chain
		on(r - 1)
	case shape == 2: // everything after the first
		on(0)
	case shape == 3: // the last after everything, up to a limit
		if r == last {
			for k := max(0, r-12); k < r; k++ {
				on(k)
			}
		}
	case shape == 4: // diamonds: one, two, one, two …
		switch r % 3 {
		case 0:
			on(r - 1)
			on(r - 2)
		case 1:
			on(r - 1)
		case 2:
			on(r - 2)
		}
	case shape == 5: // layers
		first := r - r%width - width
		for k := max(0, first); k < first+width && first >= 0; k++ {
			on(k)
		}
	case shape == 6: // anything
		for k, n := r, g.Below(4); k > 0 && n > 0; n-- {
			k = g.Below(k)
			on(k)
		}
	default: // parallel chains
		if r >= width {
			on(r - width)
		}
	}
}

// statuses draws the statuses of the steps.
func (g *Grower) statuses() {
	n := len(g.order)
	switch g.Below(8) {
	case 0: // nothing begun
	case 1, 2, 3, 4: // in order: some done, perhaps one in progress
		done := g.Below(n + 1)
		for _, i := range g.order[:done] {
			g.P.Steps[i].Status = plan.Done
		}
		if done < n {
			g.P.Steps[g.order[done]].Status = Pick(&g.Choices, openStatuses[:])
		}
	case 5: // everything done
		for i := range g.P.Steps {
			g.P.Steps[i].Status = plan.Done
		}
	case 6: // nothing can start: steps without dependencies are stuck
		for i := range g.P.Steps {
			if s := &g.P.Steps[i]; len(s.Dependencies) == 0 {
				s.Status = Pick(&g.Choices, openStatuses[2:])
			}
		}
	default: // anything, including a done step after an open one
		for i := range g.P.Steps {
			g.P.Steps[i].Status = Pick(&g.Choices, anyStatuses[:])
		}
	}
}

var (
	openStatuses = [...]plan.Status{plan.Pending, plan.InProgress, plan.Blocked, plan.Failed}
	anyStatuses  = [...]plan.Status{plan.Pending, plan.Done, plan.Done, plan.InProgress, plan.Blocked, plan.Failed}
)

// extras gives some steps unknown members, mostly the result of a finished step,
// which no edit may lose.
func (g *Grower) extras() {
	if g.Below(3) > 0 {
		return
	}
	for i := range g.P.Steps {
		if s := &g.P.Steps[i]; s.Status == plan.Done && g.OneIn(2) || g.OneIn(16) {
			s.Extra = []byte(Pick(&g.Choices, extras[:]))
		}
	}
}
