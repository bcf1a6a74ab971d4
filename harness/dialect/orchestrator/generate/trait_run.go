package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// triggerTraits are what leads to another plan without being asked for, and how
// ladders end.
func triggerTraits() []trait {
	const environment = `{"ok":true,"output":"x","environment":"the branch was rebased"}`
	happens := func(name, text, theme, what string, needed claims, result string) trait {
		return rows("trigger", "in a step")(name, text, theme, shares|climbs|triggers|needed,
			casts(late, playTrigger(what, result))).on(what)
	}
	fails := func(name, text, theme string, needed claims, a ...ascent) trait {
		return rows("trigger", "in a run")(name, text, theme, shares|climbs|verifies|triggers|needed,
			failingVerification(a...)).on(spec.OnVerification).seen(failedVerification)
	}
	wave := func(name, text, theme string, needed claims, plant planting) trait {
		return rows("trigger", "in a wave")(name, text, theme, waves|wide|needsPlan|needed, plant).
			ruled(func(p *harness.Profile) { p.Parallel = max(p.Parallel, 3) }, nil)
	}
	helps := ascent{edit: func(d *director, at *spot, e *edit) { d.addStep(e, at, nil) }}
	none := func(d *director) { d.replans = 0 }
	return []trait{
		happens("tool-failure-replans", "a tool fails, and the run replans", "a failed tool", spec.OnTool, 0, toolFails),
		happens("failing-tool-writes-and-replans", "a tool fails after it wrote a file, and the run replans",
			"a failed tool that wrote", spec.OnTool, verifies, `{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`).
			before(dry),
		happens("environment-replans", "the environment changes, and the run replans", "a changed environment",
			spec.OnEnvironment, 0, environment),
		happens("tool-failure-with-no-replan-left", "a tool fails, no replan is left, and the step continues",
			"a failed tool", spec.OnTool, counts, toolFails).before(none),
		happens("environment-with-no-replan-left", "the environment changes, no replan is left, and the step continues",
			"a changed environment", spec.OnEnvironment, counts, environment).before(none),
		fails("verification-replans", "the verification fails, and the run replans", failed, adds, helps),
		fails("verification-replans-twice", "the verification fails twice, and the run replans each time", failed, adds,
			helps, helps),
		fails("verification-changes-a-title",
			"the verification fails, the replan changes only the title, and the verification runs again", failed, 0,
			ascent{idle: true}).needing("title"),
		fails("verification-gives-up",
			"the verification fails, the ladder gets no patch, and the run continues without a plan", givesUp, rungs,
			ascent{bad: hopeless()}).climbsReact(),
		rows("trigger", "in the ladder")("step-gives-up",
			"a step fails, the ladder gets no patch, and the step continues without a plan", givesUp,
			takes|climbs|rounds|rungs, outOfRounds(ascent{bad: hopeless()})).climbsReact(),
		rows("trigger", "in the rules")("ladder-of-one", "the ladder has one rung, and the patch is rejected",
			"a ladder of one rung", shares|climbs|rungs|ends, asks(ascent{bad: []replying{prose}})).under("ladder=patch"),
		wave("asks-in-a-wave", "a step requests a replan, and the others of its wave still run", "a replan request", 0,
			asks(ascent{})),
		wave("fails-in-a-wave", "a step fails, and the others of its wave still run", "a step that fails", rounds,
			outOfRounds(ascent{})),
	}
}

const (
	failed    = "a failed verification"
	givesUp   = "giving up planning"
	toolFails = `{"ok":false,"output":"no such file"}`
)

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

// givingUpTraits are runs in which a climb that ends in react is a replan like any
// other: it uses up what then is asked for again.
func givingUpTraits() []trait {
	row := rows("trigger", "in the ladder")
	// usedUp fails the step, and climbs to react with the last replan.
	usedUp := func(name, text string, needed claims, then planting) trait {
		return row(name, text, "giving up planning with the last replan",
			takes|counts|rounds|needsPlan|rungs|needed, func(d *director, at *spot) {
				usingUp(0, outOfRounds(ascent{bad: hopeless()}))(d, at)
				then(d, at)
			}).climbsReact()
	}
	return []trait{
		usedUp("giving-up-uses-up-replans", "a step fails and continues without a plan until no replan is left", ends,
			outOfRounds(ascent{})),
		usedUp("giving-up-leaves-none-for-tools",
			"a step continues without a plan, a tool fails, no replan is left, and the step continues", triggers,
			casts(late, playTrigger(spec.OnTool, toolFails))).on(spec.OnTool),
		usedUp("giving-up-leaves-none-for-verification",
			"a step continues without a plan, the verification fails, and no replan is left", triggers|verifies|ends,
			failingVerification(ascent{})).on(spec.OnVerification).seen(failedVerification),
	}
}

// failedVerification recognises a verification that does not pass.
func failedVerification(c harness.Case) bool {
	return holds(`"ok":false`)(harness.Case{Verify: c.Verify})
}

// hopeless are more patches that are refused than a ladder has rungs.
func hopeless() []replying { return slices.Repeat([]replying{prose}, 8) }

