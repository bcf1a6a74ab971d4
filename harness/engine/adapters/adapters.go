// Package adapters contains the files that make patch logic in other languages an engine: one
// file per language, without dependencies, with a function to fill in. Users copy these files.
// Engines in Go that may depend on this module use package rpc instead.
package adapters

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness/document/collect"
)

//go:embed adapter.py adapter.mjs adapter.d.ts golang/adapter.go golang/replanbench_test.go.txt test_replanbench.py replanbench.test.mjs
var files embed.FS

// Adapter is a file for one language.
type Adapter struct {
	Language string
	File     string   // the file name; a Go file is a program, so it needs a directory of its own
	Command  []string // how to run the engine
	Build    []string // how to build it first; nil if it needs no build
	Function string   // the function to fill in for dialects with a plan and a reply
	Whole    string   // the function to fill in for dialects that need the whole case
	Test     string   // the file that runs the gate in the language's test runner; "" for none
	Runner   []string // the command that runs Test
	Module   string   // the file that the build needs, in the same folder or above; "" for none
	Begin    []string // how to write that file
	Needs    string   // what to install first; "" if the language alone is enough

	path string
}

// All lists the adapters.
func All() []Adapter {
	const nodeTest = "replanbench.test.mjs"
	nodeRunner := []string{"node", "--test"}
	return []Adapter{
		{
			Language: "python", File: "adapter.py", Command: []string{"python3", "adapter.py"}, Function: "apply_reply",
			Whole: "run_case", Test: "test_replanbench.py", Runner: []string{"pytest"}, path: "adapter.py",
		},
		{
			Language: "node", File: "adapter.mjs", Command: []string{"node", "adapter.mjs"}, Function: "applyReply",
			Whole: "runCase", Test: nodeTest, Runner: nodeRunner, path: "adapter.mjs",
		},
		{
			Language: "typescript", File: "adapter.mts", Command: []string{"node", "adapter.mts"}, Function: "applyReply",
			Whole: "runCase", Test: nodeTest, Runner: nodeRunner, Needs: "Node 22.18 or later, which runs TypeScript as it is",
			path: "adapter.mjs",
		},
		{
			Language: "go", File: "planner-engine/main.go",
			Command: []string{"./planner-engine/planner-engine"},
			Build:   []string{"go", "build", "-o", "planner-engine/", "./planner-engine"},
			Module:  "go.mod", Begin: []string{"go", "mod", "init", "planner"},
			Function: "applyReply", Whole: "runCase", Test: "planner-engine/replanbench_test.go",
			Runner: []string{"go", "test", "./planner-engine"}, path: "golang/adapter.go",
		},
	}
}

// Runtime returns what runs the engine: python, node or go.
func (a Adapter) Runtime() string {
	if a.Language == "typescript" {
		return "node"
	}
	return a.Language
}

// Prepare returns the commands that make the engine ready to run in a folder.
func (a Adapter) Prepare(dir string) (list [][]string) {
	if a.Build == nil {
		return nil
	}
	dir, err := filepath.Abs(dir)
	found := a.Module == "" || err != nil
	for above := ""; !found && dir != above; above, dir = dir, filepath.Dir(dir) {
		_, err := os.Stat(filepath.Join(dir, a.Module))
		found = err == nil
	}
	if !found {
		list = append(list, a.Begin)
	}
	return append(list, a.Build)
}

// StartedBy returns the adapter with another program that runs its file, and what to install
// for that.
func (a Adapter) StartedBy(needs string, program ...string) Adapter {
	a.Command, a.Needs = append(program, a.File), needs
	return a
}

// Find returns the adapter for a language.
func Find(language string) (Adapter, error) {
	all := All()
	i := slices.IndexFunc(all, func(a Adapter) bool { return a.Language == language })
	if i < 0 {
		names := collect.Map(all, func(a Adapter) string { return a.Language })
		return Adapter{}, fmt.Errorf("no adapter for %q (there are %s)", language, strings.Join(names, ", "))
	}
	return all[i], nil
}

