package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/launch"
	"replanbench/harness/dialect/tasks/rules"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/engine"
	"replanbench/harness/plan/toolmap"
)

// Engine is a task server as an engine of the dialect tasks.
type Engine struct {
	Target  Target
	Profile *Profile
	Rules   harness.Profile // by which it is judged

	name, version string
	tools         []*tool
	slots         chan *slot
	all           []*slot
	calls         atomic.Int64
	lost          atomic.Int64 // starts that failed in a row
	given         []string     // settings that the caller chose
	open          []harness.Knob
	// Until is the time after which a fault is not tried again; zero is never.
	Until time.Time
	// Trace, if set, is called with what passed in each case.
	Trace  func([]Exchange)
	memory *memory // nil remembers nothing
}

// slot is a place for one server at a time.
type slot struct {
	engine   *Engine
	profile  *Profile
	place    *launch.Place
	process  *process       // nil if none is under way
	names    *toolmap.Names // of the last case
	defaults map[string]bool
	used     int    // cases since the place is there
	spoilt   bool   // the place must not be used again
	trace    *trace // of one case; nil keeps none
}

// window returns how many servers are under way at once, by the time that one takes to start.
// They wait more than they compute, except while they start.
func window(start time.Duration) int {
	switch {
	case start > 2*time.Second:
		return 2
	case start > 500*time.Millisecond:
		return 4
	}
	return 8
}

// maxLost is how many starts may fail in a row.
const maxLost = 10

// Open starts the server once, and recognises it or guesses its profile.
func Open(ctx context.Context, t Target, given []*Profile) (*Engine, error) {
	e := &Engine{Target: t}
	var p *Profile
	if len(given) == 1 {
		p = given[0]
	}
	first, err := e.newSlot(p)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := first.begin(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("the server did not start: %w%s", err, engine.StderrEnd(err)), first.place.Remove())
	}
	took := time.Since(began)
	e.Target.Patience = max(t.Patience, 2*took) // a slow machine is no hanging server
	e.name, e.version, e.tools = first.process.name, first.process.version, first.process.sorted()
	if p == nil {
		if p, err = choose(given, first.process); err != nil {
			return nil, errors.Join(err, first.close())
		}
	}
	if p.guess != nil {
		first.profile = p
		if p, err = p.learn(ctx, first); err != nil {
			return nil, errors.Join(err, first.close())
		}
	}
	e.Profile = p.at(&t)
	if e.Rules, err = p.rules(nil); err != nil {
		return nil, errors.Join(err, first.close())
	}
	if err := first.close(); err != nil {
		return nil, err
	}
	n := window(took)
	if t.URL != "" && !strings.Contains(t.URL, portPlace) {
		n = 1
	}
	e.slots = make(chan *slot, n)
	for range n {
		s, err := e.newSlot(e.Profile)
		if err != nil {
			return nil, errors.Join(err, e.Close())
		}
		e.all = append(e.all, s)
		e.slots <- s
	}
	return e, nil
}

// at returns the profile of a server at a target. The store of one that runs elsewhere cannot
// be emptied.
func (p *Profile) at(t *Target) *Profile {
	own := *p
	if t.URL != "" {
		own.Server.Shared = true // by several sessions
	}
	if !t.owned() {
		own.Server.Accumulate, own.Server.Memory = true, true
	}
	return &own
}

// choose returns the profile of a server that is under way.
func choose(list []*Profile, s *process) (*Profile, error) {
	for _, p := range list {
		if p.fits(s.name, s.tools) {
			return p, nil
		}
	}
	return guessProfile(s.name, s.version, s.sorted())
}

func (e *Engine) newSlot(p *Profile) (*slot, error) {
	s := &slot{engine: e, profile: p, defaults: map[string]bool{}}
	if p != nil {
		for _, t := range p.Tools {
			for name, x := range t.Members {
				for _, full := range []string{name, t.Each + "." + name} {
					if text, ok := t.Fill[full].(string); ok && x.To == "description" {
						s.defaults[text] = true
					}
				}
			}
		}
	}
	return s, s.renew()
}

