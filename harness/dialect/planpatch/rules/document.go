package rules

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/plan"
	"replanbench/harness/reply"
	"replanbench/harness/strictjson"
)

// patch is a decoded PlanPatch.
type patch struct {
	title  string
	remove []removal
	update []edit
	add    []addition
	reason string
}

type removal struct {
	id    string
	index int // in remove_steps
}

// edit changes a step; nil members stay as they are.
type edit struct {
	id           string
	description  *string
	dependencies *[]string
	tools        *[]string
	at           place // in the reply
}

type addition struct {
	step  plan.Step
	index int // in add_steps
}

// The shapes of the documents; nothing writes to them.
var (
	updateShape = &reply.Shape{Fields: []reply.Field{
		{Name: "id"}, {Name: "description"}, {Name: "dependencies", List: true}, {Name: "tools_expected", List: true},
	}}
	stepShape  = &reply.Shape{Fields: append([]reply.Field{{Name: "status"}}, updateShape.Fields...)}
	patchShape = &reply.Shape{Fields: []reply.Field{
		{Name: "type"},
		{Name: "title"},
		{Name: "remove_steps", List: true},
		{Name: "update_steps", List: true, Item: updateShape},
		{Name: "add_steps", List: true, Item: stepShape},
		{Name: "reason"},
	}, Markers: []string{"steps"}}
	planShape = &reply.Shape{Fields: []reply.Field{
		{Name: "type"},
		{Name: "title"},
		{Name: "steps", List: true, Item: stepShape},
		{Name: "verification_policy"},
	}}
)

// place is where a value stands: an item of a list, or the document itself.
type place struct {
	list  string // JSON Pointer of the list, "" for the document
	index int
}

func (p place) String() string {
	if p.list == "" {
		return ""
	}
	return item(p.list, p.index)
}

// decoder walks over a document and keeps the first refusal.
type decoder struct {
	refusal  *harness.Refusal
	warnings warnings
}

func (d *decoder) fail(code harness.Code, at, format string, args ...any) {
	if d.refusal == nil {
		d.refusal = refuse(code, at, format, args...)
	}
}

func refuse(code harness.Code, at, format string, args ...any) *harness.Refusal {
	return &harness.Refusal{Code: code, At: &at, Message: fmt.Sprintf(format, args...)}
}

// warnings collects warnings: one per code, with its ids in the order met.
type warnings []harness.Warning

func (w *warnings) add(code string, ids ...string) {
	*w = harness.AddWarnings(*w, harness.Warning{Code: code, IDs: ids})
}

// named returns the warnings with each id once.
func (w warnings) named() warnings {
	for i := range w {
		if ids := w[i].IDs; duplicate(len(ids), func(i int) string { return ids[i] }) >= 0 {
			w[i].IDs = unique(ids)
		}
	}
	return w
}

// decodePatch decodes a PlanPatch; extra is the policy for unknown members of
// added steps, and spell gives the ids in warnings the plan's spelling.
func decodePatch(extra string, spell func(id string) string) reply.Decoder[*patch] {
	return func(root *strictjson.Value) (*patch, []harness.Warning, *harness.Refusal) {
		if r := notAPatch(root); r != nil {
			return nil, nil, r
		}
		var d decoder
		for _, m := range root.Members {
			switch m.Name {
			case "type", "title", "remove_steps", "update_steps", "add_steps", "reason":
			default:
				d.fail(harness.ExtraField, "/"+strictjson.Escape(m.Name), "a PlanPatch has no member %q", m.Name)
			}
		}
		p := &patch{}
		d.text(root, place{}, "type", false)
		p.title = d.title(root, false)
		for i, v := range d.items(root, place{}, "remove_steps") {
			p.remove = append(p.remove, removal{d.id(&v, place{"/remove_steps", i}, ""), i})
		}
		updates := d.items(root, place{}, "update_steps")
		p.update = make([]edit, len(updates))
		for i := range updates {
			d.edit(&p.update[i], &updates[i], i)
		}
		adds := d.items(root, place{}, "add_steps")
		p.add = make([]addition, len(adds))
		for i := range adds {
			p.add[i].index = i
			if d.addition(&p.add[i].step, &adds[i], place{"/add_steps", i}, extra) {
				d.warnings.add(harness.WarnStatusForced, spell(p.add[i].step.ID))
			}
		}
		p.reason, _ = d.text(root, place{}, "reason", false)
		return p, d.warnings, d.refusal
	}
}

