package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan/toolmap"
)

// attempts is how often a race is tried, each time in a fresh process.
const attempts = 5

type injection func(context.Context, *slot, *job) (harness.Outcome, error)

// faults are the faults after which the rules leave open what the graph is. Their outcome has
// only notes.
func faults() map[string]injection {
	return map[string]injection{
		spec.FaultParallel: atOnce, spec.FaultClients: atOnce,
		spec.FaultTerminate: killed, spec.FaultKill: killed, spec.FaultCancel: cancelled,
		spec.FaultTwin: twin, spec.FaultSurrogate: surrogate,
		spec.FaultReadOnly: damaged, spec.FaultEmpty: damaged, spec.FaultTruncated: damaged, spec.FaultEarlier: damaged,
	}
}

// noted is the outcome of a case whose graph does not count.
func (s *scene) noted() harness.Outcome {
	out := harness.Outcome{
		Verdict: harness.Rejected, Code: harness.Refused, Warnings: []harness.Warning{}, Repairs: []harness.Repair{},
	}
	s.addNotes(&out)
	return out
}

func (s *scene) note(check, kind, format string, args ...any) {
	s.notes = append(s.notes, spec.Note{Check: check, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// unknownTool calls a tool that does not exist. A failure shows in the next call.
func (s *scene) unknownTool(ctx context.Context) {
	a, err := s.process.call(ctx, "no_such_tool", map[string]any{})
	if err == nil && !s.profile.Result.Read(a).Refused {
		s.note("protocol", "unknown-tool", "a tool that does not exist answers %s", brief(a.Text))
	}
}

// prepared has a server ready with a graph, a fresh one if that is asked for, and returns how to
// send the calls of a job.
func (s *slot) prepared(ctx context.Context, g *spec.Graph, j *job, fresh bool) (*scene, []toolmap.Use, error) {
	scene, err := s.scene(ctx, g, fresh)
	if err != nil {
		return nil, nil, err
	}
	list, err := scene.uses(j)
	return scene, list, err
}

// uses returns how to send the calls of a job, which must not depend on each other.
func (s *scene) uses(j *job) (list []toolmap.Use, err error) {
	for i, c := range j.calls {
		uses, ok := s.profile.Write(s.translate(c), s.vars())
		if !ok || len(uses) > 1 || !s.process.allows(uses[0]) || j.want[i].Code != "" {
			return nil, &unable{"the calls of the case cannot be sent at once"}
		}
		list = append(list, uses[0])
	}
	return list, nil
}

// sent is the answer to a call that was sent with others.
type sent struct {
	report toolmap.Report
	err    error
}

// sendAll sends all calls at once, to the processes in turn.
func sendAll(ctx context.Context, list []toolmap.Use, to ...*process) []sent {
	answers := make([]sent, len(list))
	var all sync.WaitGroup
	for i, u := range list {
		p := *to[i%len(to)] // a copy, because calls are counted without a lock
		p.patience *= time.Duration(len(list))
		all.Go(func() {
			a, err := p.call(ctx, u.Tool, u.Arguments)
			answers[i] = sent{u.Result.Read(a), err}
		})
	}
	all.Wait()
	to[0].calls += len(list)
	return answers
}

// atOnce sends all calls at once, and looks for the work of each in the graph.
func atOnce(ctx context.Context, s *slot, j *job) (out harness.Outcome, err error) {
	for i := range attempts {
		if i > 0 && late(s.engine.Until) {
			break
		}
		scene, list, err := s.prepared(ctx, j.graph, j, true)
		if err != nil {
			return out, err
		}
		clients := []*process{s.process}
		if j.fault == spec.FaultClients {
			second, err := s.process.another(ctx, s.profile)
			if err != nil {
				return out, err
			}
			defer second.stop()
			clients = append(clients, second)
		}
		answers := sendAll(ctx, list, clients...)
		if err := scene.compareAll(ctx, j, answers); err != nil {
			return out, err
		}
		if out = scene.noted(); len(scene.notes) > 0 {
			return out, nil
		}
	}
	return out, nil
}

// compareAll notes the calls that were reported as carried out and left no trace.
func (s *scene) compareAll(ctx context.Context, j *job, answers []sent) error {
	ids := make([]string, len(answers))
	seen := map[string]bool{}
	for i, a := range answers {
		if a.err != nil {
			return a.err
		}
		if n := len(a.report.IDs); n > 0 && !a.report.Refused && j.calls[i]["call"] == "create" {
			id := a.report.IDs[n-1]
			if seen[id] {
				s.note("parallel", "twice", "two creations that were sent at once report the same id %s", id)
			}
			seen[id] = true
			ids[i] = s.names.Made(id)
		}
	}
	g, err := s.read(ctx)
	if u := (*unreadable)(nil); errors.As(err, &u) {
		s.note("parallel", "unreadable", "%s", brief(u.Error()))
		s.spoil() // its store is damaged
		return nil
	}
	if err != nil {
		return err
	}
	lost := 0
	for i, a := range answers {
		if !a.report.Refused && !s.left(g, j.calls[i], ids[i]) {
			lost++
		}
	}
	if lost > 0 {
		s.note("parallel", "lost", "%d of %d calls that were sent at once are reported as carried out and left nothing", lost, len(answers))
	}
	return nil
}

// left reports whether the graph shows what a call did.
func (s *scene) left(g *spec.Graph, c toolmap.Call, id string) bool {
	if c["call"] == "create" {
		return slices.ContainsFunc(g.Tasks, func(t spec.Task) bool { return t.Subject == c["subject"] })
	}
	if id == "" {
		id, _ = c["id"].(string)
	}
	t := g.Find(id)
	return t != nil && (c["status"] == nil || string(t.Status) == c["status"])
}

// restart stops and starts the server, and compares the graph.
func (s *scene) restart(ctx context.Context, before *spec.Graph) error {
	s.notes = append(s.notes, s.process.notes()...)
	if s.process.run != nil {
		s.process.run.Signal(true)
	}
	s.end()
	if err := s.begin(ctx); err != nil {
		s.note("survives-restart", "down", "the server does not start again: %s", brief(err.Error()))
		return nil
	}
	after, err := s.read(ctx)
	switch {
	case err != nil:
		return err
	case len(after.Tasks) < len(before.Tasks):
		s.note("survives-restart", "lost", "%d tasks before the restart, %d after it", len(before.Tasks), len(after.Tasks))
	case !before.Same(after):
		s.note("survives-restart", "changed", "the tasks differ after the restart")
	}
	return nil
}

// filling are tasks that make the store so large that writing it takes a while.
const filling, fillingText = 1500, 1000

// large returns the graph with many more tasks, if files set up the graph.
func (s *slot) large(g *spec.Graph) *spec.Graph {
	if !s.profile.Server.State.writes() || s.profile.Server.State.File == "" {
		return g
	}
	g = g.Clone()
	for i := range filling {
		g.Tasks = append(g.Tasks, spec.Task{
			ID: fmt.Sprintf("filling-%d", i), Subject: fmt.Sprintf("Filling %d", i), Status: "pending",
			Description: strings.Repeat("x", fillingText),
		})
	}
	return g
}

// killed kills the server during the last call, at delays spread over the time that the call
// takes, and looks at the store after a start.
func killed(ctx context.Context, s *slot, j *job) (harness.Outcome, error) {
	graph := s.large(j.graph)
	whole, before, took, err := s.rehearse(ctx, graph, j)
	if err != nil {
		return harness.Outcome{}, err
	}
	var scene *scene
	defer s.spoil() // a killed process may leave locks
	for i := range attempts {
		if i > 0 && late(s.engine.Until) {
			break
		}
		if scene, err = s.scene(ctx, graph, false); err != nil {
			return harness.Outcome{}, err
		}
		if s.process.run == nil {
			return harness.Outcome{}, &unable{"no command here started the server"}
		}
		list, err := scene.uses(j)
		if err != nil {
			return harness.Outcome{}, err
		}
		done := make(chan struct{})
		p := *s.process
		go func() {
			_, _ = p.call(ctx, list[0].Tool, list[0].Arguments) // the process is killed meanwhile
			close(done)
		}()
		time.Sleep(took * time.Duration(i+1) / (attempts + 1))
		s.process.run.Signal(j.fault == spec.FaultTerminate)
		s.end()
		<-done
		if err := s.begin(ctx); err != nil {
			scene.note("crash-safe", "unreadable", "the server does not start again: %s", brief(err.Error()))
			break
		}
		if scene.compareWith(ctx, "crash-safe", before, whole) {
			break
		}
	}
	return scene.noted(), nil
}

// compareWith notes a store that is neither as before a call nor as after it.
func (s *scene) compareWith(ctx context.Context, check string, before, whole string) (noted bool) {
	g, err := s.read(ctx)
	switch {
	case err != nil && check == "crash-safe":
		s.note(check, "unreadable", "%s", brief(err.Error()))
	case err != nil:
		s.note(check, "half", "%s", brief(err.Error()))
	case outline(g) != before && outline(g) != whole:
		s.note(check, "half", "the tasks are neither as before the call nor as after it")
	default:
		return false
	}
	return true
}

// rehearse carries out the calls undisturbed, and measures the last one.
func (s *slot) rehearse(ctx context.Context, g *spec.Graph, j *job) (
	whole, before string, took time.Duration, err error,
) {
	scene, list, err := s.prepared(ctx, g, j, false)
	if err != nil {
		return "", "", 0, err
	}
	first, err := scene.read(ctx)
	if err != nil {
		return "", "", 0, err
	}
	started := time.Now()
	a, err := s.process.call(ctx, list[0].Tool, list[0].Arguments)
	took = time.Since(started)
	if err != nil {
		return "", "", 0, err
	}
	if list[0].Result.Read(a).Refused {
		return "", "", 0, &unable{"the server rejects the call that is to be disturbed"}
	}
	last, err := scene.read(ctx)
	if err != nil {
		return "", "", 0, err
	}
	return outline(last), outline(first), took, nil
}

// outline describes a graph without ids.
func outline(g *spec.Graph) string {
	subjects := map[string]string{}
	for _, t := range g.Tasks {
		subjects[t.ID] = t.Subject
	}
	var lines []string
	for _, t := range g.Tasks {
		blockers := collect.Map(t.BlockedBy, func(b string) string { return subjects[b] })
		slices.Sort(blockers)
		lines = append(lines, fmt.Sprintf("%q %q %s %q", t.Subject, t.Description, t.Status, blockers))
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// cancelled cancels the last call while it is carried out.
func cancelled(ctx context.Context, s *slot, j *job) (harness.Outcome, error) {
	whole, before, took, err := s.rehearse(ctx, j.graph, j)
	if err != nil {
		return harness.Outcome{}, err
	}
	scene, list, err := s.prepared(ctx, j.graph, j, false)
	if err != nil {
		return harness.Outcome{}, err
	}
	short, cancel := context.WithTimeout(ctx, took/2)
	_, err = s.process.call(short, list[0].Tool, list[0].Arguments)
	cancel()
	if f, ok := errors.AsType[*harness.Failure](err); ok && f.Kind == harness.Crash {
		return harness.Outcome{}, f
	}
	time.Sleep(2 * took) // the server may still carry it out
	if err := s.process.ping(ctx, "a cancelled call"); err != nil {
		return harness.Outcome{}, err
	}
	scene.compareWith(ctx, "cancel-whole", before, whole)
	return scene.noted(), nil
}

// twinWait is how long a second answer is waited for.
const twinWait = 300 * time.Millisecond

// twin sends two calls under one request id.
func twin(ctx context.Context, s *slot, j *job) (harness.Outcome, error) {
	scene, list, err := s.prepared(ctx, j.graph, j, false)
	if err != nil {
		return harness.Outcome{}, err
	}
	if s.process.wire == nil || len(list) != 2 {
		return harness.Outcome{}, &unable{"request ids cannot be repeated over HTTP"}
	}
	w := s.process.wire
	params, err := json.Marshal(map[string]any{"name": list[1].Tool, "arguments": list[1].Arguments})
	if err != nil {
		return harness.Outcome{}, err
	}
	w.mu.Lock()
	w.twin = params
	w.mu.Unlock()
	if _, err := s.process.call(ctx, list[0].Tool, list[0].Arguments); err != nil {
		if f, ok := errors.AsType[*harness.Failure](err); ok && f.Kind == harness.Crash {
			return harness.Outcome{}, err
		}
	}
	timer := time.NewTimer(twinWait)
	defer timer.Stop()
	for answers := 0; answers < 2; answers++ {
		select {
		case <-w.more:
		case <-timer.C:
			answers = 2
		}
	}
	w.mu.Lock()
	var results []string
	for _, r := range w.answers {
		if r.Error == nil {
			results = append(results, string(r.Result))
		}
	}
	w.answers, w.twinID = nil, nil
	w.mu.Unlock()
	if len(results) == 2 && results[0] == results[1] {
		scene.note("protocol", "crossed", "two calls under one request id got the same result")
	}
	s.end() // the session may be confused
	return scene.noted(), nil
}

// surrogate creates a task whose subject contains half a surrogate pair, and lists the tasks.
func surrogate(ctx context.Context, s *slot, j *job) (harness.Outcome, error) {
	scene, list, err := s.prepared(ctx, j.graph, j, false)
	if err != nil {
		return harness.Outcome{}, err
	}
	subject, _ := j.calls[0]["subject"].(string)
	data := bytes.ReplaceAll(list[0].JSON(), []byte(subject), []byte(subject+`\ud83d`))
	if _, err := s.process.call(ctx, list[0].Tool, json.RawMessage(data)); err != nil {
		return harness.Outcome{}, err
	}
	if err := s.process.ping(ctx, "half a surrogate pair"); err != nil {
		return harness.Outcome{}, err
	}
	return scene.noted(), nil
}

// damaged damages the file of the store while the server is stopped, and calls a tool then.
func damaged(ctx context.Context, s *slot, j *job) (harness.Outcome, error) {
	scene, list, err := s.prepared(ctx, j.graph, j, false)
	if err != nil {
		return harness.Outcome{}, err
	}
	file, data, err := scene.storeFile()
	if err != nil {
		return harness.Outcome{}, err
	}
	healthy := scene.listed(ctx)
	scene.notes = s.process.notes()
	s.end()
	defer s.spoil() // the store is damaged
	switch j.fault {
	case spec.FaultReadOnly:
		return scene.readOnly(ctx, file, list[0])
	case spec.FaultEarlier:
		return scene.earlier(ctx, list[0], healthy)
	case spec.FaultEmpty:
		data = nil
	default:
		data = data[:len(data)/2]
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return harness.Outcome{}, err
	}
	if s.begin(ctx) != nil {
		return scene.noted(), nil // it does not start: that is honest
	}
	scene.lists(ctx, healthy)
	a, err := s.process.call(ctx, list[0].Tool, list[0].Arguments)
	now, readErr := os.ReadFile(file)
	if err == nil && readErr == nil && !list[0].Result.Read(a).Refused && !bytes.Equal(now, data) &&
		!mentionsDamage(a.Text) {
		scene.note("store-honest", "overwritten", "%s writes over a damaged store and reports success", list[0].Tool)
	}
	return scene.noted(), nil
}

// storeFile returns the file of the store, or the first one, and its content.
func (s *scene) storeFile() (file string, data []byte, err error) {
	st := &s.profile.Server.State
	files, err := filepath.Glob(filepath.Join(s.place.Dir(), cmp.Or(st.File, st.Files)))
	if err != nil || len(files) == 0 {
		return "", nil, &unable{"the server has no file yet"}
	}
	data, err = os.ReadFile(files[0])
	return files[0], data, err
}

// listing is the answer of the tool that lists tasks; ok is false without a usable one.
type listing struct {
	tool, text string
	named, ok  bool // named: the text names a task of the graph
}

// listed calls the tool that lists tasks. If each task has its own file, only the one whose file is
// damaged counts.
func (s *scene) listed(ctx context.Context) listing {
	uses, can := s.profile.Write(toolmap.Call{"call": "list"}, s.vars())
	if !can {
		return listing{}
	}
	a, err := s.process.call(ctx, uses[0].Tool, uses[0].Arguments)
	text, tasks := a.Text+string(a.Structured), s.graph.Tasks
	if s.profile.Server.State.Files != "" {
		tasks = tasks[:1]
	}
	named := slices.ContainsFunc(tasks, func(t spec.Task) bool { return strings.Contains(text, t.Subject) })
	return listing{uses[0].Tool, text, named, err == nil && !uses[0].Result.Read(a).Refused}
}

// lists notes a list that names no task any more and does not mention the damage. Some lists never
// name tasks: then they must not change.
func (s *scene) lists(ctx context.Context, healthy listing) {
	l := s.listed(ctx)
	as := l.named || !healthy.named && l.text == healthy.text
	switch {
	case !healthy.ok || !l.ok || as || mentionsDamage(l.text):
	case s.profile.Server.State.Files != "":
		s.note("store-honest", "omits", "%s leaves out the task of a damaged file: %s", l.tool, brief(l.text))
	default:
		s.note("store-honest", "empty", "%s answers as if there were no tasks: %s", l.tool, brief(l.text))
	}
}

// earlier starts the server with a file of an earlier version, in which the tasks have fewer
// members or another document is around them. After a call they must still be there, unless the
// server rejects it.
func (s *scene) earlier(ctx context.Context, u toolmap.Use, healthy listing) (harness.Outcome, error) {
	st := s.profile.Server.State
	if st.Fill == nil && st.Earlier == nil || !st.writes() {
		return harness.Outcome{}, &unable{"no earlier version of the file is known"}
	}
	if st.Earlier != nil {
		st.Around = st.Earlier
	} else {
		st.Fill = nil
	}
	if err := s.write(&st, s.graph.Tasks); err != nil {
		return harness.Outcome{}, err
	}
	if s.begin(ctx) != nil {
		return s.noted(), nil // it does not start: that is honest
	}
	s.lists(ctx, healthy)
	a, err := s.process.call(ctx, u.Tool, u.Arguments)
	if err != nil {
		return harness.Outcome{}, err
	}
	g, err := s.read(ctx)
	gone := err == nil && slices.ContainsFunc(s.graph.Tasks, func(t spec.Task) bool { return g.Find(t.ID) == nil })
	if gone && !u.Result.Read(a).Refused && !mentionsDamage(a.Text) {
		s.note("store-honest", "overwritten", "%s loses the tasks of an earlier version and reports success", u.Tool)
	}
	return s.noted(), nil
}

// mentionsDamage reports whether an answer says that the store is damaged.
func mentionsDamage(text string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc([]string{"corrupt", "damage", "invalid", "parse", "repair", "unexpected", "malformed", "backup"},
		func(word string) bool { return strings.Contains(text, word) })
}

// readOnly makes the file of the store read-only during a call.
func (s *scene) readOnly(ctx context.Context, file string, u toolmap.Use) (harness.Outcome, error) {
	if os.Geteuid() == 0 {
		return harness.Outcome{}, &unable{"root may write every file"}
	}
	dir := filepath.Dir(file)
	if err := errors.Join(os.Chmod(file, 0o400), os.Chmod(dir, 0o500)); err != nil {
		return harness.Outcome{}, err
	}
	before, err := os.ReadFile(file)
	if err != nil {
		return harness.Outcome{}, err
	}
	if s.begin(ctx) == nil {
		a, err := s.process.call(ctx, u.Tool, u.Arguments)
		now, readErr := os.ReadFile(file)
		if err == nil && readErr == nil && !u.Result.Read(a).Refused && bytes.Equal(before, now) {
			s.note("store-honest", "unsaved", "%s reports success and cannot write the store", u.Tool)
		}
	}
	return s.noted(), errors.Join(os.Chmod(dir, 0o700), os.Chmod(file, 0o600))
}
