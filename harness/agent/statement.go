package agent

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"replanbench/harness/agent/session"
	"replanbench/harness/agent/wire"
	"replanbench/harness/dialect"
	"replanbench/harness/document/schema"
	"replanbench/harness/document/strictjson"
)

// statement is what an agent's request says about its plan tool: the JSON Schema of the
// arguments. It overrides the rules of the profile. The zero value allows everything.
type statement struct {
	checker *schema.Checker
	// known are the members of an item that the dialect has, own those that the tool has.
	// open reports that the schema allows others.
	known, own []string
	open       bool
	// words maps the statuses that the tool names and the dialect lacks to one that the
	// dialect has. free reports that the tool names none, so that any text is a status.
	words map[string]string
	free  bool
	usual string // a status of the dialect
	// verbatim reports that the agent keeps the white space around ids, so that ids that differ
	// in it are different.
	verbatim bool
	// tools are the schemas of tools that change one task a call, by name.
	tools map[string]schema.Checker
	// hides reports whether the agent never shows a member; nil reports that it shows all.
	hides func(member string) bool
}

// hidden reports whether the agent never shows a member.
func (s *statement) hidden(member string) bool { return s.hides != nil && s.hides(member) }

// newStatements reads the schemas of all tools of an agent whose tools change one task a call.
func newStatements(log session.Log) statement {
	s := statement{tools: map[string]schema.Checker{}}
	for _, t := range log.Learned.Tools {
		var document any
		if json.Unmarshal(t.Schema, &document) != nil {
			continue
		}
		if c, err := schema.Compile("tool", document); err == nil {
			s.tools[t.Name] = c
		}
	}
	shown := slices.ContainsFunc(log.Steps, func(step session.Step) bool {
		return slices.ContainsFunc(step.Calls, func(d session.Did) bool {
			return strings.Contains(string(d.After), `"description":`)
		})
	})
	if !shown {
		s.hides = func(member string) bool { return member == "description" }
	}
	return s
}

// allowsCall reports whether the schemas allow the arguments of the calls that were sent.
func (s *statement) allowsCall(d session.Did) bool {
	if s.tools == nil {
		return s.allows(d.Edit)
	}
	return !slices.ContainsFunc(d.Sent, func(c wire.Call) bool {
		checker, ok := s.tools[c.Name]
		one := statement{checker: &checker}
		return ok && !one.allows(c.Arguments)
	})
}

// statusMember is the member of an item that every plan tool has, in all dialects that
// agents are tested in.
const statusMember = "status"

// idMember is the member that identifies an item, if there are ids.
const idMember = "id"

// padding makes white space in ids visible, so that the rules do not trim it.
var padding = strings.NewReplacer(" ", "_", "\t", "_t", "\n", "_n", "\u00a0", "_s")

// keepsPadding reports whether an id of a plan has white space around it.
func keepsPadding(plan jsontext.Value) (padded bool) {
	if tree := strictjson.NewTree(string(plan), maxDepth); tree != nil {
		tree.Walk(func(n *strictjson.Node, _ []string) {
			if id := n.Get(idMember); id != nil && id.Text() != strings.TrimSpace(id.Text()) {
				padded = true
			}
		})
	}
	return padded
}

// newStatement reads the schema of a tool. A schema that cannot be compiled forbids
// nothing.
func newStatement(d *dialect.Dialect, text jsontext.Value) (s statement) {
	var document any
	if json.Unmarshal(text, &document) != nil {
		return s
	}
	if c, err := schema.Compile("tool", document); err == nil {
		s.checker = &c
	}
	item := itemSchema(document)
	if item == nil {
		return s
	}
	var known []string
	for _, x := range d.Schemas {
		var document any
		if item := itemSchema(decoded(x.Data, &document)); item != nil {
			s.known = append(s.known, members(item)...)
			known = append(known, statuses(item)...)
		}
	}
	if known == nil {
		return s
	}
	more, said := item["additionalProperties"]
	named := statuses(item)
	s.own, s.open, s.free, s.usual, s.words = members(item), !said || more != false, named == nil, known[0],
		map[string]string{}
	for _, w := range named {
		if !slices.Contains(known, w) {
			s.words[w] = s.usual
		}
	}
	if s.free {
		for _, w := range known {
			s.words[w] = w
		}
	}
	return s
}

