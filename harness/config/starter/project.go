// Package starter writes the first files of a project.
package starter

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/config"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/files"
	"replanbench/harness/document/schema"
	"replanbench/harness/engine/adapters"
)

// The files that a run of the gate leaves behind.
const (
	pageFile    = "replanbench.html"
	junitFile   = "replanbench.xml"
	findingsDir = "replanbench-findings"
)

// ScenarioDir is the directory of the project's own scenarios.
const ScenarioDir = "scenarios"

//go:embed workflow.yml
var workflow string

//go:embed agents.yml
var agents string

//go:embed mcp.yml
var server string

//go:embed cluster
var clusters embed.FS

// Cluster is a scheduler that shards of a run can be given to.
type Cluster struct {
	Name string
	File string // to write
	path string
}

// Clusters lists the schedulers.
func Clusters() []Cluster {
	return []Cluster{
		{"slurm", "replanbench.slurm.sh", "cluster/slurm.sh"},
		{"kubernetes", "replanbench.kubernetes.yml", "cluster/kubernetes.yml"},
		{"github", ".github/workflows/replanbench-shards.yml", "cluster/github.yml"},
	}
}

// Agent is an agent that npm installs.
type Agent struct {
	Name    string // of its profile
	Package string
	Command []string
}

// Example is a small project to copy.
type Example struct {
	Files   fs.FS             `yaml:"-"` // copied, but for Go tests, which need this module
	Adapter string            // its language; "": it has no engine
	Dialect string            // that the adapter is for; "": the first
	More    map[string]string // other files: their contents by name
	Command []string          // how its engine starts; nil: as the adapter
	Fill    []string          // pairs: a text of the adapter, and what replaces it
}

// filled replaces texts of an adapter. A text that is not there is a bug of the example.
func (x *Example) filled(source string) (string, error) {
	for pair := range slices.Chunk(x.Fill, 2) {
		if !strings.Contains(source, pair[0]) {
			return "", fmt.Errorf("the adapter of the example does not contain %q", pair[0])
		}
	}
	return strings.NewReplacer(x.Fill...).Replace(source), nil
}

// Project holds the files to write and their directory.
type Project struct {
	Dir      string
	Example  *Example          // nil: none
	Adapter  *adapters.Adapter // nil: none
	Dialects adapters.Dialects // that the adapter is for
	Cluster  *Cluster          // nil: none
	Agents   []Agent           // whose new versions a workflow tests; nil writes none
	Server   bool              // also a workflow that tests a task server
	Ref      string            // the version of replanbench that the workflow installs
	More     map[string][]byte // the files of ScenarioDir, by name
	// Overwrite reports whether to overwrite a file that differs.
	Overwrite func(name string) bool
}

// Written is what became of a file.
type Written struct {
	Name string
	Said string // written, kept or unchanged
}

// draft is a file to be written.
type draft struct {
	name   string
	data   []byte
	longer bool // its lines are kept, and new ones are added behind them
}

// Write writes the files, the adapter first.
func (p *Project) Write() (list []Written, err error) {
	drafts, err := p.drafts()
	if err != nil {
		return nil, err
	}
	for _, d := range drafts {
		said, err := p.write(d)
		if err != nil {
			return list, err
		}
		list = append(list, Written{Name: filepath.Join(p.Dir, d.name), Said: said})
	}
	return list, nil
}

// Command returns how the engine of the project starts; nil without an adapter.
func (p *Project) Command() []string {
	switch {
	case p.Adapter == nil:
		return nil
	case p.Example != nil && p.Example.Command != nil:
		return p.Example.Command
	}
	return p.Adapter.Command
}

// copies are the files of the example, and the adapter as it calls the example's planner.
func (p *Project) copies() (list []draft, err error) {
	x := p.Example
	if x == nil {
		return nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(x.More)) {
		list = append(list, draft{name: name, data: []byte(x.More[name])})
	}
	err = fs.WalkDir(x.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, "_test.go") {
			return err
		}
		data, err := fs.ReadFile(x.Files, name)
		list = append(list, draft{name: filepath.FromSlash(name), data: data})
		return err
	})
	return list, err
}

