package scenarios

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
)

// Format writes the scenario as a file in canonical form, which Parse reads
// back as the same scenario: header lines in a fixed order, the profile as the
// nearest named set and the knobs that differ from it, JSON laid out by width,
// replies as text where that is readable and exact.
func (s Scenario) Format() []byte {
	var header bytes.Buffer
	for line := range strings.Lines(s.Doc) {
		fmt.Fprintf(&header, "# %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintf(&header, "dialect: %s\nlevel: %s\n", s.Case.Dialect, s.Level)
	if s.Source != "" {
		fmt.Fprintf(&header, "source: %s\n", s.Source)
	}
	for _, l := range s.Case.Bounds() {
		if *l.Value != nil {
			fmt.Fprintf(&header, "%s: %d\n", l.Name, **l.Value)
		}
	}
	if s.Case.Profile != nil {
		for _, setting := range settings(*s.Case.Profile, all.Vocabulary(s.Case.Dialect).Own) {
			fmt.Fprintf(&header, "profile: %s\n", setting)
		}
	}
	return txtar.Format(&txtar.Archive{Comment: header.Bytes(), Files: s.archiveFiles()})
}

func (s Scenario) archiveFiles() []txtar.File {
	var files []txtar.File
	documents := all.Documents(s.Case.Dialect)
	for _, d := range documents {
		if v := s.Case.Document(d.Name); v != nil {
			files = append(files, txtar.File{Name: d.File(), Data: Layout(v)})
		}
	}
	for i, r := range s.Case.Replies {
		files = append(files, s.replyFile(i, string(r)))
	}
	return append(files, txtar.File{Name: "want.json", Data: Layout(s.Want)})
}

// replyFile writes a reply in the form that shows it best.
func (s Scenario) replyFile(i int, reply string) txtar.File {
	name := fmt.Sprintf("reply.%d.", i+1)
	if recipe, ok := s.recipes[i]; ok {
		if text, _, err := expand(recipe, maxReplies); err == nil && string(text) == reply {
			return txtar.File{Name: name + "gen", Data: recipe}
		}
	}
	if data := []byte(reply + "\n"); isText(reply) && len(txtar.Parse(data).Files) == 0 {
		return txtar.File{Name: name + "txt", Data: data}
	}
	var lines bytes.Buffer
	for chunk := range slices.Chunk([]byte(base64.StdEncoding.EncodeToString([]byte(reply))), 100) {
		lines.Write(append(chunk, '\n'))
	}
	return txtar.File{Name: name + "b64", Data: lines.Bytes()}
}

// isText reports whether a reply can be seen as it is in an editor.
func isText(reply string) bool {
	if !utf8.ValidString(reply) {
		return false
	}
	return !strings.ContainsFunc(reply, func(r rune) bool { return r != '\n' && r != '\t' && !unicode.IsGraphic(r) })
}

// settings writes a profile as lines of a header: the named set with the
// fewest knobs that differ, then those knobs. The set may be left out if it is
// the reference and a knob follows.
func settings(p harness.Profile, own []harness.Knob) []string {
	var best []string
	for _, t := range harness.Profiles() {
		base, _ := harness.Named(t.Name)
		lines := []string{t.Name}
		for _, k := range harness.Knobs(own...) {
			if k.Get(p) != k.Get(base) {
				lines = append(lines, k.Name+"="+k.Get(p))
			}
		}
		if best == nil || len(lines) < len(best) {
			best = lines
		}
	}
	if best[0] == harness.ProfileReference && len(best) > 1 {
		return best[1:]
	}
	return best
}

// WithWant returns the scenario with want.json rewritten after an outcome; one
// that matches already is returned as it is. The members that want.json had are
// kept with their new values, except those that the outcome does not have.
// When the verdict is another one, the new code or plan is taken in as well.
func (s Scenario) WithWant(out harness.Outcome) Scenario {
	if len(s.Match(out)) == 0 {
		return s
	}
	members, old, now := s.trees(out)
	want := narrow(open(members), nil, old, now).(map[string]any)
	if old["verdict"] != now["verdict"] {
		for _, name := range []string{"code", "plan"} {
			if v, ok := now[name]; ok {
				want[name] = v
			}
		}
	}
	s.Want = ordered(want)
	return s
}

// narrow reduces a value to the members that the old one had, where it is open.
// Items of a list keep those of the old item in their place, or, where the list has
// another length, those that any old item had.
func narrow(open func(at []string) bool, at []string, old, now any) any {
	switch now := now.(type) {
	case map[string]any:
		members, ok := old.(map[string]any)
		if !ok {
			return now
		}
		kept := map[string]any{}
		if !open(at) && members[more] != anyMore {
			maps.Copy(kept, now)
		}
		for name, o := range members {
			if v, ok := now[name]; ok {
				kept[name] = narrow(open, append(slices.Clip(at), name), o, v)
			} else if o == nil || name == more {
				kept[name] = o
			}
		}
		return kept
	case []any:
		items, ok := old.([]any)
		if !ok || len(items) == 0 {
			return now
		}
		kept := make([]any, len(now))
		for i, v := range now {
			if len(items) == len(now) {
				kept[i] = narrow(open, at, items[i], v)
			} else {
				kept[i] = narrow(open, at, union(items), v)
			}
		}
		return kept
	}
	return now
}

// union merges the members of all objects of a list; nil if there is none.
func union(items []any) any {
	var all map[string]any
	for _, item := range items {
		object, _ := item.(map[string]any)
		for name, v := range object {
			if all == nil {
				all = map[string]any{}
			}
			all[name] = v
		}
	}
	if all == nil {
		return nil
	}
	return all
}

// memberOrder is the order in which members are written: what decides first.
func memberOrder() []string {
	return []string{
		"verdict", "state", "step", "event", "rule", "code", "at", "tier", "rung", "reason",
		"title", "id", "description", "dependencies", "status", "tools_expected", "plan", "steps", "verification_policy",
		"meta", "added", "updated", "removed", "truncated_add", "dropped", "ids", "repairs", "warnings", "events",
	}
}

// ordered encodes a value that came out of JSON, with the members of objects
// in memberOrder; unknown members follow, by name.
func ordered(v any) jsontext.Value {
	switch v := v.(type) {
	case map[string]any:
		order := memberOrder()
		rank := func(name string) int {
			if i := slices.Index(order, name); i >= 0 {
				return i
			}
			return len(order)
		}
		names := slices.SortedFunc(maps.Keys(v), func(a, b string) int {
			return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b))
		})
		parts := make([][]byte, len(names))
		for i, name := range names {
			parts[i] = slices.Concat(quote(name), []byte{':'}, ordered(v[name]))
		}
		return slices.Concat([]byte{'{'}, bytes.Join(parts, []byte{','}), []byte{'}'})
	case []any:
		parts := collect.Map(v, func(item any) []byte { return ordered(item) })
		return slices.Concat([]byte{'['}, bytes.Join(parts, []byte{','}), []byte{']'})
	}
	return quote(v)
}

// quote encodes a value that has no members.
func quote(v any) []byte {
	b, _ := json.Marshal(v) // text, a number, a boolean or null always has a form
	return b
}
