// Package toolmap says as data how the tools of an agent or of a task server become calls of a
// dialect, and back. One map serves recorded sessions, agents and servers. The maps of the
// known tools are built in.
package toolmap

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/document/yamlfile"
)

// Map says how tools become calls of a dialect.
type Map struct {
	Name    string `yaml:"name"`
	Text    string `yaml:"text"` // one line
	Dialect string `yaml:"dialect"`
	// Rules are the knobs that the tools work by, as in --profile: the name of a set, or knob=value.
	Rules []string `yaml:"rules"`
	// Without lists what the tools lack beyond what the map shows: capabilities of the dialect,
	// members, and values. Nothing is asked that needs them.
	Without []string `yaml:"without"`
	// Statuses lists the words of the tools for each status of the dialect. The first of each is
	// written.
	Statuses map[string][]string `yaml:"statuses"`
	Tools    []Tool              `yaml:"tools"`
	// Result is where all tools report ids and refusals, unless a tool has its own Result.
	Result Result `yaml:"result"`
	// Server has what package mcp needs to drive a server with these tools.
	Server yaml.Node `yaml:"server"`
	// Agent has what package agent needs to drive an agent with these tools.
	Agent yaml.Node `yaml:"agent"`

	former []string // members with former names, and where they are now
}

// Tool is a way to use a tool. One tool may have several, and the first that fits counts.
type Tool struct {
	Tool string `yaml:"tool"`
	// Where is a JSON Pointer into the schema of the arguments that must be there. It distinguishes
	// tools of one name.
	Where string `yaml:"where"`
	// Call is the call of the dialect. The words list and get mean that the tool only reads. A
	// rewrite is a whole reply, word by word: the arguments, or the member text.
	Call string `yaml:"call"`
	// When lists values of arguments without which the way does not fit.
	When map[string]any `yaml:"when"`
	// Each is the argument with a list of objects. Each object is a call. In a replace, each
	// object is a task.
	Each string `yaml:"each"`
	// Raw says that Each is a text that contains the list as JSON.
	Raw bool `yaml:"raw"`
	// Members maps arguments to members of the call. A dot separates the names of nested objects. In a
	// rewrite, LIST.NAME is a member of the objects of a list.
	Members map[string]Member `yaml:"members"`
	// Set lists members of the call that the use of the tool implies.
	Set map[string]any `yaml:"set"`
	// Fill lists arguments that the tool requires and the call lacks. In texts, {NAME} is replaced.
	// The name LIST.NAME adds to the objects of a list.
	Fill map[string]any `yaml:"fill"`
	// Ignore lists arguments without plan data.
	Ignore []string `yaml:"ignore"`
	// Then lists tools to use after this one, with the same id, to carry out the call.
	Then []string `yaml:"then"`
	// Setup says that the way only builds up a graph. Generated calls do not use it.
	Setup  bool    `yaml:"setup"`
	Result *Result `yaml:"result"`
}

// UnmarshalYAML reads a tool. The library adds the line to an error.
func (t *Tool) UnmarshalYAML(n *yaml.Node) error {
	type plain Tool
	calls := []string{"create", "update", "delete", "replace", "next", "list", "get", Rewrite}
	switch err := n.Load((*plain)(t), yaml.WithKnownFields()); {
	case err != nil:
		return err
	case t.Tool == "":
		return errors.New("tool is missing (the name of the tool)")
	case !slices.Contains(calls, t.Call):
		return fmt.Errorf("tool %s: unknown call %q%s (choose one of %s)", t.Tool, t.Call, harness.DidYouMean(t.Call, calls),
			strings.Join(calls, ", "))
	case t.Call == Rewrite:
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(t.Members)) {
		if to := t.Members[name].To; !slices.Contains(members(), to) {
			return fmt.Errorf("tool %s: %s: unknown member %q%s (choose one of %s)", t.Tool, name, to,
				harness.DidYouMean(to, members()), strings.Join(members(), ", "))
		}
	}
	return nil
}

// members lists the members of calls.
func members() []string {
	return append(idLists(), "id", "key", "parent", "subject", "description", "status", "mode")
}

// Member is a member of a call, and the form in which the tool has it.
type Member struct {
	To string `yaml:"to"`
	// As is the form: text (the default), number, one (a list with one id, as that id), one_number
	// (that id as a number), commas (a list as a text with commas), many (one id or several, as a
	// text with commas), bool.
	As string `yaml:"as"`
	// In is the member with the id, where each item of a list is an object.
	In string `yaml:"in"`
}

// Forms of members.
const (
	AsText      = "text"
	AsNumber    = "number"
	AsOne       = "one"
	AsOneNumber = "one_number"
	AsCommas    = "commas"
	AsMany      = "many"
	AsBool      = "bool"
)

// one reports whether the tool has one id where the call has a list.
func (m Member) one() bool { return m.As == AsOne || m.As == AsOneNumber }

// UnmarshalYAML reads a member, or the name of one alone.
func (m *Member) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&m.To)
	}
	type plain Member
	forms := []string{"", AsText, AsNumber, AsOne, AsOneNumber, AsCommas, AsMany, AsBool}
	if err := n.Load((*plain)(m), yaml.WithKnownFields()); err != nil {
		return err
	}
	if m.To == "" || !slices.Contains(forms, m.As) {
		return fmt.Errorf("a member needs the key to (a member of the call); the key as is one of %s", strings.Join(forms[1:], ", "))
	}
	return nil
}

