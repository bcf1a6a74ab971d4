package plan

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness/document/strictjson"
)

// MarshalJSONTo writes the canonical form: title, steps and, where there is
// one, verification_policy.
func (p Plan) MarshalJSONTo(enc *jsontext.Encoder) error { return enc.WriteValue(p.Encode()) }

// Encode is [json.Marshal] for plans whose further members and history are valid: it does not check them.
func (p *Plan) Encode() jsontext.Value {
	b := make([]byte, 0, stepSize*(1+len(p.Steps)))
	switch r := p.Record; {
	case p.Listed:
		b = append(p.appendSteps(b, `{"items":[`), '}')
	case p.Tasks:
		b = append(p.appendSteps(b, `{"tasks":[`), '}')
	case r != nil:
		b = append(p.appendRecord(b), `,"history":[`...)
		for i, entry := range r.History {
			b = append(append(b, ","[:min(i, 1)]...), entry...)
		}
		b = append(b, "]}"...)
	default:
		b = p.appendSteps(quoted(b, `{"title":`, p.Title), `,"steps":[`)
		if p.VerificationPolicy != "" {
			b = quoted(b, `,"verification_policy":`, p.VerificationPolicy)
		}
		b = append(b, '}')
	}
	return b
}

// stepSize is the size of most steps in bytes.
const stepSize = 256

// appendSteps appends a prefix and the list of the steps.
func (p *Plan) appendSteps(b []byte, before string) []byte {
	b = append(b, before...)
	for i := range p.Steps {
		b = p.appendStep(append(b, ","[:min(i, 1)]...), &p.Steps[i])
	}
	return append(b, ']')
}

// appendStep appends a step as a plan of this kind has it.
func (p *Plan) appendStep(b []byte, s *Step) []byte {
	switch {
	case p.Listed:
		if b = append(b, '{'); s.ID != "" {
			b = append(quoted(b, `"id":`, s.ID), ',')
		}
		b = quoted(quoted(b, `"content":`, s.Description), `,"status":`, string(s.Status))
	case p.Tasks:
		b = quoted(quoted(b, `{"id":`, s.ID), `,"subject":`, s.Description)
		if b = quoted(b, `,"status":`, string(s.Status)); s.Dependencies != nil {
			b = listed(b, `,"blocked_by":`, s.Dependencies)
		}
	default:
		b = quoted(quoted(b, `{"id":`, s.ID), `,"description":`, s.Description)
		b = quoted(listed(b, `,"dependencies":`, s.Dependencies), `,"status":`, string(s.Status))
		b = listed(b, `,"tools_expected":`, s.ToolsExpected)
	}
	if at := len(b); len(s.Extra) > 0 {
		if b, _ = jsontext.AppendFormat(b, s.Extra); len(b) > at+len("{}") {
			b[at] = ','
			return b
		}
		b = b[:at]
	}
	return append(b, '}')
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

// UnmarshalJSON lets encoding/json read a plan, too.
func (p *Plan) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, p) }

// maxDepth bounds the nesting of a plan's unknown members.
const maxDepth = 1000

// Error is a mistake in a plan document, with its place.
type Error = strictjson.Fault

// Decode reads a plan that is valid: well-formed and UTF-8,
// no duplicate names, statuses spelled exactly, unique ids that are not blank,
// dependencies that exist, no cycle. The error is an *Error.
func Decode(data []byte) (*Plan, error) { return decodeSound(data, titled, nil) }

// decodeSound decodes and checks a plan. look, which may be nil, then sees the document.
func decodeSound(data []byte, f form, look func(root *strictjson.Value) error) (*Plan, error) {
	r := newReader(data)
	defer r.Parser.Release()
	return r.valid(f, look)
}