// renew gives the slot an empty place.
func (s *slot) renew() (err error) {
	if s.place != nil {
		err = s.place.Remove()
	}
	place, failed := launch.NewPlace(launch.Variables{Key: fmt.Sprintf("mcp-%d-%p", os.Getpid(), s)})
	s.place = place
	return errors.Join(err, failed)
}

// begin starts the server in the slot.
func (s *slot) begin(ctx context.Context) (err error) {
	if s.used == 0 {
		if err := s.profile.prepare(ctx, &s.engine.Target, s.place); err != nil {
			return err
		}
	}
	s.process, err = s.engine.Target.start(ctx, s.place, s.profile)
	if err != nil {
		s.process = nil
		return err
	}
	s.process.trace = s.trace
	return nil
}

// end stops the server of the slot.
func (s *slot) end() {
	if s.process != nil {
		s.engine.calls.Add(int64(s.process.calls))
		s.process.stop()
		s.process = nil
	}
}

// spoil ends the server and gives up its place, which the next case must not use.
func (s *slot) spoil() {
	s.end()
	if s.engine.Target.owned() {
		s.spoilt = true
	}
}

func (s *slot) close() error {
	s.end()
	return s.place.Remove()
}

// ready has a server under way for the next case: a new one in an empty place, unless the graph
// can be set up again.
func (s *slot) ready(ctx context.Context, fresh bool) error {
	again := s.profile.Server.State.writes() || s.profile.Server.Accumulate || s.profile.wipes
	if s.process != nil && (!again || fresh) {
		s.end()
	}
	if s.profile.wipes {
		if err := s.place.Empty(); err != nil {
			return err
		}
	}
	if s.process != nil {
		return nil
	}
	if (!again || s.spoilt) && s.used > 0 {
		if err := s.renew(); err != nil {
			return err
		}
		s.used, s.spoilt = 0, false
	}
	err := s.begin(ctx)
	s.used++
	return err
}

func (s *slot) vars() map[string]string {
	vars := map[string]string{"dir": s.place.Dir()}
	maps.Copy(vars, s.profile.Server.Vars)
	return vars
}

// Close ends all servers.
func (e *Engine) Close() error {
	errs := collect.Map(e.all, func(s *slot) error { return s.close() })
	return errors.Join(errs...)
}

// Calls returns how many calls of tools the servers got that have ended.
func (e *Engine) Calls() int64 {
	n := e.calls.Load()
	for _, s := range e.all {
		if s.process != nil {
			n += int64(s.process.calls)
		}
	}
	return n
}

// Deadline is the time for one case: the engine keeps to its own patience, for each answer.
func (e *Engine) Deadline() time.Duration { return 100 * e.Target.Patience }

// Hello declares what the server can do.
func (e *Engine) Hello(context.Context) (harness.Hello, error) {
	return harness.Hello{
		Name: e.name, Version: e.version, Window: len(e.all), Remote: true, Selective: true,
		Dialects: map[string]harness.Declaration{"tasks": {
			Profile: e.Rules, Features: []string{harness.FeatureLadder, harness.FeatureStore}, Without: e.Profile.without(),
			Codes: harness.AnyCodes, Gives: []string{"results", spec.CreatedMember},
		}},
	}, nil
}

// Eval gives a case to a server.
func (e *Engine) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	job, reason := e.read(c)
	if reason != "" {
		return harness.Outcome{Verdict: harness.Unsupported, Message: reason}, nil
	}
	var s *slot
	select {
	case s = <-e.slots:
	case <-ctx.Done():
		return harness.Outcome{}, ctx.Err()
	}
	defer func() { e.slots <- s }()
	var out harness.Outcome
	var err error
	if e.Trace == nil && e.memory == nil {
		out, err = s.eval(ctx, job)
	} else {
		out, err = s.traced(ctx, job)
	}
	if u := (*unable)(nil); errors.As(err, &u) {
		return harness.Outcome{Verdict: harness.Unsupported, Message: u.reason}, nil
	}
	if err != nil {
		s.spoil() // a process that crashed may leave locks
		if e.lost.Load() >= maxLost {
			return out, fmt.Errorf("%w: it did not start %d times in a row: %w", harness.ErrStopped, maxLost, err)
		}
		if u := (*unreadable)(nil); errors.As(err, &u) {
			err = &harness.Failure{Kind: harness.ProtocolFailure, Site: "state", Detail: u.Error()}
		}
	}
	return out, err
}

