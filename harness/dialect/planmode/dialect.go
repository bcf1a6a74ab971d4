// Package planmode assembles the dialect planmode from its parts.
package planmode

import (
	_ "embed" // the help
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/dialect/planmode/check"
	"replanbench/harness/dialect/planmode/defect"
	"replanbench/harness/dialect/planmode/generate"
	"replanbench/harness/dialect/planmode/rules"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/judge"
)

//go:embed help.md
var help string

// Dialect returns the dialect.
func Dialect() dialect.Dialect {
	return dialect.Dialect{
		Name:       "planmode",
		Requests:   "sessions",
		Text:       "sessions with a plan mode: enter and leave with approval, write only the plan file",
		Help:       help,
		Documents:  []document.Document{{Name: "context"}, {Name: "files"}, {Name: "calls", Required: true, Counted: true}},
		Replies:    document.NoReplies,
		Layout:     spec.Layout(),
		Eval:       rules.Eval,
		Needs:      rules.Needs,
		Explain:    explanation,
		Traits:     generate.Traits(),
		Tries:      []string{"exit-without-plan", "tool-unknown", "arguments-null"},
		Generate:   generate.New,
		Judging:    judging(),
		Members:    members(),
		Defects:    defect.Defects(),
		Vocabulary: spec.Vocabulary(),
		Schemas: []schema.Schema{{
			Name: "planmode",
			Text: "a session with a plan mode: context, files and calls of a case", Data: spec.Session().Schema(),
		}},
	}
}

// judging returns the checks, which compare plan files up to names that engines draw.
func judging() judge.Rules {
	r := check.Rules()
	r.Align = align
	return r
}

// align gives the plan file the expected name if both names are drawn, and guidance the expected
// words.
func align(x *judge.Examination, want *harness.Outcome) *harness.Outcome {
	out := x.Out
	if out.Path == want.Path || !drawn(x.Item.Case, want.Path) || !drawn(x.Item.Case, out.Path) {
		return &x.Out
	}
	out.Path, out.Trace = want.Path, slices.Clone(out.Trace)
	for i := range out.Trace {
		if len(out.Trace[i].Data) == 0 {
			continue
		}
		text := strings.ReplaceAll(string(out.Trace[i].Data), x.Out.Path, want.Path)
		if i < len(want.Trace) {
			w, g := guidance(string(want.Trace[i].Data)), guidance(text)
			if w != "" && strings.Contains(g, want.Path) {
				text = strings.Replace(text, g, w, 1)
			}
		}
		out.Trace[i].Data = jsontext.Value(text)
	}
	return &out
}

// guidance returns the guidance in the data of a trace item as it is written; "" if there is none.
func guidance(data string) string {
	v := judge.Parsed(jsontext.Value(data)).Get("guidance")
	if v == nil {
		return ""
	}
	return data[v.Start:v.End]
}

// members lists the members of outcomes. Sessions are compared of what the answer gives,
// which is the trace at least, up to the slug of the plan file and to the words of
// guidance.
func members() outcome.Members {
	trace, path := outcome.Trace(sameItem), outcome.Text("path", "The plan file of the session.",
		func(o *harness.Outcome) *string { return &o.Path })
	mode := outcome.Text("mode", "The mode in which the session ended.",
		func(o *harness.Outcome) *string { return &o.Mode })
	phase := outcome.Text("phase", "The phase in which the session ended.",
		func(o *harness.Outcome) *string { return &o.Phase })
	content := outcome.Text("content", "What the plan file holds.",
		func(o *harness.Outcome) *string { return &o.Content })
	content.Content = true
	trace.Differ, trace.Free, trace.Run = traceDifference, free, true
	trace.Required = func(a outcome.Asked) bool {
		return a.Case == nil || strings.TrimSpace(string(a.Case.Calls)) != "[]"
	}
	path.Differ = func(want, got *harness.Outcome) *outcome.Difference {
		if want.Path == "" && got.Path != "" {
			return outcome.Differs("path", "the session has the plan file %q, but should have no plan file",
				judge.Brief(got.Path))
		}
		return nil
	}
	trace.Unnamed, path.Unnamed = unnamed, unnamed
	return outcome.Members{outcome.At(), trace, ended(mode), ended(phase), path, ended(content)}
}

// unnamed returns an outcome without words of guidance and, if the wanted session has no plan file, with one name for
// every file that an engine may draw instead.
func unnamed(want, got *harness.Outcome) *harness.Outcome {
	out := *got
	out.Trace = slices.Clone(got.Trace)
	_, named := planfile.SlugOf(got.Path)
	named = named && want.Path == ""
	if named {
		out.Path = anyPlan
	}
	for i := range out.Trace {
		data := string(out.Trace[i].Data)
		if named {
			data = neutral(got, i)
		}
		if g := guidance(data); g != "" {
			data = strings.Replace(data, g, `""`, 1)
		}
		out.Trace[i].Data = jsontext.Value(data)
	}
	return &out
}

// ended compares where a session ended also where it should have ended nowhere.
func ended(m outcome.Member) outcome.Member {
	compare := m
	compare.Given = func(*harness.Outcome) bool { return true }
	m.Differ = func(want, got *harness.Outcome) *outcome.Difference {
		if !m.Given(got) {
			return nil
		}
		return compare.Compare(want, got)
	}
	return m
}

