package check

import (
	"path"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/hunt/judge"
)

// target is where a path leads by its text; false where only the files tell.
func (v *sessionView) target(p string) (name string, ok bool) {
	if v.links || strings.ContainsAny(p, "\x00") || p == "" {
		return "", false
	}
	if v.own != "" {
		p = strings.ReplaceAll(p, "{plan}", v.own)
	}
	return path.Clean(p), true
}

// changes reports whether the call is a write or an edit that was made: not one that the user denied, except if the
// engine says so, which asked-first reports.
func (v *sessionView) changes(s *sessionStep) bool {
	denied := s.asks && !s.plan && s.said() == "deny" && v.datum(s.item, "path") == ""
	return (s.tool == "write" || s.tool == "edit") && s.made() && !denied
}

// datum returns a text of an item's data; "" if it is not given.
func (v *sessionView) datum(t harness.TraceItem, name string) string {
	return v.parsed(t.Data).Get(name).Str()
}

// planFileOnly: of the calls made in plan mode none writes another file.
func (v *sessionView) planFileOnly() *judge.Break {
	for i, s := range v.each {
		if !s.plan || s.tool != "write" && s.tool != "edit" {
			continue
		}
		v.looked = true
		if !v.changes(s) {
			continue
		}
		if wrote := v.datum(s.item, "path"); wrote != "" && wrote != v.own && (v.own != "" || !isPlanPath(wrote)) {
			return v.broken(i, "write", "path", "the call wrote %q in plan mode, which is not the plan file", judge.Brief(wrote))
		}
		if name, ok := v.target(s.arg("path")); ok && name != v.own && v.own != "" {
			return v.broken(i, "write", "path", "the call wrote to %q in plan mode, which is not the plan file",
				judge.Brief(s.arg("path")))
		}
	}
	return nil
}

// filesKept follows the contents of the files, unless there are links.
func (v *sessionView) filesKept() *judge.Break {
	if v.links {
		return nil
	}
	unsure := map[string]bool{}
	for i, s := range v.each {
		name, ok := v.target(s.arg("path"))
		if !ok || strings.HasPrefix(name, "..") || strings.HasPrefix(name, "/") || strings.HasSuffix(s.arg("path"), "/") {
			continue
		}
		switch {
		case v.changes(s) && s.tool == "write":
			v.files[name] = s.arg("content")
		case v.changes(s):
			v.edit(s, name, unsure)
		case s.tool == "read" && s.made() && len(s.item.Data) > 0 && !unsure[name]:
			v.looked = true
			if held, got := v.files[name], v.datum(s.item, "content"); held != got {
				return v.broken(i, "reads", "content", "the read of %q returns %q instead of %q", judge.Brief(name),
					judge.Brief(got), judge.Brief(held))
			}
		}
	}
	if held, ok := v.files[v.out.Path]; ok && v.out.Content != "" && !unsure[v.out.Path] && held != v.out.Content {
		return v.broken(len(v.steps), "ends", "content",
			"the plan file contains %q at the end instead of %q, the last written content", judge.Brief(v.out.Content),
			judge.Brief(held))
	}
	return nil
}

func (v *sessionView) edit(s *sessionStep, name string, unsure map[string]bool) {
	held, old := v.files[name], s.arg("old")
	if old == "" || strings.Count(held, old) != 1 {
		unsure[name] = true
		return
	}
	v.files[name] = strings.Replace(held, old, s.arg("new"), 1)
}

// isPlanPath reports whether a path is one of a plan file: plans, a slug of
// three words, and .md.
func isPlanPath(p string) bool {
	slug, ok := strings.CutPrefix(p, "plans/")
	slug, markdown := strings.CutSuffix(slug, ".md")
	words := strings.Split(slug, "-")
	return ok && markdown && len(words) == 3 && !slices.ContainsFunc(words, func(w string) bool {
		return w == "" || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != ""
	})
}

// paths yields every path of a plan file in the outcome, with the call.
func (v *sessionView) paths(yield func(i int, p string) bool) {
	for i := range v.steps {
		for _, e := range v.steps[i].events {
			if p := v.datum(e, "planFilePath"); p != "" && !yield(i, p) {
				return
			}
		}
		if v.steps[i].tool == "EnterPlanMode" {
			if p := v.datum(v.steps[i].item, "path"); p != "" && !yield(i, p) {
				return
			}
		}
	}
	if v.out.Path != "" {
		yield(len(v.steps), v.out.Path)
	}
}

