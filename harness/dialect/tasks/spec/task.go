// Package spec has what rules, samples and checks of the dialect tasks share: the graph of
// tasks, the calls that change it, the knobs and the words of outcomes. It applies no call.
package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	todos "replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// Task is a node of the graph. Description and Parent are "" if it has none.
type Task struct {
	ID          string      `json:"id"`
	Subject     string      `json:"subject"`
	Description string      `json:"description,omitzero"`
	Status      plan.Status `json:"status"`
	BlockedBy   []string    `json:"blocked_by,omitzero"`
	Parent      string      `json:"parent,omitzero"`
}

// Open reports whether the work is still to be done.
func (t *Task) Open() bool { return t.Status == plan.Pending || t.Status == plan.InProgress }

// Done reports whether the work is finished.
func (t *Task) Done() bool { return t.Status == plan.Completed }

// Needs reports whether the task is among the blockers; new ones, at the end, are asked for most.
func (t *Task) Needs(id string) bool {
	for _, b := range slices.Backward(t.BlockedBy) {
		if b == id {
			return true
		}
	}
	return false
}

// Equal reports whether two tasks are the same; the order of blockers does not count.
func (t *Task) Equal(o *Task) bool {
	return t.ID == o.ID && t.Subject == o.Subject && t.Description == o.Description && t.Status == o.Status &&
		t.Parent == o.Parent && SameSet(t.BlockedBy, o.BlockedBy)
}

// SameSet reports whether two lists have the same items, whatever their order.
func SameSet(a, b []string) bool {
	return !slices.ContainsFunc(a, func(x string) bool { return !slices.Contains(b, x) }) &&
		!slices.ContainsFunc(b, func(x string) bool { return !slices.Contains(a, x) })
}

// Graph is a list of tasks in their order. Tasks may be appended, and deleted with [Graph.Drop].
type Graph struct {
	Tasks   []Task         `json:"tasks"`
	index   map[string]int // places by id, of the first indexed tasks; nil if there are few
	indexed int
}

// Find returns the last task of that id, or nil.
func (g *Graph) Find(id string) *Task {
	const few = 32
	if g.index == nil && len(g.Tasks) <= few {
		for i := len(g.Tasks) - 1; i >= 0; i-- { // new tasks are asked for most
			if g.Tasks[i].ID == id {
				return &g.Tasks[i]
			}
		}
		return nil
	}
	if g.index == nil {
		g.index = make(map[string]int, len(g.Tasks))
	}
	for ; g.indexed < len(g.Tasks); g.indexed++ {
		g.index[g.Tasks[g.indexed].ID] = g.indexed
	}
	if i, ok := g.index[id]; ok && i < len(g.Tasks) { // a longer graph may have more
		return &g.Tasks[i]
	}
	return nil
}

// Forget removes tasks from the index. A copy of a graph shares its index and may get more tasks at the end:
// those that no graph keeps must be forgotten.
func (g *Graph) Forget(ids []string) {
	for _, id := range ids {
		delete(g.index, id)
	}
}

// Drop deletes the tasks that gone reports true for.
func (g *Graph) Drop(gone func(*Task) bool) {
	g.Tasks = slices.DeleteFunc(g.Tasks, func(t Task) bool { return gone(&t) })
	g.index, g.indexed = nil, 0
}

// CountOpen returns the number of open tasks.
func (g *Graph) CountOpen() int { return collect.Count(g.Tasks, func(t Task) bool { return t.Open() }) }

// Clone returns a deep copy.
func (g *Graph) Clone() *Graph {
	c := &Graph{Tasks: slices.Clone(g.Tasks)}
	for i := range c.Tasks {
		c.Tasks[i].BlockedBy = slices.Clone(c.Tasks[i].BlockedBy)
	}
	return c
}

// Same reports whether two graphs have the same tasks, in whatever order.
func (g *Graph) Same(o *Graph) bool {
	return len(g.Tasks) == len(o.Tasks) && !slices.ContainsFunc(g.Tasks, func(t Task) bool {
		same := o.Find(t.ID)
		return same == nil || !t.Equal(same)
	})
}

