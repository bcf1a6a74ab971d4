package jinja

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Values are nil (None), bool, int64, float64, string, an *object, and these. A
// template can change no value but a namespace, so values may be shared.
type (
	// list is what has items.
	list struct {
		kind  kind
		items []any
		used  bool // a generator was gone through
	}

	// markup is text that counts as escaped.
	markup string

	// undefined is the value of a missing name; every use but asking for it is an
	// error. A lenient one, the value of a condition without else, prints as
	// nothing and counts as false.
	undefined struct {
		what    string
		name    string
		known   string // the variables that there are
		lenient bool
	}

	namespace struct{ values map[string]any }

	// function is the name of a global function.
	function string
)

type kind string

const (
	aList  kind = "a list"
	aTuple kind = "a tuple"
	// Ranges and generators, which map and its like give, cannot be printed or
	// compared.
	aRange     kind = "a range"
	aGenerator kind = "a generator"
	aView      kind = "a view of a dict" // what keys(), values() and items() give
)

// largest bounds numbers, so that no sum of two overflows.
const largest = 1 << 62

// variable is what an undefined name is.
const variable = "the variable"

// defined fails for undefined values.
func defined(v any) {
	u, ok := v.(undefined)
	switch {
	case !ok:
	case u.lenient:
		refuse("using the value of a condition without else is not supported")
	case u.name == "":
		fail("%s", u.what)
	case u.what == variable:
		message := fmt.Sprintf("%s '%.100s' is undefined", u.what, u.name)
		if u.known != "" {
			message += fmt.Sprintf(" (there are %s)", u.known)
		}
		panic(fault{message: message, missing: u.name})
	case u.known != "":
		fail("%s '%.100s' is undefined (there are %s)", u.what, u.name, u.known)
	default:
		fail("%s '%.100s' is undefined", u.what, u.name)
	}
}

// describe names the type of a value as Python does.
func describe(v any) string {
	if l, ok := v.(*list); ok {
		return string(l.kind)
	}
	names := map[string]string{
		"<nil>": "None", "bool": "a bool", "int64": "an int", "string": "a str", "jinja.markup": "safe text",
		"*jinja.macro": "a macro", "jinja.function": "a function", "*jinja.namespace": "a namespace",
		"*jinja.loop": "the variable loop", "*jinja.object": "a dict", "float64": "a float",
		"jinja.Float": "a number larger than 2^62", "jinja.undefined": "what is undefined",
	}
	return names[fmt.Sprintf("%T", v)]
}

func fromGo(name string, v any) any {
	switch v := v.(type) {
	case nil, bool:
		return v
	case float:
		if strings.ContainsAny(string(v), ".eE") {
			return parseFloat(string(v))
		}
		return v
	case int:
		if v <= largest && -v <= largest {
			return int64(v)
		}
	case string:
		if utf8.ValidString(v) {
			return v
		}
	case Object:
		return newObject(name, v)
	case []string:
		return fromGo(name, boxed(v))
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = fromGo(name, item)
		}
		return &list{kind: aList, items: items}
	}
	fail("the variable %q has the unsupported type %T", name, v)
	return nil
}

func boxed(texts []string) []any {
	out := make([]any, len(texts))
	for i, s := range texts {
		out[i] = s
	}
	return out
}

// call calls range or namespace.
func (f function) call(r *run, a arguments) any {
	if f == "namespace" && len(a.list) == 0 {
		return &namespace{a.named}
	}
	n := len(a.list)
	if f != "range" || len(a.named) > 0 || n < 1 || n > 2 {
		refuse("such arguments of %s are not supported", string(f))
	}
	start, stop := int64(0), argument[int64](a.list[n-1])
	if n == 2 {
		start = argument[int64](a.list[0])
	}
	out := r.newList(int(max(0, stop-start)))
	for i := start; i < stop; i++ {
		out = append(out, i)
	}
	return &list{kind: aRange, items: out}
}

// truth is Python's: empty, zero and None are false.
func truth(v any) bool {
	if n, ok := number(v); ok {
		return n != 0
	}
	switch v := v.(type) {
	case nil:
		return false
	case float64:
		return v != 0
	case string:
		return v != ""
	case markup:
		return v != ""
	case *object:
		return len(v.names) > 0
	case *list:
		return v.kind == aGenerator || len(v.items) > 0
	case undefined:
		if !v.lenient {
			defined(v)
		}
		return false
	}
	return true
}

// items are what a loop goes through. What Python does with a generator after
// that depends on where the first loop stopped.
func items(r *run, v any) []any {
	defined(v)
	switch v := v.(type) {
	case *list:
		r.step(len(v.items))
		if v.used {
			refuse("iterating over %s twice is not supported (add |list after it)", v.kind)
		}
		v.used = v.kind == aGenerator
		return v.items
	case string:
		out := r.newList(utf8.RuneCountInString(v))
		for _, c := range v {
			out = append(out, string(c))
		}
		return out
	case *object:
		r.step(len(v.names))
		return boxed(v.names)
	case markup, *loop:
		refuse("iterating over %s is not supported", describe(v))
	}
	fail("%s is not iterable", describe(v))
	return nil
}

func attribute(r *run, v any, name string) any {
	defined(v)
	switch v := v.(type) {
	case *namespace:
		r.reads++
		if x, ok := v.values[name]; ok {
			return x
		}
		return undefined{what: "the attribute", name: name}
	case *object:
		return v.attribute(name)
	case *loop:
		return v.attribute(name)
	}
	refuse("the attribute '%.100s' of %s is not supported", name, describe(v))
	return nil
}

// index is v[key].
func index(r *run, v, key any) any {
	if name, ok := key.(string); ok {
		if o, ok := v.(*object); ok {
			return o.member(name)
		}
		return attribute(r, v, name)
	}
	if isA[float64](key) {
		return undefined{what: "an index cannot be a float: it"}
	}
	all, i := places(r, v), argument[int64](key)
	if i < 0 {
		i += int64(len(all))
	}
	if i < 0 || i >= int64(len(all)) {
		return undefined{what: describe(v) + " has no item at this index"}
	}
	return all[i]
}

// places are the items of what has places: text, lists and tuples.
func places(r *run, v any) []any {
	defined(v)
	if !isA[string](v) && !isKind(v, aList, aTuple) {
		refuse("indexing %s is not supported", describe(v))
	}
	return items(r, v)
}

// slice is v[a:b].
func slice(r *run, v, from, to any) any {
	all := places(r, v)
	n := int64(len(all))
	end := func(given any, otherwise int64) int64 {
		if given == nil {
			return otherwise
		}
		k := argument[int64](given)
		if k < 0 {
			k += n
		}
		return min(max(k, 0), n)
	}
	start, stop := end(from, 0), end(to, n)
	part := &list{kind: aList, items: all[start:max(start, stop)]}
	if isA[string](v) {
		return join(r, part, []any{""})
	}
	part.kind = v.(*list).kind
	return part
}
