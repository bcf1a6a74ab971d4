package jinja

import (
	"slices"
	"strings"
)

func dictsort(r *run, v any, a args) (any, error) {
	given, err := bind(a, "case_sensitive", "by", "reverse")
	if err != nil {
		return nil, err
	}
	d, ok := v.(*dict)
	if !ok {
		return nil, faultf("needs a dict, not %s", describe(v))
	}
	switch by, err := option(given, "by", "key"); {
	case err != nil:
		return nil, err
	case by == "key":
		given["attribute"] = int64(0)
	case by == "value":
		given["attribute"] = int64(1)
	default:
		return nil, faultf("by is 'key' or 'value'")
	}
	return sortBy(r, &list{d.view("items").items}, given)
}

func unique(r *run, v any, a args) (any, error) {
	given, err := bind(a, "case_sensitive", "attribute")
	if err != nil {
		return nil, err
	}
	by, err := key(given)
	if err != nil {
		return nil, err
	}
	pairs, err := withKeys(r, v, by)
	if err != nil {
		return nil, err
	}
	texts := map[string]bool{}
	seen := &list{} // what is no text
	var out []any
	for _, p := range pairs {
		switch p.key.(type) {
		case *list, *dict:
			return nil, faultf("%s cannot be told apart from others", describe(p.key))
		}
		if err := r.search(seen); err != nil {
			return nil, err
		}
		text, isText := p.key.(string)
		found := texts[text]
		if !isText {
			if found, err = contains(seen, p.key); err != nil {
				return nil, err
			}
		}
		switch {
		case found:
			continue
		case isText:
			texts[text] = true
		default:
			seen.items = append(seen.items, p.key)
		}
		out = append(out, p.item)
	}
	return &generator{out}, nil
}

func groupby(r *run, v any, a args) (any, error) {
	given, err := bind(a, "attribute", "default", "case_sensitive")
	if err != nil {
		return nil, err
	}
	by, err := key(given)
	if err != nil {
		return nil, err
	}
	pairs, err := withKeys(r, v, by)
	if err != nil {
		return nil, err
	}
	if err := sorted(pairs, false); err != nil {
		return nil, err
	}
	sensitive := map[string]any{"attribute": given["attribute"], "case_sensitive": true}
	if d, ok := given["default"]; ok {
		sensitive["default"] = d
	}
	shown, err := key(sensitive)
	if err != nil {
		return nil, err
	}
	out := &list{}
	for i, p := range pairs {
		if i > 0 {
			if same, err := equal(pairs[i-1].key, p.key, 0); err != nil {
				return nil, err
			} else if same {
				g := out.items[len(out.items)-1].(group)
				g.list.items = append(g.list.items, p.item)
				continue
			}
		}
		k, err := shown(p.item)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, group{k, &list{[]any{p.item}}})
	}
	return out, nil
}

func mapFilter(r *run, v any, a args) (any, error) {
	var each func(any) (any, error)
	switch {
	case len(a.list) == 0:
		given, err := bind(a, "attribute", "default")
		if err != nil {
			return nil, err
		}
		path, ok := given["attribute"]
		if !ok {
			return nil, faultf("needs the name of a filter, or attribute=")
		}
		each = func(x any) (any, error) {
			out, err := attributeOf(x, path)
			if d, ok := given["default"]; ok && isType[undefined](out) {
				return d, err
			}
			return out, err
		}
	default:
		name, err := textOf(a.list[0])
		if err != nil {
			return nil, err
		}
		f, ok := r.filters[name]
		if !ok {
			return nil, unsupportedf("the filter '%s' is not known", name)
		}
		rest := args{a.list[1:], a.named}
		each = func(x any) (any, error) { return f(r, x, rest) }
	}
	list, err := items(r, v)
	if err != nil {
		return nil, err
	}
	out := &generator{}
	for _, x := range list {
		if err := r.step(); err != nil {
			return nil, err
		}
		y, err := each(x)
		if err != nil {
			return nil, err
		}
		out.items = append(out.items, y)
	}
	return out, nil
}

