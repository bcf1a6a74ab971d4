package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan/toolmap"
)

// single plays tools that change one task a call.
type single struct {
	*Player

	names  *toolmap.Names
	there  map[string]bool // ids of tasks, as stated last
	others map[string]bool // ids of tasks that earlier plans of the session brought
	read   *reading        // of the plan; nil if it is known
	reread string          // why the plan must be read before the next turn: a kind of Carried, or started
	begun  int             // the turn after the last one with a new plan
}

// started is why the plan is read before the turn that begins a new one.
const started = "started"

// reading is the plan being read with the agent's own tools, after a turn or before one.
type reading struct {
	turn  int
	kind  string // of Carried; "" after a turn
	did   Did    // what the plan belongs to
	calls []toolmap.Call
	waits *waiting
	step  *Step
	asked int
	items []string       // ids whose details were asked for
	plan  jsontext.Value // the list, before the details
	state *profile.State
}

// Calls returns the calls in the edit of a turn, for tools that change one task a call.
func (t Turn) Calls() []toolmap.Call {
	var doc struct {
		Calls []toolmap.Call `json:"calls"`
	}
	_ = json.Unmarshal([]byte(t.Edit), &doc) // a session from a file may have anything, which is no call
	return doc.Calls
}

// begin forgets the tasks that earlier plans brought: nothing refers to them any more.
func (s *single) begin() {
	s.begun = s.turn + 1
	s.names, s.others = toolmap.NewNames(s.names.Like), s.there
	s.plan = s.profile.Nothing()
}

// edits leaves calls without a tool out.
func (s *single) edits(turn Turn, id string) (list []wire.Call) {
	for _, c := range turn.Calls() {
		if named(c) {
			delete(c, "id")
		}
		uses, _ := s.profile.Write(s.names.Call(c), nil)
		for _, u := range uses {
			list = append(list, wire.Call{Name: s.offered(u.Tool), Arguments: string(u.JSON())})
		}
	}
	for i := range list {
		if list[i].ID = id; len(list) > 1 {
			list[i].ID += fmt.Sprintf("n%d", i)
		}
	}
	if len(list) == 0 || turn.Work {
		return s.reads(toolmap.Call{"call": "list"}, id)
	}
	return list
}

// second returns the same call once more.
func (s *single) second(calls []wire.Call) string { return calls[len(calls)-1].Arguments }

// named reports whether a call creates a task and names it: the name is not for the agent.
func named(c toolmap.Call) bool { return c["call"] == "create" && c["id"] != nil }

// offered returns the name under which the agent offers a tool.
func (s *single) offered(tool string) string {
	i := slices.IndexFunc(s.log.Learned.Tools, func(t wire.Tool) bool { return toolmap.Same(tool, t.Name) })
	if i < 0 {
		return tool
	}
	return s.log.Learned.Tools[i].Name
}

func (s *single) take(w *waiting, step *Step, fresh []taken) bool {
	calls := s.script.Turns[w.turn].Calls()
	did := Did{Before: s.plan, Refused: true}
	if w.fault != nil {
		did.Spoilt = w.fault.Arrives
	}
	var made []toolmap.Call
	var results []string
	for i, t := range fresh {
		s.known[t.ID]++
		if len(calls) == 0 {
			break
		}
		made = append(made, calls[i%len(calls)]) // more calls are repeated ones
		report := toolmap.Report{Refused: true}
		if t.result != nil {
			report = s.profile.Answer(t.Name, toolmap.Answer{Text: t.result.Text, Error: t.result.Failed})
			results = append(results, t.result.Text)
		} else {
			did.Note, results = noResult, append(results, noResult)
		}
		did.Refused = did.Refused && report.Refused
		did.Answers, did.Sent = append(did.Answers, report), append(did.Sent, t.Call)
	}
	did.Result = strings.Join(results, "\n")
	read := &reading{turn: w.turn, did: did, calls: made, waits: w, step: step}
	a := s.profile.Read(profile.Call{Tool: fresh[0].Name, Said: s.said}, s.home)
	if read.plan, read.state = a.Plan, a.State; read.plan != nil {
		s.complete(read)
		return true
	}
	s.read = read
	return false
}

