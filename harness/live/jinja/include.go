package jinja

import (
	"errors"
	"slices"
	"strings"
)

// Load returns the text of a template that another one includes. An unknown name
// gives an error that wraps [ErrNotFound].
type Load func(name string) (string, error)

// ErrNotFound says that there is no template of a name.
var ErrNotFound = errors.New("no such template")

// includeStatement reads {% include "name" %}, also with "ignore missing" and "with
// context". The template is read when the tag is rendered.
func (p *parser) includeStatement() stmt {
	t := p.peek()
	if t.kind != tokString || !strings.HasPrefix(p.source[t.at+1:], t.text) {
		refuse("an include needs a single name in quotes")
	}
	p.pos++
	ignore := p.is("ignore") && p.followedBy("missing")
	if ignore {
		p.pos += 2
	}
	switch {
	case p.is("without"):
		refuse("an include without context is not supported")
	case p.is("with") && p.followedBy("context"):
		p.pos += 2
	case p.peek().kind != tokBlockEnd:
		refuse("an include needs a single name in quotes")
	}
	return func(s *scope) {
		s.run.at = t.at
		if part := s.run.included(t.text, ignore); part != nil {
			s.run.within(part, s)
		}
	}
}

// included returns the parsed template of a name, or nil if it is missing and may be.
func (r *run) included(name string, ignore bool) *Template {
	if t, ok := r.parts[name]; ok {
		return t
	}
	if r.load == nil {
		refuse("the tag {%% include %%} is not supported here")
	}
	if strings.HasPrefix(name, "/") || slices.Contains(strings.Split(name, "/"), "..") {
		fail("cannot include '%.100s': name a template in the folder of the one that includes it", name)
	}
	text, err := r.load(name)
	switch {
	case ignore && errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		fail("cannot include '%.100s': %v", name, err)
	}
	r.charge(len(text))
	t, err := Parse(name, text)
	if err != nil {
		panic(err)
	}
	r.parts[name] = t
	return t
}

// maxIncludes bounds templates that include each other.
const maxIncludes = 50

// within renders a template in the scope of another one.
func (r *run) within(t *Template, s *scope) {
	if r.nested++; r.nested > maxIncludes {
		fail("includes are nested deeper than %d levels", maxIncludes)
	}
	before := r.place
	r.place = place{}
	inner := s.child()
	inner.border = true
	var err error
	func() {
		defer t.catch(&r.place, &err)
		all(t.body, inner)
	}()
	if err != nil {
		panic(err)
	}
	r.place = before
	r.nested--
}

// withStatement reads {% with a = 1, b = 2 %}. The values see the outer scope.
func (p *parser) withStatement() stmt {
	var targets []target
	var values []expr
	for p.peek().kind != tokBlockEnd {
		if len(targets) > 0 {
			p.expect(",")
		}
		to := p.target()
		if to.attribute != "" {
			fail("a with cannot assign to an attribute")
		}
		p.expect("=")
		targets, values = append(targets, to), append(values, p.expression())
	}
	body, _ := p.block("endwith")
	return func(s *scope) {
		given := evaluate(s, values)
		inner := s.child()
		for i, to := range targets {
			to.assign(inner, given[i])
		}
		all(body, inner)
	}
}

// macro is a function written in the template. Its names are looked up where
// it was defined.
type macro struct {
	name   string
	params []param // with an expr where there is a default
	body   []stmt
	home   *scope
}

func (p *parser) macroStatement() stmt {
	m := macro{name: p.name()}
	p.expect("(")
	for !p.skip(")") {
		if len(m.params) > 0 {
			p.expect(",")
		}
		name := p.name()
		checkName(name)
		if slices.ContainsFunc(m.params, func(p param) bool { return p.name == name }) {
			fail("duplicate parameter '%.100s'", name)
		}
		one := param{name, undefined{what: "the parameter", name: name}}
		if p.skip("=") {
			one.otherwise = p.expression()
		} else if n := len(m.params); n > 0 && isA[expr](m.params[n-1].otherwise) {
			fail("the parameter '%.100s' needs a default value, because an earlier parameter has one", name)
		}
		m.params = append(m.params, one)
	}
	m.body, _ = p.block("endmacro")
	return func(s *scope) {
		here := m
		here.home = s
		s.vars[m.name] = &here
	}
}

// call renders the macro. A default is evaluated when the parameters before it
// have their values; those behind it are undefined then.
func (m *macro) call(a arguments) any {
	s := m.home.child()
	bound := bind("the macro '"+m.name+"'", m.params, a)
	for i, p := range m.params {
		s.run.step(1)
		s.vars[p.name] = bound[i]
		if isA[expr](bound[i]) {
			s.vars[p.name] = undefined{what: "the parameter", name: p.name}
		}
	}
	for i, p := range m.params {
		if x, ok := bound[i].(expr); ok {
			s.vars[p.name] = x(s)
		}
	}
	return s.run.capture(m.body, s)
}
