package generate

import (
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/harness"
)

// sessionFault is a fault of the dialect planmode, or trouble that must lead to
// no fault.
type sessionFault struct {
	generators.Trait
	who    who
	claims part
	// prepare changes where the session begins; plant adds calls. They return
	// false where the session has no place for the fault.
	prepare func(s *scripter) bool
	plant   func(s *scripter) bool
}

// who is in whose context a fault can happen.
type who uint8

const (
	anyone who = iota
	users      // the main session
	agents
)

// part is what only one fault of a case can change; a set of bits.
type part uint8

const (
	aName part = 1 << iota // of the plan file, and what stands in its place
	aCase                  // a document as a whole
)

// Clashes reports whether the two cannot stand in one sample.
func (f sessionFault) Clashes(g sessionFault) bool {
	return f.who != g.who && f.who != anyone && g.who != anyone || f.claims&g.claims != 0
}

// faults are those of the dialect, made once and never written.
var faults = sync.OnceValue(func() []sessionFault {
	return slices.Concat(argumentFaults(), modeFaults(), toolFaults(), pathFaults(), approvalFaults(), agentFaults(), nameFaults(), documentFaults())
})

// calling makes a fault of calls.
func calling(family, name string, who who, text string, plant func(s *scripter) bool) sessionFault {
	return sessionFault{Trait: generators.Trait{Name: name, Family: family, Text: text}, who: who, plant: plant}
}

// refusing plants one call that is refused, whatever the session's mode.
func refusing(code harness.Code, calls ...generators.Value) func(s *scripter) bool {
	return func(s *scripter) bool { return s.refused(generators.Pick(&s.Choices, calls), code) }
}

// inMode plants in plan mode, or in the mode normal.
func inMode(plan bool, plant func(s *scripter) bool) func(s *scripter) bool {
	return func(s *scripter) bool {
		if plan && !s.toPlan() || !plan && !s.toNormal() {
			return false
		}
		return plant(s)
	}
}

// with returns a call with one more member.
func with(call generators.Value, name string, v generators.Value) generators.Value {
	call.Fields = append(slices.Clone(call.Fields), generators.Field{Name: name, Value: v})
	return call
}

func argumentFaults() []sessionFault {
	const family = "arguments"
	args := []generators.Value{generators.Raw("[]"), generators.Raw(`""`), generators.Raw("0"), generators.Raw("false"), generators.Object(generators.Field{Name: "plan", Value: generators.Text("# Plan")}), generators.Object(generators.Field{Name: "reason", Value: generators.Text("large")})}
	var enter, leave []generators.Value
	for _, a := range args {
		enter = append(enter, with(with(tool("EnterPlanMode"), "args", a), "approval", generators.Text("approve")))
		leave = append(leave, with(with(tool("ExitPlanMode"), "args", a), "approval", generators.Text("auto_accept")))
	}
	return []sessionFault{
		calling(family, "enter-with-arguments", anyone, "EnterPlanMode with arguments: bad_arguments", refusing(harness.BadArguments, enter...)),
		calling(family, "exit-with-arguments", anyone, "ExitPlanMode with arguments: bad_arguments", refusing(harness.BadArguments, leave...)),
		calling(family, "write-malformed", anyone, "a write without path or content, or with ones of another type: bad_arguments", refusing(harness.BadArguments,
			tool("write"), tool("write", path("a")), tool("write", content("x")), tool("write", path(""), content("x")),
			tool("write", path("a"), generators.Field{Name: "content", Value: generators.Raw("null")}), tool("write", generators.Field{Name: "path", Value: generators.Raw("7")}, content("x")), with(tool("write"), "args", generators.Raw(`["a","x"]`)))),
		calling(family, "edit-malformed", anyone, "an edit without the texts that it needs: bad_arguments", refusing(harness.BadArguments,
			tool("edit", path("a")), tool("edit", path("a"), generators.Field{Name: "old", Value: generators.Text("x")}), tool("edit", path("a"), generators.Field{Name: "old", Value: generators.Text("")}, generators.Field{Name: "new", Value: generators.Text("x")}),
			tool("edit", path("a"), generators.Field{Name: "old", Value: generators.Text("x")}, generators.Field{Name: "new", Value: generators.Raw("[]")}), tool("edit", generators.Field{Name: "old", Value: generators.Text("x")}, generators.Field{Name: "new", Value: generators.Text("y")}))),
		calling(family, "arguments-malformed", anyone, "arguments that are no object, or lack what the tool needs: bad_arguments", refusing(harness.BadArguments,
			with(tool("ls"), "args", generators.Raw(`"."`)), with(tool("bash"), "args", generators.Raw(`["make"]`)), with(tool("grep"), "args", generators.Raw("7")), tool("read"),
			tool("read", path("")), tool("Task"), tool("Task", generators.Field{Name: "agent", Value: generators.Text(" ")}), tool("Task", generators.Field{Name: "agent", Value: generators.Raw("{}")}), with(tool("fetch"), "args", generators.Raw("true")))),
		calling(family, "phase-unknown", anyone, "a phase that does not exist: bad_arguments", refusing(harness.BadArguments,
			generators.Object(generators.Field{Name: "phase", Value: generators.Text("plan")}), generators.Object(generators.Field{Name: "phase", Value: generators.Text("Design")}), generators.Object(generators.Field{Name: "phase", Value: generators.Text("")}), generators.Object(generators.Field{Name: "phase", Value: generators.Raw("2")}), generators.Object(generators.Field{Name: "phase", Value: generators.Raw("null")}))),
		calling(family, "phase-out-of-order", users, "a phase that is not the next one: bad_arguments", inMode(true, phaseOutOfOrder)),
		calling(family, "edit-text-not-once", users, "an edit whose text is not in the file, or twice: bad_arguments", editNotOnce),
	}
}

