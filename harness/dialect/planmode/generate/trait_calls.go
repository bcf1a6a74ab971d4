package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
)

// refusing plants one call that is refused, whatever the session's mode.
func refusing(code harness.Code, calls ...generators.Value) func(*scripter) {
	return func(s *scripter) { s.refused(generators.Pick(&s.Choices, calls), code) }
}

// approvals of ExitPlanMode.
var leavings = []string{"auto_accept", "manual", "keep_planning"} // never written

func arguments() []trait {
	row := family("arguments")
	var enter, leave []generators.Value
	for _, a := range []string{"[]", `""`, "0", "false", `{"plan":"# Plan"}`, `{"reason":"large"}`} {
		enter = append(enter, saying(with(tool("EnterPlanMode"), raw("args", a)), "approve"))
		leave = append(leave, saying(with(tool("ExitPlanMode"), raw("args", a)), "auto_accept"))
	}
	asked := func(args string) func(*scripter) { return func(s *scripter) { s.args = args } }
	const theme, missing = "arguments", "malformed arguments"
	return []trait{
		row("enter-with-arguments", theme, "EnterPlanMode", "EnterPlanMode has arguments: bad_arguments", anywhere,
			refusing(harness.BadArguments, enter...)),
		row("exit-with-arguments", theme, "ExitPlanMode", "ExitPlanMode has arguments: bad_arguments", anywhere,
			refusing(harness.BadArguments, leave...)),
		row("arguments-null", "null for no arguments", "EnterPlanMode or ExitPlanMode",
			"the arguments of EnterPlanMode or ExitPlanMode are null: bad_arguments", anywhere, refusing(harness.BadArguments,
				saying(with(tool("EnterPlanMode"), raw("args", "null")), "approve"),
				saying(with(tool("ExitPlanMode"), raw("args", "null")), "auto_accept"))),
		row("arguments-empty", "an empty object for no arguments", "EnterPlanMode or ExitPlanMode",
			"the arguments of EnterPlanMode or ExitPlanMode are {}: the same as without arguments", nowhere, nil).
			asks(asked("{}")).takes(anAnswer).with(aMode).seen(having("args")),
		row("write-malformed", missing, "a write",
			"the path or content of a write is missing or has the wrong type: bad_arguments",
			anywhere, malformedWrite),
		row("edit-malformed", missing, "an edit", "a text of an edit is missing or has the wrong type: bad_arguments",
			anywhere, malformedEdit),
		row("arguments-malformed", missing, "another call",
			"the arguments of a call are not an object, or lack a required member: bad_arguments", anywhere,
			refusing(harness.BadArguments, with(tool("ls"), raw("args", `"."`)), with(tool("bash"), raw("args", `["make"]`)),
				with(tool("grep"), raw("args", "7")), tool("read"), tool("read", path("")), tool("Task"),
				tool("Task", text("agent", " ")), tool("Task", raw("agent", "{}")), with(tool("fetch"), raw("args", "true")))),
		row("phase-unknown", "an unknown phase", "in a call", "a call sets an unknown phase: bad_arguments", anywhere,
			refusing(harness.BadArguments, toPhase("plan"), toPhase("Design"), toPhase(""), generators.Object(raw("phase", "2")),
				generators.Object(raw("phase", "null")))),
		row("phase-out-of-order", "a phase out of order", "in a call", "a call skips or repeats a phase: bad_arguments",
			early, phaseOutOfOrder).with(aPhase),
		row("edit-text-not-there", "a text that does not occur exactly once in the file", "in an edit",
			"the text to replace is not in the file: bad_arguments", before, func(s *scripter) {
				s.refused(saying(edit(generators.Pick(&s.Choices, append([]textFile{{name: "missing.txt"}}, s.base...)).name,
					"a text that is not there", "y"), "approve"), harness.BadArguments)
			}),
		row("edit-text-twice", "a text that does not occur exactly once in the file", "in an edit",
			"the text to replace occurs twice in the file: bad_arguments", before, func(s *scripter) {
				s.change(write("twice.txt", "one two one"))
				s.refused(edit("twice.txt", "one", "three"), harness.BadArguments)
			}),
	}
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
	refusing(harness.BadArguments, tool("write"), tool("write", p), tool("write", content("x")), write("", "x"),
		tool("write", p, raw("content", "null")), tool("write", raw("path", "7"), content("x")),
		with(tool("write"), raw("args", `["a","x"]`)))(s)
}

