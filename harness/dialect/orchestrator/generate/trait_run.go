package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// off switches planning off.
func off(p *harness.Profile) { set(p, "planning", "off") }

func planningIsOff(p harness.Profile) bool { return !spec.Plans(p) }

// on lets something lead to another plan.
func on(t trait, what string) trait {
	return under(t, func(p *harness.Profile) { set(p, "replan_on", what) },
		func(p harness.Profile) bool { return spec.ReplansOn(p, what) })
}

// climbsBy changes the ladder.
func climbsBy(t trait, ladder ...harness.Rung) trait {
	return under(t, func(p *harness.Profile) { p.Ladder = slices.Clone(ladder) },
		func(p harness.Profile) bool { return slices.Equal(p.Ladder, ladder) })
}

// triggerTraits are what leads to another plan without being asked for, and how
// ladders end.
func triggerTraits() []trait {
	family := generators.Family("trigger")
	happens := func(name, text, theme, what string, takesMore claims, result string, more func(d *director)) trait {
		return on(trait{
			Trait: family(name, text).Says(theme, "in a step"), claims: shares | climbs | triggers | takesMore,
			plant: func(d *director, at *spot) {
				if more != nil {
					more(d)
				}
				d.cast(at, late, playTrigger(what, result))
			},
		}, what)
	}
	fails := func(name, text, theme string, takesMore claims, a ...ascent) trait {
		return seen(on(trait{
			Trait:  family(name, text).Says(theme, "in a run"),
			claims: shares | climbs | verifies | triggers | takesMore, plant: func(d *director, at *spot) {
				for _, next := range a {
					next.at = at
					d.checks = append(d.checks, verification{next, []string{"two tests fail"}})
				}
				d.writesSomething(at)
			},
		}, spec.OnVerification), failedVerification)
	}
	helps := ascent{edit: func(d *director, at *spot, e *edit) { d.addStep(e, at, nil) }}
	none := func(d *director) { d.replans = 0 }
	dry := func(d *director) { d.dry = true }
	return []trait{
		happens("tool-failure-replans", "a tool fails, and the run replans", "a failed tool", spec.OnTool, 0,
			`{"ok":false,"output":"no such file"}`, nil),
		happens("failing-tool-writes-and-replans", "a tool fails after it wrote a file, and the run replans",
			"a failed tool that wrote", spec.OnTool, verifies, `{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`, dry),
		happens("environment-replans", "the environment changes, and the run replans", "a changed environment",
			spec.OnEnvironment, 0, `{"ok":true,"output":"x","environment":"the branch was rebased"}`, nil),
		happens("tool-failure-with-no-replan-left", "a tool fails, no replan is left, and the step continues",
			"a failed tool", spec.OnTool, counts, `{"ok":false,"output":"no such file"}`, none),
		happens("environment-with-no-replan-left", "the environment changes, no replan is left, and the step continues",
			"a changed environment", spec.OnEnvironment, counts,
			`{"ok":true,"output":"x","environment":"the branch was rebased"}`, none),
		fails("verification-replans", "the verification fails, and the run replans", "a failed verification", adds, helps),
		fails("verification-replans-twice", "the verification fails twice, and the run replans each time",
			"a failed verification", adds, helps, helps),
		needing(fails("verification-changes-a-title",
			"the verification fails, the replan changes only the title, and the verification runs again",
			"a failed verification", 0, ascent{idle: true}), "title"),
		climbsReact(fails("verification-gives-up",
			"the verification fails, the ladder gets no patch, and the run continues without a plan", "giving up planning",
			rungs, ascent{bad: hopeless()})),
		climbsReact(trait{Trait: family("step-gives-up",
			"a step fails, the ladder gets no patch, and the step continues without a plan").Says("giving up planning",
			"in the ladder"), claims: takes | climbs | rounds | rungs, plant: func(d *director, at *spot) {
			d.rounds = 4
			d.cast(at, late, playOutOfRounds(ascent{at: at, bad: hopeless()}))
		}}),
		climbsBy(trait{
			Trait: family("ladder-of-one",
				"the ladder has one rung, and the patch is rejected").Says("a ladder of one rung", "in the rules"),
			claims: shares | climbs | rungs | ends, plant: asks(ascent{bad: []badPatch{prose}}),
		}, harness.RungPatch),
		{family("asks-in-a-wave", "a step requests a replan, and the others of its wave still run").Says("a replan request",
			"in a wave"), waves | wide | needsPlan, parallel, func(d *director, at *spot) { asks(ascent{})(d, at) }},
		{family("fails-in-a-wave", "a step fails, and the others of its wave still run").Says("a step that fails",
			"in a wave"), waves | wide | needsPlan | rounds, parallel, func(d *director, at *spot) {
			d.rounds = 4
			d.cast(at, late, playOutOfRounds(ascent{at: at}))
		}},
	}
}

