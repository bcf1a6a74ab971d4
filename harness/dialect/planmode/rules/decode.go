package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/dialect/planmode/spec"
	"replanbench/harness/document/strictjson"
)

// maxDepth bounds the nesting of arguments.
const maxDepth = 1000

// The names of the members of a context and of a call; nothing writes to them.
var (
	contextNames = new(spec.Session()).Member("context").Known()
	callNames    = new(spec.Call()).Known()
)

// origin is the start of a session.
type origin struct {
	agent      bool
	planAgent  bool
	agentTools []string
	phase      string // "" in the mode normal
	seed       uint64
	slugs      []string
	slug       string
	taken      []string
	session    string
	timestamp  *uint64
}

// call is one call of the script. Nil members were not given.
type call struct {
	tool     string // "" for a phase, and for a toggle
	toggle   bool
	phase    *strictjson.Value
	args     *strictjson.Value
	approval string // "" if there is none
	feedback string
}

// reader decodes the documents of a case and keeps the first fault.
type reader struct {
	strictjson.Reader
	parsers []*strictjson.Parser
}

// release gives back the memory of the documents. Their values may not be used any more, but their texts may.
func (r *reader) release() {
	for _, p := range r.parsers {
		p.Release()
	}
}

type path = strictjson.Path

// document parses a member of the case; nil if it is absent or no good.
func (r *reader) document(name string, raw jsontext.Value) *strictjson.Value {
	r.Document = "/" + name
	if len(raw) == 0 {
		return nil
	}
	r.Parser = strictjson.Borrow(string(raw))
	r.parsers = append(r.parsers, r.Parser)
	return r.Parse(raw, maxDepth)
}

// object reports whether v is an object, and faults members other than these.
func (r *reader) object(v *strictjson.Value, at path, what string, names []string) bool {
	if !r.Is(v, strictjson.Object, at, what) {
		return false
	}
	r.Known(v, at, what, names...)
	return true
}

func (r *reader) text(v *strictjson.Value, at path, name string) string {
	text, _ := r.Text(v, at, name, false)
	return text
}

func (r *reader) checkSlug(at path, slug string) {
	if !planfile.IsSlug(slug) {
		r.Fail(harness.BadType, at, "invalid slug %.80q (use three words of the letters a to z, joined by hyphens)", slug)
	}
}

func (r *reader) slugs(v *strictjson.Value, name string) []string {
	list := r.Texts(v, path{}, name)
	for i, slug := range list {
		r.checkSlug(path{}.Member(name).Item(i), slug)
	}
	return list
}

func (r *reader) context(raw jsontext.Value) origin {
	o := origin{session: "session"}
	v := r.document("context", raw)
	if v == nil || !r.object(v, path{}, "a context", contextNames) {
		return o
	}
	if m := v.Get("agent"); m != nil {
		switch m.Kind {
		case strictjson.Bool, strictjson.Null:
			o.agent = m.Text == "true"
		case strictjson.String:
			o.agent, o.planAgent = m.Text != "", strings.EqualFold(m.Text, planAgent)
		default:
			r.Fail(harness.BadType, path{}.Member("agent"), "agent must be true, false or a name, not %s", m.Kind)
		}
	}
	o.agentTools = r.Texts(v, path{}, "agent_tools")
	if o.phase = r.text(v, path{}, "phase"); o.phase != "" && !slices.Contains(phases, o.phase) {
		r.Fail(harness.BadType, path{}.Member("phase"), "unknown phase %.80q (valid are %q)", o.phase, phases)
	}
	if seed := r.whole(v, "seed", 64); seed != nil {
		o.seed = *seed
	}
	o.timestamp = r.whole(v, "timestamp", 53)
	if slug, given := r.Text(v, path{}, "slug", false); given {
		o.slug = slug
		r.checkSlug(path{}.Member("slug"), slug)
	}
	o.slugs, o.taken = r.slugs(v, "slugs"), r.slugs(v, "taken")
	if session := r.text(v, path{}, "session"); session != "" {
		o.session = session
	}
	return o
}

