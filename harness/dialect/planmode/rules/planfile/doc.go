// Package planfile keeps the plan files of sessions: which path leads to one,
// how a file gets its name, and how it is written so that nothing else is.
//
// All paths are relative to one directory, the configuration directory, whose
// subdirectory plans holds one Markdown file a session. [Tree] is such a
// directory in memory. Its rules:
//
//   - Paths have slashes. They are walked element by element as an operating
//     system does, links followed, so that a/../b needs a directory a, and
//     leads beside whatever a links to.
//   - No path leads out of the directory: not by .., not by being absolute,
//     not by a link.
//   - Names are compared byte for byte. One that differs in case, or in a dot
//     or a space at its end, is another file here; where such names are the
//     same file elsewhere they are never taken for a new plan file ([Fold]).
//   - A name with NUL, one of more than [maxName] bytes, a path of more than
//     [maxPath] bytes, a chain of more than [maxLinks] links, a path through a
//     file and a path to a directory name no file.
//
// The package knows nothing of modes, tools or approvals.
package planfile

import "errors"

// Files is a directory with plan files in it. Names are what Resolve returns:
// clean paths without links.
type Files interface {
	// Resolve returns the name of the file that a path leads to, whether it is
	// there or could be made. The error says why the path names no file; it is
	// [ErrEscapes] where the path leads out of the directory.
	Resolve(path string) (name string, err error)
	// Read returns what a file holds. For a file that is not there the error
	// is fs.ErrNotExist.
	Read(name string) (string, error)
	// Write makes or replaces a file as a whole, with the directories that it
	// needs.
	Write(name, content string) error
	// PlanNames lists the names in the directory of plan files, in any order.
	PlanNames() ([]string, error)
}

// ErrEscapes says that a path leads out of the directory.
var ErrEscapes = errors.New("the path leads out of the directory")
