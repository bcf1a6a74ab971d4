package planfile

import (
	"errors"
	"fmt"
	"strings"
)

// Bounds of paths, in bytes and in links on the way.
const (
	maxName  = 255
	maxPath  = 4096
	maxLinks = 8
)

// kind is the kind of file at a name.
type kind uint8

const (
	missing kind = iota
	file
	directory
	link
	special // a device, a pipe
)

// walker follows paths in a directory.
type walker struct {
	tree  *Tree
	done  string // the way so far: a directory
	rest  string // the rest of the path
	more  bool   // there is a rest, which may be empty
	links int
}

// Resolve returns the name that a path leads to.
func (t *Tree) Resolve(path string) (string, error) {
	w := walker{tree: t}
	if err := w.push(path); err != nil {
		return "", err
	}
	for w.more {
		name, err := w.step(w.next())
		if name != "" || err != nil {
			return name, err
		}
	}
	return "", errors.New("the path names a directory")
}

// next takes an element off the rest of the path.
func (w *walker) next() (element string) {
	element, w.rest, w.more = strings.Cut(w.rest, "/")
	return element
}

// push puts a path before the rest of the path.
func (w *walker) push(path string) error {
	switch {
	case path == "":
		return errors.New("the path is empty")
	case len(path) > maxPath:
		return fmt.Errorf("the path has more than %d bytes", maxPath)
	case strings.Contains(path, "\x00"):
		return errors.New("the path contains a NUL byte")
	case path[0] == '/':
		return ErrEscapes
	}
	for e := range strings.SplitSeq(path, "/") {
		if len(e) > maxName {
			return fmt.Errorf("a name in the path has more than %d bytes", maxName)
		}
	}
	if w.more {
		path += "/" + w.rest
	}
	w.rest, w.more = path, true
	return nil
}

// step goes on by one element. It returns a name when that is the end.
func (w *walker) step(element string) (string, error) {
	switch element {
	case "", ".":
		return "", nil
	case "..":
		if w.done == "" {
			return "", ErrEscapes
		}
		w.done = w.done[:max(strings.LastIndexByte(w.done, '/'), 0)]
		return "", nil
	}
	name := join(w.done, element)
	k, target := w.tree.look(name)
	switch k {
	case link:
		if w.links++; w.links > maxLinks {
			return "", errors.New("the path leads through too many links")
		}
		return "", w.push(target)
	case directory:
		w.done = name
		return "", nil
	case missing:
		return w.fresh(name)
	case special:
		return "", errors.New("the path names no regular file")
	}
	if w.more {
		return "", errors.New("the path leads through a file")
	}
	return name, nil
}

// fresh goes on where nothing is yet: whatever else the path has is new too.
func (w *walker) fresh(name string) (string, error) {
	for w.more {
		switch e := w.next(); {
		case e == "..":
			return "", errors.New("the path leads through a missing directory")
		case e != "" && e != ".":
			name = join(name, e)
		case !w.more:
			return "", errors.New("the path names a directory")
		}
	}
	return name, nil
}

// join returns the name of an element in a directory; "" is the top.
func join(dir, element string) string {
	if dir == "" {
		return element
	}
	return dir + "/" + element
}

// dirOf returns the directory of a name, "" if it has none.
func dirOf(name string) string { return name[:max(strings.LastIndexByte(name, '/'), 0)] }
