package generators

import (
	"slices"

	"pgregory.net/rapid"

	"replanbench/harness/plan"
)

// MaxPlanSteps is the size of the largest plan that the generators make by
// themselves.
const MaxPlanSteps = 200

// Plan generates sound plans of 1 to [MaxPlanSteps] steps, mostly small:
// chains, stars, diamonds, layered and random graphs, separate parts; every
// mix of statuses, also odd ones (a done step that depends on one that is not,
// everything done, nothing ready); ids in many styles.
func Plan() *rapid.Generator[*plan.Plan] {
	return rapid.Custom(func(t *rapid.T) *plan.Plan {
		g := grower{choices: drawn(t), max: MaxPlanSteps}
		return g.plan(0)
	})
}

// wants is what a fault needs of the plan.
type wants uint16

const (
	wantDone     wants = 1 << iota // a done step
	wantOpen                       // a step that is not done
	wantTwoOpen                    // two of them
	wantOrphan                     // an open step on which only open ones depend
	wantDoneEdge                   // a done step that depends on an open one
	wantTwoDone

	// What follows is asked of the rules, not of the plan.
	wantNoRung      // a ladder without a rung for full plans
	wantRestore     // rules that lose no finished work
	wantOrphanRules // any policy for orphans, all as likely
)

// ofPlan are the wants that a plan can meet.
const ofPlan = wantNoRung - 1

// grower makes a plan.
type grower struct {
	choices
	max   int
	style idStyle
	p     *plan.Plan
	rank  []int    // of each step; it depends on steps of lower rank only
	order []int    // the steps by rank
	arena []string // lists of strings are cut from it
}

func (g *grower) plan(w wants) *plan.Plan {
	n := g.size(w)
	g.style = idStyle(g.below(idStyles))
	g.p = &plan.Plan{Title: pick(&g.choices, phrases), Steps: make([]plan.Step, n)}
	g.arena = make([]string, 0, 3*n+8)
	g.ranks(n)
	for i := range g.p.Steps {
		s := &g.p.Steps[i]
		s.ID, s.Description, s.Status = g.style.id(i), pick(&g.choices, phrases), plan.Pending
		s.ToolsExpected = g.tools()
	}
	g.edges()
	g.statuses()
	g.meet(w)
	g.extras()
	if g.oneIn(5) {
		g.p.VerificationPolicy = "run_pytest"
	}
	return g.p
}

// size draws the number of steps: half of the plans have at most five.
func (g *grower) size(w wants) int {
	var n int
	switch r := g.below(256); {
	case r < 210:
		n = 1 + g.below(9)
	case r < 249:
		n = 8 + g.below(12)
	case r < 255:
		n = 20 + g.below(40)
	default:
		n = 60 + g.below(MaxPlanSteps-59)
	}
	least := 1
	switch {
	case w&(wantDoneEdge|wantTwoDone) != 0:
		least = 5
	case w != 0:
		least = 3
	}
	return max(least, min(n, g.max))
}

// ranks lays down in which direction dependencies run: mostly from later to
// earlier steps, sometimes the other way.
func (g *grower) ranks(n int) {
	both := make([]int, 2*n)
	g.rank, g.order = both[:n], both[n:]
	backwards := g.oneIn(8)
	for i := range n {
		r := i
		if backwards {
			r = n - 1 - i
		}
		g.rank[i], g.order[r] = r, i
	}
}

// list cuts a list from the arena: what was appended since the mark.
func (g *grower) list(mark int) []string {
	if mark == len(g.arena) {
		return nil
	}
	return slices.Clip(g.arena[mark:])
}

func (g *grower) tools() []string {
	n := g.below(8) - 5
	mark := len(g.arena)
	for i := range n {
		g.arena = append(g.arena, toolNames[(g.below(len(toolNames)/2)*2+i)%len(toolNames)])
	}
	return g.list(mark)
}