func phaseOutOfOrder(s *scripter) bool {
	now := slices.Index(sessionPhases[:], s.phase)
	next := s.Below(len(sessionPhases))
	if next == now+1 {
		next = now
	}
	return s.refused(generators.Object(generators.Field{Name: "phase", Value: generators.Text(sessionPhases[next])}), harness.BadArguments)
}

func editNotOnce(s *scripter) bool {
	if !s.toNormal() {
		return false
	}
	edit := tool("edit", path("missing.txt"), generators.Field{Name: "old", Value: generators.Text("x")}, generators.Field{Name: "new", Value: generators.Text("y")})
	if len(s.files) > 0 {
		edit = tool("edit", path(s.files[0].name), generators.Field{Name: "old", Value: generators.Text("a text that is not there")}, generators.Field{Name: "new", Value: generators.Text("y")})
	}
	return s.refused(s.approved(edit, "approve"), harness.BadArguments)
}

func modeFaults() []sessionFault {
	const family = "mode"
	return []sessionFault{
		calling(family, "enter-twice", users, "EnterPlanMode in plan mode: already_in_plan_mode", inMode(true, func(s *scripter) bool {
			return s.refused(s.approved(s.asking("EnterPlanMode"), generators.Pick(&s.Choices, []string{"approve", "deny"})), harness.AlreadyInPlanMode)
		})),
		calling(family, "exit-outside", users, "ExitPlanMode in the mode normal: not_in_plan_mode", inMode(false, func(s *scripter) bool {
			return s.refused(s.approved(s.asking("ExitPlanMode"), generators.Pick(&s.Choices, []string{"auto_accept", "manual", "keep_planning"})), harness.NotInPlanMode)
		})),
		calling(family, "phase-outside", users, "a phase in the mode normal: not_in_plan_mode", inMode(false, func(s *scripter) bool {
			return s.refused(generators.Object(generators.Field{Name: "phase", Value: generators.Text(generators.Pick(&s.Choices, sessionPhases[:]))}), harness.NotInPlanMode)
		})),
		calling(family, "exit-without-plan", users, "ExitPlanMode with a plan file that is missing or blank: empty_plan_file", inMode(true, exitWithoutPlan)),
	}
}

