package jinja

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// floats computes with two numbers as Python does where one is a float.
func floats(op string, a, b float64) float64 {
	if b == 0 && (op == "/" || op == "//" || op == "%") {
		fail("division by zero")
	}
	switch op {
	case "+":
		return finite(a + b)
	case "-":
		return finite(a - b)
	case "*":
		return finite(a * b)
	case "/":
		return finite(a / b)
	}
	quotient, rest := divided(a, b)
	if op == "%" {
		return rest
	}
	return finite(quotient)
}

// divided is Python's divmod: the remainder has the sign of the divisor.
func divided(a, b float64) (quotient, rest float64) {
	rest = math.Mod(a, b)
	quotient = (a - rest) / b
	switch {
	case rest == 0:
		rest = math.Copysign(0, b)
	case (b < 0) != (rest < 0):
		rest += b
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, a/b), rest
	}
	whole := math.Floor(quotient)
	if quotient-whole > 0.5 {
		whole++
	}
	return whole, rest
}

func finite(f float64) float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		refuse("a float beyond the largest number is not supported")
	}
	return f
}

// fraction returns a number as a float.
func fraction(v any) (f float64, ok bool) {
	if f, ok := v.(float64); ok {
		return f, true
	}
	n, ok := number(v)
	if max(n, -n) > 1<<53 {
		refuse("a float computed from %d is not supported: it is larger than 2^53", n)
	}
	return float64(n), ok
}

// compareNumbers compares two numbers by their exact values. ok is false unless both
// are numbers.
func compareNumbers(a, b any) (c int, ok bool) {
	x, y := exact(a), exact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

func exact(v any) *big.Float {
	if f, ok := v.(float64); ok {
		return big.NewFloat(f)
	}
	if n, ok := number(v); ok {
		return new(big.Float).SetInt64(n)
	}
	return nil
}

// floatText is Python's repr() of a float.
func floatText(f float64) string {
	const lowest, highest = -4, 16 // exponents between them are not written
	short := strconv.FormatFloat(f, 'e', -1, 64)
	_, exponent, _ := strings.Cut(short, "e")
	if n, err := strconv.Atoi(exponent); err != nil || n < lowest || n >= highest {
		return short
	}
	plain := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(plain, ".") {
		plain += ".0"
	}
	return plain
}

// parseFloat reads a float of a template or a document.
func parseFloat(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		refuse("the number %.100s is not supported", text)
	}
	return f
}

func floatFilter(r *run, v any, _ []any) any {
	if f, ok := fraction(v); ok {
		return f
	}
	if s, ok := v.(string); ok {
		r.step(len(s))
		return parsedText(s)
	}
	defined(v)
	refuse("reading a float from %s is not supported", describe(v))
	return nil
}

// parsedText reads the decimal spelling of a float.
func parsedText(s string) float64 {
	s = strings.TrimFunc(s, space)
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "+-.eE0123456789") != "" {
		refuse("text that is not a number is not supported")
	}
	return f
}

// roundFilter is the filter round; its arguments are the digits and the method.
func roundFilter(_ *run, v any, a []any) any {
	digits, method := argument[int64](a[0]), argument[string](a[1])
	const most = 300
	if digits < 0 || digits > most {
		refuse("rounding to %d digits is not supported", digits)
	}
	if isA[int64](v) && method == "common" {
		return v
	}
	f, ok := fraction(v)
	if defined(v); !ok || isA[bool](v) {
		fail("needs a number, not %s", describe(v))
	}
	scale := math.Pow10(int(digits))
	switch method {
	case "common":
		return parseFloat(strconv.FormatFloat(f, 'f', int(digits), 64))
	case "ceil":
		return zero(math.Ceil(finite(f*scale)) / scale)
	case "floor":
		return zero(math.Floor(finite(f*scale)) / scale)
	}
	fail("the method must be common, ceil or floor")
	return nil
}

// zero drops the sign of a zero, as whole numbers have none in Python.
func zero(f float64) float64 { return f + 0 }
