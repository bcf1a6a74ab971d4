// Package profile describes an agent for the tests: a map of its plan tool, where the plan is
// returned, and which settings connect the agent to the endpoint.
package profile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/yamlfile"
	"replanbench/harness/plan/toolmap"
)

// Profile describes an agent: the map of its plan tool, and how to drive it.
type Profile struct {
	*toolmap.Map
	Agent
	// Guess is the text of a profile that was guessed from the tools of the agent, as YAML.
	Guess string
}

// Agent is the section agent of a map. Its many fields are its members.
type Agent struct {
	// Package is the npm package, and Command how it is started. Both are for people and for
	// the workflow that tests new versions.
	Package string   `yaml:"package"`
	Command []string `yaml:"command"`
	// With lists other tools. One must be offered; this distinguishes agents.
	With []string `yaml:"with"`
	// Probe is another tool of the agent. The endpoint calls it to count executions and to
	// fill the history.
	Probe Probe `yaml:"probe"`
	// Child is the tool that starts a sub-agent.
	Child Probe `yaml:"child"`
	// Window is the number of tokens that the agent believes to fit into the model's
	// window; 0 is 128,000.
	Window int `yaml:"window"`
	// Resume are the arguments, in addition to the command's own, that continue the last
	// session. Without them the agent is not resumed.
	Resume   []string `yaml:"resume"`
	State    []State  `yaml:"state"` // the first that is there counts
	Settings []File   `yaml:"settings"`
	// Env and Arguments are added to the command's own; in both, and in settings,
	// {url}, {key} and {model} are replaced by the values of the endpoint.
	Env       []string `yaml:"env"`
	Arguments []string `yaml:"arguments"`
}

// Probe is a tool that runs a command of the shell, or starts a sub-agent.
type Probe struct {
	Names []string `yaml:"names"`
	// Arguments is JSON. {command} is replaced by the command, as part of a JSON string.
	Arguments string `yaml:"arguments"`
}

// Call returns the name and the arguments of a call, if the tool is offered.
func (p Probe) Call(tools []wire.Tool, command string) (name, arguments string, ok bool) {
	i := slices.IndexFunc(tools, func(t wire.Tool) bool { return slices.Contains(p.Names, t.Name) })
	if i < 0 {
		return "", "", false
	}
	quoted := strictjson.Quote(command)
	return tools[i].Name, strings.ReplaceAll(p.Arguments, "{command}", quoted[1:len(quoted)-1]), true
}

// Tokens returns the size of the window.
func (p *Profile) Tokens() int { return cmp.Or(p.Window, 128_000) }

// State says where the plan comes back after a call.
type State struct {
	// File is a pattern of files below HOME. The newest counts; without it
	// the state is in the result of the call.
	File string `yaml:"file"`
	// Stdout says that the state is in what the agent prints.
	Stdout bool `yaml:"stdout"`
	// Message says that the state is in a message of the next request: "behind" the results, as a
	// reminder, or in the instructions ("system"). Agents may leave it out in some requests.
	Message string `yaml:"message"`
	// Behind matches the text before the plan; the last match counts, as in a log of calls.
	Behind toolmap.Pattern `yaml:"behind"`
	// Told is the text that shows that such a log contains a call; {call} is the id of the
	// call. Agents write their logs late, so the program waits for this text.
	Told string `yaml:"told"`
	// JSON is the name of the list within a JSON value in the text; "-" is a list
	// without a name.
	JSON string `yaml:"json"`
	// Match finds an item each time; its named groups are the members.
	Match toolmap.Pattern `yaml:"match"`
	// Rest is the member that gets the text after a match, up to the next one.
	Rest string `yaml:"rest"`
	// Empty matches the text of an empty plan.
	Empty toolmap.Pattern `yaml:"empty"`
	// Names maps names of members to names in the dialect's plan. Statuses are words of the map.
	Names map[string]string `yaml:"names"`
	// List is the member of the dialect's plan that holds the items.
	List string `yaml:"list"`
	// Each says that every file has one item, as an object.
	Each bool `yaml:"each"`
	// Members maps the members of tasks to the dialect's own, for tools that change one task a call.
	// Such tools state the plan in files or in the result of the call list.
	Members map[string]toolmap.Member `yaml:"members"`
	// Get says that the call get shows more of a task than the list does, as JSON.
	Get bool `yaml:"get"`
	// OpenBlockers says that a task is shown with its open blockers only.
	OpenBlockers bool `yaml:"open_blockers"`
}

