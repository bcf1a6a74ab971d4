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

// depthLimit says how the limit of depth stands to the reply.
type depthLimit int

const (
	depthFree depthLimit = iota
	depthMet             // as deep as allowed
	depthOver            // one level too deep
)

// overflowFaults are edits that are too much.
func overflowFaults() []patchFault {
	fault := generators.Family("overflow")
	return []patchFault{
		{Trait: fault("over-limit-by-one", "one added step more than the plan may have: the last is dropped"), claims: aLimit, stage: onLimits, plant: overLimitByOne},
		{Trait: fault("over-limit-by-thousands", "a thousand and more added steps, nearly all too many: the first that fit are added").Weigh(rare), claims: aLimit | aTail | aSize | aDepth, stage: onLimits, plant: overLimitByThousands},
		{Trait: fault("plan-at-limit", "the plan is full: every added step is dropped"), claims: aLimit, stage: onLimits, plant: planAtLimit},
		{Trait: fault("plan-above-limit", "the plan has more steps than it may: adding is over_capacity"), claims: aLimit, stage: onLimits, plant: planAboveLimit},
		{Trait: fault("limit-below-one", "a limit of the case is below 1: bad_limit"), kind: inAny, claims: aLimit | aSize | aDepth, stage: onLimits, plant: limitBelowOne},
		{Trait: fault("huge-string", "a description of 100,000 bytes: applied as it is").Weigh(rare), claims: aSize, plant: hugeString},
		{Trait: fault("huge-reply", "a reply of more than 1 MiB: reply_too_large").Weigh(rare), kind: inAny, claims: aSize | aSuffix | aSyntax | aLadder, plant: hugeReply},
		{Trait: fault("reply-too-large", "a reply one or two bytes above max_reply_bytes: reply_too_large"), kind: inAny, claims: aSize | aLadder, stage: onLimits, plant: replyTooLarge},
		{Trait: fault("reply-at-size-limit", "a reply of just max_reply_bytes: allowed"), kind: inAny, claims: aSize | aLadder, stage: onLimits, plant: replyAtLimit},
		{Trait: fault("deep-nesting", "a member nests 70 levels and more: too_deep"), claims: aDepth, shares: aReading | aSyntax | aWrap | aSuffix, plant: deepNesting},
		{Trait: fault("depth-over-limit", "the reply nests one level deeper than max_depth: too_deep"), kind: inAny, claims: aDepth | aWrap | aSyntax | aLadder | aContent, shares: aReading | aSuffix, stage: onLimits, plant: func(d *draft) effect { return d.setDepth(depthOver) }},
		{Trait: fault("depth-at-limit", "the reply nests just as deep as max_depth: allowed"), kind: inAny, claims: aDepth | aWrap | aSyntax | aLadder, stage: onLimits, plant: func(d *draft) effect { return d.setDepth(depthMet) }},
	}
}

// limitTo sets the limit, as far as it is one, for an edit that adds a step.
func (d *draft) limitTo(n int) effect {
	if n < 1 {
		return notPlanted
	}
	if _, wanted := d.count(); wanted == 0 && !d.full {
		d.doc.adds = append(d.doc.adds, d.newItem())
	}
	d.limit = n
	return planted
}

func overLimitByOne(d *draft) effect {
	kept, wanted := d.count()
	return d.limitTo(kept + max(1, wanted) - 1)
}

func planAtLimit(d *draft) effect {
	kept, _ := d.count()
	return d.limitTo(kept)
}

func planAboveLimit(d *draft) effect {
	kept, _ := d.count()
	return d.limitTo(kept - 1 - d.Below(2))
}

func overLimitByThousands(d *draft) effect {
	kept, wanted := d.count()
	for range 1000 + d.Below(1000) {
		d.doc.adds = append(d.doc.adds, item{at: -1, step: plan.Step{ID: d.newID(), Description: "more", Status: plan.Pending}})
	}
	return d.limitTo(kept + wanted + 1 + d.Below(8))
}

func limitBelowOne(d *draft) effect {
	bad := -d.Below(2)
	d.limit = 0
	switch d.Below(4) {
	case 0:
		d.limits.MaxReplyBytes = &bad
	case 1:
		d.limits.MaxDepth = &bad
	default:
		d.limits.MaxPlanSteps = &bad
	}
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

// deepNesting hides what is too deep in a member that the patch does not have.
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
	if d.depth = l; l == depthOver {
		return effect{at: inDepth, code: harness.TooDeep}
	}
	return planted
}

// size says how the limit of bytes stands to the reply.
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