// whole reads a whole number of so many bits; nil is none.
func (r *reader) whole(v *strictjson.Value, name string, bits int) *uint64 {
	m := v.Given(name)
	if m == nil {
		return nil
	}
	n, err := strconv.ParseUint(m.Text, 10, bits)
	if err != nil || m.Kind != strictjson.Number {
		r.Fail(harness.BadType, path{}.Member(name), "%s must be a whole number from 0 to 2^%d-1", name, bits)
		return nil
	}
	return &n
}

func (r *reader) files(raw jsontext.Value) *planfile.Tree {
	tree := &planfile.Tree{}
	v := r.document("files", raw)
	if v == nil || !r.Is(v, strictjson.Object, path{}, "files") {
		return tree
	}
	members := v.Counted()
	for i := range members {
		name, m := members[i].Name, &members[i].Value
		here := path{}.Member(name)
		var err error
		switch {
		case m.Kind == strictjson.String:
			err = tree.Put(name, m.Text)
		case m.Kind == strictjson.Object && m.Get("link") != nil && m.Get("link").Kind == strictjson.String:
			r.Known(m, here, "a link", "link")
			err = tree.Link(name, m.Get("link").Text)
		default:
			r.Fail(harness.BadType, here, `a file must be its content or {"link":target}, not %s`, m.Kind)
		}
		if err != nil {
			r.Fail(harness.BadType, here, "%s", err)
		}
	}
	return tree
}

func (r *reader) calls(raw jsontext.Value) []call {
	if len(raw) == 0 {
		r.Document = ""
		r.Fail(harness.MissingField, path{}, `the member "calls" is missing`)
		return nil
	}
	v := r.document("calls", raw)
	if v == nil || !r.Is(v, strictjson.Array, path{}, "calls") {
		return nil
	}
	calls := make([]call, len(v.Items))
	for i := range v.Items {
		calls[i] = r.call(&v.Items[i], path{}.Item(i))
	}
	return calls
}

func (r *reader) call(v *strictjson.Value, at path) call {
	if v.Kind == strictjson.Object && v.Get("phase") != nil {
		r.Known(v, at, "a phase", "phase")
		return call{phase: v.Get("phase")}
	}
	if v.Kind == strictjson.Object && v.Get("toggle") != nil {
		r.Known(v, at, "a toggle", "toggle")
		if v.Get("toggle").Text != "true" || v.Get("toggle").Kind != strictjson.Bool {
			r.Fail(harness.BadType, at.Member("toggle"), "toggle must be true")
		}
		return call{toggle: true}
	}
	if !r.object(v, at, "a call", callNames) {
		return call{}
	}
	c := call{tool: r.text(v, at, "tool"), args: v.Get("args"), feedback: r.text(v, at, "feedback")}
	if c.tool == "" {
		r.Fail(harness.MissingField, at, "a call must name a tool or a phase, or be a toggle")
	}
	if m := v.Get("approval"); m != nil && m.Kind != strictjson.Null {
		c.approval = r.approval(m, at.Member("approval"), c.tool)
	}
	return c
}

// approval reads the user's answer to a call, in its short form or as the dialog labels
// it.
func (r *reader) approval(v *strictjson.Value, at path, tool string) string {
	valid := []string{approve, deny}
	if tool == exitTool {
		valid = []string{autoAccept, manual, keepPlanning}
	}
	said := spec.Answer(v.Text)
	if v.Kind == strictjson.Bool && tool != exitTool {
		if said = deny; v.Text == "true" {
			said = approve
		}
	}
	if !slices.Contains(valid, said) || v.Kind != strictjson.String && v.Kind != strictjson.Bool {
		r.Fail(harness.BadType, at, "unknown approval of %.40q (valid are %q)", tool, slices.Clone(valid))
	}
	return said
}
