package jinja

import (
	"fmt"
	"slices"
)

// Values are nil (None), bool, int64, float64, string, *list, tuple, *dict,
// and these.
type (
	// list is Python's list: assigning it does not copy it.
	list struct{ items []any }

	tuple []any

	// dict keeps its keys, which are text, in the order of insertion.
	dict struct {
		keys   []string
		values map[string]any
	}

	// view is what items(), keys() and values() of a dict give.
	view struct {
		kind  string
		items []any
	}

	// generator is what map, select and their like give. It can be gone
	// through once.
	generator struct{ items []any }

	// span is what range gives.
	span struct{ start, stop, step int64 }

	// group is one group of groupby: a pair with names.
	group struct {
		key  any
		list *list
	}

	// markup is text that counts as escaped.
	markup string

	// undefined stands for what is not there; every use but asking for it is an
	// error with this message. A lenient one, the value of a condition without
	// else, prints as nothing, counts as false and has no items.
	undefined struct {
		message string
		lenient bool
	}

	namespace struct{ dict }

	// function is a built-in function or a bound method.
	function func(*run, args) (any, error)
)

func missing(format string, args ...any) undefined {
	return undefined{message: fmt.Sprintf(format, args...)}
}

func (d *dict) get(key string) (any, bool) {
	v, ok := d.values[key]
	return v, ok
}

func (d *dict) set(key string, v any) {
	if d.values == nil {
		d.values = map[string]any{}
	}
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = v
}

func (d *dict) put(key, v any) error {
	k, ok := key.(string)
	if !ok {
		return unsupportedf("a dict whose keys are not text is not supported")
	}
	d.set(k, v)
	return nil
}

func (d *dict) view(kind string) view {
	w := view{kind: kind}
	for _, k := range d.keys {
		switch kind {
		case "keys":
			w.items = append(w.items, k)
		case "values":
			w.items = append(w.items, d.values[k])
		default:
			w.items = append(w.items, tuple{k, d.values[k]})
		}
	}
	return w
}

func (s span) len() int64 {
	switch {
	case s.step > 0 && s.start < s.stop:
		return (s.stop-s.start-1)/s.step + 1
	case s.step < 0 && s.start > s.stop:
		return (s.start-s.stop-1)/-s.step + 1
	}
	return 0
}

// truth is Python's: empty, zero and None are false.
func truth(v any) (bool, error) {
	switch v := v.(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case float64:
		return v != 0, nil
	case string:
		return v != "", nil
	case markup:
		return v != "", nil
	case undefined:
		if v.lenient {
			return false, nil
		}
		return false, faultf("%s", v.message)
	case span:
		return v.len() > 0, nil
	}
	if items, ok := sequence(v); ok {
		return len(items) > 0, nil
	}
	return true, nil
}

// sequence returns the items of values that have a length.
func sequence(v any) ([]any, bool) {
	switch v := v.(type) {
	case *list:
		return v.items, true
	case tuple:
		return v, true
	case *dict:
		return v.view("keys").items, true
	case view:
		return v.items, true
	case group:
		return []any{v.key, v.list}, true
	case string:
		var chars []any
		for _, r := range v {
			chars = append(chars, string(r))
		}
		return chars, true
	}
	return nil, false
}

// items are what a loop goes through.
func items(r *run, v any) ([]any, error) {
	if list, ok := sequence(v); ok {
		if r != nil {
			if err := r.search(v); err != nil {
				return nil, err
			}
		}
		return slices.Clone(list), nil
	}
	switch v := v.(type) {
	case *generator:
		list := v.items
		v.items = nil
		return list, nil
	case span:
		if r != nil {
			r.steps += int(min(v.len(), maxSteps))
		}
		if v.len() > maxSteps {
			return nil, faultf("range(%d, %d) is too long: a template takes at most %d steps", v.start, v.stop, maxSteps)
		}
		var list []any
		for i, n := v.start, v.len(); n > 0; i, n = i+v.step, n-1 {
			list = append(list, i)
		}
		return list, nil
	case undefined:
		if v.lenient {
			return nil, nil
		}
		return nil, faultf("%s", v.message)
	case *loop:
		return nil, unsupportedf("going through the variable loop is not supported")
	}
	return nil, faultf("%s cannot be gone through", describe(v))
}

// describe names the type of a value as Python does.
func describe(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case bool:
		return "a bool"
	case int64:
		return "an int"
	case float64:
		return "a float"
	case string:
		return "a str"
	case markup:
		return "safe text"
	case *list:
		return "a list"
	case tuple, group:
		return "a tuple"
	case *dict:
		return "a dict"
	case *macro, function:
		return "a function"
	case span:
		return "a range"
	case view:
		return "a view of a dict"
	case *generator:
		return "a generator"
	case *namespace:
		return "a namespace"
	}
	return "the variable loop"
}

