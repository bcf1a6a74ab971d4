// Package adapters holds the files with which patch logic in other languages
// becomes an engine: one file each, without dependencies, with a function to
// fill in. They are written out, not imported; engines in Go that may depend on
// this module use package rpc instead.
package adapters

import (
	"bytes"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed adapter.py adapter.mjs golang/adapter.go
var files embed.FS

// Adapter is a file for one language.
type Adapter struct {
	Language string
	File     string   // what to call it; a Go file is a program, so it needs a directory of its own
	Command  []string // how to run the engine
	Build    []string // how to build it first, if it must be
	Function string   // what to fill in for dialects where an adapter gives plan and reply
	Whole    string   // what to fill in for those where it gives the whole case

	path string
}

// All lists the adapters.
func All() []Adapter {
	return []Adapter{
		{Language: "python", File: "adapter.py", Command: []string{"python3", "adapter.py"}, Function: "apply_reply", Whole: "run_case", path: "adapter.py"},
		{Language: "node", File: "adapter.mjs", Command: []string{"node", "adapter.mjs"}, Function: "applyReply", Whole: "runCase", path: "adapter.mjs"},
		{
			Language: "go", File: "planner-engine/main.go",
			Command:  []string{"./planner-engine/planner-engine"},
			Build:    []string{"go", "build", "-o", "planner-engine/", "./planner-engine"},
			Function: "applyReply", Whole: "runCase", path: "golang/adapter.go",
		},
	}
}

// Find returns the adapter for a language.
func Find(language string) (Adapter, error) {
	all := All()
	i := slices.IndexFunc(all, func(a Adapter) bool { return a.Language == language })
	if i < 0 {
		var names []string
		for _, a := range all {
			names = append(names, a.Language)
		}
		return Adapter{}, fmt.Errorf("no adapter for %q (there are %s)", language, strings.Join(names, ", "))
	}
	return all[i], nil
}

// Dialects are those that an adapter is written for.
type Dialects struct {
	Replies []string // its function takes a plan and a reply, and gives the new plan
	Cases   []string // its function takes a case and gives an outcome
}

// Source returns the adapter's file, for an engine that knows these dialects.
func (a Adapter) Source(d Dialects) []byte {
	data, err := files.ReadFile(a.path)
	if err != nil {
		panic(err) // it is embedded
	}
	data = bytes.Replace(data, []byte(`"REPLY DIALECTS"`), quoted(d.Replies), 1)
	return bytes.Replace(data, []byte(`"CASE DIALECTS"`), quoted(d.Cases), 1)
}

// quoted writes names as the items of a list, which looks the same in every
// language.
func quoted(names []string) []byte {
	var items []string
	for _, n := range names {
		items = append(items, strconv.Quote(n))
	}
	return []byte(strings.Join(items, ", "))
}

// ToFill names the functions to fill in for these dialects.
func (a Adapter) ToFill(d Dialects) []string {
	var names []string
	if len(d.Replies) > 0 {
		names = append(names, a.Function)
	}
	if len(d.Cases) > 0 {
		names = append(names, a.Whole)
	}
	return names
}
