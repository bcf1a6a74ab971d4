package defects

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	planmode "replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/words"
)

// planModeDefects lists the defects of engines for the dialect planmode.
func planModeDefects() []Defect {
	list := ofDialect("planmode", slices.Concat(pathRows(), fileRows(), sessionRows(), agentRows(), nameRows(), traceRows()))
	for i := range list {
		list[i].Large = longSessions()[list[i].Name]
	}
	return list
}

// longSessions says of the defects that two calls cannot show why.
func longSessions() map[string]string {
	return map[string]string{
		"writes-before-it-checks": "the session enters plan mode or has a plan, is refused a write, and reads the file",
		"manual-is-automatic":     "a plan is written and approved before an edit can be asked for",
		"denied-exit-keeps-phase": "a plan is written before leaving can be denied",
		"plan-mode-leaks":         "it takes a session before this one, and this one twice",
		"new-name-each-time":      "plan mode is entered, left with a plan, and entered again",
	}
}

// rightSession answers as the reference does.
func rightSession(c harness.Case) harness.Outcome { return planmode.Eval(c, harness.Reference()) }

// members are those of a JSON object; what stands in them stays as it is.
type members map[string]jsontext.Value

func (m members) text(name string) string {
	var s string
	_ = json.Unmarshal(m[name], &s)
	return s
}

func (m members) set(name string, v any) {
	m[name], _ = json.Marshal(v)
}

// scripting changes the calls of a case before they are made.
func scripting(change func(call members)) func() flaw {
	return always(func(c harness.Case, _ harness.Profile) harness.Outcome {
		var calls []members
		if rightSession(c).Trace == nil || json.Unmarshal(c.Calls, &calls) != nil {
			return rightSession(c)
		}
		for _, call := range calls {
			change(call)
		}
		c.Calls, _ = json.Marshal(calls)
		return rightSession(c)
	})
}

// beginning changes where a session begins.
func beginning(change func(context members)) func() flaw {
	return always(func(c harness.Case, _ harness.Profile) harness.Outcome {
		context := members{}
		if rightSession(c).Trace == nil || len(c.Context) > 0 && json.Unmarshal(c.Context, &context) != nil {
			return rightSession(c)
		}
		change(context)
		c.Context, _ = json.Marshal(context, json.Deterministic(true))
		return rightSession(c)
	})
}

// tellingSession changes the trace of a session, and draws verdict and code from it
// anew.
func tellingSession(change func(out *harness.Outcome, calls []members)) func() flaw {
	return always(func(c harness.Case, _ harness.Profile) harness.Outcome {
		var calls []members
		out := rightSession(c)
		if out.Trace == nil || json.Unmarshal(c.Calls, &calls) != nil {
			return out
		}
		change(&out, calls)
		out.Verdict, out.Code, out.At, out.Message = harness.Applied, "", nil, ""
		if i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code != "" }); i >= 0 {
			out.Verdict, out.Code = harness.Rejected, out.Trace[i].Code
		}
		return out
	})
}

// accepting makes calls that the reference refuses with the code.
func accepting(code harness.Code, which func(t harness.TraceItem, call members) bool) func() flaw {
	return tellingSession(func(out *harness.Outcome, calls []members) {
		n := -1
		for i := range out.Trace {
			if out.Trace[i].Event != "" {
				continue
			}
			n++
			if t := &out.Trace[i]; t.Code == code && which(*t, calls[n]) {
				t.Code = ""
			}
		}
	})
}

func step(name string) func(t harness.TraceItem, _ members) bool {
	return func(t harness.TraceItem, _ members) bool { return t.Step == name }
}

// faulty is the files of a case with a way of their own to follow paths, or to
// read them.
type faulty struct {
	*planfile.Tree
	resolve func(t *planfile.Tree, path string) (string, error)
	read    func(t *planfile.Tree, name string) (string, error)
	names   func() ([]string, error)
}

func (f faulty) Resolve(path string) (string, error) {
	if f.resolve != nil {
		return f.resolve(f.Tree, path)
	}
	return f.Tree.Resolve(path)
}

func (f faulty) Read(name string) (string, error) {
	if f.read != nil {
		return f.read(f.Tree, name)
	}
	return f.Tree.Read(name)
}

