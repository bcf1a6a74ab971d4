package jinja

import "reflect"

// loop is the variable of that name within a for.
type loop struct {
	items   []any
	index   int // from 0
	depth   int
	changed any // what changed() saw last; nil before
}

func (l *loop) attribute(name string) (any, bool) {
	n, i := int64(len(l.items)), int64(l.index)
	switch name {
	case "index":
		return i + 1, true
	case "index0":
		return i, true
	case "revindex":
		return n - i, true
	case "revindex0":
		return n - i - 1, true
	case "first":
		return i == 0, true
	case "last":
		return i == n-1, true
	case "length":
		return n, true
	case "depth":
		return int64(l.depth), true
	case "depth0":
		return int64(l.depth - 1), true
	case "previtem":
		if i == 0 {
			return undefined{message: "there is no previous item"}, true
		}
		return l.items[i-1], true
	case "nextitem":
		if i == n-1 {
			return undefined{message: "there is no next item"}, true
		}
		return l.items[i+1], true
	case "cycle":
		return function(l.cycle), true
	case "changed":
		return function(l.didChange), true
	}
	return nil, false
}

func (l *loop) cycle(_ *run, a args) (any, error) {
	if len(a.list) == 0 {
		return nil, faultf("loop.cycle needs something to cycle through")
	}
	return a.list[l.index%len(a.list)], nil
}

func (l *loop) didChange(_ *run, a args) (any, error) {
	now := a.list
	if before, ok := l.changed.([]any); ok && reflect.DeepEqual(before, now) {
		return false, nil
	}
	l.changed = now
	return true, nil
}

func (p *parser) forStatement() (stmt, error) {
	to, err := p.target()
	if err != nil {
		return nil, err
	}
	if !p.skipName("in") {
		return nil, faultf("expected 'in', found %s", p.found())
	}
	over, err := p.tuple(false)
	if err != nil {
		return nil, err
	}
	var test expr
	if p.skipName("if") {
		if test, err = p.expression(); err != nil {
			return nil, err
		}
	}
	if p.isName("recursive") {
		return nil, unsupportedf("recursive loops are not supported")
	}
	body, end, err := p.block("else", "endfor")
	if err != nil {
		return nil, err
	}
	var otherwise []stmt
	if end == "else" {
		if otherwise, _, err = p.block("endfor"); err != nil {
			return nil, err
		}
	}
	return func(s *scope) error {
		v, err := over(s)
		if err != nil {
			return err
		}
		list, err := items(s.run, v)
		if err != nil {
			return err
		}
		if test != nil {
			if list, err = chosen(s, list, to, test); err != nil {
				return err
			}
		}
		if len(list) == 0 {
			return all(otherwise, s.child())
		}
		return repeat(s, list, to, body)
	}, nil
}

// chosen are the items that pass the condition of a for.
func chosen(s *scope, list []any, to target, test expr) ([]any, error) {
	var kept []any
	for _, item := range list {
		inner := s.child()
		if err := to.assign(inner, item); err != nil {
			return nil, err
		}
		v, err := test(inner)
		if err != nil {
			return nil, err
		}
		yes, err := truth(v)
		if err != nil {
			return nil, err
		}
		if yes {
			kept = append(kept, item)
		}
	}
	return kept, nil
}

func repeat(s *scope, list []any, to target, body []stmt) error {
	l := &loop{items: list, depth: 1}
	for i, item := range list {
		l.index = i
		inner := s.child()
		inner.vars["loop"] = l
		if err := to.assign(inner, item); err != nil {
			return err
		}
		if err := s.run.step(); err != nil {
			return err
		}
		if err := all(body, inner); err != nil {
			return err
		}
	}
	return nil
}
