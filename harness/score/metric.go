package score

import (
	"cmp"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
)

// metric is a question to a request: yes or no, or a number. A rate is the
// share of yes among the requests that it can be asked of.
type metric struct {
	harness.Term
	ask     func(*Score, *Options) (yes, asked bool)
	measure func(*Score, *Options) (value int, asked bool) // in place of ask
	share   string                                         // of items, in place of ask: the dialect's name for it
	lower   bool                                           // less of it is better
}

// count asks with yes as 1, and of shares for every item.
func (m *metric) count(s *Score, o *Options) (yes, asked int) {
	if m.share != "" {
		return s.Items[m.share].Yes, s.Items[m.share].Of
	}
	yes, is := m.question(s, o)
	if !is {
		return 0, 0
	}
	return yes, 1
}

// question asks with yes as 1.
func (m *metric) question(s *Score, o *Options) (value int, asked bool) {
	if m.measure != nil {
		return m.measure(s, o)
	}
	yes, asked := m.ask(s, o)
	if yes && asked {
		value = 1
	}
	return value, asked
}

// The names of the rates that others refer to.
const (
	ParseRate    = "parse_rate"
	ApplyRate    = "apply_rate"
	FallbackRate = "fallback_rate"
	ConflictRate = "conflict_rate"
	DangerRate   = "danger_rate"
)

func term(name, text string) harness.Term { return harness.Term{Name: name, Text: text} }

func metrics() []metric {
	tier := func(t harness.Tier) func(*Score, *Options) (bool, bool) {
		return func(s *Score, _ *Options) (bool, bool) { return s.Tier == t, s.Tier != "" }
	}
	list := []metric{
		{term(ParseRate, "the harness could read a document from the first reply"), parsed, nil, "", false},
		{term("parse_rate_after_retry", "the harness could read a document from the first reply or a retry"), reread, nil, "", false},
		{term("strict_rate", "the first reply was that document and nothing else"), tier(harness.TierStrict), nil, "", false},
		{term("extracted_rate", "the document was in a fence or in prose"), tier(harness.TierExtracted), nil, "", true},
		{term("repaired_rate", "its syntax had to be repaired"), tier(harness.TierRepaired), nil, "", true},
		{term("coerced_rate", "its shape had to be coerced"), tier(harness.TierCoerced), nil, "", true},
		{term(ApplyRate, "the first reply could be applied"), applied, nil, "", false},
		{term("apply_rate_after_retry", "the ladder ended with a changed plan"), resolved, nil, "", false},
		{term(FallbackRate, "the first rung of the ladder failed"), fellBack, nil, "", true},
		{term(DangerRate, "a reply, the first or a retry, asked to change, lose or reuse finished work"), danger, nil, "", true},
		{term("loss_rate", "finished work was changed or lost"), loss, nil, "", true},
		{term(ConflictRate, "the first reply names one id in two of the lists remove, update, add, whatever the profile does about it"), conflict, nil, "", true},
		{term("cut_off_rate", "the reply ended at its token limit"), cutOff, nil, "", true},
		{term("intent_rate", "the first reply was applied and does what the case asks for"), intent, nil, "", false},
		{term("aside_rate", "the first reply was applied and changed no step, but the title or the like alone"), changedAside, nil, "", true},
		{term("overflow_rate", "prompt and reply of a call, be it a retry, exceed the token budget (of trimmed prompts their own)"), overflow, nil, "", true},
		{term("reply_tokens", "mean of the reply's tokens"), nil, replyTokens, "", true},
		{term("retry_rate", "the ladder ended on a retry"), ended(harness.RungRetry), nil, "", true},
		{term("fullplan_rate", "it fell back to a full plan"), ended(harness.RungFullPlan), nil, "", true},
		{term("react_rate", "it ended with planning given up"), ended(harness.RungReact), nil, "", true},
		{term("failed_rate", "it ended on no rung"), ended(""), nil, "", true},
		{term("ladder_tokens", "mean of the tokens of all calls of a request, prompts and retries included"), nil, ladderTokens, "", true},
	}
	for _, t := range ItemRates() {
		list = append(list, metric{Term: t, share: t.Name, lower: true})
	}
	return list
}

// ItemRates lists the shares of items that dialects count.
func ItemRates() (list []harness.Term) {
	for _, d := range all.Dialects() {
		list = append(list, d.Rates...)
	}
	return list
}

// metricOf returns the metric of that name, or nil.
func metricOf(name string) *metric {
	list := metrics()
	i := slices.IndexFunc(list, func(m metric) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	return &list[i]
}

// Metrics lists the rates, and the means behind them, with their meaning.
func Metrics() []harness.Term {
	var terms []harness.Term
	for _, m := range metrics() {
		terms = append(terms, m.Term)
	}
	return terms
}

func parsed(s *Score, _ *Options) (bool, bool) { return s.Tier != harness.TierNone, s.Tier != "" }
func reread(s *Score, _ *Options) (bool, bool) {
	return s.Tier != harness.TierNone || s.Reread, s.Tier != ""
}
func applied(s *Score, _ *Options) (bool, bool) { return s.Verdict == harness.Applied, s.scored }
func resolved(s *Score, _ *Options) (bool, bool) {
	return s.Rung != "" && s.Rung != harness.RungReact, s.scored
}
func fellBack(s *Score, _ *Options) (bool, bool)     { return s.Rung != harness.RungPatch, s.scored }
func danger(s *Score, _ *Options) (bool, bool)       { return s.Danger, s.scored }
func loss(s *Score, _ *Options) (bool, bool)         { return s.Lost, s.scored }
func cutOff(s *Score, _ *Options) (bool, bool)       { return s.CutOff, true }
func intent(s *Score, _ *Options) (bool, bool)       { return s.Intent == Met, s.scored && s.intent }
func changedAside(s *Score, _ *Options) (bool, bool) { return s.Changed != "", s.scored }
func conflict(s *Score, _ *Options) (bool, bool)     { return s.Conflict, s.scored && s.lists }
func overflow(s *Score, o *Options) (bool, bool) {
	budget := s.limit(o)
	return s.Largest > budget, budget > 0 && s.Largest >= 0
}

// limit is the token budget of a request: that of the options, else the one that its
// prompt was trimmed to; 0 for none.
func (s *Score) limit(o *Options) int { return cmp.Or(o.Budget, s.budget) }

// ended asks whether the ladder ended on a rung.
func ended(r harness.Rung) func(*Score, *Options) (bool, bool) {
	return func(s *Score, _ *Options) (bool, bool) { return s.Rung == r, s.scored }
}

func replyTokens(s *Score, _ *Options) (int, bool)  { return s.Reply, s.Reply >= 0 }
func ladderTokens(s *Score, _ *Options) (int, bool) { return s.Ladder, s.Ladder >= 0 }
