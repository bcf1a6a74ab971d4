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
	family := generators.Family("step")
	invalid := func(name, text, theme string, texts ...string) trait {
		return seen(trait{
			Trait: family(name, text).Says(theme, "in a step"), claims: shares,
			plant: func(d *director, at *spot) {
				d.cast(at, early, func(d *director, at *spot, s *plan.Step) bool {
					return d.invalid(s, generators.Pick(&at.Choices, texts))
				})
			},
		}, replied(texts...))
	}
	return []trait{
		invalid("mentions-a-word", "a reply only mentions REPLAN or STEP_DONE: not a signal",
			"a mention of a control word",
			"I do not want to REPLAN yet.", "STEP_DONE? Not quite.", "No REPLAN\nis needed: STEP_DONE soon", "Is it STEP_DONE"),
		invalid("almost-a-word", "a control word is misspelled or in unknown markup: not a signal", "a misspelt control word",
			"RE-PLAN", "ſtep_done", "STEP DONE", "(REPLAN)", "<STEP_DONE>", "- STEP_DONE", "*REPLAN*",
			"[STEP_DONE", "**REPLAN", "[[REPLAN]]", "`**STEP_DONE**`", "STEP_DONE - yes", "# REPLAN", "【REPLAN]"),
		invalid("control-and-tool", "an envelope also calls a tool", "control and tool at once",
			`{"control":"step_done","tool":"grep"}`, `{"tool":"grep","control":"replan"}`),
		invalid("patch-in-a-step", "a step gets a patch that the run did not request", "a patch in place of a control",
			`{"add_steps":[{"id":"extra","description":"x"}]}`, `{"title":"x"}`),
		needing(trait{
			Trait:  family("too-large", "the reply exceeds max_reply_bytes").Says("a reply over max_reply_bytes", "in a step"),
			claims: shares | limits, plant: func(d *director, at *spot) {
				d.cast(at, early, func(d *director, _ *spot, s *plan.Step) bool {
					d.oversized = append(d.oversized, len(d.replies))
					return d.invalid(s, "")
				})
			},
		}, "max_reply_bytes"),
		{
			family("out-of-rounds", "a step uses up its rounds and fails").Says("a step that uses up its rounds", "in a step"),
			takes | climbs | rounds, nil, func(d *director, at *spot) {
				d.rounds = 4
				d.cast(at, late, playOutOfRounds(ascent{at: at}))
			},
		},
		{
			family("done-in-the-last-round", "a step is done in its last round").Says("the last round", "in a step"),
			takes | rounds, nil, func(d *director, at *spot) {
				d.rounds = 4
				d.cast(at, late, func(d *director, at *spot, s *plan.Step) bool {
					for d.round+1 < d.rounds {
						if d.work(&at.Choices, s, false) {
							return true
						}
					}
					return d.finish(s, `{"control":"step_done"}`)
				})
			},
		},
		{family("asks-in-the-last-round", "a step requests a replan in its last round, and does not fail").Says("the last round", "in a step"), takes | climbs | rounds, nil, func(d *director, at *spot) {
			d.rounds = 4
			d.cast(at, late, func(d *director, at *spot, s *plan.Step) bool {
				for d.round+1 < d.rounds {
					if d.work(&at.Choices, s, false) {
						return true
					}
				}
				return d.request(s, `{"control":"replan"}`, false, ascent{at: at})
			})
		}},
	}
}

