package plan

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/strictjson"
)

// jsonStep is a step as JSON has it.
type jsonStep struct {
	ID            string         `json:"id"`
	Description   string         `json:"description"`
	Dependencies  []string       `json:"dependencies"`
	Status        Status         `json:"status"`
	ToolsExpected []string       `json:"tools_expected"`
	Extra         jsontext.Value `json:",embed"`
}

func (p *Plan) jsonSteps() []jsonStep {
	steps := make([]jsonStep, len(p.Steps))
	for i, s := range p.Steps {
		steps[i] = jsonStep(s)
	}
	return steps
}

// MarshalJSONTo writes the canonical form: title, steps and, where there is
// one, verification_policy.
func (p Plan) MarshalJSONTo(enc *jsontext.Encoder) error {
	steps := p.jsonSteps()
	if r := p.Record; r != nil {
		return json.MarshalEncode(enc, struct {
			ID          string           `json:"id,omitzero"`
			Name        string           `json:"name"`
			Description string           `json:"description"`
			Version     int              `json:"version"`
			Steps       []jsonStep       `json:"steps"`
			History     []jsontext.Value `json:"history"`
		}{r.ID, r.Name, r.Description, r.Version, steps, r.History})
	}
	return json.MarshalEncode(enc, struct {
		Title              string     `json:"title"`
		Steps              []jsonStep `json:"steps"`
		VerificationPolicy string     `json:"verification_policy,omitzero"`
	}{p.Title, steps, p.VerificationPolicy})
}

// UnmarshalJSONFrom reads a plan by the rules of [Decode], but does not ask
// that its graph be sound: an engine's answer is decoded first and judged
// afterwards.
func (p *Plan) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	q, err := decode(raw, either)
	if err != nil {
		return err
	}
	*p = *q
	return nil
}

// maxDepth bounds the nesting of a plan's unknown members.
const maxDepth = 1000

// Error says what is wrong with a plan document and where.
type Error struct {
	Pointer string // JSON Pointer to the value to blame
	Offset  int    // byte offset
	Message string
}

func (e *Error) Error() string {
	if e.Pointer == "" {
		return e.Message
	}
	return e.Pointer + ": " + e.Message
}

// Decode reads a plan that something is to be done with: well-formed and UTF-8,
// no duplicate names, statuses spelled exactly, unique ids that are not blank,
// dependencies that exist, no cycle. The error is an *Error.
func Decode(data []byte) (*Plan, error) {
	return decodeSound(data, titled)
}

func decodeSound(data []byte, f form) (*Plan, error) {
	p, err := decode(data, f)
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return p, nil
}

// Check reports the first thing that makes the plan unsound: no step, a blank
// or repeated id, an unknown status, a missing dependency, a cycle. The error
// is an *Error.
func (p *Plan) Check() error {
	if len(p.Steps) == 0 {
		return &Error{Pointer: "/steps", Message: "a plan needs at least one step"}
	}
	seen := make(map[string]int, len(p.Steps))
	for i, s := range p.Steps {
		if strings.TrimSpace(s.ID) == "" {
			return &Error{Pointer: stepAt(i).String() + "/id", Message: "the id is blank"}
		}
		if j, ok := seen[s.ID]; ok {
			return &Error{Pointer: stepAt(i).String() + "/id", Message: fmt.Sprintf("the id %q stands at /steps/%d already", s.ID, j)}
		}
		seen[s.ID] = i
		if !p.known(s.Status) {
			return &Error{Pointer: stepAt(i).String() + "/status", Message: fmt.Sprintf("%q is no status (%s)", s.Status, p.statusNames())}
		}
	}
	if e, ok := p.missing(seen); ok {
		at := fmt.Sprintf("/steps/%d/dependencies/%d", seen[e.Step], e.Index)
		return &Error{Pointer: at, Message: fmt.Sprintf("depends on %q, which is not in the plan", e.To)}
	}
	if c := p.cycle(seen); c != nil {
		at := fmt.Sprintf("/steps/%d/dependencies", seen[c[0]])
		return &Error{Pointer: at, Message: "the dependencies form a cycle: " + strings.Join(append(c, c[0]), " → ")}
	}
	return nil
}

// stepAt is a step's place in the document; -1 is the document itself.
type stepAt int

func (i stepAt) String() string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("/steps/%d", int(i))
}

// decode reads a plan of the usual form the quick way, and all others with an
// eye for what is wrong with them.
func decode(data []byte, f form) (*Plan, error) {
	if f != recorded {
		if p, ok := quick(data); ok {
			return p, nil
		}
	}
	return decodeThoroughly(data, f)
}