// playTrigger calls a tool with a result that may lead to another plan.
func playTrigger(what, result string) func(*director, *spot, *plan.Step) bool {
	return func(d *director, at *spot, s *plan.Step) bool {
		if !d.say(`{"tool":"run_pytest","args":{}}`) {
			return true
		}
		d.tools = append(d.tools, generators.Raw(result))
		d.written = d.written || strings.Contains(result, `"writes":{`)
		d.event(spec.EventToolCalled)
		if !d.mayReplanOn(what) {
			return d.countRound(s)
		}
		d.event(spec.EventReplanTriggered)
		d.leave(ascent{at: at})
		return true
	}
}

// givingUpTraits are runs in which a climb that ends in react is a replan like any
// other: it uses up what then is asked for again.
func givingUpTraits() []trait {
	family := generators.Family("trigger")
	// usedUp fails the step, and climbs to react with the last replan.
	usedUp := func(name, text, theme string, takesMore claims, then func(d *director, at *spot)) trait {
		return climbsReact(trait{
			Trait:  family(name, text).Says(theme, "in the ladder"),
			claims: takes | counts | rounds | needsPlan | rungs | takesMore, plant: func(d *director, at *spot) {
				d.replans, d.rounds = 1+at.Below(2), 4
				for range d.replans {
					d.cast(at, late, playOutOfRounds(ascent{at: at, bad: hopeless()}))
				}
				then(d, at)
			},
		})
	}
	return []trait{
		usedUp("giving-up-uses-up-replans", "a step fails and continues without a plan until no replan is left",
			"giving up planning with the last replan", ends, func(d *director, at *spot) {
				d.cast(at, late, playOutOfRounds(ascent{at: at}))
			}),
		onAlso(usedUp("giving-up-leaves-none-for-tools",
			"a step continues without a plan, a tool fails, no replan is left, and the step continues",
			"giving up planning with the last replan", triggers, func(d *director, at *spot) {
				d.cast(at, late, playTrigger(spec.OnTool, `{"ok":false,"output":"no such file"}`))
			}), spec.OnTool),
		seen(onAlso(usedUp("giving-up-leaves-none-for-verification",
			"a step continues without a plan, the verification fails, and no replan is left",
			"giving up planning with the last replan", triggers|verifies|ends, func(d *director, at *spot) {
				d.checks = append(d.checks, verification{errors: []string{"two tests fail"}})
				d.writesSomething(at)
			}), spec.OnVerification), failedVerification),
	}
}

// failedVerification recognises a verification that does not pass.
func failedVerification(c harness.Case) bool {
	return holds(`"ok":false`)(harness.Case{Verify: c.Verify})
}

// hopeless are more patches that are refused than a ladder has rungs.
func hopeless() []badPatch { return slices.Repeat([]badPatch{prose}, 8) }

// climbsReact lets the ladder end in the rung react, behind others.
func climbsReact(t trait) trait {
	endsSo := func(p harness.Profile) bool {
		return len(p.Ladder) > 1 && p.Ladder[0] == harness.RungPatch && p.Ladder[len(p.Ladder)-1] == harness.RungReact
	}
	return also(t, func(p *harness.Profile) {
		if !endsSo(*p) {
			p.Ladder = []harness.Rung{harness.RungPatch, harness.RungReact}
		}
	}, endsSo)
}

// onAlso is on for a trait that has needs of its own.
func onAlso(t trait, what string) trait {
	return also(t, func(p *harness.Profile) { set(p, "replan_on", what) },
		func(p harness.Profile) bool { return spec.ReplansOn(p, what) })
}