func exitWithoutPlan(s *scripter) bool {
	if !s.blocked && (s.plan != nil || s.Below(2) == 0) {
		blank := generators.Pick(&s.Choices, []string{"", " ", "\n\t", "\u3000\r\n", "\u00a0"})
		s.did(tool("write", path(s.planPath()), content(blank)), path(s.path))
		s.plan = &blank
	}
	call := s.asking("ExitPlanMode")
	if s.Below(4) > 0 {
		call = s.approved(call, generators.Pick(&s.Choices, []string{"auto_accept", "manual", "keep_planning"}))
	}
	return s.refused(call, harness.EmptyPlanFile)
}

func toolFaults() []sessionFault {
	const family = "tools"
	return []sessionFault{
		calling(family, "write-in-plan-mode", users, "a write to another file than the plan file, in plan mode: tool_forbidden", inMode(true, writeInPlan)),
		calling(family, "edit-in-plan-mode", users, "an edit of another file than the plan file, in plan mode: tool_forbidden", inMode(true, editInPlan)),
		calling(family, "bash-in-plan-mode", users, "a command in plan mode: tool_forbidden", inMode(true,
			refusing(harness.ToolForbidden, tool("bash", generators.Field{Name: "command", Value: generators.Text("rm -rf .")}), tool("bash", generators.Field{Name: "command", Value: generators.Text("ls")}), tool("bash")))),
		calling(family, "agent-in-plan-mode", users, "an agent other than Explore and Plan is started in plan mode: tool_forbidden", inMode(true,
			refusing(harness.ToolForbidden, tool("Task", generators.Field{Name: "agent", Value: generators.Text("coder")}), tool("Task", generators.Field{Name: "agent", Value: generators.Text("explore")}),
				tool("Task", generators.Field{Name: "agent", Value: generators.Text("Plan ")}), tool("Task", generators.Field{Name: "agent", Value: generators.Text("PLAN")})))),
		calling(family, "tool-unknown", anyone, "a tool that nobody knows, or one whose name is spelled otherwise: tool_forbidden",
			refusing(harness.ToolForbidden, tool("rm", path("a")), tool("Write", path("new.txt"), content("x")), tool("EDIT", path("new.txt")), tool("write_file", path("new.txt"), content("x")),
				tool("enterPlanMode"), tool("exit_plan_mode"), tool(" bash"), tool("multi_edit"))),
	}
}

// writeInPlan writes another file, and reads it afterwards.
func writeInPlan(s *scripter) bool {
	name := generators.Pick(&s.Choices, []string{"new.txt", "src/new.go"})
	read := tool("read", path(name))
	s.refused(tool("write", path(name), content("changed in plan mode")), harness.ToolForbidden)
	i := slices.IndexFunc(s.files, func(f textFile) bool { return f.name == name })
	if i >= 0 {
		s.did(read, content(s.files[i].content))
	} else {
		s.did(read)
	}
	return true
}

func editInPlan(s *scripter) bool {
	if len(s.files) == 0 {
		return s.refused(tool("edit", path("missing.txt"), generators.Field{Name: "old", Value: generators.Text("x")}, generators.Field{Name: "new", Value: generators.Text("y")}), harness.ToolForbidden)
	}
	f := generators.Pick(&s.Choices, s.files)
	s.refused(tool("edit", path(f.name), generators.Field{Name: "old", Value: generators.Text(f.content)}, generators.Field{Name: "new", Value: generators.Text("changed in plan mode")}), harness.ToolForbidden)
	s.did(tool("read", path(f.name)), content(f.content))
	return true
}

