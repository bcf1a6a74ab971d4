package jinja

// postfix reads attributes, subscripts and calls behind a value.
func (p *parser) postfix(x expr) (expr, error) {
	for {
		var err error
		switch {
		case p.skipOp("."):
			x, err = p.attribute(x)
		case p.skipOp("["):
			x, err = p.subscript(x)
		case p.isOp("("):
			x, err = p.callOf(x)
		default:
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (p *parser) attribute(x expr) (expr, error) {
	if p.peek().kind != tokName {
		return nil, unsupportedf("expected a name behind '.', found %s", p.found())
	}
	name := p.advance().text
	return func(s *scope) (any, error) {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		return attribute(v, name)
	}, nil
}

func (p *parser) subscript(x expr) (expr, error) {
	var bounds [3]expr
	n := 0
	for ; n < 3 && !p.isOp("]"); n++ {
		if !p.isOp(":") {
			b, err := p.expression()
			if err != nil {
				return nil, err
			}
			bounds[n] = b
		}
		if !p.skipOp(":") {
			break
		}
	}
	colon := n > 0
	if err := p.expectOp("]"); err != nil {
		return nil, err
	}
	if !colon {
		if bounds[0] == nil {
			return nil, faultf("empty brackets []")
		}
		return func(s *scope) (any, error) {
			values, err := evaluate(s, []expr{x, bounds[0]})
			if err != nil {
				return nil, err
			}
			return item(values[0], values[1])
		}, nil
	}
	return func(s *scope) (any, error) {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		var limits [3]any
		for i, b := range bounds {
			if b == nil {
				continue
			}
			if limits[i], err = b(s); err != nil {
				return nil, err
			}
		}
		return cut(v, limits)
	}, nil
}

func (p *parser) callOf(x expr) (expr, error) {
	arguments, err := p.arguments()
	if err != nil {
		return nil, err
	}
	return func(s *scope) (any, error) {
		f, err := x(s)
		if err != nil {
			return nil, err
		}
		a, err := arguments(s)
		if err != nil {
			return nil, err
		}
		if err := s.run.step(); err != nil {
			return nil, err
		}
		return call(s.run, f, a)
	}, nil
}

// arguments reads the arguments of a call with their parentheses.
func (p *parser) arguments() (func(*scope) (args, error), error) {
	if err := p.expectOp("("); err != nil {
		return nil, err
	}
	var list, values []expr
	var names []string
	for !p.skipOp(")") {
		if len(list)+len(values) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, err
			}
			if p.skipOp(")") {
				break
			}
		}
		if p.isOp("*", "**") {
			return nil, unsupportedf("arguments by * and ** are not supported")
		}
		name := ""
		if next := p.tokens[p.pos+1]; p.peek().kind == tokName && next.kind == tokOperator && next.text == "=" {
			name = p.peek().text
			p.pos += 2
		}
		x, err := p.expression()
		switch {
		case err != nil:
			return nil, err
		case name != "":
			names, values = append(names, name), append(values, x)
		case names != nil:
			return nil, faultf("an argument without a name stands behind one with a name")
		default:
			list = append(list, x)
		}
	}
	return func(s *scope) (args, error) {
		given, err := evaluate(s, list)
		if err != nil {
			return args{}, err
		}
		a := args{list: given}
		for i, x := range values {
			v, err := x(s)
			if err != nil {
				return args{}, err
			}
			a.named = append(a.named, named{names[i], v})
		}
		return a, nil
	}, nil
}

// filters reads the filters and tests behind a value. A nil value stands for
// the text of a block.
func (p *parser) filters(x expr) (expr, error) {
	for {
		var err error
		switch {
		case p.skipOp("|"):
			subject := x
			if subject == nil {
				subject = func(s *scope) (any, error) { return s.lookup(filterSubject), nil }
			}
			x, err = p.filter(subject)
		case x != nil && p.skipName("is"):
			x, err = p.test(x)
		case x != nil && p.isOp("("):
			x, err = p.callOf(x)
		default:
			return x, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func noArguments(*scope) (args, error) { return args{}, nil }

// filter reads a filter's name with its arguments.
func (p *parser) filter(subject expr) (expr, error) {
	name, err := p.expectName()
	if err != nil {
		return nil, err
	}
	f, ok := filters[name]
	if !ok {
		return nil, unsupportedf("the filter '%s' is not known", name)
	}
	arguments := noArguments
	if p.isOp("(") {
		if arguments, err = p.arguments(); err != nil {
			return nil, err
		}
	}
	return func(s *scope) (any, error) {
		v, err := subject(s)
		if err != nil {
			return nil, err
		}
		a, err := arguments(s)
		if err != nil {
			return nil, err
		}
		if err := s.run.step(); err != nil {
			return nil, err
		}
		out, err := f(s.run, v, a)
		return out, within("filter", name, err)
	}, nil
}

func (p *parser) test(x expr) (expr, error) {
	not := p.skipName("not")
	name, err := p.expectName()
	if err != nil {
		return nil, err
	}
	t, ok := tests[name]
	if !ok {
		return nil, unsupportedf("the test '%s' is not known", name)
	}
	arguments, err := p.testArguments()
	if err != nil {
		return nil, err
	}
	result := func(s *scope) (any, error) {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		a, err := arguments(s)
		if err != nil {
			return nil, err
		}
		if err := s.run.search(a.list...); err != nil {
			return nil, err
		}
		yes, err := t(v, a)
		return yes, within("test", name, err)
	}
	if not {
		return negate(result), nil
	}
	return result, nil
}

// testArguments reads arguments in parentheses, or one without them.
func (p *parser) testArguments() (func(*scope) (args, error), error) {
	if p.isOp("(") {
		return p.arguments()
	}
	switch t := p.peek(); t.kind {
	case tokName:
		switch t.text {
		case "else", "or", "and":
			return noArguments, nil
		case "is", "if", "not", "in": // Jinja2 takes these for the argument, too
			return nil, faultf("unexpected '%s' behind a test (put the test in parentheses)", t.text)
		}
	case tokString, tokInteger, tokFloat:
	default:
		if !p.isOp("[", "{") {
			return noArguments, nil
		}
	}
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	if x, err = p.postfix(x); err != nil {
		return nil, err
	}
	return func(s *scope) (args, error) {
		v, err := x(s)
		return args{list: []any{v}}, err
	}, nil
}

// within says in which filter or test an error arose.
func within(what, name string, err error) error {
	if f, ok := err.(*fault); ok {
		return &fault{"the " + what + " '" + name + "': " + f.message, f.unsupported}
	}
	return err
}
