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
func sound(way mutant.Way) mutant.Wrap {
	return mutant.By(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		if out := right(c, p); out.Trace == nil {
			return out
		}
		return way(right, c, p)
	})
}

// scripting changes the calls of a case before they are made.
func scripting(change func(call mutant.Object)) mutant.Wrap {
	return sound(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		c.Calls = mutant.Rewrite(c.Calls, change)
		return right(c, p)
	})
}

// beginning changes where a session begins.
func beginning(change func(context mutant.Object)) mutant.Wrap {
	return sound(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		return right(begun(c, change), p)
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
func telling(change func(out *harness.Outcome, calls []mutant.Object)) mutant.Wrap {
	return mutant.AnsweringTo(func(c harness.Case, out *harness.Outcome) {
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
func accepting(code harness.Code, which func(t harness.TraceItem, call mutant.Object) bool) mutant.Wrap {
	return telling(func(out *harness.Outcome, calls []mutant.Object) {
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
func filing(f faulty) mutant.Wrap {
	return sound(func(_ mutant.Eval, c harness.Case, _ harness.Profile) harness.Outcome {
		f := f
		f.Tree = &planfile.Tree{}
		for _, files := range mutant.Objects(c.Files) {
			for _, m := range files.Members {
				if m.Value.Kind == strictjson.String {
					_ = f.Put(m.Name, m.Value.Text) // the reference has taken it
				} else if link := m.Value.Get("link"); link != nil {
					_ = f.Link(m.Name, link.Text)
				}
			}
		}
		return rules.Run(c, f)
	})
}

// respelling follows another path than the one that is given.
func respelling(spell func(path string) string) mutant.Wrap {
	return filing(faulty{resolve: func(t *planfile.Tree, path string) (string, error) { return t.Resolve(spell(path)) }})
}

// pathDefects follow paths wrongly.
func pathDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("path-in-any-case", "compares paths without case", respelling(strings.ToLower)),
		mutant.New("path-drops-dots", "trims dots and spaces at the end of a path",
			respelling(func(p string) string { return strings.TrimRight(p, ". ") })),
		mutant.New("path-ends-at-nul", "truncates a path at its first NUL byte", respelling(func(p string) string {
			p, _, _ = strings.Cut(p, "\x00")
			return p
		})),
		mutant.New("path-by-its-end", "treats every path with the same ending as the plan file",
			respelling(func(p string) string { return p[max(strings.LastIndex(p, "plans/"), 0):] })),
		mutant.New("path-with-backslash", "treats backslashes as slashes",
			respelling(func(p string) string { return strings.ReplaceAll(p, `\`, "/") })),
		mutant.New("path-from-root", "treats an absolute path as relative to the directory",
			respelling(func(p string) string {
				if cut := strings.TrimLeft(p, "/"); cut != "" {
					return cut
				}
				return p
			})),
		mutant.New("path-cleaned-only", "cleans paths as text, without a check that their directories exist",
			respelling(path.Clean)),
		mutant.New("path-ignores-links", "does not follow links", filing(faulty{resolve: unlinked})),
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
		mutant.New("shows-empty-plan", "requests approval of a blank plan file",
			filing(faulty{read: func(t *planfile.Tree, name string) (string, error) {
				text, err := t.Read(name)
				if strings.HasPrefix(name, "plans/") && strings.TrimSpace(text) == "" && err == nil {
					return "(no plan)", nil
				}
				return text, err
			}})),
		mutant.Large("writes-before-it-checks", "writes the file in plan mode before it rejects the call",
			"the session enters plan mode or has a plan, is refused a write, and reads the file", telling(writeAnyway)),
		mutant.New("edits-all-places", "accepts an edit whose text does not occur exactly once",
			accepting(harness.BadArguments, func(t harness.TraceItem, call mutant.Object) bool {
				args, ok := call.Object("args")
				return ok && t.Step == "edit" && args.Text("path") != "" && args.Text("old") != "" && args.Get("new") != nil
			})),
		mutant.New("squeezes-plan", "trims white space at the end of the plan", scripting(func(call mutant.Object) {
			if args, ok := call.Object("args"); ok && strings.Contains(args.Text("path"), "{plan}") &&
				args.Text("content") != "" {
				args.Set("content", mutant.Text(strings.Join(strings.Fields(args.Text("content")), "  ")))
			}
		})),
	}
}

// writeAnyway lets reads find what refused writes wrote.
func writeAnyway(out *harness.Outcome, calls []mutant.Object) {
	written := map[string]string{}
	for t, call := range answers(out, calls) {
		args, ok := call.Object("args")
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
	saying := func(tool, said, instead string) mutant.Wrap {
		return scripting(func(call mutant.Object) {
			if call.Text("tool") == tool && call.Text("approval") == said {
				call.Set("approval", mutant.Text(instead))
			}
		})
	}
	return []mutant.Defect{
		mutant.New("plan-mode-takes-arguments", "ignores arguments of EnterPlanMode and ExitPlanMode",
			scripting(func(call mutant.Object) {
				if tool := call.Text("tool"); tool == "EnterPlanMode" || tool == "ExitPlanMode" {
					call.Drop("args")
				}
			})),
		mutant.New("enters-twice", "enters plan mode from plan mode",
			accepting(harness.AlreadyInPlanMode, step("EnterPlanMode"))),
		mutant.New("leaves-from-outside", "accepts ExitPlanMode outside plan mode",
			accepting(harness.NotInPlanMode, step("ExitPlanMode"))),
		mutant.New("denied-entry-enters", "enters plan mode after a denial", saying("EnterPlanMode", "deny", "approve")),
		mutant.New("denied-exit-leaves", "leaves plan mode after a denial",
			saying("ExitPlanMode", "keep_planning", "auto_accept")),
		mutant.Large("manual-is-automatic", "requests no approval for edits after a manual approval",
			"a plan is written and approved before an edit can be asked for", saying("ExitPlanMode", "manual", "auto_accept")),
		mutant.New("silence-is-consent", "treats a missing answer as an approval", scripting(func(call mutant.Object) {
			if tool := call.Text("tool"); call.Get("approval") == nil && tool == "EnterPlanMode" {
				call.Set("approval", mutant.Text("approve"))
			}
		})),
		mutant.New("loses-feedback", "drops the user's feedback",
			scripting(func(call mutant.Object) { call.Drop("feedback") })),
		mutant.Large("denied-exit-keeps-phase", "stays in the phase exit after a denial",
			"a plan is written before leaving can be denied", telling(func(out *harness.Outcome, _ []mutant.Object) {
				last := len(out.Trace) - 1
				if last > 0 && out.Trace[last].Event == spec.EventPlanDenied && out.Phase != "" {
					out.Phase, out.Trace[last].State = "exit", "exit"
				}
			})),
		mutant.New("skips-phases", "accepts any known phase as the next",
			accepting(harness.BadArguments, func(t harness.TraceItem, call mutant.Object) bool {
				return t.Step == "phase" && slices.Contains(rules.Phases(), call.Text("phase"))
			})),
		mutant.New("toggle-only-enters", "treats the user's toggle as a call of EnterPlanMode",
			scripting(func(call mutant.Object) {
				if call.Get("toggle") != nil {
					call.Drop("toggle")
					call.Set("tool", mutant.Text("EnterPlanMode"))
					call.Set("approval", mutant.Text("approve"))
				}
			})),
		mutant.New("toggle-asks", "requires an approval for the user's toggle",
			telling(func(out *harness.Outcome, calls []mutant.Object) {
				for t, call := range answers(out, calls) {
					if call.Get("toggle") != nil && t.Code == "" {
						t.Code, t.Data = harness.RepliesExhausted, nil
					}
				}
			})),
		mutant.Large("plan-mode-leaks", "begins a session in plan mode if the previous one ended in it",
			"it takes a session before this one, and this one twice", leaking).Beyond(mutant.TwoRequests),
	}
}

// leaking is a flaw with a memory.
func leaking(right mutant.Eval) mutant.Eval {
	phase := ""
	return sound(func(right mutant.Eval, c harness.Case, p harness.Profile) harness.Outcome {
		out := right(begun(c, func(context mutant.Object) {
			if phase != "" && context.Get("phase") == nil {
				context.Set("phase", mutant.Text(phase))
			}
		}), p)
		phase = out.Phase
		return out
	})(right)
}

// agentDefects give agents, or plan mode, tools that they must not have.
func agentDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("agents-are-users", "treats agents as the main session",
			beginning(func(context mutant.Object) { context.Drop("agent") })),
		mutant.New("agents-have-all-tools", "gives agents every tool", beginning(func(context mutant.Object) {
			if context.Get("agent") != nil && context.Text("agent") != "plan" {
				context.Set("agent_tools", mutant.Texts("write", "edit", "bash"))
			}
		})),
		mutant.New("plan-agent-has-tools", "gives the plan agent the tools in agent_tools",
			beginning(func(context mutant.Object) {
				if context.Text("agent") == "plan" {
					context.Set("agent", strictjson.Value{Kind: strictjson.Bool, Text: "true"})
				}
			})),
		mutant.New("plan-agent-in-lower-case", "recognises the plan agent only in lower case",
			beginning(func(context mutant.Object) {
				if agent := context.Text("agent"); agent != "plan" && strings.EqualFold(agent, "plan") {
					context.Set("agent", strictjson.Value{Kind: strictjson.Bool, Text: "true"})
				}
			})),
		mutant.New("plan-mode-agents-in-one-case", "starts Explore and Plan in plan mode, but not explore and plan",
			telling(func(out *harness.Outcome, calls []mutant.Object) {
				for t, call := range answers(out, calls) {
					args, _ := call.Object("args")
					if t.Step == "Task" && t.State != rules.ModeNormal && !slices.Contains([]string{"Explore", "Plan"},
						args.Text("agent")) {
						t.Code = cmp.Or(t.Code, harness.ToolForbidden)
					}
				}
			})),
		mutant.New("agents-toggle", "lets an agent use the user's toggle", accepting(harness.AgentContext, step("toggle"))),
		mutant.New("agents-start-agents", "lets agents start agents",
			accepting(harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return t.Step == "Task" && t.State == rules.ModeNormal
			})),
		mutant.New("any-agent-plans", "starts any agent in plan mode",
			accepting(harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return t.Step == "Task" && t.State != rules.ModeNormal
			})),
		mutant.New("commands-in-plan-mode", "runs apparently harmless commands in plan mode",
			accepting(harness.ToolForbidden, func(t harness.TraceItem, call mutant.Object) bool {
				args := call.Get("args")
				return t.Step == "bash" && args != nil && strings.Contains(string(args.AppendJSON(nil)), `"ls"`)
			})),
		mutant.New("tools-in-any-case", "compares tool names without case", scripting(func(call mutant.Object) {
			if tool := strings.ToLower(call.Text("tool")); tool == "write" || tool == "edit" {
				call.Set("tool", mutant.Text(tool))
			}
		})),
		mutant.New("unknown-tools-allowed", "accepts unknown tools",
			accepting(harness.ToolForbidden, func(t harness.TraceItem, _ mutant.Object) bool {
				return !slices.ContainsFunc(spec.Calls(), func(known harness.Term) bool { return known.Name == t.Step })
			})),
	}
}

// nameDefects name plan files wrongly.
func nameDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("overwrites-other-plan", "uses the name of an existing file for the plan file",
			filing(faulty{names: func() ([]string, error) { return nil, nil }})),
		mutant.New("shares-a-name", "uses another session's name for the plan file",
			beginning(func(context mutant.Object) { context.Drop("taken") })),
		mutant.New("draws-once", "gives up when the first drawn name is taken", beginning(func(context mutant.Object) {
			slugs := context.IDs("slugs")
			if len(slugs) == 0 || !context.Has("taken", slugs[0]) {
				return
			}
			for len(slugs) <= planfile.Retries {
				slugs = append(slugs, slugs[0])
			}
			context.Set("taken", mutant.Texts(slugs...))
			context.Set("slugs", mutant.Texts(slugs...))
		})),
		mutant.Large("new-name-each-time", "draws a new name when a session enters plan mode again",
			"plan mode is entered, left with a plan, and entered again", telling(func(out *harness.Outcome, _ []mutant.Object) {
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
			})),
		mutant.New("name-without-words", "names the plan file after the session",
			telling(func(out *harness.Outcome, _ []mutant.Object) {
				if out.Path != "" {
					out.Path = "plans/session.md"
				}
			})),
	}
}

// traceDefects tell wrongly what happened.
func traceDefects() []mutant.Defect {
	return []mutant.Defect{
		mutant.New("no-exit-event", "emits no plan.exit event", telling(func(out *harness.Outcome, _ []mutant.Object) {
			out.Trace = slices.DeleteFunc(out.Trace, func(t harness.TraceItem) bool { return t.Event == spec.EventPlanExit })
		})),
		mutant.New("events-too-early", "emits plan.approved before plan.exit",
			telling(func(out *harness.Outcome, _ []mutant.Object) {
				for i := 1; i < len(out.Trace); i++ {
					if out.Trace[i].Event == spec.EventPlanApproved {
						out.Trace[i-1], out.Trace[i] = out.Trace[i], out.Trace[i-1]
					}
				}
			})),
		mutant.New("exit-event-without-content", "leaves the plan out of plan.exit",
			telling(func(out *harness.Outcome, _ []mutant.Object) {
				for i, t := range out.Trace {
					if t.Event == spec.EventPlanExit {
						out.Trace[i].Data = mutant.Rewrite(t.Data, func(data mutant.Object) { data.Drop("planContent") })
					}
				}
			})),
		mutant.New("enters-without-time", "leaves the timestamp out of plan.enter",
			telling(func(out *harness.Outcome, _ []mutant.Object) {
				for i, t := range out.Trace {
					if t.Event == spec.EventPlanEnter {
						out.Trace[i].Data = mutant.Rewrite(t.Data, func(data mutant.Object) { data.Drop("timestamp") })
					}
				}
			})),
		mutant.New("stops-at-refusal", "stops after the first rejected call",
			telling(func(out *harness.Outcome, _ []mutant.Object) {
				if i := slices.IndexFunc(out.Trace, func(t harness.TraceItem) bool { return t.Code != "" }); i >= 0 {
					out.Trace = out.Trace[:i+1]
				}
			})),
		mutant.New("last-refusal-counts", "reports the code of the last rejected call",
			mutant.Answering(func(out *harness.Outcome) {
				for _, t := range out.Trace {
					if t.Code != "" {
						out.Code = t.Code
					}
				}
			})),
	}
}
