package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

// plants are the traits whose calls depend on the session, or are several.
func plants() map[string]move {
	return map[string]move{
		"write-malformed":    malformedWrite,
		"edit-malformed":     malformedEdit,
		"phase-out-of-order": phaseOutOfOrder,
		"edit-text-not-there": func(s *scripter) {
			file := generators.Pick(&s.Choices, append([]textFile{{name: "missing.txt"}}, s.base...))
			s.refused(saying(edit(file.name, "a text that is not there", "y"), "approve"), harness.BadArguments)
		},
		"edit-text-twice": func(s *scripter) {
			s.change(write("twice.txt", "one two one"))
			s.refused(edit("twice.txt", "one", "three"), harness.BadArguments)
		},
		"phases-forward": func(s *scripter) {
			for range 1 + s.Below(len(sessionPhases)-1) {
				s.advance()
			}
		},
		"exit-without-plan": exitWithoutPlan,
		"plan-edited": func(s *scripter) {
			now := "## " + (*s.plan)[2:]
			s.did(edit("{plan}", "# ", "## "))
			s.plan = &now
		},
		"plan-with-white-space": func(s *scripter) {
			s.writePlan("{plan}", s.planText()+generators.Pick(&s.Choices, []string{"\n", "\n\n- a  b\n", " \t", "\r\n"}))
		},
		"plan-not-ascii": func(s *scripter) {
			s.writePlan("{plan}", "# "+generators.Pick(&s.Choices, []string{
				"数据库迁移", "der Zähler 🚀", `"quoted" <b>names</b> \`,
				"a\u2028b\x00c",
			}))
		},
		"write-in-plan-mode": func(s *scripter) {
			name := generators.Pick(&s.Choices, []string{"new.txt", "src/new.go"})
			s.refused(write(name, "changed in plan mode"), harness.ToolForbidden)
			s.read(name)
		},
		"edit-in-plan-mode": func(s *scripter) {
			f := generators.Pick(&s.Choices, s.base)
			s.refused(edit(f.name, f.content, "changed in plan mode"), harness.ToolForbidden)
			s.read(f.name)
		},
		"file-edited": func(s *scripter) {
			s.change(write("draft.txt", "one two"))
			s.change(edit("draft.txt", "two", "three"))
			s.read("draft.txt")
		},
		"read-of-nothing": func(s *scripter) {
			s.read(generators.Pick(&s.Choices, []string{"missing.txt", "../outside.txt", "/etc/hosts", "src/"}))
		},
		"path-looks-alike": looksAlike,
		"path-cleaned":     notCleaned,
		"path-leads-out":   func(s *scripter) { s.refused(write(outward(s), "x"), harness.ToolForbidden) },
		"path-roundabout": func(s *scripter) {
			s.writePlan(generators.Pick(&s.Choices, []string{"./{plan}", "plans/../{plan}", ".//{plan}", "plans/./../{plan}"}),
				s.planText())
		},
		"link-to-plan": func(s *scripter) { s.writePlan("todo.md", s.planText()) },
		"plan-of-other": func(s *scripter) {
			s.refused(write(otherPlan, "overwritten"), harness.ToolForbidden)
			s.read(otherPlan)
		},
		"path-impossible": func(s *scripter) {
			file := s.base[0].name
			paths := []string{"a\x00b", "new/", ".", strings.Repeat("x", 300), "none/../new.txt", file + "/x", file + "/"}
			s.refused(saying(write(generators.Pick(&s.Choices, paths), "x"), "approve"), harness.BadArguments)
		},
		"path-out-in-normal-mode": func(s *scripter) { s.did(write(strings.ReplaceAll(outward(s), "{plan}", "x.md"), "x")) },
		"toggle-enters": func(s *scripter) {
			s.toggle()
			s.read("missing.txt")
			s.toggle()
		},
		"toggle-leaves": func(s *scripter) {
			s.toggle()
			s.change(write("between.txt", "changed"))
			s.toggle()
		},
		"toggle-in-plan-mode": func(s *scripter) {
			s.toggle()
			s.refused(write("new.txt", "changed in plan mode"), harness.ToolForbidden)
			s.toggle()
		},
		"toggle-keeps-asking": keepsAsking,
		"exit-unanswered": func(s *scripter) {
			s.writePlan("{plan}", s.planText())
			s.refused(tool("ExitPlanMode"), harness.RepliesExhausted)
		},
		"edit-approved": func(s *scripter) { s.change(write("asked.txt", "approved")) },
		"edit-unanswered": func(s *scripter) {
			s.refused(write("new.txt", "not asked for"), harness.RepliesExhausted)
			s.read("new.txt")
		},
		"edit-denied": func(s *scripter) {
			s.did(saying(write("new.txt", "denied"), "deny"))
			s.read("new.txt")
		},
		"enter-denied": func(s *scripter) {
			feedback := s.phrase()
			said := generators.Pick(&s.Choices, []generators.Value{generators.Text("deny"), generators.Raw("false")})
			call := with(tool("EnterPlanMode"), generators.Field{Name: "approval", Value: said})
			s.did(with(call, text("feedback", feedback)))
		},
		"exit-denied": func(s *scripter) {
			s.writePlan("{plan}", s.planText())
			feedback := s.phrase()
			s.left(with(saying(tool("ExitPlanMode"), "keep_planning"), text("feedback", feedback)), "keep_planning")
		},
		"enters-again": func(s *scripter) {
			s.entered(saying(tool("EnterPlanMode"), "approve"))
			s.left(saying(tool("ExitPlanMode"), "auto_accept"), "auto_accept")
		},
		"agent-without-tool":       func(s *scripter) { agentWithoutTool(s, s.tools) },
		"plan-agent-with-tools":    func(s *scripter) { agentWithoutTool(s, nil) },
		"plan-agent-in-other-case": func(s *scripter) { agentWithoutTool(s, nil) },
		"agent-with-tool":          agentWithTool,
		"agent-works-in-plan-mode": func(s *scripter) {
			s.writePlan("{plan}", s.planText())
			s.refused(write("new.txt", "by an agent"), harness.ToolForbidden)
			s.refused(tool("bash", text("command", "ls")), harness.ToolForbidden)
		},
	}
}

// oneRefused adds one of the calls and expects a rejection.
func (s *scripter) oneRefused(code harness.Code, calls ...generators.Value) {
	s.refused(generators.Pick(&s.Choices, calls), code)
}

// writable names a file that may be changed, with a text in it, so that only the
// arguments of a call are wrong.
func (s *scripter) writable() textFile {
	switch {
	case s.phase != "" && s.plan != nil:
		return textFile{"{plan}", *s.plan}
	case s.phase != "":
		return textFile{"{plan}", "x"}
	}
	return generators.Pick(&s.Choices, append([]textFile{{"a", "x"}}, s.base...))
}

func malformedWrite(s *scripter) {
	p := path(s.writable().name)
	s.oneRefused(harness.BadArguments, tool("write"), tool("write", p), tool("write", content("x")), write("", "x"),
		tool("write", p, raw("content", "null")), tool("write", raw("path", "7"), content("x")),
		with(tool("write"), raw("args", `["a","x"]`)))
}

func malformedEdit(s *scripter) {
	file := s.writable()
	p, old := path(file.name), text("old", file.content)
	s.oneRefused(harness.BadArguments, tool("edit", p), tool("edit", p, old), tool("edit", p, text("new", "y")),
		edit(file.name, "", "x"), tool("edit", p, old, raw("new", "[]")), tool("edit", p, raw("old", "7"), text("new", "y")),
		tool("edit", old, text("new", "y")))
}

func phaseOutOfOrder(s *scripter) {
	now := slices.Index(sessionPhases[:], s.phase)
	next := s.Below(len(sessionPhases))
	if next == now+1 {
		next = now
	}
	s.refused(toPhase(sessionPhases[next]), harness.BadArguments)
}

// exitWithoutPlan leaves before the plan is written, or with a blank one.
func exitWithoutPlan(s *scripter) {
	if s.Below(2) == 0 {
		s.writePlan("{plan}", generators.Pick(&s.Choices, []string{"", " ", "\n\t", "\u3000\r\n", "\u00a0"}))
	}
	call := tool("ExitPlanMode")
	if s.Below(4) > 0 {
		call = saying(call, generators.Pick(&s.Choices, []string{"auto_accept", "manual", "keep_planning"}))
	}
	s.refused(call, harness.EmptyPlanFile)
}

func looksAlike(s *scripter) {
	file := strings.TrimPrefix(s.path, "plans/")
	refuseWrite(s, "PLANS/"+file, "plans/"+strings.ToUpper(file), "Plans/"+file, s.path+".", s.path+" ", s.path+"..",
		" "+s.path, "plans\\"+file, "plans/"+strings.TrimSuffix(file, ".md"), "plans/"+file+"x", file, "./"+file,
		"plans/plans/"+file, strings.ReplaceAll(s.path, "-", "\u2010"), "~/"+s.path)
}

// notCleaned writes by a path that leads to the plan file only once it is cleaned.
func notCleaned(s *scripter) {
	file := strings.TrimPrefix(s.path, "plans/")
	refuseWrite(s, s.path+"\x00", s.path+"\x00.txt", s.path+"/", s.path+"/.", s.path+"/../"+file, "none/../"+s.path,
		"plans/none/../"+file, "plans/"+strings.Repeat("x", 300)+"/../"+file, "plans", "plans/")
}

// refuseWrite adds a forbidden write or edit of one of the paths.
func refuseWrite(s *scripter, paths ...string) {
	path := generators.Pick(&s.Choices, paths)
	call := write(path, "changed")
	if s.Below(4) == 0 {
		call = edit(path, "# ", "changed")
	}
	s.refused(call, harness.ToolForbidden)
}

func outward(s *scripter) string {
	return generators.Pick(&s.Choices, []string{
		"../{plan}", "/{plan}", "../../../../etc/passwd", "/etc/passwd", "..",
		"//{plan}", "./../x", "plans/../../{plan}", "plans/../../x.md",
	})
}

// keepsAsking toggles plan mode, after which an edit still needs an approval.
func keepsAsking(s *scripter) {
	s.toggle()
	s.writePlan("{plan}", s.planText())
	s.toggle()
	if s.Below(2) == 0 {
		s.refused(write("new.txt", "not asked for"), harness.RepliesExhausted)
	} else {
		s.did(saying(write("new.txt", "denied"), "deny"))
	}
	s.read("new.txt")
}

// agentWithoutTool uses a tool that is not among these.
func agentWithoutTool(s *scripter, has []string) {
	calls := []generators.Value{
		write("by_agent.txt", "by an agent"), edit("README.md", "x", "y"),
		tool("bash", text("command", "ls")),
	}
	calls = slices.DeleteFunc(calls, func(call generators.Value) bool { return slices.Contains(has, nameOf(call)) })
	s.refused(generators.Pick(&s.Choices, calls), harness.ToolForbidden)
}

func agentWithTool(s *scripter) {
	f := generators.Pick(&s.Choices, s.base)
	switch generators.Pick(&s.Choices, s.tools) {
	case "write":
		s.change(write(f.name, "by an agent"))
	case "edit":
		s.change(edit(f.name, f.content, "by an agent"))
	default:
		s.did(tool("bash", text("command", "make test")))
	}
	s.read(f.name)
}
