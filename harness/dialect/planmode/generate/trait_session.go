package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
)

func agentTraits() []trait {
	row := family("agents")
	const inside = "control of plan mode by an agent"
	outside := func(name, theme, where, text string, plant func(*scripter)) trait {
		t := row(name, theme, where, text, before, plant).of(agents)
		t.uses = aScript
		return t
	}
	planAgent := func(name, text string, names ...string) trait {
		return outside(name, "a change by the plan agent", "in a call", text,
			func(s *scripter) { agentWithoutTool(s, nil) }).starts(func(s *scripter) {
			s.agentName, s.tools = generators.Pick(&s.Choices, names), []string{"write", "edit", "bash"}
			s.agent = generators.Text(s.agentName)
		}).takes(anAgent)
	}
	main := func(name, where, text, value string) trait {
		return row(name, where+" for an agent", "the context", text, nowhere,
			nil).starts(func(s *scripter) { s.agent = generators.Raw(value) }).takes(aContext)
	}
	return []trait{
		outside("agent-enters", inside, "EnterPlanMode", "an agent calls EnterPlanMode: agent_context",
			refusing(harness.AgentContext, saying(tool("EnterPlanMode"), "approve"))),
		outside("agent-leaves", inside, "ExitPlanMode", "an agent calls ExitPlanMode: agent_context", func(s *scripter) {
			s.refused(saying(tool("ExitPlanMode"), generators.Pick(&s.Choices, leavings)), harness.AgentContext)
		}),
		outside("agent-changes-phase", inside, "a phase", "an agent sets a phase: agent_context", func(s *scripter) {
			s.refused(toPhase(generators.Pick(&s.Choices, sessionPhases[:])), harness.AgentContext)
		}),
		outside("agent-toggles", inside, "the user's toggle",
			"an agent's context has a toggle: agent_context, because an agent has no user",
			refusing(harness.AgentContext, generators.Object(raw("toggle", "true")))).needs("toggle"),
		outside("agent-starts-agent", "the start of an agent", "an agent's context",
			"an agent starts an agent: tool_forbidden", refusing(harness.ToolForbidden,
				tool("Task", text("agent", "Explore")), tool("Task", text("agent", "Plan")), tool("Task", text("agent", "coder")))),
		outside("agent-without-tool", "a tool that an agent does not have", "in a call",
			"an agent uses a tool that is not in agent_tools: tool_forbidden",
			func(s *scripter) { agentWithoutTool(s, s.tools) }).with(anAgent),
		outside("agent-with-tool", "a tool that an agent has", "in a call", "an agent uses a tool in agent_tools: applied",
			agentWithTool).with(anAgent),
		outside("agent-without-name", "true for an agent", "in the context",
			"the member agent of the context is true instead of a name", nil).starts(func(s *scripter) {
			s.agentName, s.agent = "true", generators.Raw("true")
		}).with(anAgent).takes(aContext),
		outside("agent-works-in-plan-mode", "plan mode that is on from the start", "in an agent's context",
			"an agent may write and works in plan mode: it can write only the plan file", func(s *scripter) {
				s.writePlan("{plan}", s.planText())
				s.refused(write("new.txt", "by an agent"), harness.ToolForbidden)
				s.refused(tool("bash", text("command", "ls")), harness.ToolForbidden)
			}).starts(func(s *scripter) {
			s.phase, s.tools = generators.Pick(&s.Choices, sessionPhases[:]), []string{"write", "bash"}
		}).takes(anAgent | aContext),
		planAgent("plan-agent-with-tools", "the plan agent uses tools in agent_tools: tool_forbidden", "plan"),
		planAgent("plan-agent-in-other-case", "the plan agent is called Plan, and uses tools in agent_tools: tool_forbidden",
			"Plan", "PLAN"),
		main("agent-null", "null", "the member agent of the context is null: the main session", "null"),
		main("agent-blank", "an empty name", "the member agent of the context is an empty text: the main session", `""`),
	}
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

func names() []trait {
	row := family("names")
	const taken = "a name that is taken"
	drawing := func(name, where, text string, starts func(s *scripter)) trait {
		return row(name, taken, where, text, early, nil).starts(starts).takes(aName | aContext)
	}
	return []trait{
		row("name-given", "a plan file from an earlier time", "in the context",
			"the session already has a name for its plan file", early, nil).
			starts(fixName).takes(aName | aContext).seen(begun("slug")),
		row("plan-file-exists", "a plan file from an earlier time", "the files",
			"the session's plan file already exists: plan.enter reports it", early, nil).
			starts(func(s *scripter) {
				fixName(s)
				s.plan = new("# An older plan")
			}).takes(aName | aContext).with(aFiles).loses(aBlank).seen(begun("slug")),
		row("name-drawn", "a name drawn from the seed", "in the context",
			"the case has a seed and no name: every name of a plan file is valid", early, nil).
			starts(func(s *scripter) {
				s.slugs = nil
				s.seed = generators.Pick(&s.Choices, []string{"0", "7", "18446744073709551615"})
			}).takes(aName | aContext),
		drawing("name-of-other-session", "other sessions",
			"the first drawn names belong to other sessions: the session draws again", func(s *scripter) {
				s.taken = s.collide(1 + s.Below(10))
			}).seen(begun("taken")),
		drawing("name-of-other-file", "the files", "the first drawn names have a file: the session draws again",
			func(s *scripter) { s.occupy(s.collide(1+s.Below(10)), false) }).with(aFiles),
		drawing("name-of-other-case", "the files, in another case",
			"the first drawn names have a file in upper case: the session draws again", func(s *scripter) {
				s.occupy(s.collide(1+s.Below(3)), true)
			}).with(aFiles).needs("letter case"),
		row("names-exhausted", "names that are all taken", "EnterPlanMode",
			"all eleven drawn names are taken: slug_exhausted", nowhere, nil).
			starts(exhaust).takes(aName | aContext).loses(aMode).with(aEntry | aFiles),
		row("names-exhausted-at-start", "names that are all taken", "the context",
			"a session that begins in plan mode finds no name: slug_exhausted", nowhere, nil).
			starts(func(s *scripter) {
				exhaust(s)
				s.phase = "explore"
				s.broken = malformed{code: harness.SlugExhausted}
			}).takes(aName | aContext | aCase).with(aFiles),
	}
}

// fixName makes the case give the session's name.
func fixName(s *scripter) {
	s.slug, s.slugs = generators.Pick(&s.Choices, slugPool[:]), nil
	s.path = "plans/" + s.slug + ".md"
}

// collide makes the case give the draws; the first n of them are taken names.
func (s *scripter) collide(n int) []string {
	from := s.Below(len(slugPool))
	s.slugs = slices.Concat(slugPool[from:], slugPool[:from])[:min(n+1, len(slugPool))]
	return s.slugs[:n]
}

// occupy gives the names files.
func (s *scripter) occupy(slugs []string, capitals bool) {
	for _, slug := range slugs {
		if capitals {
			slug = strings.ToUpper(slug)
		}
		s.files = append(s.files, textFile{"plans/" + slug + ".md", "# The plan of another session"})
	}
}

// exhaust takes all names that are drawn.
func exhaust(s *scripter) {
	slugs := s.collide(11)
	s.full = true
	if s.Below(2) == 0 {
		s.taken = slugs
	} else {
		s.occupy(slugs, false)
	}
}

func contexts() []trait {
	row := family("context")
	base := func(name, theme, where, text string, start func(*scripter)) trait {
		return row(name, theme, where, text, nowhere, nil).of(anyone).starts(start)
	}
	const missing = "a member that is left out"
	return []trait{
		base("context-missing", missing, "in the case", "the case has no context: the main session, in the mode normal",
			func(s *scripter) {
				s.noContext, s.session, s.slugs = true, "", nil
			}).of(users).takes(aContext | aName).seen(func(c harness.Case) bool { return len(c.Context) == 0 }),
		base("context-brief", missing, "in the context", "the context leaves out members that have a default value",
			func(s *scripter) { s.brief, s.session = true, "" }).takes(aContext),
		base("context-nulls", "null for a member", "in the context",
			"members of the context that have a default value are null", func(s *scripter) {
				s.brief, s.nulls, s.session = true, true, ""
			}).takes(aContext),
		base("session-not-ascii", "a session's id that is not ASCII", "in the context",
			"the session's id has non-ASCII characters: events report it unchanged", func(s *scripter) {
				s.session = generators.Pick(&s.Choices, []string{"séance 7", "会话", `a"b\c`, " s "})
			}).takes(aContext),
		row("timestamp-given", "a time", "in the context", "the case has a timestamp: plan.enter reports it", early, nil).
			starts(func(s *scripter) {
				s.timestamp = generators.Pick(&s.Choices, []string{"1769000000000", "0", "9007199254740991"})
			}).with(aEntry | aContext).
			needs("timestamp").seen(begun("timestamp")),
		base("files-missing", missing, "in the case", "the case has no files", func(s *scripter) {
			s.noFiles, s.files = true, nil
		}).of(users).takes(aFiles).loses(aBlank).seen(func(c harness.Case) bool { return len(c.Files) == 0 }),
		base("file-blank", "a blank file", "the files", "a file is empty: a read returns empty content", func(s *scripter) {
			s.files = append(s.files, textFile{"empty.txt", ""})
		}).with(aFiles),
		base("file-not-ascii", "a file whose name is not ASCII", "the files",
			"a file's name and content have non-ASCII characters", func(s *scripter) {
				s.files = append(s.files, textFile{"docs/数据.md", "der Zähler 🚀"})
			}).with(aFiles),
		base("calls-empty", "no calls", "in the case", "the script has no calls: applied, with an empty trace",
			nil).of(users).loses(aScript),
	}
}

// malformations are documents that are none, with the code that each leads to.
var malformations = []malformed{ // never written
	{"context", "[]", harness.BadType},
	{"context", `{"agent":7}`, harness.BadType},
	{"context", `{"phase":"planning"}`, harness.BadType},
	{"context", `{"seed":-1}`, harness.BadType},
	{"context", `{"seed":"7"}`, harness.BadType},
	{"context", `{"slug":"../x"}`, harness.BadType},
	{"context", `{"timestamp":"now"}`, harness.BadType},
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
}

func documents() []trait {
	var list []trait
	for _, document := range []string{"context", "files", "calls"} {
		choices := slices.DeleteFunc(slices.Clone(malformations), func(m malformed) bool { return m.document != document })
		t := family("script")(document+"-malformed", "a malformed document", document, "the member "+document+
			" of the case is malformed: the whole case is rejected", nowhere, nil).
			of(anyone).takes(aCase).starts(func(s *scripter) { s.broken = generators.Pick(&s.Choices, choices) })
		list = append(list, t.needs(document))
	}
	return list
}
