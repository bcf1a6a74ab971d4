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
	send    bool
	history string
}

func (f *armFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&f.send, "send-trimmed", false,
		"trim each prompt with each --policy to each --budget before sending; each pair is an arm, and arms are compared")
	flags.StringVar(&f.history, "history", "",
		"a `FILE` with messages that precede every prompt, such as a recorded session (a case may have its own in history)")
}

// scoring returns the options of scoring. The budgets and policies of arms are not
// among them, because each record has its own.
func (f *liveFlags) scoring(cmd *cobra.Command, e env) (score.Options, error) {
	flags := f.score
	if f.arms.send {
		flags.policies, flags.budgets = nil, nil
		if !cmd.Flags().Changed("by") {
			flags.by = append(slices.Clone(flags.by), "policy", "budget")
		}
	}
	return flags.options(e)
}

// addArms adds to a plan its history and its arms.
func (f *liveFlags) addArms(e env, p *live.Plan) (err error) {
	if p.History, err = f.arms.messages(e); err != nil {
		return err
	}
	if p.Tags, err = parseTags(f.score.tags); err != nil || !f.arms.send {
		return err
	}
	if f.score.policies == nil || f.score.budgets == nil {
		return usagef("--send-trimmed: give --policy and --budget, by which and to how many tokens prompts are trimmed")
	}
	policies, err := parsePolicies(f.score.policies)
	if err != nil {
		return err
	}
	for i, b := range f.score.budgets {
		if b < 1 || b > history.MaxTokens || slices.Contains(f.score.budgets[:i], b) {
			return usagef("--budget %d: give different budgets from 1 to %d tokens", b, history.MaxTokens)
		}
	}
	for i, policy := range policies {
		if slices.ContainsFunc(policies[:i], func(other history.Policy) bool { return other.String() == policy.String() }) {
			return usagef("--policy %s is given twice", policy)
		}
	}
	p.Arms, p.Trim = live.Arms(policies, f.score.budgets), all.Trimmer().Trim
	return nil
}

// messages reads the history, which must be one.
func (f *armFlags) messages(e env) ([]history.Message, error) {
	if f.history == "" {
		return nil, nil
	}
	data, err := readInput(e, f.history)
	if err != nil {
		return nil, err
	}
	list, problems := sessions.Read(f.history, data)
	switch {
	case len(problems) > 0:
		return nil, usagef("--history %s: %v", f.history, problems[0])
	case len(list) != 1:
		return nil, usagef("--history %s: holds %d histories, and must hold one (give cases a history of their own instead)",
			f.history, len(list))
	}
	return list[0].Messages, nil
}

// armArgs are the flags of arms as they are typed.
func (f *liveFlags) armArgs() (args []string) {
	if f.arms.history != "" {
		args = append(args, "--history", f.arms.history)
	}
	if f.arms.send {
		args = append(args, "--send-trimmed")
	}
	return args
}
