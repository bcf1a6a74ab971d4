package main

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"replanbench/harness/config"
)

// named returns the command lines of this program that are named in the text of a README or a
// topic, in the examples of a command, or in a generated file.
func named(text string) (lines []string) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line = strings.TrimLeft(line, " \t#/*-")
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  #")
		line, _, _ = strings.Cut(line, " # ")
		if strings.HasPrefix(line, "replanbench ") && !strings.HasSuffix(line, ".") { // no sentence
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
	}
	return lines
}

// shells returns the blocks of shell commands in a page.
func shells(page string) string {
	var b strings.Builder
	for _, m := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllStringSubmatch(page, -1) {
		b.WriteString(m[1])
	}
	return b.String()
}

// exampleLines returns the examples of all commands.
func exampleLines(c *cobra.Command) string {
	text := c.Example + "\n"
	for _, sub := range c.Commands() {
		text += exampleLines(sub)
	}
	return text
}

// needsMore matches command lines that need what a test does not have: an agent, a server, an
// endpoint, minutes, or a folder of the system.
var needsMore = regexp.MustCompile(`my-server|npx|qwen|-- opencode|-- claude|gemini|backlog mcp|server\.js|http://|:/|--url|--listen|` +
	`^replanbench (calibrate|engine serve|engine infer --|fuzz|protocols|init --adapter go|corpus import openai)|` +
	`^replanbench (trim|fuzz|check|run|score|score builtin.*|score --budget .*)$|` +
	`^replanbench live .*(--samples|--response-format|--record|--resume|…|--send-trimmed|planning\.j2|a=http)|…|` +
	`replanbench in |REMOTE|BUCKET|pinned -- |0\.9" --earlier|/etc/|/usr/|man -l|arms\.jsonl|-- replanbench|update\.txt|policy\.json|--ablate|\.parquet|exec:|runs --gate|tools\.yaml`)

// quicker replaces what takes long, or names what only the user has.
var quicker = strings.NewReplacer("generated:1000", "generated:10", "generated:200", "generated:4", "--cases 100000", "--cases 2",
	"--cases 200000", "--cases 60", "--cases 1000000", "--cases 60", "--time 10m", "--cases 60", "trim --kinds", "trim --cases 2 --kinds",
	"trim --policy pinned", "trim --policy pinned --cases 2", "/*/", "/0123456789ab/", "shard-*.json", "1.json 2.json")

// perLanguage are command lines that depend on the language of the engine.
var perLanguage = regexp.MustCompile(`(--write-known|--earlier).*-- python3 adapter.py`)

// filledIn is how a test fills in an adapter: the old and the new text of its function and of what it lacks.
type filledIn struct{ language, program, command, file, old, body, nothing, lacks string }

const fillIn, lacking = `fill in the function applyReply in the adapter")`, `"add", "update", "title", "full plan"`

// languages has engines that only remove steps. Node runs TypeScript from 22.18 on.
var languages = []filledIn{
	{
		"python", "python3", "python3 adapter.py", "adapter.py",
		`raise NotImplementedError("fill in the function apply_reply in the adapter")`,
		`return {**plan, "steps": [s for s in plan["steps"] if s["id"] not in json.loads(reply)["remove_steps"]]}`,
		"WITHOUT = []", "WITHOUT = [" + lacking + "]",
	},
	{
		"node", "node", "node adapter.mjs", "adapter.mjs", `throw new Error("` + fillIn,
		`return {...plan, steps: plan.steps.filter((s) => !JSON.parse(reply).remove_steps.includes(s.id))}`,
		"WITHOUT = []", "WITHOUT = [" + lacking + "]",
	},
	{
		"typescript", "node", "node adapter.mts", "adapter.mts", `throw new Error("` + fillIn,
		`return {...plan, steps: plan.steps.filter((s) => !JSON.parse(String(reply)).remove_steps.includes(s.id))}`,
		"WITHOUT: string[] = []", "WITHOUT: string[] = [" + lacking + "]",
	},
	{
		"go", "go", "./planner-engine/planner-engine", "planner-engine/main.go", `return Result{}, errors.New("` + fillIn,
		`var p map[string]any
	var r struct{ Remove_steps []any }
	err := errors.Join(json.Unmarshal(plan, &p), json.Unmarshal(reply, &r))
	var left []any
	for _, s := range p["steps"].([]any) {
		if !strings.Contains(fmt.Sprintln(r.Remove_steps...), s.(map[string]any)["id"].(string)) {
			left = append(left, s)
		}
	}
	p["steps"] = left
	document, failed := json.Marshal(p)
	return Result{Plan: document}, errors.Join(err, failed)`,
		"[]string{}", "[]string{" + lacking + "}",
	},
}

