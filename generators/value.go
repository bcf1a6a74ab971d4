package generators

import "slices"

// value is a JSON value before it is written.
type value struct {
	json   string // written already; "" if it is one of the others
	str    *string
	isList bool
	items  []value // of a list
	fields []field // of an object
}

// field is a member of an object.
type field struct {
	name string
	value
}

func raw(json string) value { return value{json: json} }

func text(s string) value { return value{str: &s} }

func texts(list []string) value {
	v := value{isList: true}
	for _, s := range list {
		v.items = append(v.items, text(s))
	}
	return v
}

func object(fields ...field) value { return value{fields: fields} }

func (v *value) add(name string, w value) { v.fields = append(v.fields, field{name, w}) }

// value writes a value.
func (w *writer) value(v value) {
	switch {
	case v.json != "":
		w.b = append(w.b, v.json...)
	case v.str != nil:
		w.text(*v.str)
	case v.isList:
		w.open('[')
		for _, item := range v.items {
			w.item()
			w.value(item)
		}
		w.close(']')
	default:
		w.open('{')
		for _, f := range v.fields {
			w.name(f.name)
			w.value(f.value)
		}
		w.close('}')
	}
}

// get returns the member of an object, or nil.
func (v *value) get(name string) *value {
	for i := range v.fields {
		if v.fields[i].name == name {
			return &v.fields[i].value
		}
	}
	return nil
}

// drop takes a member out.
func (v *value) drop(name string) {
	v.fields = slices.DeleteFunc(v.fields, func(f field) bool { return f.name == name })
}

// put puts a member in place of the one of that name, if there is one.
func (v *value) put(name string, w value) {
	v.drop(name)
	v.add(name, w)
}
