package main

import (
	"embed"
	"io/fs"
	"path"

	"replanbench/harness/config/starter"
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
			"\t\"runtime/debug\"\n)", "\t\"runtime/debug\"\n\n\t\"example.com/planner\"\n)",
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