// playOutOfRounds fails the step, with calls and with replies that are invalid.
func playOutOfRounds(a ascent) func(*director, *spot, *plan.Step) bool {
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
	family := generators.Family("tool")
	called := func(name, text, theme string, takes claims, call, result string, more func(d *director, at *spot)) trait {
		return trait{
			Trait: family(name, text).Says(theme, "in a step"), claims: shares | takes,
			plant: func(d *director, at *spot) {
				if more != nil {
					more(d, at)
				}
				d.cast(at, early, func(d *director, _ *spot, s *plan.Step) bool {
					d.written = d.written || strings.Contains(result, `"writes":{`)
					return d.call(s, call, generators.Raw(result))
				})
			},
		}
	}
	told := func(t trait) trait { return seen(needing(t, "max_tool_result_chars"), limited) }
	bounded := func(chars int) func(*director, *spot) { return func(d *director, _ *spot) { d.chars = chars } }
	quiet := func(t trait, what string) trait {
		return under(t, func(p *harness.Profile) {
			if spec.ReplansOn(*p, what) {
				set(p, "replan_on", spec.OnVerification)
			}
		}, func(p harness.Profile) bool { return !spec.ReplansOn(p, what) })
	}
	const grep = `{"tool":"grep","args":{"pattern":"x"}}`
	return []trait{
		seen(quiet(called("tool-fails", "a tool fails, and the step continues", "a failed tool", triggers, grep,
			`{"ok":false,"output":"no such file"}`, nil), spec.OnTool), holds(`"ok":false`)),
		seen(quiet(called("failing-tool-writes", "a tool fails after it wrote a file", "a failed tool that wrote",
			triggers|verifies, `{"tool":"write_file","args":{"path":"a.go"}}`,
			`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`, func(d *director, _ *spot) { d.dry = true }),
			spec.OnTool), holds(`"ok":false`, `"writes":{"`)),
		seen(quiet(called("environment-changes", "the environment changes, and the step continues", "a changed environment",
			triggers, grep, `{"ok":true,"output":"x","environment":"the branch was rebased"}`, nil), spec.OnEnvironment),
			holds(`"environment":"`)),
		called("bare-tool-result", "a tool result has only the member ok", "members left out", 0, `{"tool":"grep"}`,
			`{"ok":true}`, nil),
		called("tool-result-says-null", "optional members of a tool result are null", "null for an optional member", 0,
			`{"tool":"grep","args":null}`, `{"ok":true,"output":null,"writes":null,"environment":null}`, nil),
		called("word-in-arguments", "a tool's argument contains a control word on its own line: not a signal",
			"a control word in an argument", 0, `{"tool":"write_file","args":{"text":"x\nREPLAN\nSTEP_DONE"}}`,
			`{"ok":true,"output":"written"}`, nil),
		called("word-in-a-result", "a tool's output contains a control word: not a signal", "a control word in a result", 0,
			grep, `{"ok":true,"output":"x\nREPLAN\nSTEP_DONE\n{\"control\":\"step_done\"}"}`, nil),
		told(called("long-tool-result", "a tool's output is longer than max_tool_result_chars", "a long result", limits,
			grep, `{"ok":true,"output":"`+strings.Repeat("handler.go:12: func handler() ", 40)+`"}`, bounded(200))),
		told(called("long-result-in-another-script",
			"a tool's output in multi-byte characters is longer than max_tool_result_chars", "a long result that is not ASCII",
			limits, grep, `{"ok":true,"output":"`+strings.Repeat("处理器🚀é", 60)+`"}`, bounded(100))),
		told(called("tool-result-at-its-limit", "a tool's output is exactly max_tool_result_chars long",
			"a result at its limit", limits, grep, `{"ok":true,"output":"`+strings.Repeat("0123456789", 9)+`"}`, bounded(90))),
		told(called("result-at-its-limit-in-another-script",
			"a tool's output in multi-byte characters is exactly max_tool_result_chars long",
			"a result at its limit that is not ASCII", limits, grep, `{"ok":true,"output":"`+strings.Repeat("处理器步骤", 9)+`"}`,
			bounded(45))),
		told(called("limit-of-few-characters", "max_tool_result_chars leaves no room for the truncation note",
			"a result far over its limit", limits, grep, `{"ok":true,"output":"`+strings.Repeat("0123456789", 9)+`"}`,
			bounded(7))),
	}
}

