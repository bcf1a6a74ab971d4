package adapters_test

import (
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/dialect/all"
	"replanbench/harness/engine/adapters"
)

// Each adapter has one marked place to fill in, and it contains the named function.
func TestMarked(t *testing.T) {
	rule := regexp.MustCompile(`(?m)^(#|//) -{20,}$`)
	for _, a := range adapters.All() {
		parts := rule.Split(string(a.Source(adapters.Dialects{})), -1)
		if len(parts) != 3 || !strings.Contains(parts[1], "YOUR CODE") || !strings.Contains(parts[1], " "+a.Function+"(") ||
			!strings.Contains(parts[1], " "+a.Whole+"(") {
			t.Errorf("%s: the functions %s and %s are not between two marks", a.File, a.Function, a.Whole)
		}
		for line := range strings.SplitSeq(string(a.Source(adapters.Dialects{})), "\n") {
			if len(line) > 100 {
				t.Errorf("%s: a line of %d characters: %s", a.File, len(line), line)
			}
		}
	}
}

// An adapter contains only the requested dialects.
func TestDialects(t *testing.T) {
	for _, a := range adapters.All() {
		two := string(a.Source(adapters.Dialects{Replies: []string{"one"}, Cases: []string{"two", "three"}}))
		if strings.Count(two, `"one"`) != 1 || strings.Count(two, `"two", "three"`) != 1 ||
			strings.Contains(two, "DIALECTS\"") {
			t.Errorf("%s: the dialects are not listed once each", a.File)
		}
		want := [][]string{{a.Function}, {a.Whole}, {a.Function, a.Whole}}
		one := []string{"one"}
		got := [][]string{
			a.ToFill(adapters.Dialects{Replies: one}), a.ToFill(adapters.Dialects{Cases: one}),
			a.ToFill(adapters.Dialects{Replies: one, Cases: one}),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: to fill in (-want +got):\n%s", a.File, diff)
		}
	}
}

