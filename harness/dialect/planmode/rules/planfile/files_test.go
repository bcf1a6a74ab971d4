package planfile_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
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

// store opens the world on disk, in a directory of its own.
func (w world) store(t *testing.T) (*planfile.Store, string) {
	t.Helper()
	dir := t.TempDir()
	w.write(t, dir)
	return open(t, dir), dir
}

func open(t *testing.T, dir string) *planfile.Store {
	t.Helper()
	s, err := planfile.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// Both kinds of directory take each path to the same place. "" is an error,
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
		"": "", ".": "", "plans": "", "plans/": "", "source": "", "loop": "", "plans/\x00": "", plan + "/": "", plan + "/.": "",
		plan + "/../calm-baking-fox.md": "", "none/../" + plan: "", "README.md/x": "", "slashed": "", "new/": "", "new/x/.": "",
		long + "x": "", strings.Repeat("x/", 2048) + "x": "",
	}
	tree := sample().tree(t)
	store, _ := sample().store(t)
	for name, files := range map[string]planfile.Files{"tree": tree, "store": store} {
		got := map[string]string{}
		for path := range want {
			resolved, err := files.Resolve(path)
			switch {
			case errors.Is(err, planfile.ErrEscapes):
				resolved = "out"
			case err != nil && resolved != "":
				t.Errorf("%s: %q: both %q and %v", name, path, resolved, err)
			}
			got[path] = resolved
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
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

// A directory in memory, one on disk and the operating system itself agree on
// where paths lead.
func TestTreeStoreAndSystemAgree(t *testing.T) {
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
		store, err := planfile.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		tree := w.tree(t)
		for _, path := range paths {
			inMemory, err1 := tree.Resolve(path)
			onDisk, err2 := store.Resolve(path)
			if inMemory != onDisk || (err1 == nil) != (err2 == nil) || errors.Is(err1, planfile.ErrEscapes) != errors.Is(err2, planfile.ErrEscapes) {
				t.Fatalf("%q in %v: %q, %v in memory; %q, %v on disk", path, w, inMemory, err1, onDisk, err2)
			}
			agreesWithSystem(t, root, path, onDisk)
			if inMemory == "" {
				continue
			}
			if err := errors.Join(tree.Write(inMemory, path), store.Write(inMemory, path)); err != nil {
				t.Fatalf("write %q: %v", inMemory, err)
			}
			text1, _ := tree.Read(inMemory)
			if text2, _ := store.Read(inMemory); text1 != path || text2 != path {
				t.Fatalf("%q holds %q in memory and %q on disk, want %q", inMemory, text1, text2, path)
			}
		}
		sameNames(t, tree, store)
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

func sameNames(t *rapid.T, a, b planfile.Files) {
	x, err1 := a.PlanNames()
	y, err2 := b.PlanNames()
	slices.Sort(x)
	slices.Sort(y)
	if err1 != nil || err2 != nil || !slices.Equal(x, y) {
		t.Fatalf("plan files: %q, %v in memory; %q, %v on disk", x, err1, y, err2)
	}
}

func TestPermissions(t *testing.T) {
	store, dir := world{}.store(t)
	for _, name := range []string{plan, "new/deep/file"} {
		if err := store.Write(name, "x"); err != nil {
			t.Fatal(err)
		}
	}
	got := map[string]fs.FileMode{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if info, err := d.Info(); err == nil && path != "." {
			got[path] = info.Mode().Perm()
		}
		return err
	})
	want := map[string]fs.FileMode{
		"plans": 0o700, plan: 0o600, "new": 0o700, "new/deep": 0o700, "new/deep/file": 0o600,
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Whatever is put in the place of the directory or of the file after the check,
// the content goes beside the other plan files or nowhere.
func TestLinksBetweenCheckAndUse(t *testing.T) {
	for name, swap := range map[string]func(dir, outside string) error{
		"the file becomes a link out": func(dir, outside string) error {
			return errors.Join(os.Remove(filepath.Join(dir, plan)), os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, plan)))
		},
		"the file becomes a link inside": func(dir, _ string) error {
			return errors.Join(os.Remove(filepath.Join(dir, plan)), os.Symlink("../src/main.go", filepath.Join(dir, plan)))
		},
		"the directory becomes a link out": func(dir, outside string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "plans"), filepath.Join(dir, "old")), os.Symlink(outside, filepath.Join(dir, "plans")))
		},
		"the directory becomes a link inside": func(dir, _ string) error {
			return errors.Join(os.Rename(filepath.Join(dir, "plans"), filepath.Join(dir, "old")), os.Symlink("src", filepath.Join(dir, "plans")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			store, dir := sample().store(t)
			outside := t.TempDir()
			if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("secret"), 0o600); err != nil {
				t.Fatal(err)
			}
			if resolved, err := store.Resolve(plan); resolved != plan {
				t.Fatal(resolved, err)
			}
			if err := swap(dir, outside); err != nil {
				t.Fatal(err)
			}
			if text, err := store.Read(plan); err == nil && text != "# Plan" {
				t.Errorf("the store reads %q", text)
			}
			if err := store.Write(plan, "new plan"); err != nil {
				t.Fatal(err)
			}
			if text, err := store.Read(plan); text != "new plan" {
				t.Errorf("the store reads %q, %v after it wrote", text, err)
			}
			want := map[string]string{"secret": "secret"}
			if diff := cmp.Diff(want, contents(t, outside)); diff != "" {
				t.Errorf("outside (-want +got):\n%s", diff)
			}
			want = map[string]string{"main.go": "package main"}
			if diff := cmp.Diff(want, contents(t, filepath.Join(dir, "src"))); diff != "" {
				t.Errorf("other directories (-want +got):\n%s", diff)
			}
		})
	}
}

