package scenarios

import (
	"fmt"
	"slices"
)

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
