package jinja

import "slices"

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
