package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// draft is an unfinished sample: the plan, the steps that are taken, and the edit.
// Its many fields are the state of a draft, which every trait changes.
type draft struct {
	generators.Grower
	generators.Slab
	edit
	profile harness.Profile
	drawn   generators.Draw[patchTrait]
	planted []string

	// A step stays taken even if its trait is not planted.
	base   int     // steps of the plan that anyone may take; the steps after them belong to traits
	marks  []bool  // the memory of the next three
	used   []bool  // steps of the plan that the edit names, or may name
	gone   []bool  // steps that it takes away
	needed []bool  // steps that a dependency of the edit names
	next   int     // number of the next new id
	owed   int     // open steps that traits will take
	spared aspects // the operations that the plain edit does not have
}

// edit is the reply in the making, and what the case says around it.
type edit struct {
	full   bool // the reply is a full plan
	effect deform.Effect
	limits harness.Limits
	// limiting is the limit of steps, given how many old ones stay and how many new ones are asked for.
	limiting func(kept, wanted int) int
	unsound  harness.Code // with which the case is rejected before a reply is read

	// Members of the document; the zero value is the usual one, and generators.None leaves it out.
	kind, title, reason, policy, steps string
	why                                string // the usual reason
	newTitle                           string // what the title becomes
	removes, updates, adds             []item // the steps of a full plan are in adds
	bare                               bool   // the edit changes nothing by itself
	noLists, brief                     bool   // the document leaves out empty lists, and members with default values

	written       *plan.Plan // the plan of the case, if it differs from the real one
	planJSON      string     // the plan of the case, if it is no plan
	form          generators.PlanForm
	before, after []harness.Reply // other replies
	silent        bool            // the draft's own reply is left out
}

// item is an element of a list of the document.
type item struct {
	key int // its place: lists are sorted by it
	at  int // the step of the plan that it carries over in a full plan; -1 for none
	generators.Value
}

// Items of traits go anywhere below tail, and plain ones are spread over the same range.
const tail = 1 << 20

// put places an item somewhere in a list, and end at its end.
func (d *draft) put(list *[]item, v generators.Value) {
	*list = append(*list, item{d.Below(tail), -1, v})
}

func end(list *[]item, v generators.Value) { *list = append(*list, item{tail + len(*list), -1, v}) }

// inOrder puts the last two items of a list into the order in which they were added.
func inOrder(list []item) {
	a, b := &list[len(list)-2], &list[len(list)-1]
	a.key, b.key = min(a.key, b.key), max(a.key, b.key)
}

// spread assigns positions to the items after the first n.
func spread(list []item, n int) {
	for i := range list[n:] {
		list[n+i].key = (i + 1) * tail / (len(list) - n + 1)
	}
}

func (d *draft) remove(id string)          { d.put(&d.removes, generators.Text(id)) }
func (d *draft) update(v generators.Value) { d.put(&d.updates, v) }
func (d *draft) add(v generators.Value)    { d.put(&d.adds, v) }

// removed, reworded and readded remove a step of the plan, update it, and add a step with its id.
func (d *draft) removed(i int)  { d.remove(d.id(i)) }
func (d *draft) reworded(i int) { d.update(d.rewording(i)) }
func (d *draft) readded(i int)  { d.add(d.named(d.id(i))) }

func (d *draft) isDone(i int) bool { return d.P.Steps[i].Status == plan.Done }
func (d *draft) isOpen(i int) bool { return d.P.Steps[i].Status != plan.Done }
func (d *draft) id(i int) string   { return d.P.Steps[i].ID }

// pick returns a step that is not taken and that the test allows, or -1.
func (d *draft) pick(allow func(i int) bool) int {
	from := d.Below(d.base)
	for k := range d.base {
		if i := (from + k) % d.base; !d.used[i] && allow(i) {
			return i
		}
	}
	return -1
}

func (d *draft) use(i int) int {
	if i >= 0 {
		d.used[i] = true
	}
	return i
}

// useOpen takes an open step, useDone a done one, useLeaf an open one that no step needs; -1 if there is none.
func (d *draft) useOpen() int { return d.use(d.pick(d.isOpen)) }
func (d *draft) useDone() int { return d.use(d.pick(d.isDone)) }
func (d *draft) useLeaf() int {
	return d.use(d.pick(func(i int) bool { return d.isOpen(i) && !d.needed[i] && len(d.dependents(i)) == 0 }))
}

// useDependent takes an open step, one with a dependency that stays if there is any.
func (d *draft) useDependent() int {
	i := d.pick(func(i int) bool { return d.isOpen(i) && len(d.P.Steps[i].Dependencies) > 0 && d.keepsAll(i) })
	if i < 0 {
		i = d.pick(d.isOpen)
	}
	return d.use(i)
}

// above returns a later step that is not taken and that the test allows, or -1.
func (d *draft) above(i int, allow func(i int) bool) int {
	for j := i + 1; j < d.base; j++ {
		if !d.used[j] && allow(j) {
			return j
		}
	}
	return -1
}

