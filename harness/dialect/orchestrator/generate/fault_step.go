package generate

import (
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/words"
	"replanbench/harness/plan"
)

// The places of scenes in a run.
const (
	early = iota
	late
	last // nothing comes after it
)

// inStep plants a scene.
func inStep(rank int, play func(d *director, s *plan.Step) bool) func(*director) bool {
	return func(d *director) bool {
		d.scenes = append(d.scenes, scene{rank, play})
		return true
	}
}

// asksSensibly asks for another plan, and gets a good one.
func asksSensibly(d *director, s *plan.Step) bool {
	return d.request(s, d.dress(`{"control":"replan","reason":"a step is missing"}`), false)
}

// runStepFaults are replies in a step that are neither control nor tool call, and
// steps that come to nothing.
func runStepFaults() []runFault {
	fault := generators.Family("step")
	invalid := func(name, words string, code harness.Code, texts ...string) runFault {
		return runFault{fault(name, words), 0, inStep(early, func(d *director, s *plan.Step) bool {
			return d.invalid(s, generators.Pick(&d.Choices, texts), code)
		})}
	}
	return []runFault{
		invalid("mentions-a-word", "a reply that only mentions REPLAN or STEP_DONE is no signal", harness.NoDocument,
			"I do not want to REPLAN yet.", "STEP_DONE? Not quite.", "No REPLAN\nis needed: STEP_DONE soon", "RE-PLAN", "`REPLAN`", "REPLAN.", "ſtep_done", "STEP DONE"),
		invalid("says-nothing", "an empty reply", harness.NoDocument, "", " \n", "null", "[]"),
		invalid("unknown-control", "a control that does not exist", harness.BadType, `{"control":"done"}`, `{"control":"STEP_DONE"}`, `{"control":"stop"}`, `{"control":true}`, `{"control":null}`),
		invalid("reason-as-number", "the reason of an envelope is a number", harness.BadType, `{"control":"step_done","reason":1}`, `{"control":"replan","reason":[]}`),
		invalid("control-and-tool", "an envelope that calls a tool as well", harness.ExtraField, `{"control":"step_done","tool":"grep"}`, `{"tool":"grep","control":"replan"}`),
		invalid("neither-control-nor-tool", "an object that is neither envelope nor tool call", harness.MissingField, `{"reason":"done"}`, `{"args":{}}`, `{}`),
		invalid("tool-without-name", "a tool call without a name", harness.EmptyID, `{"tool":""}`, `{"tool":" ","args":{}}`),
		invalid("arguments-as-list", "the arguments of a tool call are a list or a text", harness.BadType, `{"tool":"grep","args":[]}`, `{"tool":"grep","args":"x"}`),
		invalid("bytes-no-text", "a reply with bytes that are not UTF-8", harness.InvalidUTF8, "STEP_DONE\n\xff", "\xc3\x28"),
		invalid("nests-too-deep", "a tool call that nests too deep", harness.TooDeep, `{"tool":"grep","args":`+strings.Repeat(`{"a":`, 80)+`1`+strings.Repeat("}", 81)),
		invalid("half-a-character", "an envelope with the escape of a lone surrogate", harness.InvalidUTF8, `{"control":"step_done","reason":"\ud83d"}`),
		{fault("too-large", "a reply that is larger than allowed, whatever it says"), 0, inStep(early, func(d *director, s *plan.Step) bool {
			d.oversized = append(d.oversized, len(d.replies))
			return d.invalid(s, "", harness.ReplyTooLarge)
		})},
		{fault("out-of-rounds", "a step uses up its rounds, and has failed"), 0, inStep(late, playOutOfRounds)},
		{fault("writes-with-a-failing-tool", "a tool fails and has written all the same"), 0, inStep(early, func(d *director, s *plan.Step) bool {
			if !d.say(`{"tool":"write_file","args":{"path":"a.go"}}`) {
				return true
			}
			d.tools = append(d.tools, generators.Raw(`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`))
			d.written = true
			d.event(words.EventToolCalled, s.ID, "")
			return d.countRound(s)
		})},
	}
}

