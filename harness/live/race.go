package live

import (
	"math"

	"replanbench/corpora"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/score/stats"
	"replanbench/harness/score/tokens"
)

// Race is the rule by which prompts that are already worse stop early.
//
// The cases are asked in Looks rounds. Between two rounds every pair of prompts
// that still run is compared over the cases asked so far, by the mean difference
// of the shares of first replies that could be applied. A prompt stops when
// [stats.DifferenceTest] says at the corrected level that another one is better.
// How many cases either one won is told, and decides nothing: a prompt that is a
// little better in most cases and much worse in a few may well be no better. The
// level is Alpha divided by the number of pairs and of looks (Bonferroni), so
// that, over the whole race, a prompt that is not worse stops with a probability
// of at most Alpha, however the results grow together.
type Race struct {
	Alpha float64
	Looks int // rounds; the last has no look behind it
}

// DefaultRace looks nine times at a level of 5 %.
func DefaultRace() Race { return Race{Alpha: 0.05, Looks: 10} }

// elimination says when a prompt stopped, and which other one was better.
type elimination struct {
	Prompt int // place among the prompts
	By     int
	Cases  int // asked until then
	// Difference is by how much the better one's mean share is higher. At a stop it tends to be
	// too large, because a race stops when it is. Low and High are its interval at the level of
	// one look, which covers the true difference in 95 % of races, whenever they stop.
	Difference float64
	Low, High  float64
	Won        int // cases that the better one won
	Lost       int
	P          float64
}

// standing is a race under way.
type standing struct {
	rule    Race
	prompts int
	gone    map[int]elimination
}

func newStanding(rule Race, prompts int) *standing {
	return &standing{rule: rule, prompts: prompts, gone: map[int]elimination{}}
}

// roundSize is how many of n cases a round has.
func (s *standing) roundSize(n int) int {
	looks := max(1, s.rule.Looks)
	return max(1, (n+looks-1)/looks)
}

func (s *standing) out(prompt int) bool {
	_, gone := s.gone[prompt]
	return gone
}

// look compares the prompts. success has, by case and prompt, the share of
// first replies that could be applied, or -1 where there are none.
func (s *standing) look(cases int, success [][]float64) {
	pairs := s.prompts * (s.prompts - 1) / 2
	level := s.rule.Alpha / float64(max(1, pairs*(s.rule.Looks-1)))
	var losers []elimination
	for a := range s.prompts {
		for b := range s.prompts {
			if a == b || s.out(a) || s.out(b) {
				continue
			}
			e := elimination{Prompt: b, By: a, Cases: cases}
			var differences []float64
			for _, row := range success {
				if row[a] < 0 || row[b] < 0 {
					continue
				}
				d := row[a] - row[b]
				differences = append(differences, d)
				e.Won += collect.One(d > 0)
				e.Lost += collect.One(d < 0)
			}
			if e.Difference = mean(differences); e.Difference <= 0 {
				continue
			}
			if e.P = stats.DifferenceTest(differences); e.P <= level {
				e.Low, e.High = stats.DifferenceInterval(differences, 1-level)
				losers = append(losers, e)
			}
		}
	}
	for _, l := range losers {
		if before, ok := s.gone[l.Prompt]; !ok || l.P < before.P {
			s.gone[l.Prompt] = l
		}
	}
}

// mean is 0 of nothing.
func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(max(1, len(list)))
}

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
// history of the plan, the history of the case, and the prompt.
func (p *Plan) conversation(c *Case, prompt string) (talk []history.Message) {
	if p.System != "" {
		talk = append(talk, history.Message{Role: history.System, Content: p.System})
	}
	talk = append(append(talk, p.History...), c.History...)
	talk = append(talk, history.Message{Role: history.User, Content: prompt})
	history.ApplyTags(talk, p.Tags)
	return talk
}