func pathFaults() []sessionFault {
	const family = "paths"
	placed := func(name, text string, prepare, plant func(s *scripter) bool) sessionFault {
		return sessionFault{Trait: generators.Trait{Name: name, Family: family, Text: text}, claims: aName, who: users, prepare: prepare, plant: plant}
	}
	return []sessionFault{
		placed("path-looks-alike", "a write in plan mode to a path that only looks like the plan file's: tool_forbidden", fixName, inMode(true, looksAlike)),
		calling(family, "path-leads-out", users, "a write in plan mode to a path that leaves the directory: tool_forbidden", inMode(true, leadsOut)),
		placed("link-to-source", "a write in plan mode to a link that leads elsewhere: tool_forbidden", linkToSource, inMode(true, throughLink)),
		placed("link-to-plan", "a write in plan mode to a link that leads to the plan file: applied", linkToPlan, inMode(true, throughPlanLink)),
		placed("plan-is-link", "a link stands in place of the plan file: tool_forbidden, empty_plan_file", planIsLink, inMode(true, writeBlocked)),
		placed("plans-is-other", "a link or a file stands in place of the directory: tool_forbidden, empty_plan_file", plansIsOther, inMode(true, writeBlocked)),
		placed("plan-of-other", "a write in plan mode to another session's plan file: tool_forbidden", planOfOther, inMode(true, writeOther)),
		calling(family, "path-impossible", users, "a write in the mode normal to a path that names no file: bad_arguments", inMode(false, impossible)),
		calling(family, "path-out-in-normal-mode", users, "a write in the mode normal to a path that leaves the directory: applied, and nothing here changes", inMode(false, outInNormal)),
	}
}

// fixName makes the case give the session's name.
func fixName(s *scripter) bool {
	s.slug, s.slugs, s.known = generators.Pick(&s.Choices, slugPool[:]), nil, true
	s.path = s.name()
	return true
}

func looksAlike(s *scripter) bool {
	file := strings.TrimPrefix(s.path, "plans/")
	alike := generators.Pick(&s.Choices, []string{
		"PLANS/" + file, "plans/" + strings.ToUpper(file), "Plans/" + file, s.path + ".", s.path + " ", s.path + "..", " " + s.path, s.path + "\x00", s.path + "\x00.txt", s.path + "/", s.path + "/.",
		"plans\\" + file, "plans/" + strings.TrimSuffix(file, ".md"), "plans/" + file + "x", file, "./" + file, "plans/plans/" + file, s.path + "/../" + file,
		"none/../" + s.path, "plans/none/../" + file, "plans/" + strings.Repeat("x", 300) + "/../" + file, strings.ReplaceAll(s.path, "-", "\u2010"), "plans", "plans/", "~/" + s.path,
	})
	verb := tool("write", path(alike), content("changed"))
	if s.Below(4) == 0 {
		verb = tool("edit", path(alike), generators.Field{Name: "old", Value: generators.Text("# ")}, generators.Field{Name: "new", Value: generators.Text("changed")})
	}
	s.refused(verb, harness.ToolForbidden)
	if s.plan != nil && s.Below(2) == 0 {
		s.did(tool("read", path("{plan}")), content(*s.plan))
	}
	return true
}

func outward(s *scripter) string {
	paths := []string{"../{plan}", "/{plan}", "../../../../etc/passwd", "/etc/passwd", "..", "//{plan}", "./../x"}
	if !s.blocked { // else there is no such directory
		paths = append(paths, "plans/../../{plan}", "plans/../../x.md")
	}
	return generators.Pick(&s.Choices, paths)
}

func leadsOut(s *scripter) bool {
	return s.refused(tool("write", path(outward(s)), content("x")), harness.ToolForbidden)
}

func outInNormal(s *scripter) bool {
	call := tool("write", path(strings.ReplaceAll(outward(s), "{plan}", "x.md")), content("x"))
	if s.asks {
		call = s.approved(call, "approve")
	}
	s.did(call)
	return true
}

func linkToSource(s *scripter) bool {
	s.links = append(s.links, generators.Field{Name: "todo.md", Value: generators.Text(generators.Pick(&s.Choices, []string{"src/main.go", "new.txt", "../out.md", "todo.md", "/etc/passwd", "plans/another-plan.md"}))})
	return true
}

func throughLink(s *scripter) bool {
	return s.refused(tool("write", path("todo.md"), content("changed through a link")), harness.ToolForbidden)
}

