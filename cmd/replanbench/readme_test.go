package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/golden"
)

const readmeFile = "../../README.md"

// TestReadme runs every console block of the README in a copy of the files of
// the tour and compares what comes out; -update rewrites the blocks. A line
// "…" stands for lines left out in the middle; in such an output numbers may
// differ, for it is long and grows with the program.
//
// A comment "<!-- files: DIR -->" names another directory of testdata for the
// blocks behind it, and "<!-- files: DIR with PROGRAM -->" a program without
// which they are not run.
func TestReadme(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("there is no sh to run the blocks with")
	}
	old, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	sh := newShell(t, "tour")
	part := regexp.MustCompile("(?ms)^```console\n(.*?)^```$|^<!-- files: (\\w+)(?: with (\\w+))? -->$")
	now := part.ReplaceAllFunc(old, func(b []byte) []byte {
		m := part.FindSubmatch(b)
		text, dir, program := string(m[1]), string(m[2]), string(m[3])
		if dir != "" {
			sh = newShell(t, dir)
			sh.need(program)
			return b
		}
		return []byte("```console\n" + sh.rerun(text) + "```")
	})
	if golden.Update() {
		if err := os.WriteFile(readmeFile, now, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(string(old), "\n"), strings.Split(string(now), "\n")); diff != "" {
		t.Errorf("the README does not show what the program does (-README +program; -update rewrites it):\n%s", diff)
	}
}

// shell runs command lines in a copy of a directory of testdata.
type shell struct {
	t    *testing.T
	dir  string
	idle bool // it runs nothing
}

func newShell(t *testing.T, files string) shell {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", files))); err != nil {
		t.Fatal(err)
	}
	return shell{t: t, dir: dir}
}

// need leaves the blocks as they are if a program is not there to run them.
func (s *shell) need(program string) {
	if program == "" {
		return
	}
	if _, err := exec.LookPath(program); err != nil {
		s.t.Logf("%s is not installed: the blocks that need it are not run", program)
		s.idle = true
	}
}

// rerun returns a block with the output that its commands give now.
func (s shell) rerun(text string) string {
	if s.idle {
		return text
	}
	var out strings.Builder
	commands := strings.Split("\n"+text, "\n$ ")[1:]
	for i, c := range commands {
		command, shown, _ := strings.Cut(c, "\n")
		if i < len(commands)-1 {
			shown += "\n"
		}
		out.WriteString("$ " + command + "\n" + elide(s.output(command), shown))
	}
	return out.String()
}

func (s shell) output(command string) string {
	cmd := exec.CommandContext(s.t.Context(), "sh", "-c", command)
	cmd.Dir = s.dir
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil && !cmd.ProcessState.Exited() {
		s.t.Fatalf("%s: %v", command, err)
	}
	return progressLines.ReplaceAllString(out.String(), "")
}

// progressLines are what a command says where it takes more than ten seconds,
// as on a slow machine.
var progressLines = regexp.MustCompile(`(?m)^(\d+ of \d+ (campaigns|scenarios|histories|sessions, \d+ plan calls)|\d+ cases.*, \d+/s, \d+ findings.*)\n`)

// elide leaves out of the output as much as was left out of what is shown.
func elide(output, shown string) string {
	lines, old := strings.SplitAfter(output, "\n"), strings.SplitAfter(shown, "\n")
	head := slices.Index(old, "…\n")
	tail := len(old) - head - 1
	if head < 0 || head+tail >= len(lines) {
		return output
	}
	now := strings.Join(lines[:head], "") + "…\n" + strings.Join(lines[len(lines)-tail:], "")
	if !golden.Update() && withoutNumbers(now) == withoutNumbers(shown) {
		return shown
	}
	return now
}

// withoutNumbers makes outputs equal that differ in numbers and their width.
func withoutNumbers(s string) string {
	return regexp.MustCompile(`[ ─]+`).ReplaceAllString(regexp.MustCompile(`[0-9.]+`).ReplaceAllString(s, "N"), " ")
}

// TestReadmeProfiles holds the table of profiles to the profiles.
func TestReadmeProfiles(t *testing.T) {
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range harness.Knobs() {
		row := "| `" + k.Name + "` |"
		for _, term := range harness.Profiles() {
			p, _ := harness.Named(term.Name)
			row += " " + k.Get(p) + " |"
		}
		if !strings.Contains(string(readme), row+"\n") {
			t.Errorf("the README has no row\n%s", row)
		}
	}
}

// TestReadmeDialects holds the counts in the table of dialects to what is there.
func TestReadmeDialects(t *testing.T) {
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all.Dialects() {
		counts := fmt.Sprintf("| %d | %d | %d | %d |", len(d.Traits), len(d.Judging.Checks), len(defectsOf(d)), len(scenariosOf(d)))
		row := regexp.MustCompile("(?m)^\\| `" + d.Name + "` \\|.*" + regexp.QuoteMeta(counts) + "$")
		if !row.Match(readme) {
			t.Errorf("the README has no row of the dialect %s with %s", d.Name, counts)
		}
	}
}

// TestReadmeCommands holds the table of commands to the commands.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile(readmeFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range newRoot(env{}).Commands() {
		if c.Name() != "help" && c.Name() != "completion" && !strings.Contains(string(readme), "\n| `"+c.Name()) {
			t.Errorf("the README's table of commands lacks %s", c.Name())
		}
	}
}