// climbsReact lets the ladder end in the rung react, behind others.
func (t trait) climbsReact() trait {
	endsSo := func(p harness.Profile) bool {
		return len(p.Ladder) > 1 && p.Ladder[0] == harness.RungPatch && p.Ladder[len(p.Ladder)-1] == harness.RungReact
	}
	return t.ruled(func(p *harness.Profile) {
		if !endsSo(*p) {
			p.Ladder = []harness.Rung{harness.RungPatch, harness.RungReact}
		}
	}, endsSo)
}

// writesSomething adds a tool call that writes a file.
func writesSomething(d *director, at *spot) {
	d.cast(at, early, func(d *director, _ *spot, s *plan.Step) bool {
		d.written = true
		return d.call(s, `{"tool":"write_file","args":{"path":"b.go"}}`,
			generators.Raw(`{"ok":true,"output":"written","writes":{"b.go":"h1"}}`))
	})
}

// endTraits are ends of the script, and of the limits.
func endTraits() []trait {
	row := rows("script", "in the script")
	end := func(name, text, theme string, needed claims, plant planting) trait {
		return row(name, text, theme, ends|needed, plant)
	}
	const noReplies, noReplans = "the end of the replies", "the limit of replans"
	return []trait{
		end("replies-end", "the replies end within a step", noReplies, takes,
			casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
				d.silent = true
				return !d.say("")
			})),
		end("replies-end-at-planning", "the replies end before a plan", noReplies, planAsked|needsPlan,
			func(d *director, _ *spot) { d.silent = true }),
		end("replies-end-at-replan", "the replies end when the run requests a replan", noReplies, takes|climbs,
			asks(ascent{silent: true})),
		end("replies-end-in-the-ladder", "the replies end after an invalid patch", noReplies, takes|climbs,
			asks(ascent{silent: true, bad: []replying{prose}})),
		end("tool-results-end", "a tool is called, and the script has no result for it", "the end of the results", takes,
			casts(last, func(d *director, _ *spot, _ *plan.Step) bool {
				if d.say(grep) {
					d.fail(harness.RepliesExhausted)
				}
				return true
			})),
		end("verification-fails", "the verification fails, and the run ends", failed, shares|verifies|triggers,
			failingVerification(ascent{})).ruled(set("replan_on=none"),
			func(p harness.Profile) bool { return !spec.ReplansOn(p, spec.OnVerification) || !spec.Plans(p) }),
		row("verification-fails-with-no-replan-left", "the verification fails, and no replan is left", failed,
			shares|verifies|triggers|counts, failingVerification(ascent{})).before(func(d *director) { d.replans = 0 }),
		row("verification-missing", "a tool wrote a file, and the script has no verification", "a missing verification",
			shares|verifies, writesSomething).before(func(d *director) { d.unasked = true }),
		rows("script", "in a run")("nothing-written", "no tool writes, and nothing is verified", "nothing written", verifies,
			func(d *director, _ *spot) { dry(d) }),
		end("replies-left", "the script has more replies than the run reads", "replies left over", 0,
			func(d *director, _ *spot) { d.leftover = true }),
		end("no-replan-allowed", "a step requests a replan, and max_replans is 0", noReplans, takes|counts,
			asks(ascent{})).before(func(d *director) { d.replans = 0 }),
		end("replans-used-up", "a step fails repeatedly until no replan is left", noReplans, takes|counts|rounds|needsPlan,
			usingUp(1, outOfRounds(ascent{}))),
		end("last-replan", "steps request exactly max_replans replans", noReplans, takes|counts|needsPlan,
			usingUp(0, asks(ascent{}))),
		end("deadlock", "a step failed, the new plan does not fix it, and no replan is left", "a deadlock",
			takes|counts|rounds|needsPlan, outOfRounds(ascent{stall: true})).before(func(d *director) { d.replans = 1 }),
	}
}

// resumeTraits are runs that a new process takes up, behind any of their events.
func resumeTraits() []trait {
	interrupted := func(name, text, theme string, needed claims, plant planting) trait {
		return rows("resume", "in a run")(name, "the run is interrupted"+text, "an interruption"+theme, stops|needed,
			func(d *director, at *spot) {
				d.stopAt = at
				plant(d, at)
			}).seen(func(c harness.Case) bool { return c.InterruptAfter != nil }).weighs(3 * generators.Usual)
	}
	return []trait{
		interrupted("interrupted", "", "", 0, func(*director, *spot) {}),
		interrupted("interrupted-in-planning", ", and its first reply is no plan", " of planning",
			planAsked|needsPlan|refuses, func(d *director, at *spot) {
				d.refused = append(d.refused, badPlan{text: said("First I read the code.")})
			}),
		interrupted("interrupted-behind-a-write", ", and a tool wrote a file", " around a write", shares|verifies,
			writesSomething),
		interrupted("interrupted-in-a-replan", ", and a patch is rejected", " of a replan", takes|climbs,
			asks(ascent{bad: []replying{prose}})),
		interrupted("interrupted-among-rounds", ", and a step uses up its rounds", " of a step that uses up its rounds",
			takes|climbs|rounds, outOfRounds(ascent{})),
		interrupted("replans-count-on", ", and a step requests a replan after the last one", " between two replans",
			takes|counts|ends|needsPlan, func(d *director, at *spot) {
				d.replans = 1
				asks(ascent{})(d, at)
				asks(ascent{})(d, at)
			}),
	}
}
