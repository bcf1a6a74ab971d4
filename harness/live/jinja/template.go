package jinja

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// limits bound one rendering.
type limits struct {
	steps int // evaluations, items gone through, and every 64 bytes of text
	bytes int // of text and lists made
}

// Prompts are far below these.
const (
	maxSteps  = 500_000
	maxBytes  = 16 << 20
	maxDepth  = 500 // expressions, statements and macros within each other
	maxNested = 200 // the same within a template, and values within values
)

// Template is a parsed template. It may be rendered by several goroutines.
type Template struct {
	name   string
	source string
	body   []stmt
	load   Load
}

// ParseIncluding is [Parse] for a template that may include those that load returns.
func ParseIncluding(name, source string, load Load) (*Template, error) {
	t, err := Parse(name, source)
	if err == nil {
		t.load = load
	}
	return t, err
}

// Parse reads a template. Errors give its name; every error is an *Error.
func Parse(name, source string) (t *Template, err error) {
	source = strings.ReplaceAll(strings.ReplaceAll(source, "\r\n", "\n"), "\r", "\n")
	t = &Template{name: name, source: strings.TrimSuffix(source, "\n")}
	var here place
	defer t.catch(&here, &err)
	if !utf8.ValidString(source) {
		fail("the template is not UTF-8")
	}
	p := &parser{
		source: t.source, tokens: lex(t.source, &here), place: &here, levels: levels(), filters: filters(),
		tests: tests(), methods: methods(),
	}
	t.body = p.body()
	return t, nil
}

// Render renders the template. Values are nil, bool, int, string, float, []string,
// []any or [Object] of these. Every error is an *Error.
func (t *Template) Render(vars map[string]any) (string, error) {
	return t.render(vars, &limits{steps: maxSteps, bytes: maxBytes})
}

// render leaves in the limits what was not used.
func (t *Template) render(vars map[string]any, left *limits) (text string, err error) {
	r := &run{limits: left, load: t.load, parts: map[string]*Template{}}
	defer t.catch(&r.place, &err)
	r.out = &builder{run: r}
	root := &scope{vars: map[string]any{}, run: r}
	for name, v := range vars {
		root.vars[name] = fromGo(name, v)
	}
	r.known = strings.Join(slices.Sorted(maps.Keys(vars)), ", ")
	all(t.body, root.child())
	return r.out.String(), nil
}

// run is the state of one rendering.
type run struct {
	*limits
	place
	out   *builder
	depth int
	reads int    // of namespaces
	known string // the variables that were handed in

	load   Load
	parts  map[string]*Template // that were included, by name
	nested int                  // includes within each other
}

func (r *run) step(n int) {
	if r.steps -= n; r.steps < 0 {
		fail("the template runs too long (too many steps)")
	}
}

// charge counts bytes of text or lists, before they are made.
func (r *run) charge(n int) {
	r.step(n / 64)
	if r.bytes -= n; r.bytes < 0 {
		fail("the output exceeds %d MiB", maxBytes>>20)
	}
}

// entrySize is what an entry of a map counts as, in items of a list.
const entrySize = 4

// newList makes a list whose length is known, of values that take some bytes.
func (r *run) newList(n int) []any {
	const size = 32 // of an item and what it points to
	r.step(n)
	r.charge(size * n)
	return make([]any, 0, n)
}

// capture renders statements into a text of their own.
func (r *run) capture(body []stmt, s *scope) string {
	outer := r.out
	r.out = &builder{run: r}
	all(body, s)
	text := r.out.String()
	r.out = outer
	return text
}

// scope holds the variables of a block; blocks within see those outside.
type scope struct {
	vars   map[string]any
	parent *scope
	run    *run
	border bool // the outermost scope of an included template
}

func (s *scope) child() *scope { return &scope{vars: map[string]any{}, parent: s, run: s.run} }

func (s *scope) lookup(name string) any {
	for c := s; c != nil; c = c.parent {
		s.run.step(1)
		if v, ok := c.vars[name]; ok {
			return v
		}
		if c.border && name == "loop" {
			refuse("the variable loop in an included template is not supported")
		}
	}
	switch name {
	case "range", "namespace":
		return function(name)
	case "dict", "cycler", "joiner", "lipsum":
		refuse("the function %s is not supported", name)
	}
	return undefined{what: variable, name: name, known: s.run.known}
}

type (
	expr func(*scope) any
	stmt func(*scope)
)

func all(body []stmt, s *scope) {
	for _, st := range body {
		st(s)
	}
}
