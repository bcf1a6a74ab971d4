package jinja

import (
	"slices"
	"strings"
)

// compare is a comparison as Python makes it: values of different types are
// never equal (numbers and bools are alike) and have no order.
func compare(r *run, op string, a, b any) bool {
	switch op {
	case "==", "!=":
		return equal(r, a, b, 0) == (op == "==")
	case "in", "not in":
		return contains(r, b, a) == (op == "in")
	}
	c := order(r, a, b) // the operators left are < > <= >=
	return c < 0 && op[0] == '<' || c > 0 && op[0] == '>' || c == 0 && len(op) == 2
}

// number returns the value of a number or bool.
func number(v any) (n int64, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			n = 1
		}
		return n, true
	case int64:
		return v, true
	}
	return 0, false
}

// isNumber reports whether a value is an int, a bool or a float.
func isNumber(v any) bool {
	_, ok := number(v)
	return ok || isA[float64](v)
}

// checkComparable refuses what Python compares in other ways.
func checkComparable(v any) {
	defined(v)
	if v != nil && !isNumber(v) && !isA[string](v) && !isA[*object](v) && !isKind(v, aList, aTuple) {
		refuse("comparing %s is not supported", describe(v))
	}
}

// equal charges a step for every pair that it compares, and for their text.
func equal(r *run, a, b any, depth int) bool {
	r.step(1)
	checkComparable(a)
	checkComparable(b)
	if depth > maxNested {
		fail("values are nested deeper than %d levels", maxNested)
	}
	if isNumber(a) {
		c, ok := compareNumbers(a, b)
		return ok && c == 0
	}
	switch x := a.(type) {
	case nil:
		return b == nil
	case string:
		y, ok := b.(string)
		r.step(min(len(x), len(y)) / 64)
		return ok && x == y
	case *list:
		y, ok := b.(*list)
		if !ok || x.kind != y.kind || len(x.items) != len(y.items) {
			return false
		}
		for i := range x.items {
			if !equal(r, x.items[i], y.items[i], depth+1) {
				return false
			}
		}
		return true
	case *object:
		y, ok := b.(*object)
		return ok && equalDicts(r, x, y, depth)
	}
	return false
}

// order compares two numbers or texts.
func order(r *run, a, b any) int {
	r.step(1)
	checkComparable(a)
	checkComparable(b)
	c, numbers := compareNumbers(a, b)
	x, textA := a.(string)
	y, textB := b.(string)
	switch {
	case numbers:
		return c
	case textA && textB:
		r.step(min(len(x), len(y)) / 64)
		return strings.Compare(x, y)
	case isA[*list](a) && isA[*list](b):
		refuse("the order of lists is not supported")
	}
	fail("%s and %s have no order", describe(a), describe(b))
	return 0
}

func contains(r *run, in, v any) bool {
	checkComparable(v)
	text, ok := in.(string)
	if !ok {
		if isKind(in, aGenerator) {
			refuse("looking for an item of a generator is not supported (add |list after it)")
		}
		if isA[*object](in) && (isA[*object](v) || isKind(v, aList)) {
			fail("%s cannot be a key of a dict", describe(v))
		}
		for _, item := range items(r, in) {
			if equal(r, item, v, 0) {
				return true
			}
		}
		return false
	}
	part, ok := v.(string)
	if !ok {
		fail("only text can be in a string, not %s", describe(v))
	}
	r.step((len(text) + len(part)) / 64)
	return strings.Contains(text, part)
}

// tests are those that prompts use.
func tests() map[string]builtin {
	table := map[string]builtin{
		"defined":   asked(func(v any) bool { return !isA[undefined](v) }),
		"undefined": asked(isA[undefined]),
		"none":      asked(func(v any) bool { return v == nil }),
		"true":      asked(func(v any) bool { b, ok := v.(bool); return ok && b }),
		"false":     asked(func(v any) bool { b, ok := v.(bool); return ok && !b }),
		"boolean":   asked(isA[bool]),
		"float":     asked(isA[float64]),
		"integer":   asked(isA[int64]),
		"string":    asked(func(v any) bool { return isA[string](v) || isA[markup](v) }),
		"number":    asked(isNumber),
		"mapping":   asked(isA[*object]),
		"sequence": asked(func(v any) bool {
			return isA[string](v) || isA[markup](v) || isA[*object](v) || isKind(v, aList, aTuple, aRange)
		}),
		"iterable": asked(func(v any) bool {
			defined(v)
			return isA[string](v) || isA[markup](v) || isA[*object](v) || isA[*list](v) || isA[*loop](v)
		}),
		"even": {func(r *run, v any, _ []any) any { return equal(r, arithmetic(r, "%", v, int64(2)), int64(0), 0) }, nil},
		"odd":  {func(r *run, v any, _ []any) any { return equal(r, arithmetic(r, "%", v, int64(2)), int64(1), 0) }, nil},
		"in":   comparing("in"),
	}
	for op, names := range map[string][]string{
		"==": {"==", "eq", "equalto"}, "!=": {"!=", "ne"}, "<": {"<", "lt", "lessthan"}, "<=": {"<=", "le"},
		">": {">", "gt", "greaterthan"}, ">=": {">=", "ge"},
	} {
		for _, name := range names {
			table[name] = comparing(op)
		}
	}
	return table
}

// asked makes a test of a question about the value alone.
func asked(question func(any) bool) builtin {
	return builtin{func(_ *run, v any, _ []any) any { return question(v) }, nil}
}

func comparing(op string) builtin {
	return builtin{func(r *run, v any, a []any) any { return compare(r, op, v, a[0]) }, []param{{"", required{}}}}
}

func isA[T any](v any) bool {
	_, ok := v.(T)
	return ok
}

func isKind(v any, kinds ...kind) bool {
	l, ok := v.(*list)
	return ok && slices.Contains(kinds, l.kind)
}
