package deform

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document"
)

// place is a value of a document with its declaration. In a walk over the declaration alone
// there is no value.
type place struct {
	is     *document.Value
	member *document.Member // nil for items and the document
	value  *generators.Value
	parent *generators.Value
	object *document.Value // the declaration of the parent
	inside bool            // it is not the document
	lacks  []string        // of the reply
	in, at string          // JSON Pointers of the parent and of the value, once the place is chosen
}

// walker calls visit with all declared values of a document.
type walker struct {
	visit func(p *place)
	lacks []string
	place place  // at hand
	at    []byte // its JSON Pointer
}

func (w *walker) walk(p place) {
	d := p.is
	switch {
	case d.Of != nil && p.value == nil:
		for i := range d.Of {
			w.walk(place{is: &d.Of[i]})
		}
		return
	case d.Of != nil:
		i := slices.IndexFunc(d.Of, func(o document.Value) bool { return isForm(&o, p.value) })
		if i < 0 {
			return
		}
		p.is = &d.Of[i]
		d = p.is
	}
	w.place, w.place.lacks = p, w.lacks
	w.visit(&w.place)
	here := len(w.at)
	for i := range d.Members {
		m := &d.Members[i]
		inner := place{is: &m.Value, member: m, parent: p.value, object: d, inside: true}
		if p.value != nil {
			if inner.value = p.value.Get(m.Name); inner.value == nil {
				continue
			}
		}
		w.at = append(append(w.at[:here], '/'), m.Name...)
		w.walk(inner)
	}
	switch {
	case d.Item == nil:
	case p.value == nil:
		w.walk(place{is: d.Item, inside: true})
	default:
		for i := range p.value.Items {
			w.at = strconv.AppendInt(append(w.at[:here], '/'), int64(i), 10)
			w.walk(place{is: d.Item, value: &p.value.Items[i], inside: true})
		}
	}
	w.at = w.at[:here]
}

// choose marks the place that is visited as the one to change.
func (w *walker) choose(p *place) place {
	p.at = string(w.at)
	p.in = p.at[:max(0, strings.LastIndexByte(p.at, '/'))]
	return *p
}

// isForm reports whether a value is the alternative: it has its constant members.
func isForm(o *document.Value, v *generators.Value) bool {
	return !slices.ContainsFunc(o.Members, func(m document.Member) bool {
		given := v.Get(m.Name)
		return m.Required && (given == nil || m.Kind == document.EnumKind && len(m.Values) == 1 &&
			(!given.IsText || given.Str != m.Values[0]))
	})
}

func declared(v *document.Value, fits func(p *place) bool) (found bool) {
	w := walker{visit: func(p *place) { found = found || fits(p) }}
	w.walk(place{is: v})
	return found
}

// shape is a trait of the shape of a document.
type shape struct {
	name, text string
	fits       func(p *place) bool
	change     func(r *reply, p *place)
}

var inShape = family("shape")

func (s shape) trait() Trait {
	t := inShape(s.name, s.text)
	if s.name == "too-deep" {
		t = t.Needing("max_depth")
	}
	return Trait{t, func(r *reply) bool {
		var kinds []*document.Value // each is as likely as the others, however many values it has
		var values []int            // of each kind
		w := walker{lacks: r.Lacks, visit: func(p *place) {
			if !s.fits(p) {
				return
			}
			i := slices.Index(kinds, p.is)
			if i < 0 {
				i, kinds, values = len(kinds), append(kinds, p.is), append(values, 0)
			}
			values[i]++
		}}
		w.walk(place{is: &r.Document, value: &r.root})
		if kinds == nil {
			return false
		}
		kind := r.Below(len(kinds))
		before := r.Below(values[kind])
		var chosen place
		w.visit = func(p *place) {
			if p.is == kinds[kind] && s.fits(p) {
				if before == 0 {
					chosen = w.choose(p)
				}
				before--
			}
		}
		w.walk(place{is: &r.Document, value: &r.root})
		s.change(r, &chosen)
		return true
	}}
}

// is returns a test for a kind of value.
func is(kinds ...document.Kind) func(p *place) bool {
	return func(p *place) bool { return !p.is.Ignored && slices.Contains(kinds, p.is.Kind) }
}

func required(p *place) bool { return p.member != nil && p.member.Required && !p.is.Ignored }

// both combines tests; the second one looks at the value, if there is one.
func both(a, b func(p *place) bool) func(p *place) bool {
	return func(p *place) bool { return a(p) && (p.value == nil || b(p)) }
}

