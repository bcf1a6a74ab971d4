// Package adapters holds the files with which patch logic in other languages
// becomes an engine: one file each, without dependencies, with one function to
// fill in. They are written out, not imported; engines in Go that may depend on
// this module use package rpc instead.
package adapters

import (
	"embed"
	"fmt"
	"slices"
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
	Function string   // what to fill in

	path string
}

// All lists the adapters.
func All() []Adapter {
	return []Adapter{
		{"python", "adapter.py", []string{"python3", "adapter.py"}, nil, "apply_reply", "adapter.py"},
		{"node", "adapter.mjs", []string{"node", "adapter.mjs"}, nil, "applyReply", "adapter.mjs"},
		{
			"go", "planner-engine/main.go", []string{"./planner-engine/planner-engine"},
			[]string{"go", "build", "-o", "planner-engine/", "./planner-engine"}, "applyReply", "golang/adapter.go",
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

// Source returns the adapter's file.
func (a Adapter) Source() []byte {
	data, err := files.ReadFile(a.path)
	if err != nil {
		panic(err) // it is embedded
	}
	return data
}