// The adapter in Go uses each of its imports, for every kind of dialect.
func TestImports(t *testing.T) {
	a, err := adapters.Find("go")
	if err != nil {
		t.Fatal(err)
	}
	one := []string{"one"}
	for _, d := range []adapters.Dialects{{Replies: one}, {Cases: one}, {Replies: one, Cases: one}} {
		source := string(a.Source(d))
		f, err := parser.ParseFile(token.NewFileSet(), a.File, source, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range f.Imports {
			if name := path.Base(strings.Trim(i.Path.Value, `"`)); !strings.Contains(source, name+".") {
				t.Errorf("%+v: %s is imported and not used", d, name)
			}
		}
	}
}

// An adapter explains each of its dialects with the text of the dialect's page and has no
// function for others.
func TestPages(t *testing.T) {
	uncommented := regexp.MustCompile(`(?m)^(#|//) ?`)
	section := regexp.MustCompile("(?s)## What a case contains\n\n(.*?)\n## .*?```json\n(.*?)```\n\n```json\n(.*?)```")
	for _, a := range adapters.All() {
		for _, d := range all.Dialects() {
			asked, other := adapters.Dialects{Cases: []string{d.Name}, Pages: []string{d.Help}}, a.Function
			if d.Edits {
				asked, other = adapters.Dialects{Replies: []string{d.Name}, Pages: []string{d.Help}}, a.Whole
			}
			source := string(a.Source(asked))
			for _, part := range section.FindStringSubmatch(d.Help)[1:] {
				if strings.Count(uncommented.ReplaceAllString(source, ""), part) != 1 {
					t.Errorf("%s for %s does not have once:\n%s", a.File, d.Name, part)
				}
			}
			if strings.Contains(source, " "+other+"(") {
				t.Errorf("%s for %s has the function %s", a.File, d.Name, other)
			}
			if a.Language == "go" {
				if formatted, err := format.Source([]byte(source)); err != nil || string(formatted) != source {
					t.Errorf("%s for %s is not formatted: %v", a.File, d.Name, err)
				}
			}
		}
	}
}

func TestFind(t *testing.T) {
	for _, a := range adapters.All() {
		if got, err := adapters.Find(a.Language); err != nil || got.File != a.File {
			t.Errorf("%s: got %+v, %v", a.Language, got, err)
		}
	}
	if _, err := adapters.Find("cobol"); err == nil || !strings.Contains(err.Error(), "python, node, typescript, go") {
		t.Errorf("got %v, want the languages that there are", err)
	}
}

// The adapters run on the oldest supported versions of their languages.
func TestSyntax(t *testing.T) {
	for _, tc := range []struct {
		language string
		command  []string // the file's name is added
	}{
		{"python", []string{"python3", "-c", `import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))`}},
		{"node", []string{"node", "--check"}},
	} {
		t.Run(tc.language, func(t *testing.T) {
			if _, err := exec.LookPath(tc.command[0]); err != nil {
				t.Skipf("%s is not installed", tc.command[0])
			}
			a, err := adapters.Find(tc.language)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), a.File)
			if err := os.WriteFile(file, a.Source(adapters.Dialects{}), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(tc.command[0], append(tc.command[1:], file)...)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// An adapter rejects a case without a reply before it calls the function to fill in. An empty
// text is a reply. The warnings of a rejection are passed on.
func TestRefusals(t *testing.T) {
	for language, command := range map[string][]string{"python": {"python3"}, "node": {"node"}, "go": {"go", "run"}} {
		refuse := map[string][2]string{
			"python": {
				`raise NotImplementedError("fill in the function apply_reply in the adapter")`,
				`raise Rejected("refused", warnings=[{"code": "truncated", "ids": ["a"]}])`,
			},
			"node": {
				`throw new Error("fill in the function applyReply in the adapter")`,
				`throw new Rejected("refused", "", undefined, [{ code: "truncated", ids: ["a"] }])`,
			},
			"go": {
				`return Result{}, errors.New("fill in the function applyReply in the adapter")`,
				`return Result{Warnings: []Warning{{"truncated", []string{"a"}}}}, &Rejected{"refused", ""}`,
			},
		}[language]
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil {
				t.Skipf("%s is not installed", command[0])
			}
			a, err := adapters.Find(language)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), filepath.Base(a.File))
			source := strings.Replace(string(a.Source(adapters.Dialects{Replies: []string{"planpatch"}})), refuse[0], refuse[1],
				1)
			if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(command[0], append(command[1:], file)...)
			cmd.Dir = filepath.Dir(file)
			request := `{"jsonrpc":"2.0","id":1,"method":"eval","params":{"case":{"dialect":"planpatch","plan":{}%s}}}` + "\n"
			cmd.Stdin = strings.NewReader(fmt.Sprintf(request, "") + fmt.Sprintf(request, `,"replies":[""]`))
			out, err := cmd.Output()
			compact := strings.ReplaceAll(string(out), ": ", ":")
			if err != nil || strings.Count(compact, `"verdict":"rejected"`) != 2 ||
				!strings.Contains(compact, "there is no reply") || !strings.Contains(compact, `"warnings":[{"code":"truncated"`) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

// The head comment of an adapter shows the right commands and names.
func TestHead(t *testing.T) {
	for _, a := range adapters.All() {
		command := " --cases 2000 -- " + strings.Join(a.Command, " ")
		for _, step := range []struct {
			d    adapters.Dialects
			want []string
		}{
			{adapters.Dialects{Replies: []string{"one"}}, []string{a.Function + " below", "replanbench fuzz" + command}},
			{
				adapters.Dialects{Cases: []string{"two"}, First: "two"},
				[]string{a.Whole + " below", "replanbench fuzz --dialect two" + command},
			},
			{
				adapters.Dialects{Replies: []string{"one"}, Cases: []string{"two"}, First: "one"},
				[]string{a.Function + " and " + a.Whole + " below", "replanbench fuzz --dialect one" + command},
			},
		} {
			for _, want := range step.want {
				if source := string(a.Source(step.d)); !strings.Contains(source, want) {
					t.Errorf("%s lacks %q: %s", a.File, want, source[:400])
				}
			}
		}
	}
}

// TestRunnerDoesNotBlock: vitest reports an error if a test blocks its process for a minute, so timers
// go on while the gate runs.
func TestRunnerDoesNotBlock(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	runner, err := os.ReadFile("replanbench.test.mjs")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"replanbench.test.mjs": string(runner),
		"program": `#!/bin/sh
: >started
for i in $(seq 200); do
	[ -e ticked ] && echo '{"failures": []}' && exit
	sleep 0.1
done
exit 9
`,
		"ticks.mjs": `import { existsSync, writeFileSync } from "node:fs";
setInterval(() => existsSync("started") && writeFileSync("ticked", ""), 20).unref();
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), node, "--import", "./ticks.mjs", "replanbench.test.mjs")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "REPLANBENCH=./program")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the runner blocks (%v):\n%s", err, out)
	}
}

// Code of the user may import the names of the adapter in Python: a Rejected that it raises is the adapter's.
func TestPythonImports(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip("python3 is not installed")
	}
	a, err := adapters.Find("python")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := strings.Replace(string(a.Source(adapters.Dialects{Replies: []string{"planpatch"}})),
		"\n    raise NotImplementedError(", "\n    import planner; planner.reject()\n    raise NotImplementedError(", 1)
	for name, text := range map[string]string{
		a.File: source, "planner.py": "from adapter import Rejected\ndef reject(): raise Rejected('refused', 'mine')\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("python3", a.File)
	cmd.Dir = dir
	cmd.Stdin = strings.NewReader(`{"id":1,"method":"eval","params":{"case":{"dialect":"planpatch","replies":[""]}}}` + "\n")
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), `"verdict": "rejected"`) {
		t.Errorf("%v: %s", err, out)
	}
}
