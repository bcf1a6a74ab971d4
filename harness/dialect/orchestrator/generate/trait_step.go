package generate

import (
	"slices"
	"strings"

	"replanbench/generators"
	"replanbench/generators/deform"
	"replanbench/harness"
	"replanbench/harness/dialect/orchestrator/spec"
	"replanbench/harness/document"
	"replanbench/harness/document/collect"
	"replanbench/harness/plan"
)

// invalid is a reply in a step that is neither control nor tool call.
func invalid(texts []string) part {
	return does(casts(early, func(d *director, at *spot, s *plan.Step) bool {
		return d.invalid(s, generators.Pick(&at.Choices, texts))
	})).seen(replied(texts...))
}

// stepParts are steps that come to nothing, and replies that are too large.
func stepParts() map[string]part {
	// last plays something in the last round of a step.
	last := func(play playing) part {
		return does(func(d *director, at *spot) {
			d.rounds = 4
			casts(late, func(d *director, at *spot, s *plan.Step) bool {
				for d.round+1 < d.rounds {
					if d.work(&at.Choices, s, false) {
						return true
					}
				}
				return play(d, at, s)
			})(d, at)
		})
	}
	return map[string]part{
		"too-large": does(casts(early, func(d *director, _ *spot, s *plan.Step) bool {
			d.oversized = append(d.oversized, len(d.replies))
			return d.invalid(s, "")
		})),
		"out-of-rounds":          does(outOfRounds(ascent{})),
		"done-in-the-last-round": last(func(d *director, _ *spot, s *plan.Step) bool { return d.finish(s, stepDone) }),
		"asks-in-the-last-round": last(func(d *director, at *spot, _ *plan.Step) bool {
			return d.request(`{"control":"replan"}`, ascent{at: at})
		}),
	}
}

// outOfRounds lets the step use up its rounds with calls and invalid replies. The ascent says what follows.
func outOfRounds(a ascent) planting {
	fail := casts(late, func(d *director, at *spot, s *plan.Step) bool {
		d.failing = a.from(at)
		for ended := false; !ended; {
			if at.OneIn(3) {
				ended = d.invalid(s, "I think I am done.")
			} else {
				ended = d.call(s, `{"tool":"grep","args":{}}`, generators.Raw(`{"ok":true,"output":"nothing found"}`))
			}
		}
		return true
	})
	return func(d *director, at *spot) {
		d.rounds = 4
		fail(d, at)
	}
}

// toolParts are unusual calls of tools, and results.
func toolParts() map[string]part {
	called := func(call, result string) part {
		return does(casts(early, func(d *director, _ *spot, s *plan.Step) bool {
			d.written = d.written || strings.Contains(result, `"writes":{`)
			return d.call(s, call, generators.Raw(result))
		}))
	}
	// bounded is a result under a limit of characters.
	bounded := func(chars int, output string) part {
		return called(grep, `{"ok":true,"output":"`+output+`"}`).before(func(d *director) { d.chars = chars }).
			seen(func(c harness.Case) bool { return c.Limits.MaxToolResultChars != nil })
	}
	quiet := func(p part, what string) part {
		return p.ruled(func(p *harness.Profile) {
			if spec.ReplansOn(*p, what) {
				set("replan_on=" + spec.OnVerification)(p)
			}
		}, func(p harness.Profile) bool { return !spec.ReplansOn(p, what) })
	}
	return map[string]part{
		"tool-fails": quiet(called(grep, `{"ok":false,"output":"no such file"}`), spec.OnTool).seen(holds(`"ok":false`)),
		"failing-tool-writes": quiet(called(`{"tool":"write_file","args":{"path":"a.go"}}`,
			`{"ok":false,"output":"disk full","writes":{"a.go":"h9"}}`), spec.OnTool).before(dry).
			seen(holds(`"ok":false`, `"writes":{"`)),
		"environment-changes": quiet(called(grep, `{"ok":true,"output":"x","environment":"the branch was rebased"}`),
			spec.OnEnvironment).seen(holds(`"environment":"`)),
		"bare-tool-call":        called(`{"tool":"grep"}`, `{"ok":true,"output":"nothing found"}`),
		"tool-call-says-null":   called(`{"tool":"grep","args":null}`, `{"ok":true,"output":"nothing found"}`),
		"bare-tool-result":      called(grep, `{"ok":true}`),
		"tool-result-says-null": called(grep, `{"ok":true,"output":null,"writes":null,"environment":null}`),
		"word-in-arguments": called(`{"tool":"write_file","args":{"text":"x\nREPLAN\nSTEP_DONE"}}`,
			`{"ok":true,"output":"written"}`),
		"word-in-a-result": called(grep,
			`{"ok":true,"output":"x\nREPLAN\nSTEP_DONE\n{\"control\":\"step_done\"}"}`),
		"long-tool-result":                      bounded(200, strings.Repeat("handler.go:12: func handler() ", 40)),
		"long-result-in-another-script":         bounded(100, strings.Repeat("处理器🚀é", 60)),
		"tool-result-at-its-limit":              bounded(90, strings.Repeat("0123456789", 9)),
		"result-at-its-limit-in-another-script": bounded(45, strings.Repeat("处理器步骤", 9)),
		"limit-of-few-characters":               bounded(7, strings.Repeat("0123456789", 9)),
	}
}

const grep = `{"tool":"grep","args":{"pattern":"x"}}`

// dry lets no tool of the base write.
func dry(d *director) { d.dry = true }

