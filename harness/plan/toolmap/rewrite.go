package toolmap

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/strictjson"
)

// Rewrite is the call of a tool that takes a whole reply of a dialect: as its arguments, possibly
// under other names, or as the text in the argument with the member text.
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
			return m.reply(t, arguments), true
		}
	}
	return arguments, true
}

func (m *Map) reply(t *Tool, arguments string) string {
	tree := t.tree(arguments)
	if tree == nil {
		return arguments
	}
	tree.Drop(func(k *strictjson.Node) bool { return t.Fill[k.Key()] != nil })
	if k := tree.Get(t.TextMember()); k != nil && k.Kind == strictjson.String {
		return k.Text()
	}
	t.exchangeNumbers(tree)
	m.rename(t, tree, m.Word)
	return tree.String()
}

// Numbers reports whether the tool has a number for a member of the items.
func (t *Tool) Numbers(to string) bool {
	for _, x := range t.Members {
		if x.To == to && x.As == AsNumber {
			return true
		}
	}
	return false
}

// exchangeNumbers makes numbers of texts in the members of items that the tool has as numbers, and texts of
// numbers: a wrong type on one side is a wrong type on the other.
func (t *Tool) exchangeNumbers(arguments *strictjson.Node) {
	for name, x := range t.Members {
		list, member, nested := strings.Cut(name, ".")
		items := arguments.Get(list)
		if !nested || x.As != AsNumber || items == nil {
			continue
		}
		for i := range items.Kids {
			k := items.Kids[i].Get(member)
			if k == nil {
				continue
			}
			if k.Kind == strictjson.Number {
				k.Kind, k.Raw = strictjson.String, strictjson.Quote(k.Raw)
			} else if n, err := strconv.Atoi(k.Text()); err == nil && strconv.Itoa(n) == k.Text() {
				k.Kind, k.Raw = strictjson.Number, k.Text()
			}
		}
	}
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

// Written returns the arguments of a call that makes the reply.
func (m *Map) Written(t *Tool, reply string) string {
	if name := t.TextMember(); name != "" {
		return "{" + strictjson.Quote(name) + ":" + strictjson.Quote(reply) + "}"
	}
	tree := t.tree(reply)
	if tree == nil {
		return reply
	}
	m.rename(t, tree, m.own)
	t.exchangeNumbers(tree)
	return tree.String()
}

// Names returns the names that the tool and the dialect have for the same members: in the objects of
// a list by the name of the list, of the reply itself by "". A name that means something else on the
// other side is exchanged, so that an unknown member stays unknown.
func (t *Tool) Names() map[string]map[string]string {
	names := map[string]map[string]string{}
	put := func(list, a, b string) {
		if names[list] == nil {
			names[list] = map[string]string{}
		}
		names[list][a], names[list][b] = b, a
	}
	for _, name := range slices.Sorted(maps.Keys(t.Members)) { // a list is before its members
		list, member, nested := strings.Cut(name, ".")
		if !nested {
			put("", name, t.Members[name].To)
			continue
		}
		put(list, member, t.Members[name].To)
		names[cmp.Or(names[""][list], list)] = names[list]
	}
	return names
}

// ItemNames returns the names of Names in the objects of all lists.
func (t *Tool) ItemNames() map[string]string {
	items := map[string]string{}
	for list, names := range t.Names() {
		if list != "" {
			maps.Copy(items, names)
		}
	}
	return items
}

// rename gives the members of a reply, and the objects in its lists, their other names, and statuses their
// other word.
func (m *Map) rename(t *Tool, reply *strictjson.Node, word func(string) string) {
	names := t.Names()
	for i := range reply.Kids {
		list := &reply.Kids[i]
		of := names[list.Key()]
		swap(list, names[""])
		for k := range list.Kids {
			if item := &list.Kids[k]; list.Kind == strictjson.Array && item.Kind == strictjson.Object {
				m.renameItem(item, of, word)
			}
		}
	}
}

func (m *Map) renameItem(item *strictjson.Node, names map[string]string, word func(string) string) {
	own := names[statusMember]
	for i := range item.Kids {
		k := &item.Kids[i]
		if own != "" && k.Kind == strictjson.String && (k.Key() == own || k.Key() == statusMember) {
			k.Raw = strictjson.Quote(word(k.Text()))
		}
		swap(k, names)
	}
}

// swap gives a member its other name.
func swap(k *strictjson.Node, names map[string]string) {
	if other := names[k.Key()]; other != "" {
		k.Name = strictjson.Quote(other)
	}
}

// statusMember is the member of an item whose words have a meaning.
const statusMember = "status"

// Word returns the dialect's word for a status of the tools. A word of the dialect that is none of the
// tools becomes one that the dialect does not know.
func (m *Map) Word(word string) string {
	if to, known := m.StatusOf(word); known {
		return to
	}
	return m.spelled(word)
}

// spelled returns the word of the tools for a status of the dialect.
func (m *Map) spelled(word string) string {
	if words := m.Statuses[word]; words != nil {
		return words[0]
	}
	return word
}

// own returns the word that the tools understand as a reply means it.
func (m *Map) own(word string) string {
	to, known := m.StatusOf(word)
	if m.Statuses[word] == nil && known && !slices.Contains(m.Statuses[to], to) {
		return to // the dialect does not know it, and neither do the tools
	}
	return m.spelled(word)
}

// Schema returns the schema of a tool's arguments with the names of the dialect.
func (m *Map) Schema(t *Tool, text string) string {
	tree := strictjson.NewTree(text, maxDepth)
	if len(t.Members) == 0 || tree == nil {
		return text
	}
	names := t.Names()
	items := t.ItemNames()
	tree.Walk(func(n *strictjson.Node, at []string) {
		properties, of := n.Get("properties"), items
		if properties == nil {
			return
		}
		if len(at) == 0 {
			of = names[""]
		} else if state := properties.Get(cmp.Or(of[statusMember], statusMember)); of[statusMember] != "" && state != nil {
			texts(state.Get("enum"), m.Word)
		}
		for i := range properties.Kids {
			k := &properties.Kids[i]
			swap(k, of)
			if kind := k.Get("type"); kind != nil && len(at) > 0 && k.Key() == "id" && t.Numbers("id") {
				*kind = *strictjson.NewTree(`{"type":"string"}`, maxDepth).Get("type") // as in the dialect
			}
		}
		texts(n.Get("required"), func(name string) string { return cmp.Or(of[name], name) })
	})
	return tree.String()
}

// texts changes the texts of a list.
func texts(list *strictjson.Node, change func(string) string) {
	for i := 0; list != nil && i < len(list.Kids); i++ {
		if k := &list.Kids[i]; k.Kind == strictjson.String {
			k.Raw = strictjson.Quote(change(k.Text()))
		}
	}
}

// Fills reports whether Complete adds a member of that name, to the reply or to objects of a list.
func (t *Tool) Fills(member string) bool {
	for name := range t.Fill {
		if name[strings.LastIndexByte(name, '.')+1:] == member {
			return true
		}
	}
	return false
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
