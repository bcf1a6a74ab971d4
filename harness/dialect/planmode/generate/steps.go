package generate

import (
	"cmp"
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// did writes a call down that is made.
func (s *scripter) did(call generators.Value) { s.calls = append(s.calls, call) }

// refused writes a call down that is refused.
func (s *scripter) refused(call generators.Value, code harness.Code) {
	s.did(call)
	s.code = cmp.Or(s.code, code)
}

func nameOf(call generators.Value) string {
	if first := call.Fields[0]; first.Name == "tool" {
		return first.Str
	}
	return call.Fields[0].Name
}

// tool begins a call of a tool.
func tool(name string, args ...generators.Field) generators.Value {
	var v generators.Value
	v.Add("tool", generators.Text(name))
	if args != nil {
		v.Add("args", generators.Object(args...))
	}
	return v
}

// toPhase is a call that goes on to a phase.
func toPhase(name string) generators.Value { return generators.Object(text("phase", name)) }

func text(name, t string) generators.Field {
	return generators.Field{Name: name, Value: generators.Text(t)}
}

func raw(name, json string) generators.Field {
	return generators.Field{Name: name, Value: generators.Raw(json)}
}

func path(p string) generators.Field { return text("path", p) }

func content(c string) generators.Field { return text("content", c) }

func write(p, c string) generators.Value { return tool("write", path(p), content(c)) }

func edit(p, old, new string) generators.Value {
	return tool("edit", path(p), text("old", old), text("new", new))
}

// with returns a call with one more member.
func with(call generators.Value, m generators.Field) generators.Value {
	call.Fields = append(slices.Clone(call.Fields), m)
	return call
}

// saying returns a call with what the user says to it.
func saying(call generators.Value, approval string) generators.Value {
	return with(call, text("approval", approval))
}

// labelOf returns an answer to ExitPlanMode as the dialog labels it.
func labelOf(answer string) string {
	return map[string]string{
		"auto_accept": "Yes, auto-accept edits", "manual": "Yes, manually approve edits",
		"keep_planning": "No, keep planning",
	}[answer]
}

// asking begins a call of the base that takes no arguments.
func (s *scripter) asking(name string) generators.Value {
	call := tool(name)
	if s.args != "" {
		call.Add("args", generators.Raw(s.args))
	}
	return call
}

// phrase draws a plain text.
func (s *scripter) phrase() string {
	verb := generators.Pick(&s.Choices, []string{"read", "write", "fix", "test", "rename", "check"})
	return s.Join(verb, " the ",
		generators.Pick(&s.Choices, []string{"parser", "callers", "config loader", "flaky tests", "retry loop", "header"}))
}

func (s *scripter) planText() string { return s.Join("# ", s.phrase()) }

// enter turns plan mode on, unless the session begins in it.
func (s *scripter) enter() {
	if s.phase != "" {
		return
	}
	call := with(s.asking("EnterPlanMode"), generators.Field{Name: "approval", Value: s.entering})
	if s.feedback != "" {
		call.Add("feedback", generators.Text(s.feedback))
	}
	if s.full {
		s.refused(call, harness.SlugExhausted)
		return
	}
	s.entered(call)
}

// entered is a call that turns plan mode on.
func (s *scripter) entered(call generators.Value) {
	s.did(call)
	s.phase = "explore"
}

// toggle is the user's own key.
func (s *scripter) toggle() {
	s.did(generators.Object(raw("toggle", "true")))
	if s.phase != "" {
		s.phase = ""
	} else {
		s.phase = "explore"
	}
}

// leave asks to leave plan mode as the base does.
func (s *scripter) leave() {
	said := s.leaving
	if s.labelled {
		said = labelOf(said)
	}
	call := saying(s.asking("ExitPlanMode"), said)
	if s.leaving == "keep_planning" && s.feedback == "" {
		s.feedback = "add a test"
	}
	if s.feedback != "" {
		call.Add("feedback", generators.Text(s.feedback))
	}
	s.left(call, s.leaving)
}

// left is a call that asks to leave plan mode.
func (s *scripter) left(call generators.Value, approval string) {
	if s.plan == nil || strings.TrimSpace(*s.plan) == "" {
		s.refused(call, harness.EmptyPlanFile)
		return
	}
	s.did(call)
	if approval == "keep_planning" {
		s.phase = "review"
		return
	}
	s.phase, s.asks = "", approval == "manual"
}

// advance goes on to the next phase.
func (s *scripter) advance() {
	s.phase = sessionPhases[slices.Index(sessionPhases[:], s.phase)+1]
	s.did(toPhase(s.phase))
}

// writePlan writes the plan file.
func (s *scripter) writePlan(to, now string) {
	call := write(to, now)
	if s.blocked {
		s.refused(call, harness.ToolForbidden)
		return
	}
	s.did(call)
	s.plan = &now
}

// change is a write or an edit of another file in the mode normal.
func (s *scripter) change(call generators.Value) {
	if s.asks {
		call = saying(call, "approve")
	}
	s.did(call)
}

// writeNew writes a new file, or one anew.
func (s *scripter) writeNew() {
	name := generators.Pick(&s.Choices, []string{"new.txt", "src/new.go", s.base[0].name})
	s.change(write(name, s.phrase()))
}

// read reads a file, which may not be there.
func (s *scripter) read(name string) { s.did(tool("read", path(name))) }

// look draws a tool that only looks.
func (s *scripter) look() {
	s.did(generators.Pick(&s.Choices, []generators.Value{
		tool("ls", path("src")), tool("glob", text("pattern", "**/*.go")), tool("grep", text("pattern", "TODO"), path("src")),
		tool("fetch", text("url", "https://example.com/")), tool("AskUserQuestion", text("question", "Which parser?")),
	}))
}
