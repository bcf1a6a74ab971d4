package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// triggerParts are what leads to another plan without being asked for, and how
// ladders end.
func triggerParts() map[string]part {
	const environment = `{"ok":true,"output":"x","environment":"the branch was rebased"}`
	happens := func(what, result string) part { return does(casts(late, playTrigger(what, result))).on(what) }
	fails := func(a ...ascent) part {
		return does(failingVerification(a...)).on(spec.OnVerification).seen(failedVerification)
	}
	wave := func(plant planting) part {
		return does(plant).ruled(func(p *harness.Profile) { p.Parallel = max(p.Parallel, 3) }, nil)
	}
	// usedUp fails the step, and climbs to react with the last replan. A climb that ends in react is a replan like any
	// other: it uses up what then is asked for again.
	usedUp := func(then planting) part {
		return does(func(d *director, at *spot) {
			usingUp(0, outOfRounds(ascent{bad: hopeless()}))(d, at)
			then(d, at)
		}).climbsReact()
	}
	helps := ascent{edit: func(d *director, at *spot, e *edit) { d.addStep(e, at, nil) }}
	none := func(d *director) { d.replans = 0 }
	return map[string]part{
		"tool-failure-replans": happens(spec.OnTool, toolFails),
		"failing-tool-writes-and-replans": happens(spec.OnTool,
			`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`).before(dry),
		"environment-replans":              happens(spec.OnEnvironment, environment),
		"tool-failure-with-no-replan-left": happens(spec.OnTool, toolFails).before(none),
		"environment-with-no-replan-left":  happens(spec.OnEnvironment, environment).before(none),
		"verification-replans":             fails(helps),
		"verification-replans-twice":       fails(helps, helps),
		"verification-changes-a-title":     fails(ascent{idle: true}),
		"verification-gives-up":            fails(ascent{bad: hopeless()}).climbsReact(),
		"step-gives-up":                    does(outOfRounds(ascent{bad: hopeless()})).climbsReact(),
		"ladder-of-one":                    does(asks(ascent{bad: []replying{prose}})),
		"asks-in-a-wave":                   wave(asks(ascent{})),
		"fails-in-a-wave":                  wave(outOfRounds(ascent{})),
		"giving-up-uses-up-replans":        usedUp(outOfRounds(ascent{})),
		"giving-up-leaves-none-for-tools":  usedUp(casts(late, playTrigger(spec.OnTool, toolFails))).on(spec.OnTool),
		"giving-up-leaves-none-for-verification": usedUp(failingVerification(ascent{})).on(spec.OnVerification).
			seen(failedVerification),
	}
}

const toolFails = `{"ok":false,"output":"no such file"}`

// failingVerification lets a tool write, and the verification fail; the ascents say what follows each time.
func failingVerification(a ...ascent) planting {
	return func(d *director, at *spot) {
		for _, next := range a {
			d.checks = append(d.checks, next.from(at))
		}
		writesSomething(d, at)
	}
}

// playTrigger calls a tool with a result that may lead to another plan.
func playTrigger(what, result string) playing {
	return func(d *director, at *spot, s *plan.Step) bool {
		if !d.say(`{"tool":"run_pytest","args":{}}`) {
			return true
		}
		d.tools = append(d.tools, generators.Raw(result))
		d.written = d.written || strings.Contains(result, `"writes":{`)
		if !d.mayReplanOn(what) {
			return d.countRound(s)
		}
		d.climbs = append(d.climbs, ascent{at: at})
		return true
	}
}

// usingUp plants the same trouble for each of one or two replans, and so many times more.
func usingUp(more int, trouble planting) planting {
	return func(d *director, at *spot) {
		d.replans = 1 + at.Below(2)
		for range d.replans + more {
			trouble(d, at)
		}
	}
}

// failedVerification recognises a verification that does not pass.
func failedVerification(c harness.Case) bool {
	return holds(`"ok":false`)(harness.Case{Verify: c.Verify})
}

// hopeless are more patches that are refused than a ladder has rungs.
func hopeless() []replying { return slices.Repeat([]replying{prose}, 8) }

// climbsReact lets the ladder end in the rung react, behind others.
func (p part) climbsReact() part {
	endsSo := func(p harness.Profile) bool {
		return len(p.Ladder) > 1 && p.Ladder[0] == harness.RungPatch && p.Ladder[len(p.Ladder)-1] == harness.RungReact
	}
	return p.ruled(func(p *harness.Profile) {
		if !endsSo(*p) {
			p.Ladder = []harness.Rung{harness.RungPatch, harness.RungReact}
		}
	}, endsSo)
}

// writesSomething adds a tool call that writes a file.
func writesSomething(d *director, at *spot) {
	casts(early, func(d *director, _ *spot, s *plan.Step) bool {
		d.written = true
		return d.call(s, `{"tool":"write_file","args":{"path":"b.go"}}`,
			generators.Raw(`{"ok":true,"output":"written","writes":{"b.go":"h1"}}`))
	})(d, at)
}

// endParts are ends of the script, and of the limits.
func endParts() map[string]part {
	return map[string]part{
		"replies-end": does(casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
			d.silent = true
			return !d.say("")
		})),
		"replies-end-at-planning":   does(func(d *director, _ *spot) { d.silent = true }),
		"replies-end-at-replan":     does(asks(ascent{silent: true})),
		"replies-end-in-the-ladder": does(asks(ascent{silent: true, bad: []replying{prose}})),
		"tool-results-end": does(casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
			if d.say(grep) {
				d.fail(harness.RepliesExhausted)
			}
			return true
		})),
		"verification-fails": does(failingVerification(ascent{})).ruled(set("replan_on=none"),
			func(p harness.Profile) bool { return !spec.ReplansOn(p, spec.OnVerification) || !spec.Plans(p) }),
		"verification-fails-with-no-replan-left": does(failingVerification(ascent{})).
			before(func(d *director) { d.replans = 0 }),
		"verification-missing": does(writesSomething).before(func(d *director) { d.unasked = true }),
		"nothing-written":      does(func(d *director, _ *spot) { dry(d) }),
		"replies-left":         does(func(d *director, _ *spot) { d.leftover = true }),
		"no-replan-allowed":    does(asks(ascent{})).before(func(d *director) { d.replans = 0 }),
		"replans-used-up":      does(usingUp(1, outOfRounds(ascent{}))),
		"last-replan":          does(usingUp(0, asks(ascent{}))),
		"deadlock":             does(outOfRounds(ascent{stall: true})).before(func(d *director) { d.replans = 1 }),
	}
}

// resumeParts are runs that a new process takes up, behind any of their events.
func resumeParts() map[string]part {
	interrupted := func(plant planting) part {
		return does(func(d *director, at *spot) {
			d.stopAt = at
			plant(d, at)
		}).seen(func(c harness.Case) bool { return c.InterruptAfter != nil })
	}
	return map[string]part{
		"interrupted": interrupted(func(*director, *spot) {}),
		"interrupted-in-planning": interrupted(func(d *director, _ *spot) {
			d.refused = append(d.refused, func() string { return "First I read the code." })
		}),
		"interrupted-behind-a-write": interrupted(writesSomething),
		"interrupted-in-a-replan":    interrupted(asks(ascent{bad: []replying{prose}})),
		"interrupted-among-rounds":   interrupted(outOfRounds(ascent{})),
		"replans-count-on": interrupted(func(d *director, at *spot) {
			d.replans = 1
			asks(ascent{})(d, at)
			asks(ascent{})(d, at)
		}),
	}
}
