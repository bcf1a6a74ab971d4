package config

import (
	"errors"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/files"
	"replanbench/harness/engine/byname"
)

// Lines returns the lines of the file that say what an engine is like.
func Lines(said byname.Engine) []byte {
	lines := linesOf(said)
	if lines == nil {
		return []byte("# no overrides: the declaration of the engine fits\n")
	}
	return []byte("engine:\n" + strings.Join(lines, ""))
}

func linesOf(said byname.Engine) (lines []string) {
	for _, f := range fieldsOf(reflect.ValueOf(&said).Elem()) {
		if !f.value.IsZero() {
			lines = append(lines, "  "+f.name+": "+scalar(f.value)+"\n")
		}
	}
	return lines
}

// Rewrite returns a file in which the engine is said to be so; comments and all
// else stay. Where there is no file it begins with the defaults.
func Rewrite(name string, said byname.Engine) ([]byte, error) {
	data, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		data = Default().Commented()
	case err != nil:
		return nil, harness.Mistakef("%s: %w", name, files.Cause(err))
	}
	if _, err := Parse(name, data); err != nil {
		return nil, err
	}
	lines := slices.Collect(strings.Lines(string(data)))
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "engine:") })
	if at < 0 {
		lines = append([]string{"engine:\n"}, lines...)
		at = 0
	}
	if strings.TrimSpace(strings.TrimPrefix(lines[at], "engine:")) != "" && !strings.Contains(lines[at], "#") {
		return nil, harness.Mistakef("%s:%d: engine: write its keys on lines of their own, so that more keys can be added",
			name, at+1)
	}
	for _, line := range linesOf(said) {
		lines = put(lines, at, line)
	}
	text := []byte(strings.Join(lines, ""))
	_, err = Parse(name, text)
	return text, err
}

// put puts the line of a key into the block that begins at a line, in the place of
// the one that is there with all that belongs to it.
func put(lines []string, block int, line string) []string {
	key, _, _ := strings.Cut(strings.TrimSpace(line), ":")
	end := block + 1
	for end < len(lines) && (strings.TrimSpace(lines[end]) == "" || lines[end][0] == ' ' || lines[end][0] == '#') {
		end++
	}
	for i := block + 1; i < end; i++ {
		rest, ok := strings.CutPrefix(strings.TrimLeft(lines[i], " "), key+":")
		if !ok || rest == "" {
			continue
		}
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
		next := i + 1
		for next < end && belongs(lines[next], indent) {
			next++
		}
		return slices.Concat(lines[:i], []string{indent + strings.TrimLeft(line, " ")}, lines[next:])
	}
	return slices.Insert(lines, block+1, line)
}

// belongs reports whether a line goes on with the value of a key at an indent.
func belongs(line, indent string) bool {
	rest, ok := strings.CutPrefix(line, indent)
	return ok && (strings.HasPrefix(rest, " ") || strings.HasPrefix(rest, "- ")) &&
		!strings.HasPrefix(strings.TrimSpace(rest), "#")
}
