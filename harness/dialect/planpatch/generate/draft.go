package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// draft is a sample in the making: the plan, the edit as it is meant, and how
// the document and the text round it differ from that.
type draft struct {
	generators.Grower
	profile harness.Profile
	faults  []string
	effects []effect // of the faults, on the label

	used    []bool // steps of the plan that the edit names
	removed []bool // steps that the edit takes away
	needed  []bool // steps that a dependency of the edit names
	next    int    // number of the next new id

	full     bool // the reply is a full plan
	doc      document
	noise    noise
	limits   harness.Limits
	limit    int // steps; 0: none
	depth    depthLimit
	bare     bool       // the edit changes nothing by itself
	written  *plan.Plan // the plan document, where it is another than the plan
	planJSON string     // the plan document, where it is none
	ladder   script
	lost     []int // steps that lose a dependency which the patch does not write
	cutAt    int   // where the text ends, for cutItems

	buf []byte
}

// document is a patch or a full plan before it is written.
type document struct {
	typ, title, reason, steps string // JSON; "" is no member
	policy                    string
	rotate                    int // how far the order of members is turned

	removes, updates, adds []item
	newTitle               string // what the title becomes; "" leaves it

	updateList        string // JSON in place of the list
	first, extra      []byte // more members before and behind all others, in braces
	emptyLists, brief bool   // lists without items are written; defaults are not
	silent            []item // updates that the document does not say so
}

// lists are those of the items, in the order of the rules.
func (doc *document) lists() [3][]item { return [...][]item{doc.removes, doc.updates, doc.adds} }

// item is an element of a list of the document.
type item struct {
	step  plan.Step // what it is meant to come to
	has   uint8     // the members of an update
	at    int       // the step of the plan that it names; -1 is none
	ghost bool      // it stands in the document, but changes nothing
	twist *twist

	// What the rules refuse, when they read the item, when they apply it, and
	// when they look at its dependencies in the plan that comes out.
	read, apply, edges harness.Code
	coerced            bool // what reading refuses, coercion gets past
}

// Members of an update.
const (
	hasDescription = 1 << iota
	hasDependencies
	hasTools
)

// twist is how an item of the document differs from what is meant: JSON that
// stands in place of a member, or none. "" is no difference.
type twist struct {
	whole, id, description, dependencies, status, tools string
	extra                                               []byte // more members, in braces
}

func (d *draft) reset(c generators.Choices, maxSteps int) {
	used, removed, needed, lost, buf, effects := d.used, d.removed, d.needed, d.lost, d.buf, d.effects
	removes, updates, adds := d.doc.removes, d.doc.updates, d.doc.adds
	*d = draft{}
	d.Choices, d.Max = c, maxSteps
	d.used, d.removed, d.needed, d.lost, d.buf = used[:0], removed[:0], needed[:0], lost[:0], buf[:0]
	d.doc.removes, d.doc.updates, d.doc.adds, d.effects = removes[:0], updates[:0], adds[:0], effects[:0]
}

// pickStep returns a step that the edit does not name yet and that the test
// allows, or -1.
func (d *draft) pickStep(allow func(i int) bool) int {
	n := len(d.P.Steps)
	from := d.Below(n)
	for k := range n {
		if i := (from + k) % n; !d.used[i] && allow(i) {
			return i
		}
	}
	return -1
}

func (d *draft) isDone(i int) bool { return d.P.Steps[i].Status == plan.Done }
func (d *draft) isOpen(i int) bool { return d.P.Steps[i].Status != plan.Done }

// useOpen takes a step that is not done, useDone a done one; -1: there is none.
func (d *draft) useOpen() int { return d.use(d.pickStep(d.isOpen)) }
func (d *draft) useDone() int { return d.use(d.pickStep(d.isDone)) }

// onOpen plants a fault on a step that is not done, if there is one, and onDone
// one on a done step.
func onOpen(plant func(d *draft, i int) effect) func(*draft) effect {
	return onStep((*draft).useOpen, plant)
}

func onDone(plant func(d *draft, i int) effect) func(*draft) effect {
	return onStep((*draft).useDone, plant)
}

func onStep(use func(*draft) int, plant func(d *draft, i int) effect) func(*draft) effect {
	return func(d *draft) effect {
		if i := use(d); i >= 0 {
			return plant(d, i)
		}
		return notPlanted
	}
}

func (d *draft) use(i int) int {
	if i >= 0 {
		d.used[i] = true
	}
	return i
}

// newID returns an id that neither the plan nor the edit has.
func (d *draft) newID() string {
	d.next++
	return strings.TrimSpace(d.Style.Id(len(d.P.Steps) + d.next - 1))
}

// phrase returns a description other than the given one.
func (d *draft) phrase(not string) string {
	i := d.Below(len(generators.Phrases))
	if generators.Phrases[i] == not {
		i = (i + 1) % len(generators.Phrases)
	}
	return generators.Phrases[i]
}

// lower returns up to n dependencies on steps of lower rank that stay; rank
// len(steps) is that of a new step.
func (d *draft) lower(rank, n int) []string {
	mark := len(d.Arena)
	for range n {
		i := d.Below(len(d.P.Steps))
		id := d.P.Steps[i].ID
		if d.Rank[i] < rank && !d.removed[i] && !slices.Contains(d.Arena[mark:], id) {
			d.Arena = append(d.Arena, id)
			d.needed[i] = true
		}
	}
	return d.List(mark)
}