// controlParts are controls in other spellings than an envelope, and envelopes that are coerced.
func controlParts() map[string]part {
	fixed := func(reply string, plays func(d *director, s *plan.Step, reply string) bool) part {
		return does(casts(late, func(d *director, _ *spot, s *plan.Step) bool { return plays(d, s, reply) }))
	}
	const call, thinks = `{"tool":"grep","args":{}}` + "\nSTEP_DONE", "<think>\nREPLAN\n</think>\n" + stepDone
	parts := map[string]part{
		"words-round-an-envelope": fixed("REPLAN\n"+stepDone+"\nREPLAN", func(d *director, s *plan.Step, reply string) bool {
			if d.profile.Reading.Extract {
				return d.finish(s, reply)
			}
			return d.finish(s, strings.ReplaceAll(reply, "REPLAN", "STEP_DONE"))
		}),
		"word-beside-a-tool-call": fixed(call, (*director).finish).seen(replied(call)),
		"thinks-of-a-word": fixed(thinks, func(d *director, s *plan.Step, reply string) bool {
			if d.profile.Reading.Extract {
				return d.finish(s, reply)
			}
			return d.invalid(s, reply)
		}).seen(replied(thinks)),
	}
	// The words STEP_DONE and REPLAN are spelled in the same ways.
	other := strings.NewReplacer("STEP_DONE", "REPLAN", "step_done", "replan", "Step_Done", "RePlan", "REPLAN",
		"STEP_DONE")
	for name, done := range map[string][]string{
		"":             {"STEP_DONE", "step_done", " Step_Done\r\n", "All is well.\n  STEP_DONE\nBye."},
		"-in-brackets": {"【STEP_DONE】", "[STEP_DONE]", "Well.\n【step_done】\n", "[Step_Done]"},
		"-in-bold":     {"**STEP_DONE**", "__STEP_DONE__", "`STEP_DONE`", "Well.\n**step_done**"},
		"-in-quotes":   {`"STEP_DONE"`, "'STEP_DONE'", "“STEP_DONE”", "「step_done」"},
		"-with-a-mark": {
			"STEP_DONE.", "STEP_DONE!", "STEP_DONE。", "step_done！", "**STEP_DONE**.", "【STEP_DONE】。", "Well.\nSTEP_DONE...",
		},
		"-before-the-other": {"STEP_DONE\nREPLAN", "Well.\n STEP_DONE \n\nREPLAN\n"},
	} {
		replan := collect.Map(done, other.Replace)
		parts["old-word-done"+name] = does(casts(late, func(d *director, at *spot, s *plan.Step) bool {
			return d.finish(s, generators.Pick(&at.Choices, done))
		})).seen(replied(done...))
		parts["old-word-replan"+name] = does(casts(late, func(d *director, at *spot, _ *plan.Step) bool {
			return d.request(generators.Pick(&at.Choices, replan), ascent{at: at})
		})).seen(replied(replan...))
	}
	return parts
}

// stepDone is the control that ends a step.
const stepDone = `{"control":"step_done"}`

// switchedOff lists the derived traits that the dialect does not have.
func switchedOff() (list []deform.Off) {
	for _, name := range []string{"too-large", "reply-at-limit", "depth-at-limit", "depth-over-limit"} {
		list = append(list, deform.Off{Name: name, Reason: "the limit holds for every reply of the run"})
	}
	return append(list, deform.Off{Name: "item-not-object", Reason: "a reply in a step has no list of objects"})
}

// declaration declares a reply in a step.
func declaration(drops bool) document.Value {
	v := spec.Reply()
	for i := range v.Of {
		v.Of[i].Drops = drops
	}
	return v
}

// ofControls names the traits that need a control; the others change a tool call.
var ofControls = []string{
	"unknown-word", "word-case", "word-padded", "null-optional", "null-list", "python-literals", "long-text", "control-text",
	"padded-text",
}

// derivedTraits are the traits that the declaration of a reply in a step implies.
func derivedTraits() (list []trait) {
	for _, t := range deform.Traits(declaration(false), switchedOff()...) {
		base, claims, rank := generators.Object(field("tool", generators.Text("grep")),
			field("args", generators.Object(field("pattern", generators.Text("x"))))), shares, early
		if slices.Contains(ofControls, t.Name) {
			base, claims, rank = generators.Object(field("control", generators.Text("step_done"))), takes, late
			if strings.HasSuffix(t.Name, "-text") {
				base.Add("reason", generators.Text("all tests pass"))
			}
		}
		plant := casts(rank, func(d *director, at *spot, s *plan.Step) bool {
			root := base
			root.Fields = slices.Clone(base.Fields)
			return d.playDerived(&t, at, s, root)
		})
		list = append(list, trait{t.Trait, claims | derives, does(plant)})
	}
	return list
}

func field(name string, v generators.Value) generators.Field {
	return generators.Field{Name: name, Value: v}
}

// playDerived plays a reply with a derived trait: it counts if reading gets past it.
func (d *director) playDerived(t *deform.Trait, at *spot, s *plan.Step, root generators.Value) bool {
	control := root.Get("control") != nil
	e, ok := t.Apply(&at.Choices, deform.Reply{
		Root: root, Document: declaration(d.profile.ExtraFields == harness.Drop), DuplicateKeys: d.profile.DuplicateKeys,
	})
	if !ok {
		return false
	}
	past := e.Past(d.profile.Reading)
	d.loose = d.loose || past && e.Open
	switch {
	case !past:
		return d.invalid(s, e.Text)
	case control:
		return d.finish(s, e.Text)
	}
	return d.call(s, e.Text, generators.Raw(`{"ok":true,"output":"nothing found"}`))
}