// Dialects are the dialects of one generated adapter.
type Dialects struct {
	Replies []string // the function gets a plan and a reply, and returns the new plan
	Cases   []string // the function gets a case and returns an outcome
	First   string   // the dialect to name in the fuzz command; "" if it is the default
	Parsed  bool     // replies are arguments that a client has parsed
	Pages   []string // Markdown, one page per dialect: the members of cases and outcomes, with an example
}

// Source returns the adapter's file, for an engine that knows these dialects.
func (a Adapter) Source(d Dialects) []byte {
	data, err := files.ReadFile(a.path)
	if err != nil {
		panic(err) // the file is embedded
	}
	if a.Language == "typescript" {
		data = typed(data)
	}
	text := blocks.ReplaceAllStringFunc(string(data), func(block string) string {
		m := blocks.FindStringSubmatch(block)
		switch mark, name, body := m[1], m[2], m[3]; {
		case name == "pages":
			return commented(mark, d.Pages)
		case name == "replies" && len(d.Replies) == 0 && len(d.Cases) > 0, name == "cases" && len(d.Cases) == 0 &&
			len(d.Replies) > 0:
			return ""
		default:
			return body
		}
	})
	if a.Language != "python" { // Python style needs the two empty lines
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	pairs := []string{
		"node adapter.mts", strings.Join(a.Command, " "),
		`"REPLY DIALECTS"`, quoted(d.Replies),
		`"CASE DIALECTS"`, quoted(d.Cases),
		"Needs NEEDS", "Needs " + a.Needs,
		"function " + a.Function + " below", "function " + cmp.Or(strings.Join(a.ToFill(d), " and "), a.Function) + " below",
	}
	if d.Parsed {
		for _, start := range []string{"ARGUMENTS = ", "const arguments = "} {
			pairs = append(pairs, start+`"text"`, start+`"parsed"`)
		}
	}
	if d.First != "" {
		pairs = append(pairs, "replanbench fuzz --", "replanbench fuzz --dialect "+d.First+" --")
	}
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}

// blocks matches the parts of an adapter that belong to one kind of dialect. A part is between
// the comments "[replies" or "[cases" and "]". The part "[pages" gets the explanation of the
// dialects.
var blocks = regexp.MustCompile(`(?ms)^[ \t]*(#|//)\[(\w+)\n+(.*?)^[ \t]*(?:#|//)\]\n`)

// commented writes the sections on cases and answers as comments, with their examples. It omits
// the rules of each dialect.
func commented(mark string, pages []string) string {
	var b strings.Builder
	for _, page := range pages {
		for i, section := range strings.Split(page, "\n## ") {
			switch {
			case i == 0:
				section, _, _ = strings.Cut(section, "\n")
			case strings.HasPrefix(section, "The rules"):
				continue
			default:
				section = "\n" + strings.TrimSpace(section)
			}
			for line := range strings.Lines(section + "\n") {
				if !strings.HasPrefix(line, "```") {
					b.WriteString(strings.TrimRight(mark+" "+strings.TrimPrefix(line, "# "), " \n") + "\n")
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestSource returns the file for the test runner, or nil.
func (a Adapter) TestSource() []byte {
	if a.Test == "" {
		return nil
	}
	name := a.Test
	if a.Language == "go" { // with its own name it would be a test of this module
		name = "golang/replanbench_test.go.txt"
	}
	data, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is embedded
	}
	return data
}

// typed makes the TypeScript adapter from the one for Node. It adds types to everything that
// users fill in, in a form that Node itself can strip.
func typed(data []byte) []byte {
	types, err := files.ReadFile("adapter.d.ts")
	if err != nil {
		panic(err) // the file is embedded
	}
	_, types, _ = bytes.Cut(types, []byte("\n\n")) // drop its head comment
	text := string(data)
	for _, r := range [][2]string{
		{
			" Needs Node 18 or later, nothing else.",
			"\n// Needs NEEDS.",
		},
		{"node adapter.mjs", "node adapter.mts"},
		{"const WITHOUT = [];", "const WITHOUT: string[] = [];"},
		{
			"const GIVES = []; // what it returns besides the plan, such as \"warnings\": compared",
			"// What it returns besides the plan, such as \"warnings\": compared, also in rejections.\nconst GIVES: string[] " +
				"= [];",
		},
		{
			"const FEATURES = []; // what it supports (replanbench list features): other cases are skipped",
			"// What it supports (replanbench list features): other cases are skipped.\nconst FEATURES: string[] = [];",
		},
		{"const REPLY_DIALECTS = ", "const REPLY_DIALECTS: string[] = "},
		{"const CASE_DIALECTS = ", "const CASE_DIALECTS: string[] = "},
		{
			"  constructor(code = \"refused\", message = \"\", at = undefined, warnings = undefined) {",
			"  code: string;\n  at?: string;\n  warnings?: Warning[];\n\n  constructor(code = \"refused\", message = \"\", " +
				"at?: string, warnings?: Warning[]) {",
		},
		{
			"    Object.assign(this, { code, at, warnings });",
			"    this.code = code;\n    this.at = at;\n    this.warnings = warnings;",
		},
		{
			"function applyReply(plan, reply, limits) {",
			"function applyReply(\n  plan: Plan,\n  reply: string | Buffer,\n  limits: Limits,\n): Answer | Promise<Answer> {",
		},
		{"function runCase(example) {", "function runCase(example: Case): Outcome | Promise<Outcome> {"},
		{
			"async function _patch({ plan, replies = [], limits = {} }) {",
			"async function _patch({ plan = {}, replies = [], limits = {} }: Case): Promise<Outcome> {",
		},
		{"let reply = replies[0];", "let reply: Reply | Buffer = replies[0];"},
		{"if (typeof reply === \"object\") reply", "if (typeof reply === \"object\" && \"base64\" in reply) reply"},
		{"  let result;", "  let result: Answer;"},
		{
			"const _refusal = ({ code, message, at, warnings }) =>",
			"const _refusal = ({ code, message, at, warnings }: Rejected): Outcome =>",
		},
		{"const _dialects = {", "const _dialects: Record<string, (example: Case) => Outcome | Promise<Outcome>> = {"},
		{"async function _evaluate(example) {", "async function _evaluate(example: Case): Promise<Outcome> {"},
		{
			"async function _respond({ method, params }) {",
			"async function _respond({ method, params }: any): Promise<unknown> {",
		},
		{"async function _handle(line) {", "async function _handle(line: Buffer) {"},
		{"const _safe = (_, value) =>", "const _safe = (_: string, value: unknown) =>"},
		{"const _parse = (line) =>", "const _parse = (line: string) =>"},
		{"const _print = (answer) =>", "const _print = (answer: unknown) =>"},
		{"const _place = (e) => {", "const _place = (e: any) => {"},
		{"let _parts = [];", "let _parts: Buffer[] = [];"},
		{"for await (let chunk of process.stdin) {", "for await (let chunk of process.stdin as AsyncIterable<Buffer>) {"},
		{
			"process.stdout.write = process.stderr.write.bind(process.stderr);",
			"process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;",
		},
		{"// ---------------------------------------------------------------------------\n// YOUR CODE", string(types) +
			"\n// ---------------------------------------------------------------------------\n// YOUR CODE"},
	} {
		if !strings.Contains(text, r[0]) {
			panic("the adapter for Node has no " + r[0]) // a test covers it
		}
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	return []byte(text)
}

// quoted writes names as list items. The syntax is the same in every language.
func quoted(names []string) string {
	items := collect.Map(names, strconv.Quote)
	return strings.Join(items, ", ")
}

// ToFill returns the names of the functions to fill in for these dialects.
func (a Adapter) ToFill(d Dialects) []string {
	var names []string
	if len(d.Replies) > 0 {
		names = append(names, a.Function)
	}
	if len(d.Cases) > 0 {
		names = append(names, a.Whole)
	}
	return names
}
