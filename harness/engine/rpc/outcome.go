package rpc

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
)

// DecodeOutcome reads the result of eval for a case of the given dialect and
// checks that it is a whole answer: the verdict and the code are ones that
// exist, and what must be there is there. Whether the answer is right is not
// asked. Members that the harness does not know are passed over.
func DecodeOutcome(dialect string, result []byte) (harness.Outcome, error) {
	var o harness.Outcome
	if jsontext.Value(result).Kind() != '{' {
		return o, fmt.Errorf("the result of eval is not an object")
	}
	if err := json.Unmarshal(result, &o); err != nil {
		return o, fmt.Errorf("the result of eval: %w", err)
	}
	return o, CheckOutcome(dialect, o)
}

// CheckOutcome reports what keeps an outcome from being a whole answer.
func CheckOutcome(dialect string, o harness.Outcome) error {
	switch {
	case o.Verdict == "":
		return fmt.Errorf(`the member "verdict" is missing`)
	case !slices.Contains([]harness.Verdict{harness.Applied, harness.Rejected, harness.Unsupported}, o.Verdict):
		return fmt.Errorf("unknown verdict %q (the verdicts are applied, rejected, unsupported)", o.Verdict)
	case o.Verdict == harness.Rejected && o.Code == "":
		return fmt.Errorf(`a rejection needs the member "code"`)
	case o.Verdict != harness.Rejected && o.Code != "":
		return fmt.Errorf("the code %q stands beside the verdict %s (only a rejection has a code)", o.Code, o.Verdict)
	case o.Code != "" && !listed(harness.Codes(), string(o.Code)):
		return fmt.Errorf("unknown code %q%s", o.Code, didYouMean(string(o.Code), harness.Codes()))
	case o.Tier != "" && !listed(harness.Tiers(), string(o.Tier)):
		return fmt.Errorf("unknown tier %q%s", o.Tier, didYouMean(string(o.Tier), harness.Tiers()))
	case o.Rung != "" && !listed(harness.Rungs(), string(o.Rung)):
		return fmt.Errorf("unknown rung %q%s", o.Rung, didYouMean(string(o.Rung), harness.Rungs()))
	case o.Verdict != harness.Applied:
		return nil
	}
	return checkApplied(dialect, o)
}

// checkApplied asks for what the dialect's accepted outcomes must hold.
func checkApplied(dialect string, o harness.Outcome) error {
	switch {
	case dialect == harness.Trim && len(o.Messages) == 0:
		return fmt.Errorf(`an applied outcome needs the member "messages"`)
	case dialect == harness.PlanPatch && o.Plan == nil && o.Rung != harness.RungReact:
		return fmt.Errorf(`an applied outcome needs the member "plan"`)
	}
	return nil
}

func listed(terms []harness.Term, name string) bool {
	return slices.ContainsFunc(terms, func(t harness.Term) bool { return t.Name == name })
}

func didYouMean(name string, terms []harness.Term) string {
	names := make([]string, len(terms))
	for i, t := range terms {
		names[i] = t.Name
	}
	if n := harness.Nearest(name, names); n != "" {
		return fmt.Sprintf("; did you mean %q?", n)
	}
	return ""
}
