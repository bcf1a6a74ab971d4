package live

import (
	"math"

	"replanbench/corpora"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// Arm is a way to trim prompts before they are sent.
type Arm struct {
	Policy history.Policy
	Budget int // in tokens
}

// Arms returns every combination of policies and budgets.
func Arms(policies []history.Policy, budgets []int) (list []Arm) {
	for _, p := range policies {
		for _, b := range budgets {
			list = append(list, Arm{p, b})
		}
	}
	return list
}

// arms returns the arms of the plan, or a single nil: then prompts are sent whole.
func (p *Plan) arms() []*Arm {
	list := make([]*Arm, max(1, len(p.Arms)))
	for i := range p.Arms {
		list[i] = &p.Arms[i]
	}
	return list
}

// trim returns what the arm sends of a conversation, and the record of what was lost.
// With a failure, which says why the policy leaves nothing to send, it returns the
// whole conversation.
func (p *Plan) trim(a *Arm, talk []history.Message, tok tokens.Tokenizer) ([]Message, *corpora.Trim, *Failure) {
	if a == nil {
		return sendable(talk), nil, nil
	}
	counted := history.Count(talk, tok)
	t := &corpora.Trim{
		Policy: a.Policy.String(), Budget: a.Budget, Tokenizer: tok.Name(), Before: counted.Total,
		Overflow: math.Round(1e4*counted.Utilisation(a.Budget)) / 1e4,
	}
	left, err := p.Trim(a.Policy, counted, a.Budget)
	switch {
	case err != nil:
		return sendable(talk), t, &Failure{Class: CannotFit, Message: err.Error()}
	case len(left.Messages) == 0:
		return sendable(talk), t, &Failure{Class: CannotFit, Message: "the policy " + t.Policy +
			" removes every message (let it keep more)"}
	}
	t.After = left.After
	for _, f := range left.Fates {
		if f.Action != history.Kept {
			t.Lost = append(t.Lost, f)
		}
	}
	return sendable(left.Messages), t, nil
}

// sendable turns messages into the messages of a request. Tool calls and the results of
// tools are sent as text, because many endpoints refuse them without their tools.
func sendable(talk []history.Message) []Message {
	list := make([]Message, len(talk))
	for i := range talk {
		m := &talk[i]
		content := m.Content
		if calls := m.CallsText(); calls != "" && content != "" {
			content += "\n" + calls
		} else {
			content += calls
		}
		role := m.Role
		if role == history.Tool {
			role = history.User
		}
		list[i] = Message{Role: string(role), Content: content, Tag: m.Tag}
	}
	return list
}

// conversation returns the messages of a first request: the system message, the
// history of the plan, that of the case, and the prompt.
func (p *Plan) conversation(c *Case, prompt string) (talk []history.Message) {
	if p.System != "" {
		talk = append(talk, history.Message{Role: history.System, Content: p.System})
	}
	talk = append(append(talk, p.History...), c.History...)
	talk = append(talk, history.Message{Role: history.User, Content: prompt})
	history.ApplyTags(talk, p.Tags)
	return talk
}
