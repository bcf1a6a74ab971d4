package rules

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/plan"
)

// ladder is one climb of the fallback ladder: rung after rung reads a reply,
// until one is applied or none is left.
type ladder struct {
	*Ground
	rungs   []harness.Rung
	replies []harness.Reply
	ask     harness.Ask // for more replies; nil: there are no more
	part    bool        // of a run that reads on

	next   int      // the first unread reply
	last   int      // the last one read, -1 for none
	judged attempt  // what the outcome says if nothing is applied
	named  []string // ids that the applied reply updated or replaced
	events []harness.Event
}

func newLadder(g *Ground, replies []harness.Reply) *ladder {
	const usual = 4 // events
	return &ladder{
		Ground: g, rungs: g.profile.Ladder, replies: replies, last: -1, events: make([]harness.Event, 0, usual),
	}
}

func (l *ladder) event(e harness.Event) { l.events = append(l.events, e) }

func (l *ladder) climb() harness.Outcome {
	l.event(harness.Event{Event: harness.EventReplanRequested})
	for i := 0; i < len(l.rungs); i++ {
		switch rung := l.rungs[i]; rung {
		case harness.RungPatch, harness.RungRetry:
			if !l.more(rung) {
				continue
			}
			at := l.climbPatch(i)
			if at.accepted != nil {
				return l.applied(at, rung)
			}
			if j := l.fullPlanRung(i); at.fullPlan && j >= 0 {
				i = j
				if at = l.climbFullPlan(true); at.accepted != nil {
					return l.applied(at, harness.RungFullPlan)
				}
			}
		case harness.RungFullPlan:
			if !l.more(harness.RungFullPlan) && l.last < 0 {
				continue
			}
			if at := l.climbFullPlan(false); at.accepted != nil {
				return l.applied(at, harness.RungFullPlan)
			}
		case harness.RungReact:
			l.event(harness.Event{Event: harness.EventReactUsed})
			out := l.outcome(attempt{tier: harness.TierNone}, harness.RungReact)
			out.GaveUp = true
			return out
		}
	}
	return l.failed()
}

// fullPlanRung returns the next rung for full plans behind rung i, or -1.
func (l *ladder) fullPlanRung(i int) int {
	if j := slices.Index(l.rungs[i+1:], harness.RungFullPlan); j >= 0 {
		return i + 1 + j
	}
	return -1
}

// climbPatch reads the next reply as a patch. A full plan is not an event of
// this rung if a later one can take it.
func (l *ladder) climbPatch(i int) attempt {
	if l.rungs[i] == harness.RungRetry && l.last >= 0 {
		l.event(harness.Event{Event: harness.EventRetryRequested})
	}
	l.last, l.next = l.next, l.next+1
	at := l.patch(l.replies[l.last])
	l.judged = at
	if at.accepted != nil {
		l.event(harness.Event{Event: harness.EventPatchApplied, Meta: &at.accepted.meta, Reason: at.reason})
		return at
	}
	if at.fullPlan {
		if l.fullPlanRung(i) >= 0 {
			return at
		}
		if at.refusal.Code != harness.WrongDocument {
			at.refusal = harness.RefuseAt(harness.WrongDocument, "/steps",
				"the reply is a whole plan, and no rung of the ladder takes one")
		}
		l.judged = at
	}
	l.event(harness.Event{Event: harness.EventPatchRejected, Code: at.refusal.Code, Message: at.refusal.Message})
	return at
}

// climbFullPlan reads a full plan: the reply that a patch rung met, or the next
// one, or the last one again.
func (l *ladder) climbFullPlan(met bool) attempt {
	fresh := !met && l.next < len(l.replies)
	if fresh {
		l.last, l.next = l.next, l.next+1
	}
	at := l.whole(l.replies[l.last])
	if met || fresh {
		l.judged = at
	}
	if at.accepted != nil {
		l.event(harness.Event{Event: harness.EventFullPlanUsed})
	} else {
		l.event(harness.Event{Event: harness.EventFullPlanRejected, Code: at.refusal.Code, Message: at.refusal.Message})
	}
	return at
}

func (l *ladder) applied(at attempt, rung harness.Rung) harness.Outcome {
	out := l.outcome(at, rung)
	out.Plan, out.Meta = at.accepted.next, &at.accepted.meta
	l.named = at.accepted.named()
	return out
}

// outcome returns an accepted outcome without its plan.
func (l *ladder) outcome(at attempt, rung harness.Rung) harness.Outcome {
	w := at.warnings
	if l.next < len(l.replies) && !l.part {
		w = append(w, harness.Warning{Code: harness.WarnRepliesUnused})
	}
	return harness.Outcome{
		Verdict: harness.Applied, Rung: rung, Tier: at.tier, Events: l.events,
		Repairs: append([]harness.Repair{}, at.repairs...), Warnings: append([]harness.Warning{}, w...),
	}
}

// failed returns the outcome when every rung failed. With one reply, its own
// code is the result; with more, the events have the code of each rung.
func (l *ladder) failed() harness.Outcome {
	l.event(harness.Event{Event: harness.EventReplanFailed})
	out := l.outcome(l.judged, "")
	out.Verdict = harness.Rejected
	switch l.next {
	case 0:
		out.Code, out.Message = harness.RepliesExhausted, "the ladder read no reply"
	case 1:
		r := l.judged.refusal
		out.Code, out.At, out.Message = r.Code, r.At, r.Message
	default:
		out.Code, out.Message = harness.ReplanFailed, "every rung of the ladder failed; the last one with "+
			string(l.judged.refusal.Code)+": "+l.judged.refusal.Message
	}
	return out
}

// Climb is [Eval] with replies on demand: after the replies of
// the case, it requests one whenever a rung needs a reply and none is
// left. The outcome equals Eval with all of these replies in the case.
func Climb(c harness.Case, p harness.Profile, ask harness.Ask) harness.Outcome {
	old, err := plan.Decode(c.Plan)
	g := NewGround(old, c.Limits, p)
	defer g.Release()
	switch {
	case g.refusal != nil:
		return refused(g.refusal)
	case err != nil:
		return refused(harness.Refuse(harness.InvalidPlan, "the plan is unsound: %s", err))
	}
	l := newLadder(g, slices.Clip(c.Replies))
	l.ask = ask
	return l.climb()
}

// more reports whether there is an unread reply for a rung. Without
// one it requests a reply.
func (l *ladder) more(rung harness.Rung) bool {
	if l.next < len(l.replies) {
		return true
	}
	if l.ask == nil {
		return false
	}
	r, ok := l.ask(rung, l.judged.refusal)
	if ok {
		l.replies = append(l.replies, r)
	}
	return ok
}
