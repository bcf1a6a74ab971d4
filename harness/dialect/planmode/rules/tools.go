package rules

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

// The tools that are more than allowed or not.
const (
	enterTool = "EnterPlanMode"
	exitTool  = "ExitPlanMode"
	readTool  = "read"
	writeTool = "write"
	editTool  = "edit"
	bashTool  = "bash"
	taskTool  = "Task"
)

// planAgent is the name of the agent that plans and never changes anything.
const planAgent = "plan"

func (s *session) make(c *call) (jsontext.Value, *harness.Refusal) {
	switch c.tool {
	case "":
		if c.toggle {
			return s.toggle()
		}
		return s.advance(c)
	case enterTool:
		return s.enter(c)
	case exitTool:
		return s.exit(c)
	case "ls", "glob", "grep", "fetch", "AskUserQuestion":
		return nil, c.object()
	case readTool:
		return s.read(c)
	case bashTool:
		return nil, s.bash(c)
	case taskTool:
		return nil, s.task(c)
	case writeTool, editTool:
		return s.change(c)
	}
	return nil, harness.Refuse(harness.ToolForbidden, "unknown tool")
}

// object checks that the arguments are an object, or none.
func (c *call) object() *harness.Refusal {
	if c.args == nil || c.args.Kind == strictjson.Null || c.args.Kind == strictjson.Object {
		return nil
	}
	return harness.Refuse(harness.BadArguments, "args must be an object, not %s", c.args.Kind)
}

// arg returns an argument that must be a text.
func (c *call) arg(name string) (string, *harness.Refusal) {
	if refusal := c.object(); refusal != nil {
		return "", refusal
	}
	if c.args == nil || c.args.Get(name) == nil {
		return "", harness.Refuse(harness.BadArguments, "the argument %q is missing", name)
	}
	if v := c.args.Get(name); v.Kind != strictjson.String {
		return "", harness.Refuse(harness.BadArguments, "the argument %q must be a string, not %s", name, v.Kind)
	}
	return c.args.Get(name).Text, nil
}

// pathArg returns the argument path, which is not empty, with {plan} replaced.
func (s *session) pathArg(c *call) (string, *harness.Refusal) {
	path, refusal := c.arg("path")
	switch {
	case refusal != nil:
		return "", refusal
	case path == "":
		return "", harness.Refuse(harness.BadArguments, `the argument "path" is empty`)
	case s.path == "":
		return path, nil
	}
	return strings.ReplaceAll(path, "{plan}", s.path), nil
}

func (s *session) read(c *call) (jsontext.Value, *harness.Refusal) {
	path, refusal := s.pathArg(c)
	if refusal != nil {
		return nil, refusal
	}
	name, err := s.files.Resolve(path)
	if err != nil {
		return nil, nil // it is allowed, and there is nothing to read
	}
	content, err := s.files.Read(name)
	if err != nil {
		return nil, nil
	}
	return encode("content", content), nil
}

func (s *session) bash(c *call) *harness.Refusal {
	switch refusal := c.object(); {
	case refusal != nil:
		return refusal
	case !s.has(bashTool):
		return harness.Refuse(harness.ToolForbidden, "this agent does not have the tool")
	case s.phase != "":
		return harness.Refuse(harness.ToolForbidden, "plan mode forbids commands")
	}
	return nil
}

// has reports whether the context has a tool that changes things.
func (s *session) has(tool string) bool {
	return !s.agent || !s.planAgent && slices.Contains(s.agentTools, tool)
}

func (s *session) task(c *call) *harness.Refusal {
	agent, refusal := c.arg("agent")
	switch {
	case refusal != nil:
		return refusal
	case strings.TrimSpace(agent) == "":
		return harness.Refuse(harness.BadArguments, `the argument "agent" is blank`)
	case s.agent:
		return harness.Refuse(harness.ToolForbidden, "an agent cannot start agents")
	case s.phase != "" && !strings.EqualFold(agent, "explore") && !strings.EqualFold(agent, planAgent):
		return harness.Refuse(harness.ToolForbidden, "in plan mode only the agents Explore and Plan can start")
	}
	return nil
}

// change is write and edit: first the arguments, then whether it is allowed,
// then what the user says, then what the files hold.
func (s *session) change(c *call) (jsontext.Value, *harness.Refusal) {
	path, refusal := s.pathArg(c)
	if refusal != nil {
		return nil, refusal
	}
	content, refusal := contentOf(c)
	switch {
	case refusal != nil:
		return nil, refusal
	case !s.has(c.tool):
		return nil, harness.Refuse(harness.ToolForbidden, "this agent does not have the tool")
	case s.phase != "" && !s.isPlan(path):
		return nil, harness.Refuse(harness.ToolForbidden, "plan mode allows changes only to %s", s.path)
	case s.asked() && c.approval == "":
		return nil, harness.Refuse(harness.RepliesExhausted, "the script has no approval for this call; add one")
	case s.asked() && c.approval == deny:
		return nil, nil
	}
	name := s.path // in plan mode no path is followed a second time
	if s.phase == "" {
		name, refusal = s.resolve(path)
	}
	if refusal != nil || name == "" {
		return nil, refusal
	}
	if c.tool == editTool {
		if content, refusal = s.edited(c, name); refusal != nil {
			return nil, refusal
		}
	}
	if err := s.files.Write(name, content); err != nil {
		return nil, harness.Refuse(harness.BadArguments, "%s", err)
	}
	return encode("path", name), nil
}

// contentOf checks the arguments besides path, and returns the content of a write.
func contentOf(c *call) (string, *harness.Refusal) {
	if c.tool == writeTool {
		return c.arg("content")
	}
	old, refusal := c.arg("old")
	if refusal == nil && old == "" {
		refusal = harness.Refuse(harness.BadArguments, `the argument "old" is empty`)
	}
	if refusal == nil {
		_, refusal = c.arg("new")
	}
	return "", refusal
}

// asked reports whether the user is asked before an edit is made.
func (s *session) asked() bool { return s.asks && s.phase == "" }

// edited returns a file's content with the text replaced.
func (s *session) edited(c *call, name string) (string, *harness.Refusal) {
	content, err := s.files.Read(name)
	if err != nil {
		return "", harness.Refuse(harness.BadArguments, "the file to edit does not exist")
	}
	old, replacement := c.args.Get("old").Text, c.args.Get("new").Text
	if strings.Count(content, old) != 1 {
		return "", harness.Refuse(harness.BadArguments, "the text to replace occurs %d times in the file instead of once",
			strings.Count(content, old))
	}
	return strings.Replace(content, old, replacement, 1), nil
}
