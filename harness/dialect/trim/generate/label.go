package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/history"
)

// want works out what a policy must leave, where its rule leaves nothing open:
// how texts are shortened and what a careful policy drops first is up to the
// engine, and only the checks say what is right.
func (w *draft) want(plain bool) generators.Want {
	policy, err := history.ParsePolicy(w.policy)
	if err != nil {
		return generators.Want{Loose: true}
	}
	h := history.Count(w.messages(), w.tok)
	if len(policy) == 1 {
		if n, exact := w.left(policy[0], h); exact {
			return lastOthers(h, n)
		}
	}
	switch {
	case !policy.Claims().Fits || h.Total <= w.max || plain:
		return generators.Want{Verdict: harness.Applied}
	case len(policy) == 1 && least(h) > w.max:
		return generators.Want{Verdict: harness.Rejected, Codes: []harness.Code{harness.CannotFit}}
	}
	return generators.Want{Loose: true} // what must stay with the protected may be too much
}

// left is how many messages beside the system's a policy leaves, where it only
// drops, or does nothing.
func (w *draft) left(s history.Step, h *history.Counted) (others int, exact bool) {
	others = len(h.Messages)
	crowded := func(percent int) bool { return 100*h.Total > percent*w.max }
	switch p := s.Params; s.Name {
	case "none":
		return others, true
	case "window":
		return p[0], true
	case "emergency":
		if crowded(p[0]) && len(h.Messages) > p[1] {
			return p[2], true
		}
		return others, true
	case "dedup":
		return others, !repeats(h.Messages)
	case "priority":
		return others, !crowded(p[0])
	case "pinned":
		return others, h.Total <= w.max && (!crowded(p[0]) || len(h.Messages) <= p[1])
	}
	return others, false
}

// repeats reports whether a message that a history needs once is there twice.
func repeats(messages []history.Message) bool {
	seen := map[string]bool{}
	return slices.ContainsFunc(messages, func(m history.Message) bool {
		again := m.Repeatable() && seen[m.Content]
		seen[m.Content] = seen[m.Content] || m.Repeatable()
		return again
	})
}

// least returns the tokens of the protected messages.
func least(h *history.Counted) (total int) {
	for i, protected := range history.Protected(h.Messages) {
		if protected {
			total += h.Tokens(i)
		}
	}
	return total
}

// lastOthers is the outcome that holds the system messages and the last n
// others.
func lastOthers(h *history.Counted, n int) generators.Want {
	var left []history.Message
	out := &harness.Outcome{Dropped: []int{}, Cut: []harness.Cut{}, Tokens: &harness.TokenChange{Before: h.Total}}
	for i, v := range slices.Backward(h.Messages) {
		if m := v; m.Role != history.System {
			if n == 0 {
				out.Dropped = append(out.Dropped, i)
				continue
			}
			n--
		}
		left = append(left, v)
		out.Tokens.After += h.Tokens(i)
	}
	slices.Reverse(left)
	slices.Reverse(out.Dropped)
	out.Messages = history.Encode(left)
	return generators.Want{Verdict: harness.Applied, More: out}
}
