package rules

import (
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/document/strictjson"
)

// The controls of an envelope.
const (
	stepDone = "step_done"
	replan   = "replan"
)

// action is what a reply in a step asks for: a control or a tool call.
type action struct {
	control string
	reason  string
	legacy  bool // the control was a word, and no envelope
	tool    string
	args    *strictjson.Value
}

// declared is the declaration of both documents; nothing writes to it.
var declared = spec.Reply()

// readAction reads a reply in a step. An envelope beats a control word, and a
// control word beats a tool call.
func readAction(raw harness.Reply, opt reply.Options, p harness.Profile) (action, reply.Reading[action]) {
	text := reply.NewText(raw, opt)
	defer text.Release()
	r := reply.ReadText(text, &declared, decodeAction(p.ExtraFields), sameAction)
	r.Doc.args = nil // they are good until the release
	if r.Doc.control != "" || len(raw) > opt.MaxBytes || !utf8.ValidString(string(raw)) {
		return r.Doc, r
	}
	if control := legacyControl(string(raw)); control != "" {
		return action{control: control, legacy: true}, reply.Reading[action]{}
	}
	return r.Doc, r
}

func sameAction(a, b action) bool {
	return a.control == b.control && a.tool == b.tool && (a.args == b.args || a.args != nil && b.args != nil &&
		strictjson.Same(a.args, b.args))
}

// decodeAction decodes an envelope or a tool call; extra is the policy for
// unknown members.
func decodeAction(extra string) reply.Decoder[action] {
	return func(root *strictjson.Value) (a action, warnings []harness.Warning, refusal *harness.Refusal) {
		first, second := "control", "reason"
		if root.Get(first) == nil {
			first, second = "tool", "args"
		}
		if root.Get(first) == nil {
			return a, nil, harness.RefuseAt(harness.MissingField, "", `there is neither "control" nor "tool"`)
		}
		var unknown []string
		for _, m := range root.Counted() {
			switch name := m.Name; {
			case name == first || name == second:
			case extra == harness.Drop && name != "tool":
				unknown = append(unknown, name)
			default:
				return a, nil, harness.RefuseAt(harness.ExtraField, "/"+strictjson.Escape(name), "there is no member %s next to %s",
					name, first)
			}
		}
		warnings = harness.UnknownFields(unknown)
		var r strictjson.Reader
		if first == "tool" {
			a.tool, _ = r.Text(root, strictjson.Path{}, "tool", true)
			if strings.TrimSpace(a.tool) == "" {
				r.Fail(harness.EmptyID, strictjson.PathTo("/tool"), "the tool has no name")
			}
			a.args = root.Get("args")
			r.Member(root, strictjson.Path{}, "args", strictjson.Object, false)
		} else {
			a.control, _ = r.Text(root, strictjson.Path{}, "control", true)
			if a.control != stepDone && a.control != replan {
				r.Fail(harness.BadType, strictjson.PathTo("/control"), "control must be step_done or replan")
			}
			a.reason, _ = r.Text(root, strictjson.Path{}, "reason", false)
		}
		if r.Fault != nil {
			return action{}, nil, harness.RefuseFault(r.Fault)
		}
		return a, warnings, nil
	}
}

// legacyControl finds a control in its old spelling: the first line that is
// nothing but such a word. A word within a line means nothing, nor do thoughts.
func legacyControl(text string) string {
	for line := range strings.Lines(text[reply.Thoughts(text):]) {
		switch c := strings.ToLower(bare(strings.TrimSpace(line))); c { // no other letters than ASCII become these words
		case stepDone, replan:
			return c
		}
	}
	return ""
}

// dressings are the marks that may surround a control word. They are never written to.
var dressings = [...][2]string{
	{"【", "】"},
	{"[", "]"},
	{"**", "**"},
	{"__", "__"},
	{"`", "`"},
	{`"`, `"`},
	{"'", "'"},
	{"“", "”"},
	{"‘", "’"},
	{"「", "」"},
	{"『", "』"},
}

// bare takes punctuation off the end of a line, and then one dressing.
func bare(line string) string {
	line = strings.TrimRight(line, ".,;:!?…。，、；：！？")
	for _, d := range dressings {
		if inner, ok := strings.CutPrefix(line, d[0]); ok {
			if inner, ok = strings.CutSuffix(inner, d[1]); ok {
				return inner
			}
		}
	}
	return line
}