// File is a file of settings, below HOME or in the working directory.
type File struct {
	Home    string `yaml:"home"`
	Work    string `yaml:"work"`
	Content string `yaml:"content"`
}

// Parse reads a profile. The error names the file and the line.
func Parse(name string, data []byte) (*Profile, error) {
	m, err := toolmap.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return of(name, m)
}

func of(name string, m *toolmap.Map) (*Profile, error) {
	own := *m // the built-in map is shared
	p := &Profile{Map: &own}
	if m.Agent.Kind != 0 {
		if err := harness.Mistaken(yamlfile.Section(name+": agent", &m.Agent, &p.Agent)); err != nil {
			return nil, err
		}
	}
	if problem := p.problem(); problem != "" {
		return nil, harness.Mistakef("%s: %s", name, problem)
	}
	for i := range p.State {
		if s := &p.State[i]; s.JSON != "" && s.Names == nil {
			s.Names = p.main().ItemNames()
		}
	}
	if p.Single() {
		p.Without = slices.Concat(p.Without, p.Missing(nil), beyond())
	}
	return p, nil
}

// problem says what a profile lacks.
func (p *Profile) problem() string {
	switch {
	case p.main() == nil:
		return "tools is missing (the plan tool, with call: rewrite; or tools for single tasks, with call: create)"
	case len(p.State) == 0:
		return "agent.state is missing (where to read the plan after a call)"
	}
	for i, s := range p.State {
		if (s.JSON == "") == (s.Match.Regexp == nil) {
			return fmt.Sprintf("agent.state[%d]: give either json (the name of the list) or match (a regular expression for an item)",
				i)
		}
		if p.Single() && s.Members == nil {
			return fmt.Sprintf("agent.state[%d].members is missing: the members of a task, such as title: subject", i)
		}
		if p.Single() && s.File == "" && s.Message == "" && p.tool("list") == nil {
			return fmt.Sprintf("agent.state[%d]: no tool has call: list, so name a file or a message that has the tasks", i)
		}
		if s.Message != "" && s.Message != wire.Behind && s.Message != wire.System {
			return fmt.Sprintf("agent.state[%d].message is %q, and must be %s (the results) or %s", i, s.Message, wire.Behind,
				wire.System)
		}
		if s.List == "" {
			return fmt.Sprintf("agent.state[%d].list is missing: the member of the dialect's plan that holds the items", i)
		}
	}
	for i, f := range p.Settings {
		if (f.Home == "") == (f.Work == "") {
			return fmt.Sprintf("agent.settings[%d]: give either home or work, the name of the file below HOME or below the working "+
				"directory", i)
		}
	}
	return ""
}

// Builtin lists the built-in profiles by name. An error is a bug.
func Builtin() ([]*Profile, error) { return toolmap.Sections(toolmap.Agent, of) }

// Source returns the text of a built-in profile, to begin one's own with.
func Source(name string) ([]byte, error) { return toolmap.Source(toolmap.Agent, name) }

// main returns the tool that takes the whole list, or the first that makes a task; nil if there is neither.
func (p *Profile) main() *toolmap.Tool { return cmp.Or(p.tool(toolmap.Rewrite), p.tool("create")) }

// Single reports whether the tools change one task a call.
func (p *Profile) Single() bool { return p.main().Call != toolmap.Rewrite }

// beyond lists what no arguments of tools for single tasks can say, or no store of an agent is asked.
func beyond() []string {
	return []string{
		"text", "padded", "plan", "max_plan_steps", "max_reply_bytes", "max_depth", harness.FeatureStore, "restart", "clients",
		"file",
	}
}