// TestNamedCommandsInBulk runs the commands that the README, the topics, the help and the generated
// files name, in a project that init created, and compares the exit code with what a user
// expects: 0, or 1 from a gate on an engine that has bugs.
func TestNamedCommandsInBulk(t *testing.T) {
	for _, l := range languages {
		t.Run(l.language, func(t *testing.T) {
			lines := named(shells(page(t, "README.md")) + "\n" + exampleLines(newRoot(env{})))
			for path, text := range pages(t) {
				if strings.HasPrefix(path, topicsFolder) {
					lines = append(lines, named(shells(text))...)
				}
			}
			p, least := newNamedProject(t, l), 80
			if l.language == "python" {
				p.prepare()
			} else { // the others do not depend on the language
				lines = slices.DeleteFunc(lines, func(l string) bool { return !perLanguage.MatchString(l) })
				least = 4
			}
			lines = append(lines, p.lines...)
			slices.Sort(lines)
			ran := 0
			for _, line := range slices.Compact(lines) {
				if !needsMore.MatchString(line) {
					p.run(line)
					ran++
				}
			}
			if ran < least {
				t.Errorf("%d commands were run, want at least %d", ran, least)
			}
		})
	}
}

// namedProject is a project that init created, with an engine that only removes steps.
type namedProject struct {
	t       *testing.T
	dir     string
	command string   // of the engine
	lines   []string // the commands that its files name
}

