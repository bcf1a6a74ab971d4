package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/operations/spec"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/plan"
)

// operation is one decoded operation.
type operation struct {
	kind     string
	id       string    // of the step to change, as the reply spells it
	reason   string    // why, as far as it is a text
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

// failure says why an operation failed, and where: its pointer leads from the
// operation on.
type failure = strictjson.Fault

type path = strictjson.Path

func fail(code harness.Code, at, format string, args ...any) *failure {
	return &failure{Code: code, Pointer: at, Message: fmt.Sprintf(format, args...)}
}

// decoder decodes an operation and keeps the first fault.
type decoder struct {
	strictjson.Reader
	*operation
	profile *harness.Profile
}

// decodeOperation checks the shape of one operation. Of a malformed one the
// result holds what was read before the fault.
func decodeOperation(v *strictjson.Value, p *harness.Profile) (*operation, *failure) {
	d := decoder{operation: &operation{}, profile: p}
	d.read(v)
	return d.operation, d.Fault
}

func (d *decoder) read(v *strictjson.Value) {
	if !d.Is(v, strictjson.Object, path{}, "an operation") {
		return
	}
	d.reason = v.Get("reason").Str()
	d.kind, _ = d.Text(v, path{}, "type", true)
	if d.Fault == nil && !slices.Contains([]string{kindAdd, kindModify, kindRemove, kindReorder}, d.kind) {
		d.Fail(harness.UnknownOperation, path{}.Member("type"),
			"unknown operation %q (valid are add, modify, remove, reorder)", d.kind)
	}
	used := [...]string{"type", "reason", d.readID(v), d.readPosition(v), d.readData(v)}
	d.Text(v, path{}, "reason", false)
	for _, m := range v.Counted() {
		if m.Value.Kind != strictjson.Null && !slices.Contains(used[:], m.Name) {
			d.unused = append(d.unused, m.Name)
		}
	}
}

// readID reads the id of a step, and returns the member with it: the first of
// the names that the policy takes. A step to add is named in its step_data.
func (d *decoder) readID(v *strictjson.Value) string {
	if d.Fault != nil || d.kind == kindAdd {
		return ""
	}
	names := spec.IDNames()
	if d.profile.StepIDNames != harness.Any {
		names = names[:1]
	}
	i := slices.IndexFunc(names, func(name string) bool { return v.Given(name) != nil })
	if i < 0 { // null is as good as nothing beside another name, but no id
		i = max(0, slices.IndexFunc(names, func(name string) bool { return v.Get(name) != nil }))
	}
	d.id = d.ID(v, path{}, names[i])
	return names[i]
}

func (d *decoder) readPosition(v *strictjson.Value) string {
	if d.Fault != nil || d.kind != kindAdd && d.kind != kindReorder {
		return ""
	}
	m := v.Get("position")
	switch {
	case m == nil && d.kind == kindReorder:
		d.Fail(harness.MissingField, path{}, `the member "position" is missing`)
		return ""
	case d.kind == kindAdd && v.Given("position") == nil:
		return ""
	}
	d.position = d.decodePosition(m)
	return "position"
}

func (d *decoder) readData(v *strictjson.Value) string {
	if d.Fault != nil || d.kind != kindAdd && d.kind != kindModify {
		return ""
	}
	if m := d.Member(v, path{}, "step_data", strictjson.Object, true); m != nil {
		d.step(m)
	}
	if d.kind == kindAdd && !d.data.named() {
		d.Fail(harness.MissingField, dataPath(), "a step needs a name or a description")
	}
	return "step_data"
}

// position is where a step goes: to an index, or beside another step.
type position struct {
	index float64 // beyond every list if it is too large for one
	side  string  // before or after; "" is an index
	id    string
}

// decodePosition reads a position: an integer, or by the policy any also a string of
// digits, before:ID or after:ID. It is nil where there is a fault.
func (d *decoder) decodePosition(v *strictjson.Value) *position {
	at := path{}.Member("position")
	text := v.Kind == strictjson.String && d.profile.Positions == harness.Any
	side, id, anchored := strings.Cut(v.Text, ":")
	switch {
	case text && anchored && (side == "before" || side == "after"):
		if strings.TrimSpace(id) != "" {
			return &position{side: side, id: id}
		}
		d.Fail(harness.EmptyID, at, "the position names a step with a blank id")
		return nil
	case text && (v.Text == "" || strings.Trim(v.Text, "0123456789") != ""):
		d.Fail(harness.BadType, at, "position must be an integer, before:ID or after:ID, not %q", v.Text)
		return nil
	case !text && v.Kind != strictjson.Number:
		d.Fail(harness.BadType, at, "position must be an integer, not %s", v.Kind)
		return nil
	}
	n, _ := strconv.ParseFloat(v.Text, 64) // infinite if it is out of range
	if n != math.Trunc(n) {
		d.Fail(harness.BadType, at, "position must be an integer, not %s", v.Text)
		return nil
	}
	return &position{index: n}
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
