package generate

import (
	"replanbench/generators"
	"replanbench/harness"
)

// reply is one scripted reply with its expected outcome.
type reply struct {
	text   string
	isFull bool   // it is a full plan
	patch  result // read as a patch; if isFull, not used
	full   result // read as a full plan
}

// script is what the ladder is given beside the draft's own reply.
type script struct {
	before, after []reply
	alone         bool // without the draft's reply
}

// climb says what a ladder comes to with these replies: patch and retry read
// the next one as a patch, fullplan reads the next or else the last again, a
// full plan goes to the next rung for it, and react always succeeds.
func climb(rungs []harness.Rung, replies []reply) generators.Want {
	if len(replies) == 0 {
		return fallen(rungs, []harness.Code{harness.RepliesExhausted})
	}
	read := 0
	var first []harness.Code
	for i := 0; i < len(rungs); i++ {
		rung := rungs[i]
		if rung == harness.RungReact {
			return generators.Want{Verdict: harness.Applied, Rung: rung, Tier: harness.TierNone}
		}
		if read == len(replies) && rung != harness.RungFullPlan {
			continue
		}
		r := &replies[min(read, len(replies)-1)]
		read = min(read+1, len(replies))
		got := r.patch
		if rung == harness.RungFullPlan {
			got = r.full
		} else if r.isFull {
			got = refused(harness.WrongDocument)
			if j := fullPlanBehind(rungs, i); j > 0 {
				got, rung, i = r.full, harness.RungFullPlan, j
			}
		}
		switch {
		case got.loose:
			return generators.Want{Loose: true}
		case got.codes == nil:
			return generators.Want{Verdict: harness.Applied, Plan: got.plan, Rung: rung, Tier: got.tier}
		case first == nil:
			first = got.codes
		}
	}
	if read > 1 {
		first = []harness.Code{harness.ReplanFailed}
	}
	return generators.Want{Verdict: harness.Rejected, Codes: first}
}

// fullPlanBehind returns the place of the next rung for full plans, or 0.
func fullPlanBehind(rungs []harness.Rung, i int) int {
	for j := i + 1; j < len(rungs); j++ {
		if rungs[j] == harness.RungFullPlan {
			return j
		}
	}
	return 0
}

// fallen is the end of a ladder on which nothing could be read.
func fallen(rungs []harness.Rung, codes []harness.Code) generators.Want {
	for _, r := range rungs {
		if r == harness.RungReact {
			return generators.Want{Verdict: harness.Applied, Rung: r, Tier: harness.TierNone}
		}
	}
	return generators.Want{Verdict: harness.Rejected, Codes: codes}
}