func linkToPlan(s *scripter) bool {
	fixName(s)
	s.links = append(s.links, generators.Field{Name: "todo.md", Value: generators.Text(s.path)})
	return true
}

func throughPlanLink(s *scripter) bool {
	now := s.planText()
	s.did(tool("write", path("todo.md"), content(now)), path(s.path))
	s.plan = &now
	return true
}

func planIsLink(s *scripter) bool {
	fixName(s)
	s.blocked, s.plan = true, nil
	s.links = append(s.links, generators.Field{Name: s.path, Value: generators.Text(generators.Pick(&s.Choices, []string{"../src/main.go", "other.md", "../../out.md", "/etc/passwd"}))})
	return true
}

func plansIsOther(s *scripter) bool {
	fixName(s)
	s.blocked, s.plan = true, nil
	if s.Below(2) == 0 {
		s.files = append(s.files, textFile{"plans", "no directory"})
	} else {
		s.links = append(s.links, generators.Field{Name: "plans", Value: generators.Text(generators.Pick(&s.Choices, []string{"src", "../plans", "missing"}))})
	}
	return true
}

func writeBlocked(s *scripter) bool {
	s.refused(tool("write", path(generators.Pick(&s.Choices, []string{"{plan}", s.path})), content("changed")), harness.ToolForbidden)
	if s.Below(2) == 0 {
		exitWithoutPlan(s)
	}
	return true
}

func planOfOther(s *scripter) bool {
	fixName(s)
	i := s.Below(len(slugPool))
	if slugPool[i] == s.slug {
		i = (i + 1) % len(slugPool)
	}
	s.files = append(s.files, textFile{"plans/" + slugPool[i] + ".md", "# The plan of another session"})
	return true
}

func writeOther(s *scripter) bool {
	f := s.files[len(s.files)-1]
	i := slices.IndexFunc(s.files, func(f textFile) bool { return strings.HasPrefix(f.name, "plans/") })
	if i >= 0 {
		f = s.files[i]
	}
	s.refused(tool("write", path(f.name), content("overwritten")), harness.ToolForbidden)
	s.did(tool("read", path(f.name)), content(f.content))
	return true
}

func impossible(s *scripter) bool {
	paths := []string{"a\x00b", "new/", ".", strings.Repeat("x", 300), "none/../new.txt"}
	for _, f := range s.files {
		paths = append(paths, f.name+"/x", f.name+"/")
	}
	return s.refused(s.approved(tool("write", path(generators.Pick(&s.Choices, paths)), content("x")), "approve"), harness.BadArguments)
}

func approvalFaults() []sessionFault {
	const family = "approvals"
	return []sessionFault{
		calling(family, "enter-unanswered", users, "EnterPlanMode, and the script has no answer: replies_exhausted", inMode(false, func(s *scripter) bool {
			return s.refused(s.asking("EnterPlanMode"), harness.RepliesExhausted)
		})),
		calling(family, "exit-unanswered", users, "ExitPlanMode, and the script has no answer: replies_exhausted", inMode(true, func(s *scripter) bool {
			if s.plan == nil || strings.TrimSpace(*s.plan) == "" {
				if s.blocked || !s.writePlan() {
					return false
				}
			}
			return s.refused(s.asking("ExitPlanMode"), harness.RepliesExhausted)
		})),
		calling(family, "edit-unanswered", users, "an edit after a manual approval, and the script has no answer: replies_exhausted", editUnanswered),
		calling(family, "edit-denied", users, "an edit after a manual approval that the user denies: applied, and not made", editDenied),
		calling(family, "exit-denied", users, "ExitPlanMode is denied: plan mode goes on in the phase review, with the feedback", inMode(true, func(s *scripter) bool {
			return s.leave("keep_planning")
		})),
	}
}

// toManual leads to the mode normal with each edit asked for.
func (s *scripter) toManual() bool {
	return s.phase == "" && s.asks || s.toPlan() && s.leave("manual")
}