func (v *sessionView) pathInPlans() *judge.Break {
	for i, p := range v.paths {
		v.looked = true
		if !isPlanPath(p) {
			kind, below := "path", strings.TrimPrefix(p, "plans/")
			if below != p && strings.HasSuffix(p, ".md") && !strings.ContainsAny(below, `/\\`) {
				kind = "form"
			}
			return v.broken(i, kind, "path", "the plan file is reported as %q, which is not plans/<adjective>-<verb>-<noun>.md", judge.Brief(p))
		}
	}
	return nil
}

// onePlanFile looks for another session's file first, which is worse than two of
// its own.
func (v *sessionView) onePlanFile() *judge.Break {
	own := ""
	if v.slug != "" {
		own = "plans/" + v.slug + ".md"
	}
	for i, p := range v.paths {
		v.looked = true
		slug := strings.TrimSuffix(strings.TrimPrefix(p, "plans/"), ".md")
		if p != own && (slices.Contains(v.taken, slug) || v.hadFile(p)) {
			return v.broken(i, "other", "path", "the plan file %q belongs to another session", judge.Brief(p))
		}
	}
	for i, p := range v.paths {
		if own != "" && p != own {
			return v.broken(i, "two", "path", "the plan file is %q, but the session already has %q", judge.Brief(p),
				judge.Brief(own))
		}
		own = p
	}
	return nil
}

// hadFile reports whether the case has a file of that name, in whatever case.
func (v *sessionView) hadFile(p string) bool {
	return slices.ContainsFunc(v.names, func(name string) bool { return strings.EqualFold(name, p) })
}

func (v *sessionView) agentStaysOut() *judge.Break {
	if v.agent == "" {
		return nil
	}
	for i, s := range v.each {
		if !slices.Contains([]string{"EnterPlanMode", "ExitPlanMode", "phase", "toggle"}, s.tool) {
			continue
		}
		v.looked = true
		if s.made() || len(s.events) > 0 {
			return v.broken(i, "call", "code", "an agent's call is accepted")
		}
	}
	if v.out.Phase != v.phase && v.out.Mode != "" {
		return v.broken(len(v.steps), "phase", "phase", "an agent's session began in the phase %q and ended in %q", v.phase,
			v.out.Phase)
	}
	return nil
}

func (v *sessionView) toolsAllowed() *judge.Break {
	for i, s := range v.each {
		v.looked = true
		if why := v.forbids(s); why != "" && s.made() {
			return v.broken(i, known(s.tool, spec.Vocabulary().Marks), "code", "it is accepted, although %s", why)
		}
	}
	return nil
}

// forbids says why a call may not be made at all; "" if it may.
func (v *sessionView) forbids(s *sessionStep) string {
	switch s.tool {
	case "read", "ls", "glob", "grep", "fetch", "AskUserQuestion", "phase", "toggle":
		return ""
	case "write", "edit", "bash":
		switch {
		case v.agent == "plan":
			return "the plan agent must not change anything"
		case v.agent != "" && !slices.Contains(v.tools, s.tool):
			return "agent_tools does not list the tool"
		case s.tool == "bash" && s.plan:
			return "plan mode forbids commands"
		}
		return ""
	case "Task":
		switch agent := strings.ToLower(s.arg("agent")); {
		case v.agent != "":
			return "an agent cannot start agents"
		case s.plan && agent != "explore" && agent != "plan":
			return "plan mode starts only the agents Explore and Plan"
		}
		return ""
	case "EnterPlanMode":
		if s.plan {
			return "plan mode is on"
		}
		return ""
	case "ExitPlanMode":
		if !s.plan {
			return "plan mode is off"
		}
		return ""
	}
	return "unknown tool"
}

func (v *sessionView) askedFirst() *judge.Break {
	for i, s := range v.each {
		asked := s.tool == "EnterPlanMode" || s.tool == "ExitPlanMode" || s.asks && !s.plan &&
			(s.tool == "write" || s.tool == "edit")
		if !asked || !s.made() {
			continue
		}
		v.looked = true
		switch said := s.said(); {
		case said == "":
			return v.broken(i, "call", "code", "it is accepted without an approval")
		case said == "deny" && slices.ContainsFunc(s.events,
			func(e harness.TraceItem) bool { return e.Event == spec.EventPlanEnter }):
			return v.broken(i, "mode", "mode", "plan mode is entered although the user denied it")
		case said == "deny" && v.datum(s.item, "path") != "" && s.tool != "EnterPlanMode":
			return v.broken(i, "edit", "path", "the edit is made although the user denied it")
		}
	}
	return nil
}