// notAPatch refuses an object that says it is another document.
func notAPatch(root *strictjson.Value) *harness.Refusal {
	if t := root.Get("type"); t != nil && t.Kind == strictjson.String && t.Text != "PlanPatch" {
		return refuse(harness.WrongDocument, "/type", "the type is %q, not PlanPatch", t.Text)
	}
	if root.Get("steps") != nil {
		return refuse(harness.WrongDocument, "/steps", "an object with steps is a plan, not a PlanPatch")
	}
	return nil
}

// isFullPlan reports whether an object is meant as a whole plan.
func isFullPlan(root *strictjson.Value) bool {
	if root.Get("steps") == nil {
		return false
	}
	t := root.Get("type")
	return t == nil || t.Kind == strictjson.Null || t.Kind == strictjson.String && t.Text == "FullPlan"
}

func (d *decoder) edit(e *edit, v *strictjson.Value, i int) {
	at := place{"/update_steps", i}
	e.at = at
	if !d.object(v, at) {
		return
	}
	for _, m := range v.Members {
		switch m.Name {
		case "id", "description", "dependencies", "tools_expected":
		default:
			d.fail(harness.ExtraField, at.String()+"/"+strictjson.Escape(m.Name), "an update has no member %q (only id, description, dependencies, tools_expected)", m.Name)
		}
	}
	e.id = d.stepID(v, at)
	if s, ok := d.text(v, at, "description", false); ok {
		e.description = &s
	}
	e.dependencies = d.dependencies(v, at)
	e.tools = d.texts(v, at, "tools_expected")
}

// addition decodes a step that comes with a reply: it starts as pending,
// whatever the reply says. It reports whether the reply said otherwise.
func (d *decoder) addition(s *plan.Step, v *strictjson.Value, at place, extra string) bool {
	if !d.object(v, at) {
		return false
	}
	for _, m := range v.Members {
		switch m.Name {
		case "id", "description", "dependencies", "tools_expected", "status":
			continue
		}
		if extra == harness.Drop {
			d.warnings.add(harness.WarnUnknownField, m.Name)
		} else {
			d.fail(harness.ExtraField, at.String()+"/"+strictjson.Escape(m.Name), "a step has no member %q", m.Name)
		}
	}
	return forced(d.planStep(s, v, at))
}

func (d *decoder) object(v *strictjson.Value, at place) bool {
	if v.Kind != strictjson.Object {
		d.fail(harness.BadType, at.String(), "must be an object, not %s", v.Kind)
		return false
	}
	return true
}

// text reads a string member. An optional one may be absent or null.
func (d *decoder) text(v *strictjson.Value, at place, name string, required bool) (string, bool) {
	m := v.Get(name)
	switch {
	case m == nil && required:
		d.fail(harness.MissingField, at.String(), "the member %q is missing", name)
	case m == nil || m.Kind == strictjson.Null && !required:
	case m.Kind != strictjson.String:
		d.fail(harness.BadType, at.String()+"/"+name, "%s must be a string, not %s", name, m.Kind)
	default:
		return m.Text, true
	}
	return "", false
}

// title reads the document's title, without white space round it.
func (d *decoder) title(root *strictjson.Value, required bool) string {
	t, _ := d.text(root, place{}, "title", required)
	return strings.TrimSpace(t)
}

// items reads an optional list.
func (d *decoder) items(v *strictjson.Value, at place, name string) []strictjson.Value {
	m := v.Get(name)
	if m == nil || m.Kind == strictjson.Null {
		return nil
	}
	if m.Kind != strictjson.Array {
		d.fail(harness.BadType, at.String()+"/"+name, "%s must be a list, not %s", name, m.Kind)
		return nil
	}
	return m.Items
}

// id reads a string that names a step; member is what stands behind the place
// in its pointer.
func (d *decoder) id(v *strictjson.Value, at place, member string) string {
	switch {
	case v.Kind != strictjson.String:
		d.fail(harness.BadType, at.String()+member, "an id must be a string, not %s", v.Kind)
	case strings.TrimSpace(v.Text) == "":
		d.fail(harness.EmptyID, at.String()+member, "the id is blank")
	}
	return v.Text
}

