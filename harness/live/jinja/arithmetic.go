package jinja

import "strings"

// arithmetic is a op b as Python computes it.
func arithmetic(r *run, op string, a, b any) any {
	defined(a)
	defined(b)
	x, numberA := number(a)
	y, numberB := number(b)
	switch {
	case numberA && numberB && op != "/":
		return integers(op, x, y)
	case isNumber(a) && isNumber(b):
		f, _ := fraction(a)
		g, _ := fraction(b)
		return floats(op, f, g)
	case op == "+":
		return add(r, a, b)
	case op == "*" && numberB:
		return times(r, a, int(y))
	case op == "*" && numberA:
		return times(r, b, int(x))
	case op == "%" && (isA[string](a) || isA[markup](a)):
		refuse("the operator %% on text is not supported")
	}
	fail("%s %s %s cannot be computed", describe(a), op, describe(b))
	return nil
}

func add(r *run, a, b any) any {
	if x, ok := a.(string); ok {
		if y, ok := b.(string); ok {
			r.charge(len(x) + len(y))
			return x + y
		}
	}
	x, ok := a.(*list)
	if y, isList := b.(*list); ok && isList && x.kind == y.kind && x.kind == aList {
		out := r.newList(len(x.items) + len(y.items))
		return &list{kind: aList, items: append(append(out, x.items...), y.items...)}
	}
	if ok || isA[markup](a) || isA[markup](b) {
		refuse("%s + %s is not supported", describe(a), describe(b))
	}
	fail("%s + %s cannot be computed", describe(a), describe(b))
	return nil
}

func times(r *run, v any, n int) any {
	s, ok := v.(string)
	if !ok {
		refuse("%s * an int is not supported", describe(v))
	}
	n = min(max(n, 0), maxBytes+1) // so that no product overflows
	r.charge(len(s) * n)
	return strings.Repeat(s, n)
}

// integers computes with whole numbers: the quotient is rounded down, and the
// remainder takes the sign of the divisor.
func integers(op string, a, b int64) any {
	if (op == "//" || op == "%") && b == 0 {
		fail("division by zero")
	}
	var c int64
	switch op {
	case "+":
		c = a + b
	case "-":
		c = a - b
	case "*":
		if c = a * b; a != 0 && max(b, -b) > largest/max(a, -a) {
			c = largest + 1
		}
	case "//", "%":
		rest := a % b
		if c = a / b; rest != 0 && (rest < 0) != (b < 0) {
			c--
			rest += b
		}
		if op == "%" {
			c = rest
		}
	}
	if max(c, -c) > largest {
		refuse("%d %s %d is not supported: it is larger than 2^62", a, op, b)
	}
	return c
}