func call(r *run, f any, a args) (any, error) {
	switch f := f.(type) {
	case function:
		return f(r, a)
	case *macro:
		v, err := f.call(r, a)
		return v, err
	case undefined:
		return nil, faultf("%s", f.message)
	}
	return nil, faultf("%s cannot be called", describe(f))
}

// attribute is v.name: an attribute or method, else the item of that name.
func attribute(v any, name string) (any, error) {
	switch v := v.(type) {
	case undefined:
		return nil, faultf("%s", v.message)
	case *namespace:
		if x, ok := v.get(name); ok {
			return x, nil
		}
	case *loop:
		if x, ok := v.attribute(name); ok {
			return x, nil
		}
	case group:
		switch name {
		case "grouper":
			return v.key, nil
		case "list":
			return v.list, nil
		}
	case *dict:
		if m, ok := method(v, name); ok {
			return m, nil
		}
		if x, ok := v.get(name); ok {
			return x, nil
		}
	case string, *list:
		if m, ok := method(v, name); ok {
			return m, nil
		}
	}
	if pythonAttribute(v, name) {
		return nil, unsupportedf("%s.%s is not supported", describe(v), name)
	}
	return missing("%s has no attribute '%s'", describe(v), name), nil
}

// item is v[key].
func item(v, key any) (any, error) {
	switch c := v.(type) {
	case undefined:
		return nil, faultf("%s", c.message)
	case *dict:
		k, ok := key.(string)
		if !ok {
			return nil, unsupportedf("a key of a dict must be text here")
		}
		if x, ok := c.get(k); ok {
			return x, nil
		}
		if m, ok := method(c, k); ok {
			return m, nil
		}
		return missing("the dict has no key '%s'", k), nil
	case view, *generator:
		return nil, faultf("%s has no places", describe(v))
	case span:
		return nil, unsupportedf("subscripts of range are not supported")
	}
	switch k := key.(type) {
	case string:
		return attribute(v, k)
	case undefined:
		return nil, faultf("%s", k.message)
	case bool:
		return nil, unsupportedf("a bool as a place is not supported")
	case int64:
		list, ok := sequence(v)
		if !ok {
			return nil, faultf("%s has no places", describe(v))
		}
		if k < 0 {
			k += int64(len(list))
		}
		if k < 0 || k >= int64(len(list)) {
			return missing("%s of length %d has no place %v", describe(v), len(list), key), nil
		}
		return list[k], nil
	}
	return nil, faultf("%s is no place of %s", describe(key), describe(v))
}

// cut is v[a:b:c].
func cut(v any, limits [3]any) (any, error) {
	switch c := v.(type) {
	case undefined:
		return nil, faultf("%s", c.message)
	case *list, tuple, string:
	default:
		return nil, unsupportedf("slices of %s are not supported", describe(v))
	}
	src, _ := sequence(v)
	places, err := slicePlaces(limits, int64(len(src)))
	if err != nil {
		return nil, err
	}
	var out []any
	for _, i := range places {
		out = append(out, src[i])
	}
	switch v.(type) {
	case tuple:
		return tuple(out), nil
	case string:
		text := ""
		for _, c := range out {
			text += c.(string)
		}
		return text, nil
	}
	return &list{out}, nil
}

// slicePlaces lists the places that a slice of a sequence of length n has.
func slicePlaces(limits [3]any, n int64) ([]int64, error) {
	var given [3]bool
	bound := [3]int64{0, n, 1}
	for i, l := range limits {
		switch k := l.(type) {
		case nil:
		case int64:
			bound[i], given[i] = k, true
		case undefined:
			return nil, faultf("%s", k.message)
		default:
			return nil, faultf("slices need ints, not %s", describe(l))
		}
	}
	step := bound[2]
	if step == 0 {
		return nil, faultf("the step of a slice is 0")
	}
	low, high := int64(0), n
	if step < 0 {
		low, high = -1, n-1
		if !given[0] {
			bound[0] = high
		}
		if !given[1] {
			bound[1] = low
		}
	}
	for i := range 2 {
		if given[i] {
			if bound[i] < 0 {
				bound[i] += n
			}
			bound[i] = min(max(bound[i], low), high)
		}
	}
	var places []int64
	for i := bound[0]; step > 0 && i < bound[1] || step < 0 && i > bound[1]; i += step {
		places = append(places, i)
	}
	return places, nil
}
