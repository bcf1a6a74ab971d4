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
// budget, and a policy. The kinds of histories that are awkward stand for the
// faults. Tokens are counted by the estimate chars/4, which every engine knows
// how to make.
type trimMaker struct {
	opts     generators.Options
	kinds    []histories.Kind
	faults   []trimFault
	tok      tokens.Tokenizer
	policies []history.Policy
}

// oneUnreadable is the share of cases that cannot be read: one in so many.
const oneUnreadable = 12

// New returns the maker of histories under policies. The error names an unknown
// fault.
func New(opts generators.Options) (generators.Maker, error) {
	m := &trimMaker{opts: opts, kinds: histories.Table, faults: unreadable()}
	if err := generators.Known(Faults(), opts.Faults); err != nil {
		return nil, err
	}
	if opts.Faults != nil {
		m.kinds = slices.DeleteFunc(slices.Clone(histories.Table), func(k histories.Kind) bool {
			return k.Awkward && !slices.Contains(opts.Faults, k.Name)
		})
		m.faults = slices.DeleteFunc(m.faults, func(f trimFault) bool { return !slices.Contains(opts.Faults, f.Name) })
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
	return m.make, nil
}

// Faults lists the awkward kinds of histories, and what makes a case one
// that cannot be read.
func Faults() []generators.Fault {
	var list []generators.Fault
	for _, k := range histories.Table {
		if k.Awkward {
			list = append(list, generators.Fault{Name: k.Name, Family: "history", Text: k.Text})
		}
	}
	for _, f := range unreadable() {
		list = append(list, f.Fault)
	}
	return list
}

func (m *trimMaker) make(c generators.Choices) generators.Sample {
	policy := generators.Pick(&c, m.policies)
	kind := generators.Pick(&c, m.kinds)
	var fault *trimFault
	if len(m.faults) > 0 && c.OneIn(oneUnreadable) {
		fault = &m.faults[c.Below(len(m.faults))]
	}
	h := m.history(c, kind)
	s := generators.Sample{Case: h.Case("trim", tokens.Chars4, policy), Profile: harness.Reference(), Want: m.want(h, policy)}
	if m.opts.Profile != nil {
		s.Profile = *m.opts.Profile
	}
	if kind.Awkward {
		s.Faults = []string{kind.Name}
	}
	if fault != nil {
		fault.plant(&s.Case)
		s.Faults = append(s.Faults, fault.Name)
		s.Want = generators.Want{Verdict: harness.Rejected, Codes: unreadableCodes()}
	}
	s.Valid = s.Want.Verdict == harness.Applied
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
