package generate

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/collect"
)

//go:embed traits.json
var table []byte

// row is a trait of the table. Its changes are in a map under its name. Conflicts weigh 24, because
// each profile resolves them differently. Traits that make large cases weigh 2: about one case in 1,400 has one.
type row struct {
	generators.Row
	demand
	// One of the values is drawn: the description, the id or the status of a step that is added, or the style of all ids.
	Words    []string             `json:"words"`
	IDs      []string             `json:"ids"`
	Statuses []string             `json:"statuses"`
	Styles   []generators.IdStyle `json:"styles"`
}

// planting returns what the row plants.
func (r row) planting(named map[string]planting) planting {
	switch {
	case r.Words != nil:
		return just(func(d *draft) { d.add(d.worded(generators.Pick(&d.Choices, r.Words))) })
	case r.IDs != nil:
		return just(func(d *draft) { d.add(d.named(generators.Pick(&d.Choices, r.IDs))) })
	case r.Statuses != nil:
		return just(func(d *draft) {
			v := d.fresh()
			d.add(with(v, field("status", generators.Raw(generators.Quoted(generators.Pick(&d.Choices, r.Statuses))))))
		})
	case r.Styles != nil:
		return just(func(d *draft) { d.restyle(generators.Pick(&d.Choices, r.Styles)) })
	}
	return named[r.Name]
}

// demand is what a trait needs, and the codes that it leads to.
type demand struct {
	Kind   kind    `json:"kind"`
	Done   int     `json:"done"` // steps of the plan that it takes for itself: done ones,
	Open   int     `json:"open"` // and pending ones
	Puts   aspects `json:"puts"` // the operations of the patch that it adds items to
	Rules  rules   `json:"rules"`
	Claims aspects `json:"claims"` // held alone
	Stage  stage   `json:"stage"`
	// Refuses are the codes of a reply with the trait, each under a setting of the rules: KNOB=VALUE:CODE. No setting
	// means all rules, and no code that the result is unknown.
	Refuses []string `json:"refuses"`
	Varies  bool     `json:"varies"` // next to other traits its result is unknown
}

// patchTrait is a trait of the dialect planpatch.
type patchTrait struct {
	generators.Trait
	demand
	shares  aspects       // held together with others that share them
	derived *deform.Trait // of the text and shape of the reply
	plant   planting
}

// planting puts a trait into the draft. It reports false, and changes nothing, if the draft has no place for it.
type planting = func(d *draft) bool

// kind says which documents can have a trait.
type kind string

const (
	inAny      kind = ""
	inPatch    kind = "patch"
	inFullPlan kind = "full plan"
)

// rules are the rules that a trait needs to show.
type rules string

const (
	noRung      rules = "no_rung"   // a ladder without a rung for full plans
	restoring   rules = "restoring" // rules that lose no finished work
	orphanRules rules = "orphans"   // any policy for orphans, all as likely
)

// aspects are parts of a sample that only one trait may have: with two, the outcome would be uncertain.
type aspects uint32

const (
	aAdds aspects = 1 << iota
	aUpdates
	aRemoves
	aTitle
	aReading // the text or the shape of the reply
	aTail    // the end of the list of added steps
	aLimit   // the limit of steps
	aSize    // the limits of the reply
	aCycle
	aVariant // an id that differs from another in its spelling alone
	aPlan    // the plan of the case
	aLadder
	aContent // what the edit does at all
	aSteps   // the steps of a full plan
	aForm    // how the plan of the case is written
	aDone    // the done steps of the plan
	aOpen    // the others
	aWhole   // whether the reply is a patch or a full plan
	aPolicy  // the verification policy
)

// operations are the operations of a patch, in the order of their aspects.
var operations = [...]string{"add", "update", "remove", "title"}

// UnmarshalText reads the names of aspects.
func (a *aspects) UnmarshalText(text []byte) (err error) {
	*a, err = generators.Bits[aspects](text, append(operations[:], "reading", "tail", "limit", "size", "cycle", "variant",
		"plan", "ladder", "content", "steps", "form", "done", "open", "whole", "policy")...)
	return err
}

// stage is when a trait is planted.
type stage string

const (
	onEdit  stage = ""      // into the edit
	onPlan  stage = "plan"  // when the plan is complete
	onShape stage = "shape" // before the edit is made
)

// just plants a plain change.
func just(change func(d *draft)) planting {
	return func(d *draft) bool { change(d); return true }
}

// on plants the changes on a step that it uses: onOpen on an open one, onDone on a done one, and onLeaf on an open one
// on which no step depends.
func on(use func(*draft) int, changes ...func(d *draft, i int)) planting {
	return func(d *draft) bool {
		i := use(d)
		for k := 0; i >= 0 && k < len(changes); k++ {
			changes[k](d, i)
		}
		return i >= 0
	}
}

func onOpen(changes ...func(d *draft, i int)) planting { return on((*draft).useOpen, changes...) }
func onDone(changes ...func(d *draft, i int)) planting { return on((*draft).useDone, changes...) }
func onLeaf(changes ...func(d *draft, i int)) planting { return on((*draft).useLeaf, changes...) }

// traits are the traits of the dialect in the order of their families, made once and read-only.
var traits = sync.OnceValue(func() (list []patchTrait) {
	planted := plantings()
	for _, r := range generators.Rows[row](table) {
		r.Place = cmp.Or(r.Place, r.place())
		list = append(list, patchTrait{Trait: r.Trait(spec.Knobs), demand: r.demand, plant: r.planting(planted)})
	}
	list = append(list, derivedTraits()...)
	for i := range list {
		list[i].complete()
	}
	return list
})

