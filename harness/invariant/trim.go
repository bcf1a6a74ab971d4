package invariant

import (
	"replanbench/harness"
	"replanbench/harness/dialect/trim/check"
	"replanbench/harness/dialect/trim/history"
	"replanbench/harness/tokens"
)

// trimming is what was found about an outcome of the dialect trim.
type trimming struct {
	sound  bool // the case can be read
	policy history.Policy
	broken map[string]string // by check
}

// trimRules are the checks of package check on one answer, and on the answer
// to what that left.
func trimRules() []rule {
	trim := []string{harness.Trim}
	var list []rule
	for _, t := range check.Checks() {
		if t.Name == check.Idempotent {
			list = append(list, rule{Check{t.Name, t.Text, Metamorphic, true, trim}, (*examination).trimsOnce})
		} else {
			list = append(list, rule{Check{t.Name, t.Text, Safety, false, trim}, func(x *examination) result { return x.trims(t.Name) }})
		}
	}
	return list
}

// trims picks what was found by one check.
func (x *examination) trims(name string) result {
	t := x.trimmed()
	if message, ok := t.broken[name]; ok {
		return broke("", "", message)
	}
	if !t.sound || !t.asks(name, x.out.Verdict) {
		return skip()
	}
	return held()
}

// trimmed judges the outcome once for all checks.
func (x *examination) trimmed() *trimming {
	if x.trim != nil {
		return x.trim
	}
	x.trim = &trimming{}
	if req, err := history.DecodeCase(x.item.Case); err == nil {
		*x.trim = trimming{true, req.Policy, check.Judge(x.item.Case, x.out)}
	}
	return x.trim
}

// asks reports whether a check has something to look at: what the policy does
// not claim is not asked, and a refusal leaves no messages.
func (t *trimming) asks(name string, v harness.Verdict) bool {
	claims := t.policy.Claims()
	switch name {
	case check.WellFormed:
		return true
	case check.Fits:
		return claims.Fits
	case check.Pairs:
		return claims.Pairs && v == harness.Applied
	case check.Alternates:
		return claims.Alternates && v == harness.Applied
	case check.Protects:
		return claims.Protects && v == harness.Applied
	}
	return v == harness.Applied
}

// trimsOnce: trimming what was trimmed changes nothing.
func (x *examination) trimsOnce() result {
	c, ok := check.Again(x.item.Case, x.out)
	if !ok || !x.trimmed().sound {
		return skip()
	}
	second, ok := x.again(c)
	if !ok {
		return skip()
	}
	if message := check.Changed(x.out, second); message != "" {
		return broke("", "", message)
	}
	return held()
}

// exactTokens reports whether a case of the dialect trim asks for a tokenizer
// that not everybody has. What an engine counts by it cannot declare, so that it
// may answer unsupported.
func exactTokens(c harness.Case) bool {
	if c.Dialect != harness.Trim {
		return false
	}
	req, err := history.DecodeCase(c)
	return err == nil && req.Budget.Tokenizer != tokens.Chars4
}
