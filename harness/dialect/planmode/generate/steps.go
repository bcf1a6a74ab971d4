package generate

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/planmode/words"
)

// state is the mode, or in plan mode the phase.
func (s *scripter) state() string {
	if s.phase == "" {
		return "normal"
	}
	return s.phase
}

// did writes a call down that is made; data may be none.
func (s *scripter) did(call generators.Value, data ...generators.Field) {
	s.note(call, harness.TraceItem{State: s.state(), Step: nameOf(call), Data: dataOf(data)})
}

// refused writes a call down that is refused.
func (s *scripter) refused(call generators.Value, code harness.Code) bool {
	s.note(call, harness.TraceItem{State: s.state(), Step: nameOf(call), Code: code})
	if s.code == "" {
		s.code = code
	}
	return true
}

func (s *scripter) note(call generators.Value, item harness.TraceItem) {
	s.calls = append(s.calls, call)
	s.trace = append(s.trace, item)
}

// emitted notes an event that a call leads to.
func (s *scripter) emitted(event string, data ...generators.Field) {
	data = append([]generators.Field{{Name: "session", Value: generators.Text(s.session)}, {Name: "path", Value: generators.Text(s.path)}}, data...)
	s.trace = append(s.trace, harness.TraceItem{State: s.state(), Event: event, Data: dataOf(data)})
}

func dataOf(data []generators.Field) jsontext.Value {
	if len(data) == 0 {
		return nil
	}
	return written(generators.Object(data...))
}

func nameOf(call generators.Value) string {
	if first := call.Fields[0]; first.Name == "tool" {
		return *first.Str
	}
	return "phase"
}

// tool begins a call of a tool.
func tool(name string, args ...generators.Field) generators.Value {
	v := generators.Object(generators.Field{Name: "tool", Value: generators.Text(name)})
	if args != nil {
		v.Add("args", generators.Object(args...))
	}
	return v
}

func path(p string) generators.Field {
	return generators.Field{Name: "path", Value: generators.Text(p)}
}
func content(c string) generators.Field {
	return generators.Field{Name: "content", Value: generators.Text(c)}
}

func (s *scripter) approved(call generators.Value, approval string) generators.Value {
	call.Add("approval", generators.Text(approval))
	if s.OneIn(3) {
		call.Add("feedback", generators.Text(generators.Pick(&s.Choices, generators.Phrases)))
	}
	return call
}

// asking begins a call without arguments, which may be written in three ways.
func (s *scripter) asking(name string) generators.Value {
	call := tool(name)
	switch s.Below(4) {
	case 1:
		call.Add("args", generators.Object())
	case 2:
		call.Add("args", generators.Raw("null"))
	}
	return call
}

// step draws a call that is made.
func (s *scripter) step() {
	switch r := s.Below(16); {
	case r < 4 && s.turn():
	case r < 8 && s.writePlan():
	case r < 10 && s.changeFile():
	case r < 12 && s.launch():
	case r < 14:
		s.readFile()
	default:
		s.look()
	}
}

// turn enters, leaves, or goes on to the next phase.
func (s *scripter) turn() bool {
	switch {
	case s.agent != "":
		return false
	case s.phase == "" && s.OneIn(4):
		s.denyEntry()
		return true
	case s.phase == "":
		return s.enter()
	case s.phase != "exit" && s.Below(2) == 0:
		s.advance()
		return true
	}
	return s.leave(generators.Pick(&s.Choices, []string{"auto_accept", "manual", "keep_planning"}))
}

func (s *scripter) denyEntry() {
	call := s.asking("EnterPlanMode")
	feedback := generators.Pick(&s.Choices, generators.Phrases)
	call.Add("approval", generators.Pick(&s.Choices, []generators.Value{generators.Text("deny"), generators.Raw("false")}))
	call.Add("feedback", generators.Text(feedback))
	s.did(call)
	s.emitted(words.EventPlanDenied, generators.Field{Name: "feedback", Value: generators.Text(feedback)})
}

