package jinja

import (
	"strconv"
	"strings"
)

// builtin is a filter, test or method, with its parameters after the value that
// it is applied to.
type builtin struct {
	call   func(r *run, v any, a []any) any
	params []param
}

// param is a parameter. Its default may be required.
type param struct {
	name      string // "" where it cannot be given by name
	otherwise any
}

type required struct{}

// bind puts arguments in the order of the parameters. Those left out have their
// defaults.
func bind(what string, params []param, a arguments) []any {
	bound := make([]any, len(params))
	names := 0
	for i, p := range params {
		named, ok := a.named[p.name]
		switch {
		case ok && i >= len(a.list):
			bound[i] = named
			names++
		case i < len(a.list):
			bound[i] = a.list[i]
		case p.otherwise == (required{}):
			fail("%s needs at least %d arguments", what, i+1)
		default:
			bound[i] = p.otherwise
		}
	}
	if len(a.list) > len(params) || names < len(a.named) {
		fail("%s has too many arguments, or an unknown one", what)
	}
	return bound
}

// apply makes the expression that applies a builtin to a value.
func apply(t token, kind string, b builtin, x expr, a func(*scope) arguments) expr {
	each := prepare(t, kind, b, a)
	return node(t, func(s *scope) any {
		v := x(s)
		return each(s)(v)
	})
}

// prepare makes the function that evaluates the arguments once and can then be
// applied to many values.
func prepare(t token, kind string, b builtin, a func(*scope) arguments) func(*scope) func(any) any {
	label := "the " + kind + " '" + t.text + "'"
	return func(s *scope) func(any) any {
		values := bind(label, b.params, a(s))
		for _, v := range values {
			defined(v)
		}
		return func(v any) any {
			s.run.step(1)
			s.run.label = label
			out := b.call(s.run, v, values)
			s.run.label = ""
			return out
		}
	}
}

// argument returns an argument that must have a type.
func argument[T any](v any) T {
	x, ok := v.(T)
	if defined(v); !ok {
		refuse("an argument cannot be %s here", describe(v))
	}
	return x
}

// named reads the name of a filter or test that map or select applies, a string,
// and the arguments behind it.
func (p *parser) named(kind string, table map[string]builtin) func(*scope) func(any) any {
	t := p.peek()
	if t.kind != tokString || !p.followedBy(",") && !p.followedBy(")") {
		refuse("the name of a %s must be a string", kind)
	}
	p.pos++
	b := p.known(t, kind, table)
	p.skip(",")
	return prepare(t, kind, b, p.restOfArguments())
}

// attributes reads what map(attribute=…) and selectattr take of each item: one
// member, or one within another by dots.
func (p *parser) attributes() func(*scope) func(any) any {
	t := p.peek()
	if t.kind != tokString || !p.followedBy(")") && !p.followedBy(",") {
		refuse("an attribute must be a single string")
	}
	p.pos++
	path := strings.Split(t.text, ".")
	return func(s *scope) func(any) any {
		return func(v any) any {
			s.run.step(len(path))
			for _, name := range path {
				v = index(s.run, v, part(name))
			}
			return v
		}
	}
}

// closed reads the end of the arguments of map(attribute=…).
func (p *parser) closed() {
	if !p.skip(")") {
		refuse("map by an attribute needs a single string")
	}
}

// part is a name of a path, or a place.
func part(name string) any {
	if n, err := strconv.ParseInt(name, 10, 32); err == nil && strings.Trim(name, "0123456789") == "" {
		return n
	}
	return name
}

// ofAttribute reads the arguments of selectattr and rejectattr: an attribute, and a
// test of it with the arguments of the test, or none.
func (p *parser) ofAttribute() func(*scope) func(any) any {
	if !p.skip("(") || p.is(")") {
		fail("the filter needs at least 1 arguments")
	}
	attribute := p.attributes()
	test := func(*scope) func(any) any { return func(v any) any { return truth(v) } }
	if p.skip(",") && !p.is(")") {
		test = p.named("test", p.tests)
	} else {
		p.expect(")")
	}
	return func(s *scope) func(any) any {
		of, passes := attribute(s), test(s)
		return func(v any) any { return passes(of(v)) }
	}
}

// applied reads the arguments of map, select, reject and their like: the name of a filter or
// test with its arguments, or none. What they give is a generator.
func (p *parser) applied(t token, x expr) expr {
	each := func(*scope) func(any) any { return func(v any) any { return truth(v) } }
	kind, table := "test", p.tests
	if t.text == "map" {
		kind, table = "filter", p.filters
	}
	if strings.HasSuffix(t.text, "attr") {
		each = p.ofAttribute()
	} else if t.text == "map" || p.is("(") {
		p.expect("(")
		switch attribute := p.is("attribute") && p.followedBy("="); {
		case attribute && t.text == "map":
			p.pos += 2
			each = p.attributes()
			p.closed()
		case !p.skip(")"):
			each = p.named(kind, table)
		}
	}
	return node(t, func(s *scope) any {
		values := items(s.run, x(s))
		out := s.run.newList(len(values))
		f := each(s)
		for _, v := range values {
			switch y := f(v); {
			case t.text == "map":
				out = append(out, y)
			case truth(y) == strings.HasPrefix(t.text, "select"):
				out = append(out, v)
			}
		}
		return &list{kind: aGenerator, items: out}
	})
}
