// Package adapters holds the files with which patch logic in other languages
// becomes an engine: one file each, without dependencies, with a function to
// fill in. They are written out, not imported; engines in Go that may depend on
// this module use package rpc instead.
package adapters

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed adapter.py adapter.mjs adapter.d.ts golang/adapter.go test_replanbench.py replanbench.test.mjs
var files embed.FS

// Adapter is a file for one language.
type Adapter struct {
	Language string
	File     string   // what to call it; a Go file is a program, so it needs a directory of its own
	Command  []string // how to run the engine
	Build    []string // how to build it first, if it must be
	Function string   // what to fill in for dialects where an adapter gives plan and reply
	Whole    string   // what to fill in for those where it gives the whole case
	Test     string   // the file that shows the gate in the language's own test runner; "" for none
	Runner   []string // that runs it
	Needs    string   // what must be installed, where that is not what one has anyway

	path string
}

// All lists the adapters.
func All() []Adapter {
	const nodeTest = "replanbench.test.mjs"
	nodeRunner := []string{"node", "--test"}
	return []Adapter{
		{Language: "python", File: "adapter.py", Command: []string{"python3", "adapter.py"}, Function: "apply_reply", Whole: "run_case", Test: "test_replanbench.py", Runner: []string{"pytest"}, path: "adapter.py"},
		{Language: "node", File: "adapter.mjs", Command: []string{"node", "adapter.mjs"}, Function: "applyReply", Whole: "runCase", Test: nodeTest, Runner: nodeRunner, path: "adapter.mjs"},
		{Language: "typescript", File: "adapter.mts", Command: []string{"node", "adapter.mts"}, Function: "applyReply", Whole: "runCase", Test: nodeTest, Runner: nodeRunner, Needs: "Node 22.18 or later, which runs TypeScript as it is", path: "adapter.mjs"},
		{
			Language: "go", File: "planner-engine/main.go",
			Command:  []string{"./planner-engine/planner-engine"},
			Build:    []string{"go", "build", "-o", "planner-engine/", "./planner-engine"},
			Function: "applyReply", Whole: "runCase", path: "golang/adapter.go",
		},
	}
}

// Find returns the adapter for a language.
func Find(language string) (Adapter, error) {
	all := All()
	i := slices.IndexFunc(all, func(a Adapter) bool { return a.Language == language })
	if i < 0 {
		var names []string
		for _, a := range all {
			names = append(names, a.Language)
		}
		return Adapter{}, fmt.Errorf("no adapter for %q (there are %s)", language, strings.Join(names, ", "))
	}
	return all[i], nil
}

// Dialects are those that an adapter is written for.
type Dialects struct {
	Replies []string // its function takes a plan and a reply, and gives the new plan
	Cases   []string // its function takes a case and gives an outcome
	First   string   // that is to be named to a campaign; "" where it is the one that campaigns begin with
	Pages   []string // of Markdown, one a dialect: what a case holds and what is answered, with an example
}

// Source returns the adapter's file, for an engine that knows these dialects.
func (a Adapter) Source(d Dialects) []byte {
	data, err := files.ReadFile(a.path)
	if err != nil {
		panic(err) // it is embedded
	}
	if a.Language == "typescript" {
		data = typed(data)
	}
	text := blocks.ReplaceAllStringFunc(string(data), func(block string) string {
		m := blocks.FindStringSubmatch(block)
		switch mark, name, body := m[1], m[2], m[3]; {
		case name == "pages":
			return commented(mark, d.Pages)
		case name == "replies" && len(d.Replies) == 0 && len(d.Cases) > 0, name == "cases" && len(d.Cases) == 0 && len(d.Replies) > 0:
			return ""
		default:
			return body
		}
	})
	if a.Language != "python" { // where two empty lines are part of the style
		text = strings.ReplaceAll(text, "\n\n\n", "\n\n")
	}
	pairs := []string{
		`"REPLY DIALECTS"`, quoted(d.Replies),
		`"CASE DIALECTS"`, quoted(d.Cases),
		"function " + a.Function + " below", "function " + cmp.Or(strings.Join(a.ToFill(d), " and "), a.Function) + " below",
	}
	if d.First != "" {
		pairs = append(pairs, "replanbench fuzz --", "replanbench fuzz --dialect "+d.First+" --")
	}
	return []byte(strings.NewReplacer(pairs...).Replace(text))
}

// blocks are the parts of an adapter that belong to one way of filling it in, between
// two marks: a comment "[replies" or "[cases", and a comment "]". That of pages is where
// the dialects are explained.
var blocks = regexp.MustCompile(`(?ms)^[ \t]*(#|//)\[(\w+)\n+(.*?)^[ \t]*(?:#|//)\]\n`)

