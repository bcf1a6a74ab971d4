package orchestrator

import (
	"slices"

	"replanbench/harness"
	"replanbench/harness/dialect"
	"replanbench/harness/dialect/orchestrator/rules"
	"replanbench/harness/dialect/orchestrator/spec"
	planpatch "replanbench/harness/dialect/planpatch/rules"
	"replanbench/harness/plan"
)

// scored follows a run with all replies as its script. The first counts as applied if the run took it. The run ends
// well if it is done, or if it took the last reply, passed the last verification and has no open replan. It ends at
// first if no reply was rejected, by falling back if a full plan replaced the old one, else after a retry. A run
// without a plan has given planning up.
func scored(c harness.Case, _ *plan.Plan, p harness.Profile) dialect.Scored {
	var s dialect.Scored
	ended := ending{taken: true, rung: harness.RungPatch}
	read := false
	s.Last = rules.Follow(c, p, func(t rules.Turn) {
		if ended.turn(t); !read {
			s.First, read = first(t), true
		}
		if e := t.Edit; e != nil && s.Edit == nil {
			s.Edit = &dialect.Edit{Before: t.Plan, Outcome: e.Outcome, Named: e.Named}
		}
		for i, raw := range c.Replies[t.From:t.To] {
			s.Reread = s.Reread || s.First.Tier == harness.TierNone && t.Tiers[i] != harness.TierNone
			if t.Plan != nil {
				g := planpatch.NewGround(t.Plan, c.Limits, p)
				s.Dangers = harness.AddDangers(s.Dangers, g.Dangers(raw)...)
				g.Release()
			}
		}
	})
	switch {
	case !read && s.Last.Verdict == harness.Rejected:
		return dialect.Unread(s.Last)
	case !read:
		return dialect.Unread(harness.Refuse(harness.InvalidPlan, "the run is done before it reads a reply").Outcome())
	case s.Last.Verdict == harness.Applied,
		s.Last.Code == harness.RepliesExhausted && ended.taken && !unfinished(s.Last.Trace):
		s.Last.Rung = ended.rung
	}
	return s
}

// unfinished reports whether the last verification failed, or the last replan request has no answer.
func unfinished(trace []harness.TraceItem) bool {
	failed, asked := false, false
	for _, e := range trace {
		switch e.Event {
		case spec.EventFinalVerify:
			failed = e.Code == harness.VerificationFailed
		case spec.EventReplanAsked:
			asked = true
		case harness.EventPatchApplied, harness.EventFullPlanUsed, harness.EventReactUsed:
			asked = false
		}
	}
	return failed || asked
}

// first is what came of the first reply of a run.
func first(t rules.Turn) harness.Outcome {
	o := harness.Outcome{Verdict: harness.Applied, Tier: t.Tiers[0]}
	i := slices.IndexFunc(t.Events, func(e harness.TraceItem) bool { return spec.Consumes(e.Event) })
	if i >= 0 && t.Events[i].Code != "" {
		o.Verdict, o.Code = harness.Rejected, t.Events[i].Code
	}
	return o
}

// ending is the state of a run after its last reply.
type ending struct {
	taken bool         // the last reply was
	rung  harness.Rung // by which it came so far
}

func (e *ending) turn(t rules.Turn) {
	e.taken = true
	for _, event := range t.Events {
		switch {
		case event.Event == harness.EventReactUsed, event.Event == spec.EventPlanParseFailed:
			e.rung, e.taken = harness.RungReact, true
		case event.Event == harness.EventFullPlanUsed && e.rung != harness.RungReact:
			e.rung, e.taken = harness.RungFullPlan, true
		case spec.Consumes(event.Event):
			e.taken = event.Code == ""
			if !e.taken && e.rung == harness.RungPatch {
				e.rung = harness.RungRetry
			}
		}
	}
}
