package session

import (
	"bytes"
	"fmt"
	"slices"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/wire"
)

// isChild reports whether a request comes from a sub-agent that the agent was made to start:
// its history has none of the calls of the agent.
func (p *Player) isChild(r *wire.Request) bool {
	if p.waiting == nil || !p.script.Turns[p.waiting.turn].Child || len(r.Tools) == 0 || len(p.present) == 0 {
		return false
	}
	for _, m := range r.Messages {
		for _, c := range m.Calls {
			if p.present[c.ID] {
				return false
			}
		}
	}
	return true
}

// child plays the model of a sub-agent: it makes a plan if it can, and ends.
func (p *Player) child(r *wire.Request) endpoint.Delivery {
	p.log.Side++
	id := fmt.Sprintf("call_%d_%d_c", p.id, p.waiting.turn)
	answered := slices.ContainsFunc(r.Messages, func(m wire.Message) bool { return m.Result != nil })
	tool, ok := p.profile.Of(r.Tools)
	if answered || !ok {
		return p.say(r, "I looked around. Nothing is left to do.")
	}
	a := p.answer(r, "s"+id, "")
	a.Calls = []wire.Call{{ID: id, Name: tool.Name, Arguments: p.profile.Fill(p.script.Turns[p.waiting.turn].Edit)}}
	return endpoint.Deliver(r, wire.Write(r, a))
}

// afterChild compares the plan of the agent with that before the sub-agent, if the agent
// keeps it in a file.
func (p *Player) afterChild(turn int) {
	now := p.profile.Kept(p.file)
	if now == nil || bytes.Equal(now, p.plan) {
		return
	}
	p.breaks(Carried, "child", turn, fmt.Sprintf("the plan of the agent was %s, and after a sub-agent made a plan of its own, "+
		"it is %s", brief(string(p.plan)), brief(string(now))))
	p.plan = now
}
