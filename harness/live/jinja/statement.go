package jinja

import (
	"errors"
	"fmt"
)

func (p *parser) ifStatement() (stmt, error) {
	if err := p.enter(); err != nil { // every elif is an if within
		return nil, err
	}
	defer p.leave()
	test, err := p.tuple(false)
	if err != nil {
		return nil, err
	}
	body, end, err := p.block("elif", "else", "endif")
	if err != nil {
		return nil, err
	}
	var otherwise []stmt
	switch end {
	case "elif":
		line := p.peek().line
		st, err := p.ifStatement()
		if err != nil {
			return nil, err
		}
		otherwise = []stmt{p.placed(line, st)}
	case "else":
		if otherwise, _, err = p.block("endif"); err != nil {
			return nil, err
		}
	}
	return func(s *scope) error {
		v, err := test(s)
		if err != nil {
			return err
		}
		yes, err := truth(v)
		switch {
		case err != nil:
			return err
		case yes:
			return all(body, s)
		}
		return all(otherwise, s)
	}, nil
}

// target is where values are assigned: names, or an attribute of a namespace.
type target struct {
	names     []string
	attribute string // of names[0]
	unpack    bool
}

func (p *parser) target() (target, error) {
	var t target
	closing := p.skipOp("(")
	for {
		name, err := p.expectName()
		if err != nil {
			return t, err
		}
		switch name {
		case "true", "false", "none", "True", "False", "None":
			return t, faultf("cannot assign to '%s'", name)
		}
		t.names = append(t.names, name)
		if p.skipOp(".") {
			if t.attribute, err = p.expectName(); err != nil || len(t.names) > 1 {
				return t, errors.Join(err, faultf("only one attribute of a namespace can be assigned"))
			}
			return t, nil
		}
		if !p.skipOp(",") {
			break
		}
		t.unpack = true
		if p.peek().kind != tokName {
			break
		}
	}
	if closing {
		return t, p.expectOp(")")
	}
	return t, nil
}

func (t target) assign(s *scope, v any) error {
	switch {
	case t.attribute != "":
		ns, ok := s.lookup(t.names[0]).(*namespace)
		if !ok {
			return faultf("cannot assign an attribute of '%s', which is no namespace", t.names[0])
		}
		ns.set(t.attribute, v)
	case !t.unpack:
		s.vars[t.names[0]] = v
	default:
		items, err := items(s.run, v)
		if err != nil {
			return err
		}
		if len(items) != len(t.names) {
			return faultf("%d values for %d names", len(items), len(t.names))
		}
		for i, name := range t.names {
			s.vars[name] = items[i]
		}
	}
	return nil
}

func (p *parser) setStatement() (stmt, error) {
	to, err := p.target()
	if err != nil {
		return nil, err
	}
	if p.skipOp("=") {
		x, err := p.tuple(true)
		if err != nil {
			return nil, err
		}
		return func(s *scope) error {
			v, err := x(s)
			if err != nil {
				return err
			}
			return to.assign(s, v)
		}, p.endTag()
	}
	filters, err := p.filters(nil)
	if err != nil {
		return nil, err
	}
	text, err := p.captured("endset", filters)
	if err != nil {
		return nil, err
	}
	return func(s *scope) error {
		v, err := text(s)
		if err != nil {
			return err
		}
		return to.assign(s, v)
	}, p.endTag()
}

// captured reads a block whose text is run through filters, which take their
// subject from filterSubject.
func (p *parser) captured(end string, filters expr) (expr, error) {
	body, _, err := p.block(end)
	if err != nil {
		return nil, err
	}
	return func(s *scope) (any, error) {
		text, err := s.run.capture(body, s.child())
		if err != nil || filters == nil {
			return text, err
		}
		inner := s.child()
		inner.vars[filterSubject] = text
		return filters(inner)
	}, nil
}

// filterSubject is the name under which a block's text reaches its filters.
const filterSubject = "\x00subject"

func (p *parser) filterStatement() (stmt, error) {
	subject := func(s *scope) (any, error) { return s.lookup(filterSubject), nil }
	filters, err := p.filter(subject)
	if err != nil {
		return nil, err
	}
	if filters, err = p.filters(filters); err != nil {
		return nil, err
	}
	text, err := p.captured("endfilter", filters)
	if err != nil {
		return nil, err
	}
	return func(s *scope) error {
		v, err := text(s)
		if err != nil {
			return err
		}
		out, err := str(v)
		if err != nil {
			return err
		}
		return s.run.write(out)
	}, nil
}

func (p *parser) withStatement() (stmt, error) {
	var names []target
	var values []expr
	for p.peek().kind != tokBlockEnd {
		if len(names) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, err
			}
		}
		name, err := p.expectName()
		if err != nil {
			return nil, err
		}
		if err := p.expectOp("="); err != nil {
			return nil, err
		}
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		names, values = append(names, target{names: []string{name}}), append(values, x)
	}
	body, _, err := p.block("endwith")
	if err != nil {
		return nil, err
	}
	return func(s *scope) error {
		inner := s.child()
		for i, x := range values {
			v, err := x(s)
			if err != nil {
				return err
			}
			if err := names[i].assign(inner, v); err != nil {
				return err
			}
		}
		return all(body, inner)
	}, nil
}

func (p *parser) includeStatement() (stmt, error) {
	name, err := p.expression()
	if err != nil {
		return nil, err
	}
	ignore := p.isName("ignore")
	if ignore {
		p.advance()
		if !p.skipName("missing") {
			return nil, faultf("expected 'missing' behind 'ignore'")
		}
	}
	if p.isName("with") {
		p.advance()
		if !p.skipName("context") {
			return nil, faultf("expected 'context' behind 'with'")
		}
	}
	if p.isName("without") {
		return nil, unsupportedf("include without context is not supported")
	}
	return func(s *scope) error {
		v, err := name(s)
		if err != nil {
			return err
		}
		file, ok := v.(string)
		if !ok {
			return unsupportedf("include takes the name of one template")
		}
		return s.include(file, ignore)
	}, nil
}

func (s *scope) include(file string, ignore bool) error {
	t := s.run.parsed[file]
	if t == nil {
		if s.run.load == nil {
			return faultf("the template %q is not found: nothing can be included here", file)
		}
		source, err := s.run.load(file)
		switch {
		case errors.Is(err, ErrNotFound) && ignore:
			return nil
		case err != nil:
			return fmt.Errorf("including %q: %w", file, err)
		}
		if t, err = Parse(file, source); err != nil {
			return err
		}
		s.run.parsed[file] = t
	}
	inner := s.child()
	text, err := s.run.capture(t.body, inner)
	if err != nil {
		return err
	}
	s.run.out = append(s.run.out, text...)
	return nil
}
