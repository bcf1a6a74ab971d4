package jinja

import (
	"strconv"
	"strings"
)

// tuple reads expressions with commas between them: one alone, or a tuple. The
// condition "a if b else c" is read only where a tag has no if of its own.
func (p *parser) tuple(conditional bool) expr {
	read := p.expression
	if !conditional {
		read = p.or
	}
	t := p.peek()
	first := read()
	if !p.is(",") {
		return first
	}
	parts := []expr{first}
	for p.skip(",") {
		if k := p.peek().kind; k == tokVariableEnd || k == tokBlockEnd || p.is(")", "recursive") {
			break
		}
		parts = append(parts, read())
	}
	return node(t, func(s *scope) any { return &list{kind: aTuple, items: evaluate(s, parts)} })
}

func evaluate(s *scope, parts []expr) []any {
	values := s.run.newList(len(parts))
	for _, x := range parts {
		values = append(values, x(s))
	}
	return values
}

// expression reads "a if b else c" and everything that binds tighter.
func (p *parser) expression() expr {
	defer p.leave(p.enter())
	x := p.or()
	for p.is("if") {
		p.enter()
		x = p.conditional(x)
	}
	return x
}

func (p *parser) conditional(yes expr) expr {
	t := p.advance()
	test := p.or()
	no := func(*scope) any { return undefined{lenient: true} }
	if p.skip("else") {
		no = p.expression()
	}
	return node(t, func(s *scope) any {
		if truth(test(s)) {
			return yes(s)
		}
		return no(s)
	})
}

// levels are the operators between two operands, from those that bind least.
// The precedence of comparisons is between "and" and "+".
func levels() [][]string {
	return [][]string{{"or"}, {"and"}, {"+", "-"}, {"~"}, {"*", "/", "//", "%"}}
}

const arithmeticLevel = 2

func (p *parser) or() expr { return p.binary(0) }

// binary reads a chain of operators of a level.
func (p *parser) binary(level int) expr {
	if level == len(p.levels) {
		return p.filtered()
	}
	operand := func() expr { return p.binary(level + 1) }
	if level == arithmeticLevel-1 {
		operand = p.not
	}
	defer p.leave(p.depth)
	left := operand()
	for p.is(p.levels[level]...) {
		p.enter()
		t, a := p.advance(), left
		right := operand()
		left = node(t, func(s *scope) any { return operate(s, t.text, a(s), right) })
	}
	if p.is("**") {
		refuse("the operator ** is not supported")
	}
	return left
}

// operate gives x op right; "or" and "and" give the value that decided.
func operate(s *scope, op string, x any, right expr) any {
	switch op {
	case "or", "and":
		if truth(x) == (op == "or") {
			return x
		}
		return right(s)
	case "~":
		b := &builder{run: s.run}
		b.add(s.run.text(x))
		b.add(s.run.text(right(s)))
		return b.String()
	}
	return arithmetic(s.run, op, x, right(s))
}

func (p *parser) not() expr {
	if !p.is("not") {
		return p.compare()
	}
	defer p.leave(p.enter())
	t := p.advance()
	return negated(t, p.not())
}

func negated(t token, x expr) expr { return node(t, func(s *scope) any { return !truth(x(s)) }) }

// comparison is one link of a chain such as 0 < x <= 3.
type comparison struct {
	op    string
	right expr
}

func (p *parser) compare() expr {
	t := p.peek()
	left := p.binary(arithmeticLevel)
	var chain []comparison
	for op := p.comparator(); op != ""; op = p.comparator() {
		chain = append(chain, comparison{op, p.binary(arithmeticLevel)})
	}
	if chain == nil {
		return left
	}
	return node(t, func(s *scope) any {
		a := left(s)
		for _, c := range chain {
			b := c.right(s)
			if !compare(s.run, c.op, a, b) {
				return false
			}
			a = b
		}
		return true
	})
}

func (p *parser) comparator() string {
	if p.is("==", "!=", "<", "<=", ">", ">=", "in") {
		return p.advance().text
	}
	if p.is("not") && p.followedBy("in") {
		p.pos += 2
		return "not in"
	}
	return ""
}

// filtered reads a value with its sign, and its filters and tests.
func (p *parser) filtered() expr {
	defer p.leave(p.depth)
	return p.filtersOf(p.signed())
}

func (p *parser) signed() expr {
	if !p.is("-", "+") {
		return p.postfix(p.primary())
	}
	defer p.leave(p.enter())
	t := p.advance()
	x := p.signed()
	return p.postfix(node(t, func(s *scope) any {
		v := x(s)
		if f, ok := v.(float64); ok && t.text == "-" {
			return -f
		}
		return arithmetic(s.run, t.text, int64(0), v)
	}))
}

func constant(v any) expr { return func(*scope) any { return v } }

func (p *parser) primary() expr {
	switch t := p.peek(); t.kind {
	case tokName:
		return p.word()
	case tokString:
		var text strings.Builder
		for p.peek().kind == tokString {
			text.WriteString(p.advance().text)
		}
		return constant(text.String())
	case tokNumber:
		if strings.ContainsAny(t.text, ".eE") {
			p.pos++
			return constant(parseFloat(t.text))
		}
		n, err := strconv.ParseInt(t.text, 10, 63)
		if err != nil || n != 0 && t.text[0] == '0' {
			refuse("the number %.100s is not supported", t.text)
		}
		p.pos++
		return constant(n)
	}
	t := p.peek()
	switch {
	case p.skip("("):
		if p.skip(")") {
			return constant(&list{kind: aTuple})
		}
		defer p.leave(p.enter())
		x := p.tuple(true)
		p.expect(")")
		return x
	case p.skip("["):
		parts := p.list("]")
		return node(t, func(s *scope) any { return &list{kind: aList, items: evaluate(s, parts)} })
	case p.skip("{"):
		defer p.leave(p.enter())
		return p.dict(t)
	}
	fail("unexpected '%.100s'", p.peek().text)
	return nil
}

func (p *parser) word() expr {
	t := p.peek()
	checkName(t.text)
	p.pos++
	constants := map[string]any{"true": true, "True": true, "false": false, "False": false, "none": nil, "None": nil}
	if v, ok := constants[t.text]; ok {
		return constant(v)
	}
	return node(t, func(s *scope) any { return s.lookup(t.text) })
}

// list reads expressions with commas between them, and the bracket behind.
func (p *parser) list(end string) (parts []expr) {
	for !p.skip(end) {
		if len(parts) > 0 {
			p.expect(",")
			if p.skip(end) {
				break
			}
		}
		parts = append(parts, p.expression())
	}
	return parts
}