func (f faulty) PlanNames() ([]string, error) {
	if f.names != nil {
		return f.names()
	}
	return f.Tree.PlanNames()
}

// filing plays the script on faulty files.
func filing(f faulty) func() flaw {
	return always(func(c harness.Case, _ harness.Profile) harness.Outcome {
		right := rightSession(c)
		var files map[string]jsontext.Value
		if right.Trace == nil || len(c.Files) > 0 && json.Unmarshal(c.Files, &files) != nil {
			return right
		}
		f := f
		f.Tree = &planfile.Tree{}
		for name, v := range files {
			var content string
			var link struct {
				Link string `json:"link"`
			}
			if json.Unmarshal(v, &content) == nil {
				_ = f.Tree.Put(name, content) // the reference has taken it
			} else if json.Unmarshal(v, &link) == nil {
				_ = f.Tree.Link(name, link.Link)
			}
		}
		return planmode.Run(c, f)
	})
}

// respelling follows another path than the one that is given.
func respelling(spell func(path string) string) func() flaw {
	return filing(faulty{resolve: func(t *planfile.Tree, path string) (string, error) { return t.Resolve(spell(path)) }})
}

// pathRows follow paths wrongly.
func pathRows() []row {
	return []row{
		{"path-in-any-case", "compares paths without regard to case", respelling(strings.ToLower)},
		{"path-drops-dots", "drops dots and spaces at the end of a path", respelling(func(p string) string { return strings.TrimRight(p, ". ") })},
		{"path-ends-at-nul", "ends a path at its first NUL", respelling(func(p string) string {
			p, _, _ = strings.Cut(p, "\x00")
			return p
		})},
		{"path-by-its-end", "takes every path for the plan file that ends like it", respelling(func(p string) string { return p[max(strings.LastIndex(p, "plans/"), 0):] })},
		{"path-with-backslash", "takes backslashes for slashes", respelling(func(p string) string { return strings.ReplaceAll(p, `\`, "/") })},
		{"path-from-root", "takes an absolute path for one in the directory", respelling(func(p string) string {
			if cut := strings.TrimLeft(p, "/"); cut != "" {
				return cut
			}
			return p
		})},
		{"path-cleaned-only", "cleans paths by their text, and lets them lead through directories that are not there", respelling(path.Clean)},
		{"path-ignores-links", "looks at the path itself where a link leads elsewhere", filing(faulty{resolve: unlinked})},
	}
}

// unlinked cleans a path and follows no link.
func unlinked(t *planfile.Tree, p string) (string, error) {
	name, err := t.Resolve(p)
	if clean := path.Clean(p); err == nil && !strings.HasPrefix(clean, "..") && clean != name {
		return clean, nil
	}
	if p == path.Clean(p) && strings.HasPrefix(p, "plans/") && !strings.ContainsAny(p, "\x00 ") {
		return p, nil
	}
	return name, err
}

// fileRows hold files wrongly.
func fileRows() []row {
	return []row{
		{"shows-empty-plan", "asks to approve a plan file that is missing or blank", filing(faulty{read: func(t *planfile.Tree, name string) (string, error) {
			text, err := t.Read(name)
			if strings.HasPrefix(name, "plans/") && strings.TrimSpace(text) == "" {
				return "(no plan)", nil
			}
			return text, err
		}})},
		{"writes-before-it-checks", "refuses to write in plan mode when the file is written already", tellingSession(writeAnyway)},
		{"edits-all-places", "replaces a text that stands in a file more or less than once", accepting(harness.BadArguments, func(t harness.TraceItem, call members) bool {
			var args members
			return t.Step == "edit" && json.Unmarshal(call["args"], &args) == nil && args.text("path") != "" && args.text("old") != "" && args["new"] != nil
		})},
		{"squeezes-plan", "drops white space at the end of the plan", scripting(func(call members) {
			var args members
			if json.Unmarshal(call["args"], &args) == nil && strings.Contains(args.text("path"), "{plan}") && args.text("content") != "" {
				args.set("content", strings.Join(strings.Fields(args.text("content")), "  "))
				call.set("args", args)
			}
		})},
	}
}

// writeAnyway lets reads find what refused writes wrote.
func writeAnyway(out *harness.Outcome, calls []members) {
	written := map[string]string{}
	n := -1
	for i := range out.Trace {
		t := &out.Trace[i]
		if t.Event != "" {
			continue
		}
		n++
		var args members
		if json.Unmarshal(calls[n]["args"], &args) != nil {
			continue
		}
		name := args.text("path")
		switch content, lies := written[name]; {
		case t.Step == "write" && t.Code == harness.ToolForbidden && t.State != planmode.ModeNormal:
			written[name] = args.text("content")
		case t.Step == "read" && lies:
			t.Data, _ = json.Marshal(map[string]string{"content": content})
		}
	}
}

// sessionRows enter and leave wrongly.
func sessionRows() []row {
	saying := func(tool, said, instead string) func() flaw {
		return scripting(func(call members) {
			if call.text("tool") == tool && call.text("approval") == said {
				call.set("approval", instead)
			}
		})
	}
	return []row{
		{"plan-mode-takes-arguments", "passes over arguments of EnterPlanMode and ExitPlanMode", scripting(func(call members) {
			if tool := call.text("tool"); tool == "EnterPlanMode" || tool == "ExitPlanMode" {
				delete(call, "args")
			}
		})},
		{"enters-twice", "enters plan mode from plan mode", accepting(harness.AlreadyInPlanMode, step("EnterPlanMode"))},
		{"leaves-from-outside", "accepts ExitPlanMode outside plan mode", accepting(harness.NotInPlanMode, step("ExitPlanMode"))},
		{"denied-entry-enters", "enters plan mode although the user refused", saying("EnterPlanMode", "deny", "approve")},
		{"denied-exit-leaves", "leaves plan mode although the user keeps planning", saying("ExitPlanMode", "keep_planning", "auto_accept")},
		{"manual-is-automatic", "asks for no edit after a manual approval", saying("ExitPlanMode", "manual", "auto_accept")},
		{"silence-is-consent", "takes a missing answer for an approval", scripting(func(call members) {
			if tool := call.text("tool"); call["approval"] == nil && tool == "EnterPlanMode" {
				call.set("approval", "approve")
			}
		})},
		{"loses-feedback", "does not hand on what the user said", scripting(func(call members) { delete(call, "feedback") })},
		{"denied-exit-keeps-phase", "stays in the phase exit after a denial", tellingSession(func(out *harness.Outcome, _ []members) {
			last := len(out.Trace) - 1
			if last > 0 && out.Trace[last].Event == words.EventPlanDenied && out.Phase != "" {
				out.Phase, out.Trace[last].State = "exit", "exit"
			}
		})},
		{"skips-phases", "goes on to any phase that exists", accepting(harness.BadArguments, func(t harness.TraceItem, call members) bool {
			return t.Step == "phase" && slices.Contains(planmode.Phases(), call.text("phase"))
		})},
		{"plan-mode-leaks", "begins a session in plan mode where the one before ended in it", leaking},
	}
}

// leaking is a flaw with a memory.
func leaking() flaw {
	phase := ""
	return func(c harness.Case, _ harness.Profile) harness.Outcome {
		context := members{}
		right := rightSession(c)
		if right.Trace == nil || len(c.Context) > 0 && json.Unmarshal(c.Context, &context) != nil {
			return right
		}
		if phase != "" && context["phase"] == nil {
			context.set("phase", phase)
			c.Context, _ = json.Marshal(context, json.Deterministic(true))
		}
		out := rightSession(c)
		phase = out.Phase
		return out
	}
}

// agentRows give agents, or plan mode, tools that they must not have.
func agentRows() []row {
	return []row{
		{"agents-are-users", "knows no agents", beginning(func(context members) { delete(context, "agent") })},
		{"agents-have-all-tools", "gives agents every tool", beginning(func(context members) {
			if context["agent"] != nil && context.text("agent") != "plan" {
				context.set("agent_tools", []string{"write", "edit", "bash"})
			}
		})},
		{"plan-agent-has-tools", "gives the plan agent the tools that it is said to have", beginning(func(context members) {
			if context.text("agent") == "plan" {
				context.set("agent", true)
			}
		})},
		{"agents-start-agents", "lets agents start agents", accepting(harness.ToolForbidden, func(t harness.TraceItem, _ members) bool { return t.Step == "Task" && t.State == planmode.ModeNormal })},
		{"any-agent-plans", "starts any agent in plan mode", accepting(harness.ToolForbidden, func(t harness.TraceItem, _ members) bool { return t.Step == "Task" && t.State != planmode.ModeNormal })},
		{"commands-in-plan-mode", "runs commands in plan mode that it takes for harmless", accepting(harness.ToolForbidden, func(t harness.TraceItem, call members) bool {
			return t.Step == "bash" && strings.Contains(string(call["args"]), `"ls"`)
		})},
		{"tools-in-any-case", "takes Write for write, and EDIT for edit", scripting(func(call members) {
			if tool := strings.ToLower(call.text("tool")); tool == "write" || tool == "edit" {
				call.set("tool", tool)
			}
		})},
		{"unknown-tools-allowed", "lets pass the tools that it does not know", accepting(harness.ToolForbidden, func(t harness.TraceItem, _ members) bool {
			return !slices.ContainsFunc(words.Calls(), func(known harness.Term) bool { return known.Name == t.Step })
		})},
	}
}

// nameRows name plan files wrongly.
func nameRows() []row {
	return []row{
		{"overwrites-other-plan", "takes a name for the plan file that another file has", filing(faulty{names: func() ([]string, error) { return nil, nil }})},
		{"shares-a-name", "takes a name for the plan file that another session has", beginning(func(context members) { delete(context, "taken") })},
		{"draws-once", "gives up when the first name that it draws is taken", beginning(func(context members) {
			var slugs, taken []string
			if json.Unmarshal(context["slugs"], &slugs) == nil && json.Unmarshal(context["taken"], &taken) == nil && slices.Contains(taken, slugs[0]) {
				for len(slugs) <= planfile.Retries {
					slugs = append(slugs, slugs[0])
				}
				context.set("taken", slugs)
				context.set("slugs", slugs)
			}
		})},
		{"new-name-each-time", "draws another name when a session comes back to plan mode", tellingSession(func(out *harness.Outcome, _ []members) {
			entered := 0
			for i, t := range out.Trace {
				if t.Event == words.EventPlanEnter {
					entered++
				}
				if entered > 1 && t.Event != "" {
					out.Trace[i].Data = jsontext.Value(strings.Replace(string(t.Data), `"path":"plans/`, `"path":"plans/new`, 1))
				}
			}
		})},
		{"name-without-words", "names the plan file after the session", tellingSession(func(out *harness.Outcome, _ []members) {
			if out.Path != "" {
				out.Path = "plans/session.md"
			}
		})},
	}
}

// traceRows tell wrongly what happened.
func traceRows() []row {
	return []row{
		{"no-exit-event", "does not tell that the user was asked", tellingSession(func(out *harness.Outcome, _ []members) {
			out.Trace = slices.DeleteFunc(out.Trace, func(t harness.TraceItem) bool { return t.Event == words.EventPlanExit })
		})},
		{"events-too-early", "tells that the plan was approved before it was asked for", tellingSession(func(out *harness.Outcome, _ []members) {
			for i := 1; i < len(out.Trace); i++ {
				if out.Trace[i].Event == words.EventPlanApproved {
					out.Trace[i-1], out.Trace[i] = out.Trace[i], out.Trace[i-1]
				}
			}
		})},
		{"exit-event-without-content", "does not tell the plan that is to be approved", tellingSession(func(out *harness.Outcome, _ []members) {
			for i, t := range out.Trace {
				if t.Event == words.EventPlanExit {
					var data members
					_ = json.Unmarshal(t.Data, &data)
					delete(data, "content")
					out.Trace[i].Data, _ = json.Marshal(data, json.Deterministic(true))
				}
			}
		})},
		{"stops-at-refusal", "makes no call after one that was refused", tellingSession(func(out *harness.Outcome, _ []members) {
			if i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code != "" }); i >= 0 {
				out.Trace = out.Trace[:i+1]
			}
		})},
		{"last-refusal-counts", "gives the code of the last call that was refused", always(func(c harness.Case, _ harness.Profile) harness.Outcome {
			out := rightSession(c)
			for _, t := range out.Trace {
				if t.Code != "" {
					out.Code = t.Code
				}
			}
			return out
		})},
	}
}
