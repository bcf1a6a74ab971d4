package main

import (
	"context"
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

// needsMore matches command lines that need what a test does not have: a program or a file of the
// user, a network, minutes, or a folder of the system.
var needsMore = regexp.MustCompile(`my-engine|my-server|npx|qwen|gemini|opencode|backlog|server\.js|http://|:/|--url|--listen|` +
	`^replanbench (calibrate|agent|protocols --live|completion|man|corpus import|engine serve)|` +
	`NAME|DIALECT|BUCKET|REMOTE|…|--time|0123456789ab|3f9a12c04b77|--dry-run|--live|[1-4]\.json|` +
	`replies\.|old\.|new\.|last\.json|arms\.jsonl|session\.json|chat\.json|mine\.(json|j2|yaml)|variables|planning\.j2|` +
	`shard-|report\.json --|results\.json|tools\.json|context\.json|plan_patch_retry|-- replanbench|conflict\.txtar --|draw|` +
	`test-0|^replanbench (trim|protocols|score|fuzz|check)$|200000|100000|1000000|init --adapter go|` +
	`--rates-from builtin|infer -- |^replanbench (run|fuzz -- .*|score --budget .*)$`)

// perLanguage are command lines that depend on the language of the engine.
var perLanguage = regexp.MustCompile(`(engine check|--write-known|--earlier).*-- python3 adapter.py`)

// TestNamedCommands runs the commands that the README, the topics, the help and the generated
// files name, in a project that init created, and compares the exit code with what a user
// expects: 0, or 1 from a gate on an engine that has bugs.
func TestNamedCommands(t *testing.T) {
	for _, language := range []string{"python", "node"} {
		t.Run(language, func(t *testing.T) {
			lines := named(shells(page(t, "README.md")) + "\n" + exampleLines(newRoot(env{})))
			for path, text := range pages(t) {
				if strings.HasPrefix(path, topicsFolder) {
					lines = append(lines, named(shells(text))...)
				}
			}
			p := newNamedProject(t, language)
			lines = append(lines, p.lines...)
			slices.Sort(lines)
			lines = slices.Compact(lines)
			if language != "python" { // the others do not depend on the language
				lines = slices.DeleteFunc(lines, func(l string) bool { return !perLanguage.MatchString(l) })
			}
			ran := 0
			for _, line := range lines {
				if !needsMore.MatchString(line) {
					p.run(line)
					ran++
				}
			}
			if least := map[string]int{"python": 30, "node": 3}[language]; ran < least {
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

func newNamedProject(t *testing.T, language string) namedProject {
	program := map[string]string{"python": "python3", "node": "node"}[language]
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	p := namedProject{t: t, dir: t.TempDir()}
	if err := os.CopyFS(p.dir, os.DirFS("testdata/tour/research")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(p.dir)
	_, out, _ := call(t.Context(), "init", "--adapter", language)
	p.lines = named(out)
	files, err := filepath.Glob("*")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			p.lines = append(p.lines, named(string(data))...)
		}
	}
	p.command = program + " " + map[string]string{"python": "adapter.py", "node": "adapter.mjs"}[language]
	file := strings.Fields(p.command)[1]
	p.edit(file, map[string]string{
		"python": `raise NotImplementedError("fill in the function apply_reply in the adapter")`,
		"node":   `throw new Error("fill in the function applyReply in the adapter")`,
	}[language], map[string]string{
		"python": `return {**plan, "steps": [s for s in plan["steps"] if s["id"] not in json.loads(reply)["remove_steps"]]}`,
		"node":   `return {...plan, steps: plan.steps.filter((s) => !JSON.parse(reply).remove_steps.includes(s.id))}`,
	}[language])
	p.edit(file, "WITHOUT = []", `WITHOUT = ["add", "update", "title", "full plan"]`)
	p.edit(config.FileName, "builtin: true", "builtin: false")
	p.edit(config.FileName, "paths: []", "paths: [scenarios]")
	p.edit(config.FileName, "max_findings: 300", "max_findings: 1")
	p.edit(config.FileName, "cases: 20000", "cases: 3")
	for name, from := range map[string]string{
		"my/scenarios/conflict.txtar": "scenarios/keep_finished.txtar", "known.txt": "", "main.json": "",
	} {
		data, _ := os.ReadFile(from)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
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
	line = strings.ReplaceAll(line, "python3 adapter.py", p.command)
	if strings.Contains(line, "--earlier main.json") { // the report of the main branch
		call(p.t.Context(), "check", "--format", "json", "--out", "main.json")
	}
	if strings.Contains(line, "known known.txt") {
		os.Remove("known.txt")
	}
	if strings.Contains(line, "--known known.txt") {
		call(p.t.Context(), "check", "--write-known", "known.txt")
	}
	line, redirected, _ := strings.Cut(line, " > ")
	line = strings.NewReplacer("generated:1000", "generated:10", "replanbench trim ", "replanbench trim --cases 2 ").Replace(line)
	words := unquoted(line)
	code, out, message := call(p.t.Context(), words[1:]...)
	if redirected != "" {
		os.WriteFile(redirected, []byte(out), 0o600)
	}
	want := exitOK
	fails := regexp.MustCompile(`^replanbench (check|run|fuzz|replay)\b`)
	if strings.Contains(line, p.command) || strings.HasPrefix(line, "replanbench check") {
		want = exitGate // the engine has bugs
	}
	if !fails.MatchString(line) || regexp.MustCompile(`--(write-known|known|earlier|explain|minimize) ?`).MatchString(line) {
		want = exitOK
	}
	if code != want {
		p.t.Errorf("%s: exit code %d, want %d:\n%s%s", line, code, want, out[max(0, len(out)-800):], message)
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
	needs := map[string][]string{"python": {"python3"}, "typescript": {"node"}, "go": {"go"}, research: {"python3"}}
	for _, name := range examples() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, program := range needs[name] {
				if _, err := exec.LookPath(program); err != nil {
					t.Skipf("%s is not installed", program)
				}
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
				quick := strings.NewReplacer("fuzz --quiet", "fuzz --cases 80 --quiet", "replanbench check",
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