func malformedEdit(s *scripter) {
	file := s.writable()
	p, old := path(file.name), text("old", file.content)
	refusing(harness.BadArguments, tool("edit", p), tool("edit", p, old), tool("edit", p, text("new", "y")),
		edit(file.name, "", "x"), tool("edit", p, old, raw("new", "[]")), tool("edit", p, raw("old", "7"), text("new", "y")),
		tool("edit", old, text("new", "y")))(s)
}

func phaseOutOfOrder(s *scripter) {
	now := slices.Index(sessionPhases[:], s.phase)
	next := s.Below(len(sessionPhases))
	if next == now+1 {
		next = now
	}
	s.refused(toPhase(sessionPhases[next]), harness.BadArguments)
}

func modes() []trait {
	row := family("mode")
	const wrong = "plan mode at the wrong time"
	return []trait{
		row("begins-in-plan-mode", "plan mode that is on from the start", "in the context",
			"the session begins in plan mode, in any phase", nowhere, nil).
			starts(func(s *scripter) {
				s.phase = generators.Pick(&s.Choices, sessionPhases[:])
			}).loses(aEntry | aPhase).takes(aContext).with(aMode).seen(begun("phase")),
		row("enter-twice", wrong, "in EnterPlanMode", "EnterPlanMode is called in plan mode: already_in_plan_mode", early,
			func(s *scripter) {
				s.refused(saying(tool("EnterPlanMode"), generators.Pick(&s.Choices, []string{"approve", "deny"})),
					harness.AlreadyInPlanMode)
			}),
		row("exit-outside", wrong, "in ExitPlanMode", "ExitPlanMode is called in the mode normal: not_in_plan_mode", before,
			func(s *scripter) {
				s.refused(saying(tool("ExitPlanMode"), generators.Pick(&s.Choices, leavings)), harness.NotInPlanMode)
			}),
		row("phase-outside", wrong, "in a phase", "a call sets a phase in the mode normal: not_in_plan_mode", before,
			func(s *scripter) {
				s.refused(toPhase(generators.Pick(&s.Choices, sessionPhases[:])), harness.NotInPlanMode)
			}),
		row("phases-forward", "the next phase", "in plan mode", "plan mode advances to the next phases, one by one", early,
			func(s *scripter) {
				for range 1 + s.Below(len(sessionPhases)-1) {
					s.advance()
				}
			}).takes(aPhase).seen(having("phase")),
		row("exit-without-plan", "a plan file that is missing or blank", "in plan mode",
			"ExitPlanMode is called and the plan file is missing or blank: empty_plan_file", early,
			exitWithoutPlan).with(aPlan | aBlank),
		row("plan-edited", "an edit of the plan file", "in plan mode", "an edit changes the plan file", late,
			func(s *scripter) {
				now := "## " + (*s.plan)[2:]
				s.did(edit("{plan}", "# ", "## "))
				s.plan = &now
			}).seen(calling("edit", "")),
		row("plan-with-white-space", "white space at the end of the plan", "in plan mode",
			"the plan ends in white space and has blank lines: kept unchanged", late, func(s *scripter) {
				s.writePlan("{plan}", s.planText()+generators.Pick(&s.Choices, []string{"\n", "\n\n- a  b\n", " \t", "\r\n"}))
			}),
		row("plan-not-ascii", "a plan that is not ASCII", "in plan mode",
			"the plan has non-ASCII characters, quotes and tags: kept unchanged", late, func(s *scripter) {
				s.writePlan("{plan}", "# "+generators.Pick(&s.Choices, []string{
					"数据库迁移", "der Zähler 🚀", `"quoted" <b>names</b> \`,
					"a\u2028b\x00c",
				}))
			}),
	}
}

// exitWithoutPlan leaves before the plan is written, or with a blank one.
func exitWithoutPlan(s *scripter) {
	if s.Below(2) == 0 {
		s.writePlan("{plan}", generators.Pick(&s.Choices, []string{"", " ", "\n\t", "\u3000\r\n", "\u00a0"}))
	}
	call := tool("ExitPlanMode")
	if s.Below(4) > 0 {
		call = saying(call, generators.Pick(&s.Choices, leavings))
	}
	s.refused(call, harness.EmptyPlanFile)
}

func tools() []trait {
	row := family("tools")
	const forbidden = "a change to another file than the plan file"
	starting := func(names ...string) (calls []generators.Value) {
		for _, n := range names {
			calls = append(calls, tool("Task", text("agent", n)))
		}
		return calls
	}
	one := func(calls []generators.Value) func(*scripter) {
		return func(s *scripter) { s.did(generators.Pick(&s.Choices, calls)) }
	}
	command := func(c string) generators.Value { return tool("bash", text("command", c)) }
	return []trait{
		row("write-in-plan-mode", forbidden, "plan mode, by a write",
			"a write in plan mode names a file other than the plan file: tool_forbidden", early, func(s *scripter) {
				name := generators.Pick(&s.Choices, []string{"new.txt", "src/new.go"})
				s.refused(write(name, "changed in plan mode"), harness.ToolForbidden)
				s.read(name)
			}),
		row("edit-in-plan-mode", forbidden, "plan mode, by an edit",
			"an edit in plan mode names a file other than the plan file: tool_forbidden", early, func(s *scripter) {
				f := generators.Pick(&s.Choices, s.base)
				s.refused(edit(f.name, f.content, "changed in plan mode"), harness.ToolForbidden)
				s.read(f.name)
			}),
		row("bash-in-plan-mode", "a command", "in plan mode", "a command runs in plan mode: tool_forbidden", early,
			refusing(harness.ToolForbidden, command("rm -rf ."), command("ls"), tool("bash"))),
		row("bash-in-normal-mode", "a command", "in the mode normal", "a command runs in the mode normal: applied", before,
			one([]generators.Value{command("make test"), tool("bash")})).seen(calling("bash", "")),
		row("agent-in-plan-mode", "the start of an agent", "in plan mode",
			"an agent other than Explore and Plan is started in plan mode: tool_forbidden", early,
			refusing(harness.ToolForbidden, starting("coder", "explorer", "Plan ", "planner", "general-purpose")...)),
		row("agent-of-plan-mode", "the start of an agent", "in plan mode",
			"the agents Explore and Plan are started in plan mode: applied", early,
			one(starting("Explore", "Plan"))).seen(calling("Task", "")),
		row("agent-name-in-other-case", "an agent's name in another case", "in plan mode",
			"the agents Explore and Plan are started by their lower-case names: applied", early,
			one(starting("explore", "plan", "PLAN", "EXPLORE"))).seen(calling("Task", "")),
		row("agent-in-normal-mode", "the start of an agent", "in the mode normal",
			"an agent is started in the mode normal: applied", before,
			one(starting("coder", "Plan", "explore"))).seen(calling("Task", "")),
		row("tool-unknown", "an unknown tool", "in a call", "a call names an unknown tool: tool_forbidden", anywhere,
			refusing(harness.ToolForbidden, tool("rm", path("a")), tool("write_file", path("new.txt"), content("x")),
				tool("exit_plan_mode"), tool("multi_edit"), tool("toggle"))),
		row("tool-in-other-case", "a tool's name in another case", "in a call",
			"a tool name differs in case or spelling: tool_forbidden", anywhere,
			refusing(harness.ToolForbidden, tool("Write", path("new.txt"), content("x")), tool("EDIT", path("new.txt")),
				tool("enterPlanMode"), tool(" bash"), tool("Phase"))),
		row("file-edited", "an edit", "in the mode normal", "a file is written, edited and read in the mode normal: applied",
			before, func(s *scripter) {
				s.change(write("draft.txt", "one two"))
				s.change(edit("draft.txt", "two", "three"))
				s.read("draft.txt")
			}).seen(calling("edit", "")),
		row("read-of-nothing", "a missing file", "in a read",
			"a read names a missing file or a directory: applied, without content", anywhere, func(s *scripter) {
				s.read(generators.Pick(&s.Choices, []string{"missing.txt", "../outside.txt", "/etc/hosts", "src/"}))
			}).seen(calling("read", "")),
	}
}

func approvals() []trait {
	row := family("approvals")
	const unanswered, manual, denied = "a call without an approval", "a manual approval", "a denial"
	deniedLast := row("exit-denied-at-the-end", denied, "the last ExitPlanMode",
		"ExitPlanMode is denied, and the session ends in plan mode, in the phase review", late, nil)
	return []trait{
		row("enter-unanswered", unanswered, "in EnterPlanMode",
			"the script has no approval for EnterPlanMode: replies_exhausted", before,
			refusing(harness.RepliesExhausted, tool("EnterPlanMode"))),
		row("exit-unanswered", unanswered, "in ExitPlanMode",
			"the script has no approval for ExitPlanMode: replies_exhausted", late, func(s *scripter) {
				s.writePlan("{plan}", s.planText())
				s.refused(tool("ExitPlanMode"), harness.RepliesExhausted)
			}),
		row("edit-approved", manual, "a session",
			"the user approves an edit after a manual approval: applied", after, func(s *scripter) {
				s.change(write("asked.txt", "approved"))
			}).manually().seen(calling("ExitPlanMode", "manual")),
		row("edit-unanswered", unanswered, "in an edit after a manual approval",
			"the script has no approval for an edit after a manual approval: replies_exhausted", after, func(s *scripter) {
				s.refused(write("new.txt", "not asked for"), harness.RepliesExhausted)
				s.read("new.txt")
			}).manually(),
		row("edit-denied", denied, "an edit after a manual approval",
			"the user denies an edit after a manual approval: applied, and the file stays unchanged", after, func(s *scripter) {
				s.did(saying(write("new.txt", "denied"), "deny"))
				s.read("new.txt")
			}).manually().seen(calling("write", "deny")),
		row("enter-denied", denied, "EnterPlanMode",
			"EnterPlanMode is denied: the mode stays normal, and the event reports the feedback", before, func(s *scripter) {
				feedback := s.phrase()
				s.did(with(with(tool("EnterPlanMode"),
					generators.Field{Name: "approval", Value: generators.Pick(&s.Choices, []generators.Value{
						generators.Text("deny"),
						generators.Raw("false"),
					})}), text("feedback", feedback)))
			}).seen(calling("EnterPlanMode", "")),
		row("exit-denied", denied, "ExitPlanMode",
			"ExitPlanMode is denied: plan mode continues in the phase review, and the event reports the feedback", late,
			func(s *scripter) {
				s.writePlan("{plan}", s.planText())
				feedback := s.phrase()
				s.left(with(saying(tool("ExitPlanMode"), "keep_planning"), text("feedback", feedback)), "keep_planning")
			}).loses(aPhase).seen(calling("ExitPlanMode", "keep_planning")),
		deniedLast.asks(func(s *scripter) {
			s.leaving = "keep_planning"
		}).takes(anExit).loses(anEnd).seen(calling("ExitPlanMode", "keep_planning")),
		row("approval-as-boolean", "true for an approval", "EnterPlanMode",
			"EnterPlanMode is approved with true: the same as approve", nowhere, nil).
			asks(func(s *scripter) { s.entering = generators.Raw("true") }).takes(anAnswer).with(aMode).with(aEntry),
		row("approval-as-label", "a label for an approval", "ExitPlanMode",
			"ExitPlanMode is answered with a label of the dialog, such as \"Yes, auto-accept edits\": the same as the short form", nowhere, nil).
			asks(func(s *scripter) { s.labelled = true }).takes(anExit).with(aMode | aPlan | anEnd).seen(calling("ExitPlanMode",
			"Yes, auto-accept edits")),
		row("feedback-of-an-approval", "feedback", "an approval", "the user adds feedback to an approval: ignored", nowhere,
			nil).
			asks(func(s *scripter) { s.feedback = s.phrase() }).takes(anAnswer).with(aMode).seen(having("feedback")),
		// Behind the edits that are asked for: it ends the asking.
		row("enters-again", "a second plan mode", "in a session",
			"plan mode is entered again, with the existing plan file of the session", after, func(s *scripter) {
				s.entered(saying(tool("EnterPlanMode"), "approve"))
				s.left(saying(tool("ExitPlanMode"), "auto_accept"), "auto_accept")
			}).seen(counting(2, "EnterPlanMode", "")),
	}
}

func toggles() []trait {
	row := family("toggle")
	const theme = "the user's toggle"
	return []trait{
		row("toggle-enters", theme, "in the mode normal", "the user turns plan mode on, and off again: no approval needed",
			before, func(s *scripter) {
				s.toggle()
				s.read("missing.txt")
				s.toggle()
			}).needs("toggle").with(aMode).loses(aBlank).seen(having("toggle")),
		row("toggle-leaves", theme, "in plan mode",
			"the user turns plan mode off without a plan, a file changes, and the user turns it on again: phase explore", early,
			func(s *scripter) {
				s.toggle()
				s.change(write("between.txt", "changed"))
				s.toggle()
			}).needs("toggle").loses(aPhase).seen(having("toggle")),
		row("toggle-in-plan-mode", "a change to another file than the plan file", "in plan mode that the user turned on",
			"the user turns plan mode on, and a write names another file: tool_forbidden", before, func(s *scripter) {
				s.toggle()
				s.refused(write("new.txt", "changed in plan mode"), harness.ToolForbidden)
				s.toggle()
			}).needs("toggle").with(aMode),
		row("toggle-keeps-asking", theme, "after a manual approval",
			"the user turns plan mode on and off again after a manual approval: each edit still needs an approval", after,
			func(s *scripter) {
				s.toggle()
				s.writePlan("{plan}", s.planText())
				s.toggle()
				if s.Below(2) == 0 {
					s.refused(write("new.txt", "not asked for"), harness.RepliesExhausted)
				} else {
					s.did(saying(write("new.txt", "denied"), "deny"))
				}
				s.read("new.txt")
			}).needs("toggle").manually(),
	}
}
