package judge

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/outcome"
	"replanbench/harness/strictjson"
)

// Parsed returns a document, or nil.
func Parsed(raw jsontext.Value) *strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	doc, err := strictjson.Parse(raw, maxNesting)
	if err != nil {
		return nil
	}
	return &doc.Root
}

// Member returns a member, or nil.
func Member(v *strictjson.Value, name string) *strictjson.Value {
	if v == nil {
		return nil
	}
	return v.Get(name)
}

func MembersOf(v *strictjson.Value) []strictjson.Member {
	if v == nil {
		return nil
	}
	return v.Members
}

func TextOf(v *strictjson.Value) string {
	if v == nil || v.Kind != strictjson.String {
		return ""
	}
	return v.Text
}

// ListOf returns the items of a list of strings; nil if v is absent or none.
func ListOf(v *strictjson.Value) []string {
	if v == nil {
		return nil
	}
	list, _ := Texts(v)
	return list
}

// Members returns those of a JSON object; none of no document.
func Members(doc jsontext.Value) ([]strictjson.Member, bool) {
	if len(doc) == 0 {
		return nil, true
	}
	v := Parsed(doc)
	if v == nil || v.Kind != strictjson.Object {
		return nil, false
	}
	return v.Members, true
}

func Get(list []strictjson.Member, name string) *strictjson.Value {
	for i := range list {
		if list[i].Name == name {
			return &list[i].Value
		}
	}
	return nil
}

// Given returns the member unless it is absent or null.
func Given(v *strictjson.Value, name string) *strictjson.Value {
	m := v.Get(name)
	if m == nil || m.Kind == strictjson.Null {
		return nil
	}
	return m
}

// IsTexts reports whether v is absent or a list of strings.
func IsTexts(v *strictjson.Value) bool {
	if v == nil {
		return true
	}
	for i := range v.Items {
		if v.Items[i].Kind != strictjson.String {
			return false
		}
	}
	return v.Kind == strictjson.Array
}

func Texts(v *strictjson.Value) ([]string, bool) {
	if v.Kind != strictjson.Array || !IsTexts(v) {
		return nil, false
	}
	list := make([]string, len(v.Items))
	for i := range v.Items {
		list[i] = v.Items[i].Text
	}
	return list, true
}

// maxNesting is how deep a document of an outcome may nest that is compared.
const maxNesting = 1000

func SameTexts(asked []strictjson.Value, got []string) bool {
	return slices.EqualFunc(asked, got, func(v strictjson.Value, text string) bool { return v.Text == text })
}

// Roles are those of a list of messages, in order.
func Roles(messages jsontext.Value) []string {
	v := Parsed(messages)
	if v == nil {
		return nil
	}
	list := make([]string, len(v.Items))
	for i := range v.Items {
		if role := v.Items[i].Get("role"); role != nil {
			list[i] = role.Text
		}
	}
	return list
}

// Brief cuts a text for a message.
func Brief(s string) string { return outcome.Brief(s) }
