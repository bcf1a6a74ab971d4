package rules

import (
	"reflect"
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect/planpatch/spec"
	"replanbench/harness/document/reply"
	"replanbench/harness/plan"
)

// Eval applies the replies of a case to its plan. It changes neither, and gives the same outcome for the same case.
func Eval(c harness.Case, p harness.Profile) harness.Outcome { return Climb(c, p, nil) }

func refused(r *harness.Refusal) harness.Outcome {
	out := r.OutcomeOfReply()
	out.Events = []harness.Event{}
	return out
}

// attempt is the result of one reply on one rung.
type attempt struct {
	tier     harness.Tier
	repairs  []harness.Repair
	warnings []harness.Warning
	accepted *application // nil if the reply was refused
	reason   string
	refusal  *harness.Refusal
	fullPlan bool // the reply is a full plan
}

// attempted applies what was read of a reply.
func attempted[T any](l *ladder, r *reply.Reading[T], apply func(a *application, doc T) *harness.Refusal) attempt {
	at := attempt{tier: r.Tier, repairs: r.Repairs, warnings: r.Warnings, refusal: r.Refusal}
	if at.refusal == nil {
		a := &application{Ground: l.Ground, limit: l.limits.MaxPlanSteps}
		a.warnings.Warn(r.Warnings)
		if at.refusal = apply(a, r.Doc); at.refusal == nil {
			at.accepted = a
		}
		at.repairs, at.warnings = append(slices.Clip(r.Repairs), a.repairs...), a.warnings.Warnings()
	}
	if at.refusal != nil {
		at.refusal.In(r.Where(at.refusal.At))
	}
	return at
}

// patch reads and applies a reply as a PlanPatch.
func (l *ladder) patch(raw harness.Reply) attempt {
	declared := spec.Reply(false, l.profile.ExtraFields)
	r := reply.ReadText(l.textOf(raw), declared, decodePatch(declared, l.names.spell), l.samePatch)
	at := attempted(l, &r, (*application).applyPatch)
	if r.Refusal == nil {
		at.reason = r.Doc.reason
		return at
	}
	at.fullPlan = slices.ContainsFunc(r.Objects, isFullPlan)
	return at
}

// whole reads and applies a reply as a FullPlan.
func (l *ladder) whole(raw harness.Reply) attempt {
	r := reply.ReadText(l.textOf(raw), spec.Reply(true, ""), decodeFullPlan, l.sameFullPlan)
	return attempted(l, &r, (*application).applyFullPlan)
}

// samePatch reports whether two patches are equal once their ids are in the plan's spelling.
func (l *ladder) samePatch(a, b *patch) bool {
	l.names.spellPatch(a)
	l.names.spellPatch(b)
	return reflect.DeepEqual(a, b)
}

// sameFullPlan does so for two plans. Claimed statuses do not count.
func (l *ladder) sameFullPlan(a, b *fullPlan) bool {
	l.names.spellAll(a.steps)
	l.names.spellAll(b.steps)
	return a.title == b.title && reflect.DeepEqual(a.steps, b.steps) && reflect.DeepEqual(a.policy, b.policy)
}

// Replanning is the result of one climb of the ladder in a longer run.
type Replanning struct {
	// Outcome has no warning about unread replies, which the run handles.
	Outcome harness.Outcome
	Read    int // replies read
	// Named are the ids of old steps that the applied reply updated or replaced.
	Named []string
}

// Ground is a sound plan with the limits and the profile that replies are judged by. A reply is read only once.
type Ground struct {
	old     *plan.Plan
	names   names
	limits  harness.Limits
	options reply.Options
	profile harness.Profile
	refusal *harness.Refusal // the limits cannot be used
	texts   []*reply.Text
	room    [2]*reply.Text // for the first texts
}

// NewGround returns the ground, which is to be released. Without a plan nothing can be read on it.
func NewGround(old *plan.Plan, l harness.Limits, p harness.Profile) *Ground {
	g := &Ground{old: old, limits: l, profile: p}
	g.texts = g.room[:0]
	if g.options, g.refusal = reply.NewOptions(l, p); g.refusal == nil && old != nil {
		g.names = newNames(old)
	}
	return g
}

// Release releases the memory of the parsed replies.
func (g *Ground) Release() {
	for _, t := range g.texts {
		t.Release()
	}
	g.texts = nil
}

// textOf prepares a reply to be read.
func (g *Ground) textOf(raw harness.Reply) *reply.Text {
	for _, t := range g.texts {
		if t.Of(raw) {
			return t
		}
	}
	t := reply.NewText(raw, g.options)
	g.texts = append(g.texts, t)
	return t
}

// Climb climbs these rungs, reading as many of the replies as it needs.
func (g *Ground) Climb(rungs []harness.Rung, replies []harness.Reply) Replanning {
	if g.refusal != nil {
		return Replanning{Outcome: refused(g.refusal)}
	}
	ladder := newLadder(g, replies)
	ladder.rungs, ladder.part = rungs, true
	out := ladder.climb()
	return Replanning{out, ladder.next, ladder.named}
}

// Replan climbs the ladder of a profile from a plan. A first plan is a whole one that replaces an empty plan: steps
// that depend on one over the limit go, too.
func Replan(old *plan.Plan, l harness.Limits, p harness.Profile, replies []harness.Reply) Replanning {
	g := NewGround(old, l, p)
	defer g.Release()
	return g.Climb(p.Ladder, replies)
}

// ladder is one climb of the fallback ladder.
type ladder struct {
	*Ground
	rungs   []harness.Rung
	replies []harness.Reply
	ask     harness.Ask // for more replies; nil: there are no more
	part    bool        // of a run that reads on

	next   int      // the first unread reply
	last   int      // the last one read, -1 for none
	judged attempt  // the outcome if nothing is applied
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

// climbPatch reads the next reply as a patch. A full plan that a later rung can take is no event of this rung.
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

// climbFullPlan reads a full plan: the reply that a patch rung met, or the next one, or the last one again.
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

// failed returns the outcome when every rung failed. The code of a single reply is the result.
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

// Climb is [Eval] with replies on demand: it asks for one whenever a rung needs it and none is left.
// The outcome equals Eval with all of these replies in the case.
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

// more reports whether there is an unread reply for a rung. Without one it asks for it.
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