func decodeThoroughly(data []byte, f form) (*Plan, error) {
	if i := strictjson.InvalidUTF8(data); i >= 0 {
		return nil, &Error{Offset: i, Message: fmt.Sprintf("the byte 0x%02x is not UTF-8", data[i])}
	}
	doc, err := strictjson.Parse(data, maxDepth)
	if err != nil {
		e := err.(*strictjson.Error)
		return nil, &Error{Offset: e.Offset, Message: e.Message}
	}
	for _, d := range doc.Surrogates {
		return nil, &Error{d.Pointer, d.Offset, "holds the escape of a lone surrogate"}
	}
	for _, d := range doc.Duplicates {
		return nil, &Error{d.Pointer, d.Offset, fmt.Sprintf("the member %q stands twice", d.Name)}
	}
	r := reader{data: data}
	p := r.plan(&doc.Root, f)
	if r.err != nil {
		return nil, r.err
	}
	return p, nil
}

// reader decodes a plan and keeps the first error.
type reader struct {
	data []byte
	err  *Error
}

func (r *reader) fail(v *strictjson.Value, at, message string) {
	if r.err == nil {
		r.err = &Error{at, v.Start, message}
	}
}

func (r *reader) plan(v *strictjson.Value, f form) *Plan {
	if v.Kind != strictjson.Object {
		r.fail(v, "", "a plan is an object, not "+v.Kind.String())
		return nil
	}
	p := &Plan{}
	if f == recorded || f == either && v.Get("title") == nil && v.Get("version") != nil {
		p.Record = r.record(v)
		r.steps(p, v)
		return p
	}
	if t, ok := r.text(v, -1, "type", false); ok && t != "FullPlan" {
		r.fail(v.Get("type"), "/type", fmt.Sprintf("the type of a plan is FullPlan, not %q", t))
	}
	p.Title, _ = r.text(v, -1, "title", true)
	p.VerificationPolicy, _ = r.text(v, -1, "verification_policy", false)
	r.steps(p, v)
	return p
}

func (r *reader) steps(p *Plan, v *strictjson.Value) {
	steps := v.Get("steps")
	if steps == nil {
		r.fail(v, "", `the member "steps" is missing`)
		return
	}
	if steps.Kind != strictjson.Array {
		r.fail(steps, "/steps", "steps is a list, not "+steps.Kind.String())
		return
	}
	p.Steps = make([]Step, len(steps.Items))
	for i := range steps.Items {
		r.step(&p.Steps[i], &steps.Items[i], stepAt(i), p.Record == nil)
	}
}

// step reads a step; a description is required unless a name may stand for it.
func (r *reader) step(s *Step, v *strictjson.Value, at stepAt, described bool) {
	if v.Kind != strictjson.Object {
		r.fail(v, at.String(), "a step is an object, not "+v.Kind.String())
		return
	}
	s.ID, _ = r.text(v, at, "id", true)
	s.Description, _ = r.text(v, at, "description", described)
	s.Dependencies = r.texts(v, at, "dependencies")
	s.Status = Pending
	if t, ok := r.text(v, at, "status", false); ok {
		s.Status = Status(t)
	}
	s.ToolsExpected = r.texts(v, at, "tools_expected")
	s.Extra = r.extra(v, !described)
}

// text reads a string member; an optional one may be absent or null.
func (r *reader) text(v *strictjson.Value, at stepAt, name string, required bool) (string, bool) {
	m := v.Get(name)
	switch {
	case m == nil && required:
		r.fail(v, at.String(), fmt.Sprintf("the member %q is missing", name))
	case m == nil || m.Kind == strictjson.Null && !required:
	case m.Kind != strictjson.String:
		r.fail(m, at.String()+"/"+name, fmt.Sprintf("%s is a string, not %s", name, m.Kind))
	default:
		return m.Text, true
	}
	return "", false
}

// texts reads an optional list of strings.
func (r *reader) texts(v *strictjson.Value, at stepAt, name string) []string {
	m := v.Get(name)
	if m == nil || m.Kind == strictjson.Null {
		return nil
	}
	if m.Kind != strictjson.Array {
		r.fail(m, at.String()+"/"+name, fmt.Sprintf("%s is a list, not %s", name, m.Kind))
		return nil
	}
	list := make([]string, len(m.Items))
	for i, item := range m.Items {
		if item.Kind != strictjson.String {
			r.fail(&m.Items[i], fmt.Sprintf("%s/%s/%d", at, name, i), "must be a string, not "+item.Kind.String())
		}
		list[i] = item.Text
	}
	return list
}

// extra collects the members that a Step has no field for. Those that only a
// recorded plan has are left out where they say no more than their absence.
func (r *reader) extra(v *strictjson.Value, recorded bool) jsontext.Value {
	var b []byte
	for _, m := range v.Members {
		switch m.Name {
		case "id", "description", "dependencies", "status", "tools_expected":
			continue
		}
		if recorded && IsDefault(m.Name, &m.Value) {
			continue
		}
		if b == nil {
			b = append(b, '{')
		} else {
			b = append(b, ',')
		}
		b, _ = jsontext.AppendQuote(b, m.Name)
		b = append(b, ':')
		b = append(b, r.data[m.Value.Start:m.Value.End]...)
	}
	if b == nil {
		return nil
	}
	extra := jsontext.Value(append(b, '}'))
	_ = extra.Compact() // it was parsed just now
	return extra
}
