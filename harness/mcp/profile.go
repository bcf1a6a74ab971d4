package mcp

import (
	"cmp"
	"path/filepath"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/tasks/spec"
	"replanbench/harness/document/yamlfile"
	"replanbench/harness/plan/toolmap"
)

// Profile is what must be known of a server: the map of its tools, and how to start it, set up
// a graph and read it back.
type Profile struct {
	*toolmap.Map
	Server Settings
	guess  *guess // nil for a profile that was written
	// wipes says that the server has no tasks any more when its files are removed.
	wipes bool
}

// Settings is the section server of a map.
type Settings struct {
	// Name is a pattern for the name that the server gives itself. Without a match, a server is
	// recognised by its tools.
	Name toolmap.Pattern `yaml:"name"`
	// Env are variables of the server. {dir} is its working directory.
	Env   []string `yaml:"env"`
	Files []File   `yaml:"files"` // to write before it starts
	// Run lists commands to run before the server starts. The word {server} is its program.
	Run   [][]string        `yaml:"run"`
	State State             `yaml:"state"`
	Vars  map[string]string `yaml:"vars"` // for {NAME} in arguments
	Next  Next              `yaml:"next"`
	// Memory says that the server keeps its tasks in memory. Faults of files do not apply.
	Memory bool `yaml:"memory"`
	// Shared says that several processes may work on the same tasks.
	Shared bool `yaml:"shared"`
	// Accumulate says that the tasks of other cases do not matter, so that a process serves many
	// cases although only calls can set up a graph.
	Accumulate bool `yaml:"accumulate"`
}

// File is a file to write in the working directory.
type File struct {
	Name    string `yaml:"name"`
	Content string `yaml:"content"`
}

// Next says which tasks the call next names besides ready ones.
type Next struct {
	One        bool `yaml:"one"`         // it names one task only
	InProgress bool `yaml:"in_progress"` // it also names tasks in progress
	Blocked    bool `yaml:"blocked"`     // the store has no blockers, so any pending task is ready
}

// State is where the graph is read, and how it is set up. Without a file, calls set it up.
type State struct {
	File string `yaml:"file"` // JSON with all tasks
	// Files is a pattern of files with one task each: a head in YAML and a text.
	Files string         `yaml:"files"`
	Path  string         `yaml:"path"` // of a new file; {id} is the id in lower case
	Body  string         `yaml:"body"` // of a new file, with {description}
	Text  string         `yaml:"text"` // pattern of the description in the body
	Clear []string       `yaml:"clear"`
	Tool  string         `yaml:"tool"` // that reads the graph
	Args  map[string]any `yaml:"args"`
	// IDs is the argument of Tool that takes the ids of the tasks to read.
	IDs    string `yaml:"ids"`
	Tasks  string `yaml:"tasks"`  // JSON Pointer to the tasks, with * for all items
	Around any    `yaml:"around"` // the document around the tasks; the text {tasks} is their list
	// Earlier is the document around the tasks in an earlier version of the file. Without it, tasks
	// of an earlier version lack the members of Fill.
	Earlier any `yaml:"earlier"`
	// Match finds a task each time in a text; its named groups are members.
	Match    toolmap.Pattern           `yaml:"match"`
	Members  map[string]toolmap.Member `yaml:"members"`
	Fill     map[string]any            `yaml:"fill"`     // of a new task in the file
	Statuses map[string][]string       `yaml:"statuses"` // in the state, if they differ from the statuses of the tools
	ID       string                    `yaml:"id"`       // of the N-th task: {n}, {uuid}
}

// reads reports whether the graph can be read.
func (s *State) reads() bool { return s.File != "" || s.Files != "" || s.Tool != "" }

// writes reports whether the graph is set up with files.
func (s *State) writes() bool { return s.ID != "" && (s.File != "" || s.Files != "") }

// Parse reads a profile.
func Parse(name string, data []byte) (*Profile, error) {
	m, err := toolmap.Parse(name, data)
	if err != nil {
		return nil, err
	}
	return of(name, m)
}

func of(name string, m *toolmap.Map) (*Profile, error) {
	p := &Profile{Map: m}
	if m.Server.Kind != 0 {
		if err := harness.Mistaken(yamlfile.Section(name+": server", &m.Server, &p.Server)); err != nil {
			return nil, err
		}
	}
	switch s := &p.Server.State; {
	case m.Dialect != dialect:
		return nil, harness.Mistakef("%s: dialect: a server is an engine of the dialect tasks, not %q", name, m.Dialect)
	case !s.reads():
		return nil, harness.Mistakef("%s: server.state: name where to read the tasks back (file, files or tool)", name)
	case !filepath.IsLocal(cmp.Or(s.File, s.Files, ".")):
		return nil, harness.Mistakef("%s: server.state: the file is outside the working directory", name)
	}
	for _, f := range p.Server.Files {
		if !filepath.IsLocal(f.Name) {
			return nil, harness.Mistakef("%s: server.files: %q is outside the working directory", name, f.Name)
		}
	}
	if _, err := p.rules(nil); err != nil {
		return nil, harness.Mistakef("%s: rules: %w", name, err)
	}
	return p, nil
}

// rules returns the knobs of the profile, and more on top of them.
func (p *Profile) rules(more []string) (harness.Profile, error) {
	r := harness.Reference()
	for _, s := range slices.Concat(p.Rules, more) {
		if err := r.Apply(s, spec.Knobs()...); err != nil {
			return r, err
		}
	}
	return r, nil
}

// dialect is the dialect of all servers.
const dialect = "tasks"

// Builtin returns the built-in profiles of servers.
func Builtin() ([]*Profile, error) { return toolmap.Sections(toolmap.Server, of) }

// Source returns the text of a built-in profile, to begin one's own with.
func Source(name string) ([]byte, error) { return toolmap.Source(toolmap.Server, name) }

// fits reports whether a server with that name and these tools has the profile.
func (p *Profile) fits(name string, tools map[string]*tool) bool {
	if p.Server.Name.Regexp != nil { // it may offer its tools only with the variables of the profile
		return p.Server.Name.MatchString(name)
	}
	return !slices.ContainsFunc(p.Tools, func(t toolmap.Tool) bool { return tools[t.Tool] == nil })
}

// without lists the capabilities that the server lacks, by what its tools can express.
func (p *Profile) without() []string {
	list := slices.Concat(p.Without, p.Missing(p.Server.Vars),
		[]string{"text", "padded", "plan", "max_plan_steps", "max_reply_bytes", "max_depth"})
	edges := slices.Contains(list, "new_blockers") && slices.Contains(list, "set_blockers") &&
		slices.Contains(list, "add_blockers") && !p.Server.State.writes()
	shown := members(p.Server.State.Members)
	if edges || !slices.Contains(shown, "blocked_by") {
		list = append(list, "blockers")
	}
	if !slices.Contains(shown, "description") {
		list = append(list, "new_description", "description")
	}
	if p.Server.Memory {
		list = append(list, "restart")
	}
	if !p.Server.Shared {
		list = append(list, "clients")
	}
	if p.Server.State.File == "" && p.Server.State.Files == "" {
		list = append(list, "file")
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func members(m map[string]toolmap.Member) (list []string) {
	for _, x := range m {
		list = append(list, x.To)
	}
	return list
}