// Blocked reports whether a blocker of the task is open, or cancelled if those block.
func (g *Graph) Blocked(t *Task, cancelledBlocks bool) bool {
	return slices.ContainsFunc(t.BlockedBy, func(id string) bool {
		b := g.Find(id)
		return b != nil && (b.Open() || cancelledBlocks && b.Status == plan.Cancelled)
	})
}

// Ready lists the ids of pending tasks that are not blocked.
func (g *Graph) Ready(cancelledBlocks bool) []string {
	list := []string{}
	for i := range g.Tasks {
		if t := &g.Tasks[i]; t.Status == plan.Pending && !g.Blocked(t, cancelledBlocks) {
			list = append(list, t.ID)
		}
	}
	return list
}

// Reaches reports whether a chain of blockers, or of parents, leads from a task to another.
func (g *Graph) Reaches(from, to string, parents bool) bool {
	seen, next := map[string]bool{}, []string{from}
	for len(next) > 0 {
		id := next[len(next)-1]
		next = next[:len(next)-1]
		if id == to {
			return true
		}
		t := g.Find(id)
		switch {
		case seen[id] || t == nil:
		case !parents:
			next = append(next, t.BlockedBy...)
		case t.Parent != "":
			next = append(next, t.Parent)
		}
		seen[id] = true
	}
	return false
}

// Connected returns the ids that a path of blockers or parents, in either direction, connects
// with one of these ids, and the ids themselves. Tasks may occur more than once.
func (g *Graph) Connected(ids ...string) map[string]bool {
	near := map[string][]string{}
	for _, t := range g.Tasks {
		for _, id := range append(slices.Clone(t.BlockedBy), t.Parent) {
			if id != "" {
				near[t.ID], near[id] = append(near[t.ID], id), append(near[id], t.ID)
			}
		}
	}
	reached := map[string]bool{}
	for len(ids) > 0 {
		id := ids[0]
		if ids = ids[1:]; !reached[id] {
			reached[id] = true
			ids = append(ids, near[id]...)
		}
	}
	return reached
}

// Plan returns the graph as outcomes have it.
func (g *Graph) Plan() *plan.Plan {
	p := &plan.Plan{Tasks: true, Steps: make([]plan.Step, len(g.Tasks))}
	for i, t := range g.Tasks {
		p.Steps[i] = plan.Step{
			ID: t.ID, Description: t.Subject, Status: t.Status, Dependencies: t.BlockedBy,
			Extra: strictjson.Texts("description", t.Description, "parent", t.Parent),
		}
	}
	return p
}

// maxDepth bounds the nesting of members of a task that plans keep.
const maxDepth = 1000

// GraphOf returns the graph of a plan, which shares its lists; nil without one. Other members are ignored.
func GraphOf(p *plan.Plan) *Graph {
	if p == nil {
		return nil
	}
	g := &Graph{Tasks: make([]Task, len(p.Steps))}
	for i := range p.Steps {
		s := &p.Steps[i]
		g.Tasks[i] = Task{ID: s.ID, Subject: s.Description, Status: s.Status, BlockedBy: slices.Clip(s.Dependencies)}
		if s.Extra != nil {
			parser := strictjson.Borrow(string(s.Extra))
			if doc, err := parser.All(maxDepth); err == nil {
				g.Tasks[i].Description, g.Tasks[i].Parent = doc.Root.Get("description").Str(), doc.Root.Get("parent").Str()
			}
			parser.Release()
		}
	}
	return g
}

// Decode reads the graph of a case. The error says why it is invalid.
func Decode(data []byte) (*Graph, error) {
	p, err := plan.DecodeTasks(data)
	if err != nil {
		return nil, err
	}
	g := GraphOf(p)
	for i := range g.Tasks {
		if err := g.check(i); err != nil {
			return nil, fmt.Errorf("/tasks/%d%w", i, err)
		}
		g.Tasks[i].Subject = strings.TrimSpace(g.Tasks[i].Subject)
	}
	return g, nil
}