// playOutOfRounds fails the step.
func playOutOfRounds(d *director, s *plan.Step) bool {
	for {
		if d.OneIn(3) {
			if d.invalid(s, "I think I am done.", harness.NoDocument) {
				return true
			}
		} else if d.call(s) {
			return true
		}
	}
}

// controlFaults are controls in other spellings than an envelope, and envelopes
// that are coerced.
func controlFaults() []runFault {
	fault := generators.Family("control")
	// depends plays a reply that is a control under some rules and invalid
	// under others.
	depends := func(name, words, text string, code harness.Code, taken func(p *harness.Profile) bool) runFault {
		return runFault{fault(name, words), 0, inStep(late, func(d *director, s *plan.Step) bool {
			if taken(&d.profile) {
				return d.finish(s, text)
			}
			return d.invalid(s, text, code)
		})}
	}
	return []runFault{
		{fault("old-word-done", "STEP_DONE in an old spelling, alone or alone on a line"), 0, inStep(late, func(d *director, s *plan.Step) bool {
			return d.finishLegacy(s, generators.Pick(&d.Choices, []string{"STEP_DONE", "step_done", " Step_Done\r\n", "【STEP_DONE】", "All is well.\n  STEP_DONE\nBye.", "STEP_DONE\nREPLAN"}))
		})},
		{fault("old-word-replan", "REPLAN in an old spelling, alone or alone on a line"), 0, inReplan(ascent{}, func(d *director, s *plan.Step) bool {
			return d.request(s, generators.Pick(&d.Choices, []string{"REPLAN", "replan", "\tRePlan ", "This does not work.\nREPLAN\n", "REPLAN\nSTEP_DONE"}), true)
		})},
		{fault("words-round-an-envelope", "an envelope among old words, which it beats where it is found"), 0, inStep(late, func(d *director, s *plan.Step) bool {
			text := "STEP_DONE\n" + `{"control":"step_done"}` + "\nREPLAN"
			if d.profile.Reading.Extract {
				return d.finish(s, text)
			}
			return d.finishLegacy(s, text)
		})},
		{fault("word-beside-a-tool-call", "an old word on a line beside a tool call, which is not made"), 0, inStep(late, func(d *director, s *plan.Step) bool {
			return d.finishLegacy(s, `{"tool":"grep","args":{}}`+"\nSTEP_DONE")
		})},
		{fault("word-in-arguments", "an old word on a line of a tool's argument is no signal"), 0, inStep(early, func(d *director, s *plan.Step) bool {
			if !d.say(`{"tool":"write_file","args":{"text":"x\nREPLAN\nSTEP_DONE"}}`) {
				return true
			}
			d.tools = append(d.tools, generators.Raw(`{"ok":true}`))
			d.event(words.EventToolCalled, s.ID, "")
			return d.countRound(s)
		})},
		depends("envelope-in-a-fence", "an envelope in prose and a fence", "Done:\n```json\n{\"control\":\"step_done\"}\n```", harness.NoDocument, func(p *harness.Profile) bool { return p.Reading.Extract }),
		depends("two-envelopes", "two envelopes that contradict each other, of which the first counts", `{"control":"step_done"} or {"control":"replan"}`, harness.NoDocument, func(p *harness.Profile) bool { return p.Reading.Extract }),
		depends("thinks-of-a-word", "an old word among thoughts is no signal", "<think>\nREPLAN\n</think>\n"+`{"control":"step_done"}`, harness.NoDocument, func(p *harness.Profile) bool { return p.Reading.Extract }),
		depends("envelope-with-more", "an envelope with a member that it does not have", `{"control":"step_done","confidence":0.9}`, harness.ExtraField, func(p *harness.Profile) bool { return p.ExtraFields == harness.Drop || p.Reading.Coerce }),
		depends("envelope-cut-off", "an envelope that is not closed", `{"control":"step_done"`, harness.NoDocument, func(p *harness.Profile) bool { return p.Reading.Repair }),
		depends("control-twice", "an envelope with two controls", `{"control":"replan","control":"step_done"}`, harness.DuplicateKey, func(p *harness.Profile) bool { return p.DuplicateKeys == harness.Last }),
	}
}

