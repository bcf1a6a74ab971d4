package generators

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
)

// Fault is one thing that goes wrong with model-made edits, planted on
// purpose. What it must lead to depends on the rules of the case, and is part
// of every [Sample] that it was planted in.
type Fault struct {
	Name   string
	Family string // ids, fields, dependencies, overflow, finished, structure, text, plan, ladder
	Text   string // one line: what is wrong, and what comes of it

	kind   kind
	needs  wants
	claims aspects // held alone
	shares aspects // held together with others that share them
	stage  stage
	weight int // how often it is drawn beside the others; 0 is 16
	// plant puts the fault into the draft, under the draft's profile. It
	// returns false, and changes nothing, where the draft has no place for it.
	plant func(d *draft) bool
}

// kind says in which documents a fault can stand.
type kind uint8

const (
	inPatch kind = iota
	inFullPlan
	inAny
)

// aspects are parts of a sample of which each can hold one fault only: two of
// them would not have a certain answer.
type aspects uint32

const (
	aTitle aspects = 1 << iota
	aType          // type and steps
	aReason
	aRemoveList // the list as a whole
	aUpdateList
	aAddList
	aReading // the document cannot be read, or only bent
	aSyntax  // the text is not JSON
	aWrap    // the document stands in another value
	aPrefix  // text before
	aFence
	aSuffix // text behind
	aOthers // a second document in the reply
	aTail   // the end of the list of added steps
	aLimit  // the limit of steps
	aSize   // the limits of the reply
	aDepth  // how deep it nests
	aCycle
	aVariant // an id that differs from another in its spelling alone
	aNames   // duplicate names
	aPlan    // the plan of the case
	aLadder
	aContent // what the edit does at all
	aSteps   // the steps of a full plan
)

const aOutside = aPrefix | aFence | aSuffix

// stage is when a fault is planted: what shapes the edit comes first, what
// depends on the whole of it last.
type stage uint8

const (
	onEdit   stage = iota // into the edit
	onShape               // before the edit is made
	onTail                // when the list of new steps stands
	onLimits              // when the edit stands
)

// Faults lists the faults in the order of their families.
func Faults() []Fault { return slices.Clone(table) }

// table is Faults, made once and never written.
var table = slices.Concat(
	idFaults(), fieldFaults(), dependencyFaults(), overflowFaults(), finishedFaults(),
	structureFaults(), textFaults(), planFaults(), ladderFaults(),
)

// menu is a choice of faults with their weights.
type menu struct {
	faults []*Fault
	sums   []int // running sums of the weights
	swarm  bool  // each case leaves out some of them
}

func newMenu(names []string) (menu, error) {
	m := menu{swarm: names == nil}
	for i := range table {
		f := &table[i]
		if names != nil && !slices.Contains(names, f.Name) {
			continue
		}
		m.faults = append(m.faults, f)
		w := f.weight
		if w == 0 {
			w = usual
		}
		if n := len(m.sums); n > 0 {
			w += m.sums[n-1]
		}
		m.sums = append(m.sums, w)
	}
	return m, known(names)
}

// usual is the weight of most faults.
const usual = 16

func known(names []string) error {
	all := make([]string, len(table))
	for i, f := range table {
		all[i] = f.Name
	}
	for _, n := range names {
		if !slices.Contains(all, n) {
			hint := fmt.Sprintf("\"list faults\" prints all %d", len(all))
			if near := harness.Nearest(n, all); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return fmt.Errorf("unknown fault %q (%s)", n, hint)
		}
	}
	return nil
}

// order draws up to three faults that go together. Swarm testing: a case
// first draws which faults are in play at all, so that those left do not stand
// in each other's way in every case.
func (m *menu) order(c *choices) (planted []*Fault) {
	if len(m.faults) == 0 {
		return nil
	}
	var n int
	switch r := c.below(32); {
	case r < 13:
		return nil
	case r < 24:
		n = 1
	case r < 29:
		n = 2
	default:
		n = 3
	}
	inPlay := uint64(c.below(1 << 32)) // fault i is in play if the bit i mod 32 is set
	for try := 0; try < 4*n && len(planted) < n; try++ {
		i := m.draw(c)
		f := m.faults[i]
		if m.swarm && inPlay>>(i%32)&1 == 0 {
			continue
		}
		if !slices.ContainsFunc(planted, func(g *Fault) bool { return g == f || g.clashes(f) }) {
			planted = append(planted, f)
		}
	}
	return planted
}

func (m *menu) draw(c *choices) int {
	r := c.below(m.sums[len(m.sums)-1])
	i, _ := slices.BinarySearch(m.sums, r+1)
	return i
}

func (f *Fault) clashes(g *Fault) bool {
	return f.claims&(g.claims|g.shares) != 0 || f.shares&g.claims != 0 || f.kind != g.kind && f.kind != inAny && g.kind != inAny
}

// String returns the fault as "list faults" prints it.
func (f Fault) String() string { return strings.Join([]string{f.Name, f.Text}, "  ") }
