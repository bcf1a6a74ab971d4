package finding

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/yamlfile"
	"replanbench/harness/hunt/judge"
)

// Baseline is a list of known failures.
//
// It is a text file. Each line has a pattern and, after " # ", a reason or an address. An
// indented line without a reason has the reason of the line above. Blank lines and lines
// that begin with # are comments:
//
//	planpatch/crash/8ac2ff3eaf7a  # crashes when a list contains null
//	  planpatch/fields/{add_null_item,update_null_item}
//	planpatch/conflicts/**        # https://example.com/tickets/12
//
// A pattern names scenarios by their ids, and causes by dialect, class and id. As in paths,
// * is anything within one part, ** any number of parts, and {a,b} is a or b. In a gate it is
// an error if a pattern matches nothing or a known failure passes, so that the list is kept
// up to date.
//
// A file that ends in .yaml or .yml has members: pattern: reason, or pattern: {reason, also},
// where also lists more patterns. Editors check it with [Schema].
type Baseline struct {
	entries []Entry
}

// Entry is one line of a baseline.
type Entry struct {
	Pattern string `json:"pattern"`
	Reason  string `json:"reason"`
	Line    int    `json:"line"` // from 1
	// Before: the pattern is the name of what an earlier run found. It may be gone.
	Before bool `json:"-"`
	// Also are more names with the same reason, in an entry that is written. Reading
	// returns an entry for each.
	Also []string `json:"-"`
}

// With returns the baseline with the names of what an earlier run found behind it.
func (b Baseline) With(names []string, reason string) Baseline {
	entries := slices.Clone(b.entries)
	for _, name := range names {
		entries = append(entries, Entry{Pattern: name, Reason: reason, Before: true})
	}
	return Baseline{entries: entries}
}

// ParseBaseline reads a baseline. Errors name the file, the line and what to
// write instead.
func ParseBaseline(name string, data []byte) (Baseline, error) {
	var b Baseline
	form := "pattern  # why it is known, or an address"
	entries := linesOf(string(data))
	if InYAML(name) {
		form = "pattern: why it is known, or an address"
		var err error
		if entries, err = membersOf(data); err != nil {
			return Baseline{}, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Pattern, "{") {
			return Baseline{}, fmt.Errorf("%s: this is JSON, and no list of known failures (give a report with --earlier)", name)
		}
		if e.Reason == "" {
			return Baseline{}, fmt.Errorf("%s:%d: the pattern %q has no reason (write: %s)", name, e.Line, escape.Cut(e.Pattern, 60), form)
		}
		if _, err := path.Match(e.Pattern, ""); err != nil || strings.ContainsAny(e.Pattern, " \t") {
			return Baseline{}, fmt.Errorf("%s:%d: %q is no pattern (a pattern is a path that may contain * and **)", name,
				e.Line, e.Pattern)
		}
		for _, e.Pattern = range alternatives(e.Pattern) {
			b.entries = append(b.entries, e)
		}
	}
	return b, nil
}

// alternatives returns the patterns that a pattern with {a,b} means.
func alternatives(pattern string) (list []string) {
	head, rest, _ := strings.Cut(pattern, "{")
	names, tail, ok := strings.Cut(rest, "}")
	if !ok {
		return []string{pattern}
	}
	for name := range strings.SplitSeq(names, ",") {
		list = append(list, head+name+tail)
	}
	return list
}

// compact returns patterns that name some failures. One pattern names as many failures of a folder
// as a line has room for.
func compact(names []string) (list []string) {
	const room = 98
	for _, name := range slices.SortedStableFunc(slices.Values(names), func(a, b string) int {
		return strings.Compare(path.Dir(a), path.Dir(b))
	}) {
		last, base := len(list)-1, path.Base(name)
		if last >= 0 && path.Dir(list[last]) == path.Dir(name) && len(list[last])+len(base) < room {
			folder, rest := path.Split(list[last])
			list[last] = folder + "{" + strings.Trim(rest, "{}") + "," + base + "}"
			continue
		}
		list = append(list, name)
	}
	return list
}

// InYAML reports whether the list of that name is in YAML.
func InYAML(name string) bool { return slices.Contains([]string{".yaml", ".yml"}, path.Ext(name)) }

// linesOf reads a list with an entry on each line.
func linesOf(text string) (list []Entry) {
	for i, raw := range strings.Split(text, "\n") {
		raw = strings.TrimPrefix(raw, "\ufeff")
		line := strings.TrimSpace(raw)
		if line == "" || line[0] == '#' {
			continue
		}
		pattern, reason, _ := strings.Cut(line, "#")
		e := Entry{Pattern: strings.TrimSpace(pattern), Reason: strings.TrimSpace(reason), Line: i + 1}
		if e.Reason == "" && raw[0] != line[0] && list != nil {
			e.Reason = list[len(list)-1].Reason
		}
		list = append(list, e)
	}
	return list
}

