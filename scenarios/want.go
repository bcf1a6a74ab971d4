package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/strictjson"
)

// checkWant reads want.json strictly: a misspelt member would be a check that
// never fails. The offset start is that of its contents.
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
		return p.errorf(start+root.Start, "want.json needs at least the member verdict (%s or %s)", harness.Applied, harness.Rejected)
	}
	for i := range root.Members {
		m := &root.Members[i]
		if err := p.checkMember(m, start); err != nil {
			return err
		}
	}
	return nil
}

// checkMember checks a member of the outcome.
func (p *parser) checkMember(m *strictjson.Member, start int) error {
	v := &m.Value
	switch m.Name {
	case "verdict":
		return p.checkTerm(m, start, []string{string(harness.Applied), string(harness.Rejected)})
	case "code":
		return p.checkTerm(m, start, harness.Names(all.Words().Codes))
	case "at":
		return nil
	case "message":
		return p.errorf(start+m.At, "want.json: a message is for people and is never compared; leave it out")
	}
	if !slices.Contains(wants(p.dialect.Name), m.Name) {
		valid := append([]string{"verdict", "code", "at"}, wants(p.dialect.Name)...)
		return p.errorf(start+m.At, "want.json: unknown member %s (%s)", escape(m.Name), suggest(m.Name, valid))
	}
	switch m.Name {
	case "tier":
		return p.checkTerm(m, start, harness.Names(harness.Tiers()))
	case "rung":
		return p.checkTerm(m, start, harness.Names(harness.Rungs()))
	case "plan":
		return p.checkNames(v, start, p.planMembers()...)
	case "meta":
		return p.checkNames(v, start, "added", "updated", "removed", "truncated_add", "dropped")
	case "operations":
		return p.checkOperations(v, start)
	case "update_type":
		return p.checkTerm(m, start, harness.Names(all.Words().Updates))
	case "repairs":
		return p.checkItems(v, start, "rule", "ids")
	case "warnings":
		return p.checkItems(v, start, "code", "ids")
	case "trace":
		return p.checkTrace(v, start)
	case "messages":
		if p.dialect.Name == "orchestrator" {
			return p.checkItems(v, start, "role")
		}
	case "events":
		return p.checkItems(v, start, "event", "code", "reason", "meta")
	}
	return nil
}

// checkTerm checks a word of a closed list; null says that there is none.
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

// encode writes a value as compact JSON with spaces, for people.
func encode(v any) string {
	if v == nil {
		return "nothing"
	}
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return strings.TrimSpace(fmt.Sprint(v))
	}
	return string(spaced(b))
}
