package jinja

import (
	"math"
	"math/big"
	"slices"
	"strings"
)

// arithmetic is a op b as Python computes it.
func arithmetic(r *run, op string, a, b any) (any, error) {
	for _, v := range []any{a, b} {
		switch v := v.(type) {
		case undefined:
			return nil, faultf("%s", v.message)
		case markup:
			return nil, unsupportedf("computing with text that was marked as safe is not supported")
		}
	}
	fa, ia, wholeA, okA := number(a)
	fb, ib, wholeB, okB := number(b)
	switch {
	case okA && okB && wholeA && wholeB:
		return integers(op, ia, ib)
	case okA && okB:
		return floats(op, fa, fb)
	}
	switch op {
	case "+":
		return add(r, a, b)
	case "*":
		if okA && wholeA {
			a, ib, okB, wholeB = b, ia, true, true
		}
		if okB && wholeB {
			return times(r, a, ib)
		}
	case "%":
		if s, ok := a.(string); ok {
			return format(s, argumentsOf(b))
		}
	}
	return nil, faultf("%s %s %s cannot be computed", describe(a), op, describe(b))
}

func argumentsOf(v any) []any {
	if t, ok := v.(tuple); ok {
		return t
	}
	return []any{v}
}

func add(r *run, a, b any) (any, error) {
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return x + y, r.grow(len(x) + len(y))
		}
	case *list:
		if y, ok := b.(*list); ok {
			return &list{slices.Concat(x.items, y.items)}, r.grow(itemSize * (len(x.items) + len(y.items)))
		}
	case tuple:
		if y, ok := b.(tuple); ok {
			return slices.Concat(x, y), r.grow(itemSize * (len(x) + len(y)))
		}
	}
	return nil, faultf("%s + %s cannot be computed", describe(a), describe(b))
}

func times(r *run, v any, n int64) (any, error) {
	n = max(n, 0)
	size := 0
	switch x := v.(type) {
	case string:
		size = len(x)
	case *list:
		size = itemSize * len(x.items)
	case tuple:
		size = itemSize * len(x)
	default:
		return nil, faultf("%s * an int cannot be computed", describe(v))
	}
	if size == 0 {
		n = 0
	}
	if n > maxOutput {
		return nil, faultf("the template makes more than %d MiB of text", maxOutput>>20)
	}
	if err := r.grow(size * int(n)); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case string:
		return strings.Repeat(x, int(n)), nil
	case *list:
		return &list{slices.Repeat(x.items, int(n))}, nil
	default:
		return tuple(slices.Repeat(x.(tuple), int(n))), nil
	}
}

// integers computes with whole numbers: division is true division, and the
// remainder takes the sign of the divisor.
func integers(op string, a, b int64) (any, error) {
	if b == 0 && (op == "/" || op == "//" || op == "%") {
		return nil, faultf("division by zero")
	}
	x, y := big.NewInt(a), big.NewInt(b)
	z := new(big.Int)
	switch op {
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	case "/":
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		if a == 0 && b < 0 {
			f = math.Copysign(0, -1)
		}
		return f, nil
	case "//", "%":
		quotient, rest := new(big.Int).QuoRem(x, y, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() != y.Sign() {
			quotient.Sub(quotient, big.NewInt(1))
			rest.Add(rest, y)
		}
		if z = quotient; op == "%" {
			z = rest
		}
	case "**":
		if b < 0 {
			return floats(op, float64(a), float64(b))
		}
		if b > 64 && a != 0 && a != 1 && a != -1 {
			return nil, unsupportedf("%d ** %d is larger than 64 bits", a, b)
		}
		z.Exp(x, y, nil)
	}
	if !z.IsInt64() {
		return nil, unsupportedf("%d %s %d is larger than 64 bits", a, op, b)
	}
	return z.Int64(), nil
}

func floats(op string, a, b float64) (any, error) {
	if b == 0 && (op == "/" || op == "//" || op == "%") || op == "**" && a == 0 && b < 0 {
		return nil, faultf("division by zero")
	}
	switch op {
	case "+":
		return a + b, nil
	case "-":
		return a - b, nil
	case "*":
		return a * b, nil
	case "/":
		return a / b, nil
	case "//", "%":
		rest := math.Mod(a, b)
		quotient := math.Round((a - rest) / b)
		if rest != 0 && math.Signbit(rest) != math.Signbit(b) {
			rest += b
			quotient--
		}
		if op == "//" {
			return quotient, nil
		}
		if rest == 0 {
			rest = math.Copysign(0, b)
		}
		return rest, nil
	}
	if a < 0 && b != math.Trunc(b) {
		return nil, unsupportedf("complex numbers are not supported")
	}
	return math.Pow(a, b), nil
}
