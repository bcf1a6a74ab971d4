// Package prompt holds the prompts by which a model is asked to edit a plan:
// Jinja2 templates, those that come with the program and a user's own, the
// variables that they see, and their rendering.
//
// A Set is what one attempt at a better prompt consists of: the prompt that
// asks for a patch, the one that asks again with the reason of the refusal, and
// the one that asks for a whole plan in the end.
//
// The package sends nothing and knows no model.
package prompt

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/live/jinja"
)

// extension is that of template files.
const extension = ".j2"

// maxTemplate bounds a template file, in bytes.
const maxTemplate = 1 << 20

// Builtin lists the built-in templates, those of every dialect that models are asked
// in.
func Builtin() []harness.Term {
	var list []harness.Term
	for _, d := range all.Dialects() {
		list = append(list, d.Prompts.List...)
	}
	return list
}

// Source is the text of a template and of those that it includes.
type Source struct {
	Name  string // for errors
	Text  string
	files fs.FS // where includes are looked for
	dir   string
}

// Open reads a template: a file, or a built-in one by its name.
func Open(name string) (Source, error) {
	for _, d := range all.Dialects() {
		if slices.Contains(harness.Names(d.Prompts.List), name) {
			s := Source{Name: name + extension, files: d.Prompts.Files}
			var err error
			s.Text, err = s.load(s.Name)
			return s, err
		}
	}
	dir, file := filepath.Split(name)
	dir = cmp.Or(dir, ".")
	s := Source{Name: file, files: os.DirFS(dir), dir: dir}
	text, err := s.load(file)
	if errors.Is(err, errNotFound) {
		return s, fmt.Errorf("%s: no such file, and no built-in prompt (replanbench prompt list names these)", name)
	}
	s.Text = text
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

var errNotFound = errors.New("no such template")

// load reads a template that stands beside this one.
func (s Source) load(name string) (string, error) {
	if !fs.ValidPath(path.Clean(name)) {
		return "", errors.New("only templates beside the one that includes them can be included")
	}
	f, err := s.files.Open(path.Clean(name))
	if errors.Is(err, fs.ErrNotExist) {
		return "", errNotFound
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("is a directory (name a template)")
	case info.Size() > maxTemplate:
		return "", fmt.Errorf("has %d bytes, and a template has at most %d", info.Size(), maxTemplate)
	}
	data, err := fs.ReadFile(s.files, path.Clean(name))
	return string(data), err
}

var includeTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\{%[-+]?\s*include\s+(?:'([^']*)'|"([^"]*)")`) })

// SHA256 is the hash of the template's bytes followed by those of the templates
// that it includes by name, each once. Without includes it is the file's.
func (s Source) SHA256() string {
	h := sha256.New()
	h.Write([]byte(s.Text))
	s.includes(s.Text, map[string]string{}, func(text string) { h.Write([]byte(text)) })
	return hex.EncodeToString(h.Sum(nil))
}

// includes reads the templates that a text includes by name, each once, and
// calls found with their texts. Rendering reports those that cannot be read.
func (s Source) includes(text string, known map[string]string, found func(text string)) {
	for _, m := range includeTag().FindAllStringSubmatch(text, -1) {
		name := m[1] + m[2]
		if _, again := known[name]; again {
			continue
		}
		included, err := s.load(name)
		if err != nil {
			continue
		}
		known[name] = included
		found(included)
		s.includes(included, known, found)
	}
}

// Renderer renders templates.
type Renderer interface {
	Render(ctx context.Context, s Source, v Variables) (string, error)
}

// Go renders by package jinja: as Python does, or with an error. Its zero value is ready,
// and for concurrent use.
type Go struct{ parsed sync.Map }

// Render renders a template. An error of the template is a *jinja.Error; where
// only Python can render it, the error says so.
func (g *Go) Render(_ context.Context, s Source, v Variables) (string, error) {
	name := [2]string{s.Name, s.Text}
	t, ok := g.parsed.Load(name)
	if !ok {
		parsed, err := jinja.Parse(s.Name, s.Text)
		if err != nil {
			return "", err
		}
		t, _ = g.parsed.LoadOrStore(name, parsed)
	}
	return t.(*jinja.Template).Render(v.Map())
}

// Set is the prompts of one attempt.
type Set struct {
	Name     string // such as replan@1, or FILE@ with the start of the hash
	Patch    Source
	Retry    Source
	FullPlan Source
}

// builtinVersion is that of the built-in templates; it grows when their text
// changes.
const builtinVersion = 1

// Load reads the prompt of a name or file, for a dialect. The prompts that follow a
// refusal are those of the dialect, in the language that the name ends in (.zh),
// unless named.
func Load(d *dialect.Dialect, name, retry, fullPlan string) (Set, error) {
	base := strings.TrimSuffix(filepath.Base(name), extension)
	language := ""
	if strings.HasSuffix(base, ".zh") {
		language = ".zh"
	}
	var s Set
	var errs [3]error
	s.Patch, errs[0] = Open(name)
	s.Retry, errs[1] = Open(cmp.Or(retry, d.Prompts.Retry+language))
	if fullPlan != "" || d.Prompts.FullPlan != "" {
		s.FullPlan, errs[2] = Open(cmp.Or(fullPlan, d.Prompts.FullPlan+language))
	}
	if err := errors.Join(errs[:]...); err != nil {
		return s, err
	}
	s.Name = base + "@" + s.Patch.SHA256()[:8]
	if s.Patch.dir == "" {
		s.Name = fmt.Sprintf("%s@%d", base, builtinVersion)
		if !slices.Contains(harness.Names(d.Prompts.List), name) {
			return s, fmt.Errorf("the prompt %s asks in another dialect than %s (its prompts are %s)", name, d.Name, strings.Join(harness.Names(d.Prompts.List), ", "))
		}
	}
	return s, nil
}

// Of returns the template by which a rung of the ladder is asked.
func (s Set) Of(rung harness.Rung) Source {
	switch rung {
	case harness.RungRetry:
		return s.Retry
	case harness.RungFullPlan:
		return s.FullPlan
	}
	return s.Patch
}
