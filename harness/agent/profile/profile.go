// Package profile describes an agent for the tests: which tool keeps the plan, what
// the tool takes, where the plan is returned, and which settings connect the agent
// to the endpoint. A profile is a YAML file. Profiles of the tested agents are built
// in.
package profile

import (
	"cmp"
	"embed"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/agent/wire"
	"replanbench/harness/document/files"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/yamlfile"
	"replanbench/harness/plan/toolmap"
)

// Profile is what is known of an agent. Its many fields are the members of the file.
type Profile struct {
	Name string `yaml:"name"`
	Text string `yaml:"text"` // one line
	// Package is the npm package, and Command how it is started. Both are for people and for
	// the workflow that tests new versions.
	Package string   `yaml:"package"`
	Command []string `yaml:"command"`
	Dialect string   `yaml:"dialect"` // whose edits the plan tool takes
	// Rules are the knobs that the agent works by, as in --profile: the name of a
	// set, or knob=value.
	Rules []string `yaml:"rules"`
	// Without lists what the tool does not know: members of items, and values. The
	// agent is asked no edits with them.
	Without []string `yaml:"without"`
	Tool    Tool     `yaml:"tool"`
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
	Resume []string `yaml:"resume"`
	State  []State  `yaml:"state"` // the first that is there counts
	// Refused matches the result of a call that the tool refused.
	Refused  toolmap.Pattern `yaml:"refused"`
	Settings []File          `yaml:"settings"`
	// Env and Arguments are added to the command's own; in both, and in settings,
	// {url}, {key} and {model} are replaced by the values of the endpoint.
	Env       []string `yaml:"env"`
	Arguments []string `yaml:"arguments"`
}

// Tool is the plan tool.
type Tool struct {
	Names []string `yaml:"names"`
	// Where is a JSON Pointer into the schema of the tool's arguments that must be
	// there. It distinguishes tools of one name.
	Where string `yaml:"where"`
	// With lists other tools. One must be offered; this distinguishes agents.
	With []string `yaml:"with"`
	// Member is the member of the arguments that holds the edit as a text; without
	// it the arguments are the edit.
	Member string `yaml:"member"`
	// Add are members that the tool requires of every item and edits may lack.
	Add map[string]string `yaml:"add"`
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
	// Behind matches the text before the plan; the last match counts, as in a log of calls.
	Behind toolmap.Pattern `yaml:"behind"`
	// Told is the text by which such a log shows that it contains a call; {call} is the
	// id. Agents write their logs late, so the program waits for it.
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
	// Names maps names of members to names in the dialect's plan.
	Names map[string]string `yaml:"names"`
	// Values turns values of members, by the dialect's name of the member.
	Values map[string]map[string]string `yaml:"values"`
	// List is the member of the dialect's plan that holds the items.
	List string `yaml:"list"`
}

// File is a file of settings, below HOME or in the working directory.
type File struct {
	Home    string `yaml:"home"`
	Work    string `yaml:"work"`
	Content string `yaml:"content"`
}

// Parse reads a profile. The error names the file and the line.
func Parse(name string, data []byte) (*Profile, error) {
	p := &Profile{}
	if err := harness.Mistaken(yamlfile.Decode(name, "profile", data, p)); err != nil {
		return nil, err
	}
	if problem := p.problem(); problem != "" {
		return nil, harness.Mistakef("%s: %s", name, problem)
	}
	return p, nil
}

// problem says what a profile lacks.
func (p *Profile) problem() string {
	switch {
	case p.Dialect == "":
		return "dialect is missing (the dialect of the plan tool's edits)"
	case len(p.Tool.Names) == 0:
		return "tool.names is missing (the names of the plan tool)"
	case len(p.State) == 0:
		return "state is missing (where to read the plan after a call)"
	}
	for i, s := range p.State {
		if (s.JSON == "") == (s.Match.Regexp == nil) {
			return fmt.Sprintf("state[%d]: give either json (the name of the list) or match (a regular expression for an item)",
				i)
		}
		if s.List == "" {
			return fmt.Sprintf("state[%d].list is missing: the member of the dialect's plan that holds the items", i)
		}
	}
	for i, f := range p.Settings {
		if (f.Home == "") == (f.Work == "") {
			return fmt.Sprintf("settings[%d]: give either home or work, the name of the file below HOME or below the working "+
				"directory", i)
		}
	}
	return ""
}

//go:embed builtin/*.yaml
var builtin embed.FS

// Builtin lists the built-in profiles by name. An error is a bug.
func Builtin() ([]*Profile, error) { return files.Embedded(builtin, "builtin", Parse) }

// Source returns the text of a built-in profile, to begin one's own with.
func Source(name string) ([]byte, error) { return builtin.ReadFile(path.Join("builtin", name+".yaml")) }

// Of returns the plan tool among those offered, if it is there.
func (p *Profile) Of(tools []wire.Tool) (wire.Tool, bool) {
	with := func(t wire.Tool) bool { return slices.Contains(p.Tool.With, t.Name) }
	if p.Tool.With != nil && !slices.ContainsFunc(tools, with) {
		return wire.Tool{}, false
	}
	for _, t := range tools {
		if slices.Contains(p.Tool.Names, t.Name) && p.Tool.fits(t) {
			return t, true
		}
	}
	return wire.Tool{}, false
}

// Fill returns the arguments of a call that makes an edit.
func (p *Profile) Fill(edit string) string {
	if p.Tool.Member != "" {
		return "{" + strictjson.Quote(p.Tool.Member) + ":" + strictjson.Quote(edit) + "}"
	}
	return edit
}

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

// Complete returns an edit with the members that the tool requires of every item.
func (p *Profile) Complete(edit string) string {
	tree := strictjson.NewTree(edit, maxDepth)
	if len(p.Tool.Add) == 0 || tree == nil || tree.Kind != strictjson.Object {
		return edit
	}
	for i := range tree.Kids {
		list := &tree.Kids[i]
		for k := range list.Kids {
			item := &list.Kids[k]
			if list.Kind != strictjson.Array || item.Kind != strictjson.Object {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(p.Tool.Add)) {
				if item.Get(name) == nil {
					item.Set(name, strictjson.Node{Kind: strictjson.String, Raw: strictjson.Quote(p.Tool.Add[name])})
				}
			}
		}
	}
	return tree.String()
}

func (t Tool) fits(offered wire.Tool) bool {
	if t.Where == "" {
		return true
	}
	doc, err := strictjson.Parse(offered.Schema, maxDepth)
	return err == nil && doc.Root.At(t.Where) != nil
}

// maxDepth bounds the depth of what agents send.
const maxDepth = 200

// Choose returns the first profile whose plan tool is offered.
func Choose(list []*Profile, tools []wire.Tool) (*Profile, bool) {
	for _, p := range list {
		if _, ok := p.Of(tools); ok {
			return p, true
		}
	}
	return nil, false
}
