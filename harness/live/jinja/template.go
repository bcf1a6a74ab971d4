package jinja

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The bounds of one rendering. Prompts are far below them.
const (
	maxSteps  = 200_000  // evaluations
	maxOutput = 16 << 20 // bytes of text made
	maxCalls  = 100      // macros and includes within each other
	maxNested = 200      // brackets and tags within each other
	itemSize  = 16       // bytes that an item of a list counts as
)

// Loader returns the source of a template that another one includes.
type Loader func(name string) (source string, err error)

// ErrNotFound is what a Loader returns for a template that does not exist.
var ErrNotFound = errors.New("no such template")

// Template is a parsed template. It may be rendered by several goroutines.
type Template struct {
	name string
	body []stmt
}

// Parse reads a template. The name stands in errors; every error is an *Error.
func Parse(name, source string) (*Template, error) {
	tokens, err := lex(name, source)
	if err != nil {
		return nil, err
	}
	p := &parser{name: name, tokens: tokens}
	body, err := p.body()
	if err != nil {
		return nil, at(err, name, p.peek().line)
	}
	return &Template{name, body}, nil
}

// Render renders the template. Values are nil, bool, int, float64, string,
// []string or []any of these. Load may be nil: then nothing can be included.
// Every error is an *Error.
func (t *Template) Render(vars map[string]any, load Loader) (string, error) {
	root := &scope{vars: map[string]any{}, run: &run{load: load, parsed: map[string]*Template{}, filters: filters}}
	for name, v := range vars {
		value, err := fromGo(v)
		if err != nil {
			return "", at(fmt.Errorf("the variable %q: %w", name, err), t.name, 1)
		}
		root.vars[name] = value
	}
	inner := root.child()
	if err := all(t.body, inner); err != nil {
		return "", at(err, t.name, 1)
	}
	return string(root.run.out), nil
}

func fromGo(v any) (any, error) {
	switch v := v.(type) {
	case nil, bool, string, float64, int64:
		return v, nil
	case int:
		return int64(v), nil
	case []string:
		items := make([]any, len(v))
		for i, s := range v {
			items[i] = s
		}
		return &list{items}, nil
	case []any:
		l := &list{}
		for _, item := range v {
			x, err := fromGo(item)
			if err != nil {
				return nil, err
			}
			l.items = append(l.items, x)
		}
		return l, nil
	}
	return nil, fmt.Errorf("a value of the type %T cannot be handed to a template", v)
}

// run is the state of one rendering.
type run struct {
	out     []byte
	load    Loader
	parsed  map[string]*Template
	filters map[string]filter // those that map may name
	steps   int
	made    int // bytes of text
	calls   int
}

func (r *run) step() error { return r.spend(1) }

func (r *run) spend(steps int) error {
	if r.steps += steps; r.steps > maxSteps {
		return faultf("the template does not come to an end: it took more than %d steps", maxSteps)
	}
	return nil
}

// search counts that values are gone through from one end to the other without
// anything being evaluated: sixteen items, or a KiB of text, are a step.
func (r *run) search(values ...any) error {
	steps := 0
	for _, v := range values {
		switch v := v.(type) {
		case string:
			steps += len(v) / 1024
		case *list:
			steps += len(v.items) / 16
		case tuple:
			steps += len(v) / 16
		case *dict:
			steps += len(v.keys) / 16
		case view:
			steps += len(v.items) / 16
		case span:
			steps += int(min(v.len(), maxSteps)) / 16
		}
	}
	return r.spend(steps)
}

// grow counts text that comes into being.
func (r *run) grow(n int) error {
	if r.made += n; r.made > maxOutput {
		return faultf("the template makes more than %d MiB of text", maxOutput>>20)
	}
	return nil
}

func (r *run) write(s string) error {
	r.out = append(r.out, s...)
	return r.grow(len(s))
}

// capture renders statements into a text of their own.
func (r *run) capture(body []stmt, s *scope) (string, error) {
	if r.calls++; r.calls > maxCalls {
		return "", faultf("macros or includes call each other more than %d deep", maxCalls)
	}
	outer := r.out
	r.out = nil
	err := all(body, s)
	text := string(r.out)
	r.out = outer
	r.calls--
	return text, err
}

// scope holds the variables of a block; blocks within see those outside.
type scope struct {
	vars   map[string]any
	parent *scope
	run    *run
}

func (s *scope) child() *scope {
	return &scope{vars: map[string]any{}, parent: s, run: s.run}
}

func (s *scope) lookup(name string) any {
	for c := s; c != nil; c = c.parent {
		if v, ok := c.vars[name]; ok {
			return v
		}
	}
	if f, ok := globals[name]; ok {
		return f
	}
	return missing("the variable '%s' is undefined%s", name, s.known())
}

// known names the variables that were handed in.
func (s *scope) known() string {
	root := s
	for root.parent != nil {
		root = root.parent
	}
	var names []string
	for n := range root.vars {
		names = append(names, n)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return " (there are " + strings.Join(names, ", ") + ")"
}

type (
	expr func(*scope) (any, error)
	stmt func(*scope) error
)

func all(body []stmt, s *scope) error {
	for _, st := range body {
		if err := s.run.step(); err != nil {
			return err
		}
		if err := st(s); err != nil {
			return err
		}
	}
	return nil
}
