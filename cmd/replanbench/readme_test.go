package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/spf13/cobra"

	"replanbench/cmd/replanbench/topics"
	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/testdata/golden"
)

const root = "../../"

// pages are the files of Markdown in the repository, by their paths from its root:
// the README, the topics, and the pages next to packages.
func pages(t *testing.T) map[string]string {
	t.Helper()
	return texts(t, ".md")
}

// texts are the files of the repository that end so, but for test data and what
// stands in hidden folders.
func texts(t *testing.T, endings ...string) map[string]string {
	t.Helper()
	list := map[string]string{}
	err := fs.WalkDir(os.DirFS(root), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") ||
			slices.Contains([]string{"testdata", "node_modules", "bin"}, d.Name())):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains(endings, filepath.Ext(path)):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		list[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestReadme runs every console block of the pages in a copy of the files of
// the tour for researchers and compares the output; -update rewrites the blocks. A line
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
	for path, old := range pages(t) {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			now := rerun(t, old)
			if golden.Update() {
				if err := os.WriteFile(filepath.Join(root, path), []byte(now), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(old, "\n"), strings.Split(now, "\n")); diff != "" {
				t.Errorf("the page does not show what the program does (-page +program; -update rewrites it):\n%s", diff)
			}
		})
	}
}

// rerun returns a page with what its blocks give now.
func rerun(t *testing.T, page string) string {
	sh := newShell(t, "tour/research")
	part := regexp.MustCompile("(?ms)^```console\n(.*?)^```$|^<!-- files: ([\\w/]+)(?: with (\\w+))? -->$")
	return part.ReplaceAllStringFunc(page, func(b string) string {
		m := part.FindStringSubmatch(b)
		text, dir, program := m[1], m[2], m[3]
		if dir != "" {
			sh = newShell(t, dir)
			sh.need(program)
			return b
		}
		return "```console\n" + sh.rerun(text) + "```"
	})
}

// TestReadmeLinks holds links between pages to what is there, and the sections that
// they name.
func TestReadmeLinks(t *testing.T) {
	list := pages(t)
	heading := regexp.MustCompile(`(?m)^#+ (.*)$`)
	for from, text := range list {
		for _, m := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, section, _ := strings.Cut(m[1], "#")
			to := from
			if file != "" {
				to = path.Join(path.Dir(from), file)
			}
			target, ok := list[to]
			if !ok {
				t.Errorf("%s: the link %s leads nowhere", from, m[1])
				continue
			}
			there := slices.ContainsFunc(heading.FindAllStringSubmatch(target, -1),
				func(h []string) bool { return anchor(h[1]) == section })
			if section != "" && !there {
				t.Errorf("%s: the link %s names no section of %s", from, m[1], to)
			}
		}
	}
}

// anchor is what the section with that heading is called in links.
func anchor(heading string) string {
	kept := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), "")
	return strings.ReplaceAll(kept, " ", "-")
}

// TestReadmeFlags holds the command lines that the pages show and no test runs to the
// commands and flags that there are.
func TestReadmeFlags(t *testing.T) {
	block := regexp.MustCompile("(?ms)^```sh\n(.*?)^```$|`(replanbench [^`]*)`")
	line := regexp.MustCompile(`(?m)\breplanbench ([a-z][^#|>\n]*)`)
	program := newRoot(env{})
	program.InitDefaultHelpCmd()
	for path, text := range pages(t) {
		for _, b := range block.FindAllStringSubmatch(text, -1) {
			lines := strings.NewReplacer("\\\n", " ", "\n", " ").Replace(b[2])
			if b[1] != "" {
				lines = strings.ReplaceAll(b[1], "\\\n", " ")
			}
			for _, l := range line.FindAllStringSubmatch(lines, -1) {
				words := strings.Fields(l[1])
				if i := slices.Index(words, "--"); i >= 0 {
					words = words[:i]
				}
				cmd, rest, err := program.Find(words)
				if err != nil || !cmd.HasParent() {
					t.Errorf("%s: there is no such command: replanbench %s", path, l[1])
					continue
				}
				for _, word := range rest {
					name, flag := strings.CutPrefix(word, "--")
					name, _, _ = strings.Cut(name, "=")
					if flag && name != "help" && cmd.Flags().Lookup(name) == nil {
						t.Errorf("%s: %s has no flag --%s: replanbench %s", path, cmd.CommandPath(), name, l[1])
					}
				}
			}
		}
	}
}