// sameItem reports whether an engine's item is the wanted one, but for its data. It may leave the state out.
func sameItem(want, got harness.TraceItem) bool {
	return (got.State == "" || want.State == got.State) && want.Step == got.Step && want.Event == got.Event &&
		want.Code == got.Code
}

// traceDifference compares two traces. The slug in a path and the words of guidance are left to the
// engine.
func traceDifference(want, got *harness.Outcome) *outcome.Difference {
	w, g := want.Trace, got.Trace
	for i := range min(len(w), len(g)) {
		a, b, at := w[i], g[i], "/trace/"+strconv.Itoa(i)
		if !sameItem(a, b) {
			if b.State == "" {
				a.State = ""
			}
			a.Data, b.Data = nil, nil
			return &outcome.Difference{Step: b.Step, Field: "trace", Words: outcome.Explain(at, a, b)}
		}
		if want.Path == got.Path && string(a.Data) == string(b.Data) {
			continue
		}
		if words := dataDifference(at+"/data/", neutral(want, i), neutral(got, i)); words != "" {
			return &outcome.Difference{Step: b.Step, Field: "data", Words: words}
		}
	}
	if len(w) != len(g) && w != nil && g != nil {
		return outcome.Differs("trace", "/trace has %d items instead of %d", len(g), len(w))
	}
	return nil
}

// dataDifference describes the first member that differs; "" if none does.
func dataDifference(at string, want, got string) string {
	if want == got {
		return ""
	}
	w, g := judge.Parsed(jsontext.Value(want)), judge.Parsed(jsontext.Value(got))
	if w == nil {
		return ""
	}
	for _, m := range w.Members {
		other := g.Get(m.Name)
		if other != nil && m.Name != "guidance" && !strictjson.Same(&m.Value, other) {
			return outcome.Explain(at+m.Name, jsontext.Value(m.Value.AppendJSON(nil)), jsontext.Value(other.AppendJSON(nil)))
		}
	}
	return ""
}

// anyPlan stands for the path of a plan file.
const anyPlan = "{plan}"

// neutral returns the data of an item with a word in place of the plan file's path.
func neutral(o *harness.Outcome, i int) string {
	if o.Path == "" {
		return string(o.Trace[i].Data)
	}
	return strings.ReplaceAll(string(o.Trace[i].Data), o.Path, anyPlan)
}

// moreMembers is a member of an expected object that may have others.
const moreMembers = "…"

// free passes over data that one of the two leaves out, over guidance that names the plan file, and
// over the file's name if it is drawn in both.
func free(c harness.Case, want, got map[string]any) {
	path, _ := got["path"].(string)
	w, _ := want["trace"].([]any)
	g, _ := got["trace"].([]any)
	for i := range min(len(w), len(g)) {
		wanted, given := data(w[i]), data(g[i])
		if text, ok := given["guidance"].(string); ok && strings.Contains(text, path) {
			delete(wanted, "guidance")
			delete(given, "guidance")
		}
		missing := func(name string, _ any) bool { _, ok := given[name]; return !ok && name != moreMembers }
		if maps.DeleteFunc(wanted, missing); wanted == nil || given == nil {
			drop(w[i])
			drop(g[i])
		}
	}
	name, _ := want["path"].(string)
	if name == path || !drawn(c, name) || !drawn(c, path) {
		return
	}
	got["path"] = name
	for i := range g {
		for _, member := range []string{"path", "planFilePath"} {
			if d := data(g[i]); d[member] == path {
				d[member] = name
			}
		}
	}
}

// drop removes the data of a trace item.
func drop(item any) {
	members, _ := item.(map[string]any)
	delete(members, "data")
}

// data returns the data of a trace item, or nil.
func data(item any) map[string]any {
	members, _ := item.(map[string]any)
	d, _ := members["data"].(map[string]any)
	return d
}

// drawn reports whether a path names a plan file whose name the case does not have:
// neither as the session's own or the next ones, nor as taken, nor among its files.
func drawn(c harness.Case, path string) bool {
	slug, ok := planfile.SlugOf(path)
	context, files := judge.Parsed(c.Context), judge.Parsed(c.Files)
	next, _ := context.Get("slugs").Strings()
	taken, _ := context.Get("taken").Strings()
	is := func(m strictjson.Member) bool { return planfile.Fold(m.Name) == path }
	if files != nil && slices.ContainsFunc(files.Members, is) {
		return false
	}
	return ok && context.Get("slug").Str() != slug && !slices.Contains(next, slug) && !slices.Contains(taken, slug)
}

// explanation describes a session: its events and its end.
func explanation(s explain.Subject) []explain.Section {
	section := explain.Section{Title: "End of the session"}
	for _, m := range [][2]string{{"mode", s.Outcome.Mode}, {"phase", s.Outcome.Phase}, {"plan file", s.Outcome.Path}} {
		if m[1] != "" {
			section.Add("", 0, style.Plain, "%s: %s", m[0], explain.Text(m[1]))
		}
	}
	return slices.Concat(s.Rejected(-1), s.Trace(), section.NonEmpty())
}