func editUnanswered(s *scripter) bool {
	if !s.toManual() {
		return false
	}
	s.refused(tool("write", path("new.txt"), content("not asked for")), harness.RepliesExhausted)
	s.readNew()
	return true
}

func editDenied(s *scripter) bool {
	if !s.toManual() {
		return false
	}
	s.did(s.approved(tool("write", path("new.txt"), content("denied")), "deny"))
	s.readNew()
	return true
}

// readNew reads the file new.txt, which may be there.
func (s *scripter) readNew() {
	i := slices.IndexFunc(s.files, func(f textFile) bool { return f.name == "new.txt" })
	if i < 0 {
		s.did(tool("read", path("new.txt")))
	} else {
		s.did(tool("read", path("new.txt")), content(s.files[i].content))
	}
}

func agentFaults() []sessionFault {
	const family = "agents"
	return []sessionFault{
		calling(family, "agent-enters", agents, "EnterPlanMode by an agent: agent_context", func(s *scripter) bool {
			return s.refused(s.approved(s.asking("EnterPlanMode"), "approve"), harness.AgentContext)
		}),
		calling(family, "agent-leaves", agents, "ExitPlanMode by an agent: agent_context", func(s *scripter) bool {
			return s.refused(s.approved(s.asking("ExitPlanMode"), generators.Pick(&s.Choices, []string{"auto_accept", "manual", "keep_planning"})), harness.AgentContext)
		}),
		calling(family, "agent-changes-phase", agents, "a phase by an agent: agent_context", func(s *scripter) bool {
			return s.refused(generators.Object(generators.Field{Name: "phase", Value: generators.Text(generators.Pick(&s.Choices, sessionPhases[:]))}), harness.AgentContext)
		}),
		calling(family, "agent-starts-agent", agents, "an agent starts an agent: tool_forbidden", refusing(harness.ToolForbidden,
			tool("Task", generators.Field{Name: "agent", Value: generators.Text("Explore")}), tool("Task", generators.Field{Name: "agent", Value: generators.Text("Plan")}), tool("Task", generators.Field{Name: "agent", Value: generators.Text("coder")}))),
		calling(family, "agent-without-tool", agents, "an agent uses a tool that it was not given: tool_forbidden", agentWithoutTool),
		{
			Trait: generators.Trait{Name: "plan-agent-with-tools", Family: family, Text: "the plan agent uses tools that it is said to have: tool_forbidden"}, who: agents,
			prepare: func(s *scripter) bool {
				s.agent, s.tools = "plan", []string{"write", "edit", "bash"}
				return true
			}, plant: agentWithoutTool,
		},
	}
}

func agentWithoutTool(s *scripter) bool {
	calls := []generators.Value{tool("write", path("{plan}"), content("by an agent")), tool("edit", path("README.md"), generators.Field{Name: "old", Value: generators.Text("x")}, generators.Field{Name: "new", Value: generators.Text("y")}), tool("bash", generators.Field{Name: "command", Value: generators.Text("ls")})}
	from := s.Below(len(calls))
	for i := range calls {
		if call := calls[(from+i)%len(calls)]; !s.has(nameOf(call)) {
			return s.refused(call, harness.ToolForbidden)
		}
	}
	return false
}

func nameFaults() []sessionFault {
	const family = "names"
	named := func(name, text string, prepare, plant func(s *scripter) bool) sessionFault {
		return sessionFault{Trait: generators.Trait{Name: name, Family: family, Text: text}, who: users, claims: aName, prepare: prepare, plant: plant}
	}
	return []sessionFault{
		named("name-of-other-session", "the first names drawn are other sessions': another is drawn", func(s *scripter) bool {
			s.taken = s.collide(1 + s.Below(10))
			return true
		}, (*scripter).toPlan),
		named("name-of-other-file", "the first names drawn have a file: another is drawn", func(s *scripter) bool {
			s.occupy(s.collide(1 + s.Below(10)))
			return true
		}, (*scripter).toPlan),
		named("names-exhausted", "eleven names drawn are taken: slug_exhausted", func(s *scripter) bool {
			s.exhaust()
			s.phase = ""
			return true
		}, func(s *scripter) bool {
			return s.refused(s.approved(s.asking("EnterPlanMode"), "approve"), harness.SlugExhausted)
		}),
		{
			Trait: generators.Trait{Name: "names-exhausted-at-start", Family: family, Text: "a session that begins in plan mode finds no name: slug_exhausted"}, who: users, claims: aName | aCase,
			prepare: func(s *scripter) bool {
				s.exhaust()
				s.phase = "explore"
				s.broken = malformed{code: harness.SlugExhausted}
				return true
			},
		},
	}
}

