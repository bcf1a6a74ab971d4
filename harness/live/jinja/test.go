package jinja

import (
	"strings"
	"unicode"
)

type test func(v any, a args) (bool, error)

// asked makes a test of a question about the value alone. What is undefined
// cannot be asked about.
func asked(question func(any) bool) test {
	return func(v any, a args) (bool, error) {
		if u, ok := v.(undefined); ok {
			return false, faultf("%s", u.message)
		}
		_, err := need(a, 0, 0)
		return question(v), err
	}
}

func comparing(op string) test {
	return func(v any, a args) (bool, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return false, err
		}
		return compare(op, v, given[0])
	}
}

func isType[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

// cased asks whether a value's text has letters with case, all of one kind.
func cased(wanted, other func(rune) bool) test {
	return func(v any, a args) (bool, error) {
		if _, err := need(a, 0, 0); err != nil {
			return false, err
		}
		s, err := str(v)
		return strings.ContainsFunc(s, wanted) && !strings.ContainsFunc(s, func(r rune) bool { return other(r) || unicode.IsTitle(r) }), err
	}
}

// parity asks whether an int is odd, or not.
func parity(odd bool) test {
	return func(v any, a args) (bool, error) {
		if _, err := need(a, 0, 0); err != nil {
			return false, err
		}
		n, err := remainder(v, 2)
		return (n != 0) == odd, err
	}
}

func remainder(v any, by int64) (int64, error) {
	_, i, whole, ok := number(v)
	if !ok || !whole {
		return 0, faultf("needs an int, not %s", describe(v))
	}
	if by == 0 {
		return 0, faultf("division by zero")
	}
	return i % by, nil
}

var tests = map[string]test{
	"defined":   func(v any, _ args) (bool, error) { return !isType[undefined](v), nil },
	"undefined": func(v any, _ args) (bool, error) { return isType[undefined](v), nil },
	"none":      asked(func(v any) bool { return v == nil }),
	"true":      asked(func(v any) bool { return v == true }),
	"false":     asked(func(v any) bool { return v == false }),
	"boolean":   asked(isType[bool]),
	"integer":   asked(isType[int64]),
	"float":     asked(isType[float64]),
	"string":    asked(func(v any) bool { return isType[string](v) || isType[markup](v) }),
	"number":    asked(func(v any) bool { return isType[int64](v) || isType[float64](v) || isType[bool](v) }),
	"mapping":   asked(isType[*dict]),
	"sequence": asked(func(v any) bool {
		switch v.(type) {
		case string, markup, *list, tuple, *dict, group, span:
			return true
		}
		return false
	}),
	"iterable": asked(func(v any) bool {
		_, ok := sequence(v)
		return ok || isType[*generator](v) || isType[span](v) || isType[markup](v)
	}),
	"lower": cased(unicode.IsLower, unicode.IsUpper),
	"upper": cased(unicode.IsUpper, unicode.IsLower),
	"even":  parity(false),
	"odd":   parity(true),
	"divisibleby": func(v any, a args) (bool, error) {
		given, err := need(a, 1, 1)
		if err != nil {
			return false, err
		}
		by, ok := given[0].(int64)
		if !ok {
			return false, faultf("needs an int, not %s", describe(given[0]))
		}
		n, err := remainder(v, by)
		return n == 0, err
	},
	"in": comparing("in"),
	"eq": comparing("=="), "equalto": comparing("=="), "==": comparing("=="),
	"ne": comparing("!="), "!=": comparing("!="),
	"lt": comparing("<"), "lessthan": comparing("<"), "<": comparing("<"),
	"le": comparing("<="), "<=": comparing("<="),
	"gt": comparing(">"), "greaterthan": comparing(">"), ">": comparing(">"),
	"ge": comparing(">="), ">=": comparing(">="),
}