func (d *decoder) stepID(v *strictjson.Value, at place) string {
	m := v.Get("id")
	if m == nil {
		d.fail(harness.MissingField, at.String(), `the member "id" is missing`)
		return ""
	}
	return d.id(m, at, "/id")
}

func (d *decoder) dependencies(v *strictjson.Value, at place) *[]string {
	items := d.items(v, at, "dependencies")
	if items == nil && absent(v.Get("dependencies")) {
		return nil
	}
	list := make([]string, len(items))
	for i := range items {
		list[i] = items[i].Text
		if items[i].Kind != strictjson.String || strings.TrimSpace(items[i].Text) == "" {
			d.id(&items[i], at, item("/dependencies", i))
		}
	}
	return &list
}

// texts reads an optional list of strings; nil if it is absent.
func (d *decoder) texts(v *strictjson.Value, at place, name string) *[]string {
	items := d.items(v, at, name)
	if items == nil && absent(v.Get(name)) {
		return nil
	}
	list := make([]string, len(items))
	for i, item := range items {
		if item.Kind != strictjson.String {
			d.fail(harness.BadType, fmt.Sprintf("%s/%s/%d", at, name, i), "must be a string, not %s", item.Kind)
		}
		list[i] = item.Text
	}
	return &list
}

func absent(v *strictjson.Value) bool { return v == nil || v.Kind == strictjson.Null }

// forced reports whether a reply claimed a status that its step does not get.
func forced(said *string) bool { return said != nil && plan.Status(*said) != plan.Pending }

// fullPlan is a decoded FullPlan of a reply. Its steps are as the reply wrote
// them; what they become depends on the plan.
type fullPlan struct {
	title  string
	steps  []plan.Step
	said   []*string // the status that each step claimed
	policy *string
}

func decodeFullPlan(root *strictjson.Value) (*fullPlan, []harness.Warning, *harness.Refusal) {
	if t := root.Get("type"); t != nil && t.Kind == strictjson.String && t.Text != "FullPlan" {
		return nil, nil, refuse(harness.WrongDocument, "/type", "the type is %q, not FullPlan", t.Text)
	}
	var d decoder
	d.unknown(root, "type", "title", "steps", "verification_policy")
	p := &fullPlan{}
	d.text(root, place{}, "type", false)
	p.title = d.title(root, true)
	steps := root.Get("steps")
	if steps == nil {
		d.fail(harness.MissingField, "", `the member "steps" is missing`)
		return nil, nil, d.refusal
	}
	if steps.Kind != strictjson.Array {
		d.fail(harness.BadType, "/steps", "steps must be a list, not %s", steps.Kind)
	}
	p.steps = make([]plan.Step, len(steps.Items))
	p.said = make([]*string, len(steps.Items))
	for i := range steps.Items {
		v, at := &steps.Items[i], place{"/steps", i}
		if !d.object(v, at) {
			continue
		}
		d.unknown(v, "id", "description", "dependencies", "status", "tools_expected")
		p.said[i] = d.planStep(&p.steps[i], v, at)
	}
	if s, ok := d.text(root, place{}, "verification_policy", false); ok {
		p.policy = &s
	}
	return p, d.warnings, d.refusal
}

func (d *decoder) unknown(v *strictjson.Value, known ...string) {
	for _, m := range v.Members {
		if !slices.Contains(known, m.Name) {
			d.warnings.add(harness.WarnUnknownField, m.Name)
		}
	}
}

// planStep decodes a new step, which is pending, and returns the status that it
// claims, if any.
func (d *decoder) planStep(s *plan.Step, v *strictjson.Value, at place) *string {
	s.ID = d.stepID(v, at)
	s.Description, _ = d.text(v, at, "description", true)
	if deps := d.dependencies(v, at); deps != nil && len(*deps) > 0 {
		s.Dependencies = *deps
	}
	said, claims := d.text(v, at, "status", false)
	s.Status = plan.Pending
	if tools := d.texts(v, at, "tools_expected"); tools != nil && len(*tools) > 0 {
		s.ToolsExpected = *tools
	}
	if !claims {
		return nil
	}
	return &said
}
