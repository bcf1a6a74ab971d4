package rules

import (
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/planmode/rules/planfile"
	"replanbench/harness/strictjson"
)

// maxDepth bounds the nesting of arguments.
const maxDepth = 1000

// origin is where a session begins.
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
}

// call is one call of the script. Nil members were not given.
type call struct {
	tool     string // "" for a phase
	phase    *strictjson.Value
	args     *strictjson.Value
	approval string // "" if there is none
	feedback string
}

// reader decodes a document of a case and keeps the first fault.
type reader struct {
	refusal *harness.Refusal
}

func (r *reader) fail(at string, code harness.Code, format string, args ...any) {
	if r.refusal == nil {
		r.refusal = &harness.Refusal{Code: code, At: &at, Message: at + ": " + fmt.Sprintf(format, args...)}
	}
}

// document parses a member of the case; nil if it is absent or no good.
func (r *reader) document(at string, raw jsontext.Value) *strictjson.Value {
	if len(raw) == 0 {
		return nil
	}
	if !utf8.Valid(raw) {
		r.fail(at, harness.InvalidUTF8, "holds bytes that are not UTF-8")
		return nil
	}
	doc, err := strictjson.Parse(raw, maxDepth)
	if err != nil {
		e := err.(*strictjson.Error)
		line, column := strictjson.Position(raw, e.Offset)
		code := harness.NoDocument
		if e.TooDeep {
			code = harness.TooDeep
		}
		r.fail(at, code, "line %d, column %d: %s", line, column, e.Message)
		return nil
	}
	for _, p := range doc.Duplicates {
		r.fail(at+p.Pointer, harness.DuplicateKey, "the member %q stands twice", p.Name)
	}
	for _, p := range doc.Surrogates {
		r.fail(at+p.Pointer, harness.InvalidUTF8, "holds the escape of a lone surrogate")
	}
	return &doc.Root
}

// object reports whether v is an object with no other members than these.
func (r *reader) object(v *strictjson.Value, at string, names ...string) bool {
	if v.Kind != strictjson.Object {
		r.fail(at, harness.BadType, "an object belongs here, not %s", v.Kind)
		return false
	}
	for i := range v.Members {
		if name := v.Members[i].Name; !slices.Contains(names, name) {
			r.fail(at+"/"+strictjson.Escape(name), harness.ExtraField, "there is no member %q here (valid are %q)", name, names)
		}
	}
	return true
}

func (r *reader) text(v *strictjson.Value, at, name string) string {
	m := v.Get(name)
	switch {
	case m == nil || m.Kind == strictjson.Null:
		return ""
	case m.Kind != strictjson.String:
		r.fail(at+"/"+name, harness.BadType, "%s is a string, not %s", name, m.Kind)
		return ""
	}
	return m.Text
}

func (r *reader) texts(v *strictjson.Value, at, name string) []string {
	m := v.Get(name)
	if m == nil || m.Kind == strictjson.Null {
		return nil
	}
	if m.Kind != strictjson.Array {
		r.fail(at+"/"+name, harness.BadType, "%s is a list, not %s", name, m.Kind)
		return nil
	}
	list := make([]string, len(m.Items))
	for i := range m.Items {
		if m.Items[i].Kind != strictjson.String {
			r.fail(fmt.Sprintf("%s/%s/%d", at, name, i), harness.BadType, "%s holds strings, not %s", name, m.Items[i].Kind)
		}
		list[i] = m.Items[i].Text
	}
	return list
}

func (r *reader) checkSlug(at, slug string) {
	if !planfile.IsSlug(slug) {
		r.fail(at, harness.BadType, "%.80q is no slug (three words of a to z, joined by hyphens)", slug)
	}
}

func (r *reader) slugs(v *strictjson.Value, at, name string) []string {
	list := r.texts(v, at, name)
	for i, slug := range list {
		r.checkSlug(fmt.Sprintf("%s/%s/%d", at, name, i), slug)
	}
	return list
}

