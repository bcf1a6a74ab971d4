package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/plan"
)

// rare is the weight of faults that make large replies: about one case in
// 1,400 has one.
const rare = 2

// depthLimit relates the depth limit to the depth of the reply.
type depthLimit int

const (
	depthFree depthLimit = iota
	depthMet             // as deep as allowed
	depthOver            // one level too deep
)

// overflowFaults are edits that are too much.
func overflowFaults() []patchTrait {
	fault := generators.Family("overflow")
	return []patchTrait{
		{Trait: fault("limit-met", "the new plan has exactly max_plan_steps steps: applied").Says("limit of steps just met",
			"add"), kind: inPatch, done: 1, claims: aLimit, puts: adds, plant: limitMet},
		{
			Trait: fault("limit-met-by-removal",
				"the plan is full, and the patch removes a step and adds one: applied").Says("limit of steps just met",
				"remove and add"),
			kind: inPatch, open: 1, claims: aLimit, puts: removes | adds, plant: limitMetByRemoval,
		},
		{
			Trait: fault("over-limit-by-one",
				"the patch adds one step too many: the last addition is dropped").Says("one step too many", "add"),
			kind: inPatch, done: 1, claims: aLimit, puts: adds, plant: overLimitByOne,
		},
		{
			Trait: fault("over-limit-duplicate",
				"an addition beyond the limit has the id of an existing step: duplicate_id").Says("id of an existing step "+
				"beyond the limit", "add"),
			kind: inPatch, open: 1, claims: aLimit | aTail, puts: adds, plant: onOpen(overLimitDuplicate),
		},
		{
			Trait: fault("over-limit-by-thousands",
				"the patch adds a thousand steps or more: the first that fit are added").Says("thousands of steps too many",
				"add").Weigh(rare), kind: inPatch, claims: aLimit | aTail, shares: aSize | aDepth, puts: adds,
			plant: overLimitByThousands,
		},
		{
			Trait: fault("plan-at-limit",
				"the plan is full and the patch adds steps: every addition is dropped").Says("plan at its limit", "add"),
			kind: inPatch, claims: aLimit, puts: adds, plant: planAtLimit,
		},
		{
			Trait: fault("plan-above-limit",
				"the plan exceeds max_plan_steps and the patch adds steps: over_capacity").Says("plan above its limit", "add"),
			kind: inPatch, open: 2, claims: aLimit, puts: adds, plant: planAboveLimit,
		},
		{
			Trait: fault("plan-above-limit-kept",
				"the plan exceeds max_plan_steps and the patch adds nothing: applied").Says("plan above its limit", "plan"),
			kind: inPatch, open: 2, claims: aLimit | aAddList, puts: updates, plant: onOpen(planAboveLimitKept),
		},
		{
			Trait: fault("many-additions", "the patch adds ten to thirty steps").Says("many steps", "add"), kind: inPatch,
			puts: adds, plant: manyAdditions,
		},
		{
			Trait:  fault("limit-below-one", "a limit of the case is below 1: bad_limit").Says("limit below 1", "limits"),
			claims: aLimit | aSize | aDepth, plant: limitBelowOne,
		},
		{Trait: fault("huge-string", "a description has 100,000 bytes: applied unchanged").Says("huge text",
			"add").Weigh(rare), kind: inPatch, shares: aSize, puts: adds, plant: hugeString},
		{
			Trait:  fault("huge-reply", "the reply has more than 1 MiB: reply_too_large").Says("huge reply", "text").Weigh(rare),
			claims: aSize | aSuffix | aSyntax | aLadder, plant: hugeReply,
		},
		{
			Trait: fault("reply-too-large",
				"the reply exceeds max_reply_bytes by one or two bytes: reply_too_large").Says("reply above its limit", "text"),
			claims: aSize | aLadder, plant: replyTooLarge,
		},
		{
			Trait: fault("reply-at-size-limit",
				"the reply has exactly max_reply_bytes bytes: allowed").Says("reply just at its limit", "text"),
			claims: aSize | aLadder, plant: replyAtLimit,
		},
		{
			Trait: fault("deep-nesting", "a member nests 70 levels or more: too_deep").Says("deep nesting", "patch"),
			kind:  inPatch, claims: aDepth, shares: aReading | aSyntax | aWrap | aSuffix, plant: deepNesting,
		},
		{
			Trait: fault("depth-over-limit",
				"the reply nests one level deeper than max_depth: too_deep").Says("nesting above its limit", "text"),
			claims: aDepth | aWrap | aSyntax | aLadder | aContent, shares: aReading | aSuffix, plant: func(d *draft) effect {
				return d.setDepth(depthOver)
			},
		},
		{
			Trait: fault("depth-at-limit",
				"the reply nests exactly max_depth levels: allowed").Says("nesting just at its limit", "text"),
			claims: aDepth | aWrap | aSyntax | aLadder, plant: func(d *draft) effect {
				return d.setDepth(depthMet)
			},
		},
	}
}

// limitIs sets the limit of steps after the edit is complete, from the numbers of
// remaining and added steps.
func (d *draft) limitIs(limit func(kept, wanted int) int) effect {
	d.limiting = limit
	return planted
}

func justMet(kept, wanted int) int    { return kept + wanted }
func oneTooMany(kept, wanted int) int { return kept + wanted - 1 }