func members(item map[string]any) []string {
	properties, _ := item["properties"].(map[string]any)
	return slices.Collect(maps.Keys(properties))
}

func decoded(data []byte, into *any) any {
	_ = json.Unmarshal(data, into) // of a schema of this program
	return *into
}

// itemSchema returns the first schema of an object with a status, at any depth; nil if
// there is none.
func itemSchema(v any) map[string]any {
	switch v := v.(type) {
	case map[string]any:
		if properties, _ := v["properties"].(map[string]any); properties[statusMember] != nil {
			return v
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := itemSchema(v[name]); found != nil {
				return found
			}
		}
	case []any:
		for _, x := range v {
			if found := itemSchema(x); found != nil {
				return found
			}
		}
	}
	return nil
}

// statuses returns the words that the schema of an item names for a status, in its enum or
// in its description.
func statuses(item map[string]any) (words []string) {
	properties, _ := item["properties"].(map[string]any)
	status, _ := properties[statusMember].(map[string]any)
	list, _ := status["enum"].([]any)
	for _, x := range list {
		if word, ok := x.(string); ok {
			words = append(words, word)
		}
	}
	about, _ := status["description"].(string)
	if words == nil && strings.Contains(about, "completed") {
		words = strings.FieldsFunc(about, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
	}
	return words
}

// allows reports whether the schema allows the arguments of a call.
func (s *statement) allows(arguments string) bool {
	if s.checker == nil {
		return true
	}
	faults, err := s.checker.Check([]byte(arguments))
	return err == nil && len(faults) == 0
}

// edit returns the arguments of a call in the form in which they are judged.
func (s *statement) edit(text string) string {
	return s.normal(text, func(name string) bool {
		return !s.open || slices.Contains(s.known, name) || slices.Contains(s.own, name)
	})
}

// plan returns a plan that an agent stated in the form in which it is judged.
func (s *statement) plan(text jsontext.Value) jsontext.Value {
	if text == nil {
		return nil
	}
	return jsontext.Value(s.normal(string(text), func(name string) bool { return slices.Contains(s.known, name) }))
}

// normal trims texts, makes white space one space, replaces words that only the tool has,
// and removes the members of items that are not to keep.
func (s *statement) normal(text string, keep func(name string) bool) string {
	tree := strictjson.NewTree(text, maxDepth)
	if tree == nil {
		return text
	}
	tree.Walk(func(n *strictjson.Node, _ []string) {
		if n.Kind != strictjson.Object || n.Get(statusMember) == nil && s.tools == nil {
			return
		}
		n.Drop(func(kid *strictjson.Node) bool {
			return s.known != nil && !keep(kid.Key()) || s.hidden(kid.Key())
		})
		for i := range n.Kids {
			s.text(&n.Kids[i])
		}
	})
	return tree.String()
}

// text replaces the text of a member of an item.
func (s *statement) text(n *strictjson.Node) {
	if n.Kind != strictjson.String {
		return
	}
	before := n.Text()
	after := strings.Join(strings.Fields(norm.NFC.String(before)), " ")
	switch n.Key() {
	case statusMember:
		var ok bool
		if after, ok = s.words[before]; !ok && s.free && before != "" {
			after = s.usual
		} else if !ok {
			after = before
		}
	case idMember:
		if s.verbatim && strings.TrimSpace(before) != "" {
			after = padding.Replace(before)
		}
	}
	if after != before {
		n.Raw = strictjson.Quote(after)
	}
}