// job is a case that was read.
type job struct {
	asked harness.Case
	graph *spec.Graph
	calls []toolmap.Call
	want  []spec.Result // what the reference answers
	// unchanged are the tasks that calls name which change nothing. A server may reject them.
	unchanged []string
	fault     string
}

// read reads the case, and says why the server cannot be given it.
func (e *Engine) read(c harness.Case) (*job, string) {
	g, err := spec.Decode(c.Plan)
	if err != nil {
		return nil, "the graph is invalid"
	}
	j := &job{asked: c, graph: g, fault: spec.Fault(&c)}
	for _, r := range c.Replies {
		var doc struct {
			Calls []map[string]any `json:"calls"`
		}
		if json.Unmarshal([]byte(r), &doc, json.RejectUnknownMembers(true)) != nil || len(doc.Calls) == 0 {
			return nil, "a reply is not strict JSON"
		}
		for _, call := range doc.Calls {
			if _, ok := e.Profile.Write(call, e.Profile.Server.Vars); !ok {
				data, _ := json.Marshal(call, json.Deterministic(true))
				return nil, "no tool of the server takes the call " + string(data)
			}
			j.calls = append(j.calls, call)
		}
	}
	want := rules.Eval(c, e.Rules)
	if j.want = spec.Results(&want); len(j.want) != len(j.calls) {
		return nil, "the rules do not judge every call"
	}
	for _, w := range want.Warnings {
		if w.Code == spec.WarnUnchanged {
			j.unchanged = append(j.unchanged, w.IDs...)
		}
	}
	return j, e.undecided(c, &want)
}

// undecided says on which rule the result of a case depends that nothing promises and that was
// not inferred; "" if on none.
func (e *Engine) undecided(c harness.Case, want *harness.Outcome) string {
	name := e.differing(e.open, c, func(out *harness.Outcome) bool { return !alike(want, out) })
	if name == "" {
		return ""
	}
	return "the server's value of " + name + " is not known"
}

// differing names a knob with a value under which the outcome of a case differs; "" without one.
func (e *Engine) differing(knobs []harness.Knob, c harness.Case, differs func(*harness.Outcome) bool) string {
	for setting, p := range e.Rules.Variants(knobs, spec.Knobs()...) {
		if out := rules.Eval(c, p); differs(&out) {
			name, _, _ := strings.Cut(setting, "=")
			return name
		}
	}
	return ""
}

// eval carries out a case.
func (s *slot) eval(ctx context.Context, j *job) (harness.Outcome, error) {
	if f := faults()[j.fault]; f != nil {
		return f(ctx, s, j)
	}
	scene, err := s.scene(ctx, j.graph, false)
	if err != nil {
		return harness.Outcome{}, err
	}
	scene.names.Raw = j.fault == spec.FaultRawID
	if j.fault == spec.FaultTool {
		scene.unknownTool(ctx)
	}
	results, err := scene.carryOut(ctx, j)
	if err != nil {
		return harness.Outcome{}, err
	}
	g, err := scene.read(ctx)
	if err != nil {
		return harness.Outcome{}, err
	}
	if j.fault == spec.FaultRestart {
		if err := scene.restart(ctx, g); err != nil {
			return harness.Outcome{}, err
		}
	}
	return scene.outcome(results, g), nil
}

// scene has a server ready with the graph of a case.
func (s *slot) scene(ctx context.Context, g *spec.Graph, fresh bool) (*scene, error) {
	if err := s.ready(ctx, fresh); err != nil {
		s.engine.lost.Add(1)
		return nil, err
	}
	s.engine.lost.Store(0)
	scene := newScene(s, g)
	defer s.trace.now(forSetup)()
	return scene, scene.setUp(ctx)
}

