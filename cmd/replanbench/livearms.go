package main

import (
	"slices"

	"github.com/spf13/cobra"

	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	sessions "replanbench/harness/history/recorded"
	"replanbench/harness/live"
	"replanbench/harness/score"
)

// armFlags say how prompts are trimmed before they are sent, and what is before them.
type armFlags struct {
	SendTrimmed bool   `rare:"" help:"trim each prompt with each --policy to each --budget before sending; each pair is an arm, and arms are compared"`
	History     string `rare:"" arg:"FILE" help:"a FILE with messages that precede every prompt, such as a recorded session (a case may have its own in history)"`
}

// scoring returns the options of scoring. The budgets and policies of arms are not
// among them, because each record has its own.
func (f *liveFlags) scoring(cmd *cobra.Command, e env) (score.Options, error) {
	flags := f.scoreFlags
	if f.SendTrimmed {
		flags.Policy, flags.Budget = nil, nil
		if !cmd.Flags().Changed("by") {
			flags.By = append(slices.Clone(flags.By), "policy", "budget")
		}
	}
	return flags.options(e)
}

// addArms adds to a plan its history and its arms.
func (f *liveFlags) addArms(e env, p *live.Plan) (err error) {
	if p.History, err = f.messages(e); err != nil {
		return err
	}
	if p.Tags, err = parseTags(f.TagRules); err != nil || !f.SendTrimmed {
		return err
	}
	if f.Policy == nil || f.Budget == nil {
		return usagef("--send-trimmed: give --policy and --budget, by which and to how many tokens prompts are trimmed")
	}
	policies, err := parsePolicies(f.Policy)
	if err != nil {
		return err
	}
	for i, b := range f.Budget {
		if b < 1 || b > history.MaxTokens || slices.Contains(f.Budget[:i], b) {
			return usagef("--budget %d: give different budgets from 1 to %d tokens", b, history.MaxTokens)
		}
	}
	for i, policy := range policies {
		if slices.ContainsFunc(policies[:i], func(other history.Policy) bool { return other.String() == policy.String() }) {
			return usagef("--policy %s is given twice", policy)
		}
	}
	p.Arms, p.Trim = live.Arms(policies, f.Budget), all.Trimmer().Trim
	return nil
}

// messages reads the history, which must be one.
func (f *armFlags) messages(e env) ([]history.Message, error) {
	if f.History == "" {
		return nil, nil
	}
	data, err := readInput(e, f.History)
	if err != nil {
		return nil, err
	}
	list, problems := sessions.Read(f.History, data)
	switch {
	case len(problems) > 0:
		return nil, usagef("--history %s: %v", f.History, problems[0])
	case len(list) != 1:
		return nil, usagef("--history %s: holds %d histories, and must hold one (give cases a history of their own instead)",
			f.History, len(list))
	}
	return list[0].Messages, nil
}
