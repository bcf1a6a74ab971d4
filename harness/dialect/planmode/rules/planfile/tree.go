package planfile

import (
	"fmt"
	"io/fs"
	"strings"
)

// Tree is a directory in memory. The zero value is empty and ready to use. It
// is not for concurrent use.
type Tree struct {
	entries map[string]entry
	dirs    map[string]bool // every directory that an entry needs
}

// entry is a file, or a link with its target.
type entry struct {
	text string
	link bool
}

// Put makes or replaces a file.
func (t *Tree) Put(name, content string) error { return t.put(name, entry{content, false}) }

// Link makes a symbolic link. Its target, relative to the directory that the
// link is in, may lead anywhere.
func (t *Tree) Link(name, target string) error { return t.put(name, entry{target, true}) }

func (t *Tree) put(name string, e entry) error {
	if err := t.place(name); err != nil {
		return err
	}
	if t.entries == nil {
		t.entries, t.dirs = map[string]entry{}, map[string]bool{}
	}
	for dir := dirOf(name); dir != ""; dir = dirOf(dir) {
		t.dirs[dir] = true
	}
	t.entries[name] = e
	return nil
}

// place checks that a file or a link can have that name.
func (t *Tree) place(name string) error {
	if !fs.ValidPath(name) || name == "." || strings.Contains(name, "\x00") || len(name) > maxPath {
		return fmt.Errorf("%.80q is not a clean relative file path", name)
	}
	for element := range strings.SplitSeq(name, "/") {
		if len(element) > maxName {
			return fmt.Errorf("a name in %.80q has more than %d bytes", name, maxName)
		}
	}
	if t.dirs[name] {
		return fmt.Errorf("%q is a directory", name)
	}
	for dir := dirOf(name); dir != ""; dir = dirOf(dir) {
		if _, ok := t.entries[dir]; ok {
			return fmt.Errorf("%q is below %q, which is not a directory", name, dir)
		}
	}
	return nil
}

// look returns the kind of file at a clean name without links in it, and where it leads if that is a link.
func (t *Tree) look(name string) (kind, string) {
	e, ok := t.entries[name]
	switch {
	case ok && e.link:
		return link, e.text
	case ok:
		return file, ""
	case t.dirs[name] || name == Dir: // it is made when it is needed
		return directory, ""
	}
	return missing, ""
}

// Read returns what a file holds.
func (t *Tree) Read(name string) (string, error) {
	e, ok := t.entries[name]
	if !ok || e.link {
		return "", &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return e.text, nil
}

// Write makes or replaces a file.
func (t *Tree) Write(name, content string) error { return t.Put(name, content) }

// PlanNames lists the directory of plan files.
func (t *Tree) PlanNames() ([]string, error) {
	seen := map[string]bool{}
	var names []string
	for name := range t.entries {
		rest, ok := strings.CutPrefix(name, Dir+"/")
		if base, _, _ := strings.Cut(rest, "/"); ok && !seen[base] {
			seen[base] = true
			names = append(names, base)
		}
	}
	return names, nil
}
