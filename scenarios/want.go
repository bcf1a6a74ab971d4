package scenarios

import (
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/strictjson"
)

// checkWant reads want.json strictly: a misspelt member would be a check that
// never fails. The contents begin at the offset start.
func (p *parser) checkWant(data []byte, start int) error {
	doc, err := p.json("want.json", data, start)
	if err != nil {
		return err
	}
	for _, d := range doc.Duplicates {
		return p.errorf(start+d.Offset, "want.json: duplicate member %s", escape(d.Name))
	}
	for _, d := range doc.Surrogates {
		return p.errorf(start+d.Offset, "want.json: the escape of a lone surrogate")
	}
	root := &doc.Root
	if root.Kind != strictjson.Object {
		return p.errorf(start+root.Start, "want.json holds an object, not %s", root.Kind)
	}
	if root.Get("verdict") == nil {
		return p.errorf(start+root.Start, "want.json needs at least the member verdict (%s or %s)", harness.Applied,
			harness.Rejected)
	}
	for i := range root.Members {
		m := &root.Members[i]
		if err := p.checkMember(m, start); err != nil {
			return err
		}
	}
	return p.checkMore(root, start)
}

// checkMore checks the members that open objects up.
func (p *parser) checkMore(v *strictjson.Value, start int) error {
	for i := range v.Items {
		if err := p.checkMore(&v.Items[i], start); err != nil {
			return err
		}
	}
	for i := range v.Members {
		m := &v.Members[i]
		if m.Name == more && m.Value.Text != anyMore {
			return p.errorf(start+m.Value.Start, `want.json: the member "…" opens an object up with the value "any"`)
		}
		if err := p.checkMore(&m.Value, start); err != nil {
			return err
		}
	}
	return nil
}

// checkMember checks a member of the outcome.
func (p *parser) checkMember(m *strictjson.Member, start int) error {
	switch m.Name {
	case "verdict":
		return p.checkTerm(m, start, []string{string(harness.Applied), string(harness.Rejected)})
	case "code":
		return p.checkTerm(m, start, harness.Names(all.Words().Codes))
	case "message":
		return p.errorf(start+m.At, "want.json: a message is for people and is never compared; leave it out")
	}
	members := all.Members(p.dialect.Name)
	member := members.Find(m.Name)
	switch {
	case member == nil:
		return p.errorf(start+m.At, "want.json: unknown member %s (%s)", escape(m.Name), suggest(m.Name, members.Names()))
	case member.Short != nil && len(m.Value.Items) > 0 && m.Value.Items[0].Kind == strictjson.String:
		return p.checkShort(member.ShortWords, m.Value.Items, start)
	case member.Names == nil && member.Closed.Terms == nil:
		return nil
	case member.List:
		return p.checkItems(&m.Value, start, member.Names...)
	case member.Names != nil:
		return p.checkNames(&m.Value, start, member.Names...)
	}
	return p.checkTerm(m, start, harness.Names(member.Closed.Terms(all.Words())))
}

// checkShort checks the first words of texts that replace objects.
func (p *parser) checkShort(closed outcome.Closed, items []strictjson.Value, start int) error {
	for i := range items {
		first := strictjson.Member{Name: closed.What, Value: items[i]}
		first.Value.Text, _, _ = strings.Cut(items[i].Text, " ")
		if err := p.checkTerm(&first, start, harness.Names(closed.Terms(all.Words()))); err != nil {
			return err
		}
	}
	return nil
}

// checkTerm checks a word of a closed list; null means no value.
func (p *parser) checkTerm(m *strictjson.Member, start int, valid []string) error {
	v := m.Value
	if v.Kind == strictjson.Null && m.Name != "verdict" || v.Kind == strictjson.String && slices.Contains(valid, v.Text) {
		return nil
	}
	if v.Kind != strictjson.String {
		return p.errorf(start+v.Start, "want.json: %s is a string, not %s", m.Name, v.Kind)
	}
	return p.errorf(start+v.Start, "want.json: unknown %s %s (%s)", m.Name, escape(v.Text), suggest(v.Text, valid))
}

// checkItems checks the member names of the objects of a list.
func (p *parser) checkItems(list *strictjson.Value, start int, valid ...string) error {
	if list.Kind != strictjson.Array && list.Kind != strictjson.Null {
		return p.errorf(start+list.Start, "want.json: a list belongs here, not %s", list.Kind)
	}
	for i := range list.Items {
		if err := p.checkNames(&list.Items[i], start, valid...); err != nil {
			return err
		}
	}
	return nil
}

// checkNames checks the member names of an object.
func (p *parser) checkNames(v *strictjson.Value, start int, valid ...string) error {
	if v.Kind != strictjson.Object && v.Kind != strictjson.Null {
		return p.errorf(start+v.Start, "want.json: an object belongs here, not %s", v.Kind)
	}
	for _, m := range v.Members {
		if !slices.Contains(valid, m.Name) {
			return p.errorf(start+m.At, "want.json: unknown member %s (%s)", escape(m.Name), suggest(m.Name, valid))
		}
	}
	return nil
}
