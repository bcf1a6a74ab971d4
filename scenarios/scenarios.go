// Package scenarios contains the hand-written cases with their expected outcomes, which every
// engine can be run against, and reads scenarios of your own. It compares single outcomes;
// harness/hunt/judge checks invariants over many generated cases.
//
// # Files
//
// A scenario is one txtar archive. It begins with comment lines that say why
// it exists, followed by "key: value" lines:
//
//	# An update names the step that the same patch removes.
//	dialect: planpatch
//	level: must
//	max_plan_steps: 12
//	profile: documented
//	profile: ladder=patch,retry,react
//
// The keys are dialect, level (must, the default, or should, which never fails a gate),
// source, the limits by name, and profile. Several profile lines are allowed: each is the name
// of a profile, which replaces the earlier lines, or knob=value. A scenario without profile
// runs under the profile that the engine declares, so it must hold under all of them.
//
// The files follow. For the dialect planpatch:
//
//	plan.json     the plan before the edit: any well-formed JSON, also an invalid plan
//	reply.1.txt   the first reply; one final newline is not part of it
//	reply.2.b64   a reply in base64, for bytes that are not text
//	reply.3.gen   a reply written as a recipe, for large or invisible texts
//	want.json     the members of the outcome that must hold
//
// The dialect operations also has results.json: the results of the steps by id before the
// edit.
//
// The dialect orchestrator has tools.json and verify.json, the scripted results
// of tools and verifications, and needs no plan.json. The key interrupt_after
// is in its header like a limit. budget.json and policy.json say how each call
// is trimmed.
//
// The dialect planmode has calls.json, the calls with the user's answers, and may have
// context.json and files.json, the start of the session. It has neither plan.json nor
// replies.
//
// A recipe has one instruction per line, and the results are joined without a
// separator. Strings are JSON strings; blank lines and lines that begin with
// # are ignored:
//
//	text "\ufeff{"
//	repeat 100000 "["
//
// Replies are numbered from 1 without a gap. A scenario has none only if it wants the code
// replies_exhausted or the rung react.
//
// Of an outcome, its plan and its steps only the members in want.json are
// compared. Lists, and objects like the results or the parameters of a step, are
// compared whole; "…": "any" in an object allows other members. See
// [Scenario.Match].
package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/strictjson"
)

//go:embed */*
var builtin embed.FS

// The levels of a scenario.
const (
	Must   = "must"   // a break fails the gate
	Should = "should" // a break is reported only
)

// Scenario is a case and the expectation of its outcome.
type Scenario struct {
	// ID is the slash-separated path without its extension, from below the
	// last directory called "scenarios", if there is one.
	ID     string
	Doc    string // why it exists; several lines if the file has several
	Level  string // Must or Should
	Source string // where it comes from; may be ""
	File   string // the file it was read from, or the name given to Parse
	Case   harness.Case
	Want   jsontext.Value // the members of the outcome to compare, as a JSON object

	recipes map[int][]byte // .gen files by the reply's index, for Format
}

// extension is the extension of scenario files.
const extension = ".txtar"

// maxFile bounds the size of a scenario file, in bytes.
const maxFile = 16 << 20

// Builtin returns the scenarios that come with the program, ordered by ID.
func Builtin() ([]Scenario, error) {
	var all []Scenario
	err := fs.WalkDir(builtin, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, extension) {
			return err
		}
		data, err := builtin.ReadFile(path)
		if err != nil {
			return err
		}
		s, err := Parse(path, data)
		if err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the built-in scenarios: %w", err)
	}
	return all, nil
}

