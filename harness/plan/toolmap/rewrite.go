package toolmap

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
)

// Rewrite is the call of a tool that takes a whole reply of a dialect, word by word: as its
// arguments, or as the text in the argument with the member text.
const Rewrite = "rewrite"

// maxDepth bounds the depth of what agents send.
const maxDepth = 200

// Reply returns the reply that a use of a tool has, with the names of the dialect. It reports false
// for a call that only reads.
func (m *Map) Reply(tool, arguments string) (string, bool) {
	var args map[string]any
	_ = json.Unmarshal([]byte(arguments), &args) // other arguments fit every way without a condition
	for _, t := range m.ways(tool) {
		switch {
		case !t.fits(args):
		case t.Call != Rewrite:
			return "", false
		default:
			return t.reply(arguments), true
		}
	}
	return arguments, true
}

func (t *Tool) reply(arguments string) string {
	tree := t.tree(arguments)
	if tree == nil {
		return arguments
	}
	tree.Drop(func(k *strictjson.Node) bool { return t.Fill[k.Key()] != nil })
	for i := range tree.Kids {
		k := &tree.Kids[i]
		switch x := t.Members[k.Key()]; {
		case x.To == "text" && k.Kind == strictjson.String:
			return k.Text()
		case x.To != "":
			k.Name = strictjson.Quote(x.To)
		}
	}
	return tree.String()
}

// tree returns the members of a text with JSON; nil if the tool has the names of the dialect.
func (t *Tool) tree(text string) *strictjson.Node {
	if tree := strictjson.NewTree(text, maxDepth); len(t.Members) > 0 && tree != nil && tree.Kind == strictjson.Object {
		return tree
	}
	return nil
}

// TextMember returns the argument that has the reply as a text; "" if the arguments are the reply.
func (t *Tool) TextMember() string {
	for name, x := range t.Members {
		if x.To == "text" {
			return name
		}
	}
	return ""
}

// Arguments returns the arguments of a call that makes the reply.
func (t *Tool) Arguments(reply string) string {
	if name := t.TextMember(); name != "" {
		return "{" + strictjson.Quote(name) + ":" + strictjson.Quote(reply) + "}"
	}
	tree := t.tree(reply)
	if tree == nil {
		return reply
	}
	for name, x := range t.Members {
		if k := tree.Get(x.To); k != nil {
			k.Name = strictjson.Quote(name)
		}
	}
	return tree.String()
}

// Complete returns a reply with the members that the tool requires and that the reply lacks. The
// name LIST.NAME adds to the objects of a list, and *.NAME to the objects of any list.
func (t *Tool) Complete(reply string) string {
	tree := strictjson.NewTree(reply, maxDepth)
	if len(t.Fill) == 0 || tree == nil || tree.Kind != strictjson.Object {
		return reply
	}
	for _, name := range slices.Sorted(maps.Keys(t.Fill)) {
		value := strictjson.NewTree(string(strictjson.Encode(t.Fill[name])), maxDepth)
		list, member, nested := strings.Cut(name, ".")
		if !nested && tree.Get(name) == nil {
			tree.Set(name, *value)
		}
		for i := range tree.Kids {
			if k := &tree.Kids[i]; nested && k.Kind == strictjson.Array && (list == "*" || list == k.Key()) {
				complete(k.Kids, member, value)
			}
		}
	}
	return tree.String()
}

func complete(items []strictjson.Node, member string, value *strictjson.Node) {
	for i := range items {
		if o := &items[i]; o.Kind == strictjson.Object && o.Get(member) == nil {
			o.Set(member, *value)
		}
	}
}
