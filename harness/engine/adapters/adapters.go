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
	Function string   // what to fill in for the dialect planpatch
	Whole    string   // what to fill in for the others

	path  string
	known string // how the file lists its dialects
}

// All lists the adapters.
func All() []Adapter {
	return []Adapter{
		{"python", "adapter.py", []string{"python3", "adapter.py"}, nil, "apply_reply", "run_case", "adapter.py", `["planpatch"]`},
		{"node", "adapter.mjs", []string{"node", "adapter.mjs"}, nil, "applyReply", "runCase", "adapter.mjs", `["planpatch"]`},
		{
			"go", "planner-engine/main.go",
			[]string{"./planner-engine/planner-engine"},
			[]string{"go", "build", "-o", "planner-engine/", "./planner-engine"},
			"applyReply", "runCase", "golang/adapter.go", `{"planpatch"}`,
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

// Source returns the adapter's file, for an engine that knows these dialects.
func (a Adapter) Source(dialects ...string) []byte {
	data, err := files.ReadFile(a.path)
	if err != nil {
		panic(err) // it is embedded
	}
	if len(dialects) == 0 {
		return data
	}
	quoted := make([]string, len(dialects))
	for i, d := range dialects {
		quoted[i] = strconv.Quote(d)
	}
	known := strings.Replace(a.known, `"planpatch"`, strings.Join(quoted, ", "), 1)
	data = bytes.Replace(data, []byte(a.known), []byte(known), 1)
	return data
}

// ToFill names the functions to fill in for these dialects.
func (a Adapter) ToFill(dialects ...string) []string {
	var names []string
	if len(dialects) == 0 || slices.Contains(dialects, "planpatch") {
		names = append(names, a.Function)
	}
	if slices.ContainsFunc(dialects, func(d string) bool { return d != "planpatch" }) {
		names = append(names, a.Whole)
	}
	return names
}