func (v *sessionView) noEmptyPlan() *judge.Break {
	for i := range v.steps {
		for _, e := range v.steps[i].events {
			if e.Event != spec.EventPlanExit {
				continue
			}
			v.looked = true
			if content := v.parsed(e.Data).Get("planContent"); content != nil && strings.TrimSpace(content.Text) == "" {
				return v.broken(i, "blank", "content", "the user is asked to approve a blank plan")
			}
		}
	}
	return nil
}

// deniedExit looks at the feedback of all denials first: what the user said is lost.
func (v *sessionView) deniedExit() *judge.Break {
	denials := func(yield func(i int, s *sessionStep, last harness.TraceItem) bool) {
		for i, s := range v.each {
			if s.tool != "ExitPlanMode" || !s.made() || s.said() != "keep_planning" {
				continue
			}
			v.looked = true
			last := harness.TraceItem{}
			if len(s.events) > 0 {
				last = s.events[len(s.events)-1]
			}
			if !yield(i, s, last) {
				return
			}
		}
	}
	var b *judge.Break
	denials(func(i int, s *sessionStep, last harness.TraceItem) bool {
		said, feedback := s.call.Get("feedback").Str(), v.parsed(last.Data).Get("feedback")
		if feedback != nil && feedback.Text != said {
			b = v.broken(i, "feedback", "feedback", "the feedback is %q instead of %q", judge.Brief(feedback.Text),
				judge.Brief(said))
		}
		return b == nil
	})
	if b != nil {
		return b
	}
	denials(func(i int, _ *sessionStep, last harness.TraceItem) bool {
		state := v.out.Phase
		if i+1 < len(v.steps) {
			state = v.steps[i+1].item.State
		}
		switch {
		case last.Event != spec.EventPlanDenied:
			b = v.broken(i, "event", "event", "the user keeps planning, but the last event is %q instead of plan.denied",
				last.Event)
		case state != "" && state != "review" || v.out.Mode == "normal" && i+1 == len(v.steps):
			b = v.broken(i, "phase", "phase", "the user keeps planning, but the session continues in %q instead of review",
				judge.Brief(state))
		}
		return b == nil
	})
	return b
}

// phaseOrder lists the phases of plan mode; never written.
var phaseOrder = []string{"explore", "design", "review", "finalize", "exit"}

func (v *sessionView) phasesForward() *judge.Break {
	for i, s := range v.each {
		v.looked = true
		state := s.phase
		if !s.plan {
			state = "normal"
		}
		if s.item.State != "" && s.item.State != state {
			return v.broken(i, "found", "phase", "its state is %q, but the earlier calls and events led to %q",
				judge.Brief(s.item.State), state)
		}
		if s.tool != "phase" || !s.made() {
			continue
		}
		next := slices.Index(phaseOrder, s.call.Get("phase").Str())
		if !s.plan || next != slices.Index(phaseOrder, s.phase)+1 {
			return v.broken(i, "set", "phase", "the phase %q is set in %q", s.call.Get("phase").Str(), state)
		}
	}
	if v.out.Mode != "" && (v.out.Mode != v.mode || v.out.Phase != v.final) {
		return v.broken(len(v.steps), "ends", "phase",
			"the session reports the end in %q %q, but its calls and events led to %q %q", v.out.Mode, v.out.Phase, v.mode,
			v.final)
	}
	return nil
}

func (v *sessionView) refusedNothing() *judge.Break {
	for i, s := range v.each {
		if s.made() {
			continue
		}
		v.looked = true
		if len(s.events) > 0 {
			return v.broken(i, "event", "event", "it is rejected with %s, but emits %s", s.item.Code, s.events[0].Event)
		}
		if len(s.item.Data) > 0 && string(s.item.Data) != "null" {
			return v.broken(i, "data", "data", "it is rejected with %s, but returns data", s.item.Code)
		}
	}
	return nil
}

func (v *sessionView) firstRefusal() *judge.Break {
	v.looked = true
	i := slices.IndexFunc(v.steps, func(s sessionStep) bool { return !s.made() })
	code := v.out.Code
	switch {
	case i < 0 && v.out.Verdict != harness.Applied:
		return v.broken(len(v.steps), "verdict", "verdict", "no call was rejected, but the session is rejected")
	case i >= 0 && (v.out.Verdict != harness.Rejected || code != v.steps[i].item.Code && code != harness.Refused):
		return v.broken(i, "code", "code", "it is the first rejected call, with %s, but the session is %s",
			v.steps[i].item.Code, judge.Answer(*v.out))
	}
	return nil
}
