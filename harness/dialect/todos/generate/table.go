package generate

import (
	_ "embed"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

//go:embed traits.json
var table []byte

// row is a trait of the table. The traits of reply text and shape follow from the declaration of a rewrite.
type row struct {
	generators.Row
	// List has the trait's own items, such as "A:p B:c": a name and a status, which is p, i, c or x. The list
	// has them whether or not the trait is planted. Change lists those that get another status with the trait.
	List   mentions `json:"list"`
	Change mentions `json:"change"`
	// Complete gives the item A a priority and an active form.
	Complete bool `json:"complete"`
	// Rewrite lists the trait's items in the rewrite, such as "A:c +:p B". Items that it does not name
	// are left out. "+" is a new item, in front of the next item or at the end. "^" puts an item at the front, and
	// "$" at the end. A second mention repeats an item at the end. Without a rewrite nothing changes.
	Rewrite mentions `json:"rewrite"`
	// Only leaves out all other items, too.
	Only  bool `json:"only"`
	Merge bool `json:"merge"` // the reply is a merge
	// Later names the item that a later merge completes.
	Later string `json:"later"`
	// Words gives other contents, by name: to A in the list ("list"), to items of the rewrite ("A", "+"), and
	// to a repeated item ("again"). {} becomes the content of A; [planting.worded] knows other words.
	Words map[string]string `json:"words"`
	Form  string            `json:"form"`  // the active form of A in the rewrite
	Quiet bool              `json:"quiet"` // the first item leaves out content and status
	// Slips are odd members of A in the rewrite, and Document of the document.
	Slips    []slip `json:"slips"`
	Document []slip `json:"document"`
	// Line is the line of A in Markdown, where {} becomes the content. Reply is the whole Markdown, where {} becomes
	// the list, after Replace, a regular expression and its replacement.
	Line    string    `json:"line"`
	Reply   string    `json:"reply"`
	Replace [2]string `json:"replace"`
	// Takes is what reading must do to find the list: extract, coerce, or none, which never does.
	Takes string `json:"takes"`
	// Room is how many new items fit the limit.
	Room *int `json:"room"`
	// Plan is an invalid list in place of the case's.
	Plan jsontext.Value `json:"plan"`

	In       formats `json:"in"`       // that it shows in; 0 is any
	Numbered int     `json:"numbered"` // 1: items have ids; -1: they have none
	Twice    bool    `json:"twice"`    // an id is there twice
	Claims   claims  `json:"claims"`
	Bars     claims  `json:"bars"`
	// Refuses lists the settings under which the rules reject the trait, as KNOB=VALUE:CODE. No setting means all
	// rules, and no code that the label is unknown. A trait without an entry that holds is applied.
	Refuses []string `json:"refuses"`
}

// trait is one of the dialect's.
type trait struct {
	generators.Trait
	row     row
	slots   []plan.Status     // of the items that are the trait's alone, in their order
	more    func(p *planting) // what its row cannot say; nil is nothing
	derived *deform.Trait     // of the text and shape of the reply
}

// claims are parts of a case that a trait claims.
type claims uint16

const (
	surrounds  claims = 1 << iota // the text around the document, and its syntax
	whole                         // which items the rewrite has
	progress                      // which items are in progress
	size                          // how many items there are, and the limit
	naming                        // all ids
	replies                       // how many replies there are
	refused                       // the case is refused before any reply is read
	shaped                        // the document has a fault of shape
	merging                       // the reply is a merge
	order                         // of the items
	slotted                       // an item of the list
	identified                    // the id of an item
	lone                          // the list has one item
)

// UnmarshalText reads the names of claims.
func (c *claims) UnmarshalText(text []byte) (err error) {
	*c, err = generators.Bits[claims](text, "surrounds", "whole", "progress", "size", "naming", "replies", "refused",
		"shaped", "merging", "order", "slotted", "identified", "lone")
	return err
}

// UnmarshalText reads the names of formats.
func (f *formats) UnmarshalText(text []byte) (err error) {
	*f, err = generators.Bits[formats](text, formatNames[:]...)
	return err
}

// shareable are the claims that several traits may have.
const shareable = slotted | identified

// Clashes reports whether both claim the same, or one bars what the other has.
func (t trait) Clashes(other trait) bool {
	r, o := &t.row, &other.row
	return r.In != 0 && o.In != 0 && r.In&o.In == 0 || r.Claims&o.Claims&^shareable != 0 || r.Bars&o.Claims != 0 ||
		o.Bars&r.Claims != 0 || r.Numbered*o.Numbered < 0 || generators.Contradict(r.Under, o.Under)
}

// traits lists the traits of the dialect. Built once; never modified.
var traits = sync.OnceValue(func() (list []trait) {
	more := special()
	for _, r := range generators.Rows[row](table) {
		if r.Plan != nil {
			r.Text = "the list is " + string(r.Plan)
		}
		t := trait{row: r, more: more[r.Name]}
		for _, m := range r.List {
			t.slots = append(t.slots, m.status)
		}
		if t.slots != nil && r.Bars&slotted == 0 {
			t.row.Claims |= slotted
		}
		t.Trait = r.Trait(spec.Knobs)
		list = append(list, t)
	}
	list = append(list, derivedTraits()...)
	for i := range list {
		rules, in := list[i].Under, list[i].row.In
		list[i].Under = func(p harness.Profile) bool {
			return (in == 0 || in&formatOf(spec.SettingsOf(p).Format) != 0) && (rules == nil || rules(p))
		}
	}
	return list
})

// derivedTraits are the traits that the declaration of a rewrite with all members implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(spec.Document(spec.Settings{Format: spec.Merge}, false)) {
		r := row{In: inJSON, Claims: surrounds, Bars: shaped | whole | replies | merging}
		d := trait{Trait: t.Trait, derived: &t}
		switch t.Name {
		case "object-for-list":
			r.Claims, r.Bars = r.Claims|lone|size, r.Bars|slotted|order
		case "number-for-id":
			r.In, r.Numbered = withIDs, 1
		case "long-text", "control-text", "padded-text":
			r.In = withIDs
			d.more = func(p *planting) { p.reply.entries[0].priority, p.reply.entries[0].form = "high", "doing" }
		}
		d.row = r
		list = append(list, d)
	}
	return list
}
