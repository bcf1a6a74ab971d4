package check

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/score/tokens"
)

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks:  slices.Concat(judge.Answers(), checks(), []judge.Check{judge.Again()}, judge.Oracles()),
		Plan:    func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Free:    func(x *judge.Examination) bool { return !trimmed(x).sound || !trimmed(x).policy.Exact() },
		Unknown: unknownTokenizer,
	}
}

// checks are what must hold for every policy, and then what some claim.
func checks() []judge.Check {
	always := func(history.Claims) bool { return true }
	return []judge.Check{
		holds(WellFormed, "the outcome has messages, tokens, dropped and cut, or a known code",
			always).Breaking(judge.Says(judge.Crashes, "MEMBER", "Returns malformed messages, tokens or codes")),
		holds(Order, "the remaining messages are input messages in their order, whole or with a shorter content",
			always).Breaking(judge.Says(judge.Loss, "order", "Reorders or changes messages")),
		holds(Truthful, "tokens, dropped and cut report what the engine did", always).Breaking(judge.Says(judge.Reports,
			"tokens", "Reports wrong tokens"),
			judge.Says(judge.Reports, "dropped", "Reports a wrong list of dropped messages"),
			judge.Says(judge.Reports, "cut", "Reports a wrong list of cut messages")),
		holds(NoGrowth, "tokens never increase, neither in total nor per message, and no cut makes a message longer",
			always).Breaking(judge.Says(judge.Unsound, "all", "Returns more tokens than it receives"),
			judge.Says(judge.Unsound, "message", "Makes a message longer")),
		holds(System, "no system message is dropped", always).Breaking(judge.Says(judge.Loss, "gone",
			"Drops a system message")),
		holds(Graphemes, "no character or grapheme is split", always).Breaking(judge.Says(judge.Unsound, "cut",
			"Splits a character or grapheme")),
		judge.Relates(Idempotent, "trimming a trimmed history changes nothing", trimsOnce).Breaking(judge.Says(judge.Unsound,
			"again", "Changes a trimmed history when it is trimmed again")),
		holds(Pairs, "a tool result and its call are kept or dropped together",
			func(c history.Claims) bool { return c.Pairs }).Breaking(judge.Says(judge.Unsound, "result",
			"Drops the call of a tool result"), judge.Says(judge.Unsound, "call", "Drops the result of a tool call")),
		holds(Alternates, "after normalisation the roles alternate no worse than before",
			func(c history.Claims) bool { return c.Alternates }).Breaking(judge.Says(judge.Unsound, "turn",
			"Makes the roles alternate worse than before")),
		holds(Fits, "at most max_tokens remain, or cannot_fit if the protected messages are too large",
			func(c history.Claims) bool { return c.Fits }).
			Breaking(judge.Says(judge.Unsound, "over", "Keeps more than max_tokens"),
				judge.Says(judge.Unsound, "goal", "Keeps more tokens than the policy claims"),
				judge.Says(judge.Refuses, "refused", "Rejects with cannot_fit although the history fits")),
		holds(Protects, "replan constraints, plan and last user message stay whole",
			func(c history.Claims) bool { return c.Protects }).
			Breaking(judge.Says(judge.Loss, "user", "Drops or cuts the last user message"),
				judge.Says(judge.Loss, "plan", "Drops or cuts the plan"), judge.Says(judge.Loss, "replan_constraints",
					"Drops or cuts the replan constraints")),
		holds(Once, "equal tool results and error messages stay whole once, and nothing else is cut for it",
			func(c history.Claims) bool { return c.Once }).
			Breaking(judge.Says(judge.Loss, "first", "Drops every copy of a text"),
				judge.Says(judge.Loss, "other", "Cuts a message that repeats nothing"),
				judge.Says(judge.Loss, "dropped", "Drops a message that is not a copy"),
				judge.Says(judge.Unsound, "left", "Keeps a repeated text")),
		holds(Shares, "a policy that only caps messages cuts exactly those over their share, and keeps the beginning "+
			"(clamp: and the end)", always).
			Breaking(judge.Says(judge.Loss, "within", "Cuts a message within its share"),
				judge.Says(judge.Loss, "ends", "Cuts a message to less than its share"),
				judge.Says(judge.Loss, "dropped", "Drops a message that the policy only cuts"),
				judge.Says(judge.Unsound, "over", "Keeps a message above its share")),
	}
}

// holds is a check where the policy claims as much. A refusal leaves no messages
// to look at.
func holds(name, text string, claimed func(history.Claims) bool) judge.Check {
	return judge.Holds(name, text, func(x *judge.Examination) judge.Result {
		t := trimmed(x)
		if b, ok := t.broken[name]; ok {
			return judge.Result{Exercised: true, Broken: b}
		}
		refusal := name == WellFormed || name == Fits // checked for rejections too
		if !t.sound || !claimed(t.policy.Claims()) || x.Out.Verdict != harness.Applied && !refusal {
			return judge.Skip()
		}
		return judge.Held()
	})
}

// trimming has the findings about an outcome.
type trimming struct {
	sound  bool // the case can be read
	policy history.Policy
	broken map[string]*judge.Break // by check
}

// trimmed judges the outcome once for all checks.
func trimmed(x *judge.Examination) *trimming {
	return judge.Remembered(x, func() *trimming {
		req, err := history.DecodeCase(x.Item.Case)
		if err != nil {
			return &trimming{}
		}
		return &trimming{sound: true, policy: req.Policy, broken: Judge(req, x.Out, x.Gives)}
	})
}

// trimsOnce: trimming what was trimmed changes nothing.
func trimsOnce(x *judge.Examination) judge.Result {
	if x.Out.Verdict != harness.Applied || x.Out.Messages == nil || !trimmed(x).sound {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Messages = x.Out.Messages
	second, ok := x.Again(c)
	if !ok {
		return judge.Skip()
	}
	if message := Changed(x.Out, second); message != "" {
		return judge.Broke("again", "", "", message)
	}
	return judge.Held()
}

// unknownTokenizer: what an engine counts by it cannot declare, so that it may
// answer unsupported where a case asks for a tokenizer that not everybody has.
func unknownTokenizer(c harness.Case) string {
	req, err := history.DecodeCase(c)
	if err != nil || req.Budget.Tokenizer == tokens.Chars4 {
		return ""
	}
	return "the engine does not have the tokenizer of the case"
}