func newNamedProject(t *testing.T, l filledIn) namedProject {
	if _, err := exec.LookPath(l.program); err != nil || l.language == "typescript" && oldNode(t.Context()) != "" {
		t.Skipf("%s is not installed, or too old", l.program)
	}
	p := namedProject{t: t, dir: t.TempDir(), command: l.command}
	if err := os.CopyFS(p.dir, os.DirFS("testdata/tour/research")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(p.dir)
	_, out, _ := call(t.Context(), "init", "--adapter", l.language)
	p.lines = named(out)
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(files, l.file) {
		if data, err := os.ReadFile(name); err == nil {
			p.lines = append(p.lines, named(string(data))...)
		}
	}
	p.edit(l.file, l.old, l.body)
	p.edit(l.file, l.nothing, l.lacks)
	if l.language == "go" {
		for _, line := range []string{"go mod init planner", "go build -o planner-engine/ ./planner-engine"} {
			if !strings.Contains(out, line) {
				t.Errorf("init does not name %s:\n%s", line, out)
			}
			if out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", line, err, out)
			}
		}
	}
	p.edit(config.FileName, "builtin: true", "builtin: false")
	p.edit(config.FileName, "max_findings: 300", "max_findings: 1")
	p.edit(config.FileName, "cases: 5000", "cases: 3")
	for name, text := range userFiles(t) {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// userFiles are files that a user has, by their names.
func userFiles(t *testing.T) map[string]string {
	t.Helper()
	read := func(name string) string {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	plan := read("plan.json")
	scenario := "# Finished work is never removed.\ndialect: planpatch\n-- plan.json --\n" + plan + "-- reply.1.txt --\n{\"remove_steps\":[\"step_1\"]}\n" +
		"-- want.json --\n{\"verdict\":\"rejected\"}\n"
	record := `{"v":1,"id":"small","dialect":"planpatch","source":"synthetic","model":"small","prompt":"p","case":"c","plan":` + strings.Join(strings.Fields(plan), " ") +
		`,"reply":"{\"remove_steps\":[\"step_3\"]}"}` + "\n"
	chat := `[{"role":"user","content":"Read the log."},{"role":"assistant","content":"It is complete."}]`
	list := map[string]string{
		"my/scenarios/conflict.txtar": scenario, "known.txt": "", "main.json": "", "session.json": chat, "chat.json": chat,
		"findings/0123456789ab/repro.txtar": scenario, "fuzzed/causes/0123456789ab/repro.txtar": scenario,
		"budget.json": `{"max_tokens":900}`, "1.txt": `{"control":"step_done"}`, "2.txt": `{"control":"step_done"}`,
		"tools.json": `[{"ok":true,"output":"written"}]`, "results.json": `{}`, "calls.json": `[]`, "files.json": `{}`,
		"context.json": `{"slug":"calm-baking-fox","phase":"finalize"}`, "replies/a.txt": `{"remove_steps":["step_3"]}`,
		"replies/plan.json": plan, "cases.jsonl": `{"id":"test-001","plan":` + strings.Join(strings.Fields(plan), " ") + "}\n",
		"prices.json": `{"currency":"USD","models":{"NAME":{"prompt":0.15,"reply":0.60}}}`, "variables.yaml": "tools: [grep]\n",
		"planning.j2": "{{ input_text }} {{ tools }}", "results.csv": "reply,model\n{},m\n",
	}
	record += strings.ReplaceAll(record, "small", "large")
	for _, name := range []string{"replies.jsonl", "old.jsonl", "new.jsonl"} {
		list[name] = record
	}
	return list
}

// prepare makes the reports and the packed corpora that command lines name.
func (p namedProject) prepare() {
	for _, line := range []string{
		"corpus import text replies/ --model m --out replies.jsonl.zst", "corpus import text replies/ --model m --out old.jsonl.zst",
		"corpus import text replies/ --model m --out new.jsonl.zst", "score replies.jsonl --by model --format json --out last.json",
		"check --format json --out mine.json", "check --format json --out theirs.json --engine reference", "check --format json --out report.json",
		"check --format json --out reference.json --engine reference", "fuzz --cases 8 --shard 1/4 --format json --out 1.json",
		"fuzz --cases 8 --shard 2/4 --format json --out 2.json", "fuzz --cases 8 --shard 3/4 --format json --out 3.json",
		"fuzz --cases 8 --shard 4/4 --format json --out 4.json",
	} {
		if code, _, message := call(p.t.Context(), strings.Fields(line)...); code > exitGate {
			p.t.Errorf("%s: exit code %d: %s", line, code, message)
		}
	}
}

func (p namedProject) edit(name, old, text string) {
	p.t.Helper()
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(string(data), old) {
		p.t.Fatalf("%s has no %q: %v", name, old, err)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(data), old, text, 1)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// run runs a command line and compares its exit code.
func (p namedProject) run(line string) {
	p.t.Helper()
	named := line
	line = quicker.Replace(strings.NewReplacer("python3 adapter.py", p.command, "./my-engine", p.command).Replace(line))
	if strings.Contains(line, "--earlier main.json") { // the report of the main branch
		call(p.t.Context(), "check", "--format", "json", "--out", "main.json")
	}
	if strings.Contains(line, "known known.txt") {
		os.Remove("known.txt")
	}
	if strings.Contains(line, "--known known.txt") {
		call(p.t.Context(), strings.Fields(strings.Replace(line, "--known", "--write-known", 1))[1:]...)
	}
	line, redirected, _ := strings.Cut(line, " > ")
	words := unquoted(line)
	code, out, message := call(p.t.Context(), words[1:]...)
	if redirected != "" {
		os.WriteFile(redirected, []byte(out), 0o600)
	}
	want := []int{exitOK}
	switch engine := strings.Contains(line, p.command); {
	case regexp.MustCompile(`--(write-known|known|earlier main|explain|minimize|update|engine reference) ?`).MatchString(line):
	case strings.HasPrefix(line, "replanbench check"), engine && regexp.MustCompile(`^replanbench (run|replay)\b`).MatchString(line):
		want = []int{exitGate} // the engine has bugs
	case regexp.MustCompile(`^replanbench (apply|compare|score .*--require)\b`).MatchString(line):
		want = []int{exitOK, exitGate} // it judges files of the user
	}
	if !slices.Contains(want, code) {
		p.t.Errorf("%s: exit code %d, want one of %v:\n%s%s", named, code, want, out[max(0, len(out)-800):], message)
	}
}

// unquoted splits a command line into words, as a shell does.
func unquoted(line string) (words []string) {
	for _, w := range regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`).FindAllString(line, -1) {
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(w))
	}
	return words
}

// TestExamples copies each project of init --example and runs what its README.md says.
func TestExamples(t *testing.T) {
	needs := map[string]string{
		"python": "python3", "typescript": "node", "go": "go", research: "python3",
		"tasks-python": "python3", "tasks-node": "node", "tasks-go": "go",
	}
	for _, name := range examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(needs[name]); err != nil {
				t.Skipf("%s is not installed", needs[name])
			}
			if name == "typescript" && oldNode(t.Context()) != "" {
				t.Skip("node is older than 22.18: it strips no types")
			}
			p := goProject{t, t.TempDir()}
			if code, out, message := call(t.Context(), "init", "--example", name, "--dir", p.dir); code != exitOK {
				t.Fatalf("init: exit code %d: %s%s", code, out, message)
			}
			if name == research {
				stop := startModel(t, p.dir)
				defer stop()
			}
			readme, err := os.ReadFile(filepath.Join(p.dir, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(shells(string(readme))) {
				command, comment, _ := strings.Cut(strings.TrimSpace(line), "  #")
				if _, err := exec.LookPath(strings.Fields(command)[0]); err != nil {
					continue
				}
				quick := strings.NewReplacer("fuzz --cases 2000", "fuzz --cases 80 --quiet", "replanbench check",
					"replanbench check --cases 3", "generated:200", "generated:12").Replace(command)
				out, err := p.run([]string{"REPLANBENCH_ARGS=--cases 3", "OPENAI_API_KEY=none"}, "sh", "-c", quick)
				if want := strings.Contains(comment, "exit code 1"); (err != nil) != want ||
					strings.Contains(out, "INCOMPLETE") {
					t.Errorf("%s: %v, want exit code 1: %t\n%s", quick, err, want, out[max(0, len(out)-1500):])
				}
			}
		})
	}
}

// startModel starts the endpoint of the example at a free port, and writes the port into README.md.
func startModel(t *testing.T, dir string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "python3", "model.py", "0")
	cmd.Dir = dir
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 80)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	address := strings.TrimSpace(string(line[:n]))
	if _, err := strconv.Atoi(regexp.MustCompile(`\d{4,5}`).FindString(address)); err != nil {
		t.Fatalf("the endpoint prints %q", address)
	}
	readme := filepath.Join(dir, "README.md")
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), "http://127.0.0.1:8931/v1", address)
	if err := os.WriteFile(readme, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func() { cancel(); cmd.Wait() }
}

// TestDescriptionsAreOfCommands: every section of the help describes a command.
func TestDescriptionsAreOfCommands(t *testing.T) {
	left := maps.Clone(descriptions())
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		delete(left, strings.TrimPrefix(c.CommandPath(), "replanbench "))
		for _, below := range c.Commands() {
			visit(below)
		}
	}
	root := newRoot(env{})
	root.InitDefaultHelpCmd()
	visit(root)
	for name := range left {
		t.Errorf("help.txtar describes %s, which is no command", name)
	}
}
