package rules

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
)

// update is a decoded reply. Its operations stay as they are until their turn,
// since a malformed one fails alone.
type update struct {
	root *strictjson.Value
	ops  []strictjson.Value

	name, description, reason string // "" where the reply gives none
}

// declared is the declaration of the document; nothing writes to it. The names of a step's id
// are all known here, so that coercion never strips one that the profile takes.
var declared = spec.Update(spec.IDNames()[1:]...)

func decode(root *strictjson.Value) (*update, []harness.Warning, *harness.Refusal) {
	var r strictjson.Reader
	ops := r.Member(root, path{}, "operations", strictjson.Array, true)
	if ops == nil {
		return nil, nil, harness.RefuseFault(r.Fault)
	}
	u := &update{root: root, ops: ops.Items}
	var unknown []string
	members := root.Counted()
	for i := range members {
		switch name, v := members[i].Name, &members[i].Value; {
		case name == "operations":
		case name == "plan_metadata" && v.Kind == strictjson.Object:
			unknown = append(unknown, u.metadata(v)...)
		case name == "plan_metadata" && v.Kind == strictjson.Null:
		default:
			unknown = append(unknown, name)
		}
	}
	return u, harness.UnknownFields(unknown), nil
}

// metadata reads plan_metadata and returns the names of the members that it
// cannot use.
func (u *update) metadata(v *strictjson.Value) (unknown []string) {
	members := v.Counted()
	for i := range members {
		name, m := members[i].Name, &members[i].Value
		text := m.Kind == strictjson.String
		switch {
		case m.Kind == strictjson.Null && slices.Contains([]string{"name", "description", "update_reason"}, name):
		case name == "name" && text:
			u.name = strings.TrimSpace(m.Text)
		case name == "description" && text:
			u.description = m.Text
		case name == "update_reason" && text:
			u.reason = m.Text
		default:
			unknown = append(unknown, name)
		}
	}
	return unknown
}
