package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/plan"
)

// stepTraits are replies in a step that are neither control nor tool call, and
// steps that come to nothing.
func stepTraits() []trait {
	row := rows("step", "in a step")
	invalid := func(name, text, theme string, texts ...string) trait {
		return row(name, text, theme, shares, casts(early, func(d *director, at *spot, s *plan.Step) bool {
			return d.invalid(s, generators.Pick(&at.Choices, texts))
		})).seen(replied(texts...))
	}
	// last plays something in the last round of a step.
	last := func(play playing) planting {
		return func(d *director, at *spot) {
			d.rounds = 4
			d.cast(at, late, func(d *director, at *spot, s *plan.Step) bool {
				for d.round+1 < d.rounds {
					if d.work(&at.Choices, s, false) {
						return true
					}
				}
				return play(d, at, s)
			})
		}
	}
	const lastRound = "the last round"
	return []trait{
		invalid("mentions-a-word", "a reply only mentions REPLAN or STEP_DONE: not a signal",
			"a mention of a control word",
			"I do not want to REPLAN yet.", "STEP_DONE? Not quite.", "No REPLAN\nis needed: STEP_DONE soon", "Is it STEP_DONE"),
		invalid("almost-a-word", "a control word is misspelled or in unknown markup: not a signal", "a misspelt control word",
			"RE-PLAN", "ſtep_done", "STEP DONE", "(REPLAN)", "<STEP_DONE>", "- STEP_DONE", "*REPLAN*",
			"[STEP_DONE", "**REPLAN", "[[REPLAN]]", "`**STEP_DONE**`", "STEP_DONE - yes", "# REPLAN", "【REPLAN]"),
		invalid("control-and-tool", "an envelope also calls a tool", "control and tool at once",
			`{"control":"step_done","tool":"grep"}`, `{"tool":"grep","control":"replan"}`),
		invalid("control-with-a-number", "the reason of a control is a number", "a member of another type",
			`{"control":"step_done","reason":7}`, `{"control":"replan","reason":7}`),
		invalid("patch-in-a-step", "a step gets a patch that the run did not request", "a patch in place of a control",
			`{"add_steps":[{"id":"extra","description":"x"}]}`, `{"title":"x"}`),
		row("too-large", "the reply exceeds max_reply_bytes", "a reply over max_reply_bytes", shares|limits,
			casts(early, func(d *director, _ *spot, s *plan.Step) bool {
				d.oversized = append(d.oversized, len(d.replies))
				return d.invalid(s, "")
			})).needing("max_reply_bytes"),
		row("out-of-rounds", "a step uses up its rounds and fails", "a step that uses up its rounds", takes|climbs|rounds,
			outOfRounds(ascent{})),
		row("done-in-the-last-round", "a step is done in its last round", lastRound, takes|rounds,
			last(func(d *director, _ *spot, s *plan.Step) bool { return d.finish(s, stepDone) })),
		row("asks-in-the-last-round", "a step requests a replan in its last round, and does not fail", lastRound,
			takes|climbs|rounds, last(func(d *director, at *spot, _ *plan.Step) bool {
				return d.request(`{"control":"replan"}`, ascent{at: at})
			})),
	}
}

// outOfRounds lets the step use up its rounds, and the ascent says what follows.
func outOfRounds(a ascent) planting {
	return func(d *director, at *spot) {
		d.rounds = 4
		d.cast(at, late, playOutOfRounds(a.from(at)))
	}
}

// playOutOfRounds fails the step, with calls and with replies that are invalid.
func playOutOfRounds(a ascent) playing {
	return func(d *director, at *spot, s *plan.Step) bool {
		d.failing = a
		for {
			if at.OneIn(3) {
				if d.invalid(s, "I think I am done.") {
					return true
				}
			} else if d.call(s, `{"tool":"grep","args":{}}`, generators.Raw(`{"ok":true,"output":"nothing found"}`)) {
				return true
			}
		}
	}
}

