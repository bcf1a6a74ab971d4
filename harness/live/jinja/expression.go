package jinja

import (
	"math"
	"strconv"
)

// tuple reads expressions with commas between them: one alone, or a tuple. The
// condition "a if b else c" is read only where a tag has no if of its own.
func (p *parser) tuple(conditional bool) (expr, error) {
	read := p.expression
	if !conditional {
		read = p.or
	}
	first, err := read()
	if err != nil || !p.isOp(",") {
		return first, err
	}
	list := []expr{first}
	for p.skipOp(",") && !p.tupleEnds() {
		x, err := read()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return func(s *scope) (any, error) {
		values, err := evaluate(s, list)
		return tuple(values), err
	}, nil
}

func (p *parser) tupleEnds() bool {
	switch p.peek().kind {
	case tokVariableEnd, tokBlockEnd:
		return true
	}
	return p.isOp(")") || p.isName("recursive")
}

func evaluate(s *scope, list []expr) ([]any, error) {
	values := make([]any, len(list))
	for i, x := range list {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// expression reads "a if b else c" and everything that binds tighter.
func (p *parser) expression() (expr, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.or()
	for err == nil && p.skipName("if") {
		x, err = p.conditional(x)
	}
	return x, err
}

func (p *parser) conditional(yes expr) (expr, error) {
	test, err := p.or()
	if err != nil {
		return nil, err
	}
	no := func(*scope) (any, error) {
		return undefined{message: "the condition is false, and there is no else", lenient: true}, nil
	}
	if p.skipName("else") {
		if no, err = p.expression(); err != nil {
			return nil, err
		}
	}
	return func(s *scope) (any, error) {
		v, err := test(s)
		if err != nil {
			return nil, err
		}
		ok, err := truth(v)
		switch {
		case err != nil:
			return nil, err
		case ok:
			return yes(s)
		}
		return no(s)
	}, nil
}

func (p *parser) or() (expr, error)  { return p.logic("or", p.and, true) }
func (p *parser) and() (expr, error) { return p.logic("and", p.not, false) }

// logic reads a chain of and or of or, which give the value that decided.
func (p *parser) logic(word string, operand func() (expr, error), decides bool) (expr, error) {
	left, err := operand()
	for err == nil && p.skipName(word) {
		var right expr
		if right, err = operand(); err != nil {
			return nil, err
		}
		first := left
		left = func(s *scope) (any, error) {
			v, err := first(s)
			if err != nil {
				return nil, err
			}
			yes, err := truth(v)
			if err != nil || yes == decides {
				return v, err
			}
			return right(s)
		}
	}
	return left, err
}

func (p *parser) not() (expr, error) {
	if !p.skipName("not") {
		return p.compare()
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.not()
	return negate(x), err
}

func negate(x expr) expr {
	return func(s *scope) (any, error) {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		yes, err := truth(v)
		return !yes, err
	}
}

// comparison is one link of a chain such as 0 < x <= 3.
type comparison struct {
	op    string
	right expr
}

func (p *parser) compare() (expr, error) {
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	var chain []comparison
	for {
		op := p.comparator()
		if op == "" {
			break
		}
		right, err := p.sum()
		if err != nil {
			return nil, err
		}
		chain = append(chain, comparison{op, right})
	}
	if chain == nil {
		return left, nil
	}
	return func(s *scope) (any, error) {
		a, err := left(s)
		for _, c := range chain {
			if err != nil {
				return nil, err
			}
			b, err := c.right(s)
			if err != nil {
				return nil, err
			}
			if err := s.run.search(a, b); err != nil {
				return nil, err
			}
			yes, err := compare(c.op, a, b)
			if err != nil || !yes {
				return false, err
			}
			a = b
		}
		return true, err
	}, nil
}

func (p *parser) comparator() string {
	t := p.peek()
	switch {
	case p.isOp("==", "!=", "<", "<=", ">", ">="), p.isName("in"):
		p.advance()
		return t.text
	case p.isName("not") && p.tokens[p.pos+1].text == "in" && p.tokens[p.pos+1].kind == tokName:
		p.pos += 2
		return "not in"
	}
	return ""
}

func (p *parser) sum() (expr, error)     { return p.binary(p.concat, "+", "-") }
func (p *parser) product() (expr, error) { return p.binary(p.power, "*", "/", "//", "%") }
func (p *parser) power() (expr, error)   { return p.binary(p.filtered, "**") }

func (p *parser) binary(operand func() (expr, error), ops ...string) (expr, error) {
	left, err := operand()
	for err == nil && p.isOp(ops...) {
		op, a := p.advance().text, left
		b, rightErr := operand()
		err = rightErr
		left = func(s *scope) (any, error) {
			values, err := evaluate(s, []expr{a, b})
			if err != nil {
				return nil, err
			}
			return arithmetic(s.run, op, values[0], values[1])
		}
	}
	return left, err
}

func (p *parser) concat() (expr, error) {
	first, err := p.product()
	if err != nil || !p.isOp("~") {
		return first, err
	}
	parts := []expr{first}
	for p.skipOp("~") {
		x, err := p.product()
		if err != nil {
			return nil, err
		}
		parts = append(parts, x)
	}
	return func(s *scope) (any, error) {
		values, err := evaluate(s, parts)
		if err != nil {
			return nil, err
		}
		joined := ""
		for _, v := range values {
			if _, ok := v.(markup); ok {
				return nil, unsupportedf("joining text that was marked as safe by ~ is not supported")
			}
			text, err := str(v)
			if err != nil {
				return nil, err
			}
			joined += text
		}
		return joined, s.run.grow(len(joined))
	}, nil
}

// filtered reads a value with its sign, and its filters and tests.
func (p *parser) filtered() (expr, error) {
	x, err := p.signed()
	if err != nil {
		return nil, err
	}
	return p.filters(x)
}

func (p *parser) signed() (expr, error) {
	if !p.isOp("-", "+") {
		x, err := p.primary()
		if err != nil {
			return nil, err
		}
		return p.postfix(x)
	}
	op := p.advance().text
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.signed()
	if err != nil {
		return nil, err
	}
	return p.postfix(func(s *scope) (any, error) {
		v, err := x(s)
		if err != nil {
			return nil, err
		}
		if f, ok := v.(float64); ok && op == "-" {
			return -f, nil
		}
		return arithmetic(s.run, op, int64(0), v)
	})
}

func constant(v any) expr { return func(*scope) (any, error) { return v, nil } }

func (p *parser) primary() (expr, error) {
	switch t := p.peek(); t.kind {
	case tokName:
		p.advance()
		return p.word(t.text), nil
	case tokString:
		text := ""
		for p.peek().kind == tokString {
			text += p.advance().text
		}
		return constant(text), nil
	case tokInteger:
		p.advance()
		n, err := strconv.ParseInt(t.text, 0, 64)
		if err != nil {
			return nil, unsupportedf("the number %s is larger than 64 bits", t.text)
		}
		return constant(n), nil
	case tokFloat:
		p.advance()
		f, err := strconv.ParseFloat(t.text, 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, faultf("the number %s cannot be read", t.text)
		}
		return constant(f), nil
	}
	switch {
	case p.skipOp("("):
		return p.parentheses()
	case p.skipOp("["):
		parts, err := p.list("]")
		return func(s *scope) (any, error) {
			values, err := evaluate(s, parts)
			return &list{values}, err
		}, err
	case p.skipOp("{"):
		return p.dict()
	}
	return nil, faultf("unexpected %s", p.found())
}

func (p *parser) word(name string) expr {
	switch name {
	case "true", "True":
		return constant(true)
	case "false", "False":
		return constant(false)
	case "none", "None":
		return constant(nil)
	}
	return func(s *scope) (any, error) { return s.lookup(name), nil }
}

func (p *parser) parentheses() (expr, error) {
	if p.skipOp(")") {
		return constant(tuple{}), nil
	}
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.tuple(true)
	if err != nil {
		return nil, err
	}
	return x, p.expectOp(")")
}

// list reads expressions with commas between them, and the bracket behind.
func (p *parser) list(end string) ([]expr, error) {
	var list []expr
	for !p.skipOp(end) {
		if len(list) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, err
			}
			if p.skipOp(end) {
				break
			}
		}
		x, err := p.expression()
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func (p *parser) dict() (expr, error) {
	var keys, values []expr
	for !p.skipOp("}") {
		if len(keys) > 0 {
			if err := p.expectOp(","); err != nil {
				return nil, err
			}
			if p.skipOp("}") {
				break
			}
		}
		k, err := p.expression()
		if err != nil {
			return nil, err
		}
		if err := p.expectOp(":"); err != nil {
			return nil, err
		}
		v, err := p.expression()
		if err != nil {
			return nil, err
		}
		keys, values = append(keys, k), append(values, v)
	}
	return func(s *scope) (any, error) {
		d := &dict{}
		for i := range keys {
			pair, err := evaluate(s, []expr{keys[i], values[i]})
			if err != nil {
				return nil, err
			}
			if err := d.put(pair[0], pair[1]); err != nil {
				return nil, err
			}
		}
		return d, nil
	}, nil
}