// Load reads scenario files and, recursively, directories of them; in a
// directory only files that end in .txtar or .scenario.yaml count, and names that begin with a
// dot are passed over. The result is in the order of the arguments, within a
// directory in lexical order; a file met twice is taken once. The error joins
// those of all files; nothing is returned beside it.
func Load(paths ...string) ([]Scenario, error) {
	var all []Scenario
	var errs []error
	from := map[string]string{} // file by ID
	for _, path := range paths {
		files, err := find(path)
		if err != nil {
			errs = append(errs, err)
		}
		for _, file := range files {
			s, err := load(file)
			before, seen := from[s.ID]
			switch {
			case err != nil:
				errs = append(errs, err)
			case seen && before != file:
				errs = append(errs, &Error{File: file, Message: fmt.Sprintf("has the same id as %s, %q; rename one of them",
					before, s.ID)})
			case !seen:
				from[s.ID] = file
				all = append(all, s)
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	return all, nil
}

// find lists the scenario files at a path.
func find(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	if !info.IsDir() {
		return []string{filepath.Clean(path)}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fileError(p, err)
		case p != path && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir() && (strings.HasSuffix(p, extension) || InYAML(p)):
			files = append(files, filepath.Clean(p))
		}
		return nil
	})
	if err == nil && len(files) == 0 {
		err = &Error{File: path, Message: "the directory holds no scenario (a scenario is a file that ends in " + extension +
			")"}
	}
	return files, err
}

// load reads one file, but never more of it than maxFile.
func load(path string) (Scenario, error) {
	info, err := os.Stat(path)
	if err != nil {
		return Scenario{}, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return Scenario{}, &Error{File: path, Message: "is not a regular file; give a scenario file or a directory"}
	}
	f, err := os.Open(path)
	if err != nil {
		return Scenario{}, fileError(path, err)
	}
	defer f.Close()
	tooLarge := &Error{File: path, Message: fmt.Sprintf("is larger than %d MiB; write large replies as recipes "+
		"(reply.N.gen)", maxFile>>20)}
	if info.Size() > maxFile {
		return Scenario{}, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1)) // it may have grown
	if err != nil {
		return Scenario{}, fileError(path, err)
	}
	if len(data) > maxFile {
		return Scenario{}, tooLarge
	}
	return Parse(path, data)
}

// idOf turns a path into the ID of a scenario.
func idOf(path string) string {
	path = strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(path), extension), yamlExtension)
	parts := strings.Split(path, "/")
	for i, p := range slices.Backward(parts) {
		if p == "scenarios" && i+1 < len(parts) {
			return strings.Join(parts[i+1:], "/")
		}
	}
	return strings.Join(parts, "/")
}

// Set is a list of scenarios that runs as one suite: built-in ones, or files.
type Set struct {
	List  []Scenario
	Files map[string]string // id → file, of those that are not built in
}

// LoadSet loads the scenarios of files and directories, or without any the
// built-in ones.
func LoadSet(paths ...string) (Set, error) {
	if len(paths) == 0 {
		list, err := Builtin()
		return Set{List: list}, err
	}
	list, err := Load(paths...)
	set := Set{List: list, Files: map[string]string{}}
	for _, s := range list {
		set.Files[s.ID] = s.File
	}
	return set, err
}

// Join adds another set to one of built-in scenarios. No id may be in both.
func (s *Set) Join(own Set) error {
	for _, one := range s.List {
		if file := own.Files[one.ID]; file != "" {
			return fmt.Errorf("%s has the id of a built-in scenario, %s (rename the file, or set suites.scenarios.builtin to "+
				"false)", file, one.ID)
		}
	}
	s.List, s.Files = slices.Concat(s.List, own.List), own.Files
	return nil
}

// Name is what replay takes for a scenario of the set.
func (s Set) Name(one Scenario) string {
	if file := s.Files[one.ID]; file != "" {
		return file
	}
	return one.ID
}

// Error is a mistake in a scenario file, with its place. Line and Column
// count from 1, columns in characters; both are 0 where the fault is the file
// as a whole.
type Error struct {
	File         string
	Line, Column int
	Message      string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.File + ": " + e.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
}

// fileError makes an error of the operating system one of this package.
func fileError(path string, err error) error {
	var pathErr *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Error{File: path, Message: "there is no such file or directory; check the path"}
	case errors.Is(err, fs.ErrPermission):
		return &Error{File: path, Message: "may not be read; check its permissions"}
	case errors.As(err, &pathErr):
		return &Error{File: path, Message: "cannot be read: " + pathErr.Err.Error()}
	}
	return &Error{File: path, Message: "cannot be read: " + err.Error()}
}

// source is a file's name and bytes, to place errors in.
type source struct {
	name string
	data []byte
}

// errorf makes an error at a byte offset of the file.
func (s source) errorf(offset int, format string, args ...any) error {
	line, column := strictjson.Position(string(s.data), offset)
	return &Error{s.name, line, column, fmt.Sprintf(format, args...)}
}
