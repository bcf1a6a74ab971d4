package rules

import (
	"cmp"
	"slices"
	"strconv"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// change is one rewrite of a list.
type change struct {
	settings spec.Settings
	limit    *int
	old      []kept
	doc      *rewrite
	warnings harness.Notes

	items  []asked // of the reply, without those that are not to count
	mates  []int   // of each old item, its place in items; -1
	next   []place
	normal normals
}

// asked is an item of the reply.
type asked struct {
	entry
	index int // in the reply
	old   int // the old item that it is; -1
}

// place is an item of the new list.
type place struct {
	spec.Item
	old   int // in the old list; -1 is new
	asked int // in items; -1 is not in the reply
}

// apply makes the new list by the rules in their order.
func (c *change) apply() *harness.Refusal {
	switch {
	case len(c.doc.items) > 0:
	case c.doc.merge:
		for i, k := range c.old {
			c.next = append(c.next, place{k.Item, i, -1})
		}
		return c.changed()
	default:
		return c.clear()
	}
	c.normal = newNormals(c.old, c.doc.items)
	rules := []func() *harness.Refusal{
		c.duplicates, c.pair, c.reworded, c.reopened, c.inProgress, c.assemble, c.cut, c.changed,
	}
	for _, rule := range rules {
		if r := rule(); r != nil {
			return r
		}
	}
	return nil
}

func (c *change) list() []kept {
	list := make([]kept, len(c.next))
	for i, p := range c.next {
		list[i] = kept{p.Item, -1}
		if p.old >= 0 {
			list[i].was = c.old[p.old].was
		}
	}
	return list
}

// at is a place in the document of the reply.
func (c *change) at(a *asked, member string) string {
	return c.doc.list + "/" + strconv.Itoa(a.index) + "/" + member
}

// name is what warnings call an item of the reply.
func (c *change) name(a *asked) string {
	if a.old >= 0 {
		return c.old[a.old].Name()
	}
	return a.Name()
}

// clear empties the list, where it may.
func (c *change) clear() *harness.Refusal {
	open := slices.IndexFunc(c.old, func(k kept) bool { return k.Open() })
	switch {
	case c.settings.Clear == harness.Reject:
		return harness.RefuseAt(harness.EmptyPlan, c.doc.list, "the list is empty")
	case c.settings.Clear == spec.WhenDone && open >= 0:
		return harness.RefuseAt(harness.EmptyPlan, c.doc.list, "the list is empty, but %q is still open", c.old[open].Name())
	}
	for i := range c.old {
		c.warnings.Add(spec.WarnCleared, c.old[i].Name())
	}
	return c.changed()
}

// duplicates rejects or drops items that the reply repeats.
func (c *change) duplicates() (refusal *harness.Refusal) {
	c.items = make([]asked, len(c.doc.items))
	for i, e := range c.doc.items {
		c.items[i] = asked{e, i, -1}
	}
	switch c.settings.Duplicates {
	case harness.Keep:
		return nil
	case harness.Last:
		slices.Reverse(c.items)
		defer func() { slices.Reverse(c.items) }()
	}
	met := newSeen()
	c.items = slices.DeleteFunc(c.items, func(a asked) bool {
		sameID := met.ids[a.ID]
		switch {
		case refusal != nil:
		case !sameID && !met.sameContent(c, &a):
			met.add(&a, c.normal.reply[a.index])
			return false
		case c.settings.Duplicates != harness.Reject:
			c.warnings.Add(spec.WarnDuplicateDropped, a.Name())
		case sameID:
			refusal = harness.RefuseAt(harness.DuplicateID, c.at(&a, "id"), "duplicate id %q", a.ID)
		default:
			refusal = harness.RefuseAt(spec.DuplicateContent, c.at(&a, a.text), "duplicate content %q", a.Content)
		}
		return true
	})
	return refusal
}

// seen are the ids and contents met so far.
type seen struct {
	ids      map[string]bool
	contents map[string]bool // true if an item of that content has no id
}

func newSeen() *seen { return &seen{map[string]bool{}, map[string]bool{}} }

func (s *seen) add(a *asked, content string) {
	s.ids[a.ID] = a.ID != ""
	s.contents[content] = s.contents[content] || a.ID == ""
}

// sameContent reports whether an item met before has an equal content. Under
// identities that go by ids, two ids that differ make two items; equal ones were
// told before.
func (s *seen) sameContent(c *change, a *asked) bool {
	bare, met := s.contents[c.normal.reply[a.index]]
	byID := c.settings.Identity == spec.Auto || c.settings.Identity == spec.ID
	return met && !c.doc.merge && (!byID || bare || a.ID == "")
}

// reworded names the old items that get another content.
func (c *change) reworded() *harness.Refusal {
	for i := range c.items {
		a := &c.items[i]
		if a.old >= 0 && a.Content != "" && c.normal.reply[a.index] != c.normal.old[a.old] {
			c.warnings.Add(spec.WarnReworded, c.old[a.old].Name())
		}
	}
	return nil
}

// reopened looks at done items that get another status.
func (c *change) reopened() *harness.Refusal {
	for i := range c.items {
		a := &c.items[i]
		if a.old < 0 || c.old[a.old].Status != plan.Completed || a.Status == plan.Completed || a.Status == "" {
			continue
		}
		name := c.old[a.old].Name()
		switch c.settings.Reopen {
		case harness.Reject:
			return harness.RefuseAt(harness.DoneImmutable, c.at(a, "status"), "%q is done and cannot become %s", name, a.Status)
		case harness.Keep:
			a.Status = plan.Completed
			c.warnings.Add(spec.WarnKeptDone, name)
		default:
			c.warnings.Add(spec.WarnReopened, name)
		}
	}
	return nil
}

// inProgress looks at several items of the reply in progress.
func (c *change) inProgress() *harness.Refusal {
	if c.settings.InProgress == harness.Any {
		return nil
	}
	first := -1
	for i := range c.items {
		a := &c.items[i]
		switch {
		case a.Status != plan.InProgress:
		case first < 0:
			first = i
		case c.settings.InProgress == spec.One:
			return harness.RefuseAt(spec.TooManyInProgress, c.at(a, "status"), "%q is already in progress",
				c.name(&c.items[first]))
		default:
			a.Status = plan.Pending
			c.warnings.Add(spec.WarnDemoted, c.name(a))
		}
	}
	return nil
}

// assemble puts the new list together: the items of the reply, and the old ones
// that it leaves out.
func (c *change) assemble() *harness.Refusal {
	if c.doc.merge {
		c.merged()
	} else {
		for i := range c.items {
			c.next = append(c.next, c.placed(i))
		}
		if r := c.omitted(); r != nil {
			return r
		}
	}
	return nil
}

// placed is the item that an item of the reply becomes.
func (c *change) placed(i int) place {
	a := &c.items[i]
	p := place{a.Item, a.old, i}
	if a.old < 0 {
		return p
	}
	old := c.old[a.old].Item
	if a.Content == "" || c.settings.Texts == knob.Trim && c.normal.reply[a.index] == c.normal.old[a.old] {
		p.Content = old.Content
	}
	p.ID, p.Status = cmp.Or(a.ID, old.ID), cmp.Or(a.Status, old.Status)
	p.Priority, p.ActiveForm = cmp.Or(a.Priority, old.Priority), cmp.Or(a.ActiveForm, old.ActiveForm)
	return p
}

// merged leaves the items that the reply does not name where they are, and puts
// new ones at the end.
func (c *change) merged() {
	for i, k := range c.old {
		p := place{k.Item, i, -1}
		if m := c.mates[i]; m >= 0 {
			p = c.placed(m)
		}
		c.next = append(c.next, p)
	}
	for i := range c.items {
		if c.items[i].old < 0 {
			c.next = append(c.next, c.placed(i))
		}
	}
	way := c.newWay()
	for i := range c.next {
		if p := &c.next[i]; p.asked < 0 || c.items[p.asked].Status == "" {
			way.give(p)
		}
	}
}

// omitted looks at the old items that the reply leaves out.
func (c *change) omitted() *harness.Refusal {
	way := c.newWay()
	for i := range c.old {
		if c.mates[i] >= 0 {
			continue
		}
		old := c.old[i].Item
		policy := harness.Drop
		switch {
		case old.Status == plan.Completed:
			policy = c.settings.OmittedDone
		case old.Open():
			policy = c.settings.OmittedOpen
		}
		switch policy {
		case harness.Reject:
			return harness.RefuseAt(spec.ItemLost, c.doc.list, "the rewrite leaves out %q, which is %s", old.Name(), old.Status)
		case harness.Drop:
			c.warnings.Add(spec.WarnDropped, old.Name())
		default:
			c.warnings.Add(spec.WarnRestored, old.Name())
			p := place{old, i, -1}
			way.give(&p)
			c.next = slices.Insert(c.next, c.behind(i), p)
		}
	}
	return nil
}

// behind is the place directly behind the nearest earlier old item that is in the
// new list, or the front.
func (c *change) behind(old int) int {
	for i := old - 1; i >= 0; i-- {
		if at := slices.IndexFunc(c.next, func(p place) bool { return p.old == i }); at >= 0 {
			return at + 1
		}
	}
	return 0
}

// way says which items give way to one that is in progress.
type way struct {
	*change
	taken bool // an item is in progress
}

func (c *change) newWay() *way {
	return &way{c, slices.ContainsFunc(c.items, func(a asked) bool { return a.Status == plan.InProgress })}
}

// give makes an old item pending if another one is in progress.
func (w *way) give(p *place) {
	if p.Status != plan.InProgress || w.settings.InProgress == harness.Any {
		return
	}
	if w.taken {
		p.Status = plan.Pending
		w.warnings.Add(spec.WarnDemoted, w.old[p.old].Name())
	}
	w.taken = true
}

// cut cuts new items until the limit holds, and settles whose the ids are.
func (c *change) cut() *harness.Refusal {
	if c.limit != nil {
		over, fresh := len(c.next)-*c.limit, false
		slices.Reverse(c.next)
		c.next = slices.DeleteFunc(c.next, func(p place) bool {
			if over <= 0 || p.old >= 0 || p.Status == plan.Completed {
				fresh = fresh || p.old < 0
				return false
			}
			over--
			c.warnings.Add(harness.WarnTruncated, p.Name())
			return true
		})
		slices.Reverse(c.next)
		if fresh && over > 0 {
			return harness.RefuseAt(harness.OverCapacity, c.doc.list, "the list would have %d items; its limit is %d",
				len(c.next), *c.limit)
		}
	}
	c.settleIDs()
	c.assignIDs()
	if c.settings.Order == knob.ActiveFirst {
		slices.SortStableFunc(c.next, func(a, b place) int { return cmp.Compare(rank(a.Status), rank(b.Status)) })
	}
	return nil
}

// rank is the place of a status where active items come first.
func rank(s plan.Status) int {
	return slices.Index([]plan.Status{plan.InProgress, plan.Pending, plan.Completed, plan.Cancelled}, s)
}

// settleIDs takes its id from an item that had one which the reply gives to
// another.
func (c *change) settleIDs() {
	given := map[string]bool{}
	gives := func(p *place) bool { return p.asked >= 0 && c.items[p.asked].ID != "" }
	for i := range c.next {
		if p := &c.next[i]; gives(p) {
			given[p.ID] = true
		}
	}
	for i := range c.next {
		if p := &c.next[i]; p.ID != "" && given[p.ID] && !gives(p) {
			c.warnings.Add(spec.WarnIDTaken, p.ID)
			p.ID = ""
		}
	}
}

// assignIDs gives new ids to items without one, or with the id of an earlier item, if the engine does so.
func (c *change) assignIDs() {
	if c.settings.IDs != spec.ByEngine {
		return
	}
	used := map[string]bool{}
	for i := range c.next {
		if p := &c.next[i]; used[p.ID] {
			p.ID = ""
		} else {
			used[p.ID] = true
		}
	}
	for _, k := range c.old {
		used[k.ID] = true
	}
	n := 1
	for i := range c.next {
		for p := &c.next[i]; p.ID == ""; n++ {
			if id := "generated-" + strconv.Itoa(n); !used[id] {
				p.ID = id
			}
		}
	}
}

// changed refuses a rewrite that changes nothing, where it must.
func (c *change) changed() *harness.Refusal {
	same := slices.EqualFunc(c.next, c.old, func(p place, k kept) bool { return p.Item == k.Item })
	if same && c.settings.Unchanged == harness.Reject {
		return harness.Refuse(harness.EmptyPatch, "the rewrite changes nothing")
	}
	return nil
}