// carryOut sends the calls one after the other.
func (s *scene) carryOut(ctx context.Context, j *job) ([]spec.Result, error) {
	var results []spec.Result
	for i, c := range j.calls {
		r, err := s.one(ctx, c, j.want[i])
		if err != nil {
			return nil, err
		}
		if r.OK && j.want[i].Code == harness.DuplicateID {
			return nil, &unable{"the server takes an id that is named twice once"}
		}
		if !r.OK && j.want[i].OK {
			if id, _ := c["id"].(string); slices.Contains(j.unchanged, id) {
				r.OK, r.Code = true, ""
			} else if k := s.engine.stricter(j, i); k != "" {
				return nil, &unable{"the server rejects more than its value of " + k + " says"}
			}
		}
		results = append(results, r)
	}
	return results, nil
}

// stricter names a knob that nothing promises with a value under which a call of a case is
// rejected; "" without one. A server that is stricter in some calls only has no bug.
func (e *Engine) stricter(j *job, call int) string {
	return e.differing(e.unpromised(), j.asked, func(out *harness.Outcome) bool {
		results := spec.Results(out)
		return len(results) == len(j.want) && !results[call].OK
	})
}

// shape reports whether a code says that the call has a wrong form.
func shape(code harness.Code) bool {
	return slices.Contains([]harness.Code{
		harness.BadType, harness.MissingField, harness.ExtraField, harness.UnknownOperation, harness.EmptyID,
	}, code)
}

// one sends a call. A call that only the rules or only the tool's schema forbids is not sent,
// except for a blank text.
func (s *scene) one(ctx context.Context, c toolmap.Call, want spec.Result) (spec.Result, error) {
	uses, ok := s.profile.Write(s.translate(c), s.vars())
	if !ok {
		return spec.Result{}, &unable{"no tool of the server takes the call"}
	}
	allowed := s.process.allows(uses[0])
	forbidden := shape(want.Code)
	switch {
	case !allowed && !forbidden:
		return spec.Result{}, &unable{"the schema of " + uses[0].Tool + " forbids the arguments"}
	case allowed && forbidden && want.Code != harness.EmptyID:
		return spec.Result{}, &unable{"the schema of " + uses[0].Tool + " allows what the rules forbid"}
	}
	r := spec.Result{OK: true}
	for i, u := range uses {
		a, err := s.process.call(ctx, u.Tool, u.Arguments)
		if err != nil {
			return r, err
		}
		report := u.Result.Read(a)
		s.noteMarks(u.Tool, report, a)
		if report.Refused {
			return spec.Result{Code: harness.Refused}, nil
		}
		if i == 0 {
			s.result(&r, c, report)
		}
		s.named = append(s.named, s.unknown(c, a)...)
	}
	if !allowed {
		s.process.extra = append(s.process.extra, spec.Note{
			Check: "schema-kept", Kind: "accepted",
			Text: fmt.Sprintf("%s accepts %s", uses[0].Tool, brief(string(uses[0].JSON()))),
		})
	}
	if c["call"] == "next" {
		return r, s.next(ctx, &r)
	}
	return r, nil
}

// unknown returns the tasks that do not exist to which a call adds edges and which the answer names.
func (s *scene) unknown(c toolmap.Call, a toolmap.Answer) (list []string) {
	for _, member := range spec.EdgeMembers() {
		names, isList := c[member].([]any)
		if !isList {
			names = []any{c[member]}
		}
		for _, v := range names {
			name, _ := v.(string)
			id, _ := s.names.ID(name).(string)
			if name != "" && s.names.IDs[name] == "" && strings.Contains(a.Text+string(a.Structured), id) {
				list = append(list, name)
			}
		}
	}
	return list
}