// anyID returns the id of any step of the plan, taken or not.
func (d *draft) anyID() string { return d.id(d.Below(d.base)) }

// free returns how many open steps are not taken.
func (d *draft) free() (n int) {
	for i := range d.base {
		if d.isOpen(i) && !d.used[i] {
			n++
		}
	}
	return n
}

// staying returns how many steps nobody takes away.
func (d *draft) staying() int { return collect.Count(d.gone, func(gone bool) bool { return !gone }) }

// takeAway removes a step.
func (d *draft) takeAway(i int) {
	d.used[i], d.gone[i] = true, true
	d.remove(d.id(i))
}

// keepsAll reports whether none of the step's dependencies is taken away.
func (d *draft) keepsAll(i int) bool {
	for j := range d.P.Steps {
		if d.gone[j] && slices.Contains(d.P.Steps[i].Dependencies, d.id(j)) {
			return false
		}
	}
	return true
}

// newID returns an id that neither the plan nor the edit has.
func (d *draft) newID() string {
	d.next++
	return strings.TrimSpace(d.Style.Id(d.base + d.next - 1))
}

// phrase returns a description other than the given one.
func (d *draft) phrase(not string) string {
	i := d.Below(len(generators.Phrases))
	if generators.Phrases[i] == not {
		i = (i + 1) % len(generators.Phrases)
	}
	return generators.Phrases[i]
}

// lower returns up to n dependencies on steps before the given one that stay.
func (d *draft) lower(before, n int) []string {
	mark := len(d.Arena)
	if d.drawn.Lacks("dependencies") {
		n = 0
	}
	if d.drawn.Lacks("dependency order") {
		n = min(n, 1)
	}
	for range n {
		i := d.Below(d.base)
		if i < before && !d.gone[i] && !slices.Contains(d.Arena[mark:], d.id(i)) {
			d.Arena = append(d.Arena, d.id(i))
			d.needed[i] = true
		}
	}
	return d.List(mark)
}

// depend makes a step of the plan depend on another.
func (d *draft) depend(i, on int) {
	s := &d.P.Steps[i]
	if !slices.Contains(s.Dependencies, d.id(on)) {
		s.Dependencies = append(slices.Clip(s.Dependencies), d.id(on))
	}
}

// need marks the steps that a written dependency names.
func (d *draft) need(deps []string) {
	for i := range d.P.Steps {
		d.needed[i] = d.needed[i] || slices.Contains(deps, d.id(i))
	}
}

// step is a step as a reply writes it, with all members.
func (d *draft) step(id, description string, dependencies []string) generators.Value {
	return d.stepOf(id, description, dependencies, plan.Pending, d.Tools())
}

// stepOf is a step with these members; tools only if the engine knows them.
func (d *draft) stepOf(id, description string, on []string, status plan.Status, tools []string) generators.Value {
	list := append(d.Fields(5), field("id", generators.Text(id)), described(description),
		field("dependencies", d.Texts(on)), field("status", generators.Text(string(status))))
	if !d.drawn.Lacks("tools_expected") {
		list = append(list, field("tools_expected", d.Texts(tools)))
	}
	return generators.Object(list...)
}

// named is a new step with the id, which depends on up to two steps of the plan.
func (d *draft) named(id string) generators.Value {
	return d.step(id, d.phrase(""), d.lower(d.base, d.Below(3)))
}

func (d *draft) fresh() generators.Value { return d.named(d.newID()) }

// freshOn is a new step that depends on these steps only.
func (d *draft) freshOn(ids ...string) generators.Value { return d.step(d.newID(), d.phrase(""), ids) }

// change is an update of a step with these members.
func change(id string, members ...generators.Field) generators.Value {
	return generators.Object(append([]generators.Field{field("id", generators.Text(id))}, members...)...)
}

// rewording is an update of the description of a step.
func (d *draft) rewording(i int) generators.Value {
	return change(d.id(i), field("description", generators.Text(d.phrase(d.P.Steps[i].Description))))
}

func field(name string, v generators.Value) generators.Field {
	return generators.Field{Name: name, Value: v}
}

func depending(on ...string) generators.Field { return field("dependencies", generators.Texts(on)) }

func described(text string) generators.Field { return field("description", generators.Text(text)) }

// with returns a copy of an object with members replaced or appended.
func with(v generators.Value, members ...generators.Field) generators.Value {
	v.Fields = slices.Clone(v.Fields)
	for i := range v.Fields { // a trait that is planted in one list must not change the other
		v.Fields[i].Items = slices.Clone(v.Fields[i].Items)
	}
	for _, m := range members {
		if old := v.Get(m.Name); old != nil {
			*old = m.Value
		} else {
			v.Fields = append(v.Fields, m)
		}
	}
	return v
}

// idOf returns the id of an item.
func idOf(v generators.Value) string { return v.Get("id").Str }