// also adds rules to those that a trait needs.
func also(t trait, set func(p *harness.Profile), hold func(p harness.Profile) bool) trait {
	first, holds := t.rules, t.Under
	if first == nil {
		return under(t, set, hold)
	}
	return under(t, func(p *harness.Profile) { first(p); set(p) }, func(p harness.Profile) bool {
		return holds(p) && hold(p)
	})
}

// parallel lets several steps run in a wave.
func parallel(p *harness.Profile) { p.Parallel = max(p.Parallel, 3) }

// writesSomething adds a tool call that writes a file.
func (d *director) writesSomething(at *spot) {
	d.cast(at, early, func(d *director, _ *spot, s *plan.Step) bool {
		d.written = true
		return d.call(s, `{"tool":"write_file","args":{"path":"b.go"}}`,
			generators.Raw(`{"ok":true,"output":"written","writes":{"b.go":"h1"}}`))
	})
}

// endTraits are ends of the script, and of the limits.
func endTraits() []trait {
	family := generators.Family("script")
	end := func(name, text, theme string, takesMore claims, plant func(d *director, at *spot)) trait {
		return trait{family(name, text).Says(theme, "in the script"), ends | takesMore, nil, plant}
	}
	return []trait{
		end("replies-end", "the replies end within a step", "the end of the replies", takes, func(d *director, at *spot) {
			d.cast(at, last, func(d *director, _ *spot, _ *plan.Step) bool {
				d.silent = true
				return !d.say("")
			})
		}),
		end("replies-end-at-planning", "the replies end before a plan", "the end of the replies", planAsked|needsPlan,
			func(d *director, _ *spot) { d.silent = true }),
		end("replies-end-at-replan", "the replies end when the run requests a replan", "the end of the replies",
			takes|climbs, asks(ascent{silent: true})),
		end("replies-end-in-the-ladder", "the replies end after an invalid patch", "the end of the replies", takes|climbs,
			asks(ascent{silent: true, bad: []badPatch{prose}})),
		end("tool-results-end", "a tool is called, and the script has no result for it", "the end of the results", takes,
			func(d *director, at *spot) {
				d.cast(at, last, func(d *director, _ *spot, _ *plan.Step) bool {
					if d.say(`{"tool":"grep"}`) {
						d.fail(harness.RepliesExhausted)
					}
					return true
				})
			}),
		under(trait{
			Trait: family("verification-fails",
				"the verification fails, and the run ends").Says("a failed verification", "in the script"),
			claims: shares | verifies | triggers | ends, plant: func(d *director, at *spot) {
				d.checks = append(d.checks, verification{errors: []string{"two tests fail"}})
				d.writesSomething(at)
			},
		}, func(p *harness.Profile) { set(p, "replan_on", "none") },
			func(p harness.Profile) bool { return !spec.ReplansOn(p, spec.OnVerification) || !spec.Plans(p) }),
		{
			family("verification-fails-with-no-replan-left",
				"the verification fails, and no replan is left").Says("a failed verification", "in the script"),
			shares | verifies | triggers | counts, nil, func(d *director, at *spot) {
				d.replans = 0
				d.checks = append(d.checks, verification{errors: []string{"two tests fail"}})
				d.writesSomething(at)
			},
		},
		{family("verification-missing", "a tool wrote a file, and the script has no verification").Says("a missing verification", "in the script"), shares | verifies, nil, func(d *director, at *spot) {
			d.unasked = true
			d.writesSomething(at)
		}},
		{
			family("nothing-written", "no tool writes, and nothing is verified").Says("nothing written", "in a run"), verifies,
			nil, func(d *director, _ *spot) { d.dry = true },
		},
		end("replies-left", "the script has more replies than the run reads", "replies left over", 0,
			func(d *director, _ *spot) { d.leftover = true }),
		end("no-replan-allowed", "a step requests a replan, and max_replans is 0", "the limit of replans", takes|counts,
			func(d *director, at *spot) {
				d.replans = 0
				asks(ascent{})(d, at)
			}),
		end("replans-used-up", "a step fails repeatedly until no replan is left", "the limit of replans",
			takes|counts|rounds|needsPlan, func(d *director, at *spot) {
				d.replans, d.rounds = 1+at.Below(2), 4
				for range d.replans + 1 {
					d.cast(at, late, playOutOfRounds(ascent{at: at}))
				}
			}),
		end("last-replan", "steps request exactly max_replans replans", "the limit of replans", takes|counts|needsPlan,
			func(d *director, at *spot) {
				d.replans = 1 + at.Below(2)
				for range d.replans {
					asks(ascent{})(d, at)
				}
			}),
		end("deadlock", "a step failed, the new plan does not fix it, and no replan is left", "a deadlock",
			takes|counts|rounds|needsPlan, func(d *director, at *spot) {
				d.replans, d.rounds = 1, 4
				d.cast(at, late, playOutOfRounds(ascent{at: at, stall: true}))
			}),
	}
}

