package jinja

import "slices"

// macro is a function written in the template. Its names are looked up where
// it was defined.
type macro struct {
	name     string
	params   []string
	defaults []expr // of the last parameters
	body     []stmt
	home     *scope
	line     int
	// What the body mentions: only then are such arguments accepted.
	caller, varargs, kwargs bool
}

// args are the arguments of a call.
type args struct {
	list  []any
	named []named // in their order
}

type named struct {
	name  string
	value any
}

func (p *parser) signature() (params []string, defaults []expr, err error) {
	if err := p.expectOp("("); err != nil {
		return nil, nil, err
	}
	for !p.skipOp(")") {
		if len(params) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, nil, err
			}
		}
		name, err := p.expectName()
		if err != nil {
			return nil, nil, err
		}
		params = append(params, name)
		switch {
		case p.skipOp("="):
			x, err := p.expression()
			if err != nil {
				return nil, nil, err
			}
			defaults = append(defaults, x)
		case defaults != nil:
			return nil, nil, faultf("the parameter '%s' needs a default, as one before it has", name)
		}
	}
	return params, defaults, nil
}

// mentions reports whether the tokens from one place to another name something.
func (p *parser) mentions(from int, name string) bool {
	return slices.ContainsFunc(p.tokens[from:p.pos], func(t token) bool { return t.kind == tokName && t.text == name })
}

func (p *parser) macroBody(m *macro, end string) (err error) {
	from := p.pos
	m.line = p.peek().line
	m.body, _, err = p.block(end)
	m.caller, m.varargs, m.kwargs = p.mentions(from, "caller"), p.mentions(from, "varargs"), p.mentions(from, "kwargs")
	return err
}

func (p *parser) macroStatement() (stmt, error) {
	name, err := p.expectName()
	if err != nil {
		return nil, err
	}
	m := macro{name: name}
	if m.params, m.defaults, err = p.signature(); err != nil {
		return nil, err
	}
	if err := p.macroBody(&m, "endmacro"); err != nil {
		return nil, err
	}
	return func(s *scope) error {
		here := m
		here.home = s
		s.vars[name] = &here
		return nil
	}, nil
}

func (p *parser) callStatement() (stmt, error) {
	m := macro{name: "caller"}
	var err error
	if p.isOp("(") {
		if m.params, m.defaults, err = p.signature(); err != nil {
			return nil, err
		}
	}
	callee, arguments, err := p.calling()
	if err != nil {
		return nil, err
	}
	if err := p.macroBody(&m, "endcall"); err != nil {
		return nil, err
	}
	return func(s *scope) error {
		f, err := callee(s)
		if err != nil {
			return err
		}
		a, err := arguments(s)
		if err != nil {
			return err
		}
		here := m
		here.home = s
		a.named = append(a.named, named{"caller", &here})
		v, err := call(s.run, f, a)
		if err != nil {
			return err
		}
		text, err := str(v)
		if err != nil {
			return err
		}
		return s.run.write(text)
	}, nil
}

// calling reads an expression that must be a call, and returns its parts.
func (p *parser) calling() (callee expr, arguments func(*scope) (args, error), err error) {
	name, err := p.expectName()
	if err != nil {
		return nil, nil, err
	}
	if !p.isOp("(") {
		return nil, nil, unsupportedf("{%% call %%} takes the name of a macro with its arguments")
	}
	arguments, err = p.arguments()
	return func(s *scope) (any, error) { return s.lookup(name), nil }, arguments, err
}

func (m *macro) call(r *run, a args) (any, error) {
	s := m.home.child()
	extra := &list{}
	if len(a.list) > len(m.params) {
		if !m.varargs {
			return nil, faultf("the macro '%s' takes %d arguments, and %d are given", m.name, len(m.params), len(a.list))
		}
		extra.items = slices.Clone(a.list[len(m.params):])
		a.list = a.list[:len(m.params)]
	}
	if m.varargs {
		s.vars["varargs"] = tuple(extra.items)
	}
	rest := &dict{}
	if m.caller {
		s.vars["caller"] = undefined{message: "there is no caller: the macro was not called by {% call %}"}
	}
	for i, v := range a.list {
		s.vars[m.params[i]] = v
	}
	for _, n := range a.named {
		i := slices.Index(m.params, n.name)
		switch {
		case i >= 0 && i < len(a.list):
			return nil, faultf("the macro '%s' got two values for '%s'", m.name, n.name)
		case i >= 0, n.name == "caller" && m.caller:
			s.vars[n.name] = n.value
		case m.kwargs:
			rest.set(n.name, n.value)
		default:
			return nil, faultf("the macro '%s' has no parameter '%s'", m.name, n.name)
		}
	}
	if m.kwargs {
		s.vars["kwargs"] = rest
	}
	if err := m.fill(s); err != nil {
		return nil, err
	}
	return r.capture(m.body, s)
}

// fill gives the parameters that were left out their defaults.
func (m *macro) fill(s *scope) error {
	for i, name := range m.params {
		if _, ok := s.vars[name]; ok {
			continue
		}
		s.vars[name] = undefined{message: "the parameter '" + name + "' was not given"}
		if d := i - len(m.params) + len(m.defaults); d >= 0 {
			v, err := m.defaults[d](s)
			if err != nil {
				return err
			}
			s.vars[name] = v
		}
	}
	return nil
}