// inReplan plants a scene that leads to another plan, and what comes of that.
func inReplan(c ascent, play func(d *director, s *plan.Step) bool) func(*director) bool {
	return func(d *director) bool {
		d.scenes = append(d.scenes, scene{late, play})
		d.climbs = append(d.climbs, c)
		d.replans++
		return true
	}
}

// scriptFaults are ends of the script, and of the limits.
func scriptFaults() []runFault {
	fault := generators.Family("script")
	return []runFault{
		{fault("replies-end", "the model falls silent in a step"), rEnd, inStep(last, func(d *director, s *plan.Step) bool {
			d.silent = true
			d.say("")
			return true
		})},
		{fault("replies-end-at-planning", "the model falls silent before it has given a plan"), rEnd | rPlanning, func(d *director) bool {
			d.silent = true
			return true
		}},
		{fault("replies-end-at-replan", "the model is asked for another plan and says nothing"), rEnd | rLadder, inReplan(ascent{silent: true}, asksSensibly)},
		{fault("replies-end-in-the-ladder", "the model gives a bad patch and then falls silent"), rEnd | rLadder, inReplan(ascent{silent: true, bad: []badPatch{badPatches()[0]}}, asksSensibly)},
		{fault("tool-results-end", "a tool is called and there is no result"), rEnd, inStep(last, func(d *director, s *plan.Step) bool {
			if d.say(`{"tool":"grep"}`) {
				d.fail(harness.RepliesExhausted)
			}
			return true
		})},
		{fault("verification-fails", "the verification does not pass"), rVerify, func(d *director) bool {
			d.failing = true
			return d.writesSomething()
		}},
		{fault("verification-missing", "something was written and there is no verification"), rVerify, func(d *director) bool {
			d.unasked = true
			return d.writesSomething()
		}},
		{fault("replies-left", "there are replies that nobody asks for"), rEnd, func(d *director) bool {
			d.leftover = true
			return true
		}},
		{fault("no-replan-allowed", "another plan is asked for, and max_replans is 0"), rReplans | rEnd, func(d *director) bool {
			d.scenes = append(d.scenes, scene{early, asksSensibly})
			d.replans = 0
			return true
		}},
		{fault("replans-used-up", "steps fail again and again until no replan is left"), rReplans | rEnd, func(d *director) bool {
			d.replans = 1 + d.Below(2)
			for range d.replans + 1 {
				d.scenes = append(d.scenes, scene{late, playOutOfRounds})
			}
			return true
		}},
		{fault("deadlock", "a step failed, the new plan does not help it, and no replan is left"), rReplans | rEnd | rLadder, func(d *director) bool {
			d.scenes = append(d.scenes, scene{early, playOutOfRounds})
			d.climbs = append([]ascent{{stall: true}}, d.climbs...)
			d.replans = 1
			return true
		}},
	}
}

// writesSomething makes sure that there is something to verify.
func (d *director) writesSomething() bool {
	d.scenes = append(d.scenes, scene{early, func(d *director, s *plan.Step) bool {
		if !d.say(`{"tool":"write_file","args":{"path":"b.go"}}`) {
			return true
		}
		d.tools = append(d.tools, generators.Raw(`{"ok":true,"writes":{"b.go":"h1"}}`))
		d.written = true
		d.event(words.EventToolCalled, s.ID, "")
		return d.countRound(s)
	}})
	return true
}