func (p *Project) drafts() ([]draft, error) {
	list, err := p.copies()
	if err != nil || p.Example != nil && p.Adapter == nil {
		return append(list, p.scenarios()...), err
	}
	c := config.Default()
	c.Suites.Corpora.Run, c.Suites.Trim.Run = false, false // they test no engine
	c.Suites.Fuzz.Out, c.Judge = findingsDir, string(harness.JudgeSafety)
	c.Outputs = []config.Output{{Format: "html", File: pageFile}, {Format: "junit", File: junitFile}}
	var build string
	c.Engine.Command = []string{"./your-engine"} // until its author names it, the gate fails with "no such program"
	if a := p.Adapter; a != nil {
		c.Engine.Command = p.Command()
		c.Dialects = slices.Concat(p.Dialects.Replies, p.Dialects.Cases)
		c.Suites.Scenarios.Paths = []string{ScenarioDir}
		c.Suites.Fuzz.Cases = 5000 // a naive engine in Python takes half a minute for them, on two cores
		build = strings.Join(a.Build, " ")
		source := string(a.Source(p.Dialects))
		if p.Example != nil {
			if source, err = p.Example.filled(source); err != nil {
				return nil, err
			}
		}
		list = append(list, draft{name: filepath.FromSlash(a.File), data: []byte(source)})
		if a.Test != "" {
			list = append(list, draft{name: filepath.FromSlash(a.Test), data: a.TestSource()})
		}
	}
	if build != "" { // the command names no source
		c.Engine.Source = p.Adapter.File
	}
	values := map[string]string{"Build": build, "Ref": p.Ref}
	if a := p.Adapter; a != nil {
		values[a.Runtime()] = a.Language
	}
	if p.Cluster != nil {
		d, err := p.shards(values)
		if err != nil {
			return nil, err
		}
		list = append(list, d)
	}
	if p.Agents != nil {
		list = append(list, p.nightly())
	}
	if p.Server {
		list = append(list, draft{
			name: filepath.Join(".github", "workflows", "replanbench-mcp.yml"), data: filled(server, values),
		})
	}
	described, err := json.MarshalIndent(config.Schema(), "", "  ")
	if err != nil {
		return nil, err
	}
	ignored, err := p.ignored()
	return append(append(list, p.scenarios()...),
		draft{name: config.FileName, data: append([]byte(schema.FirstLine("replanbench")), c.Commented()...)},
		draft{name: schema.File("replanbench"), data: append(described, '\n')},
		draft{name: filepath.Join(".github", "workflows", "replanbench.yml"), data: filled(workflow, values)},
		draft{name: ".gitignore", data: ignored, longer: true},
	), err
}

// scenarios are the first scenario and its schema.
func (p *Project) scenarios() (list []draft) {
	for _, name := range slices.Sorted(maps.Keys(p.More)) {
		list = append(list, draft{name: filepath.Join(ScenarioDir, name), data: p.More[name]})
	}
	return list
}

// shards is the file that gives shards to a scheduler.
func (p *Project) shards(values map[string]string) (draft, error) {
	text, err := clusters.ReadFile(p.Cluster.path)
	if err != nil {
		return draft{}, err
	}
	values = maps.Clone(values)
	if a := p.Adapter; a != nil {
		values["Engine"] = " -- " + strings.Join(a.Command, " ")
		if names := slices.Concat(p.Dialects.Replies, p.Dialects.Cases); len(names) > 0 {
			values["Dialect"] = " --dialect " + names[0]
		}
	}
	return draft{name: filepath.FromSlash(p.Cluster.File), data: filled(string(text), values)}, nil
}

// nightly is the workflow that tests the newest versions of agents.
func (p *Project) nightly() draft {
	var names, rows []string
	for _, a := range p.Agents {
		names = append(names, a.Name)
		rows = append(rows, fmt.Sprintf("          - {agent: %s, package: %q, command: %q}", a.Name, a.Package,
			escape.Shell(a.Command...)))
	}
	values := map[string]string{"Ref": p.Ref, "Agents": strings.Join(rows, "\n"), "AgentNames": strings.Join(names, " ")}
	file := filepath.Join(".github", "workflows", "replanbench-agents.yml")
	return draft{name: file, data: filled(agents, values)}
}

// filled puts values into a template, in the places <<NAME>>. A line that begins with
// <<if NAME>> is left out where there is no such value.
func filled(text string, values map[string]string) []byte {
	var pairs []string
	for _, name := range []string{"AgentNames", "Agents", "Build", "Dialect", "Engine", "Ref"} {
		pairs = append(pairs, "<<"+name+">>", values[name])
	}
	var b bytes.Buffer
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(line, "<<if "); ok {
			name, rest, _ := strings.Cut(rest, ">>")
			if line = rest; values[name] == "" {
				continue
			}
		}
		b.WriteString(strings.NewReplacer(pairs...).Replace(line))
	}
	return b.Bytes()
}

// ignored is the .gitignore as it is, with the lines that it lacks at its end.
func (p *Project) ignored() ([]byte, error) {
	name := filepath.Join(p.Dir, ".gitignore")
	old, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, harness.Mistakef("%s: %w", name, files.Cause(err))
	}
	lines := strings.Split(string(old), "\n")
	var lacks []string
	own := []string{"/" + pageFile, "/" + junitFile, "/" + findingsDir + "/", "/.replanbench/"}
	if p.Adapter != nil && p.Adapter.Build != nil {
		own = append(own, "/"+path.Clean(p.Command()[0]))
	}
	for _, line := range own {
		if !slices.Contains(lines, line) {
			lacks = append(lacks, line)
		}
	}
	if lacks == nil {
		return old, nil
	}
	if len(old) > 0 && !bytes.HasSuffix(old, []byte("\n")) {
		old = append(old, '\n')
	}
	return append(old, "# files that replanbench check writes\n"+strings.Join(lacks, "\n")+"\n"...), nil
}

// write writes a file, unless it exists and is to stay, and says what it did.
func (p *Project) write(d draft) (said string, err error) {
	name := filepath.Join(p.Dir, d.name)
	old, err := os.ReadFile(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", harness.Mistakef("%s: %w", name, files.Cause(err))
	case err == nil && bytes.Equal(old, d.data):
		return "unchanged", nil
	case err == nil && !d.longer && !p.Overwrite(name):
		return "kept", nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", harness.Mistakef("%s: %w", filepath.Dir(name), files.Cause(err))
	}
	return "written", files.WriteData(name, d.data)
}
