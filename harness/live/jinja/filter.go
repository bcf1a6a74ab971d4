package jinja

import (
	"maps"
	"slices"
	"strings"
)

type filter func(r *run, v any, a args) (any, error)

// bind puts arguments in the order of the parameters; those left out are
// absent, which is not None.
func bind(a args, params ...string) (given map[string]any, err error) {
	given = map[string]any{}
	if len(a.list) > len(params) {
		return nil, faultf("takes at most %d arguments, and %d are given", len(params), len(a.list))
	}
	for i, v := range a.list {
		given[params[i]] = v
	}
	for _, n := range a.named {
		if _, twice := given[n.name]; twice || !slices.Contains(params, n.name) {
			return nil, faultf("unexpected argument '%s' (there are %s)", n.name, strings.Join(params, ", "))
		}
		given[n.name] = n.value
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if u, ok := given[name].(undefined); ok {
			return nil, faultf("%s", u.message)
		}
	}
	return given, nil
}

// option returns an argument of a type, or its default.
func option[T any](given map[string]any, name string, otherwise T) (T, error) {
	v, ok := given[name]
	if !ok {
		return otherwise, nil
	}
	x, ok := v.(T)
	if !ok {
		return otherwise, unsupportedf("the argument '%s' cannot be %s here", name, describe(v))
	}
	return x, nil
}

// textFilter makes a filter of a function on text; other values are turned into
// text first, as Jinja does.
func textFilter(f func(string) any) filter {
	return func(r *run, v any, a args) (any, error) {
		if _, err := bind(a); err != nil {
			return nil, err
		}
		s, err := plain(v)
		if err != nil {
			return nil, err
		}
		return f(s), r.grow(len(s))
	}
}

// plain is str(), but for markup, which filters would have to keep apart.
func plain(v any) (string, error) {
	if _, ok := v.(markup); ok {
		return "", unsupportedf("filtering text that was marked as safe is not supported")
	}
	return str(v)
}

// attributeOf follows a dotted path of attributes or places, as in map and sort.
func attributeOf(v, path any) (any, error) {
	if i, ok := path.(int64); ok {
		return item(v, i)
	}
	dotted, err := textOf(path)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(dotted, ".") {
		var key any = name
		if n, ok := wholeNumber(name); ok {
			key = n
		}
		if v, err = item(v, key); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// key makes the function by which sort and its like compare: an attribute,
// without regard to case unless asked.
func key(given map[string]any) (func(any) (any, error), error) {
	sensitive, err := option(given, "case_sensitive", false)
	if err != nil {
		return nil, err
	}
	path := given["attribute"]
	if s, ok := path.(string); ok && strings.Contains(s, ",") {
		return nil, unsupportedf("sorting by several attributes is not supported")
	}
	return func(v any) (any, error) {
		var err error
		if path != nil {
			if v, err = attributeOf(v, path); err != nil {
				return nil, err
			}
			if _, missing := v.(undefined); missing {
				if d, ok := given["default"]; ok {
					v = d
				}
			}
		}
		switch x := v.(type) {
		case string:
			if !sensitive {
				return lower(x), nil
			}
		case undefined:
			return nil, faultf("%s", x.message)
		}
		return v, nil
	}, nil
}

// keyed is an item with what it is compared by.
type keyed struct{ key, item any }

func withKeys(r *run, v any, by func(any) (any, error)) ([]keyed, error) {
	list, err := items(r, v)
	if err != nil {
		return nil, err
	}
	var out []keyed
	for _, item := range list {
		k, err := by(item)
		if err != nil {
			return nil, err
		}
		out = append(out, keyed{k, item})
	}
	return out, nil
}

// sorted sorts as Python does: items that compare alike keep their order.
func sorted(list []keyed, reverse bool) (err error) {
	slices.SortStableFunc(list, func(a, b keyed) int {
		c, e := order(a.key, b.key)
		if err == nil {
			err = e
		}
		if reverse {
			return -c
		}
		return c
	})
	return err
}

func sortFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "reverse", "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	return sortBy(r, v, given)
}

func sortBy(r *run, v any, given map[string]any) (any, error) {
	by, err := key(given)
	if err != nil {
		return nil, err
	}
	reverse, err := option(given, "reverse", false)
	if err != nil {
		return nil, err
	}
	pairs, err := withKeys(r, v, by)
	if err != nil {
		return nil, err
	}
	if err := sorted(pairs, reverse); err != nil {
		return nil, err
	}
	return &list{unkeyed(pairs)}, nil
}

func unkeyed(pairs []keyed) []any {
	var out []any
	for _, p := range pairs {
		out = append(out, p.item)
	}
	return out
}