// plantings returns what the traits of the table do, by their names.
func plantings() map[string]planting {
	return collect.Join(conflicts(), spellings(), dependencies(), cycles(), overflows(), finished(), fullPlans(),
		documents(), invalidPlans(), plans(), ladders())
}

// lists are the names of the operations to which a trait adds items.
func (d *demand) lists() (names []string) {
	for i, name := range slices.Backward(operations[:]) {
		if d.Puts&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	return names
}

// place is where a trait shows: in the lists to which it gives items, or in a full plan; "" is neither.
func (d *demand) place() string {
	switch {
	case d.Puts == aAdds|aUpdates|aRemoves:
		return "patch"
	case d.Kind == inFullPlan:
		return string(d.Kind)
	}
	return strings.Join(d.lists(), " and ")
}

// complete derives what the parts of a trait imply.
func (t *patchTrait) complete() {
	if t.Puts != 0 {
		t.Kind = inPatch
	}
	t.shares |= t.Puts &^ t.Claims
	t.Trait = t.Needing(t.lists()...)
	shares := func(is bool, a aspects) {
		if is {
			t.shares |= a &^ t.Claims
		}
	}
	needs := func(is bool, capability string) {
		if is {
			t.Trait = t.Needing(capability)
		}
	}
	shares(t.Done > 0, aDone)
	shares(t.Open > 0, aOpen)
	shares(t.Kind != inAny, aWhole)
	needs(t.Kind == inFullPlan, "full plan")
	needs(t.Claims&aLimit != 0, "max_plan_steps")
	needs(t.Claims&aPlan != 0, "plan")
	switch {
	case t.Rules == noRung:
		t.Under = func(p harness.Profile) bool { return !takesFull(p.Ladder) }
	case t.Kind == inFullPlan:
		t.Under = func(p harness.Profile) bool { return takesFull(p.Ladder) }
	case t.Kind == inPatch:
		t.Under = func(p harness.Profile) bool { return takesPatch(p.Ladder) }
	}
}

// Clashes reports whether the two cannot be in one sample.
func (t patchTrait) Clashes(o patchTrait) bool {
	return t.Claims&(o.Claims|o.shares) != 0 || t.shares&o.Claims != 0 ||
		t.Kind != o.Kind && t.Kind != inAny && o.Kind != inAny ||
		t.Rules == noRung && o.Kind == inFullPlan || t.Kind == inFullPlan && o.Rules == noRung
}

// derivedTraits are the traits that the declarations of the documents imply.
func derivedTraits() (list []patchTrait) {
	patch, full := deform.Traits(spec.Patch()), deform.Traits(spec.FullPlan())
	for _, t := range patch {
		d := patchTrait{Trait: t.Trait, demand: demand{Claims: aReading}, derived: &t}
		switch t.Name {
		case "draft-then-final", "broken-draft-first", "think-draft", "think-draft-fenced":
			d.Kind, d.Trait = inPatch, d.Needing("title")
		case "long-text", "control-text", "padded-text":
			d.Claims |= aContent | aTitle
		case "object-for-list", "scalar-for-list":
			if d.Kind, d.Trait = inPatch, d.Needing("add"); t.Name == "object-for-list" {
				d.Claims |= aAdds
			}
		case "too-large", "reply-at-limit", "depth-at-limit", "depth-over-limit":
			d.Claims |= aSize | aLadder
		case "null-list":
			d.Kind = inPatch
			d.Claims, d.plant = d.Claims|aRemoves|aUpdates|aAdds, (*draft).makeRoomForList
		case "null-optional":
			d.Claims, d.plant = d.Claims|aTitle, (*draft).makeRoomForTitle
		}
		if !slices.ContainsFunc(full, func(o deform.Trait) bool { return o.Name == t.Name }) {
			d.Kind = inPatch
		}
		if d.Family == "shape" {
			d.shares |= (aAdds | aContent) &^ d.Claims
			if d.plant == nil {
				d.plant = (*draft).makeRoom
			}
		}
		list = append(list, d)
	}
	return list
}

// makeRoom gives a patch an item and a member to be absent, which traits of shape change.
func (d *draft) makeRoom() bool {
	if d.full {
		return true
	}
	if d.reason = generators.None; !d.drawn.Lacks("add") {
		d.spared |= aAdds
		i := slices.Index(d.gone, false)
		switch {
		case d.drawn.Lacks("dependencies"):
			d.add(d.fresh())
		case i >= 0:
			d.needed[i] = true
			d.add(d.freshOn(d.id(i)))
		}
	}
	return true
}

// makeRoomForList leaves one list of a patch empty, or gives it an item without lists.
func (d *draft) makeRoomForList() bool {
	spared := generators.Pick(&d.Choices, []aspects{aRemoves, aUpdates, aAdds, 0})
	if d.spared |= spared; spared == 0 && !d.drawn.Lacks("add") {
		v := d.fresh()
		v.Drop("dependencies")
		v.Drop("tools_expected")
		d.add(v)
	}
	return true
}

// makeRoomForTitle leaves the title of any patch to be absent, too.
func (d *draft) makeRoomForTitle() bool {
	if !d.full && d.Below(2) == 0 {
		d.title = generators.None
	}
	return d.makeRoom()
}