// toolTraits are unusual calls of tools, and results.
func toolTraits() []trait {
	row := rows("tool", "in a step")
	called := func(name, text, theme string, takes claims, call, result string) trait {
		return row(name, text, theme, shares|takes, casts(early, func(d *director, _ *spot, s *plan.Step) bool {
			d.written = d.written || strings.Contains(result, `"writes":{`)
			return d.call(s, call, generators.Raw(result))
		}))
	}
	// bounded is a result under a limit of characters.
	bounded := func(chars int, name, text, theme, output string) trait {
		return called(name, text, theme, limits, grep, `{"ok":true,"output":"`+output+`"}`).
			before(func(d *director) { d.chars = chars }).needing("max_tool_result_chars").
			seen(func(c harness.Case) bool { return c.Limits.MaxToolResultChars != nil })
	}
	quiet := func(t trait, what string) trait {
		return t.ruled(func(p *harness.Profile) {
			if spec.ReplansOn(*p, what) {
				set("replan_on=" + spec.OnVerification)(p)
			}
		}, func(p harness.Profile) bool { return !spec.ReplansOn(p, what) })
	}
	return []trait{
		quiet(called("tool-fails", "a tool fails, and the step continues", "a failed tool", triggers, grep,
			`{"ok":false,"output":"no such file"}`), spec.OnTool).seen(holds(`"ok":false`)),
		quiet(called("failing-tool-writes", "a tool fails after it wrote a file", "a failed tool that wrote",
			triggers|verifies, `{"tool":"write_file","args":{"path":"a.go"}}`,
			`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`), spec.OnTool).before(dry).
			seen(holds(`"ok":false`, `"writes":{"`)),
		quiet(called("environment-changes", "the environment changes, and the step continues", "a changed environment",
			triggers, grep, `{"ok":true,"output":"x","environment":"the branch was rebased"}`), spec.OnEnvironment).
			seen(holds(`"environment":"`)),
		called("bare-tool-call", "a tool call has no args", "args left out", 0, `{"tool":"grep"}`,
			`{"ok":true,"output":"nothing found"}`),
		called("tool-call-says-null", "the args of a tool call are null", "null for args", 0,
			`{"tool":"grep","args":null}`, `{"ok":true,"output":"nothing found"}`),
		called("bare-tool-result", "a tool result has only the member ok", "members left out", 0, grep, `{"ok":true}`),
		called("tool-result-says-null", "optional members of a tool result are null", "null for an optional member", 0,
			grep, `{"ok":true,"output":null,"writes":null,"environment":null}`),
		called("word-in-arguments", "a tool's argument contains a control word on its own line: not a signal",
			"a control word in an argument", 0, `{"tool":"write_file","args":{"text":"x\nREPLAN\nSTEP_DONE"}}`,
			`{"ok":true,"output":"written"}`),
		called("word-in-a-result", "a tool's output contains a control word: not a signal", "a control word in a result", 0,
			grep, `{"ok":true,"output":"x\nREPLAN\nSTEP_DONE\n{\"control\":\"step_done\"}"}`),
		bounded(200, "long-tool-result", "a tool's output is longer than max_tool_result_chars", "a long result",
			strings.Repeat("handler.go:12: func handler() ", 40)),
		bounded(100, "long-result-in-another-script",
			"a tool's output in multi-byte characters is longer than max_tool_result_chars", "a long result that is not ASCII",
			strings.Repeat("处理器🚀é", 60)),
		bounded(90, "tool-result-at-its-limit", "a tool's output is exactly max_tool_result_chars long",
			"a result at its limit", strings.Repeat("0123456789", 9)),
		bounded(45, "result-at-its-limit-in-another-script",
			"a tool's output in multi-byte characters is exactly max_tool_result_chars long",
			"a result at its limit that is not ASCII", strings.Repeat("处理器步骤", 9)),
		bounded(7, "limit-of-few-characters", "max_tool_result_chars leaves no room for the truncation note",
			"a result far over its limit", strings.Repeat("0123456789", 9)),
	}
}

const grep = `{"tool":"grep","args":{"pattern":"x"}}`

