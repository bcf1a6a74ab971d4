// Package defect lists the ways in which engines for the dialect planmode are
// wrong.
package defect

import (
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/mutant"
	"replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document/strictjson"
)

// Defects lists the defects.
func Defects() []mutant.Defect {
	return slices.Concat(pathDefects(), fileDefects(), sessionDefects(), agentDefects(), nameDefects(), traceDefects())
}

// sound answers in a way of its own the cases that can be read: they have a trace.
func sound(name, text string, way mutant.Way) mutant.Defect {
	return mutant.Does(name, text, func(r mutant.Run) harness.Outcome {
		if out := r.Eval(); out.Trace == nil {
			return out
		}
		return way(r)
	})
}

// scripting changes the calls of a case before they are made.
func scripting(name, text string, change func(call mutant.Object)) mutant.Defect {
	return sound(name, text, func(r mutant.Run) harness.Outcome {
		r.Calls = mutant.Rewrite(r.Calls, change)
		return r.Eval()
	})
}

// beginning changes where a session begins.
func beginning(name, text string, change func(context mutant.Object)) mutant.Defect {
	return sound(name, text, func(r mutant.Run) harness.Outcome {
		return r.Of(begun(r.Case, change))
	})
}

func begun(c harness.Case, change func(context mutant.Object)) harness.Case {
	if len(c.Context) == 0 {
		c.Context = jsontext.Value("{}")
	}
	c.Context = mutant.Rewrite(c.Context, change)
	return c
}

// telling changes the trace of a session, and draws verdict and code from it
// anew.
func telling(name, text string, change func(out *harness.Outcome, calls []mutant.Object)) mutant.Defect {
	return mutant.AnswersTo(name, text, func(c harness.Case, out *harness.Outcome) {
		if out.Trace == nil {
			return
		}
		change(out, mutant.Objects(c.Calls))
		out.Verdict, out.Code, out.At, out.Message = harness.Applied, "", nil, ""
		if i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code != "" }); i >= 0 {
			out.Verdict, out.Code = harness.Rejected, out.Trace[i].Code
		}
	})
}

// traced changes the trace of a session; see [telling].
func traced(name, text string, change func(out *harness.Outcome)) mutant.Defect {
	return telling(name, text, func(out *harness.Outcome, _ []mutant.Object) { change(out) })
}

// omitting leaves a member out of an event.
func omitting(name, text, event, member string) mutant.Defect {
	return traced(name, text, func(out *harness.Outcome) {
		for i, t := range out.Trace {
			if t.Event == event {
				out.Trace[i].Data = mutant.Rewrite(t.Data, func(data mutant.Object) { data.Drop(member) })
			}
		}
	})
}

// answers yields the answers to the calls, and the calls.
func answers(out *harness.Outcome, calls []mutant.Object) iter.Seq2[*harness.TraceItem, mutant.Object] {
	return func(yield func(*harness.TraceItem, mutant.Object) bool) {
		for i := range out.Trace {
			if out.Trace[i].Event != "" || len(calls) == 0 {
				continue
			}
			if !yield(&out.Trace[i], calls[0]) {
				return
			}
			calls = calls[1:]
		}
	}
}

// accepting makes calls that the reference refuses with the code.
func accepting(name, text string, code harness.Code,
	which func(t harness.TraceItem, call mutant.Object) bool,
) mutant.Defect {
	return telling(name, text, func(out *harness.Outcome, calls []mutant.Object) {
		for t, call := range answers(out, calls) {
			if t.Code == code && which(*t, call) {
				t.Code = ""
			}
		}
	})
}

