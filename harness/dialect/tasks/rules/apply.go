package rules

import (
	"slices"
	"strconv"

	"replanbench/harness"
	"replanbench/harness/dialect/knob"
	"replanbench/harness/dialect/tasks/spec"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// store is a graph with the ids that it has given.
type store struct {
	spec.Graph
	created []string
	had     map[string]bool   // ids of tasks that there are or were; clones share it
	next    int64             // all smaller numbers are taken
	normals map[string]string // of subjects; clones share it
	same    *subjects         // of the tasks; a clone that only adds shares it
}

// subjects are the ids of the first tasks that are open, by the normal form of their subjects.
type subjects struct {
	seen int // tasks
	ids  map[string][]string
}

// clone copies the tasks, but not their lists: a list is replaced or gets more items, and the items
// that are there stay. A reply has as many calls as it likes, so a call that only adds tasks, and
// edges to them, gets no copy: see change.undo.
func (s *store) clone(adds bool) *store {
	graph, same := s.Graph, s.same
	if !adds {
		graph, same = spec.Graph{Tasks: slices.Clone(s.Tasks)}, &subjects{}
	}
	return &store{graph, s.created, s.had, s.next, s.normals, same}
}

// alike returns the ids of the open tasks with a subject. It looks at each task once.
func (s *store) alike(subject string) []string {
	if s.same.ids == nil {
		s.same.ids = map[string][]string{}
	}
	for ; s.same.seen < len(s.Tasks); s.same.seen++ {
		if t := &s.Tasks[s.same.seen]; t.Open() {
			n := s.normal(t.Subject)
			s.same.ids[n] = append(s.same.ids[n], t.ID)
		}
	}
	return s.same.ids[s.normal(subject)]
}

// forget makes ids free that a refused call has taken.
func (s *store) forget(ids []string) {
	s.Forget(ids)
	for _, id := range ids {
		delete(s.had, id)
	}
}

// free returns the id task_N with the smallest N that no task has or had.
func (s *store) free() string {
	id := []byte("task_")
	for ; ; s.next++ {
		if id = strconv.AppendInt(id[:len("task_")], s.next+1, 10); !s.had[string(id)] {
			return string(id)
		}
	}
}

// edge is an edge that a call writes: the task needs the blocker or has the parent.
type edge struct {
	task, to string
	parent   bool
	at       path
}

// change is one call that is carried out on a copy of the store.
type change struct {
	*call
	settings spec.Settings
	limit    *int
	old      *store
	now      *store
	keys     map[string]string // key to id
	fresh    []string          // ids of new tasks
	edges    []edge
	became   []edge      // tasks that got another status, with the place to blame
	touched  []spec.Task // as they were, if they are changed in place
	warnings harness.Notes
}

// apply carries out the call by the rules in their order.
func (c *change) apply() *harness.Refusal {
	rules := []func() *harness.Refusal{
		c.pending, c.known, c.finished, c.missing, c.write, c.cycle, c.reset, c.early, c.progress, c.capacity, c.needed,
		c.unchanged,
	}
	for _, rule := range rules {
		if r := rule(); r != nil {
			return r
		}
	}
	return nil
}

func (c *change) refuse(code harness.Code, at path, format string, args ...any) *harness.Refusal {
	return harness.RefuseAt(code, at.String(), format, args...)
}

// find resolves an id of the call: $N, a key, or the id of a task that is not removed first.
func (c *change) resolve(id string) (string, bool) {
	if to, ok := c.keys[id]; ok {
		return to, true
	}
	id = plan.Created(id, c.old.created)
	t := c.old.Find(id)
	return id, t != nil && (c.name != spec.Replace || !c.open || !t.Open())
}

// adds reports whether the call changes no member of the tasks that there are except their blockers.
func (c *change) adds() bool {
	starts := func(m members) bool { return m.status == plan.InProgress }
	giveWay := c.settings.InProgress == harness.Last && slices.ContainsFunc(c.tasks, starts)
	return (c.name == spec.Create || c.name == spec.Replace && !c.open) && !giveWay
}

// undo restores the tasks that a refused call has changed in place.
func (c *change) undo() {
	for _, t := range slices.Backward(c.touched) {
		c.old.Find(t.ID).BlockedBy = t.BlockedBy
	}
}

// pending is the last part of rule 1.
func (c *change) pending() *harness.Refusal {
	for _, t := range c.tasks {
		if t.status != "" && t.status != plan.Pending && c.settings.CreateStatus == harness.Reject {
			return c.refuse(harness.BadType, t.at.Member("status"), "a new task is pending")
		}
	}
	return nil
}

// known is rule 2.
func (c *change) known() *harness.Refusal {
	c.now, c.keys = c.old.clone(c.adds()), map[string]string{}
	if c.id != "" {
		c.id = plan.Created(c.id, c.old.created)
		if c.old.Find(c.id) == nil {
			return c.refuse(harness.UnknownStep, c.at.Member("id"), "there is no task %q", c.id)
		}
	}
	for i, id := range c.ids {
		c.ids[i] = plan.Created(id, c.old.created)
		switch {
		case c.old.Find(c.ids[i]) == nil:
			return c.refuse(harness.UnknownStep, c.at.Member("ids").Item(i), "there is no task %q", id)
		case slices.Contains(c.ids[:i], c.ids[i]):
			return c.refuse(harness.DuplicateID, c.at.Member("ids").Item(i), "%q is named twice", id)
		}
	}
	for i := range c.tasks {
		t := &c.tasks[i]
		if _, ok := c.keys[t.key]; ok && t.key != "" {
			return c.refuse(harness.DuplicateID, t.at.Member("key"), "the key %q is given twice", t.key)
		}
		switch {
		case c.settings.IDs != spec.Given:
			t.id = c.now.free()
		case c.now.had[t.id]:
			return c.refuse(harness.DuplicateID, t.at.Member("id"), "the id %q is or was in use", t.id)
		}
		c.now.had[t.id] = true
		c.fresh = append(c.fresh, t.id)
		if t.key != "" {
			c.keys[t.key] = t.id
		}
	}
	return nil
}

// finished is rule 3.
func (c *change) finished() *harness.Refusal {
	s := c.settings
	refuse := func(at path) *harness.Refusal { return c.refuse(harness.DoneImmutable, at, "the task is done") }
	switch t := c.old.Find(c.id); {
	case c.name == spec.Delete && t.Done() && s.DeleteDone == harness.Reject:
		return refuse(c.at.Member("id"))
	case c.name == spec.Update && c.ids == nil && t.Done():
		for _, e := range c.edits(t) {
			if e.changes && e.policy == harness.Reject {
				return refuse(c.at.Member(e.member))
			}
		}
	}
	for i, id := range c.ids {
		if c.old.Find(id).Done() && c.status != plan.Completed && s.Reopen == harness.Reject {
			return refuse(c.at.Member("ids").Item(i))
		}
	}
	for _, m := range c.written() {
		for i, id := range m.blocks {
			id, _ = c.resolve(id)
			if t := c.old.Find(id); t != nil && t.Done() && s.DoneEdit == harness.Reject && !slices.Contains(t.BlockedBy, m.id) {
				return refuse(m.at.Member(m.blocksName).Item(i))
			}
		}
	}
	return nil
}

// written lists what the call writes: the members of an update of one task, or of each new task.
func (c *change) written() (list []*members) {
	if c.name == spec.Update && c.ids == nil {
		return []*members{&c.members}
	}
	for i := range c.tasks {
		list = append(list, &c.tasks[i])
	}
	return list
}

// edit is a member that a call may give a task, with the knob for done tasks.
type edit struct {
	member  string
	changes bool
	policy  string
}

// edits lists the members in their order. A blocker that is removed and added again changes nothing.
func (c *change) edits(t *spec.Task) []edit {
	rewires := !spec.SameSet(t.BlockedBy, c.blockers(&c.members, t))
	needs := func(id string) bool { return slices.Contains(t.BlockedBy, id) }
	moves := false
	if c.parent != nil {
		to, _ := c.resolve(*c.parent)
		moves = to != t.Parent
	}
	edits := c.settings.DoneEdit
	return []edit{
		{"subject", c.subject != nil && *c.subject != t.Subject, edits},
		{"description", c.description != nil && *c.description != t.Description, edits},
		{"status", c.status != "" && c.status != t.Status, c.settings.Reopen},
		{"parent", moves, edits},
		{"blocked_by", rewires && c.hasBlockers && !spec.SameSet(t.BlockedBy, c.all(c.blockedBy)), edits},
		{"remove_blocked_by", rewires && slices.ContainsFunc(c.all(c.remove), needs), edits},
		{"add_blocked_by", rewires, edits},
	}
}

// all resolves ids, and leaves unknown ones as they are.
func (c *change) all(ids []string) []string {
	list := make([]string, len(ids))
	for i, id := range ids {
		list[i], _ = c.resolve(id)
	}
	return list
}

// blockers returns the set of blockers that a task gets.
func (c *change) blockers(m *members, t *spec.Task) []string {
	list := slices.Clone(t.BlockedBy)
	put := func(ids []string) {
		for _, id := range c.all(ids) {
			if id != "" && !slices.Contains(list, id) {
				list = append(list, id)
			}
		}
	}
	if m.hasBlockers {
		list = nil
		put(m.blockedBy)
	}
	removed := c.all(m.remove)
	list = slices.DeleteFunc(list, func(id string) bool { return slices.Contains(removed, id) })
	put(m.add)
	return list
}

// missing is the first part of rule 4.
func (c *change) missing() (refusal *harness.Refusal) {
	isMissing := func(id string, at path) bool {
		if _, ok := c.resolve(id); ok {
			return false
		}
		if refusal == nil && c.settings.UnknownDependency == harness.Reject {
			refusal = c.refuse(harness.MissingDependency, at, "there is no task %q", id)
		}
		c.warnings.Add(spec.WarnDropped, id)
		return true
	}
	for _, m := range c.written() {
		if m.parent != nil && *m.parent != "" && isMissing(*m.parent, m.at.Member("parent")) {
			m.parent = nil
		}
		for _, list := range m.lists() {
			*list.ids = slices.Clone(*list.ids)
			for i, id := range *list.ids {
				if isMissing(id, m.at.Member(list.name).Item(i)) {
					(*list.ids)[i] = "" // stays in the list: the places of the others do not change
				}
			}
		}
	}
	return refusal
}

type named struct {
	name string
	ids  *[]string
}

// lists are the lists of edges that a call adds.
func (m *members) lists() []named {
	return []named{{"blocked_by", &m.blockedBy}, {"add_blocked_by", &m.add}, {m.blocksName, &m.blocks}}
}

// write makes the graph that the call leaves, before other tasks give way.
func (c *change) write() *harness.Refusal {
	g := &c.now.Graph
	if c.name == spec.Replace && c.open {
		c.drop(func(t *spec.Task) bool { return t.Open() })
	}
	for i := range c.tasks {
		m := &c.tasks[i]
		t := spec.Task{ID: m.id, Subject: *m.subject, Status: plan.Pending}
		if m.status != "" {
			t.Status = m.status
		}
		if t.Status != plan.Pending {
			c.became = append(c.became, edge{task: m.id, at: m.at.Member("status")})
		}
		g.Tasks = append(g.Tasks, t)
	}
	c.now.created = append(c.now.created, c.fresh...)
	for i, id := range c.ids {
		c.restate(id, c.at.Member("ids").Item(i))
	}
	if c.id != "" {
		c.restate(c.id, c.at.Member("status"))
	}
	for _, m := range c.written() {
		c.rewrite(m)
	}
	for _, m := range c.written() { // a task may block a later one, whose own blockers are set by now
		c.connect(m)
	}
	return nil
}

func (c *change) restate(id string, at path) {
	if t := c.now.Find(id); c.status != "" && t.Status != c.status {
		t.Status = c.status
		c.became = append(c.became, edge{task: id, at: at})
	}
}

// rewrite gives a task its own members.
func (c *change) rewrite(m *members) {
	t := c.now.Find(m.id)
	if m.subject != nil {
		t.Subject = *m.subject
	}
	if m.description != nil {
		t.Description = *m.description
	}
	if m.parent != nil {
		t.Parent, _ = c.resolve(*m.parent)
	}
	t.BlockedBy = c.blockers(m, t)
}

// connect collects the edges that the members write, and adds the task to the blockers of
// the tasks that it blocks.
func (c *change) connect(m *members) {
	if m.parent != nil && *m.parent != "" {
		to, _ := c.resolve(*m.parent)
		c.edges = append(c.edges, edge{m.id, to, true, m.at.Member("parent")})
	}
	for _, list := range m.lists() {
		for i, id := range *list.ids {
			if id == "" {
				continue
			}
			to, _ := c.resolve(id)
			e := edge{task: m.id, to: to, at: m.at.Member(list.name).Item(i)}
			if list.name == m.blocksName {
				e.task, e.to = to, m.id
				if b := c.now.Find(to); !slices.Contains(b.BlockedBy, m.id) {
					if c.adds() && !slices.Contains(c.fresh, to) {
						c.touched = append(c.touched, *b)
					}
					b.BlockedBy = append(b.BlockedBy, m.id)
				}
			}
			c.edges = append(c.edges, e)
		}
	}
}

// drop removes tasks, and the edges to them.
func (c *change) drop(gone func(t *spec.Task) bool) {
	ids := map[string]bool{}
	c.now.Drop(func(t *spec.Task) bool {
		ids[t.ID] = gone(t)
		return ids[t.ID]
	})
	for i := range c.now.Tasks {
		t := &c.now.Tasks[i]
		if gone := func(id string) bool { return ids[id] }; slices.ContainsFunc(t.BlockedBy, gone) {
			t.BlockedBy = slices.DeleteFunc(slices.Clone(t.BlockedBy), gone)
		}
		if ids[t.Parent] {
			t.Parent = ""
		}
	}
}

// cycle is the second part of rule 4.
func (c *change) cycle() *harness.Refusal {
	if c.settings.Cycles != harness.Reject {
		return nil
	}
	for _, e := range c.edges {
		if (e.parent || c.now.Find(e.task).Needs(e.to)) && c.now.Reaches(e.to, e.task, e.parent) {
			return c.refuse(harness.DependencyCycle, e.at, "%q and %q are on a cycle", e.task, e.to)
		}
	}
	return nil
}

// reset makes tasks pending that need a reopened one, by the knob dependents.
func (c *change) reset() *harness.Refusal {
	if c.settings.Dependents != knob.Reset {
		return nil
	}
	for _, e := range c.became {
		if old := c.old.Find(e.task); old == nil || !old.Done() {
			continue
		}
		for i := range c.now.Tasks {
			t := &c.now.Tasks[i]
			if (t.Done() || t.Status == plan.InProgress) && t.ID != e.task && c.now.Reaches(t.ID, e.task, false) {
				t.Status = plan.Pending
			}
		}
	}
	return nil
}

// early is rule 5.
func (c *change) early() *harness.Refusal {
	for _, e := range c.became {
		t := c.now.Find(e.task)
		if t.Status != plan.InProgress && !t.Done() || !c.now.Blocked(t, c.settings.Cancelled == spec.Blocks) {
			continue
		}
		switch c.settings.Early {
		case harness.Reject:
			return c.refuse(spec.Blocked, e.at, "%q is blocked", e.task)
		case spec.Warn:
			c.warnings.Add(spec.WarnEarly, e.task)
		}
	}
	return nil
}

// progress is rule 6.
func (c *change) progress() *harness.Refusal {
	if c.settings.InProgress == spec.AnyNumber || c.became == nil {
		return nil
	}
	var last string
	for _, e := range c.became {
		if c.now.Find(e.task).Status != plan.InProgress {
			continue
		}
		last = e.task
		for i := range c.now.Tasks {
			t := &c.now.Tasks[i]
			if c.settings.InProgress == spec.One && t.ID != e.task && t.Status == plan.InProgress {
				return c.refuse(todos.TooManyInProgress, e.at, "%q is in progress", t.ID)
			}
		}
	}
	for i := range c.now.Tasks {
		if t := &c.now.Tasks[i]; last != "" && t.ID != last && t.Status == plan.InProgress {
			t.Status = plan.Pending
			c.warnings.Add(todos.WarnDemoted, t.ID)
		}
	}
	return nil
}

// capacity is rule 7.
func (c *change) capacity() *harness.Refusal {
	if len(c.tasks) == 0 {
		return nil
	}
	if c.limit != nil && c.now.CountOpen() > max(*c.limit, c.old.CountOpen()) {
		return c.refuse(harness.OverCapacity, c.at, "there are more than %d open tasks", *c.limit)
	}
	if c.settings.SameSubject == spec.Allow {
		return nil
	}
	known, added := c.now, &store{normals: c.old.normals, same: &subjects{}}
	if c.adds() { // its own tasks are not known before it is carried out
		known, added.Tasks = c.old, c.now.Tasks[len(c.old.Tasks):]
	}
	for i := range c.tasks {
		subject := *c.tasks[i].subject
		for _, id := range slices.Concat(known.alike(subject), added.alike(subject)) {
			if id != c.tasks[i].id {
				return c.refuse(todos.DuplicateContent, c.tasks[i].at.Member("subject"), "%q has the same subject", id)
			}
		}
	}
	return nil
}

// normal returns the normal form of a subject.
func (s *store) normal(subject string) string {
	n, ok := s.normals[subject]
	if !ok {
		n = todos.Normal(subject)
		s.normals[subject] = n
	}
	return n
}

// needed is rule 8, and deletes the task.
func (c *change) needed() *harness.Refusal {
	if c.name != spec.Delete {
		return nil
	}
	gone := map[string]bool{c.id: true}
	needs := func(t *spec.Task) bool {
		return gone[t.Parent] || slices.ContainsFunc(t.BlockedBy, func(id string) bool { return gone[id] })
	}
	switch c.settings.DeleteNeeded {
	case harness.Reject:
		if i := slices.IndexFunc(c.old.Tasks, func(t spec.Task) bool { return !gone[t.ID] && needs(&t) }); i >= 0 {
			return c.refuse(harness.DependentsExist, c.at.Member("id"), "%q needs the task", c.old.Tasks[i].ID)
		}
	case spec.Orphan:
		c.now.Drop(func(t *spec.Task) bool { return t.ID == c.id })
		return nil
	case spec.Cascade:
		for again := true; again; {
			again = false
			for i := range c.now.Tasks {
				if t := &c.now.Tasks[i]; !gone[t.ID] && !t.Done() && needs(t) {
					gone[t.ID], again = true, true
				}
			}
		}
		for _, t := range c.now.Tasks {
			if gone[t.ID] && t.ID != c.id {
				c.warnings.Add(spec.WarnCascaded, t.ID)
			}
		}
	}
	c.drop(func(t *spec.Task) bool { return gone[t.ID] })
	return nil
}

// unchanged is rule 9.
func (c *change) unchanged() *harness.Refusal {
	same := slices.EqualFunc(c.old.Tasks, c.now.Tasks, func(a, b spec.Task) bool { return a.Equal(&b) })
	switch {
	case !same || c.name == spec.Next:
		return nil
	case c.settings.Unchanged == harness.Reject:
		return c.refuse(harness.EmptyPatch, c.at, "the call changes nothing")
	case c.id != "":
		c.warnings.Add(spec.WarnUnchanged, c.id)
	default:
		c.warnings.Add(spec.WarnUnchanged, c.ids...)
	}
	return nil
}