func (s *single) ask(r *wire.Request) (d endpoint.Delivery, ok bool) {
	s.wantPlan()
	read := s.read
	if read == nil {
		return d, false
	}
	read.asked++
	id := fmt.Sprintf("call_%d_%d_r%d", s.id, read.turn, s.log.Requests)
	a := s.answer(r, "s"+id, "")
	calls := []toolmap.Call{{"call": "list"}}
	if read.items != nil {
		calls = nil
		for _, item := range read.items {
			calls = append(calls, toolmap.Call{"call": "get", "id": item})
		}
	}
	for i, c := range calls {
		a.Calls = append(a.Calls, s.reads(c, fmt.Sprintf("%sn%d", id, i))...)
	}
	if len(a.Calls) == 0 {
		s.readDone()
		return d, false
	}
	return endpoint.Deliver(r, wire.Write(r, a)), true
}

// reads returns the call of a tool that reads; none if the agent has no such tool.
func (s *single) reads(c toolmap.Call, id string) []wire.Call {
	uses, ok := s.profile.Write(c, nil)
	if !ok {
		return nil
	}
	return []wire.Call{{ID: id, Name: s.offered(uses[0].Tool), Arguments: string(uses[0].JSON())}}
}

// wantPlan begins to read the plan before a turn that needs it.
func (s *single) wantPlan() {
	if s.read != nil || s.waiting != nil {
		return
	}
	kind := s.reread
	if s.turn < len(s.script.Turns) && s.script.Turns[s.turn].New && s.begun != s.turn+1 {
		kind = started
	}
	if s.reread = ""; kind == "" || kind != started && s.plan == nil {
		return
	}
	if kind != started {
		s.watched(kind)
	}
	s.read = &reading{turn: max(0, s.turn-1), kind: kind, did: Did{Before: s.plan}}
}

// readDone finishes what the plan was read for.
func (s *single) readDone() {
	read := s.read
	s.read = nil
	s.complete(read)
	if read.kind == "" {
		s.waiting = nil
		s.turn++
	}
}

// maxReads is how often the agent is asked for its plan after a turn.
const maxReads = 4

func (s *single) reading() bool { return s.read != nil }

// watchFor has the plan read again: a model reads single tasks with a tool.
func (s *single) watchFor(kind string, _ int, _ []string) { s.reread = kind }

// forget forgets the plan, which is read again.
func (s *single) forget(Turn) { s.plan = nil }

func (s *single) readBack(shown []*wire.Result, compacted bool) bool {
	if compacted {
		s.reread = "gone"
	}
	read := s.read
	switch {
	case read == nil:
		return false
	case len(shown) == 0 && read.asked < maxReads:
		return true
	case len(shown) == 0:
	case read.items != nil:
		read.plan = s.details(read, shown)
	default:
		uses, _ := s.profile.Write(toolmap.Call{"call": "list"}, nil)
		list := shown[0]
		a := s.profile.Read(profile.Call{Tool: uses[0].Tool, Result: list.Text, Failed: list.Failed}, s.home)
		read.plan, read.state = a.Plan, a.State
		if l := &s.log.Learned; l.Read == nil && read.kind == "" {
			l.Stated, l.Read = list.Text, a.Plan
		}
		if ids := idsOf(read.plan); read.state != nil && read.state.Get && len(ids) > 0 {
			read.items = slices.DeleteFunc(ids, func(id string) bool { return s.others[id] })
			if len(read.items) > 0 {
				return true
			}
		}
	}
	s.readDone()
	return true
}

// details returns the list with what the call get shows of the tasks.
func (s *single) details(read *reading, shown []*wire.Result) jsontext.Value {
	tree := strictjson.NewTree(string(read.plan), maxDepth)
	for _, result := range shown {
		task := strictjson.NewTree(s.profile.Item(read.state, result.Text), maxDepth)
		eachItem(tree, func(item *strictjson.Node) {
			if task != nil && item.Get("id").Text() == task.Get("id").Text() {
				item.Kids = task.Kids
			}
		})
	}
	return jsontext.Value(tree.String())
}

// maxDepth bounds the depth of what agents send.
const maxDepth = 200

// eachItem calls a function for the items of a plan.
func eachItem(plan *strictjson.Node, f func(*strictjson.Node)) {
	for i := 0; plan != nil && i < len(plan.Kids); i++ {
		for k := range plan.Kids[i].Kids {
			f(&plan.Kids[i].Kids[k])
		}
	}
}

// idsOf lists the ids of the items of a plan.
func idsOf(plan jsontext.Value) (list []string) {
	eachItem(strictjson.NewTree(string(plan), maxDepth), func(item *strictjson.Node) {
		if id := item.Get("id").Text(); id != "" {
			list = append(list, id)
		}
	})
	return list
}

