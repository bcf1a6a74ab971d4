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

// research is the project without an engine.
const research = "research"

// examples lists the projects of init --example.
func examples() []string { return []string{"python", "typescript", "go", research} }

// example returns the files of a project, and how its engine differs from an empty adapter.
func example(name string) (starter.Example, error) {
	files, err := fs.Sub(tour, path.Join("testdata/tour", name))
	x := starter.Example{Files: files}
	switch name {
	case "python": // the planner starts the adapter
		x.Command = []string{"python3", "planner.py"}
	case "typescript":
		x.Fill = []string{
			"const NAME = ", "import { apply, Refused } from \"./planner.mts\";\n\nconst NAME = ",
			"const PROFILE = \"reference\";",
			"const PROFILE = { reading: { extract: false }, ladder: [\"patch\"] };",
			"  throw new Error(\"fill in the function applyReply in the adapter\");",
			`  try {
    return apply(plan as any, reply.toString(), limits.max_plan_steps ?? Infinity);
  } catch (e) {
    if (e instanceof Refused) throw new Rejected(e.code, e.message);
    throw e;
  }`,
		}
	case "go":
		x.More = map[string]string{"go.mod": "module example.com/planner\n\ngo 1.26\n"}
		x.Fill = []string{
			"\t\"strings\"\n)", "\t\"strings\"\n\n\t\"example.com/planner\"\n)",
			"without() []string { return []string{} }",
			`without() []string { return []string{"add", "update", "title", "full plan"} }`,
			"\treturn Result{}, errors.New(\"fill in the function applyReply in the adapter\")",
			`	var p planner.Plan
	if err := json.Unmarshal(plan, &p); err != nil {
		return Result{}, err
	}
	p, err := planner.Apply(p, reply) // one that adds steps needs limits.MaxPlanSteps too
	codes := map[error]string{
		planner.ErrNoPatch: "no_document", planner.ErrDone: "done_immutable", planner.ErrNothing: "empty_patch",
	}
	if code := codes[err]; code != "" {
		return Result{}, &Rejected{code, err.Error()}
	}
	document, err := json.Marshal(p)
	return Result{Plan: document}, err`,
		}
	}
	return x, err
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