// controlTraits are controls in other spellings than an envelope, and envelopes
// that are coerced.
func controlTraits() []trait {
	family := generators.Family("control")
	control := func(name, text, theme string, plays func(d *director, at *spot, s *plan.Step) bool) trait {
		return trait{
			Trait: family(name, text).Says(theme, "in a step"), claims: takes,
			plant: func(d *director, at *spot) { d.cast(at, late, plays) },
		}
	}
	fixed := func(name, text, theme, reply string, plays func(d *director, s *plan.Step, reply string) bool) trait {
		return seen(control(name, text, theme, func(d *director, _ *spot, s *plan.Step) bool { return plays(d, s, reply) }),
			replied(reply))
	}
	// depends plays a reply that is a control under some rules and invalid under
	// others.
	depends := func(name, text, theme, reply string, taken func(p *harness.Profile) bool) trait {
		return fixed(name, text, theme, reply, func(d *director, s *plan.Step, reply string) bool {
			if taken(&d.profile) {
				return d.finish(s, reply)
			}
			return d.invalid(s, reply)
		})
	}
	word := func(name, text, theme string, done bool, replies ...string) trait {
		if !done {
			other := strings.NewReplacer("STEP_DONE", "REPLAN", "step_done", "replan", "Step_Done", "RePlan", "REPLAN",
				"STEP_DONE")
			replies = slices.Clone(replies)
			for i, r := range replies {
				replies[i] = other.Replace(r)
			}
		}
		t := seen(control(name, text, theme, func(d *director, at *spot, s *plan.Step) bool {
			reply := generators.Pick(&at.Choices, replies)
			if done {
				return d.finishLegacy(s, reply)
			}
			return d.request(s, reply, true, ascent{at: at})
		}), replied(replies...))
		if !done {
			t.claims |= climbs
		}
		return t
	}
	extract := func(p *harness.Profile) bool { return p.Reading.Extract }
	var list []trait
	for _, w := range []struct {
		name, text, theme string
		replies           []string
	}{
		{
			"", "is a bare word", "alone on a line",
			[]string{"STEP_DONE", "step_done", " Step_Done\r\n", "All is well.\n  STEP_DONE\nBye."},
		},
		{"-in-brackets", "is in brackets", "in brackets", []string{
			"【STEP_DONE】", "[STEP_DONE]", "Well.\n【step_done】\n",
			"[Step_Done]",
		}},
		{"-in-bold", "is in bold or backticks", "in bold", []string{
			"**STEP_DONE**", "__STEP_DONE__", "`STEP_DONE`",
			"Well.\n**step_done**",
		}},
		{"-in-quotes", "is in quotes", "in quotes", []string{`"STEP_DONE"`, "'STEP_DONE'", "“STEP_DONE”", "「step_done」"}},
		{"-with-a-mark", "is followed by punctuation", "with punctuation", []string{
			"STEP_DONE.", "STEP_DONE!", "STEP_DONE。",
			"step_done！", "**STEP_DONE**.", "【STEP_DONE】。", "Well.\nSTEP_DONE...",
		}},
		{
			"-before-the-other", "is on its own line before the other word: the first counts", "before the other word",
			[]string{"STEP_DONE\nREPLAN", "Well.\n STEP_DONE \n\nREPLAN\n"},
		},
	} {
		list = append(list, word("old-word-done"+w.name, "STEP_DONE "+w.text, "STEP_DONE "+w.theme, true,
			w.replies...), word("old-word-replan"+w.name, "REPLAN "+w.text, "REPLAN "+w.theme, false, w.replies...))
	}
	return append(list,
		control("words-round-an-envelope", "control words surround an envelope: the envelope counts if the rules find it",
			"a control word next to an envelope", func(d *director, _ *spot, s *plan.Step) bool {
				text := "REPLAN\n" + `{"control":"step_done"}` + "\nREPLAN"
				if d.profile.Reading.Extract {
					return d.finish(s, text)
				}
				return d.finishLegacy(s, strings.ReplaceAll(text, "REPLAN", "STEP_DONE"))
			}),
		fixed("word-beside-a-tool-call",
			"a control word precedes or follows a tool call on its own line: the tool is not called",
			"a control word next to a tool call", `{"tool":"grep","args":{}}`+"\nSTEP_DONE", (*director).finishLegacy),
		depends("thinks-of-a-word", "a <think> block contains a control word: not a signal", "thoughts",
			"<think>\nREPLAN\n</think>\n"+`{"control":"step_done"}`, extract),
	)
}
