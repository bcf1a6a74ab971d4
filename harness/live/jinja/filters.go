package jinja

import (
	"strings"
	"unicode/utf8"
)

// filters are the filters of the default environment that this package knows.
var filters = map[string]filter{
	"abs": abs, "batch": batch, "capitalize": textFilter(func(s string) any { return capitalize(s) }), "center": center,
	"count": length, "d": defaultFilter, "default": defaultFilter, "dictsort": dictsort,
	"e": textFilter(escaped), "escape": textFilter(escaped), "first": end(false), "float": floatFilter,
	"format": formatFilter, "groupby": groupby, "indent": indent, "int": intFilter, "items": itemsFilter,
	"join": joinFilter, "last": end(true), "length": length, "list": listFilter,
	"lower": textFilter(func(s string) any { return lower(s) }), "map": mapFilter, "max": extreme(1), "min": extreme(-1),
	"reject": selecting(false, false), "rejectattr": selecting(false, true), "replace": replaceFilter,
	"reverse": reverse, "round": round, "safe": textFilter(func(s string) any { return markup(s) }),
	"select": selecting(true, false), "selectattr": selecting(true, true), "sort": sortFilter,
	"string": textFilter(func(s string) any { return s }), "sum": sum, "title": textFilter(titleFilter),
	"tojson": toJSON, "trim": trim, "truncate": truncate, "unique": unique,
	"upper":     textFilter(func(s string) any { return upper(s) }),
	"wordcount": textFilter(func(s string) any { return int64(len(word.FindAllString(s, -1))) }),
}

// globals are the functions of the default environment that this package knows.
var globals = map[string]function{
	"range": rangeFunction,
	"dict": func(_ *run, a args) (any, error) {
		d := &dict{}
		if len(a.list) > 0 {
			return nil, unsupportedf("dict() takes arguments by name alone here")
		}
		for _, n := range a.named {
			d.set(n.name, n.value)
		}
		return d, nil
	},
	"namespace": func(_ *run, a args) (any, error) {
		ns := &namespace{}
		if len(a.list) > 0 {
			return nil, unsupportedf("namespace() takes arguments by name alone here")
		}
		for _, n := range a.named {
			ns.set(n.name, n.value)
		}
		return ns, nil
	},
	"cycler": missingFunction("cycler"), "joiner": missingFunction("joiner"), "lipsum": missingFunction("lipsum"),
}

func missingFunction(name string) function {
	return func(*run, args) (any, error) { return nil, unsupportedf("the function %s is not supported", name) }
}

func rangeFunction(_ *run, a args) (any, error) {
	given, err := need(a, 1, 3)
	if err != nil {
		return nil, err
	}
	var n [3]int64
	for i, v := range given {
		switch x := v.(type) {
		case nil:
		case int64:
			n[i] = x
		default:
			return nil, faultf("range needs ints, not %s", describe(v))
		}
	}
	s := span{n[0], n[1], n[2]}
	if len(a.list) == 1 {
		s = span{0, n[0], 1}
	} else if len(a.list) == 2 {
		s.step = 1
	}
	const bound = 1 << 40
	if s.step == 0 || max(s.start, s.stop, s.step) > bound || min(s.start, s.stop, s.step) < -bound {
		return nil, faultf("range needs a step that is not 0, and bounds below 2^40")
	}
	return s, nil
}

func defaultFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "default_value", "boolean")
	if err != nil {
		return nil, err
	}
	otherwise, ok := given["default_value"]
	if !ok {
		otherwise = ""
	}
	if isType[undefined](v) {
		return otherwise, nil
	}
	falseToo, err := truth(given["boolean"])
	if err != nil || !falseToo {
		return v, err
	}
	yes, err := truth(v)
	if err != nil || yes {
		return v, err
	}
	return otherwise, nil
}

func length(r *run, v any, a args) (any, error) {
	if _, err := bind(a); err != nil {
		return nil, err
	}
	switch x := v.(type) {
	case undefined:
		return nil, faultf("%s", x.message)
	case string:
		return int64(utf8.RuneCountInString(x)), nil
	case span:
		return x.len(), nil
	case markup:
		return int64(utf8.RuneCountInString(string(x))), nil
	}
	list, ok := sequence(v)
	if !ok {
		return nil, faultf("%s has no length", describe(v))
	}
	return int64(len(list)), nil
}

func listFilter(r *run, v any, a args) (any, error) {
	if _, err := bind(a); err != nil {
		return nil, err
	}
	out, err := items(r, v)
	return &list{out}, err
}

func itemsFilter(r *run, v any, a args) (any, error) {
	if _, err := bind(a); err != nil {
		return nil, err
	}
	d, ok := v.(*dict)
	if !ok {
		return nil, faultf("needs a dict, not %s", describe(v))
	}
	return &generator{d.view("items").items}, nil
}

// toJSON is json.dumps with sorted keys and without what HTML takes amiss.
func toJSON(r *run, v any, a args) (any, error) {
	given, err := bind(a, "indent")
	if err != nil {
		return nil, err
	}
	w := jsonWriter{indent: -1}
	if n, ok := given["indent"].(int64); ok {
		w.indent = int(min(n, 100))
	} else if given["indent"] != nil {
		return nil, unsupportedf("indent is a number here")
	}
	if err := w.write(v, 1); err != nil {
		return nil, err
	}
	safe := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`, "'", `\u0027`)
	out := safe.Replace(w.String())
	return markup(out), r.grow(len(out))
}
