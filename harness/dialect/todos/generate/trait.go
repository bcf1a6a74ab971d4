package generate

import (
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/plan"
)

// trait is one of the dialect's.
type trait struct {
	generators.Trait
	slots       []plan.Status // of the items that are the trait's alone, in their order
	ids         int           // 1: items have ids; -1: they have none
	in          formats       // those that it shows in; 0 is any
	rules       []string      // settings without which it does not show
	twice       bool          // an id is there twice
	refuses     []refusal     // what the rules say to it; none is that they apply the reply
	derived     *deform.Trait // of the text and shape of the reply
	claim, bars claims
	plant       func(p *planting)
}

// claims are what traits lay claim to.
type claims uint16

const (
	surrounds  claims = 1 << iota // what stands round the document, and its syntax
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

// rows returns a constructor of traits of a family that show at a place. The slots are the statuses of
// the trait's own items.
func rows(family, place string) func(name, text, theme string, slots ...plan.Status) trait {
	of := generators.Family(family)
	return func(name, text, theme string, slots ...plan.Status) trait {
		return trait{Trait: of(name, text).Says(theme, place), slots: slots}
	}
}

// spaced returns the theme of a trait that has its name.
func spaced(name string) string                    { return strings.ReplaceAll(name, "-", " ") }
func (t trait) does(plant func(p *planting)) trait { t.plant = plant; return t }

// after returns the trait with something that is done before it.
func (t trait) after(first func(p *planting)) trait {
	then := t.plant
	return t.does(func(p *planting) { first(p); then(p) })
}

func (t trait) claiming(c claims) trait { t.claim |= c; return t }
func (t trait) barring(c claims) trait  { t.bars |= c; return t }

// alone returns a trait that decides which items the rewrite has.
func (t trait) alone() trait                { return t.claiming(whole).barring(slotted) }
func (t trait) within(in formats) trait     { t.in = in; return t }
func (t trait) numbered(ids int) trait      { t.ids = ids; return t }
func (t trait) named() trait                { t.twice = true; return t }
func (t trait) under(rules ...string) trait { t.rules = rules; return t }
func (t trait) based() trait                { t.Base = true; return t }
func (t trait) weighs(weight int) trait     { t.Weight = weight; return t }

// shareable is what several traits may lay claim to.
const shareable = slotted | identified

// Clashes reports whether both claim the same, or one bars what the other has.
func (t trait) Clashes(o trait) bool {
	return t.in != 0 && o.in != 0 && t.in&o.in == 0 || t.claim&o.claim&^shareable != 0 || t.bars&o.claim != 0 ||
		o.bars&t.claim != 0 || t.ids*o.ids < 0 || generators.Contradict(t.rules, o.rules)
}

// planting is a trait being planted.
type planting struct {
	*draft
	generators.Choices
	slots []slot
}

// traits lists the traits of the dialect. Built once; never modified.
var traits = sync.OnceValue(func() []trait {
	list := slices.Concat(
		lostTraits(), placeTraits(), rewordTraits(), contentTraits(), statusTraits(), slipTraits(), idTraits(), twiceTraits(),
		boxTraits(), mergeTraits(), listTraits(), derivedTraits(),
	)
	for i := range list {
		if len(list[i].slots) > 0 && list[i].bars&slotted == 0 {
			list[i].claim |= slotted
		}
		list[i].Under = list[i].shows
		for _, l := range labels {
			if slices.Contains(strings.Fields(l.traits), list[i].Name) {
				list[i].refuses = append(list[i].refuses, refusal{l.setting, l.code})
			}
		}
	}
	return list
})

// shows reports whether the trait shows under rules that are given.
func (t trait) shows(p harness.Profile) bool {
	if t.in != 0 && t.in&formatOf(spec.SettingsOf(p).Format) == 0 {
		return false
	}
	return !slices.ContainsFunc(t.rules, func(setting string) bool { return !p.Holds(setting, spec.Knobs()...) })
}

// derivedTraits are the traits that the declaration of a rewrite with all members implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(spec.Document(spec.Settings{Format: spec.Merge}, false)) {
		d := trait{
			Trait: t.Trait, in: inJSON, claim: surrounds, bars: shaped | whole | replies | merging, derived: &t,
			plant: func(*planting) {},
		}
		switch t.Name {
		case "object-for-list":
			d.claim, d.bars = d.claim|lone|size, d.bars|slotted|order
		case "number-for-id":
			d.in, d.ids = withIDs, 1
		case "long-text", "control-text", "padded-text":
			d.in, d.plant = withIDs, func(p *planting) { p.reply.entries[0].priority, p.reply.entries[0].form = "high", "doing" }
		}
		list = append(list, d)
	}
	return list
}