// one reports whether the list has one item, of a type.
func one(text bool) func(p *place) bool {
	return func(p *place) bool {
		return len(p.value.Items) == 1 && p.value.Items[0].IsText == text && (!text || !p.is.Lone)
	}
}

// put replaces the value.
func put(json ...string) func(r *reply, p *place) {
	return func(r *reply, p *place) {
		*p.value = generators.Raw(generators.Pick(r.Choices, json))
		r.fault(harness.BadType, p.at, 0)
	}
}

// keep changes the text and nothing that it means.
func keep(change func(text string) generators.Value) func(r *reply, p *place) {
	return func(_ *reply, p *place) { *p.value = change(p.value.Str) }
}

// shapes lists the traits of shape.
func shapes() []shape {
	list := both(is(document.ListKind), func(p *place) bool { return p.value.IsList })
	anyText := is(document.TextKind, document.IDKind, document.EnumKind)
	filled := func(p *place) bool { return len(p.value.Items) > 0 }
	isText := func(p *place) bool { return p.value.IsText }
	// A blank text may mean the same as none, and a longer one something else.
	hasWords := func(p *place) bool { return p.value.IsText && strings.TrimSpace(p.value.Str) != "" }
	return []shape{
		{"missing-member", "a required member is missing: missing_field", required, func(r *reply, p *place) {
			p.parent.Drop(p.member.Name)
			r.fault(harness.MissingField, p.in, 0)
		}},
		{"null-required", "a required member is null: bad_type", required, put("null")},
		{"null-optional", "an optional member is null: treated as absent", lacking(anyMember), none(anyMember, "null")},
		{"null-list", "an optional list is null: treated as absent", lacking(listMember), none(listMember, "null")},
		{
			"python-literals", "the document contains None for null: no_document, or repaired", lacking(anyMember),
			func(r *reply, p *place) {
				none(anyMember, "None")(r, p)
				r.Code, r.Takes, r.Around = harness.NoDocument, generators.Repair, true
			},
		},
		{"wrong-type", "a member or an item of a list is of a wrong type: bad_type", anyKind, wrongType},
		{
			"falsy-value", "a member or an item of a list is false, 0 or empty, of a wrong type: bad_type", anyKind,
			falsyValue,
		},
		{"unknown-member", "an object has an unknown member: extra_field, or dropped", object, unknownMember},
		{
			"duplicate-member", "an object has a duplicate member: duplicate_key, or the last counts",
			both(object, func(p *place) bool { return p.value.Fields != nil }), duplicateMember,
		},
		{"member-case", "a required member is spelled with a capital", required, memberCase},
		{"blank-id", "an id or a text is blank: empty_id", is(document.IDKind), func(r *reply, p *place) {
			*p.value = generators.Text(generators.Pick(r.Choices, []string{"", " ", "\t\n", "\u00a0", "\u3000"}))
			r.fault(harness.EmptyID, p.at, 0)
		}},
		{
			"padded-id", "white space surrounds an id: trimmed", both(is(document.IDKind), isText),
			keep(func(t string) generators.Value { return generators.Text(" \t" + t + "\u00a0") }),
		},
		{"number-for-id", "an id is a number: bad_type, or its digits", func(p *place) bool {
			return p.is.Kind == document.IDKind && !p.is.Prose
		}, numberForID},
		{
			"unicode-escapes", "a string is written with \\u escapes: decoded", both(anyText, isText),
			keep(func(t string) generators.Value { return generators.Raw(escaped(t)) }),
		},
		{
			"long-text", "a text has thousands of characters", both(is(document.TextKind), hasWords),
			keep(func(t string) generators.Value { return generators.Text(t + strings.Repeat(" and more of it", 700)) }),
		},
		{
			"control-text", "a text has control characters", both(is(document.TextKind), hasWords),
			keep(func(t string) generators.Value { return generators.Text(t + "\x01\x1b[31m red\x7f\x00") }),
		},
		{
			"padded-text", "white space surrounds a text", both(is(document.TextKind), hasWords),
			keep(func(t string) generators.Value { return generators.Text("\n " + t + " \t") }),
		},
		{"lone-surrogate", "a string contains a lone surrogate: invalid_utf8", anyText, func(r *reply, p *place) {
			*p.value = generators.Raw(`"` + generators.Pick(r.Choices, surrogates) + `"`)
			r.fault(harness.InvalidUTF8, p.at, 0)
		}},
		{"nul-byte", "a string contains a NUL byte: no_document", anyText, func(r *reply, p *place) {
			*p.value = generators.Raw("\"a\x00b\"")
			r.Code, r.Around = harness.NoDocument, true
		}},
		{"null-in-list", "a list contains null: bad_type", list, func(r *reply, p *place) {
			p.value.Items = append(p.value.Items, generators.Raw("null"))
			r.fault(harness.BadType, p.at+"/"+strconv.Itoa(len(p.value.Items)-1), 0)
		}},
		{"nested-list", "a list is inside another list: bad_type", both(list, filled), func(r *reply, p *place) {
			*p.value = generators.Value{IsList: true, Items: []generators.Value{*p.value}}
			r.fault(harness.BadType, p.at+"/0", 0)
		}},
		{
			"list-in-string", "a list is written as a JSON string: bad_type, decoded by coercion", list,
			func(r *reply, p *place) {
				*p.value = generators.Text(p.value.Text(generators.Style{}))
				r.fault(harness.BadType, p.at, generators.Coerce)
			},
		},
		{
			"scalar-for-list", "a list of one string is the string: bad_type, wrapped by coercion",
			both(func(p *place) bool { return list(p) && !ofObjects(p.is) }, one(true)), unlisted,
		},
		{
			"object-for-list", "a list of one object is the object: bad_type, wrapped by coercion",
			both(func(p *place) bool { return list(p) && ofObjects(p.is) }, one(false)), unlisted,
		},
		{
			"item-not-object", "a list of objects contains a string, a number or a list: bad_type",
			func(p *place) bool { return object(p) && p.member == nil && (p.value == nil || p.inside) },
			put(`"step_1"`, "1", "[]"),
		},
		{
			"unknown-word", "a value is not one of the allowed words: bad_type", is(document.EnumKind),
			func(r *reply, p *place) { r.word(p, "blocked_by_review") },
		},
		{
			"word-case", "an allowed word is in another case: bad_type, or the same",
			both(is(document.EnumKind), isText), func(r *reply, p *place) { r.word(p, otherCase(p.value.Str)) },
		},
		{
			"word-padded", "white space surrounds an allowed word: bad_type, or the same",
			both(is(document.EnumKind), isText), func(r *reply, p *place) { r.word(p, p.value.Str+" ") },
		},
		{
			"members-rotated", "the members of an object are in another order: the same",
			both(object, func(p *place) bool { return len(p.value.Fields) > 1 }), func(r *reply, p *place) {
				k := 1 + r.Below(len(p.value.Fields)-1)
				p.value.Fields = slices.Concat(p.value.Fields[k:], p.value.Fields[:k])
			},
		},
		{"too-deep", "the document nests deeper than max_depth: too_deep", top, tooDeep},
	}
}

