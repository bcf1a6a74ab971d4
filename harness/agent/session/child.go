package session

import (
	"fmt"
	"slices"
	"strings"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
	"replanbench/harness/history"
)

// childPrompt is what a sub-agent is told to do.
const childPrompt = "Look around in the working directory, and keep a list of what you do."

// parent is an agent that was made to start a sub-agent.
type parent struct {
	turn int
	file string // in which it keeps its plan; "" is none
	done bool   // it has made another plan since
}

// isChild reports whether a request comes from the sub-agent: it has the task, and none of
// the agent's calls.
func (p *Player) isChild(r *wire.Request) bool {
	if p.parent == nil || len(r.Tools) == 0 {
		return false
	}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			if p.present[c.ID] {
				return false
			}
		}
	}
	return slices.ContainsFunc(r.Messages, func(m wire.Message) bool {
		return m.Role == history.User && strings.Contains(m.Text, childPrompt)
	})
}

// child plays the model of the sub-agent: it makes a plan if it can, and ends.
func (p *Player) child(r *wire.Request) endpoint.Delivery {
	p.log.Side++
	id := fmt.Sprintf("call_%d_%d_c", p.id, p.parent.turn)
	answered := slices.ContainsFunc(r.Messages, func(m wire.Message) bool { return m.Result != nil })
	tool, ok := p.profile.Of(r.Tools)
	if answered || !ok {
		return p.say(r, "I looked around. Nothing is left to do.")
	}
	a := p.answer(r, "s"+id, "")
	a.Calls = []wire.Call{{ID: id, Name: tool.Name, Arguments: p.profile.Fill(p.script.Turns[p.parent.turn].Edit)}}
	return endpoint.Deliver(r, wire.Write(r, a))
}

// afterChild compares the plan of the agent with that before the sub-agent, if the agent
// keeps it in a file.
func (p *Player) afterChild() {
	if p.parent == nil || p.parent.done {
		return
	}
	p.watched("child")
	now, before := p.profile.Kept(p.parent.file), p.plan.Clone()
	if now == nil || before == nil || now.Canonicalize() != nil || before.Canonicalize() != nil ||
		string(now) == string(before) {
		return
	}
	p.breaks(Carried, "child", p.parent.turn, fmt.Sprintf("the plan of the agent was %s, and after a sub-agent made a plan "+
		"of its own, it is %s", brief(string(before)), brief(string(now))))
	p.plan = now
}
