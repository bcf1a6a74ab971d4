package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// draft is an unfinished sample: the plan, the reserved steps, and the content.
type draft struct {
	generators.Grower
	content
	profile harness.Profile
	without []string
	faults  []string // the traits that are planted

	// A step stays reserved even if its trait is not planted.
	base   int    // steps of the plan that anyone may take; those behind them belong to traits
	used   []bool // steps of the plan that the edit names, or may name
	gone   []bool // steps that it takes away
	needed []bool // steps that a dependency of the edit names
	next   int    // number of the next new id
	full   bool   // the reply is a full plan
	small  bool   // the edit is of one operation
	owed   int    // open steps that traits will take
	spared lists  // of the patch, which the plain edit leaves without items

	buf []byte
}

// content is the edit as it is meant, and how the document and the text round it
// differ from that.
type content struct {
	effects  []effect // of the traits, on the label
	removed  []bool   // steps that the edit takes away
	doc      document
	noise    noise
	limits   harness.Limits
	limit    int                        // steps; 0: none
	limiting func(kept, wanted int) int // what the limit is to be; nil: it does not matter
	depth    depthLimit
	bare     bool       // the edit changes nothing by itself
	written  *plan.Plan // the plan document, where it is another than the plan
	planJSON string     // the plan document, where it is none
	form     generators.PlanForm
	ladder   script
	lost     []int // steps that lose a dependency which the patch does not write
	cutAt    int   // where the text ends, for cutItems
}

// clone returns a copy that changes of the content leave alone.
func (c content) clone() content {
	c.effects, c.removed, c.lost = slices.Clone(c.effects), slices.Clone(c.removed), slices.Clone(c.lost)
	doc := &c.doc
	doc.removes, doc.updates, doc.adds = slices.Clone(doc.removes), slices.Clone(doc.updates), slices.Clone(doc.adds)
	return c
}

// document is a patch or a full plan before it is written.
// It has a field for each member and each way to write it.
type document struct {
	typ, title, reason, steps string // JSON; "" is as it should be, for steps no member
	policy                    string
	rotate                    int // how far the order of members is turned

	removes, updates, adds []item
	newTitle               string // what the title becomes; "" leaves it

	removeList, updateList, addList string // JSON in place of a list
	first, extra                    []byte // more members before and behind all others, in braces
	noLists, brief                  bool   // lists without items are left out; so are defaults
	silent                          []item // updates that the document does not say so
}

// lists are the lists of items, in the order of the rules.
func (doc *document) lists() [3][]item { return [...][]item{doc.removes, doc.updates, doc.adds} }

// item is an element of a list of the document.
type item struct {
	key   int       // its place: lists are sorted by it
	step  plan.Step // what it is meant to come to
	has   uint8     // the members of an update
	at    int       // the step of the plan that it names; -1 is none
	ghost bool      // it is in the document but changes nothing
	ends  bool      // the text ends behind it, for cutItems
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
	hasAll = 1<<iota - 1
)

// twist says how an item of the document differs from the intended one: JSON that
// replaces a member, or its absence. "" means no difference.
type twist struct {
	whole, id, description, dependencies, status, tools string
	extra                                               []byte // more members, in braces
}

func (d *draft) reset(c generators.Choices, maxSteps int) {
	used, gone, needed, buf, old := d.used, d.gone, d.needed, d.buf, d.content
	*d = draft{}
	d.Choices, d.Max = c, maxSteps
	d.used, d.gone, d.needed, d.buf = used[:0], gone[:0], needed[:0], buf[:0]
	d.removed, d.lost, d.effects = old.removed[:0], old.lost[:0], old.effects[:0]
	d.doc.removes, d.doc.updates, d.doc.adds = old.doc.removes[:0], old.doc.updates[:0], old.doc.adds[:0]
}

// pickStep returns a step that nobody took yet and that the test allows, or -1.
func (d *draft) pickStep(allow func(i int) bool) int {
	from := d.Below(d.base)
	for k := range d.base {
		if i := (from + k) % d.base; !d.used[i] && allow(i) {
			return i
		}
	}
	return -1
}

// anyStep returns any step of the plan, taken or not.
func (d *draft) anyStep() *plan.Step { return &d.P.Steps[d.Below(d.base)] }

func (d *draft) isDone(i int) bool { return d.P.Steps[i].Status == plan.Done }
func (d *draft) isOpen(i int) bool { return d.P.Steps[i].Status != plan.Done }

// useOpen takes a step that is not done, useDone a done one; -1: there is none.
func (d *draft) useOpen() int { return d.use(d.pickStep(d.isOpen)) }
func (d *draft) useDone() int { return d.use(d.pickStep(d.isDone)) }

// onOpen plants a trait on a step that is not done, if there is one, and onDone
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

// free returns how many open steps are not taken yet.
func (d *draft) free() (n int) {
	for i := range d.base {
		if d.isOpen(i) && !d.used[i] {
			n++
		}
	}
	return n
}

// useLeaf takes an open step on which none depends, or -1.
func (d *draft) useLeaf() int {
	return d.use(d.pickStep(func(i int) bool { return d.isOpen(i) && !d.needed[i] && !d.hasDependents(i) }))
}

// takeAway removes a step.
func (d *draft) takeAway(i int) {
	d.used[i], d.gone[i], d.removed[i] = true, true, true
}

// lacks reports whether the engine does not have a capability.
func (d *draft) lacks(capability string) bool { return slices.Contains(d.without, capability) }

// newID returns an id that neither the plan nor the edit has.
func (d *draft) newID() string {
	d.next++
	return strings.TrimSpace(d.Style.Id(d.base + d.next - 1))
}

// phrase returns a description other than the given one.
func (d *draft) phrase(not string) string {
	i := d.Below(len(generators.PlainPhrases))
	if generators.PlainPhrases[i] == not {
		i = (i + 1) % len(generators.PlainPhrases)
	}
	return generators.PlainPhrases[i]
}

// tools returns names of tools, where the engine knows of them.
func (d *draft) tools() []string {
	tools := d.Tools()
	if d.lacks("tools_expected") {
		return nil
	}
	return tools
}

// lower returns up to n dependencies on steps of lower rank that stay; rank
// len(steps) is the rank of a new step.
func (d *draft) lower(rank, n int) []string {
	mark := len(d.Arena)
	for range n {
		i := d.Below(d.base)
		id := d.P.Steps[i].ID
		if d.Rank[i] < rank && !d.gone[i] && !slices.Contains(d.Arena[mark:], id) {
			d.Arena = append(d.Arena, id)
			d.needed[i] = true
		}
	}
	return d.List(mark)
}

// depend makes a step of the plan depend on another.
func (d *draft) depend(i, on int) {
	s := &d.P.Steps[i]
	if id := d.P.Steps[on].ID; !slices.Contains(s.Dependencies, id) {
		s.Dependencies = append(slices.Clip(s.Dependencies), id)
	}
}