func (r *reader) context(raw jsontext.Value) origin {
	const at = "/context"
	o := origin{session: "session"}
	v := r.document(at, raw)
	if v == nil || !r.object(v, at, "agent", "agent_tools", "phase", "seed", "slugs", "slug", "taken", "session") {
		return o
	}
	if m := v.Get("agent"); m != nil {
		switch m.Kind {
		case strictjson.Bool, strictjson.Null:
			o.agent = m.Text == "true"
		case strictjson.String:
			o.agent, o.planAgent = m.Text != "", m.Text == planAgent
		default:
			r.fail(at+"/agent", harness.BadType, "agent is true, false or a name, not %s", m.Kind)
		}
	}
	o.agentTools = r.texts(v, at, "agent_tools")
	if o.phase = r.text(v, at, "phase"); o.phase != "" && !slices.Contains(phases[:], o.phase) {
		r.fail(at+"/phase", harness.BadType, "%.80q is no phase (%q)", o.phase, phases)
	}
	if m := v.Get("seed"); m != nil && m.Kind != strictjson.Null {
		var err error
		if o.seed, err = strconv.ParseUint(m.Text, 10, 64); err != nil || m.Kind != strictjson.Number {
			r.fail(at+"/seed", harness.BadType, "seed is a whole number from 0 to 2^64-1")
		}
	}
	if o.slug = r.text(v, at, "slug"); v.Get("slug") != nil && v.Get("slug").Kind == strictjson.String {
		r.checkSlug(at+"/slug", o.slug)
	}
	o.slugs, o.taken = r.slugs(v, at, "slugs"), r.slugs(v, at, "taken")
	if session := r.text(v, at, "session"); session != "" {
		o.session = session
	}
	return o
}

func (r *reader) files(raw jsontext.Value) *planfile.Tree {
	const at = "/files"
	tree := &planfile.Tree{}
	v := r.document(at, raw)
	if v == nil {
		return tree
	}
	if v.Kind != strictjson.Object {
		r.fail(at, harness.BadType, "files is an object of contents by name, not %s", v.Kind)
		return tree
	}
	for name, m := range v.Counting() {
		here := at + "/" + strictjson.Escape(name)
		var err error
		switch {
		case m.Kind == strictjson.String:
			err = tree.Put(name, m.Text)
		case m.Kind == strictjson.Object && m.Get("link") != nil && m.Get("link").Kind == strictjson.String:
			r.object(m, here, "link")
			err = tree.Link(name, m.Get("link").Text)
		default:
			r.fail(here, harness.BadType, `a file is its content or {"link":target}, not %s`, m.Kind)
		}
		if err != nil {
			r.fail(here, harness.BadType, "%s", err)
		}
	}
	return tree
}

func (r *reader) calls(raw jsontext.Value) []call {
	const at = "/calls"
	if len(raw) == 0 {
		r.fail("", harness.MissingField, `the member "calls" is missing`)
		return nil
	}
	v := r.document(at, raw)
	if v == nil {
		return nil
	}
	if v.Kind != strictjson.Array {
		r.fail(at, harness.BadType, "calls is a list, not %s", v.Kind)
		return nil
	}
	calls := make([]call, len(v.Items))
	for i := range v.Items {
		calls[i] = r.call(&v.Items[i], at+"/"+strconv.Itoa(i))
	}
	return calls
}

func (r *reader) call(v *strictjson.Value, at string) call {
	if v.Kind == strictjson.Object && v.Get("phase") != nil {
		r.object(v, at, "phase")
		return call{phase: v.Get("phase")}
	}
	if !r.object(v, at, "tool", "args", "approval", "feedback") {
		return call{}
	}
	c := call{tool: r.text(v, at, "tool"), args: v.Get("args"), feedback: r.text(v, at, "feedback")}
	if c.tool == "" {
		r.fail(at, harness.MissingField, "a call names a tool or a phase")
	}
	if m := v.Get("approval"); m != nil && m.Kind != strictjson.Null {
		c.approval = r.approval(m, at+"/approval", c.tool)
	}
	return c
}

// approval reads what the user says to a call.
func (r *reader) approval(v *strictjson.Value, at, tool string) string {
	valid := []string{approve, deny}
	if tool == exitTool {
		valid = []string{autoAccept, manual, keepPlanning}
	}
	said := v.Text
	if v.Kind == strictjson.Bool && tool != exitTool {
		said = map[string]string{"true": approve, "false": deny}[v.Text]
	}
	if !slices.Contains(valid, said) || v.Kind != strictjson.String && v.Kind != strictjson.Bool {
		r.fail(at, harness.BadType, "that is no approval of %.40q (valid are %q)", tool, valid)
	}
	return said
}