// collide makes the case give the draws, of which the first n are to be taken.
func (s *scripter) collide(n int) []string {
	from := s.Below(len(slugPool))
	s.slug, s.path, s.known, s.plan = "", "", true, nil
	s.slugs = slices.Concat(slugPool[from:], slugPool[:from])[:min(n+1, len(slugPool))]
	return s.slugs[:n]
}

// occupy gives the names files, some in another case.
func (s *scripter) occupy(slugs []string) {
	for _, slug := range slugs {
		if s.OneIn(4) {
			slug = strings.ToUpper(slug)
		}
		s.files = append(s.files, textFile{"plans/" + slug + ".md", "# The plan of another session"})
	}
}

// exhaust takes all names that are drawn.
func (s *scripter) exhaust() {
	slugs := s.collide(11)
	s.full = true
	if s.Below(2) == 0 {
		s.taken = slugs
	} else {
		s.occupy(slugs)
	}
}

// malformations are documents that are none, with the code that each leads to.
var malformations = []malformed{
	{"context", "[]", harness.BadType},
	{"context", `{"agent":7}`, harness.BadType},
	{"context", `{"phase":"planning"}`, harness.BadType},
	{"context", `{"seed":-1}`, harness.BadType},
	{"context", `{"seed":"7"}`, harness.BadType},
	{"context", `{"slug":"../x"}`, harness.BadType},
	{"context", `{"mode":"plan"}`, harness.ExtraField},
	{"context", `{"agent":true,"agent":false}`, harness.DuplicateKey},
	{"context", `{"session":"\ud800"}`, harness.InvalidUTF8},
	{"context", `{"agent_tools":["write",1]}`, harness.BadType},
	{"files", "[]", harness.BadType},
	{"files", `{"../a":""}`, harness.BadType},
	{"files", `{"/a":""}`, harness.BadType},
	{"files", `{"a":7}`, harness.BadType},
	{"files", `{"a":"","a/b":""}`, harness.BadType},
	{"files", `{"a":{"link":"b","mode":1}}`, harness.ExtraField},
	{"files", `{"a":"","a":""}`, harness.DuplicateKey},
	{"calls", "", harness.MissingField},
	{"calls", "{}", harness.BadType},
	{"calls", "[{}]", harness.MissingField},
	{"calls", `[{"tool":7}]`, harness.BadType},
	{"calls", `[{"tool":"ls","arguments":{}}]`, harness.ExtraField},
	{"calls", `[{"tool":"ls","phase":"design"}]`, harness.ExtraField},
	{"calls", `[{"tool":"EnterPlanMode","approval":"manual"}]`, harness.BadType},
	{"calls", `[{"tool":"ExitPlanMode","approval":true}]`, harness.BadType},
	{"calls", `[{"tool":"ls","args":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}]`, harness.TooDeep},
}

func documentFaults() []sessionFault {
	var list []sessionFault
	for _, document := range []string{"context", "files", "calls"} {
		list = append(list, sessionFault{
			Trait: generators.Trait{Name: document + "-malformed", Family: "script", Text: "the case's " + document + " breaks the rules for it: refused as a whole"}, claims: aCase,
			prepare: func(s *scripter) bool {
				choices := slices.DeleteFunc(slices.Clone(malformations), func(m malformed) bool { return m.document != document })
				s.broken = generators.Pick(&s.Choices, choices)
				return true
			},
		})
	}
	return list
}