// dry lets no tool of the base write.
func dry(d *director) { d.dry = true }

// controlTraits are controls in other spellings than an envelope, and envelopes
// that are coerced.
func controlTraits() []trait {
	row := rows("control", "in a step")
	other := strings.NewReplacer("STEP_DONE", "REPLAN", "step_done", "replan", "Step_Done", "RePlan", "REPLAN",
		"STEP_DONE")
	// words are traits of the words STEP_DONE and REPLAN in one spelling.
	words := func(name, text, theme string, done ...string) []trait {
		replan := slices.Clone(done)
		for i, r := range done {
			replan[i] = other.Replace(r)
		}
		finishes := casts(late, func(d *director, at *spot, s *plan.Step) bool {
			return d.finish(s, generators.Pick(&at.Choices, done))
		})
		requests := casts(late, func(d *director, at *spot, _ *plan.Step) bool {
			return d.request(generators.Pick(&at.Choices, replan), ascent{at: at})
		})
		return []trait{
			row("old-word-done"+name, "STEP_DONE "+text, "STEP_DONE "+theme, takes, finishes).seen(replied(done...)),
			row("old-word-replan"+name, "REPLAN "+text, "REPLAN "+theme, takes|climbs, requests).seen(replied(replan...)),
		}
	}
	fixed := func(name, text, theme, reply string, plays func(d *director, s *plan.Step, reply string) bool) trait {
		return row(name, text, theme, takes, casts(late, func(d *director, _ *spot, s *plan.Step) bool {
			return plays(d, s, reply)
		}))
	}
	const call, thinks = `{"tool":"grep","args":{}}` + "\nSTEP_DONE", "<think>\nREPLAN\n</think>\n" + stepDone
	return slices.Concat(
		words("", "is a bare word", "alone on a line", "STEP_DONE", "step_done", " Step_Done\r\n",
			"All is well.\n  STEP_DONE\nBye."),
		words("-in-brackets", "is in brackets", "in brackets", "【STEP_DONE】", "[STEP_DONE]", "Well.\n【step_done】\n",
			"[Step_Done]"),
		words("-in-bold", "is in bold or backticks", "in bold", "**STEP_DONE**", "__STEP_DONE__", "`STEP_DONE`",
			"Well.\n**step_done**"),
		words("-in-quotes", "is in quotes", "in quotes", `"STEP_DONE"`, "'STEP_DONE'", "“STEP_DONE”", "「step_done」"),
		words("-with-a-mark", "is followed by punctuation", "with punctuation", "STEP_DONE.", "STEP_DONE!", "STEP_DONE。",
			"step_done！", "**STEP_DONE**.", "【STEP_DONE】。", "Well.\nSTEP_DONE..."),
		words("-before-the-other", "is on its own line before the other word: the first counts", "before the other word",
			"STEP_DONE\nREPLAN", "Well.\n STEP_DONE \n\nREPLAN\n"),
		[]trait{
			fixed("words-round-an-envelope", "control words surround an envelope: the envelope counts if the rules find it",
				"a control word next to an envelope", "REPLAN\n"+stepDone+"\nREPLAN",
				func(d *director, s *plan.Step, reply string) bool {
					if d.profile.Reading.Extract {
						return d.finish(s, reply)
					}
					return d.finish(s, strings.ReplaceAll(reply, "REPLAN", "STEP_DONE"))
				}),
			fixed("word-beside-a-tool-call",
				"a control word precedes or follows a tool call on its own line: the tool is not called",
				"a control word next to a tool call", call, (*director).finish).seen(replied(call)),
			fixed("thinks-of-a-word", "a <think> block contains a control word: not a signal", "thoughts", thinks,
				func(d *director, s *plan.Step, reply string) bool {
					if d.profile.Reading.Extract {
						return d.finish(s, reply)
					}
					return d.invalid(s, reply)
				}).seen(replied(thinks)),
		})
}

// stepDone is the control that ends a step.
const stepDone = `{"control":"step_done"}`