func step(name string) func(t harness.TraceItem, _ mutant.Object) bool {
	return func(t harness.TraceItem, _ mutant.Object) bool { return t.Step == name }
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
func filing(name, text string, f faulty) mutant.Defect {
	return sound(name, text, func(r mutant.Run) harness.Outcome {
		f := f
		f.Tree = &planfile.Tree{}
		for _, files := range mutant.Objects(r.Files) {
			for _, m := range files.Members {
				if m.Value.Kind == strictjson.String {
					_ = f.Put(m.Name, m.Value.Text) // the reference has taken it
				} else if link := m.Value.Get("link"); link != nil {
					_ = f.Link(m.Name, link.Text)
				}
			}
		}
		return rules.Run(r.Case, f)
	})
}

// respelling follows another path than the one that is given.
func respelling(name, text string, spell func(path string) string) mutant.Defect {
	resolve := func(t *planfile.Tree, path string) (string, error) { return t.Resolve(spell(path)) }
	return filing(name, text, faulty{resolve: resolve})
}

// pathDefects follow paths wrongly.
func pathDefects() []mutant.Defect {
	return []mutant.Defect{
		respelling("path-in-any-case", "compares paths without case", strings.ToLower),
		respelling("path-drops-dots", "trims dots and spaces at the end of a path",
			func(p string) string { return strings.TrimRight(p, ". ") }),
		respelling("path-ends-at-nul", "truncates a path at its first NUL byte", func(p string) string {
			p, _, _ = strings.Cut(p, "\x00")
			return p
		}),
		respelling("path-by-its-end", "treats every path with the same ending as the plan file",
			func(p string) string { return p[max(strings.LastIndex(p, "plans/"), 0):] }),
		respelling("path-with-backslash", "treats backslashes as slashes",
			func(p string) string { return strings.ReplaceAll(p, `\`, "/") }),
		respelling("path-from-root", "treats an absolute path as relative to the directory", func(p string) string {
			if cut := strings.TrimLeft(p, "/"); cut != "" {
				return cut
			}
			return p
		}),
		respelling("path-cleaned-only", "cleans paths as text, without a check that their directories exist", path.Clean),
		filing("path-ignores-links", "does not follow links", faulty{resolve: unlinked}),
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

// fileDefects hold files wrongly.
func fileDefects() []mutant.Defect {
	return []mutant.Defect{
		filing("shows-empty-plan", "requests approval of a blank plan file",
			faulty{read: func(t *planfile.Tree, name string) (string, error) {
				text, err := t.Read(name)
				if strings.HasPrefix(name, "plans/") && strings.TrimSpace(text) == "" && err == nil {
					return "(no plan)", nil
				}
				return text, err
			}}),
		telling("writes-before-it-checks", "writes the file in plan mode before it rejects the call",
			writeAnyway).AtSize("the session enters plan mode or has a plan, is refused a write, and reads the file"),
		accepting("edits-all-places", "accepts an edit whose text does not occur exactly once",
			harness.BadArguments, func(t harness.TraceItem, call mutant.Object) bool {
				args, ok := call.Inner("args")
				return ok && t.Step == "edit" && args.Text("path") != "" && args.Text("old") != "" && args.Get("new") != nil
			}),
		scripting("squeezes-plan", "trims white space at the end of the plan", func(call mutant.Object) {
			if args, ok := call.Inner("args"); ok && strings.Contains(args.Text("path"), "{plan}") &&
				args.Text("content") != "" {
				args.Set("content", mutant.Text(strings.Join(strings.Fields(args.Text("content")), "  ")))
			}
		}),
	}
}

// writeAnyway lets reads find what refused writes wrote.
func writeAnyway(out *harness.Outcome, calls []mutant.Object) {
	written := map[string]string{}
	for t, call := range answers(out, calls) {
		args, ok := call.Inner("args")
		if !ok {
			continue
		}
		name := args.Text("path")
		switch content, lies := written[name]; {
		case t.Step == "write" && t.Code == harness.ToolForbidden && t.State != rules.ModeNormal:
			written[name] = args.Text("content")
		case t.Step == "read" && lies:
			t.Data, _ = json.Marshal(map[string]string{"content": content})
		}
	}
}

// sessionDefects enter and leave wrongly.
func sessionDefects() []mutant.Defect {
	saying := func(name, text, tool, said, instead string) mutant.Defect {
		return scripting(name, text, func(call mutant.Object) {
			if call.Text("tool") == tool && call.Text("approval") == said {
				call.Set("approval", mutant.Text(instead))
			}
		})
	}
	return []mutant.Defect{
		scripting("plan-mode-takes-arguments", "ignores arguments of EnterPlanMode and ExitPlanMode",
			func(call mutant.Object) {
				if tool := call.Text("tool"); tool == "EnterPlanMode" || tool == "ExitPlanMode" {
					call.Drop("args")
				}
			}),
		accepting("enters-twice", "enters plan mode from plan mode", harness.AlreadyInPlanMode, step("EnterPlanMode")),
		accepting("leaves-from-outside", "accepts ExitPlanMode outside plan mode",
			harness.NotInPlanMode, step("ExitPlanMode")),
		saying("denied-entry-enters", "enters plan mode after a denial", "EnterPlanMode", "deny", "approve"),
		saying("denied-exit-leaves", "leaves plan mode after a denial", "ExitPlanMode", "keep_planning", "auto_accept"),
		saying("manual-is-automatic", "requests no approval for edits after a manual approval",
			"ExitPlanMode", "manual", "auto_accept").AtSize("a plan is written and approved before an edit can be asked for"),
		scripting("silence-is-consent", "treats a missing answer as an approval", func(call mutant.Object) {
			if tool := call.Text("tool"); call.Get("approval") == nil && tool == "EnterPlanMode" {
				call.Set("approval", mutant.Text("approve"))
			}
		}),
		scripting("loses-feedback", "drops the user's feedback", func(call mutant.Object) { call.Drop("feedback") }),
		traced("denied-exit-keeps-phase", "stays in the phase exit after a denial", func(out *harness.Outcome) {
			last := len(out.Trace) - 1
			if last > 0 && out.Trace[last].Event == spec.EventPlanDenied && out.Phase != "" {
				out.Phase, out.Trace[last].State = "exit", "exit"
			}
		}).AtSize("a plan is written before leaving can be denied"),
		accepting("skips-phases", "accepts any known phase as the next",
			harness.BadArguments, func(t harness.TraceItem, call mutant.Object) bool {
				return t.Step == "phase" && slices.Contains(spec.Phases(), call.Text("phase"))
			}),
		scripting("toggle-only-enters", "treats the user's toggle as a call of EnterPlanMode", func(call mutant.Object) {
			if call.Get("toggle") != nil {
				call.Drop("toggle")
				call.Set("tool", mutant.Text("EnterPlanMode"))
				call.Set("approval", mutant.Text("approve"))
			}
		}),
		telling("toggle-asks", "requires an approval for the user's toggle",
			func(out *harness.Outcome, calls []mutant.Object) {
				for t, call := range answers(out, calls) {
					if call.Get("toggle") != nil && t.Code == "" {
						t.Code, t.Data = harness.RepliesExhausted, nil
					}
				}
			}),
		mutant.New("plan-mode-leaks", "begins a session in plan mode if the previous one ended in it",
			leaking).AtSize("it takes a session before this one, and this one twice").Beyond(mutant.TwoRequests),
	}
}

// leaking keeps the phase in which the last session ended.
func leaking(right mutant.Eval) mutant.Eval {
	phase := ""
	return func(c harness.Case, p harness.Profile) harness.Outcome {
		out := right(c, p)
		if out.Trace != nil {
			out = right(begun(c, func(context mutant.Object) {
				if phase != "" && context.Get("phase") == nil {
					context.Set("phase", mutant.Text(phase))
				}
			}), p)
			phase = out.Phase
		}
		return out
	}
}

// agentDefects give agents, or plan mode, tools that they must not have.
func agentDefects() []mutant.Defect {
	return []mutant.Defect{
		beginning("agents-are-users", "treats agents as the main session",
			func(context mutant.Object) { context.Drop("agent") }),
		beginning("agents-have-all-tools", "gives agents every tool", func(context mutant.Object) {
			if context.Get("agent") != nil && context.Text("agent") != "plan" {
				context.Set("agent_tools", mutant.Texts("write", "edit", "bash"))
			}
		}),
		beginning("plan-agent-has-tools", "gives the plan agent the tools in agent_tools", func(context mutant.Object) {
			if context.Text("agent") == "plan" {
				context.Set("agent", strictjson.Value{Kind: strictjson.Bool, Text: "true"})
			}
		}),
		telling("plan-mode-agents-in-one-case", "starts Explore and Plan in plan mode, but not explore and plan",
			func(out *harness.Outcome, calls []mutant.Object) {
				for t, call := range answers(out, calls) {
					args, _ := call.Inner("args")
					if t.Step == "Task" && t.State != rules.ModeNormal && !slices.Contains([]string{"Explore", "Plan"},
						args.Text("agent")) {
						t.Code = cmp.Or(t.Code, harness.ToolForbidden)
					}
				}
			}),
		accepting("agents-toggle", "lets an agent use the user's toggle", harness.AgentContext, step("toggle")),
		accepting("agents-start-agents", "lets agents start agents",
			harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return t.Step == "Task" && t.State == rules.ModeNormal
			}),
		accepting("any-agent-plans", "starts any agent in plan mode",
			harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return t.Step == "Task" && t.State != rules.ModeNormal
			}),
		accepting("commands-in-plan-mode", "runs apparently harmless commands in plan mode",
			harness.ToolForbidden, func(t harness.TraceItem, call mutant.Object) bool {
				args := call.Get("args")
				return t.Step == "bash" && args != nil && strings.Contains(string(args.AppendJSON(nil)), `"ls"`)
			}),
		scripting("tools-in-any-case", "compares tool names without case", func(call mutant.Object) {
			if tool := strings.ToLower(call.Text("tool")); tool == "write" || tool == "edit" {
				call.Set("tool", mutant.Text(tool))
			}
		}),
		accepting("unknown-tools-allowed", "accepts unknown tools",
			harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return !slices.ContainsFunc(spec.Vocabulary().Marks, func(known harness.Term) bool { return known.Name == t.Step })
			}),
	}
}

// nameDefects name plan files wrongly.
func nameDefects() []mutant.Defect {
	return []mutant.Defect{
		filing("overwrites-other-plan", "uses the name of an existing file for the plan file",
			faulty{names: func() ([]string, error) { return nil, nil }}),
		beginning("shares-a-name", "uses another session's name for the plan file",
			func(context mutant.Object) { context.Drop("taken") }),
		traced("new-name-each-time", "draws a new name when a session enters plan mode again", func(out *harness.Outcome) {
			entered := 0
			for i, t := range out.Trace {
				if t.Event == spec.EventPlanEnter {
					entered++
				}
				if entered > 1 && t.Event != "" {
					out.Trace[i].Data = jsontext.Value(strings.Replace(string(t.Data), `"planFilePath":"plans/`,
						`"planFilePath":"plans/new`, 1))
				}
			}
		}).AtSize("plan mode is entered, left with a plan, and entered again"),
		traced("name-without-words", "names the plan file after the session", func(out *harness.Outcome) {
			if out.Path != "" {
				out.Path = "plans/session.md"
			}
		}),
	}
}