// resumeTraits are runs that a new process takes up.
func resumeTraits() []trait {
	family := generators.Family("resume")
	behind := func(name, text, when string, takesMore claims, plant func(d *director, at *spot),
		stop func(e harness.TraceItem) bool,
	) trait {
		t := trait{
			family(name, text).Says("an interruption "+when, "in a run"), stops | takesMore, nil,
			func(d *director, at *spot) {
				d.stopAt, d.stop = at, func(trace []harness.TraceItem) (places []int) {
					for i, e := range trace {
						if stop(e) {
							places = append(places, i)
						}
					}
					return places
				}
				if plant != nil {
					plant(d, at)
				}
			},
		}
		t.Seen = func(c harness.Case) bool { return c.InterruptAfter != nil }
		return t
	}
	event := func(names ...string) func(harness.TraceItem) bool {
		return func(e harness.TraceItem) bool { return slices.Contains(names, e.Event) }
	}
	return []trait{
		behind("interrupted-at-the-beginning", "the run is interrupted before its first step", "before the first step", 0,
			nil, func(e harness.TraceItem) bool { return e.State == spec.StateIntake || e.State == spec.StatePlanning }),
		behind("interrupted-in-planning", "the run is interrupted during planning", "in planning",
			planAsked|needsPlan|refuses, func(d *director, at *spot) {
				d.refused = append(d.refused, badPlan{text: said("First I read the code.")})
			}, event(spec.EventPlanRejected, spec.EventPlanningRetry, spec.EventPlanGenerated)),
		behind("interrupted-in-a-step", "the run is interrupted within a step", "in a step", 0, nil,
			event(spec.EventPlanStepStart, spec.EventToolCalled)),
		behind("interrupted-between-steps", "the run is interrupted after a step is done", "between steps", 0, nil,
			event(spec.EventStepDone)),
		behind("interrupted-behind-a-write", "the run is interrupted between a write and its verification",
			"before the verification", shares|verifies, func(d *director, at *spot) { d.writesSomething(at) },
			event(spec.EventToolCalled)),
		behind("interrupted-behind-the-verification", "the run is interrupted after its verification passed",
			"after the verification", shares|verifies, func(d *director, at *spot) { d.writesSomething(at) },
			event(spec.EventFinalVerify)),
		behind("interrupted-in-a-replan", "the run is interrupted during a replan", "in a replan", takes|climbs,
			asks(ascent{bad: []badPatch{prose}}),
			func(e harness.TraceItem) bool { return e.State == spec.StateRecovering }),
		behind("interrupted-among-rounds", "the run is interrupted in a step that uses up its rounds",
			"in a step that uses up its rounds", takes|climbs|rounds, func(d *director, at *spot) {
				d.rounds = 4
				d.cast(at, late, playOutOfRounds(ascent{at: at}))
			}, event(spec.EventToolCalled, spec.EventReplyInvalid)),
		behind("replans-count-on", "the run is interrupted after its last replan, and a step requests another",
			"between two replans", takes|counts|ends|needsPlan, func(d *director, at *spot) {
				d.replans = 1
				asks(ascent{})(d, at)
				asks(ascent{})(d, at)
			}, func(e harness.TraceItem) bool {
				return e.State == spec.StateRecovering && e.Event != spec.EventState && e.Event != harness.EventReplanRequested
			}),
		behind("interrupted-at-the-end", "the run is interrupted after its last event", "at the end", 0, nil,
			func(e harness.TraceItem) bool { return e.State == spec.StateDone }),
	}
}