// edges draws the graph.
func (g *grower) edges() {
	shape := g.below(8)
	width := 2 + g.below(3)
	for r, i := range g.order {
		mark := len(g.arena)
		g.dependencies(shape, width, r)
		g.p.Steps[i].Dependencies = g.list(mark)
	}
}

// dependencies appends those of the step of rank r.
func (g *grower) dependencies(shape, width, r int) {
	last := len(g.order) - 1
	on := func(rank int) { g.arena = append(g.arena, g.p.Steps[g.order[rank]].ID) }
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
		for k, n := r, g.below(4); k > 0 && n > 0; n-- {
			k = g.below(k)
			on(k)
		}
	default: // chains beside each other
		if r >= width {
			on(r - width)
		}
	}
}

// statuses draws how far the work has come.
func (g *grower) statuses() {
	n := len(g.order)
	switch g.below(8) {
	case 0: // nothing begun
	case 1, 2, 3, 4: // in order: some done, perhaps one under way
		done := g.below(n + 1)
		for _, i := range g.order[:done] {
			g.p.Steps[i].Status = plan.Done
		}
		if done < n {
			g.p.Steps[g.order[done]].Status = pick(&g.choices, openStatuses[:])
		}
	case 5: // everything done
		for i := range g.p.Steps {
			g.p.Steps[i].Status = plan.Done
		}
	case 6: // nothing can start: what has no dependencies is stuck
		for i := range g.p.Steps {
			if s := &g.p.Steps[i]; len(s.Dependencies) == 0 {
				s.Status = pick(&g.choices, openStatuses[2:])
			}
		}
	default: // anything, a done step after one that is not included
		for i := range g.p.Steps {
			g.p.Steps[i].Status = pick(&g.choices, anyStatuses[:])
		}
	}
}

var (
	openStatuses = [...]plan.Status{plan.Pending, plan.InProgress, plan.Blocked, plan.Failed}
	anyStatuses  = [...]plan.Status{plan.Pending, plan.Done, plan.Done, plan.InProgress, plan.Blocked, plan.Failed}
)

// meet changes as little as it takes for the plan to have what a fault needs:
// what is done stands among the lowest ranks, what is open among the highest.
func (g *grower) meet(w wants) {
	if w == 0 {
		return
	}
	at := func(rank int) *plan.Step { return &g.p.Steps[g.order[rank]] }
	last := len(g.order) - 1
	if w&(wantOpen|wantTwoOpen|wantOrphan) != 0 && at(last).Status == plan.Done {
		at(last).Status = plan.Pending
	}
	if w&(wantTwoOpen|wantOrphan) != 0 && at(last-1).Status == plan.Done {
		at(last - 1).Status = plan.Pending
	}
	if w&wantOrphan != 0 {
		depend(at(last), at(last-1))
	}
	if w&wantDoneEdge != 0 {
		at(0).Status, at(1).Status = plan.Pending, plan.Done
		depend(at(1), at(0))
	}
	if w&wantDone != 0 && w&wantDoneEdge == 0 || w&wantTwoDone != 0 {
		low := 0
		if w&wantDoneEdge != 0 {
			low = 1
		}
		at(low).Status = plan.Done
		if w&wantTwoDone != 0 {
			at(low + 1).Status = plan.Done
		}
	}
}

func depend(s, on *plan.Step) {
	if !slices.Contains(s.Dependencies, on.ID) {
		s.Dependencies = append(slices.Clip(s.Dependencies), on.ID)
	}
}

// extras gives some steps members that the plan format does not know: above
// all the result of a finished step, which no edit may lose.
func (g *grower) extras() {
	if g.below(3) > 0 {
		return
	}
	for i := range g.p.Steps {
		if s := &g.p.Steps[i]; s.Status == plan.Done && g.oneIn(2) || g.oneIn(16) {
			s.Extra = []byte(pick(&g.choices, extras[:]))
		}
	}
}