// Result is where a tool reports ids and refusals.
type Result struct {
	ID      []Place `yaml:"id"`      // of new tasks, in order; the first place with an id counts
	Ready   []Place `yaml:"ready"`   // the tasks that next names
	Refused []Place `yaml:"refused"` // any of these means a refusal, besides an error of the protocol
}

// Place is a place in an answer. It has either JSON or Match.
type Place struct {
	// JSON is a JSON Pointer into the structured result, or into the text read as JSON. The name
	// "*" means all items.
	JSON string `yaml:"json"`
	// Is is the value that the place must have; without it, any value counts.
	Is any `yaml:"is"`
	// Match is a pattern for the text. Its first group is the id.
	Match Pattern `yaml:"match"`
}

// Pattern is a regular expression. The zero value matches nothing.
type Pattern struct{ *regexp.Regexp }

// UnmarshalYAML reads the expression.
func (p *Pattern) UnmarshalYAML(n *yaml.Node) error {
	var text string
	if err := n.Decode(&text); err != nil {
		return err
	}
	re, err := regexp.Compile(text)
	p.Regexp = re
	return err // the library adds the line
}

// In reports whether a text contains what the pattern describes.
func (p Pattern) In(text string) bool { return p.Regexp != nil && p.MatchString(text) }

// Parse reads a map. The error names the file and the line.
func Parse(name string, data []byte) (*Map, error) {
	var o older
	if err := harness.Mistaken(yamlfile.Decode(name, "map", data, &o)); err != nil {
		return nil, err
	}
	m := o.upgrade()
	if problem := m.problem(); problem != "" {
		return nil, harness.Mistakef("%s: %s", name, problem)
	}
	return m, nil
}

// problem returns the first error in a map, or "".
func (m *Map) problem() string {
	switch {
	case m.Name == "":
		return "name is missing"
	case m.Dialect == "":
		return "dialect is missing (the dialect of the calls, such as tasks)"
	}
	for _, status := range slices.Sorted(maps.Keys(m.Statuses)) {
		if !slices.Contains(Statuses(), status) {
			return fmt.Sprintf("statuses: unknown status %q%s (give the words of the tools for %s)", status,
				harness.DidYouMean(status, Statuses()), strings.Join(Statuses(), ", "))
		}
	}
	return ""
}

//go:embed builtin
var builtin embed.FS

// Builtin returns the built-in maps by dialect and name. An error is a bug.
func Builtin() ([]*Map, error) {
	list, err := parsed()
	return slices.Clone(list), err
}

// parsed are the built-in maps, which are read once and never written.
var parsed = sync.OnceValues(func() (list []*Map, err error) {
	folders, err := builtin.ReadDir("builtin")
	for _, f := range folders {
		maps, wrong := files.Embedded(builtin, path.Join("builtin", f.Name()), Parse)
		list, err = append(list, maps...), errors.Join(err, wrong)
	}
	return list, err
})

// List is a list of maps.
type List []*Map

// For returns the built-in maps of a dialect. It panics if one is wrong, which is a bug.
func For(dialect string) List {
	list, err := Builtin()
	if err != nil {
		panic("toolmap: " + err.Error())
	}
	return slices.DeleteFunc(list, func(m *Map) bool { return m.Dialect != dialect })
}

// Tools lists the tools of the maps, each once.
func (l List) Tools() (names []string) {
	for _, m := range l {
		for _, t := range m.Tools {
			if !slices.Contains(names, t.Tool) {
				names = append(names, t.Tool)
			}
		}
	}
	return names
}

// Naming returns the first map that names a tool, or nil.
func (l List) Naming(tool string) *Map {
	if i := slices.IndexFunc(l, func(m *Map) bool { return m.Names(tool) }); i >= 0 {
		return l[i]
	}
	return nil
}

// The sections of maps.
const (
	Server = "server"
	Agent  = "agent"
)

// section returns a section of the map.
func (m *Map) section(name string) *yaml.Node {
	return map[string]*yaml.Node{Server: &m.Server, Agent: &m.Agent}[name]
}

// Sections converts the built-in maps that have a section into profiles.
func Sections[P any](section string, of func(name string, m *Map) (P, error)) ([]P, error) {
	maps, err := Builtin()
	var list []P
	for _, m := range maps {
		if m.section(section).Kind == 0 {
			continue
		}
		p, err := of(m.Name, m)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, err
}

// Source returns the text of the built-in map of that name with a section, as a start for another one.
func Source(section, name string) ([]byte, error) {
	maps, err := Builtin()
	for _, m := range maps {
		if m.Name == name && m.section(section).Kind != 0 {
			return builtin.ReadFile(path.Join("builtin", m.Dialect, name+".yaml"))
		}
	}
	return nil, errors.Join(err, fs.ErrNotExist)
}

// Names reports whether the map names the tool; see [Same].
func (m *Map) Names(tool string) bool { return len(m.ways(tool)) > 0 }

// ways returns the ways to use the tool.
func (m *Map) ways(tool string) (list []*Tool) {
	for i := range m.Tools {
		if t := &m.Tools[i]; Same(t.Tool, tool) {
			list = append(list, t)
		}
	}
	return list
}

// Same reports whether an agent means the tool by a name: the name itself, or the name after the
// name of a server, as in mcp__SERVER__TOOL.
func Same(tool, name string) bool { return tool == name || strings.HasSuffix(name, "__"+tool) }