// enter turns plan mode on.
func (s *scripter) enter() bool {
	if s.agent != "" || s.full {
		return false
	}
	call := s.asking("EnterPlanMode")
	call.Add("approval", generators.Pick(&s.Choices, []generators.Value{generators.Text("approve"), generators.Raw("true")}))
	if s.path == "" {
		s.path = s.name()
	}
	exists := generators.Raw("false")
	if s.plan != nil {
		exists = generators.Raw("true")
	}
	s.did(call, path(s.path))
	s.phase = "explore"
	s.emitted(words.EventPlanEnter, generators.Field{Name: "exists", Value: exists})
	return true
}

func (s *scripter) advance() {
	next := sessionPhases[slices.Index(sessionPhases[:], s.phase)+1]
	s.did(generators.Object(generators.Field{Name: "phase", Value: generators.Text(next)}), generators.Field{Name: "phase", Value: generators.Text(next)})
	s.phase = next
}

// leave asks to leave plan mode, with a plan to show.
func (s *scripter) leave(approval string) bool {
	if s.plan == nil || strings.TrimSpace(*s.plan) == "" {
		return s.writePlan() && s.plan != nil && strings.TrimSpace(*s.plan) != "" && s.leave(approval)
	}
	feedback := generators.Pick(&s.Choices, generators.Phrases)
	call := s.asking("ExitPlanMode")
	call.Add("approval", generators.Text(approval))
	call.Add("feedback", generators.Text(feedback))
	s.did(call)
	s.phase = "exit"
	s.emitted(words.EventPlanExit, content(*s.plan), generators.Field{Name: "is_agent", Value: generators.Raw("false")})
	if approval == "keep_planning" {
		s.phase = "review"
		s.emitted(words.EventPlanDenied, generators.Field{Name: "feedback", Value: generators.Text(feedback)})
		return true
	}
	s.phase, s.asks = "", approval == "manual"
	edits := "accepted"
	if s.asks {
		edits = "asked"
	}
	s.emitted(words.EventPlanApproved, generators.Field{Name: "edits", Value: generators.Text(edits)})
	return true
}

// toPlan leads to plan mode, toNormal out of it, where the session can go there.
func (s *scripter) toPlan() bool { return s.phase != "" || s.enter() }

func (s *scripter) toNormal() bool { return s.phase == "" || s.agent == "" && s.leave("auto_accept") }

// has reports whether the context has a tool that changes things.
func (s *scripter) has(tool string) bool {
	return s.agent == "" || s.agent != "plan" && slices.Contains(s.tools, tool)
}

func (s *scripter) planText() string { return "# " + generators.Pick(&s.Choices, generators.Phrases) }

// planPath is a path that leads to the plan file.
func (s *scripter) planPath() string {
	if !s.known || s.Below(2) == 0 {
		return generators.Pick(&s.Choices, []string{"{plan}", "./{plan}", "plans/../{plan}"})
	}
	file := strings.TrimPrefix(s.path, "plans/")
	paths := []string{s.path, "plans//" + file, "plans/./" + file, "./plans/../plans/" + file}
	for _, l := range s.links {
		if *l.Str == s.path {
			paths = append(paths, l.Name, "plans/../"+l.Name)
		}
	}
	return generators.Pick(&s.Choices, paths)
}

// writePlan writes or edits the plan file.
func (s *scripter) writePlan() bool {
	switch {
	case s.path == "" || s.blocked:
		return false
	case s.plan != nil && strings.HasPrefix(*s.plan, "# ") && s.has("edit") && s.Below(2) == 0:
		now := "## " + (*s.plan)[2:]
		if s.change(tool("edit", path(s.planPath()), generators.Field{Name: "old", Value: generators.Text("# ")}, generators.Field{Name: "new", Value: generators.Text("## ")}), s.path) {
			s.plan = &now
		}
	case s.has("write"):
		now := s.planText()
		if s.change(tool("write", path(s.planPath()), content(now)), s.path) {
			s.plan = &now
		}
	default:
		return false
	}
	return true
}

