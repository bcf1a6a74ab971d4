package jinja

import "slices"

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
