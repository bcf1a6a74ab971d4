package rules

import (
	"errors"
	pathpkg "path"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/document/strictjson"
)

// Needs lists what an engine must have for a case: the toggle, the time, links, odd paths and names
// in upper case where the case holds one, and that it checks a document that breaks the rules.
func Needs(c harness.Case) []string {
	var list harness.Needs
	var context, files, calls reader
	begin := context.context(c.Context)
	named := files.files(c.Files)
	calls.calls(c.Calls)
	tree, script := files.document("files", c.Files), calls.document("calls", c.Calls)
	linked := files.Fault == nil && tree != nil &&
		slices.ContainsFunc(tree.Members, func(m strictjson.Member) bool { return m.Value.Get("link") != nil })
	odd := func(v strictjson.Value) bool { return isOdd(v, named) }
	list.If(context.Fault != nil, "context")
	list.If(context.Fault == nil && begin.timestamp != nil, "timestamp")
	list.If(files.Fault != nil, "files")
	list.If(linked, "links")
	list.If(calls.Fault != nil, "calls")
	list.If(files.Fault == nil && tree != nil && slices.ContainsFunc(tree.Members, func(m strictjson.Member) bool {
		return strings.HasPrefix(m.Name, "plans/") && planfile.Fold(m.Name) != m.Name
	}), "letter case")
	list.If(files.Fault == nil && script != nil && !linked && slices.ContainsFunc(script.Items, odd), "paths")
	list.If(script != nil && slices.ContainsFunc(script.Items,
		func(v strictjson.Value) bool { return v.Get("toggle") != nil }), "toggle")
	return list
}

// isOdd reports whether a call writes to a path that leads to its file only once it is cleaned as a
// text, or that names none.
func isOdd(v strictjson.Value, files *planfile.Tree) bool {
	args := v.Get("args")
	tool := v.Get("tool")
	if args == nil || tool == nil || tool.Text != "write" && tool.Text != "edit" {
		return false
	}
	named := args.Get("path")
	if named == nil || named.Text == "" {
		return false
	}
	name, err := files.Resolve(named.Text)
	cleaned, _ := files.Resolve(pathpkg.Clean(named.Text))
	return err != nil && !errors.Is(err, planfile.ErrEscapes) || name != cleaned
}
