package generate

import (
	"slices"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/history"
)

// want declares the verdict, and that nothing changes where a policy has nothing to do: how texts
// are shortened and what a careful policy drops first is up to the engine.
func (w *draft) want(messages []history.Message, plain bool) generators.Want {
	policy, err := history.ParsePolicy(w.policy)
	if err != nil {
		return generators.Want{Loose: true}
	}
	h := history.Count(messages, w.tok)
	switch alone := len(policy) == 1; {
	case alone && policy.Exact():
		return generators.Want{Verdict: harness.Applied}
	case alone && w.idle(policy[0], h):
		return generators.Want{Verdict: harness.Applied, More: &harness.Outcome{
			Messages: history.Encode(h.Messages), Dropped: []int{}, Cut: []harness.Cut{},
			Tokens: &harness.TokenChange{Before: h.Total, After: h.Total},
		}}
	case !policy.Claims().Fits || h.Total <= w.max || plain:
		return generators.Want{Verdict: harness.Applied}
	case alone && least(h) > w.max:
		return generators.Refused(harness.CannotFit)
	}
	return generators.Want{Loose: true} // what must stay with the protected may be too much
}

// idle reports whether a policy that may choose has nothing to do.
func (w *draft) idle(s history.Step, h *history.Counted) bool {
	crowded := func(percent int) bool { return 100*h.Total > percent*w.max }
	switch p := s.Params; s.Name {
	case "dedup":
		return !repeats(h.Messages)
	case "priority":
		return !crowded(p[0])
	case "pinned":
		return h.Total <= w.max && (!crowded(p[0]) || len(h.Messages) <= p[1])
	}
	return false
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