// ofObjects reports whether the items of a list are objects.
func ofObjects(v *document.Value) bool {
	item := v.Item
	return item.Kind == document.ObjectKind || item.Of != nil && item.Of[0].Kind == document.ObjectKind
}

func top(p *place) bool { return p.member == nil && !p.inside }

func anyKind(p *place) bool {
	return p.is.Kind != document.AnyKind && !p.is.Ignored && (p.is.Kind != document.ObjectKind || p.member != nil)
}

// otherCase changes the case of the first letter, or of all if that is a capital.
func otherCase(s string) string {
	if t := titled(s); t != s {
		return t
	}
	return strings.ToLower(s)
}

func titled(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// escaped writes every UTF-16 unit of a text as an escape.
func escaped(t string) string {
	b := []byte{'"'}
	for _, r := range t {
		if r < 0x80 {
			b = append(b, `\u00`...)
			b = append(b, strconv.FormatInt(int64(r)+0x100, 16)[1:]...)
			continue
		}
		b = append(b, string(r)...)
	}
	return string(append(b, '"'))
}

// wrongType replaces a value by one of another type that coercion leaves as it is.
func wrongType(r *reply, p *place) {
	json := []string{"true", "[]", "{}", "7"}
	switch p.is.Kind {
	case document.ListKind:
		json = []string{"true", "7"}
	case document.ObjectKind:
		json = []string{"true", "[]", `"x"`}
	case document.NumberKind, document.IntegerKind:
		json = []string{"true", "[]", "{}"}
	case document.BoolKind:
		json = []string{`"yes"`, "1", "[]"}
	case document.IDKind:
		if p.is.Digits {
			json = json[:3]
		}
	}
	put(json...)(r, p)
}

// falsyValue replaces a value by one of another type that many languages take for none, and that coercion leaves as it
// is.
func falsyValue(r *reply, p *place) {
	json := []string{"false", "[]", "{}"}
	switch p.is.Kind {
	case document.ListKind, document.ObjectKind:
		json = []string{"false", "0"}
	case document.BoolKind:
		json = []string{"0", "[]"}
	}
	put(json...)(r, p)
}

// absent lists the optional members of some kind that an object leaves out. An empty list of the document means the
// same, and one inside it may mean another thing.
func absent(p *place, is func(m *document.Member) bool) []string {
	var names []string
	for i := range p.is.Members {
		m := &p.is.Members[i]
		if m.Nullable && !m.Required && is(m) && !slices.Contains(p.lacks, m.Name) && !p.given(m.Name) &&
			!slices.ContainsFunc(m.Alias, p.given) {
			names = append(names, m.Name)
		}
	}
	return names
}

func anyMember(*document.Member) bool { return true }

func listMember(m *document.Member) bool { return m.Kind == document.ListKind }

// lacking tests for an object that leaves out an optional member.
func lacking(is func(m *document.Member) bool) func(p *place) bool {
	return func(p *place) bool { return object(p) && len(absent(p, is)) > 0 }
}

// none gives such a member a literal for no value.
func none(is func(m *document.Member) bool, literal string) func(r *reply, p *place) {
	return func(r *reply, p *place) {
		p.value.Put(generators.Pick(r.Choices, absent(p, is)), generators.Raw(literal))
	}
}

// given reports whether the object gives a value for a member.
func (p *place) given(member string) bool {
	if p.value == nil {
		return false
	}
	v := p.value.Get(member)
	return v != nil && (p.inside || !v.IsList || len(v.Items) > 0)
}

// object reports whether a place has an object: another trait may have put a text there.
func object(p *place) bool {
	v := p.value
	return p.is.Kind == document.ObjectKind && (v == nil || v.Json == "" && !v.IsText && !v.IsList)
}

func unknownMember(r *reply, p *place) {
	name := generators.Pick(r.Choices, []string{"assumptions", "createdAt", "expected_output", "risk level"})
	p.value.Add(name, generators.Raw(`["none",{"score":0.5}]`))
	if !p.is.Drops && !p.is.Open && p.is.Members != nil {
		r.fault(harness.ExtraField, p.at+"/"+name, generators.Coerce)
	}
}

func duplicateMember(r *reply, p *place) {
	i := r.Below(len(p.value.Fields))
	again := p.value.Fields[i]
	p.value.Fields = append(p.value.Fields, again)
	if p.value.Fields[i].IsText {
		p.value.Fields[i].Value = generators.Text("an earlier value")
	}
	if r.DuplicateKeys != harness.Last {
		r.fault(harness.DuplicateKey, p.at+"/"+again.Name, 0)
	}
}

func memberCase(r *reply, p *place) {
	i := slices.IndexFunc(p.parent.Fields, func(f generators.Field) bool { return f.Name == p.member.Name })
	p.parent.Fields[i].Name = titled(p.member.Name)
	constant := p.is.Kind == document.EnumKind && len(p.is.Values) == 1 // without it the other members mean nothing
	if r.fault(harness.MissingField, p.in, 0); !p.object.Drops && !constant {
		r.fault(harness.ExtraField, p.in+"/"+titled(p.member.Name), 0)
	}
}

func numberForID(r *reply, p *place) {
	digits := ""
	if p.value.IsText {
		digits = p.value.Str
	}
	if v := jsontext.Value(digits); p.is.Digits && v.IsValid() && v.Kind() == '0' {
		*p.value = generators.Raw(digits)
		r.fault(harness.BadType, p.at, generators.Coerce)
		return
	}
	put("7")(r, p)
	if p.is.Digits {
		r.Open, r.Takes = true, generators.Coerce // the id is another one
	}
}

func unlisted(r *reply, p *place) {
	*p.value = p.value.Items[0]
	r.fault(harness.BadType, p.at, generators.Coerce)
}

// word replaces a string of a closed list.
func (r *reply) word(p *place, word string) {
	r.fault(cmp.Or(harness.Code(p.is.Code), harness.BadType), p.at, 0)
	*p.value = generators.Text(word)
	if p.is.Folds && slices.ContainsFunc(p.is.Values, func(v string) bool {
		return strings.EqualFold(strings.TrimSpace(word), v)
	}) {
		r.Code, r.At = "", nil
	}
}

func tooDeep(r *reply, p *place) {
	deep := strings.Repeat("[", harness.DefaultMaxDepth+6) + strings.Repeat("]", harness.DefaultMaxDepth+6)
	p.value.Fields = append([]generators.Field{{Name: "notes", Value: generators.Raw(deep)}}, p.value.Fields...)
	r.Code = harness.TooDeep
}
