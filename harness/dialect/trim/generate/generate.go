package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/tokens"
)

// trimMaker makes samples of the dialect trim: a history of some kind, a
// budget, and a policy. The kinds of histories that are awkward are traits, and
// so is what makes a case one that cannot be read. Tokens are counted by the
// estimate chars/4, which every engine knows how to make.
type trimMaker struct {
	opts     generators.Options
	usual    []histories.Kind
	tok      tokens.Tokenizer
	policies []history.Policy
}

// maxMessages bounds histories by nothing.
const maxMessages = 1 << 30

// trait is an awkward kind of history, or what makes a case unreadable.
type trait struct {
	generators.Trait
	kind  *histories.Kind
	plant func(c *harness.Case)
}

// Clashes reports whether the two cannot stand in one sample: a history has one
// kind, and of two reasons not to read it nobody sees the second.
func (t trait) Clashes(u trait) bool { return (t.kind == nil) == (u.kind == nil) }

// traits lists the awkward kinds of histories, and what makes a case one
// that cannot be read.
func traits() (list []trait) {
	for _, k := range histories.Table {
		if k.Awkward {
			list = append(list, trait{Trait: generators.Trait{Name: k.Name, Family: "history", Text: k.Text}, kind: &k})
		}
	}
	for _, f := range unreadable() {
		list = append(list, trait{Trait: f.Trait, plant: f.plant})
	}
	return list
}

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// New returns the maker of histories under policies. The error names an unknown
// trait.
func New(opts generators.Options) (*generators.Maker, error) {
	m := &trimMaker{opts: opts}
	for _, k := range histories.Table {
		if !k.Awkward {
			m.usual = append(m.usual, k)
		}
	}
	var err error
	if m.tok, err = tokens.New(tokens.Chars4); err != nil {
		return nil, err
	}
	for _, text := range []string{
		"none", "window", "window(1)", "window(3)", "window(5)", "section_caps", "emergency", "emergency(60, 2, 2)",
		"clamp", "clamp(5)", "clamp|emergency", "section_caps|emergency|clamp(25)", "priority", "priority(60)",
		"pinned", "pinned(50, 0, 1)", "clamp(5)|pinned", "section_caps(5, 10)|priority(60)",
	} {
		p, err := history.ParsePolicy(text)
		if err != nil {
			return nil, err
		}
		m.policies = append(m.policies, p)
	}
	return generators.Recipe[trait]{Traits: traits(), MaxSteps: maxMessages, Make: m.make}.New(opts)
}

func (m *trimMaker) make(d generators.Draw[trait]) generators.Sample {
	policy := generators.Pick(&d.Choices, m.policies)
	kind := generators.Pick(&d.Choices, m.usual)
	s := generators.Sample{Profile: d.Profile}
	var plant func(*harness.Case)
	for _, t := range d.Kept() {
		s.Traits = append(s.Traits, t.Name)
		if t.kind != nil {
			kind = *t.kind
		} else {
			plant = t.plant
		}
	}
	h := m.history(d.Choices, kind)
	s.Case, s.Want = h.Case("trim", tokens.Chars4, policy), m.want(h, policy)
	if plant != nil {
		plant(&s.Case)
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: unreadableCodes()}
	}
	return s
}

// history writes a history, and ends it early if it has too many messages.
func (m *trimMaker) history(c generators.Choices, kind histories.Kind) histories.History {
	h := histories.New(c, histories.Options{Kinds: []string{kind.Name}, Tokenizer: m.tok})
	if n := m.opts.MaxSteps; n > 0 && len(h.Messages) > n {
		h.Messages = h.Messages[:n]
	}
	return h
}

// want works out what a policy must leave, where its rule leaves nothing open:
// how texts are shortened and what a careful policy drops first is up to the
// engine, and only the invariants say what is right.
func (m *trimMaker) want(h histories.History, policy history.Policy) generators.Want {
	counted := history.Count(h.Messages, m.tok)
	crowded := func(percent int) bool { return 100*counted.Total > percent*h.MaxTokens }
	if len(policy) != 1 {
		return generators.Want{Loose: true}
	}
	others := len(h.Messages)
	switch p := policy[0].Params; policy[0].Name {
	case "none":
	case "window":
		others = p[0]
	case "emergency":
		if crowded(p[0]) && len(h.Messages) > p[1] {
			others = p[2]
		}
	case "priority":
		if crowded(p[0]) {
			return generators.Want{Loose: true}
		}
	case "pinned":
		if counted.Total > h.MaxTokens || crowded(p[0]) && len(h.Messages) > p[1] {
			return generators.Want{Loose: true}
		}
	default:
		return generators.Want{Loose: true}
	}
	return lastOthers(counted, others)
}

// lastOthers is the outcome that holds the system messages and the last n
// others.
func lastOthers(h *history.Counted, n int) generators.Want {
	var left []history.Message
	out := &harness.Outcome{Dropped: []int{}, Cut: []harness.Cut{}, Tokens: &harness.TokenChange{Before: h.Total}}
	for i := len(h.Messages) - 1; i >= 0; i-- {
		if m := h.Messages[i]; m.Role != history.System {
			if n == 0 {
				out.Dropped = append(out.Dropped, i)
				continue
			}
			n--
		}
		left = append(left, h.Messages[i])
		out.Tokens.After += h.Tokens(i)
	}
	slices.Reverse(left)
	slices.Reverse(out.Dropped)
	out.Messages = history.Encode(left)
	return generators.Want{Verdict: harness.Applied, More: out}
}
