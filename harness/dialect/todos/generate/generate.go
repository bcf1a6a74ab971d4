// Package generate makes samples of the dialect todos: a list, rewrites of it, and
// the expected outcomes.
//
// The list and the plain rewrite are ordinary. Each trait has items of its own in
// the list, whether it is planted or not, and its own stream of choices. Labels are
// declared for the traits, and the reference gives the list.
package generate

import (
	"math/bits"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/todos/spec"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// maxItems bounds plain lists; traits may need more.
const maxItems = 40

// New returns a Maker of samples.
func New(opts generators.Options) (*generators.Maker, error) {
	knobs := append(spec.Knobs(), harness.Vocabulary{Knobs: spec.Vocabulary().Knobs}.Settings()...)
	return generators.Recipe[trait]{
		Traits: traits(), MaxSteps: maxItems, Profile: generators.Profiles(knobs),
		Knobs: spec.Knobs(), Make: makeSample,
	}.New(opts)
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

type item struct {
	words, id      string
	status         plan.Status
	priority, form string
}

// entry is an item of a rewrite. What it leaves out is "".
type entry struct {
	item
	quiet bool // of a merge: it leaves out content and status
	slips []slip
	line  string // of Markdown, in place of the usual line; "" for the usual one
}

func (e *entry) slip(s slip) { e.slips = append(e.slips, s) }

// rewrite is one reply in the making.
type rewrite struct {
	entries []*entry
	merge   bool
	slips   []slip                  // of the document
	change  func(doc string) string // of Markdown, and of replies without a list
	effect  deform.Effect
}

// draft is a sample in the making.
// Its many fields are the state of a draft, which every trait changes.
type draft struct {
	generators.Choices
	generators.Slab
	collect.Joiner
	profile  harness.Profile
	settings spec.Settings
	drawn    generators.Draw[trait]

	first, texts int // of contents

	old      []*item
	ids      bool // items have ids
	next     int  // number of the next id
	limit    int  // 0 is none
	limits   harness.Limits
	rewrites []*rewrite
	reply    *rewrite     // the one with the traits
	unsound  harness.Code // with which the case is refused before any reply is read
	doc      string       // the plan of the case, in place of the list; "" for the list
}

// drafts holds drafts for the memory that they have. No sample has any of it.
var drafts = sync.Pool{New: func() any { return &draft{} }}

func makeSample(drawn generators.Draw[trait]) generators.Sample {
	d := drafts.Get().(*draft)
	defer drafts.Put(d)
	d.Reset()
	*d = draft{Choices: drawn.Choices, Slab: d.Slab, profile: drawn.Profile, drawn: drawn, old: d.old[:0]}
	if drawn.Free {
		d.rule()
	}
	d.settings = spec.SettingsOf(d.profile)
	slots := d.drawBase()
	s := generators.Sample{Profile: d.profile, Case: harness.Case{Dialect: "todos"}}
	for i, t := range drawn.Traits {
		if !drawn.Keeps(t) {
			continue
		}
		p := planting{draft: d, Choices: drawn.Stream(t.Name), slots: slots[i]}
		if t.plant(&p); t.derived == nil {
			s.Traits = append(s.Traits, t.Name)
		}
	}
	texts := d.deform(&s)
	if d.limit > 0 {
		d.limits.MaxPlanSteps = new(d.limit)
	}
	list := spec.Plan(listed(d.old))
	s.Case.Plan, s.Case.Limits = list.Encode(), d.limits
	if d.doc != "" {
		s.Case.Plan = jsontext.Value(d.doc)
	}
	if d.unsound != harness.InvalidPlan {
		s.Before = list
	}
	s.Case.Replies = texts
	s.Want = d.label()
	return s
}

// deform writes the replies, and plants the derived trait into the one with the traits.
func (d *draft) deform(s *generators.Sample) (texts []harness.Reply) {
	for _, r := range d.rewrites {
		text := d.write(r)
		for _, t := range d.drawn.Traits {
			if t.derived == nil || r != d.reply || !d.drawn.Keeps(t) || d.settings.Format == spec.Markdown || r.change != nil {
				continue
			}
			choices := d.drawn.Stream(t.Name + " text") // planting has used the stream of its name
			var ok bool
			r.effect, ok = t.derived.Apply(&choices, deform.Reply{
				Root: d.document(r), Document: spec.Document(d.settings, r.merge), DuplicateKeys: d.profile.DuplicateKeys,
				Lacks: d.drawn.Without,
			})
			if ok {
				text = r.effect.Text
				s.Traits = append(s.Traits, t.Name)
				r.effect.Limit(&d.limits)
			}
		}
		texts = append(texts, harness.Reply(text))
	}
	return texts
}

// rule sets the rules that the traits of the index need.
func (d *draft) rule() {
	formats := ^formats(0)
	for _, t := range d.drawn.Traits {
		if t.row.In != 0 {
			formats &= t.row.In
		}
	}
	if now := spec.SettingsOf(d.profile).Format; formats&formatOf(now) == 0 {
		d.set("format=" + formatNames[bits.TrailingZeros8(uint8(formats))])
	}
	for _, t := range d.drawn.Traits {
		d.set(t.row.Under...)
		// Who asks for duplicates gets them, and sees what they break. The default
		// mix asks for none.
		if t.row.Twice && spec.SettingsOf(d.profile).Duplicates == harness.Keep {
			d.set("duplicates=reject")
		}
	}
}

func (d *draft) set(settings ...string) { d.profile = d.profile.With(spec.Knobs(), settings...) }

// listed are items as outcomes have them.
func listed(list []*item) []spec.Item {
	items := make([]spec.Item, len(list))
	for i, it := range list {
		items[i] = spec.Item{ID: it.id, Content: it.words, Status: it.status, Priority: it.priority, ActiveForm: it.form}
	}
	return items
}