// membersOf reads a list in YAML.
func membersOf(data []byte) (list []Entry, err error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, yamlfile.Syntax(data, err)
	}
	if len(doc.Content) == 0 {
		return nil, nil // nothing but comments
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("expected members such as: \"planpatch/no-silent-loss/*\": no warnings yet")
	}
	for pair := range slices.Chunk(doc.Content[0].Content, 2) {
		var why struct{ Reason, Also yaml.Node }
		if pair[1].Kind != yaml.MappingNode {
			why.Reason = *pair[1]
		} else if err := pair[1].Decode(&why); err != nil {
			return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
		}
		reason := strings.Join(strings.Fields(why.Reason.Value), " ")
		for _, name := range append([]*yaml.Node{pair[0]}, why.Also.Content...) {
			list = append(list, Entry{Pattern: name.Value, Reason: reason, Line: name.Line})
		}
	}
	return list, nil
}

// Written returns a list of failures that are known at a level as the file of that name has it.
func Written(name string, level harness.Level, list []Entry) []byte {
	var b bytes.Buffer
	form, single, several, also := "pattern  # reason", "%s  # %s\n", "%s  # %s\n", "  %s\n"
	if InYAML(name) {
		b.WriteString(schema.FirstLine("known"))
		form, single, several, also = "pattern: reason", "%q: %q\n", "%q:\n  reason: %q\n  also:\n", "    - %q\n"
	}
	fmt.Fprintf(&b, "# Failures that are known at the level %s: %s or address\n", level.Effective(), form)
	for _, e := range list {
		if len(e.Also) == 0 {
			fmt.Fprintf(&b, single, e.Pattern, e.Reason)
			continue
		}
		fmt.Fprintf(&b, several, e.Pattern, e.Reason)
		for _, names := range compact(e.Also) {
			fmt.Fprintf(&b, also, names)
		}
	}
	return b.Bytes()
}

// Schema returns the JSON Schema (draft 2020-12) of a list in YAML.
func Schema() map[string]any {
	reason := map[string]any{"type": "string", "minLength": 1, "description": "why it is known, or an address"}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Known failures",
		"description": "Known failures, which do not fail the gate. A pattern names scenarios by their ids and causes by " +
			"dialect, class and id; * is anything within one part, ** any number of parts, {a,b} is a or b.",
		"type": []any{"object", "null"}, "propertyNames": map[string]any{"pattern": `^[^\s#]+$`},
		"additionalProperties": map[string]any{"anyOf": []any{
			reason, map[string]any{
				"type": "object", "required": []any{"reason"}, "additionalProperties": false, "properties": map[string]any{
					"reason": reason, "also": map[string]any{"type": "array", "items": map[string]any{"type": "string"}},
				},
			},
		}},
	}
}

// Find returns the first entry whose pattern matches the name.
func (b Baseline) Find(name string) (Entry, bool) {
	i := slices.IndexFunc(b.entries, func(e Entry) bool { return e.Matches(name) })
	if i < 0 {
		return Entry{}, false
	}
	return b.entries[i], true
}

// Unused returns the entries whose pattern matches none of the names.
func (b Baseline) Unused(names []string) []Entry {
	return slices.DeleteFunc(slices.Clone(b.entries), func(e Entry) bool {
		return e.Before || slices.ContainsFunc(names, e.Matches)
	})
}

// NamesFinding reports whether the second part of the pattern is a class, as in the names of
// causes, or a check, as in the names of findings. Another seed may not show it.
func (e Entry) NamesFinding() bool {
	parts := strings.Split(e.Pattern, "/")
	return len(parts) > 1 && (judge.Class(parts[1]).Rank() >= 0 || all.IsCheck(parts[1]))
}

// Matches reports whether the entry's pattern matches a name.
func (e Entry) Matches(name string) bool {
	if e.Before {
		return e.Pattern == name
	}
	pattern, parts := strings.Split(e.Pattern, "/"), strings.Split(name, "/")
	return matches(pattern, parts) || sameCause(pattern, parts)
}

// sameCause reports whether two names, dialect/class/id, are of one cause: in a longer
// campaign it may show something worse, and be of another class.
func sameCause(a, b []string) bool {
	if len(a) != 3 || len(b) != 3 || a[0] != b[0] || a[2] != b[2] {
		return false
	}
	return len(a[2]) == idLength && strings.Trim(a[2], "0123456789abcdef") == ""
}

// idLength is the length of the ids of causes, in hexadecimal digits.
const idLength = 12

// matches compares part by part, from the end of the pattern back, so that
// several ** take no more than the product of both lengths.
func matches(pattern, name []string) bool {
	// ok[j]: the pattern from part i on matches the name from part j on.
	ok := make([]bool, len(name)+1)
	ok[len(name)] = true
	for _, part := range slices.Backward(pattern) {
		if part == "**" {
			for j := len(name) - 1; j >= 0; j-- {
				ok[j] = ok[j] || ok[j+1]
			}
			continue
		}
		for j := range name {
			match, _ := path.Match(part, name[j]) // patterns were checked when read
			ok[j] = match && ok[j+1]
		}
		ok[len(name)] = false
	}
	return ok[0]
}