const membersOptional = "a scenario accepts an event without some of its members, and invariants do not"

// traceDefects tell wrongly what happened.
func traceDefects() []mutant.Defect {
	return []mutant.Defect{
		traced("no-exit-event", "emits no plan.exit event", func(out *harness.Outcome) {
			out.Trace = slices.DeleteFunc(out.Trace, func(t harness.TraceItem) bool { return t.Event == spec.EventPlanExit })
		}),
		traced("events-too-early", "emits plan.approved before plan.exit", func(out *harness.Outcome) {
			for i := 1; i < len(out.Trace); i++ {
				if out.Trace[i].Event == spec.EventPlanApproved {
					out.Trace[i-1], out.Trace[i] = out.Trace[i], out.Trace[i-1]
				}
			}
		}),
		omitting("exit-event-without-content", "leaves the plan out of plan.exit", spec.EventPlanExit, "planContent").
			Beyond(membersOptional),
		omitting("enters-without-time", "leaves the timestamp out of plan.enter", spec.EventPlanEnter, "timestamp").
			Beyond(membersOptional),
		traced("stops-at-refusal", "stops after the first rejected call", func(out *harness.Outcome) {
			if i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code != "" }); i >= 0 {
				out.Trace = out.Trace[:i+1]
			}
		}),
		mutant.Answers("last-refusal-counts", "reports the code of the last rejected call", func(out *harness.Outcome) {
			for _, t := range out.Trace {
				if t.Code != "" {
					out.Code = t.Code
				}
			}
		}),
	}
}
