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

	used    []bool // steps of the plan that the edit names
	removed []bool // steps that the edit takes away
	needed  []bool // steps that a dependency of the edit names
	next    int    // number of the next new id

	full     bool // the reply is a full plan
	doc      document
	noise    noise
	limits   harness.Limits
	limit    int // steps; 0: none
	badLimit bool
	depth    depthLimit
	bare     bool       // the edit changes nothing by itself
	unsound  bool       // the plan document breaks the rules
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

	titleRead, reasonRead        harness.Code
	removeList, updateList       listTwist
	addList                      listTwist
	first, extra                 []byte // more members before and behind all others, in braces
	emptyLists, brief            bool   // lists without items are written; defaults are not
	surrogate, deep, dupKey      bool
	wrong, extraField            bool
	duplicate, conflict          bool // ids
	replaceDone, cycle, orphaned bool
	doneOrphan                   bool
	open                         bool   // the rules leave open what the plan becomes
	empty                        bool   // a full plan without steps
	silent                       []item // updates that the document does not say so
}

// listTwist replaces a whole list of the document.
type listTwist struct {
	json  string
	read  harness.Code
	bends bool
}

// item is an element of a list of the document.
type item struct {
	step            plan.Step // what it is meant to come to
	has             uint8     // the members of an update
	at              int       // the step of the plan that it names; -1 is none
	ghost           bool      // it stands in the document, but has no effect
	cyclic, missing bool
	read, apply     harness.Code // what it breaks when read, when applied
	bends           bool         // coercion mends what is broken when read
	twist           *twist
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
	used, removed, needed, lost, buf := d.used, d.removed, d.needed, d.lost, d.buf
	removes, updates, adds := d.doc.removes, d.doc.updates, d.doc.adds
	*d = draft{}
	d.Choices, d.Max = c, maxSteps
	d.used, d.removed, d.needed, d.lost, d.buf = used[:0], removed[:0], needed[:0], lost[:0], buf[:0]
	d.doc.removes, d.doc.updates, d.doc.adds = removes[:0], updates[:0], adds[:0]
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
func onOpen(plant func(d *draft, i int)) func(*draft) bool { return onStep((*draft).useOpen, plant) }

func onDone(plant func(d *draft, i int)) func(*draft) bool { return onStep((*draft).useDone, plant) }

func onStep(use func(*draft) int, plant func(d *draft, i int)) func(*draft) bool {
	return func(d *draft) bool {
		i := use(d)
		if i >= 0 {
			plant(d, i)
		}
		return i >= 0
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