// contents reads the regular files of a directory.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(data)
	}
	return files
}

// Where the directory of plan files is something else there are none, and
// nothing is written.
func TestNoPlanDirectory(t *testing.T) {
	for name, w := range map[string]world{
		"a link":          {map[string]string{"src/main.go": "x"}, map[string]string{"plans": "src"}},
		"a link out":      {nil, map[string]string{"plans": "../elsewhere"}},
		"a dangling link": {nil, map[string]string{"plans": "nothing"}},
		"a file":          {map[string]string{"plans": "x"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			store, dir := w.store(t)
			if err := store.Write(plan, "x"); err == nil {
				t.Error("a plan file was written")
			}
			if text, err := store.Read(plan); err == nil {
				t.Errorf("a plan file was read: %q", text)
			}
			if names, err := store.PlanNames(); len(names) > 0 || err != nil {
				t.Errorf("plan files: %q, %v", names, err)
			}
			if resolved, _ := w.tree(t).Resolve(plan); resolved == plan {
				t.Error("in memory the path leads to a plan file")
			}
			if resolved, _ := store.Resolve(plan); resolved == plan {
				t.Error("on disk the path leads to a plan file")
			}
			if diff := cmp.Diff(slices.Sorted(maps.Keys(w.tops())), names(t, dir)); diff != "" {
				t.Errorf("the directory (-before +after):\n%s", diff)
			}
		})
	}
}

// tops are the names at the top of a world.
func (w world) tops() map[string]bool {
	tops := map[string]bool{}
	for _, m := range []map[string]string{w.files, w.links} {
		for name := range m {
			top, _, _ := strings.Cut(name, "/")
			tops[top] = true
		}
	}
	return tops
}

func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// A write that fails leaves the directory as it was.
func TestFailedWritesLeaveNothing(t *testing.T) {
	store, dir := sample().store(t)
	if err := os.Mkdir(filepath.Join(dir, "plans", "a-b-c.md"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := names(t, filepath.Join(dir, "plans"))
	for _, name := range []string{"plans/a-b-c.md", "plans/../x", "../x", "/x", "plans/\x00", "plans/" + strings.Repeat("x", 300), "", ".", "plans", "README.md/x"} {
		if err := store.Write(name, "x"); err == nil {
			t.Errorf("%.40q was written", name)
		}
	}
	if diff := cmp.Diff(before, names(t, filepath.Join(dir, "plans"))); diff != "" {
		t.Errorf("the directory (-before +after):\n%s", diff)
	}
}

// Temporary files that others left are passed over; the store leaves none.
func TestTemporaryFiles(t *testing.T) {
	store, dir := world{files: map[string]string{"plans/.plan-0.tmp": "left behind"}}.store(t)
	for range 3 {
		if err := store.Write(plan, "x"); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{".plan-0.tmp": "left behind", "calm-baking-fox.md": "x"}
	if diff := cmp.Diff(want, contents(t, filepath.Join(dir, "plans"))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Who reads while another writes sees the old content or the new, never half.
func TestReadersSeeWholeFiles(t *testing.T) {
	texts := []string{strings.Repeat("a", 100_000), strings.Repeat("b", 100_000)}
	store, dir := world{files: map[string]string{plan: texts[0]}}.store(t)
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 20 {
			if err := store.Write(plan, texts[i%2]); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(plan)))
		if err != nil || !slices.Contains(texts, string(data)) {
			t.Fatalf("%d bytes that nobody wrote: %v", len(data), err)
		}
	}
	writer.Wait()
}

func TestLargeFilesAreNotRead(t *testing.T) {
	store, dir := sample().store(t)
	if err := os.Truncate(filepath.Join(dir, "README.md"), planfile.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Read("README.md"); err == nil || !strings.Contains(err.Error(), "16 MiB") {
		t.Errorf("a file that is too large: %v", err)
	}
}

func TestTreesAreSound(t *testing.T) {
	for _, name := range []string{"", ".", "..", "/x", "a/", "a//b", "a/../b", "a\x00", strings.Repeat("x", 256), "plans/x/y", "d"} {
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
