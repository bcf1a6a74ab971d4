package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
)

// operation is one decoded operation.
type operation struct {
	kind     string
	id       string    // of the step to change, as the reply spells it
	position *position // nil if none was given
	data     data
	unused   []string // members that mean nothing here
}

// The kinds of operation.
const (
	kindAdd     = "add"
	kindModify  = "modify"
	kindRemove  = "remove"
	kindReorder = "reorder"
)

// failure says why an operation failed, and where: at is a JSON Pointer from
// the operation on.
type failure struct {
	code    harness.Code
	at      string
	message string
}

func fail(code harness.Code, at, message string) *failure { return &failure{code, at, message} }

// ofKind fails for a member that is not of the kind that it must have.
func ofKind(v *strictjson.Value, kind strictjson.Kind, at, name string) *failure {
	if v.Kind == kind {
		return nil
	}
	return fail(harness.BadType, at, name+" must be "+kind.String()+", not "+v.Kind.String())
}

// required returns a member that must be there, and be of a kind: null is none.
func required(v *strictjson.Value, name string, kind strictjson.Kind) (*strictjson.Value, *failure) {
	m := v.Get(name)
	if m == nil {
		return nil, missing(name)
	}
	return m, ofKind(m, kind, "/"+name, name)
}

func missing(name string) *failure {
	return fail(harness.MissingField, "", "the member "+strconv.Quote(name)+" is missing")
}

// decodeOperation checks the shape of one operation. Of a malformed one the
// result holds what was read before the fault.
func decodeOperation(v *strictjson.Value, p harness.Profile) (operation, *failure) {
	var op operation
	if f := ofKind(v, strictjson.Object, "", "an operation"); f != nil {
		return op, f
	}
	kind, f := required(v, "type", strictjson.String)
	if f != nil {
		return op, f
	}
	op.kind = kind.Text
	if !slices.Contains([]string{kindAdd, kindModify, kindRemove, kindReorder}, op.kind) {
		return op, fail(harness.UnknownOperation, "/type", strconv.Quote(op.kind)+" is no operation (add, modify, remove, reorder)")
	}
	used := []string{"type", "reason"}
	for _, read := range []func(*strictjson.Value, harness.Profile) (string, *failure){op.readID, op.readPosition, op.readData} {
		name, f := read(v, p)
		if f != nil {
			return op, f
		}
		used = append(used, name)
	}
	if r := given(v, "reason"); r != nil {
		if f := ofKind(r, strictjson.String, "/reason", "reason"); f != nil {
			return op, f
		}
	}
	for name, m := range v.Counting() {
		if m.Kind != strictjson.Null && !slices.Contains(used, name) {
			op.unused = append(op.unused, name)
		}
	}
	return op, nil
}

// given returns a member that is there and not null.
func given(v *strictjson.Value, name string) *strictjson.Value {
	if m := v.Get(name); m != nil && m.Kind != strictjson.Null {
		return m
	}
	return nil
}

// readID reads which step is meant, and tells by which member: the first of
// the names that the policy takes. A step to add is named in its step_data.
func (op *operation) readID(v *strictjson.Value, p harness.Profile) (string, *failure) {
	if op.kind == kindAdd {
		return "", nil
	}
	names := []string{"step_id"}
	if p.StepIDNames == harness.Any {
		names = append(names, "stepID", "stepId", "id")
	}
	i := slices.IndexFunc(names, func(name string) bool { return given(v, name) != nil })
	if i < 0 { // null is as good as nothing beside another name, but no id
		i = max(0, slices.IndexFunc(names, func(name string) bool { return v.Get(name) != nil }))
	}
	id, f := required(v, names[i], strictjson.String)
	if f != nil {
		return names[i], f
	}
	op.id = id.Text
	if strings.TrimSpace(op.id) == "" {
		return names[i], fail(harness.EmptyID, "/"+names[i], "the step id is blank")
	}
	return names[i], nil
}

func (op *operation) readPosition(v *strictjson.Value, p harness.Profile) (string, *failure) {
	if op.kind != kindAdd && op.kind != kindReorder {
		return "", nil
	}
	m := v.Get("position")
	switch {
	case m == nil && op.kind == kindReorder:
		return "", missing("position")
	case op.kind == kindAdd && given(v, "position") == nil:
		return "", nil
	}
	var f *failure
	op.position, f = readPosition(m, p.Positions)
	return "position", f
}

func (op *operation) readData(v *strictjson.Value, _ harness.Profile) (string, *failure) {
	if op.kind != kindAdd && op.kind != kindModify {
		return "", nil
	}
	m, f := required(v, "step_data", strictjson.Object)
	if f == nil {
		f = op.data.read(m)
	}
	if f == nil && op.kind == kindAdd && !op.data.named() {
		f = fail(harness.MissingField, dataAt, "a step needs a name or a description")
	}
	return "step_data", f
}

// position is where a step goes: to an index, or beside another step.
type position struct {
	index float64 // beyond every list if it is too large for one
	side  string  // before or after; "" is an index
	id    string
}

// readPosition reads a position: an integer, or by the policy any also a string
// of digits, before:ID or after:ID.
func readPosition(v *strictjson.Value, policy string) (*position, *failure) {
	const at = "/position"
	text := v.Kind == strictjson.String && policy == harness.Any
	side, id, anchored := strings.Cut(v.Text, ":")
	switch {
	case text && anchored && (side == "before" || side == "after"):
		if strings.TrimSpace(id) == "" {
			return nil, fail(harness.EmptyID, at, "the position names a step with a blank id")
		}
		return &position{side: side, id: id}, nil
	case text && (v.Text == "" || strings.Trim(v.Text, "0123456789") != ""):
		return nil, fail(harness.BadType, at, "position must be an integer, before:ID or after:ID, not "+strconv.Quote(v.Text))
	case !text && v.Kind != strictjson.Number:
		return nil, fail(harness.BadType, at, "position must be an integer, not "+v.Kind.String())
	}
	n, _ := strconv.ParseFloat(v.Text, 64) // infinite if it is out of range
	if n != math.Trunc(n) {
		return nil, fail(harness.BadType, at, "position must be an integer, not "+v.Text)
	}
	return &position{index: n}, nil
}

// place turns a position into an index from 0 to the length of the list. It is
// not ok if it is out of range or names a step that is not there.
func (p *position) place(c *change, steps []*plan.Step) (i int, ok bool) {
	if p.side == "" {
		ok = p.index >= 0 && p.index <= float64(len(steps))
		if ok {
			i = int(p.index)
		}
		return i, ok
	}
	i = slices.Index(steps, c.stands[c.spell(p.id)])
	if i >= 0 && p.side == "after" {
		return i + 1, true
	}
	return i, i >= 0
}
