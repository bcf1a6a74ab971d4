package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestToyDialect adds a dialect to the program, which takes its folder and one
// line in the table, and runs the commands with it.
func TestToyDialect(t *testing.T) {
	t.Parallel()
	program := buildWithToy(t)
	const toys = "testdata/toyscenarios/"
	dir := t.TempDir()
	page, reply, found := filepath.Join(dir, "page.json"), filepath.Join(dir, "reply.txt"), filepath.Join(dir, "found")
	for name, text := range map[string]string{
		page:  `{"words":["Fix","the"]}`,
		reply: "login",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		name, command string
		want          []string
	}{
		{"dialects", "list dialects", []string{"note", "pages that get another word"}},
		{"traits", "list traits --dialect note", []string{"two-words", "the reply is blank"}},
		{"defects", "list defects --dialect note", []string{"replaces-page", "puts the word in place"}},
		{"calibrate", "calibrate --dialect note --cases 500 --seeds 2 --quiet", []string{"replaces-page"}},
		{"codes", "list codes", []string{"not_a_word", "cannot_fit"}},
		{"checks", "list invariants", []string{"page-grows"}},
		{"fuzz", "fuzz --dialect note --cases 500 --quiet --dir " + found, []string{"500 cases: 500 pass"}},
		{"report", "report --format markdown " + found + "/report.json", []string{
			"Fuzzing note, seed 1", "page-grows",
			`not\_a\_word: `,
		}},
		{"junit", "report --format junit " + found + "/report.json", []string{"fuzz note", "page-grows"}},
		{"run", "run " + toys + " --format markdown", []string{"PASS: reference 0.1.0: 2 cases: 2 pass"}},
		{"replay", "replay --verbose " + toys + "word.txtar", []string{
			"Word", `{"words": ["Fix", "the"]}`, "All invariants hold",
			"As expected",
		}},
		{"refused", "replay " + toys + "two_words.txtar", []string{
			"REJECTED: not_a_word", "the reply is not one word",
			"hint: answer with a word",
		}},
		{
			"apply", "apply --dialect note --with page=" + page + " --reply " + reply,
			[]string{"APPLIED", "Word", "login"},
		},
		{"schema", "schema note", []string{`"title": "Word"`}},
		{"help", "help note", []string{"Notes", "which is one word"}},
		{"case", "schema case", []string{`"note"`, `"page"`}},
		{"outcome", "schema outcome", []string{`"not_a_word"`, `"page"`}},
	} {
		out, err := exec.Command(program, strings.Fields(test.command)...).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", test.name, err, out)
			continue
		}
		for _, want := range test.want {
			if !strings.Contains(string(out), want) {
				t.Errorf("%s: no %q in\n%s", test.name, want, out)
			}
		}
	}
}

// buildWithToy builds the program as if the folder stood among those of the
// dialects, and its line in the table.
func buildWithToy(t *testing.T) string {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command to build with")
	}
	const folder, table = "testdata/toydialect", "../../harness/dialect/all/all.go"
	source, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(source), "import (", "import (\n\t\"replanbench/harness/dialect/toy\"", 1)
	text = strings.Replace(text, "once(trim.Dialect)},\n", "once(trim.Dialect)},\n\t{\"note\", once(toy.Dialect)},\n", 1)
	if !strings.Contains(text, "once(toy.Dialect)") {
		t.Fatal("the table of the dialects has another form")
	}
	dir := t.TempDir()
	overlay := map[string]string{table: filepath.Join(dir, "all.go")}
	if err := os.WriteFile(overlay[table], []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			overlay["../../harness/dialect/toy"+strings.TrimPrefix(filepath.ToSlash(path), folder)] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	replace := map[string]string{}
	for to, from := range overlay {
		replace[absolute(t, to)] = absolute(t, from)
	}
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	file, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "replanbench")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-overlay", file, "-o", program,
		".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
