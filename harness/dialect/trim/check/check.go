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
			always).Breaking(judge.Of(judge.Crashes, "MEMBER")),
		holds(Order, "the remaining messages are input messages in their order, whole or with a shorter content",
			always).Breaking(judge.Says(judge.Loss, "order",
			"messages change their order, or differ from every input message (also by a lost tag)")),
		holds(Truthful, "tokens, dropped and cut report what the engine did", always).Breaking(judge.Says(judge.Reports,
			"tokens", "the reported tokens are wrong"),
			judge.Says(judge.Reports, "dropped", "the reported list of dropped messages is wrong"),
			judge.Says(judge.Reports, "cut", "the reported list of cut messages is wrong")),
		holds(NoGrowth, "tokens never increase, neither in total nor per message, and no cut makes a message longer",
			always).Breaking(judge.Says(judge.Unsound, "all", "the history grows"),
			judge.Says(judge.Unsound, "message", "a message grows")),
		holds(System, "no system message is dropped", always).Breaking(judge.Says(judge.Loss, "gone",
			"a system message is dropped")),
		holds(Graphemes, "no character or grapheme is split", always).Breaking(judge.Says(judge.Unsound, "cut",
			"a character or grapheme is split")),
		judge.Relates(Idempotent, "trimming a trimmed history changes nothing", trimsOnce).Breaking(judge.Says(judge.Unsound,
			"again", "trimming a trimmed history changes it again")),
		holds(Pairs, "a tool result and its call are kept or dropped together",
			func(c history.Claims) bool { return c.Pairs }).Breaking(judge.Says(judge.Unsound, "result",
			"a tool result loses its call"), judge.Says(judge.Unsound, "call", "a tool call loses its result")),
		holds(Alternates, "after normalisation the roles alternate no worse than before",
			func(c history.Claims) bool { return c.Alternates }).Breaking(judge.Says(judge.Unsound, "turn",
			"the roles alternate worse than before")),
		holds(Fits, "at most max_tokens remain, or cannot_fit if the protected messages are too large",
			func(c history.Claims) bool { return c.Fits }).
			Breaking(judge.Says(judge.Unsound, "over", "more than max_tokens remain"),
				judge.Says(judge.Unsound, "goal", "more tokens remain than the policy claims"),
				judge.Says(judge.Refuses, "refused", "rejects with cannot_fit although the history fits")),
		holds(Protects, "replan constraints, plan and last user message stay whole",
			func(c history.Claims) bool { return c.Protects }).
			Breaking(judge.Says(judge.Loss, "user", "the last user message is lost or cut"),
				judge.Says(judge.Loss, "plan", "the plan is lost or cut"), judge.Says(judge.Loss, "replan_constraints",
					"replan constraints are lost or cut")),
		holds(Once, "equal tool results and error messages stay whole once, and nothing else is cut for it",
			func(c history.Claims) bool { return c.Once }).
			Breaking(judge.Says(judge.Loss, "first", "every copy of a text is lost"),
				judge.Says(judge.Loss, "other", "a message is cut although it repeats nothing"),
				judge.Says(judge.Loss, "dropped", "a message is dropped although only copies may be replaced"),
				judge.Says(judge.Unsound, "left", "a text remains twice")),
		holds(Shares, "a policy that only caps messages cuts exactly those over their share, and keeps the beginning "+
			"(clamp: and the end)", always).
			Breaking(judge.Says(judge.Loss, "within", "a message is cut although it is within its share"),
				judge.Says(judge.Loss, "ends", "a message is cut to less than its share"),
				judge.Says(judge.Loss, "dropped", "a message is dropped although the policy only cuts long ones"),
				judge.Says(judge.Unsound, "over", "a message still exceeds its share")),
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
		refusal := name == WellFormed || name == Fits // what is asked of one, too
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
		return &trimming{sound: true, policy: req.Policy, broken: Judge(x.Item.Case, x.Out, x.Gives)}
	})
}

// trimsOnce: trimming what was trimmed changes nothing.
func trimsOnce(x *judge.Examination) judge.Result {
	c, ok := Again(x.Item.Case, x.Out)
	if !ok || !trimmed(x).sound {
		return judge.Skip()
	}
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
