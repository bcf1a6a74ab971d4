package reply

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document"
	"replanbench/harness/document/strictjson"
)

// Fault returns the first fault of a value by its declaration, with its place in the value; nil if it has none. Of an
// object it is an unknown member, or else one of the declared members, in their order. Alternatives are not looked at.
func Fault(d *document.Value, v *strictjson.Value) *strictjson.Fault {
	return fault(d, v, called{"a ", cmp.Or(d.Name, "document")})
}

// called is what messages call a value: by the name of a member, of the list that it is an item of, or of the document.
type called struct{ before, name string }

func (c called) String() string { return c.before + c.name }

func fault(d *document.Value, v *strictjson.Value, name called) *strictjson.Fault {
	kind := kindOf(d.Kind)
	if d.Called != "" {
		name = called{"", d.Called}
	}
	switch {
	case d.Kind == document.AnyKind:
	case v.Kind != kind:
		return newFault(harness.BadType, "%s must be %s, not %s", name, kind, v.Kind)
	case d.Kind == document.IDKind && strings.TrimSpace(v.Text) == "" && d.Prose:
		return newFault(harness.EmptyID, "the %s is blank", name)
	case d.Kind == document.IDKind && strings.TrimSpace(v.Text) == "":
		return newFault(harness.EmptyID, "the id is blank")
	case d.Except != nil && d.Except(strings.TrimSpace(v.Text)):
		return newFault(harness.BadType, "%s cannot be %q", name, v.Text)
	case d.Kind == document.EnumKind && !slices.Contains(d.Values, v.Text):
		return newFault(cmp.Or(harness.Code(d.Code), harness.BadType), "the %s is %q, not %s", name, v.Text,
			strings.Join(d.Values, " or "))
	case d.Filled && len(v.Items) == 0:
		return newFault(harness.BadType, "%s is empty", name)
	case d.Kind == document.ListKind:
		for i := range v.Items {
			if f := fault(d.Item, &v.Items[i], called{"an item of ", name.name}); f != nil {
				return below(strconv.Itoa(i), f)
			}
		}
	case d.Kind == document.ObjectKind:
		return faultOfMembers(d, v, name)
	}
	return nil
}

// kindOf returns the kind of JSON that a declared value has.
func kindOf(k document.Kind) strictjson.Kind {
	switch k {
	case document.ObjectKind:
		return strictjson.Object
	case document.ListKind:
		return strictjson.Array
	case document.NumberKind, document.IntegerKind:
		return strictjson.Number
	case document.BoolKind:
		return strictjson.Bool
	}
	return strictjson.String
}

func faultOfMembers(d *document.Value, v *strictjson.Value, name called) *strictjson.Fault {
	closed := !d.Open && !d.Drops && d.Members != nil
	for i := range v.Members {
		if other := v.Members[i].Name; closed && d.Member(other) == nil {
			return below(strictjson.Escape(other), newFault(harness.ExtraField, "%s has no member %q (only %s)", name, other,
				strings.Join(d.Known(), ", ")))
		}
	}
	for i := range d.Members {
		m := &d.Members[i]
		given := v.Get(m.Name)
		switch {
		case given == nil && m.Required:
			return newFault(harness.MissingField, "the member %q is missing", m.Name)
		case given == nil || given.Kind == strictjson.Null && !m.Required:
			continue
		}
		if f := fault(&m.Value, given, called{"", m.Name}); f != nil {
			return below(strictjson.Escape(m.Name), f)
		}
	}
	return nil
}

func newFault(code harness.Code, format string, args ...any) *strictjson.Fault {
	return &strictjson.Fault{Code: code, Message: fmt.Sprintf(format, args...)}
}

// below puts the place of a fault below a member or an item.
func below(token string, f *strictjson.Fault) *strictjson.Fault {
	f.Pointer = "/" + token + f.Pointer
	return f
}