// tool returns the first way to make a call; nil if there is none.
func (p *Profile) tool(call string) *toolmap.Tool {
	if i := slices.IndexFunc(p.Tools, func(t toolmap.Tool) bool { return t.Call == call }); i >= 0 {
		return &p.Tools[i]
	}
	return nil
}

// Reads reports whether a tool only reads the plan.
func (p *Profile) Reads(name string) bool { return p.uses(name, "list", "get") }

// uses reports whether a tool makes one of these calls.
func (p *Profile) uses(name string, calls ...string) bool {
	return slices.ContainsFunc(p.Tools, func(t toolmap.Tool) bool {
		return toolmap.Same(t.Tool, name) && slices.Contains(calls, t.Call)
	})
}

// Of returns the plan tool among those offered, if it is there.
func (p *Profile) Of(tools []wire.Tool) (wire.Tool, bool) {
	with := func(t wire.Tool) bool { return slices.Contains(p.With, t.Name) }
	if p.With != nil && !slices.ContainsFunc(tools, with) {
		return wire.Tool{}, false
	}
	if _, ok := p.offered("update", tools); p.Single() && !ok {
		return wire.Tool{}, false
	}
	return p.offered(p.main().Call, tools)
}

// offered returns a tool for a call among those offered.
func (p *Profile) offered(call string, tools []wire.Tool) (wire.Tool, bool) {
	i := slices.IndexFunc(tools, func(o wire.Tool) bool {
		return slices.ContainsFunc(p.Tools, func(t toolmap.Tool) bool {
			return t.Call == call && toolmap.Same(t.Tool, o.Name) && has(o, t.Where)
		})
	})
	if i < 0 {
		return wire.Tool{}, false
	}
	return tools[i], true
}

// has reports whether the schema of a tool has a place; "" is everywhere.
func has(offered wire.Tool, where string) bool {
	if where == "" {
		return true
	}
	doc, err := strictjson.Parse(offered.Schema, maxDepth)
	return err == nil && doc.Root.At(where) != nil
}

// Fill returns the arguments of a call that makes an edit.
func (p *Profile) Fill(edit string) string { return p.Written(p.main(), edit) }

// Complete returns an edit with the members that the tool requires of every item.
func (p *Profile) Complete(edit string) string { return p.main().Complete(edit) }

// Schema returns the schema of the plan tool with the names of the dialect.
func (p *Profile) Schema(text jsontext.Value) jsontext.Value {
	return jsontext.Value(p.Map.Schema(p.main(), string(text)))
}

// AsText reports whether the tool takes the edit as a text in one argument.
func (p *Profile) AsText() bool { return p.main().TextMember() != "" }

// Lacks reports whether an edit says what the tool does not know.
func (p *Profile) Lacks(edit string) (lacks bool) {
	tree := strictjson.NewTree(edit, maxDepth)
	if tree == nil {
		return false
	}
	tree.Walk(func(n *strictjson.Node, _ []string) {
		lacks = lacks || n.Name != "" && slices.Contains(p.Without, n.Key()) || n.Text() != "" &&
			slices.Contains(p.Without, n.Text())
	})
	return lacks
}

// maxDepth bounds the depth of what agents send.
const maxDepth = 200

// Choose returns the profile of an agent with these tools. If the list has one profile, it must offer the
// plan tool. Otherwise that is not enough, because agents of several makers have a tool todo_write: the
// first counts that also offers the shell of the profile and requires no unknown members. If none does,
// a profile is guessed from the schemas, and if that fails, the name of the tool decides.
func Choose(list []*Profile, tools []wire.Tool) (*Profile, bool) {
	var named []*Profile
	for _, p := range list {
		if t, ok := p.Of(tools); ok {
			if named = append(named, p); p.knows(t, tools) {
				return p, true
			}
		}
	}
	if guess, ok := guessed(tools); ok && len(list) > 1 {
		return guess, true
	}
	if named == nil {
		return nil, false
	}
	return named[0], true
}

// knows reports whether the agent offers the shell of the profile, and its plan tool fits.
func (p *Profile) knows(t wire.Tool, tools []wire.Tool) bool {
	_, _, shell := p.Probe.Call(tools, "")
	return (shell || p.Probe.Names == nil) && p.fits(t)
}