func limitMet(d *draft) effect {
	d.put(&d.doc.adds, d.newItem())
	return d.limitIs(justMet)
}

func limitMetByRemoval(d *draft) effect {
	i := d.useLeaf()
	if i < 0 {
		return notPlanted
	}
	d.takeAway(i)
	d.put(&d.doc.removes, d.removal(i))
	return limitMet(d)
}

func overLimitByOne(d *draft) effect {
	d.put(&d.doc.adds, d.newItem())
	return d.limitIs(oneTooMany)
}

func planAtLimit(d *draft) effect {
	d.put(&d.doc.adds, d.newItem())
	return d.limitIs(func(kept, _ int) int { return kept })
}

func planAboveLimit(d *draft) effect {
	less := 1 + d.Below(2)
	d.spared |= removes
	d.put(&d.doc.adds, d.newItem())
	return d.limitIs(func(kept, _ int) int { return kept - less })
}

// planAboveLimitKept leaves a plan alone that is too large already.
func planAboveLimitKept(d *draft, i int) effect {
	d.spared |= adds | removes
	d.put(&d.doc.updates, d.described(i))
	return d.limitIs(func(kept, _ int) int { return kept - 1 })
}

// overLimitDuplicate plants an addition behind the last that fits.
func overLimitDuplicate(d *draft, i int) effect {
	a, last := d.newItem(), d.named(d.P.Steps[i].ID)
	last.apply = harness.DuplicateID
	end(&d.doc.adds, a)
	end(&d.doc.adds, last)
	return d.limitIs(oneTooMany)
}

func overLimitByThousands(d *draft) effect {
	n, fit := 1000+d.Below(1000), 1+d.Below(8)
	for range n {
		end(&d.doc.adds, item{at: -1, step: plan.Step{ID: d.newID(), Description: "more", Status: plan.Pending}})
	}
	return d.limitIs(func(kept, wanted int) int { return kept + wanted - n + fit })
}

func manyAdditions(d *draft) effect {
	for range 10 + d.Below(20) {
		d.put(&d.doc.adds, d.newItem())
	}
	return planted
}

func limitBelowOne(d *draft) effect {
	bad := -d.Below(2)
	d.limitIs(func(int, int) int { return 0 })
	*generators.Pick(&d.Choices, []**int{
		&d.limits.MaxPlanSteps, &d.limits.MaxPlanSteps, &d.limits.MaxReplyBytes,
		&d.limits.MaxDepth,
	}) = &bad
	return effect{at: inLimits, code: harness.BadLimit}
}

func hugeString(d *draft) effect {
	a := d.newItem()
	word := generators.Pick(&d.Choices, []string{"a", "many words ", "長", `\"`})
	a.step.Description = strings.Repeat(word, 100_000/len(word))
	return d.put(&d.doc.adds, a)
}

func hugeReply(d *draft) effect {
	d.noise.padding = generators.Pick(&d.Choices, []string{" ", "x", "word \n"})
	return effect{at: replySize, code: harness.ReplyTooLarge}
}

func replyTooLarge(d *draft) effect {
	d.noise.size = sizeOver
	return effect{at: replySize, code: harness.ReplyTooLarge}
}

func replyAtLimit(d *draft) effect {
	d.noise.size = sizeMet
	return planted
}

// deepNesting puts a value that nests too deep into an unknown member.
func deepNesting(d *draft) effect {
	n := 70 + d.Below(200)
	open, end := `[`, `]`
	if d.OneIn(2) {
		open, end = `{"a":`, `}`
	}
	d.also(`{"context":` + strings.Repeat(open, n) + "1" + strings.Repeat(end, n) + `}`)
	return effect{at: inDepth, code: harness.TooDeep}
}

func (d *draft) setDepth(l depthLimit) effect {
	if l == depthOver && !d.full && d.lacks("add") && d.lacks("update") && d.lacks("remove") {
		return notPlanted // a patch of a title alone has one level, and no limit is below it
	}
	if d.depth = l; l == depthOver {
		return effect{at: inDepth, code: harness.TooDeep}
	}
	return planted
}

// size relates the byte limit to the size of the reply.
type size int

const (
	sizeFree size = iota
	sizeMet       // as large as allowed
	sizeOver      // a byte or two more
)

// measure sets the limit of bytes by the reply as it is written.
func (d *draft) measure(text string) {
	switch d.noise.size {
	case sizeMet:
		n := max(1, len(text))
		d.limits.MaxReplyBytes = &n
	case sizeOver:
		n := max(1, len(text)-1-d.Below(2))
		d.limits.MaxReplyBytes = &n
	}
}

// measureDepth sets the limit of depth by the document as it is written.
func (d *draft) measureDepth(doc []byte) {
	if d.depth != depthFree {
		n := depth(doc)
		if d.depth == depthOver {
			n--
		}
		d.limits.MaxDepth = &n
	}
}

// depth returns how deep a JSON document nests; {} is 1.
func depth(doc []byte) int {
	deepest, level := 0, 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '{', '[':
			level++
			deepest = max(deepest, level)
		case '}', ']':
			level--
		case '"':
			for i++; i < len(doc) && doc[i] != '"'; i++ {
				if doc[i] == '\\' {
					i++
				}
			}
		}
	}
	return deepest
}
