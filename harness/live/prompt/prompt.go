// Package prompt has the prompts that ask a model for an edit of a plan: Jinja2
// templates, built in or a user's own, their variables, and their rendering.
//
// A Set has the three prompts of one experiment: one asks for a patch, one asks
// again with the reason of the rejection, and one asks for a whole plan.
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
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/collect"
	"replanbench/harness/live/jinja"
)

// extension is the extension of template files.
const extension = ".j2"

// maxTemplate bounds a template file, in bytes.
const maxTemplate = 1 << 20

// Builtin lists the built-in templates of every dialect that models are asked
// in.
func Builtin() []harness.Term {
	return collect.Flat(all.Dialects(), func(d *dialect.Dialect) []harness.Term { return d.Prompts.List })
}

// Source is the text of a template and of those that it includes.
type Source struct {
	Name  string // for errors
	Text  string
	files fs.FS // of a built-in template
	dir   string
	own   Own
	// included are the templates that it includes by name, as they were when it was
	// opened, and unread says why others could not be read.
	included map[string]string
	unread   map[string]error
}

// Open reads a template: a file, or a built-in one by its name.
func Open(name string) (Source, error) {
	for _, d := range all.Dialects() {
		if slices.Contains(harness.Names(d.Prompts.List), name) {
			s := Source{Name: name + extension, files: d.Prompts.Files}
			var err error
			s.Text, err = load(s.files, s.Name)
			s.include(s.files)
			return s, err
		}
	}
	dir, file := filepath.Split(name)
	dir = cmp.Or(dir, ".")
	s := Source{Name: file, dir: dir}
	text, err := load(os.DirFS(dir), file)
	if errors.Is(err, jinja.ErrNotFound) {
		return s, fmt.Errorf("%s: no such file or built-in prompt (for these see replanbench prompt list)", name)
	}
	s.Text = text
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	root, err := os.OpenRoot(dir) // links cannot leave it
	if err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	defer root.Close()
	s.include(root.FS())
	return s, nil
}

// load reads a template from a folder.
func load(files fs.FS, name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", errors.New("name a template in the folder of the one that includes it, without \"..\" in its path")
	}
	info, err := fs.Stat(files, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", jinja.ErrNotFound
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("is a directory (name a template)")
	case info.Size() > maxTemplate:
		return "", fmt.Errorf("has %d bytes (a template may have at most %d)", info.Size(), maxTemplate)
	}
	data, err := fs.ReadFile(files, name)
	return string(data), err
}

var includeTag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\{%[-+]?\s*include\s+(?:'([^']*)'|"([^"]*)")`)
})

// SHA256 is the hash of the template's bytes, followed by the bytes of the templates that it
// includes by name and by the variables of the user's own. Without these it is the
// file's.
func (s Source) SHA256() string {
	h := sha256.New()
	h.Write([]byte(s.Text))
	for _, name := range slices.Sorted(maps.Keys(s.included)) {
		h.Write([]byte(s.included[name]))
	}
	h.Write([]byte(s.own.text()))
	return hex.EncodeToString(h.Sum(nil))
}

// include reads the templates that this one includes by name, and those that they
// include, each once.
func (s *Source) include(files fs.FS) {
	s.included, s.unread = map[string]string{}, map[string]error{}
	for queue := []string{s.Text}; len(queue) > 0; queue = queue[1:] {
		for _, m := range includeTag().FindAllStringSubmatch(queue[0], -1) {
			name := m[1] + m[2]
			if s.included[name] != "" || s.unread[name] != nil {
				continue
			}
			text, err := loadRegular(files, name)
			if len(s.included) == maxIncluded {
				err = fmt.Errorf("a prompt includes at most %d templates", maxIncluded)
			}
			if err != nil {
				s.unread[name] = err
				continue
			}
			s.included[name] = text
			queue = append(queue, text)
		}
	}
}

// loadRegular is load for files alone: reading a pipe might not end.
func loadRegular(files fs.FS, name string) (string, error) {
	if info, err := fs.Stat(files, name); err == nil && !info.Mode().IsRegular() {
		return "", errors.New("is not a file")
	}
	return load(files, name)
}

// maxIncluded bounds the templates that a prompt includes.
const maxIncluded = 100

// part returns an included template.
func (s Source) part(name string) (string, error) {
	text, ok := s.included[name]
	if !ok {
		return "", cmp.Or(s.unread[name], jinja.ErrNotFound)
	}
	return text, nil
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
	name := [3]string{s.Name, s.Text, s.SHA256()}
	t, ok := g.parsed.Load(name)
	if !ok {
		parsed, err := jinja.ParseIncluding(s.Name, s.Text, s.part)
		if err != nil {
			return "", err
		}
		t, _ = g.parsed.LoadOrStore(name, parsed)
	}
	text, err := t.(*jinja.Template).Render(s.own.all(v))
	if e, ok := errors.AsType[*jinja.Error](err); ok {
		return "", hint(e)
	}
	return text, err
}

// Set is the prompts of one attempt.
type Set struct {
	Name     string // such as replan@1, or FILE@ with the start of the hash
	Patch    Source
	Retry    Source
	FullPlan Source
	// More are those of the dialect for other questions, by their names; see
	// [dialect.Prompts].
	More []Source
}

// builtinVersion is the version of the built-in templates; it grows when their text
// changes.
const builtinVersion = 2

// Others names the prompts that follow the first one: names of built-in prompts, or
// files. "" is the one of the dialect, in the language of the first prompt (the ending
// .zh is Chinese).
type Others struct{ Retry, FullPlan, Step string }

// Load reads the prompt of a name or file, and those that follow it, for a dialect.
func Load(d *dialect.Dialect, name string, others Others) (Set, error) {
	base := strings.TrimSuffix(filepath.Base(name), extension)
	language := ""
	if strings.HasSuffix(base, ".zh") || slices.Contains(d.Prompts.Chinese, name) {
		language = ".zh"
	}
	var s Set
	var errs [4]error
	s.Patch, errs[0] = Open(name)
	s.Retry, errs[1] = Open(cmp.Or(others.Retry, d.Prompts.Retry+language))
	if d.Prompts.FullPlan != "" {
		s.FullPlan, errs[2] = Open(cmp.Or(others.FullPlan, d.Prompts.FullPlan+language))
	}
	if d.Prompts.Step != "" {
		s.More = make([]Source, 1)
		s.More[0], errs[3] = Open(cmp.Or(others.Step, d.Prompts.Step+language))
	}
	if err := errors.Join(errs[:]...); err != nil {
		return s, err
	}
	s.Name = base + "@" + s.Patch.SHA256()[:8]
	if s.Patch.dir == "" {
		s.Name = fmt.Sprintf("%s@%d", base, builtinVersion)
		if !slices.Contains(harness.Names(d.Prompts.List), name) {
			return s, fmt.Errorf("the prompt %s is for another dialect than %s (its prompts are %s)", name, d.Name,
				strings.Join(harness.Names(d.Prompts.List), ", "))
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

// Templates are all the templates of the set.
func (s Set) Templates() []Source { return append([]Source{s.Patch, s.Retry, s.FullPlan}, s.More...) }

// SHA256 is the hash of the first prompt and, for a session, of all its prompts.
func (s Set) SHA256() string {
	if s.More == nil {
		return s.Patch.SHA256()
	}
	h := sha256.New()
	for _, t := range s.Templates() {
		h.Write([]byte(t.SHA256()))
	}
	return hex.EncodeToString(h.Sum(nil))
}