// TestTopicsNamed holds every mention of a topic, and of the help of a command, to
// what help knows.
func TestTopicsNamed(t *testing.T) {
	known := append(pageNames(), commandNames(newRoot(env{}))...)
	mention := regexp.MustCompile("replanbench help ([a-z]+)")
	for path, text := range texts(t, ".md", ".go", ".py", ".mjs", ".yaml", ".yml") {
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			if name := m[1]; !slices.Contains(known, name) && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s names %q, which is no topic and no command", path, m[0])
			}
		}
	}
	for _, c := range newRoot(env{}).Commands() {
		named := topicsOf(c)
		if len(named) == 0 && !c.Hidden && !slices.Contains([]string{"help", "completion", "man", "version"}, c.Name()) {
			t.Errorf("the command %s points to no topic", c.Name())
		}
		for _, name := range named {
			if !slices.Contains(topics.Names(), name) {
				t.Errorf("the command %s points to the topic %s, which does not exist", c.Name(), name)
			}
		}
	}
}

// topicsOf returns the topics that the help of a command points to.
func topicsOf(c *cobra.Command) (names []string) {
	_, more, _ := strings.Cut(c.Long, "\n\nMore: ")
	for _, m := range regexp.MustCompile(`replanbench help (\w+)`).FindAllStringSubmatch(more, -1) {
		names = append(names, m[1])
	}
	return names
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
		printed := s.output(command)
		if printed == "" && strings.Contains(command, "|") {
			s.t.Errorf("this command finds nothing in its output: %s", command)
		}
		out.WriteString("$ " + command + "\n" + elide(printed, shown))
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

// page is a file of Markdown that must be there.
func page(t *testing.T, path string) string {
	t.Helper()
	text, ok := pages(t)[path]
	if !ok {
		t.Fatalf("there is no %s", path)
	}
	return text
}

const topicsFolder = "cmd/replanbench/topics/"

// TestReadmeProfiles holds the table of profiles to the profiles.
func TestReadmeProfiles(t *testing.T) {
	text := page(t, topicsFolder+"profiles.md")
	for _, k := range harness.Knobs() {
		row := "| `" + k.Name + "` |"
		for _, term := range harness.Profiles() {
			p, _ := harness.Named(term.Name)
			row += " " + k.Get(p) + " |"
		}
		if !strings.Contains(text, row+"\n") {
			t.Errorf("the topic profiles has no row\n%s", row)
		}
	}
}

// TestReadmeDialects compares the figures of the table of dialects with the number of
// lines that list prints of each kind.
func TestReadmeDialects(t *testing.T) {
	text := page(t, topicsFolder+"dialects.md")
	kinds := []string{"traits", "invariants", "defects", "scenarios"}
	if heading := "| " + strings.Join(kinds, " | ") + " |"; !strings.Contains(text, heading) {
		t.Errorf("the topic dialects has no columns %s", heading)
	}
	for _, d := range all.Dialects() {
		var counts []string
		for _, kind := range kinds {
			code, out, errs := call(t.Context(), "list", kind, "--dialect", d.Name)
			if code != 0 {
				t.Fatalf("list %s: exit code %d: %s", kind, code, errs)
			}
			counts = append(counts, strconv.Itoa(strings.Count(out, "\n")))
		}
		want := "| " + strings.Join(counts, " | ") + " |"
		row := regexp.MustCompile("(?m)^\\| `" + d.Name + "` \\|.*" + regexp.QuoteMeta(want) + "$")
		if !row.MatchString(text) {
			t.Errorf("the topic dialects has no row of the dialect %s with %s", d.Name, want)
		}
	}
}

// TestReadmeTopics holds the README's table to the topics and to the commands, and
// its length to what one reads.
func TestReadmeTopics(t *testing.T) {
	text := page(t, "README.md")
	for _, name := range topics.Names() {
		if !strings.Contains(text, "\n| ["+name+"]("+topicsFolder+name+".md) |") {
			t.Errorf("the README's table of topics lacks %s", name)
		}
	}
	for _, c := range newRoot(env{}).Commands() {
		if named := "`" + c.Name() + "`"; len(topicsOf(c)) > 0 && !strings.Contains(text, named) {
			t.Errorf("the README's table of topics lacks the command %s", c.Name())
		}
	}
	if n := strings.Count(text, "\n"); n > 320 {
		t.Errorf("the README has %d lines, and at most 320 are read", n)
	}
}
