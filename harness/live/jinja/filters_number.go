package jinja

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	wholeText   = regexp.MustCompile(`^[+-]?[0-9]+$`)
	decimalText = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$`)
	pythonOnly  = regexp.MustCompile(`(?i)^[+-]?(inf|infinity|nan|[0-9_.e+-]*_[0-9_.e+-]*)$`)
)

// wholeNumber reads what stands in dotted paths for a place.
func wholeNumber(s string) (int64, bool) {
	if strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) >= 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil
}

// parseNumber reads text as Python's int() and float() do; ok is false where
// these refuse it.
func parseNumber(s string) (v any, ok bool, err error) {
	s = strings.TrimFunc(s, space)
	switch {
	case wholeText.MatchString(s):
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return nil, true, unsupportedf("the number %s is larger than 64 bits", s)
		}
		return n, true, nil
	case decimalText.MatchString(s):
		f, _ := strconv.ParseFloat(s, 64)
		return f, true, nil
	case pythonOnly.MatchString(s):
		return nil, true, unsupportedf("the number %q is not supported", s)
	}
	for _, r := range s {
		if r > 0x7f {
			return nil, true, unsupportedf("a number in other than ASCII digits is not supported")
		}
	}
	return nil, false, nil
}

func intFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "default")
	if err != nil {
		return nil, err
	}
	return convert(v, given, int64(0), func(x any) (any, error) {
		f, i, whole, _ := number(x)
		switch {
		case whole:
			return i, nil
		case math.Abs(f) >= 1<<62:
			return nil, unsupportedf("a number beyond 64 bits")
		}
		return int64(f), nil
	})
}

func floatFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "default")
	if err != nil {
		return nil, err
	}
	return convert(v, given, float64(0), func(x any) (any, error) {
		f, _, _, _ := number(x)
		return f, nil
	})
}

// convert turns a number, or text that reads as one, into another; anything
// else gives the default.
func convert(v any, given map[string]any, otherwise any, to func(any) (any, error)) (any, error) {
	if d, ok := given["default"]; ok {
		otherwise = d
	}
	switch x := v.(type) {
	case undefined:
		return nil, faultf("%s", x.message)
	case markup:
		return nil, unsupportedf("numbers of text that was marked as safe are not supported")
	case string:
		parsed, ok, err := parseNumber(x)
		if err != nil || !ok {
			return otherwise, err
		}
		v = parsed
	}
	if _, _, _, ok := number(v); !ok {
		return otherwise, nil
	}
	return to(v)
}

func abs(r *run, v any, a args) (any, error) {
	if _, err := bind(a); err != nil {
		return nil, err
	}
	f, i, whole, ok := number(v)
	switch {
	case !ok:
		return nil, faultf("needs a number, not %s", describe(v))
	case whole && i < 0:
		return integers("-", 0, i)
	case whole:
		return i, nil
	}
	return math.Abs(f), nil
}

// round is Python's: halves go to the even neighbour, decimals are those of the
// exact binary value, and whole numbers stay whole.
func round(r *run, v any, a args) (any, error) {
	given, err := bind(a, "precision", "method")
	if err != nil {
		return nil, err
	}
	precision, err := option(given, "precision", int64(0))
	if err != nil {
		return nil, err
	}
	how, err := option(given, "method", "common")
	if err != nil {
		return nil, err
	}
	f, i, whole, ok := number(v)
	switch {
	case !ok:
		return nil, faultf("needs a number, not %s", describe(v))
	case precision < 0 || precision > 15:
		return nil, unsupportedf("a precision below 0 or above 15 is not supported")
	case how == "common" && whole:
		return i, nil
	case how == "common":
		f, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(precision), 64), 64)
		return f, err
	}
	scale := math.Pow10(int(precision))
	switch how {
	case "ceil":
		return math.Ceil(f*scale) / scale, nil
	case "floor":
		return math.Floor(f*scale) / scale, nil
	}
	return nil, faultf("the method is common, ceil or floor")
}
