package jinja

// dict reads a dict literal behind its brace. Its keys are text.
func (p *parser) dict(t token) expr {
	var keys, values []expr
	for !p.skip("}") {
		if len(keys) > 0 {
			p.expect(",")
			if p.skip("}") {
				break
			}
		}
		keys = append(keys, p.expression())
		p.expect(":")
		values = append(values, p.expression())
	}
	return node(t, func(s *scope) any {
		s.run.newList(entrySize * len(keys))
		o := &object{values: map[string]any{}}
		for i := range keys {
			key := keys[i](s)
			defined(key)
			name, ok := key.(string)
			if !ok {
				refuse("a key of a dict that is %s is not supported", describe(key))
			}
			o.put(name, values[i](s))
		}
		return o
	})
}

// put sets a member. One that there is keeps its place, as in Python.
func (o *object) put(name string, v any) {
	if _, again := o.values[name]; !again {
		o.names = append(o.names, name)
	}
	o.values[name] = v
}

// dictMethods are the methods of a dict that change nothing.
func dictMethods() map[string]builtin {
	view := func(of func(r *run, o *object, name string) any) builtin {
		return builtin{func(r *run, v any, _ []any) any {
			o := argument[*object](v)
			out := r.newList(len(o.names))
			for _, name := range o.names {
				out = append(out, of(r, o, name))
			}
			return &list{kind: aView, items: out}
		}, nil}
	}
	return map[string]builtin{
		"keys":   view(func(_ *run, _ *object, name string) any { return name }),
		"values": view(func(_ *run, o *object, name string) any { return o.values[name] }),
		"items":  view(pair),
		"get":    {get, []param{{"", required{}}, {"", nil}}},
	}
}

func pair(r *run, o *object, name string) any {
	return &list{kind: aTuple, items: append(r.newList(2), name, o.values[name])}
}

// get is dict.get; a are the key and the default.
func get(_ *run, v any, a []any) any {
	if x, ok := argument[*object](v).values[argument[string](a[0])]; ok {
		return x
	}
	return a[1]
}

// equalDicts compares two dicts, whose order does not matter.
func equalDicts(r *run, a, b *object, depth int) bool {
	if len(a.names) != len(b.names) {
		return false
	}
	for _, name := range a.names {
		x, ok := b.values[name]
		if !ok || !equal(r, a.values[name], x, depth+1) {
			return false
		}
	}
	return true
}
