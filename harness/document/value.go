package document

import (
	"slices"
)

// Kind is the type of a JSON value.
type Kind string

// The kinds. An id is a text that is not blank.
const (
	AnyKind     Kind = ""
	ObjectKind  Kind = "object"
	ListKind    Kind = "array"
	TextKind    Kind = "string"
	IDKind      Kind = "id"
	EnumKind    Kind = "enum"
	NumberKind  Kind = "number"
	IntegerKind Kind = "integer"
	BoolKind    Kind = "boolean"
)

// Value declares a JSON value of a document. The JSON Schema, the coercion of replies, the
// paths of ids and items and the traits of shape are derived from it.
//
// The methods return changed copies, so a declaration reads as one expression.
// It has a field for each thing that a declaration can say; most values set few.
type Value struct {
	Kind Kind
	// Name is the key of the value in the schema's $defs; "" writes it in place. Of a
	// document it is the title.
	Name string
	Text string // a description for models
	Null bool   // null means the same as absent
	// Called is what messages call it, with an article; "" means the name of the member.
	Called string

	Members []Member // of an object
	Open    bool     // of an object: any other member may follow
	Drops   bool     // of an object: other members are dropped with a warning
	Bare    string   // of an object: the member that an array is read as; the array is a whole reply or fence
	// Markers are names of members of other documents: an object with one is refused by name, not overlooked.
	Markers []string
	// Choice lists alternative members: only the first that an object has counts, the others are unknown.
	Choice []string

	Item    *Value // of a list
	Set     bool   // of a list: the order has no meaning
	Counted bool   // of a list: its items are counted as requests
	Lone    bool   // of a list: only an object is coerced to a list of one
	Filled  bool   // of a list: it has an item

	Values      []string // of an enumeration; of a text, examples
	Folds       bool     // of an enumeration: case and white space around it do not count
	Code        string   // of an enumeration: the code for another word, if not bad_type
	Least, Most string   // of a number: bounds as JSON, "" for none
	Prose       bool     // of an id: it is a text that is not blank, and names nothing
	Digits      bool     // of an id: an integer is coerced to its digits
	// Except reports which texts an id must not be; nil means none.
	Except func(text string) bool
	Anchor bool // of a position: it may be before:ID or after:ID

	Ignored bool // a value of a wrong type is ignored with a warning

	Of       []Value // alternatives: the value fits exactly one
	Defs     []Value // shared definitions that only keywords refer to
	Keywords string  // further keywords of the schema: the members of a JSON object
}

// Member declares a member of an object.
type Member struct {
	Name string
	Value
	Required bool
	Nullable bool     // null is the same as absent, although the value has no null
	Alias    []string // other names of the member, which counts if both are given
	Note     string   // a description of the member, where its value is shared
}

// Object declares an object; unknown members are an error.
func Object(members ...Member) Value { return Value{Kind: ObjectKind, Members: members} }

// Needs declares a required member.
func Needs(name string, v Value) Member { return Member{Name: name, Value: v, Required: true} }

// May declares an optional member, for which null is the same as absent.
func May(name string, v Value) Member {
	if v.Name == "" {
		v.Null = true
	}
	return Member{Name: name, Value: v, Nullable: true}
}

// Plain declares an optional member that cannot be null.
func Plain(name string, v Value) Member { return Member{Name: name, Value: v} }

// Says returns the member with a description.
func (m Member) Says(text string) Member {
	if m.Value.Name != "" {
		m.Note = text
	} else {
		m.Text = text
	}
	return m
}

// Also returns the member with other names.
func (m Member) Also(names ...string) Member { m.Alias = names; return m }

// List declares a list.
func List(item Value) Value { return Value{Kind: ListKind, Item: &item} }

// Text declares any string; the examples are words with a meaning.
func Text(examples ...string) Value { return Value{Kind: TextKind, Values: examples} }

// ID declares a string that is not blank.
func ID() Value { return Value{Kind: IDKind} }

// Prose declares a text that is not blank.
func Prose() Value { return Value{Kind: IDKind, Prose: true} }

// Enum declares a string out of a closed list.
func Enum(values ...string) Value { return Value{Kind: EnumKind, Values: values} }

// Number declares a number.
func Number() Value { return Value{Kind: NumberKind} }

// Integer declares an integer between two bounds in JSON, "" for none.
func Integer(least, most string) Value { return Value{Kind: IntegerKind, Least: least, Most: most} }

// Any declares any value; keywords, the members of a JSON object, restrict it in the schema.
func Any(keywords string) Value { return Value{Keywords: keywords} }

// OneOf declares a value that fits exactly one alternative.
func OneOf(alternatives ...Value) Value { return Value{Of: alternatives} }

// As returns the value under a name, by which schemas define it once.
func (v Value) As(name string) Value { v.Name = name; return v }

// Says returns the value with a description.
func (v Value) Says(text string) Value { v.Text = text; return v }

// OrNull returns the value with null as a second form of its absence.
func (v Value) OrNull() Value { v.Null = true; return v }

// Opened returns the object with any other members allowed.
func (v Value) Opened() Value { v.Open = true; return v }

// Counts returns the list with its items counted.
func (v Value) Counts() Value { v.Counted = true; return v }

// Unordered returns the list as a set.
func (v Value) Unordered() Value { v.Set = true; return v }

// With returns the value with further keywords of its schema, the members of a JSON object.
func (v Value) With(keywords string) Value { v.Keywords = keywords; return v }

// Member returns the first declaration, in the object or one of its alternatives, of a member under
// any of its names, or nil.
func (v *Value) Member(name string) *Member {
	for i := range v.Members {
		if m := &v.Members[i]; m.Name == name || slices.Contains(m.Alias, name) {
			return m
		}
	}
	for i := range v.Of {
		if m := v.Of[i].Member(name); m != nil {
			return m
		}
	}
	return nil
}

// Known lists the names of all members.
func (v *Value) Known() (names []string) {
	for _, m := range v.Members {
		names = append(append(names, m.Name), m.Alias...)
	}
	return names
}
