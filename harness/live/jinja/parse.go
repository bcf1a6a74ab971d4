package jinja

import (
	"slices"
	"strings"
)

// parser turns tokens into functions that render. Statements are in statement.go,
// expressions in expression.go and postfix.go.
type parser struct {
	source  string
	tokens  []token
	pos     int
	place   *place
	levels  [][]string
	depth   int
	filters map[string]builtin
	tests   map[string]builtin
	methods map[string]builtin
}

func (p *parser) peek() token {
	t := p.tokens[p.pos]
	p.place.at = t.at
	return t
}

func (p *parser) advance() token {
	t := p.peek()
	p.pos++
	return t
}

// is reports whether the next token is an operator or a name that reads so.
func (p *parser) is(texts ...string) bool {
	t := p.peek()
	return (t.kind == tokOperator || t.kind == tokName) && slices.Contains(texts, t.text)
}

// followedBy is like is, for the token behind the next one, which is not the end.
func (p *parser) followedBy(text string) bool {
	t := p.tokens[p.pos+1]
	return (t.kind == tokOperator || t.kind == tokName) && t.text == text
}

func (p *parser) skip(text string) bool {
	if p.is(text) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expect(text string) {
	if !p.skip(text) {
		fail("expected '%s', found '%.100s'", text, p.peek().text)
	}
}

func (p *parser) name() string {
	if p.peek().kind != tokName {
		fail("expected a name, found '%.100s'", p.peek().text)
	}
	return p.advance().text
}

// enter guards against nesting that would exhaust the stack. It is undone by
// p.leave(p.enter()) when a function ends, however often it entered meanwhile.
func (p *parser) enter() (before int) {
	if p.depth++; p.depth > maxNested {
		fail("brackets or tags are nested deeper than %d levels", maxNested)
	}
	return p.depth - 1
}

func (p *parser) leave(before int) { p.depth = before }

// node makes an expression of a function: it counts, and its faults have the
// place of a token, unless one within has its own.
func node(t token, f expr) expr {
	return func(s *scope) any {
		r := s.run
		r.step(1)
		if r.depth++; r.depth > maxDepth {
			fail("expressions or macros are nested deeper than %d levels", maxDepth)
		}
		before := r.at
		r.at = t.at
		v := f(s)
		r.at = before
		r.depth--
		return v
	}
}

// placed is node for statements.
func placed(t token, st stmt) stmt {
	x := node(t, func(s *scope) any {
		st(s)
		return nil
	})
	return func(s *scope) { x(s) }
}

// body reads statements up to one of the tags that may end them, or to the end of the
// template. The next token is then the name of the tag.
func (p *parser) body(ends ...string) []stmt {
	defer p.leave(p.enter())
	var body []stmt
	for {
		t := p.advance()
		switch t.kind {
		case tokEOF:
			if len(ends) > 0 {
				fail("the template ends before {%% %s %%}", ends[len(ends)-1])
			}
			return body
		case tokData:
			body = append(body, func(s *scope) {
				s.run.step(1)
				s.run.out.add(t.text)
			})
			continue
		case tokVariableBegin:
			x := p.tuple(true)
			p.endTag(tokVariableEnd)
			body = append(body, placed(t, func(s *scope) { s.run.out.print(x(s)) }))
		case tokBlockBegin:
			if n := p.peek(); n.kind == tokName && slices.Contains(ends, n.text) {
				return body
			}
			body = append(body, placed(t, p.statement(ends)))
		}
	}
}

// block reads the rest of a tag and the statements behind it, up to the tag
// that ends them, whose name it consumes.
func (p *parser) block(ends ...string) (body []stmt, end string) {
	p.endTag(tokBlockEnd)
	body = p.body(ends...)
	return body, p.advance().text
}

func (p *parser) endTag(end tokenKind) {
	if p.peek().kind != end {
		fail("expected the end of the tag, found '%.100s'", p.peek().text)
	}
	p.pos++
}

func (p *parser) statement(ends []string) stmt {
	readers := map[string]func() stmt{
		"if": p.ifStatement, "for": p.forStatement, "set": p.setStatement,
		"macro": p.macroStatement, "with": p.withStatement, "include": p.includeStatement,
	}
	refused := []string{"import", "from", "extends", "block", "call", "filter", "autoescape"}
	tag := p.name()
	read, ok := readers[tag]
	switch {
	case slices.Contains(refused, tag):
		refuse("the tag {%% %s %%} is not supported", tag)
	case !ok && len(ends) > 0:
		fail("unexpected tag '%.100s' (expected %s)", tag, strings.Join(ends, " or "))
	case !ok:
		fail("unknown tag '%.100s'", tag)
	}
	st := read()
	p.endTag(tokBlockEnd)
	return st
}
