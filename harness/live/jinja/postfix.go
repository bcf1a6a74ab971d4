package jinja

import "slices"

// postfix reads attributes, subscripts and calls behind a value.
func (p *parser) postfix(x expr) expr {
	defer p.leave(p.depth)
	for {
		t := p.peek()
		switch {
		case p.skip("."):
			x = p.attribute(x)
		case p.skip("["):
			x = p.subscript(t, x)
		case p.is("("):
			x = p.call(x)
		default:
			return x
		}
		p.enter()
	}
}

// attribute reads an attribute, or the call of a method.
func (p *parser) attribute(x expr) expr {
	t := p.peek()
	name := p.name()
	if p.is("(") {
		m := p.known(t, "method", p.methods)
		return apply(t, "method", m, x, p.arguments())
	}
	return node(t, func(s *scope) any { return attribute(s.run, x(s), name) })
}

func (p *parser) subscript(t token, x expr) expr {
	from, to := constant(nil), constant(nil)
	if !p.is(":") {
		from = p.expression()
	}
	if p.skip("]") {
		return node(t, func(s *scope) any {
			v := x(s)
			return index(s.run, v, from(s))
		})
	}
	p.expect(":")
	if !p.is("]", ":") {
		to = p.expression()
	}
	if p.is(":") {
		refuse("a slice with a step is not supported")
	}
	p.expect("]")
	return node(t, func(s *scope) any {
		v, start := x(s), from(s)
		return slice(s.run, v, start, to(s))
	})
}

// call reads the call of a macro or function.
func (p *parser) call(x expr) expr {
	t := p.peek()
	a := p.arguments()
	return node(t, func(s *scope) any {
		f := x(s)
		given := a(s)
		switch f := f.(type) {
		case *macro:
			return f.call(given)
		case function:
			return f.call(s.run, given)
		}
		defined(f)
		fail("%s cannot be called", describe(f))
		return nil
	})
}

type arguments struct {
	list  []any
	named map[string]any
}

func noArguments(*scope) (a arguments) { return a }

func (p *parser) arguments() func(*scope) arguments {
	p.expect("(")
	return p.restOfArguments()
}

// restOfArguments reads what follows an opened parenthesis.
func (p *parser) restOfArguments() func(*scope) arguments {
	var list, values []expr
	var names []string // of the values
	for !p.skip(")") {
		if p.is("*", "**") {
			refuse("arguments by * and ** are not supported")
		}
		if t := p.peek(); t.kind == tokName && p.followedBy("=") {
			p.pos += 2
			if slices.Contains(names, t.text) {
				fail("duplicate argument '%.100s'", t.text)
			}
			names, values = append(names, t.text), append(values, p.expression())
		} else if list = append(list, p.expression()); names != nil {
			fail("a positional argument follows a named one")
		}
		if !p.is(")") {
			p.expect(",")
		}
	}
	return func(s *scope) arguments {
		a := arguments{evaluate(s, list), map[string]any{}}
		s.run.newList(entrySize * len(names))
		for i, x := range values {
			a.named[names[i]] = x(s)
		}
		return a
	}
}

// filtersOf reads the filters and tests behind a value.
func (p *parser) filtersOf(x expr) expr {
	for {
		switch {
		case p.skip("|"):
			x = p.filter(x)
		case p.skip("is"):
			x = p.test(x)
		case p.is("("):
			refuse("calling the result of a filter or test is not supported")
		default:
			return x
		}
		p.enter()
	}
}

// filter reads a filter's name with its arguments.
func (p *parser) filter(x expr) expr {
	t := p.peek()
	switch p.name() {
	case "map", "select", "reject", "selectattr", "rejectattr":
		return p.applied(t, x)
	case "format":
		return p.formatted(t, x)
	}
	f, a := p.known(t, "filter", p.filters), noArguments
	if p.is("(") {
		a = p.arguments()
	}
	return apply(t, "filter", f, x, a)
}

// known finds the filter, test or method that a token names.
func (p *parser) known(t token, kind string, table map[string]builtin) builtin {
	b, ok := table[t.text]
	if !ok {
		p.place.at = t.at
		refuse("the %s '%.100s' is not supported", kind, t.text)
	}
	return b
}

func (p *parser) test(x expr) expr {
	not := p.skip("not")
	t := p.peek()
	p.name()
	test := p.known(t, "test", p.tests)
	result := apply(t, "test", test, x, p.testArguments())
	if not {
		return negated(t, result)
	}
	return result
}

// testArguments reads arguments in parentheses, or one without them.
func (p *parser) testArguments() func(*scope) arguments {
	switch k := p.peek().kind; {
	case p.is("("):
		return p.arguments()
	case p.is("is", "if", "not", "in"): // Jinja2 takes these for the argument, too
		fail("unexpected '%s' after a test (put the test in parentheses)", p.peek().text)
	case k == tokName && !p.is("else", "or", "and"), k == tokString, k == tokNumber, p.is("["):
		x := p.postfix(p.primary())
		return func(s *scope) arguments { return arguments{list: evaluate(s, []expr{x})} }
	}
	return noArguments
}