// valid decodes and checks a plan.
func (r *reader) valid(f form, look func(root *strictjson.Value) error) (*Plan, error) {
	p, v, err := r.decode(f)
	if err == nil {
		err = p.Check()
	}
	if err == nil && look != nil {
		err = look(v)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Check reports the first thing that makes the plan unsound: no step, a blank
// or repeated id, an unknown status, a missing dependency, a cycle. The error
// is an *Error.
func (p *Plan) Check() error {
	fault := func(at path, format string, args ...any) error {
		return &Error{Pointer: at.String(), Message: fmt.Sprintf(format, args...)}
	}
	if len(p.Steps) == 0 && !p.Listed {
		return fault(path{}.Member("steps"), "a plan needs at least one step")
	}
	places := NewPlaces(p.Steps)
	for i := range p.Steps {
		s := &p.Steps[i]
		unnamed := p.Listed && s.ID == ""
		if strings.TrimSpace(s.ID) == "" && !unnamed {
			return fault(stepAt(i).Member("id"), "the id is blank")
		}
		if j := places.At(s.ID); j < i && !unnamed {
			return fault(stepAt(i).Member("id"), "duplicate id %q (of /steps/%d already)", s.ID, j)
		}
		if !p.known(s.Status) {
			return fault(stepAt(i).Member("status"), "unknown status %q (valid are %s)", s.Status, p.statusNames())
		}
	}
	e, missing, backward := p.missing(&places)
	if missing {
		return fault(stepAt(places.At(e.Step)).Member("dependencies").Item(e.Index), "depends on %q, which is not in the plan",
			e.To)
	}
	if !backward {
		return nil
	}
	if c := p.cycle(&places); c != nil {
		return fault(stepAt(places.At(c[0])).Member("dependencies"), "the dependencies form a cycle: %s",
			strings.Join(append(c, c[0]), " → "))
	}
	return nil
}

func stepAt(i int) path { return strictjson.PathTo("/steps").Item(i) }

func decode(data []byte, f form) (*Plan, error) {
	r := newReader(data)
	defer r.Parser.Release()
	p, _, err := r.decode(f)
	return p, err
}

// reader decodes a plan and keeps the first error.
type reader struct {
	strictjson.Reader
	data []byte
}

// newReader returns a reader, whose parser the caller releases.
func newReader(data []byte) reader {
	r := reader{data: data}
	r.Parser = strictjson.Borrow(string(data))
	return r
}

// decode returns the plan and its document, which is good until the parser is released.
func (r *reader) decode(f form) (*Plan, *strictjson.Value, error) {
	p := &Plan{}
	v := r.Parse(r.data, maxDepth)
	if r.Fault == nil {
		r.plan(p, v, f)
	}
	if r.Fault != nil {
		return nil, nil, r.Fault
	}
	return p, v, nil
}

type path = strictjson.Path

func (r *reader) plan(p *Plan, v *strictjson.Value, f form) {
	if !r.Is(v, strictjson.Object, path{}, "a plan") {
		return
	}
	if f == either && v.Get("steps") == nil {
		switch {
		case v.Get("items") != nil:
			r.list(p, v)
			return
		case v.Get("tasks") != nil:
			r.graph(p, v)
			return
		case v.Get("title") == nil:
			r.Fail(strictjson.CodeMissingField, path{}, `the plan has neither "steps" nor "items" (todos) nor "tasks"`)
			return
		}
	}
	recorded := f == recorded || f == either && v.Get("title") == nil && (v.Get("version") != nil || v.Get("name") != nil)
	if recorded {
		p.Record = r.record(v)
	} else {
		if t, ok := r.Text(v, path{}, "type", false); ok && t != "FullPlan" {
			r.Fail(strictjson.CodeBadType, path{}.Member("type"), "the type of a plan is FullPlan, not %q", t)
		}
		p.Title, _ = r.Text(v, path{}, "title", true)
		p.VerificationPolicy, _ = r.Text(v, path{}, "verification_policy", false)
	}
	r.steps(p, v, "/steps", func(s *Step, v *strictjson.Value, at path) { r.step(s, v, at, !recorded) })
}

// step reads a step; a description is required unless a name may replace it.
// Members that a Step has no field for are kept, unless they say no more than
// their absence: null, and empty values in a recorded plan.
func (r *reader) step(s *Step, v *strictjson.Value, at path, described bool) {
	if !r.Is(v, strictjson.Object, at, "a step") {
		return
	}
	s.ID, _ = r.Text(v, at, "id", true)
	s.Description, _ = r.Text(v, at, "description", described)
	s.Dependencies = r.Texts(v, at, "dependencies")
	s.Status = Pending
	if t, ok := r.Text(v, at, "status", false); ok {
		s.Status = Status(t)
	}
	s.ToolsExpected = r.Texts(v, at, "tools_expected")
	s.Extra = r.Rest(v, r.data, func(m *strictjson.Member) bool {
		switch m.Name {
		case "id", "description", "dependencies", "status", "tools_expected":
			return true
		}
		return m.Value.Kind == strictjson.Null || !described && IsDefault(m.Name, &m.Value)
	})
}
