package main

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"regexp"
	"slices"

	"go.yaml.in/yaml/v4"

	"replanbench/harness/config/starter"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/schema"
	"replanbench/reports"
	"replanbench/scenarios"
)

//go:embed testdata/tour
var tour embed.FS

const tourDir = "testdata/tour"

// research is the project without an engine and a description.
const research = "research"

// examples lists the projects of init --example.
func examples() (names []string) {
	list, _ := tour.ReadDir(tourDir)
	for _, d := range list {
		if d.IsDir() {
			names = append(names, d.Name())
		}
	}
	return names
}

// example returns a project: its files, and what its description NAME.yaml says.
func example(name string) (x starter.Example, err error) {
	if x.Files, err = fs.Sub(tour, path.Join(tourDir, name)); err != nil || name == research {
		return x, err
	}
	described, err := tour.ReadFile(path.Join(tourDir, name+".yaml"))
	if err != nil {
		return x, err
	}
	return x, yaml.Unmarshal(described, &x)
}

// firstScenario returns the files of a directory of scenarios: the example of the dialect's
// page as a scenario, and the schema of scenarios. An example with scenarios needs the schema alone.
func firstScenario(dialect, example string) (map[string][]byte, error) {
	var described bytes.Buffer
	if err := reports.WriteJSON(&described, scenarios.Schema()); err != nil {
		return nil, err
	}
	more := map[string][]byte{schema.File("scenario"): described.Bytes()}
	if example == research {
		return more, nil
	}
	var documents [2]yaml.Node // the case, and the wanted outcome
	for i, m := range jsonBlock.FindAllStringSubmatch(all.Find(dialect).Help, len(documents)) {
		if err := yaml.Unmarshal([]byte(m[1]), &documents[i]); err != nil {
			return nil, err
		}
	}
	asEdits(documents[0].Content[0])
	scenario := &documents[0].Content[0].Content
	*scenario = append(*scenario, &yaml.Node{Kind: yaml.ScalarNode, Value: "want"}, documents[1].Content[0])
	data, err := yaml.Marshal(inBlocks(&documents[0]))
	head := schema.FirstLine("scenario") + "why: The example of replanbench help " + dialect + ".\n"
	more["first.scenario.yaml"] = append([]byte(head), data...)
	return more, err
}

var jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)```")

// asEdits writes the replies of a case as edits instead of texts.
func asEdits(c *yaml.Node) {
	i := slices.IndexFunc(c.Content, func(n *yaml.Node) bool { return n.Value == "replies" })
	if i < 0 {
		return
	}
	for _, reply := range c.Content[i+1].Content {
		var edit yaml.Node
		if yaml.Unmarshal([]byte(reply.Value), &edit) == nil && edit.Content[0].Kind == yaml.MappingNode {
			*reply = *edit.Content[0]
		}
	}
}

// inBlocks gives a document and its parts the usual style of YAML.
func inBlocks(n *yaml.Node) *yaml.Node {
	n.Style = 0
	for _, x := range n.Content {
		inBlocks(x)
	}
	return n
}
