package session

import (
	"bytes"
	"slices"

	"replanbench/harness/agent/endpoint"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/profile"
	"replanbench/harness/agent/wire"
	"replanbench/harness/plan/toolmap"
)

// style is how the tools of an agent change its plan: a [rewriting] of the list, or a [single] task a call.
type style interface {
	// edits returns the calls that make the edit of a turn.
	edits(turn Turn, id string) []wire.Call
	// second returns the arguments of a second call in an answer with these calls.
	second(calls []wire.Call) string
	// take notes what the agent did with the calls of a turn; false: the plan must be read with a tool first.
	take(w *waiting, step *Step, fresh []taken) bool
	// ask sends the calls that read the plan, if it must be read.
	ask(r *wire.Request) (endpoint.Delivery, bool)
	// readBack takes the results of the calls that read the plan. It reports false if there were none.
	readBack(shown []*wire.Result, compacted bool) bool
	// reading reports whether the agent was asked for its plan.
	reading() bool
	// watchFor begins to look for open items after a compaction or a restart.
	watchFor(kind string, turn int, items []string)
	// forget is watchFor after the agent executed the call of a turn but removed it from its history at once.
	forget(t Turn)
}

// newStyle returns the style of the agent's tools.
func newStyle(p *Player) style {
	if p.profile.Single() {
		return &single{Player: p, names: toolmap.NewNames("")}
	}
	return rewriting{p}
}

// rewriting plays a tool that takes the whole list.
type rewriting struct{ *Player }

func (p rewriting) edits(turn Turn, id string) []wire.Call {
	return []wire.Call{{ID: id, Name: p.log.Learned.Tool.Name, Arguments: p.profile.Fill(turn.Edit)}}
}

func (p rewriting) second([]wire.Call) string { return p.profile.Fill(p.other()) }

// other is the edit of a second call in the same answer: the edit of an earlier turn.
func (p rewriting) other() string { return p.script.Turns[max(0, p.turn-1)].Edit }

func (rewriting) ask(*wire.Request) (d endpoint.Delivery, ok bool) { return d, false }

func (rewriting) readBack([]*wire.Result, bool) bool { return false }

func (rewriting) reading() bool { return false }

func (p rewriting) watchFor(kind string, turn int, items []string) {
	if len(items) > 0 {
		p.watched(kind)
		p.watch = &watch{kind: kind, turn: turn, items: items, all: len(items), left: watchedRequests}
	}
}

// forget looks for the items that a plan call leaves open, if that was the call.
func (p rewriting) forget(t Turn) {
	items := open(p.plan)
	if !t.Work {
		after := open([]byte(t.Edit))
		items = slices.DeleteFunc(items, func(item string) bool { return !slices.Contains(after, item) })
		p.plan = p.profile.Read(profile.Call{Said: p.said}, p.home).Plan
	}
	p.watchFor("gone", p.turn, items)
}

func (p rewriting) take(w *waiting, step *Step, fresh []taken) bool {
	edit := p.script.Turns[w.turn].Edit
	since := func() string { text := p.output(); return text[min(w.written, len(text)):] }
	alone := slices.ContainsFunc(fresh, func(t taken) bool { return t.result == nil })
	for i, t := range fresh {
		p.known[t.ID]++
		did := Did{Edit: edit, Before: p.plan}
		if f := p.faultOf(w, t.ID); f != nil {
			did.Spoilt = f.Arrives
		}
		if i > 0 && did.Spoilt == fault.Doubled {
			did.Edit = p.other()
		}
		if t.result != nil {
			did.Result = t.result.Text
			a := p.profile.Read(profile.Call{
				ID: t.ID, Result: t.result.Text, Failed: t.result.Failed, Output: since, Said: p.said,
			}, p.home)
			did.Refused, did.After = a.Refused, a.Plan
			p.log.Learned.shows(a.State)
			if alone && len(fresh) > 1 || p.unread(w, t, i, len(fresh)) || a.State != nil && a.State.Misread(did.Edit) {
				did.After, did.Unread = nil, !did.Refused // the call that it belongs to is unknown, or what it says
			} else {
				p.doubt(&did, a.Shown)
			}
		} else {
			did.Result, did.Refused, did.Note = noResult, true, noResult
		}
		p.learn(did)
		step.Calls = append(step.Calls, did)
	}
	step.Deed = p.deed(w, step)
	p.arrival(w, step)
	return true
}

// unread reports whether a plan that is printed or logged may belong to something else than
// the i-th of n calls.
func (p rewriting) unread(w *waiting, t taken, i, n int) bool {
	return p.profile.Prints() && (n > 1 || w.first != nil) || p.profile.Late() && (i < n-1 || t.ID == "") ||
		p.log.Learned.Message != "" && i < n-1
}

// doubt counts a call as refused if its result names no error and the plan did not change, unless calls that changed
// the plan had this result. shown reports whether the plan is in the result.
func (p rewriting) doubt(d *Did, shown bool) {
	switch {
	case d.Refused, d.unclear(), d.After == nil && p.sparse():
		return
	case d.After == nil && d.Before != nil && p.restates(d) && len(open([]byte(d.Edit))) == len(open(d.Before)):
		d.After = d.Before // there was nothing to change, and nothing is shown
		return
	case d.After != nil && !shown && bytes.Equal(d.After, d.Before) && (p.restates(d) || p.success[d.Result]):
		d.Unmoved = true
		return
	case d.After == nil && p.log.Learned.Read != nil && !p.profile.Late():
		d.Note = "the result contains no plan and names no error"
	case d.After != nil && !shown && bytes.Equal(d.After, d.Before):
		d.Note = "the plan did not change, and the result names no error"
	default:
		p.success[d.Result] = true
		return
	}
	d.Refused, d.After = true, nil
}

// sparse reports whether the agent need not state the plan after each call.
func (p *Player) sparse() bool {
	return p.log.Learned.Message != "" || p.profile.Reminds() || p.profile.Prints()
}

// restates reports whether every text of an edit is in the plan already.
func (p rewriting) restates(d *Did) bool {
	return !slices.ContainsFunc(open([]byte(d.Edit)), func(text string) bool {
		return !slices.Contains(open(d.Before), text)
	})
}
