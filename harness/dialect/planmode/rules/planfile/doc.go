// Package planfile keeps the plan files of sessions: it resolves paths to them,
// names them, and writes them so that no other file changes.
//
// All paths are relative to the configuration directory. Its subdirectory plans
// holds one Markdown file for each session. [Tree] is such a directory in memory.
// Its rules:
//
//   - Paths have slashes. They are resolved element by element, as an operating
//     system does, and links are followed: a/../b needs a directory a, and if a is
//     a link, b is next to its target.
//   - No path leads out of the directory: no .., no absolute path, no link.
//   - Names are compared byte for byte. A name that differs in case, or in a final
//     dot or space, is another file. Some file systems treat such names as equal,
//     so they are never used for a new plan file ([Fold]).
//   - Some paths name no file: a name with NUL or with more than [maxName] bytes, a
//     path of more than [maxPath] bytes or through a file, a chain of more than
//     [maxLinks] links, and a path to a directory.
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