// complete finishes a turn whose plan was read, or could not be.
func (s *single) complete(read *reading) {
	did := &read.did
	if read.plan != nil {
		s.identify(read)
		did.After = s.renamed(read.plan, append(idsOf(did.Before), did.Created...))
		did.OpenBlockers = read.state != nil && read.state.OpenBlockers
	}
	did.Unread = did.Refused && did.After == nil
	switch read.kind {
	case "":
	case started:
		s.begin()
		return
	default:
		s.carried(read)
		s.plan = did.After
		return
	}
	did.Edit = s.spoken(read.calls)
	s.learn(*did)
	read.step.Calls = append(read.step.Calls, *did)
	read.step.Deed = s.deed(read.waits, read.step)
	s.arrival(read.waits, read.step)
}

// identify notes the ids of the created tasks: those that the results name, or new ones in the plan in
// their order.
func (s *single) identify(read *reading) {
	var fresh []string
	now := map[string]bool{}
	for _, id := range idsOf(read.plan) {
		if now[id] = true; !s.there[id] {
			fresh = append(fresh, id)
		}
	}
	for i := range read.did.Answers {
		a := &read.did.Answers[i]
		if read.calls[i]["call"] != "create" || a.Refused {
			continue
		}
		silent := len(a.IDs) == 0
		if silent && len(fresh) > 0 {
			a.IDs = fresh[:1]
		}
		if len(a.IDs) == 0 {
			continue
		}
		id := a.IDs[len(a.IDs)-1]
		silent = silent && !strings.Contains(read.did.Result, id)
		if s.others[id] || s.names.Plain[id] != "" {
			s.breaks(IDs, "again", read.turn, fmt.Sprintf("the new task has the id %q of an earlier one", id))
		}
		fresh = slices.DeleteFunc(fresh, func(other string) bool { return other == id })
		if name, ok := read.calls[i]["id"].(string); ok && s.names.IDs[name] == "" {
			s.names.Know(name, id)
			a.IDs = []string{name}
		} else {
			a.IDs = []string{s.names.Made(id)}
		}
		read.did.Created = append(read.did.Created, a.IDs...)
		if silent {
			s.breaks(Stated, "unnamed", read.turn, "the result does not name the new task "+id+": "+brief(read.did.Result))
		}
	}
	s.there = now
}

// renamed returns the plan with the names of the case in this order, without the tasks of earlier plans. A
// task that nobody asked for has a name of its own.
func (s *single) renamed(plan jsontext.Value, order []string) jsontext.Value {
	name := func(n *strictjson.Node) {
		if n == nil || n.Kind != strictjson.String {
			return
		}
		id := s.names.Canonical(n.Text())
		if _, known := s.names.Plain[id]; !known && id != "" {
			id = "unasked-" + id
		}
		n.Raw = strictjson.Quote(s.names.Name(id))
	}
	tree := strictjson.NewTree(string(plan), maxDepth)
	if tree == nil {
		return nil
	}
	for i := range tree.Kids {
		list := &tree.Kids[i]
		list.Kids = slices.DeleteFunc(list.Kids, func(item strictjson.Node) bool {
			id := item.Get("id").Text()
			return s.others[id] && s.names.Plain[id] == ""
		})
	}
	eachItem(tree, func(item *strictjson.Node) {
		name(item.Get("id"))
		name(item.Get("parent"))
		if list := item.Get("blocked_by"); list != nil {
			for i := range list.Kids {
				name(&list.Kids[i])
			}
		}
	})
	for i := range tree.Kids {
		toolmap.Arrange(tree.Kids[i].Kids, order, func(item strictjson.Node) string { return item.Get("id").Text() })
	}
	return jsontext.Value(tree.String())
}

// spoken returns the calls as one reply of the dialect, with the names of the case.
func (s *single) spoken(calls []toolmap.Call) string {
	list := []any{}
	for _, c := range calls {
		if named(c) {
			delete(c, "id")
		}
		list = append(list, map[string]any(s.names.Resolved(c)))
	}
	return string(strictjson.Encode(map[string]any{"calls": list}))
}

// carried compares the plan after a compaction or a restart with the plan before it.
func (s *single) carried(read *reading) {
	if read.did.After == nil {
		return
	}
	now := open(read.did.After)
	lost := slices.DeleteFunc(open(read.did.Before), func(item string) bool { return slices.Contains(now, item) })
	if len(lost) > 0 {
		s.breaks(Carried, read.kind, read.turn, fmt.Sprintf("the agent lost %d open items: %q", len(lost), lost[0]))
	}
}
