package jinja

import "slices"

func (p *parser) ifStatement() stmt {
	defer p.leave(p.enter()) // every elif is an if within
	test := p.tuple(false)
	body, end := p.block("elif", "else", "endif")
	var otherwise []stmt
	switch end {
	case "elif":
		otherwise = []stmt{placed(p.peek(), p.ifStatement())}
	case "else":
		otherwise, _ = p.block("endif")
	}
	return func(s *scope) {
		if truth(test(s)) {
			all(body, s)
		} else {
			all(otherwise, s)
		}
	}
}

// target is where values are assigned: names, or an attribute of a namespace.
type target struct {
	names     []string
	attribute string // of names[0]
	unpack    bool
}

func (p *parser) target() (t target) {
	for {
		if p.is("(") {
			refuse("names in parentheses are not supported")
		}
		if p.is("true", "false", "none", "True", "False", "None") {
			fail("cannot assign to '%s'", p.peek().text)
		}
		name := p.name()
		checkName(name)
		t.names = append(t.names, name)
		if len(t.names) == 1 && p.skip(".") {
			t.attribute = p.name()
			break
		}
		if !p.skip(",") {
			break
		}
		t.unpack = true
	}
	return t
}

// checkName refuses the names that mean something to Python's Jinja2 wherever
// they stand.
func checkName(name string) {
	switch name {
	case "self", "super", "caller", "varargs", "kwargs":
		refuse("the variable '%s' is not supported", name)
	}
}

func (t target) assign(s *scope, v any) {
	if t.attribute != "" {
		ns, ok := s.lookup(t.names[0]).(*namespace)
		if !ok {
			fail("cannot assign an attribute of '%.100s', which is not a namespace", t.names[0])
		}
		s.run.newList(entrySize)
		ns.values[t.attribute] = v
		return
	}
	if !t.unpack {
		s.vars[t.names[0]] = v
		return
	}
	values := items(s.run, v)
	if len(values) != len(t.names) {
		fail("%d values for %d names", len(values), len(t.names))
	}
	s.run.step(len(values))
	for i, name := range t.names {
		s.vars[name] = values[i]
	}
}

// setStatement reads {% set x = … %}, or a block whose text is assigned.
func (p *parser) setStatement() stmt {
	to := p.target()
	if p.skip("=") {
		x := p.tuple(true)
		return func(s *scope) { to.assign(s, x(s)) }
	}
	if p.is("|") {
		refuse("a filter of a set block is not supported")
	}
	body, _ := p.block("endset")
	return func(s *scope) { to.assign(s, s.run.capture(body, s.child())) }
}

// loop is the variable of that name within a for.
type loop struct {
	items []any
	index int // from 0
}

func (l *loop) attribute(name string) any {
	n, i := int64(len(l.items)), int64(l.index)
	attributes := map[string]any{
		"index": i + 1, "index0": i, "revindex": n - i, "revindex0": n - i - 1, "length": n, "first": i == 0,
		"last": i == n-1,
	}
	v, ok := attributes[name]
	if !ok {
		refuse("loop.%.100s is not supported", name)
	}
	return v
}

func (p *parser) forStatement() stmt {
	to := p.target()
	if to.attribute != "" || slices.Contains(to.names, "loop") {
		fail("a for cannot assign to '%.100s'", to.names[0])
	}
	p.expect("in")
	over := p.tuple(false)
	var test expr
	if p.skip("if") {
		test = p.expression()
	}
	if p.is("recursive") {
		refuse("recursive loops are not supported")
	}
	body, end := p.block("else", "endfor")
	var otherwise []stmt
	if end == "else" {
		otherwise, _ = p.block("endfor")
	}
	return func(s *scope) {
		values := items(s.run, over(s))
		if test != nil {
			values = chosen(s, values, to, test)
		}
		repeat(s, values, to, body)
		if len(values) == 0 {
			all(otherwise, s.child())
		}
	}
}

// chosen are the items that pass the condition of a for. Python asks it item by
// item while the loop runs, which is the same unless the loop changes a namespace that
// the condition reads.
func chosen(s *scope, values []any, to target, test expr) []any {
	reads := s.run.reads
	kept := s.run.newList(len(values))
	for _, item := range values {
		inner := s.child()
		to.assign(inner, item)
		if truth(test(inner)) {
			kept = append(kept, item)
		}
	}
	if s.run.reads > reads {
		refuse("a for whose condition reads a namespace is not supported")
	}
	return kept
}

func repeat(s *scope, values []any, to target, body []stmt) {
	l := &loop{items: values}
	for i, item := range values {
		s.run.step(1)
		l.index = i
		inner := s.child()
		inner.vars["loop"] = l
		to.assign(inner, item)
		all(body, inner)
	}
}