// change makes a change that is allowed, but for what the user says. It reports
// whether it is made.
func (s *scripter) change(call generators.Value, name string) bool {
	if s.asks && s.phase == "" {
		if s.OneIn(4) {
			s.did(s.approved(call, "deny"))
			return false
		}
		call = s.approved(call, "approve")
	}
	s.did(call, path(name))
	return true
}

// changeFile writes or edits another file than the plan file.
func (s *scripter) changeFile() bool {
	if s.phase != "" {
		return false
	}
	i := s.Below(len(s.files) + 1)
	if i < len(s.files) && (strings.HasPrefix(s.files[i].name, "plans/") || s.files[i].content == "") {
		return false
	}
	now := generators.Pick(&s.Choices, generators.Phrases)
	switch {
	case i < len(s.files) && s.has("edit") && s.Below(2) == 0:
		f := &s.files[i]
		if s.change(tool("edit", path(f.name), generators.Field{Name: "old", Value: generators.Text(f.content)}, generators.Field{Name: "new", Value: generators.Text(now)}), f.name) {
			f.content = now
		}
	case !s.has("write"):
		return false
	case i < len(s.files):
		if s.change(tool("write", path("./"+s.files[i].name), content(now)), s.files[i].name) {
			s.files[i].content = now
		}
	default:
		name := generators.Pick(&s.Choices, []string{"new.txt", "src/new.go", "a/b/c.txt"})
		if s.change(tool("write", path(name), content(now)), name) {
			s.put(name, now)
		}
	}
	return true
}

// put notes what a file holds.
func (s *scripter) put(name, content string) {
	for i := range s.files {
		if s.files[i].name == name {
			s.files[i].content = content
			return
		}
	}
	s.files = append(s.files, textFile{name, content})
}

// launch starts an agent or a command.
func (s *scripter) launch() bool {
	if s.phase == "" && s.has("bash") && s.Below(2) == 0 {
		s.did(tool("bash", generators.Field{Name: "command", Value: generators.Text("make test")}))
		return true
	}
	if s.agent != "" {
		return false
	}
	names := []string{"Explore", "Plan"}
	if s.phase == "" {
		names = append(names, "coder", "reviewer")
	}
	s.did(tool("Task", generators.Field{Name: "agent", Value: generators.Text(generators.Pick(&s.Choices, names))}))
	return true
}

// readFile reads a file that is there, or one that is not.
func (s *scripter) readFile() {
	n := s.Below(len(s.files) + 2)
	switch {
	case n < len(s.files):
		s.did(tool("read", path(s.files[n].name)), content(s.files[n].content))
	case n == len(s.files) && s.plan != nil && s.path != "":
		s.did(tool("read", path(s.planPath())), content(*s.plan))
	default:
		s.did(tool("read", path(generators.Pick(&s.Choices, []string{"missing.txt", "../outside.txt", "/etc/hosts", "src/"}))))
	}
}

// look draws a tool that only looks.
func (s *scripter) look() {
	switch s.Below(5) {
	case 0:
		s.did(tool("ls"))
	case 1:
		s.did(tool("glob", generators.Field{Name: "pattern", Value: generators.Text("**/*.go")}))
	case 2:
		s.did(tool("grep", generators.Field{Name: "pattern", Value: generators.Text("TODO")}, path("src")))
	case 3:
		s.did(tool("fetch", generators.Field{Name: "url", Value: generators.Text("https://example.com/")}))
	default:
		s.did(tool("AskUserQuestion", generators.Field{Name: "question", Value: generators.Text(generators.Pick(&s.Choices, generators.Phrases))}))
	}
}