// commented writes what pages say of cases and answers as comments, with their
// examples. The rules of each dialect are left to its page.
func commented(mark string, pages []string) string {
	var b strings.Builder
	for _, page := range pages {
		for i, section := range strings.Split(page, "\n## ") {
			if i == 0 {
				section, _, _ = strings.Cut(section, "\n")
			} else if strings.HasPrefix(section, "The rules") {
				continue
			} else {
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

// TestSource returns the file for the test runner; nil where there is none.
func (a Adapter) TestSource() []byte {
	if a.Test == "" {
		return nil
	}
	data, err := files.ReadFile(a.Test)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}

// typed makes the adapter for TypeScript of that for Node: with types for all that
// one fills in, in a form from which Node itself strips them.
func typed(data []byte) []byte {
	types, err := files.ReadFile("adapter.d.ts")
	if err != nil {
		panic(err) // it is embedded
	}
	_, types, _ = bytes.Cut(types, []byte("\n\n")) // what it says of itself
	text := string(data)
	for _, r := range [][2]string{
		{"Needs Node 18 or later, nothing else.", "Needs Node 22.18 or later, nothing\n// else: Node strips the types by itself."},
		{"node adapter.mjs", "node adapter.mts"},
		{"const WITHOUT = [];", "const WITHOUT: string[] = [];"},
		{"const GIVES = []; // what it tells beside the plan, of refusals too (\"warnings\"): compared", "// What it tells beside the plan, of refusals too (\"warnings\"): compared.\nconst GIVES: string[] = [];"},
		{"const FEATURES = []; // what it does beyond one edit (replanbench list features): else never asked", "// What it does beyond one edit (replanbench list features): else never asked.\nconst FEATURES: string[] = [];"},
		{"const REPLY_DIALECTS = ", "const REPLY_DIALECTS: string[] = "},
		{"const CASE_DIALECTS = ", "const CASE_DIALECTS: string[] = "},
		{"  constructor(code = \"refused\", message = \"\", at = undefined, warnings = undefined) {", "  code: string;\n  at?: string;\n  warnings?: Warning[];\n\n  constructor(code = \"refused\", message = \"\", at?: string, warnings?: Warning[]) {"},
		{"    Object.assign(this, { code, at, warnings });", "    this.code = code;\n    this.at = at;\n    this.warnings = warnings;"},
		{"function applyReply(plan, reply, limits) {", "function applyReply(\n  plan: Plan,\n  reply: string | Buffer,\n  limits: Limits,\n): Answer | Promise<Answer> {"},
		{"function runCase(example) {", "function runCase(example: Case): Outcome | Promise<Outcome> {"},
		{"async function patch({ plan, replies = [], limits = {} }) {", "async function patch({ plan = {}, replies = [], limits = {} }: Case): Promise<Outcome> {"},
		{"let reply = replies[0];", "let reply: Reply | Buffer = replies[0];"},
		{"if (typeof reply === \"object\") reply", "if (typeof reply === \"object\" && \"base64\" in reply) reply"},
		{"  let result;", "  let result: Answer;"},
		{"const refusal = ({ code, message, at, warnings }) =>", "const refusal = ({ code, message, at, warnings }: Rejected): Outcome =>"},
		{"const dialects = {", "const dialects: Record<string, (example: Case) => Outcome | Promise<Outcome>> = {"},
		{"async function evaluate(example) {", "async function evaluate(example: Case): Promise<Outcome> {"},
		{"async function respond({ method, params }) {", "async function respond({ method, params }: any): Promise<unknown> {"},
		{"async function handle(line) {", "async function handle(line: Buffer) {"},
		{"JSON.parse(line)", "JSON.parse(line.toString())"},
		{"let parts = [];", "let parts: Buffer[] = [];"},
		{"for await (let chunk of process.stdin) {", "for await (let chunk of process.stdin as AsyncIterable<Buffer>) {"},
		{"process.stdout.write = process.stderr.write.bind(process.stderr);", "process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;"},
		{"// ---------------------------------------------------------------------------\n// YOUR CODE", string(types) + "\n// ---------------------------------------------------------------------------\n// YOUR CODE"},
	} {
		if !strings.Contains(text, r[0]) {
			panic("the adapter for Node has no " + r[0]) // a test makes it
		}
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	return []byte(text)
}

// quoted writes names as the items of a list, which looks the same in every
// language.
func quoted(names []string) string {
	var items []string
	for _, n := range names {
		items = append(items, strconv.Quote(n))
	}
	return strings.Join(items, ", ")
}

// ToFill names the functions to fill in for these dialects.
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