func (g *Graph) check(i int) error {
	t := &g.Tasks[i]
	switch {
	case strings.TrimSpace(t.Subject) == "":
		return fmt.Errorf("/subject: the subject is blank")
	case strings.TrimSpace(t.ID) == "" || strings.TrimSpace(t.ID) != t.ID:
		return fmt.Errorf("/id: the id %q is blank or padded", t.ID)
	case plan.IsCreated(t.ID):
		return fmt.Errorf("/id: the id %q is reserved for created tasks", t.ID)
	case g.Find(t.ID) != t:
		return fmt.Errorf("/id: duplicate id %q", t.ID)
	case !todos.IsStatus(t.Status):
		return fmt.Errorf("/status: unknown status %q", t.Status)
	}
	for k, id := range t.BlockedBy {
		if g.Find(id) == nil || slices.Contains(t.BlockedBy[:k], id) || g.Reaches(id, t.ID, false) {
			return fmt.Errorf("/blocked_by/%d: %q is unknown, present twice, or on a cycle", k, id)
		}
	}
	if t.Parent != "" && (g.Find(t.Parent) == nil || g.Reaches(t.Parent, t.ID, true)) {
		return fmt.Errorf("/parent: %q is unknown or on a cycle", t.Parent)
	}
	return nil
}

// Before returns the plan of a case.
func Before(c harness.Case) (*plan.Plan, error) {
	g, err := Decode(c.Plan)
	if err != nil {
		return nil, err
	}
	return g.Plan(), nil
}

// Result is the result of one call.
type Result struct {
	OK    bool         `json:"ok"`
	ID    string       `json:"id,omitzero"`    // of create
	IDs   *[]string    `json:"ids,omitzero"`   // of replace
	Ready *[]string    `json:"ready,omitzero"` // of next
	Code  harness.Code `json:"code,omitzero"`
	At    *string      `json:"at,omitzero"`
}

// NotRun is the code of the result of a call that was not carried out because of another.
const NotRun harness.Code = "not_run"

// Results returns the results of an outcome; nil if it has none.
func Results(o *harness.Outcome) (list []Result) {
	_ = json.Unmarshal(o.Results, &list) // an outcome without valid results has none
	return list
}

// FaultDocument is the document of a case that names what happens to a store while it carries
// out the calls. Only engines with the feature store see it.
const FaultDocument = "store"

// The faults.
const (
	FaultParallel  = "parallel"  // all calls are sent at once
	FaultClients   = "clients"   // all calls are sent at once, by two processes in turn
	FaultRestart   = "restart"   // the process is stopped and started after the calls
	FaultTerminate = "terminate" // SIGTERM during the last call
	FaultKill      = "kill"      // SIGKILL during the last call
	FaultCancel    = "cancel"    // the last call is cancelled while it is carried out
	FaultTwin      = "twin"      // two calls have the same request id
	FaultTool      = "tool"      // a tool is called that does not exist
	FaultSurrogate = "surrogate" // a text contains half a surrogate pair
	FaultRawID     = "raw"       // unknown ids are sent as they are, in a form that the store does not have
	FaultReadOnly  = "readonly"  // the file of the store cannot be written
	FaultEmpty     = "empty"     // the file of the store is empty
	FaultTruncated = "truncated" // the file of the store lacks its second half
	FaultEarlier   = "earlier"   // the file of the store is one of an earlier version
)

// Fault returns the fault of a case; "" without one.
func Fault(c *harness.Case) (name string) {
	if doc := c.Document(FaultDocument); doc != nil {
		_ = json.Unmarshal(doc, &name) // another document is no fault
	}
	return name
}

// NotesMember is the member of outcomes with what a store did besides its answers.
const NotesMember = "notes"

// Note is something that a store did besides its answers. Check is the check that it breaks.
type Note struct {
	Check string `json:"check"`
	Kind  string `json:"kind"`
	Text  string `json:"text"`
}

// Notes returns the notes of an outcome.
func Notes(o *harness.Outcome) (list []Note) {
	_ = json.Unmarshal(o.More[NotesMember], &list) // an outcome without valid notes has none
	return list
}

// CreatedMember is the member of outcomes with the ids of created tasks.
const CreatedMember = "created"

// CreatedIDs returns the ids of the tasks that a case created, in their order. An engine need not list
// them: the results of its calls have them.
func CreatedIDs(o *harness.Outcome) (ids []string) {
	if listed, ok := o.More[CreatedMember]; ok {
		_ = json.Unmarshal(listed, &ids)
		return ids
	}
	for _, r := range Results(o) {
		if r.ID != "" {
			ids = append(ids, r.ID)
		}
		if r.IDs != nil {
			ids = append(ids, *r.IDs...)
		}
	}
	return ids
}
