package check

import (
	_ "embed"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/dialect/check"
	"replanbench/harness/history"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/plan"
	"replanbench/harness/score/tokens"
)

//go:embed kinds.json
var kinds []byte

// Rules returns the rules by which outcomes are judged.
func Rules() judge.Rules {
	return judge.Rules{
		Checks:  check.WithKinds(kinds, judge.Answers(), checks(), []judge.Check{judge.Again()}, judge.Oracles()),
		Plan:    func(c harness.Case) (*plan.Plan, error) { return plan.Decode(c.Plan) },
		Free:    func(x *judge.Examination) bool { return !trimmed(x).sound || !trimmed(x).policy.Exact() },
		Unknown: unknownTokenizer,
	}
}

// checks are what must hold for every policy, and then what some claim.
func checks() []judge.Check {
	always := func(history.Claims) bool { return true }
	return []judge.Check{
		holds(WellFormed, "the outcome has messages, tokens, dropped and cut, or a known code", always),
		holds(Order, "the remaining messages are input messages in their order, whole or with a shorter content",
			always),
		holds(Truthful, "tokens, dropped and cut report what the engine did", always),
		holds(NoGrowth, "tokens never increase, neither in total nor per message, and no cut makes a message longer",
			always),
		holds(System, "no system message is dropped", always),
		holds(Graphemes, "no character or grapheme is split", always),
		judge.Relates(Idempotent, "trimming a trimmed history changes nothing", trimsOnce),
		holds(Pairs, "a tool result and its call are kept or dropped together",
			func(c history.Claims) bool { return c.Pairs }),
		holds(Alternates, "after normalisation the roles alternate no worse than before",
			func(c history.Claims) bool { return c.Alternates }),
		holds(Fits, "at most max_tokens remain, or cannot_fit if the protected messages are too large",
			func(c history.Claims) bool { return c.Fits }),
		holds(Protects, "replan constraints, plan and last user message stay whole",
			func(c history.Claims) bool { return c.Protects }),
		holds(Once, "equal tool results and error messages stay whole once, and nothing else is cut for it",
			func(c history.Claims) bool { return c.Once }),
		holds(Shares, "a policy that only caps messages cuts exactly those over their share, and keeps the beginning "+
			"(clamp: and the end)",
			always),
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
	sound     bool // the case can be read
	policy    history.Policy
	broken    map[string]*judge.Break // by check
	respelled jsontext.Value          // see [Judge]
}

// trimmed judges the outcome once for all checks.
func trimmed(x *judge.Examination) *trimming {
	return judge.Remembered(x, func() *trimming {
		req, err := request(x)
		if err != nil {
			return &trimming{}
		}
		broken, respelled := Judge(req, x.Out, x.Gives)
		return &trimming{sound: true, policy: req.Policy, broken: broken, respelled: respelled}
	})
}

// request decodes the case. Its messages are the largest part of it.
func request(x *judge.Examination) (req history.Request, err error) {
	var ok bool
	if req.Messages, ok = x.Item.Decoded.([]history.Message); !ok {
		return history.DecodeCase(x.Item.Case)
	}
	req.Budget, req.Policy, err = history.DecodeTrimming(x.Item.Case.Budget, x.Item.Case.Policy)
	return req, err
}

// trimsOnce: trimming what was trimmed changes nothing.
func trimsOnce(x *judge.Examination) judge.Result {
	if x.Out.Verdict != harness.Applied || x.Out.Messages == nil || !trimmed(x).sound {
		return judge.Skip()
	}
	c := x.Item.Case
	c.Messages = x.Out.Messages
	if respelled := trimmed(x).respelled; respelled != nil {
		c.Messages = respelled
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
