package jinja

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"
)

// compare is a comparison as Python makes it: values of different types are
// never equal (numbers and bools are alike) and have no order.
func compare(op string, a, b any) (bool, error) {
	for _, v := range []any{a, b} {
		switch v := v.(type) {
		case undefined:
			return false, faultf("%s", v.message)
		case markup, *generator, view, *loop, *namespace:
			return false, unsupportedf("comparing %s is not supported", describe(v))
		}
	}
	switch op {
	case "==", "!=":
		same, err := equal(a, b, 0)
		return same == (op == "=="), err
	case "in", "not in":
		in, err := contains(b, a)
		return in == (op == "in"), err
	}
	c, err := order(a, b)
	switch op {
	case "<":
		return c < 0, err
	case "<=":
		return c <= 0, err
	case ">":
		return c > 0, err
	}
	return c >= 0, err
}

// number returns a number or bool as a float and, if it is whole, as an int.
func number(v any) (f float64, i int64, whole, ok bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return 1, 1, true, true
		}
		return 0, 0, true, true
	case int64:
		return float64(v), v, true, true
	case float64:
		return v, 0, false, true
	}
	return 0, 0, false, false
}

// compareNumbers compares exactly, also where an int has no float like it.
func compareNumbers(a, b any) (c int, ok bool, err error) {
	fa, ia, wholeA, okA := number(a)
	fb, ib, wholeB, okB := number(b)
	switch {
	case !okA || !okB:
		return 0, false, nil
	case math.IsNaN(fa) || math.IsNaN(fb):
		return 0, true, unsupportedf("comparing nan is not supported")
	case wholeA && wholeB:
		return cmp.Compare(ia, ib), true, nil
	case math.IsInf(fa, 0) || math.IsInf(fb, 0) || !wholeA && !wholeB:
		return cmp.Compare(fa, fb), true, nil
	}
	exact := func(f float64, i int64, whole bool) *big.Float {
		if whole {
			return new(big.Float).SetInt64(i)
		}
		return big.NewFloat(f)
	}
	return exact(fa, ia, wholeA).Cmp(exact(fb, ib, wholeB)), true, nil
}

func equal(a, b any, depth int) (bool, error) {
	if depth > maxNested {
		return false, faultf("values are nested more than %d deep", maxNested)
	}
	if c, ok, err := compareNumbers(a, b); ok {
		return c == 0, err
	}
	for _, v := range []any{a, b} {
		if u, ok := v.(undefined); ok {
			return false, faultf("%s", u.message)
		}
	}
	switch x := a.(type) {
	case nil:
		return b == nil, nil
	case string:
		return a == b, nil
	case *list:
		if y, ok := b.(*list); ok {
			return equalItems(x.items, y.items, depth)
		}
	case tuple, group:
		switch b.(type) {
		case tuple, group:
			p, _ := sequence(a)
			q, _ := sequence(b)
			return equalItems(p, q, depth)
		}
	case *dict:
		y, ok := b.(*dict)
		if !ok || len(x.keys) != len(y.keys) {
			return false, nil
		}
		for _, k := range x.keys {
			v, ok := y.get(k)
			if !ok {
				return false, nil
			}
			if same, err := equal(x.values[k], v, depth+1); !same || err != nil {
				return false, err
			}
		}
		return true, nil
	case span, function, *macro:
		return false, unsupportedf("comparing %s is not supported", describe(a))
	}
	return false, nil
}

func equalItems(a, b []any, depth int) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	for i := range a {
		if same, err := equal(a[i], b[i], depth+1); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

// order compares two values of like type.
func order(a, b any) (int, error) {
	if c, ok, err := compareNumbers(a, b); ok {
		return c, err
	}
	switch x := a.(type) {
	case string:
		if y, ok := b.(string); ok {
			return strings.Compare(x, y), nil
		}
	case *list:
		if y, ok := b.(*list); ok {
			return orderItems(x.items, y.items)
		}
	case tuple:
		if y, ok := b.(tuple); ok {
			return orderItems(x, y)
		}
	}
	return 0, faultf("%s and %s have no order", describe(a), describe(b))
}

func orderItems(a, b []any) (int, error) {
	for i := range min(len(a), len(b)) {
		same, err := equal(a[i], b[i], 0)
		if err != nil {
			return 0, err
		}
		if !same {
			return order(a[i], b[i])
		}
	}
	return cmp.Compare(len(a), len(b)), nil
}

func contains(in, v any) (bool, error) {
	switch c := in.(type) {
	case string:
		s, ok := v.(string)
		if !ok {
			return false, faultf("only text can be in a str, not %s", describe(v))
		}
		return strings.Contains(c, s), nil
	case *dict:
		k, ok := v.(string)
		if !ok {
			return false, unsupportedf("looking for %s among the keys of a dict is not supported", describe(v))
		}
		return slices.Contains(c.keys, k), nil
	}
	list, ok := sequence(in)
	if s, isSpan := in.(span); isSpan && s.len() <= maxSteps {
		var err error
		if list, err = items(nil, s); err != nil {
			return false, err
		}
		ok = true
	}
	if !ok {
		return false, faultf("%s holds no items", describe(in))
	}
	for _, item := range list {
		if same, err := equal(item, v, 0); same || err != nil {
			return same, err
		}
	}
	return false, nil
}
