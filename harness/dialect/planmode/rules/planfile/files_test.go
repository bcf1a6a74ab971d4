package planfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness/dialect/planmode/rules/planfile"
)

const plan = "plans/calm-baking-fox.md"

// world is what a directory holds: files by name, and links by name.
type world struct {
	files, links map[string]string
}

func sample() world {
	return world{
		files: map[string]string{plan: "# Plan", "src/main.go": "package main", "README.md": "read me"},
		links: map[string]string{
			"to-plan": plan, "src/up": "../plans", "outside": "../elsewhere", "absolute": "/etc/passwd", "loop": "loop",
			"dangling": "src/new.go", "plans/to-source.md": "../src/main.go", "source": "src", "slashed": plan + "/",
		},
	}
}

func (w world) tree(t interface{ Fatal(...any) }) *planfile.Tree {
	var tree planfile.Tree
	for name, content := range w.files {
		if err := tree.Put(name, content); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range w.links {
		if err := tree.Link(name, target); err != nil {
			t.Fatal(err)
		}
	}
	return &tree
}

// write makes the world on disk.
func (w world) write(t interface{ Fatal(...any) }, dir string) {
	for name, content := range w.files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range w.links {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(target, path)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestResolve: the tree takes each path to its place. "" is an error,
// "out" one that says that the path leads out.
func TestResolve(t *testing.T) {
	long := strings.Repeat("x", 255)
	want := map[string]string{
		plan: plan, "./" + plan: plan, "plans//calm-baking-fox.md": plan, "plans/./calm-baking-fox.md": plan,
		"plans/../" + plan: plan, "src/../" + plan: plan, "src/up/calm-baking-fox.md": plan, "to-plan": plan,
		"source/../" + plan: plan, "source/main.go": "src/main.go", "src/up/../README.md": "README.md",
		"plans/to-source.md": "src/main.go", "dangling": "src/new.go",
		"PLANS/calm-baking-fox.md": "PLANS/calm-baking-fox.md", "plans/Calm-Baking-Fox.md": "plans/Calm-Baking-Fox.md",
		"plans/calm-baking-fox.md.": "plans/calm-baking-fox.md.", "plans/calm-baking-fox.md ": "plans/calm-baking-fox.md ",
		`plans\calm-baking-fox.md`: `plans\calm-baking-fox.md`, " ": " ", "new/deep/file": "new/deep/file", long: long,
		"../x": "out", "plans/../../x": "out", "/" + plan: "out", "/etc/passwd": "out", "outside": "out", "absolute": "out",
		"src/up/../../x": "out", "..": "out", "//x": "out",
		"": "", ".": "", "plans": "", "plans/": "", "source": "", "loop": "", "plans/\x00": "", plan + "/": "", plan +
			"/.": "",
		plan + "/../calm-baking-fox.md": "", "none/../" + plan: "", "README.md/x": "", "slashed": "", "new/": "",
		"new/x/.":  "",
		long + "x": "", strings.Repeat("x/", 2048) + "x": "",
	}
	tree := sample().tree(t)
	got := map[string]string{}
	for path := range want {
		resolved, err := tree.Resolve(path)
		switch {
		case errors.Is(err, planfile.ErrEscapes):
			resolved = "out"
		case err != nil && resolved != "":
			t.Errorf("%q: both %q and %v", path, resolved, err)
		}
		got[path] = resolved
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// drawn draws a small world and paths that meet each other in it.
func drawn(t *rapid.T) (world, []string) {
	names := rapid.SampledFrom([]string{"a", "b", "plans", "calm-baking-fox.md", "..", ".", "", "A", "a "})
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(names, 1, 5).Draw(t, "elements"), "/")
	})
	w := world{map[string]string{}, map[string]string{}}
	var tree planfile.Tree // says what fits together
	for range rapid.IntRange(0, 6).Draw(t, "entries") {
		name := path.Draw(t, "name")
		_, file := w.files[name]
		_, link := w.links[name]
		if file || link || tree.Put(name, "") != nil {
			continue
		}
		if rapid.Bool().Draw(t, "link") {
			w.links[name] = rapid.OneOf(path, rapid.Just("/a")).Filter(func(p string) bool { return p != "" }).Draw(t, "target")
		} else {
			w.files[name] = name
		}
	}
	return w, rapid.SliceOfN(path, 1, 4).Draw(t, "paths")
}

// TestTreeAndSystemAgree: a directory in memory and the operating system agree on where
// paths lead.
func TestTreeAndSystemAgree(t *testing.T) {
	if _, err := os.Stat("FILES_TEST.go"); err == nil {
		t.Skip("on this file system names in another case are the same file, and in memory they are not")
	}
	rapid.Check(t, func(t *rapid.T) {
		w, paths := drawn(t)
		dir, err := os.MkdirTemp("", "planfile")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w.write(t, dir)
		// In memory the directory of plans is always there, unless something else is.
		if err := os.Mkdir(filepath.Join(dir, planfile.Dir), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		tree := w.tree(t)
		for _, path := range paths {
			name, _ := tree.Resolve(path)
			agreesWithSystem(t, root, path, name)
			if name == "" {
				continue
			}
			if err := errors.Join(tree.Write(name, path), writeFile(root, name, path)); err != nil {
				t.Fatalf("write %q: %v", name, err)
			}
			if text, err := tree.Read(name); text != path || err != nil {
				t.Fatalf("%q holds %q, %v, want %q", name, text, err, path)
			}
		}
	})
}

// agreesWithSystem opens a path as the system does and looks whether that is
// the file with the name.
func agreesWithSystem(t *rapid.T, root *os.Root, path, name string) {
	info, err := root.Stat(path)
	switch {
	case err != nil || !info.Mode().IsRegular():
		if _, missing := root.Stat(name); name != "" && missing == nil {
			t.Fatalf("%q is said to lead to %q, the system says %v", path, name, err)
		}
	case name == "":
		t.Fatalf("%q is said to lead nowhere, the system finds a file", path)
	default:
		named, err := root.Lstat(name)
		if err != nil || !os.SameFile(info, named) {
			t.Fatalf("%q is said to lead to %q, which is another file for the system (%v)", path, name, err)
		}
	}
}

// writeFile writes a file as a tree does, with its directories.
func writeFile(root *os.Root, name, text string) error {
	return errors.Join(root.MkdirAll(filepath.Dir(name), 0o700), root.WriteFile(name, []byte(text), 0o600))
}

func TestTreesAreSound(t *testing.T) {
	for _, name := range []string{
		"", ".", "..", "/x", "a/", "a//b", "a/../b", "a\x00", strings.Repeat("x", 256),
		"plans/x/y", "d",
	} {
		var tree planfile.Tree
		if err := errors.Join(tree.Put("plans/x", ""), tree.Put("d/e", "")); err != nil {
			t.Fatal(err)
		}
		if err := tree.Put(name, ""); err == nil {
			t.Errorf("a file can be called %.40q", name)
		}
		if err := tree.Link(name, "x"); err == nil {
			t.Errorf("a link can be called %.40q", name)
		}
	}
}
