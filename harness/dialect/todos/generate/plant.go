package generate

import (
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// planting is a trait being planted.
type planting struct {
	*draft
	generators.Choices
	slots []slot
}

// said returns the k-th item of the trait in the rewrite.
func (p *planting) said(k int) *entry { return p.slots[k].entry }

// at returns the place of the k-th item of the trait in the rewrite.
func (p *planting) at(k int) int { return slices.Index(p.reply.entries, p.said(k)) }

func (p *planting) insert(at int, e *entry) { p.reply.entries = slices.Insert(p.reply.entries, at, e) }

func (p *planting) add(e *entry) { p.reply.entries = append(p.reply.entries, e) }

// last returns the last item of the rewrite.
func (p *planting) last() *entry { return p.reply.entries[len(p.reply.entries)-1] }

// leave leaves items out of the rewrite.
func (p *planting) leave(out func(*entry) bool) {
	p.reply.entries = slices.DeleteFunc(p.reply.entries, out)
}

// mention is an item in a list or a rewrite of the table.
type mention struct {
	name   string // "+" for a new item
	status plan.Status
	anchor string // "^" for the front, "$" for the end
}

// index returns the place of the item among the items of the trait.
func (m mention) index() int { return int(m.name[0] - 'A') }

// mentions are the items of a list or a rewrite, as in "A:c +:p $B".
type mentions []mention

// UnmarshalText reads the items of a row.
func (l *mentions) UnmarshalText(text []byte) error {
	*l = mentions{}
	for word := range strings.FieldsSeq(string(text)) {
		name, status, _ := strings.Cut(word, ":")
		m := mention{name: strings.TrimLeft(name, "^$"), status: generators.Status(status)}
		m.anchor = strings.TrimSuffix(name, m.name)
		*l = append(*l, m)
	}
	return nil
}

// plant does what the row of the trait says, and then the rest.
func (t trait) plant(p *planting) {
	r := &t.row
	var content string
	if len(p.slots) > 0 {
		content = p.slots[0].words
	}
	for _, m := range r.Change {
		s := p.slots[m.index()]
		s.status, s.entry.status = m.status, m.status
	}
	if how := r.Words["list"]; how != "" {
		p.slots[0].words = p.worded(how, content)
		p.said(0).words = p.slots[0].words
	}
	if r.Complete {
		p.slots[0].priority, p.slots[0].form = "low", "doing it"
	}
	if r.Rewrite != nil {
		p.restate(r, content)
	}
	p.twist(r)
	p.surround(r)
	if t.more != nil {
		t.more(p)
	}
}

// restate gives the rewrite the items that the row lists for it.
func (p *planting) restate(r *row, content string) {
	list := r.Rewrite
	if p.reply.merge = p.reply.merge || r.Merge; r.Only {
		p.reply.entries = nil
	}
	for k := range p.slots {
		if !slices.ContainsFunc(list, func(m mention) bool { return m.anchor == "" && m.name != "+" && m.index() == k }) {
			p.leave(func(e *entry) bool { return e == p.said(k) })
		}
	}
	for i, m := range list {
		var e *entry
		stays := false
		switch name := m.name; {
		case name == "+":
			e = p.fresh()
		case slices.ContainsFunc(list[:i], func(o mention) bool { return o.name == name }):
			again := *p.said(m.index())
			again.slips = nil
			e, m.name = &again, "again"
		default:
			e, stays = p.said(m.index()), m.anchor == "" && !r.Only
		}
		if how := r.Words[m.name]; how != "" {
			e.words = p.worded(how, content)
		}
		if m.status != "" {
			e.status = m.status
		}
		if !stays {
			p.put(e, m, list[i+1:])
		}
	}
}

// put puts an item into the rewrite: by its anchor, in front of the next item of the trait, or at the end.
func (p *planting) put(e *entry, m mention, next []mention) {
	at := len(p.reply.entries)
	switch i := slices.IndexFunc(next, func(m mention) bool { return m.name != "+" }); {
	case m.anchor == "^":
		at = 0
	case m.name == "+" && i >= 0:
		at = p.at(next[i].index())
	}
	p.insert(at, e)
}

// twist makes members of the rewrite odd.
func (p *planting) twist(r *row) {
	if r.Form != "" {
		p.said(0).form = r.Form
	}
	if r.Quiet {
		p.reply.entries[0].quiet = true
	}
	p.reply.slips = append(p.reply.slips, r.Document...)
	for _, s := range r.Slips {
		e := p.said(0)
		if string(s.Value) == `"`+textMember+`"` {
			s.Value = jsontext.Value(generators.Quoted(e.words))
		}
		if s.Member == textMember {
			s.Member = p.settings.Text()
		}
		e.slip(s)
	}
	if r.Line != "" {
		p.said(0).line = strings.ReplaceAll(r.Line, "{}", p.said(0).words)
	}
}

// surround changes the case around the rewrite: the Markdown as a whole, later replies, the limit, the list.
func (p *planting) surround(r *row) {
	if r.Reply != "" {
		p.reply.change = func(doc string) string {
			doc = regexp.MustCompile(r.Replace[0]).ReplaceAllString(doc, r.Replace[1])
			return strings.ReplaceAll(r.Reply, "{}", doc)
		}
	}
	if r.Takes != "" {
		takes := map[string]generators.Ability{"extract": generators.Extract, "coerce": generators.Coerce}[r.Takes]
		p.reply.effect = deform.Effect{Code: harness.NoDocument, Around: true, Takes: takes}
	}
	if r.Later != "" {
		e := *p.last()
		if r.Later != "+" {
			e = *p.said(mention{name: r.Later}.index())
		}
		e.status = plan.Completed
		p.rewrites = append(p.rewrites, &rewrite{merge: true, entries: []*entry{&e}})
	}
	if r.Room != nil {
		p.limit = len(p.old) + *r.Room
	}
	if r.Plan != nil {
		p.doc, p.unsound = string(r.Plan), harness.InvalidPlan
	}
}

// worded returns a content in other words: new ones, a change with a name, or a text with the content in it.
func (d *draft) worded(how, content string) string {
	switch how {
	case "new":
		return d.say()
	case "capitalised":
		return strings.ToUpper(content[:1]) + content[1:]
	case "look-alikes":
		return strings.Replace(content, "e", "\u0435", 1) + "\u0435"
	case "cut":
		return content[:3] + "…"
	case "another letter":
		return content[:len(content)-1] + "q"
	case "translated":
		return "Aufgabe: " + strings.ToUpper(content) + " bearbeiten"
	case "respaced":
		return "\u00a0" + strings.Replace(content, " ", "  ", 1) + "\t"
	case "long":
		return content + strings.Repeat(" and more of it", 6700)
	}
	return strings.ReplaceAll(how, "{}", content)
}