// noteMarks notes a refusal that the protocol does not mark.
func (s *scene) noteMarks(tool string, r toolmap.Report, a toolmap.Answer) {
	if r.Unmarked {
		s.process.extra = append(s.process.extra, spec.Note{
			Check: "protocol", Kind: "unmarked", Text: tool + " reports an error without isError: " + brief(a.Text),
		})
	}
}

// result writes the ids that a call reports.
func (s *scene) result(r *spec.Result, c toolmap.Call, report toolmap.Report) {
	switch c["call"] {
	case "create":
		if len(report.IDs) > 0 {
			r.ID = s.names.Made(report.IDs[len(report.IDs)-1])
		}
	case "replace":
		ids := []string{}
		for _, id := range report.IDs {
			ids = append(ids, s.names.Made(id))
		}
		r.IDs = &ids
	case "next":
		ready := []string{}
		for _, id := range report.Ready {
			id = s.names.Canonical(id)
			if name, ok := s.names.Plain[id]; ok {
				id = name
			} else if s.profile.Server.Accumulate {
				continue
			}
			ready = append(ready, id)
		}
		r.Ready = &ready
	}
}

// next compares what next names with the graph at that time, as far as the profile knows what a
// tool names. A tool that names one task may choose.
func (s *scene) next(ctx context.Context, r *spec.Result) error {
	g, err := s.read(ctx)
	if err != nil {
		return err
	}
	n := s.profile.Server.Next
	ready := g.Ready(spec.SettingsOf(s.engine.Rules).Cancelled == spec.Blocks)
	may := func(id string) bool {
		t := g.Find(id)
		return slices.Contains(ready, id) || n.InProgress && t != nil && t.Status == "in_progress" ||
			n.Blocked && t != nil && t.Status == "pending"
	}
	named := slices.DeleteFunc(slices.Clone(*r.Ready), may)
	switch {
	case len(named) > 0 || n.One && len(*r.Ready) == 0 && len(ready) > 0:
	case n.One:
		r.Ready = &ready
	default:
		list := slices.DeleteFunc(*r.Ready, func(id string) bool { return !slices.Contains(ready, id) })
		slices.SortFunc(list, func(a, b string) int { return slices.Index(ready, a) - slices.Index(ready, b) })
		r.Ready = &list
	}
	return nil
}

// translate returns a call with ids of the server, and notes the descriptions in it.
func (s *scene) translate(c toolmap.Call) toolmap.Call {
	if text, ok := c["description"].(string); ok {
		s.wrote(text)
	}
	tasks, _ := c["tasks"].([]any)
	for _, item := range tasks {
		if object, ok := item.(map[string]any); ok {
			s.translate(object)
		}
	}
	return s.names.Call(c)
}

// outcome makes the outcome of results and of the graph after them.
func (s *scene) outcome(results []spec.Result, g *spec.Graph) harness.Outcome {
	out := harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused, Results: strictjson.Encode(results)}
	changed := !s.graph.Same(g) // the checks must see what a refused call changed
	if changed || slices.ContainsFunc(results, func(r spec.Result) bool { return r.OK }) {
		out = harness.Outcome{Verdict: harness.Applied, Plan: g.Plan(), Results: out.Results}
	}
	names := []string{}
	for _, id := range s.names.Created {
		names = append(names, s.names.Plain[id])
	}
	out.More = map[string]jsontext.Value{spec.CreatedMember: strictjson.Encode(names)}
	out.Warnings, out.Repairs = []harness.Warning{}, []harness.Repair{}
	if len(s.named) > 0 {
		out.Warnings = append(out.Warnings, harness.Warning{Code: spec.WarnDropped, IDs: s.named})
	}
	s.addNotes(&out)
	return out
}

// addNotes writes what the server did besides its answers.
func (s *scene) addNotes(out *harness.Outcome) {
	notes := s.notes
	if s.process != nil {
		notes = append(notes, s.process.notes()...)
	}
	if len(notes) > 0 {
		if out.More == nil {
			out.More = map[string]jsontext.Value{}
		}
		out.More[spec.NotesMember] = strictjson.Encode(notes)
	}
}
