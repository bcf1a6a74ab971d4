package jinja

import (
	"slices"
	"strings"
)

// parser turns tokens into functions that render. Statements stand in this
// file and in statement.go, expressions in expression.go.
type parser struct {
	name   string
	tokens []token
	pos    int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.pos] }

func (p *parser) advance() token {
	t := p.tokens[p.pos]
	if t.kind != tokEOF {
		p.pos++
	}
	return t
}

func (p *parser) isName(name string) bool {
	t := p.peek()
	return t.kind == tokName && t.text == name
}

func (p *parser) isOp(ops ...string) bool {
	t := p.peek()
	return t.kind == tokOperator && slices.Contains(ops, t.text)
}

func (p *parser) skipName(name string) bool {
	if p.isName(name) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) skipOp(op string) bool {
	if p.isOp(op) {
		p.pos++
		return true
	}
	return false
}

func (p *parser) expectOp(op string) error {
	if p.skipOp(op) {
		return nil
	}
	return faultf("expected %q, found %s", op, p.found())
}

func (p *parser) expectName() (string, error) {
	if t := p.peek(); t.kind == tokName {
		p.pos++
		return t.text, nil
	}
	return "", faultf("expected a name, found %s", p.found())
}

func (p *parser) found() string {
	switch t := p.peek(); t.kind {
	case tokEOF:
		return "the end of the template"
	case tokVariableEnd, tokBlockEnd:
		return "the end of the tag"
	case tokString:
		return "a string"
	default:
		return "'" + t.text + "'"
	}
}

// enter guards against nesting that would exhaust the stack.
func (p *parser) enter() error {
	if p.depth++; p.depth > maxNested {
		return faultf("brackets or tags are nested more than %d deep", maxNested)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

// body reads statements up to one of the tags that may end them, or to the end
// of the template. It stands then at the name of the tag.
func (p *parser) body(ends ...string) ([]stmt, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var list []stmt
	for {
		t := p.advance()
		switch t.kind {
		case tokEOF:
			if len(ends) > 0 {
				return nil, faultf("the template ends where {%% %s %%} is missing", ends[len(ends)-1])
			}
			return list, nil
		case tokData:
			list = append(list, func(s *scope) error { return s.run.write(t.text) })
		case tokVariableBegin:
			st, err := p.output(t.line)
			if err != nil {
				return nil, err
			}
			list = append(list, st)
		case tokBlockBegin:
			if n := p.peek(); n.kind == tokName && slices.Contains(ends, n.text) {
				return list, nil
			}
			st, err := p.statement(ends)
			if err != nil {
				return nil, err
			}
			list = append(list, st)
		default:
			return nil, faultf("unexpected '%s'", t.text)
		}
	}
}

// block reads the rest of a tag and the statements behind it, up to the tag
// that ends them, whose name it consumes.
func (p *parser) block(ends ...string) (body []stmt, end string, err error) {
	if err := p.endTag(); err != nil {
		return nil, "", err
	}
	body, err = p.body(ends...)
	if err != nil {
		return nil, "", err
	}
	return body, p.advance().text, nil
}

func (p *parser) endTag() error {
	if p.advance().kind != tokBlockEnd {
		p.pos--
		return faultf("expected the end of the tag, found %s", p.found())
	}
	return nil
}

func (p *parser) output(line int) (stmt, error) {
	x, err := p.tuple(true)
	if err != nil {
		return nil, err
	}
	if p.advance().kind != tokVariableEnd {
		p.pos--
		return nil, faultf("expected }}, found %s", p.found())
	}
	return p.placed(line, func(s *scope) error {
		v, err := x(s)
		if err != nil {
			return err
		}
		text, err := str(v)
		if err != nil {
			return err
		}
		return s.run.write(text)
	}), nil
}

// placed gives the errors of a statement its line.
func (p *parser) placed(line int, st stmt) stmt {
	return func(s *scope) error { return at(st(s), p.name, line) }
}

func (p *parser) statement(ends []string) (stmt, error) {
	line := p.peek().line
	tag, err := p.expectName()
	if err != nil {
		return nil, err
	}
	readers := map[string]func() (stmt, error){
		"if": p.ifStatement, "for": p.forStatement, "set": p.setStatement, "macro": p.macroStatement,
		"call": p.callStatement, "filter": p.filterStatement, "with": p.withStatement, "include": p.includeStatement,
	}
	read, ok := readers[tag]
	if !ok {
		return nil, p.unknownTag(tag, ends)
	}
	st, err := read()
	if err != nil {
		return nil, err
	}
	if tag != "set" || p.tokens[p.pos-1].kind != tokBlockEnd {
		if err := p.endTag(); err != nil {
			return nil, err
		}
	}
	return p.placed(line, st), nil
}

func (p *parser) unknownTag(tag string, ends []string) error {
	switch tag {
	case "extends", "block", "import", "from", "autoescape", "do", "break", "continue", "trans", "debug":
		return unsupportedf("the tag {%% %s %%} is not supported", tag)
	}
	if len(ends) > 0 {
		return faultf("unexpected tag '%s' (expected %s)", tag, strings.Join(ends, " or "))
	}
	return faultf("unknown tag '%s'", tag)
}