// selecting makes select, reject, selectattr and rejectattr.
func selecting(wanted, byAttribute bool) filter {
	return func(r *run, v any, a args) (any, error) {
		var path any
		if byAttribute {
			if len(a.list) == 0 {
				return nil, faultf("needs the name of an attribute")
			}
			path, a.list = a.list[0], a.list[1:]
		}
		holds := func(x any) (bool, error) { return truth(x) }
		if len(a.list) > 0 {
			name, err := textOf(a.list[0])
			if err != nil {
				return nil, err
			}
			t, ok := tests[name]
			if !ok {
				return nil, unsupportedf("the test '%s' is not known", name)
			}
			rest := args{a.list[1:], a.named}
			holds = func(x any) (bool, error) {
				if err := r.search(rest.list...); err != nil {
					return false, err
				}
				return t(x, rest)
			}
		}
		list, err := items(r, v)
		if err != nil {
			return nil, err
		}
		out := &generator{}
		for _, x := range list {
			subject := x
			if path != nil {
				if subject, err = attributeOf(x, path); err != nil {
					return nil, err
				}
			}
			yes, err := holds(subject)
			if err != nil {
				return nil, err
			}
			if yes == wanted {
				out.items = append(out.items, x)
			}
		}
		return out, nil
	}
}

func joinFilter(r *run, v any, a args) (any, error) {
	given, err := bind(a, "d", "attribute")
	if err != nil {
		return nil, err
	}
	sep := ""
	if d, ok := given["d"]; ok {
		if sep, err = plain(d); err != nil {
			return nil, err
		}
	}
	list, err := items(r, v)
	if err != nil {
		return nil, err
	}
	var parts []string
	for _, x := range list {
		if path, ok := given["attribute"]; ok && path != nil {
			if x, err = attributeOf(x, path); err != nil {
				return nil, err
			}
		}
		s, err := plain(x)
		if err != nil {
			return nil, err
		}
		parts = append(parts, s)
	}
	out := strings.Join(parts, sep)
	return out, r.grow(len(out))
}

// end makes first and last.
func end(last bool) filter {
	return func(r *run, v any, a args) (any, error) {
		if _, err := bind(a); err != nil {
			return nil, err
		}
		if isType[*generator](v) {
			return nil, unsupportedf("first and last of a generator are not supported (put |list before)")
		}
		list, err := items(r, v)
		switch {
		case err != nil:
			return nil, err
		case len(list) == 0:
			return undefined{message: "an empty sequence has no first and no last item"}, nil
		case last:
			return list[len(list)-1], nil
		}
		return list[0], nil
	}
}

func extreme(sign int) filter {
	return func(r *run, v any, a args) (any, error) {
		given, err := bind(a, "case_sensitive", "attribute")
		if err != nil {
			return nil, err
		}
		by, err := key(given)
		if err != nil {
			return nil, err
		}
		pairs, err := withKeys(r, v, by)
		switch {
		case err != nil:
			return nil, err
		case len(pairs) == 0:
			return undefined{message: "an empty sequence has no largest and no smallest item"}, nil
		}
		best := pairs[0]
		for _, p := range pairs[1:] {
			c, err := order(p.key, best.key)
			if err != nil {
				return nil, err
			}
			if c*sign > 0 {
				best = p
			}
		}
		return best.item, nil
	}
}

func sum(r *run, v any, a args) (any, error) {
	given, err := bind(a, "attribute", "start")
	if err != nil {
		return nil, err
	}
	total, ok := given["start"]
	if !ok {
		total = int64(0)
	}
	list, err := items(r, v)
	if err != nil {
		return nil, err
	}
	for _, x := range list {
		if path, ok := given["attribute"]; ok && path != nil {
			if x, err = attributeOf(x, path); err != nil {
				return nil, err
			}
		}
		if total, err = arithmetic(r, "+", total, x); err != nil {
			return nil, err
		}
	}
	return total, nil
}

func reverse(r *run, v any, a args) (any, error) {
	if _, err := bind(a); err != nil {
		return nil, err
	}
	list, err := items(r, v)
	if err != nil {
		return nil, err
	}
	slices.Reverse(list)
	if isType[string](v) {
		return joinFilter(r, &generator{list}, args{})
	}
	return &generator{list}, nil
}

// batch cuts a sequence into lists of n items, the last filled up if asked.
func batch(r *run, v any, a args) (any, error) {
	given, err := bind(a, "linecount", "fill_with")
	if err != nil {
		return nil, err
	}
	n, err := option(given, "linecount", int64(0))
	if err != nil {
		return nil, err
	}
	if n < 1 || n > maxSteps {
		return nil, faultf("needs how many items a batch has")
	}
	all, err := items(r, v)
	if err != nil {
		return nil, err
	}
	out := &generator{}
	for chunk := range slices.Chunk(all, int(n)) {
		part := &list{slices.Clone(chunk)}
		for fill := given["fill_with"]; fill != nil && len(part.items) < int(n); {
			part.items = append(part.items, fill)
		}
		out.items = append(out.items, part)
	}
	return out, nil
}
