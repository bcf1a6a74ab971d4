package generate

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness/history"
)

// trait is something unusual about a history, its budget or its policy.
type trait struct {
	generators.Trait
	uses, spoils part
	under        []string // the policies that it shows under; nil is all
	size         int      // of the base; 0 is any
	plant        func(w *draft)
}

// part is what traits use or spoil; a set of bits.
type part uint8

const (
	aSize    part = 1 << iota // how much the history takes
	aForm                     // how messages are written
	anEnd                     // the last question
	aSystem                   // the system prompt
	aPolicy                   // and how it is written
	aBudget                   // max_tokens
	aReading                  // that the case can be read
)

// Clashes reports whether the two cannot stand in one sample: of two reasons not
// to read it nobody sees the second, and two that want other policies cannot have
// both.
func (t trait) Clashes(u trait) bool {
	apart := t.under != nil && u.under != nil &&
		!slices.ContainsFunc(t.under, func(p string) bool { return slices.Contains(u.under, p) })
	return apart || t.uses&u.spoils != 0 || t.spoils&u.uses != 0
}

// takes returns the trait as the only user of these parts in a sample.
func (t trait) takes(p part) trait {
	t.uses |= p
	t.spoils |= p
	return t
}

func (t trait) with(policies ...string) trait { t.under = policies; return t }

func family(family string) func(name, theme, where, text string, plant func(*draft)) trait {
	return func(name, theme, where, text string, plant func(*draft)) trait {
		t := trait{Trait: generators.Family(family)(name, text, theme, where), plant: plant, uses: aReading}
		t.Base = true
		return t
	}
}

// traits lists all, made once and never written.
var traits = sync.OnceValue(func() []trait {
	return slices.Concat(exchanges(), giants(), openings(), orders(), repetitions(), forms(), budgets(), pipelines(),
		unreadable())
})

// Policies that show what others do not.
var ( // never written
	cutting = []string{"clamp", "clamp(5)", "pinned", "clamp|emergency", "clamp(5)|pinned"}
	once    = []string{"dedup", "dedup", "dedup|clamp", "dedup|pinned", "emergency|dedup", "dedup|emergency"}
)

func exchanges() []trait {
	const theme, pairs = "tool calls", "tool calls with their results"
	add := func(name, theme, where, text string, unit func(w *draft) []message) trait {
		t := family("history")(name, theme, where, text, func(w *draft) { w.between(unit(w)...) })
		t.uses |= aSize
		return t
	}
	return []trait{
		add("tool-call", pairs, "in the history", "the history is a question, a tool call, its result and an answer",
			func(w *draft) []message { return slices.Concat(w.asks(), w.calling("", w.prose(w.few())), w.answers()) }),
		add("tool-loop", pairs, "in a loop", "one question leads to many tool calls with results",
			func(w *draft) []message {
				list := w.asks()
				for range 4 + w.Below(8) {
					list = append(list, w.calling("", w.prose(w.few()))...)
				}
				return append(list, w.answers()...)
			}),
		add("parallel-calls", "parallel calls", "in one message", "one message has several tool calls, each with its result",
			func(w *draft) []message {
				return slices.Concat(w.asks(), w.calling("I look.", w.prose(w.few()), w.prose(w.few()), w.prose(w.few())),
					w.answers())
			}),
		add("call-with-words", theme, "the history", "a message has both a tool call and content", func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling(w.prose(w.few()), w.prose(w.few())), w.answers())
		}),
		add("call-id-twice", "a reused call id", "in the history", "two tool calls have the same id",
			func(w *draft) []message {
				list := slices.Concat(w.asks(), w.calling("", w.prose(w.few())), w.calling("", w.prose(w.few())), w.answers())
				list[3].Calls, list[4].CallID = list[1].Calls, list[2].CallID
				return list
			}),
		add("orphaned-result", "a broken pair", "a result without its call",
			"a tool result answers no call: the engine need not fix it", func(w *draft) []message {
				return append(append(w.asks(), result("call_of_nobody", w.prose(w.few()))), w.answers()...)
			}),
		add("unanswered-call", "a broken pair", "a call without its result",
			"a tool call has no result: the engine need not fix it", func(w *draft) []message {
				return slices.Concat(w.asks(), w.calling("", w.prose(1))[:1], w.answers())
			}),
		add("many-tiny", "many messages", "the history, of a few words", "dozens of messages have a few words each",
			func(w *draft) (list []message) {
				for range 15 + w.Below(20) {
					list = append(list, user(generators.Pick(&w.Choices, []string{"go on", "yes", "why?"}), ""),
						assistant(generators.Pick(&w.Choices, []string{"ok", "done"}), ""))
				}
				return list
			}),
		add("many-messages", "many messages", "in the history", "the chat is long", func(w *draft) (list []message) {
			for range 20 + w.Below(20) {
				list = append(list, user(w.prose(w.few()), ""), assistant(w.prose(w.few()), ""))
			}
			return list
		}),
	}
}

func (w *draft) asks() []message    { return []message{user(w.prose(w.few()), "")} }
func (w *draft) answers() []message { return []message{assistant(w.prose(w.few()), "")} }

// large is from half of the budget to three times of it.
func (w *draft) large() int { return w.max * (2 + w.Below(11)) / 4 }

func giants() []trait {
	row := family("giants")
	giant := func(name, text string, voice int) trait {
		t := row(name, "a giant message", "the history", text, func(w *draft) {
			w.between(slices.Concat(w.asks(), w.calling("", histories.Text(&w.Choices, voice, w.large())), w.answers())...)
		}).with(cutting...)
		t.uses |= aSize
		return t
	}
	sized := func(t trait) trait {
		t.uses |= aSize
		return t
	}
	return []trait{
		sized(row("giant-result", "a giant message", "the history", "one tool result takes most of the budget or more",
			func(w *draft) { w.between(slices.Concat(w.asks(), w.calling("", w.prose(w.large())), w.answers())...) })),
		sized(row("giant-result-at-the-end", "a giant message", "the history",
			"the last message is a tool result that takes most of the budget or more", func(w *draft) {
				w.say(atEnd, w.calling("", w.prose(w.large()))...)
			})).takes(anEnd),
		sized(row("giant-answer", "a giant message", "the history", "an answer takes most of the budget or more",
			func(w *draft) { w.between(append(w.asks(), assistant(w.prose(w.large()), ""))...) })),
		sized(row("giant-question", "a giant message", "the history",
			"the last question takes most of the budget or more, and must stay whole", func(w *draft) {
				w.last(ofRole(history.User), func(m *message) { m.Content = w.prose(w.large()) })
			})).takes(anEnd),
		sized(row("giant-call", "a giant message", "the history",
			"the arguments of a tool call take most of the budget or more", func(w *draft) {
				w.between(slices.Concat(w.asks(), w.callingAtLength(w.large()), w.answers())...)
			})),
		sized(row("giant-call-at-the-end", "a giant message", "the history",
			"the arguments of the last tool call take most of the budget or more", func(w *draft) {
				w.say(atEnd, w.callingAtLength(w.large())...)
			})).takes(anEnd),
		sized(row("giant-system-prompt", "a giant message", "the history",
			"the system prompt takes most of the budget or more", func(w *draft) {
				w.units[0].messages[0].Content = lines(w.prose(w.large()))
			})).takes(aSystem),
		sized(row("giant-repo-map", "a giant message", "the history", "a repo map takes most of the budget or more",
			func(w *draft) { w.between(user(lines(w.prose(w.large())), history.TagRepoMap), assistant("Ok.", "")) })),
		sized(row("giant-repo-map-of-one-line", "a giant message", "the history",
			"a repo map of one line takes most of the budget or more", func(w *draft) {
				w.between(user(histories.Text(&w.Choices, histories.Graphemes, w.large()), history.TagRepoMap),
					assistant("Ok.", ""))
			})).with("section_caps", "section_caps|emergency|clamp(25)"),
		giant("giant-in-chinese", "a giant message consists of three-byte characters: none is split", histories.Chinese),
		giant("giant-of-graphemes", "a giant message has graphemes of several code points: none is split",
			histories.Graphemes),
		giant("giant-word", "a giant message is one long word", histories.Unbroken),
		giant("giant-of-blanks", "a giant message is white space", histories.Blanks),
		giant("giant-of-json", "a giant message has lines of JSON", histories.Lines),
		giant("giant-of-code", "a giant message is code", histories.Code),
	}
}

// callingAtLength is a call with arguments of about so many tokens, and its result.
func (w *draft) callingAtLength(size int) []message {
	list := w.calling("", w.prose(w.few()))
	call := &list[0].Calls[0]
	args := generators.Quoted(`{"content":` + generators.Quoted(w.prose(size)) + `}`)
	call.Raw = jsontext.Value(`{"id":"` + call.ID + `","type":"function","function":{"name":"write_file","arguments":` +
		args + `}}`)
	return list
}

// lines breaks a text into lines.
func lines(text string) string {
	return strings.ReplaceAll(text, " all is well all is well", " all is well\nall is well")
}

func openings() []trait {
	row := family("opening")
	inHistory := func(name, text string, plant func(*draft)) trait {
		t := row(name, "protected messages", "the history", text, plant)
		t.uses |= aSize
		return t
	}
	return []trait{
		inHistory("constraints-late", "constraints and plan are in the middle of the history", func(w *draft) {
			w.between(user(histories.ConstraintsText, history.TagConstraints), assistant(histories.PlanText, history.TagPlan))
		}),
		inHistory("constraints-of-system", "the constraints are a system message of their own", func(w *draft) {
			w.say(atHead+1, system(histories.ConstraintsText, history.TagConstraints))
		}),
		inHistory("plan-with-call", "the plan is in a message with a tool call, and its result follows", func(w *draft) {
			list := w.calling(histories.PlanText, w.prose(w.few()))
			list[0].Tag = history.TagPlan
			w.between(slices.Concat(w.asks(), list, w.answers())...)
		}),
		inHistory("plan-in-a-result", "the plan is the result of a tool call", func(w *draft) {
			list := w.calling("", histories.PlanText)
			list[1].Tag = history.TagPlan
			w.between(slices.Concat(w.asks(), list, w.answers())...)
		}),
		inHistory("tag-unknown", "a message has an unknown tag: it counts as other context", func(w *draft) {
			w.between(user(w.prose(w.few()), "memory"), assistant("Ok.", ""))
		}),
		inHistory("system-note-long", "a long system message has an unknown tag: no section cap applies to it",
			func(w *draft) {
				w.between(system(lines(w.prose(w.max*3/10)), "memory"))
			}).with("section_caps", "section_caps(5, 10)"),
		row("no-system", "no system message", "in the history", "the history has no system message",
			func(w *draft) { w.units = w.units[1:] }).takes(aSystem).takes(aSize),
		inHistory("system-in-the-middle", "a second system message is in the middle of the history", func(w *draft) {
			w.between(system("The user has gone to lunch.", ""))
		}),
		inHistory("roles-of-developer", "a system message has the role developer", func(w *draft) {
			m := system("Answer in English.", "")
			m.raw = `{"role":"developer","content":"Answer in English."}`
			w.say(atHead+2, m)
		}),
	}
}

func orders() []trait {
	row := family("order")
	added := func(name, text string, unit func(w *draft) []message) trait {
		t := row(name, "roles that do not alternate", "the history", text, func(w *draft) { w.between(unit(w)...) })
		t.uses |= aSize
		return t
	}
	return []trait{
		added("two-questions", "two user messages follow each other: the engine need not fix it", (*draft).asks),
		added("two-answers", "two assistant messages follow each other: the engine need not fix it",
			func(w *draft) []message { return append(append(w.asks(), w.answers()...), w.answers()...) }),
		row("starts-with-assistant", "an assistant message first", "the history", "the first message is the assistant's",
			func(w *draft) { w.say(atHead+3, assistant("Hello! What shall we do?", "")) }).takes(aSize),
		row("ends-with-assistant", "an assistant message last", "the history", "the last message is the assistant's",
			func(w *draft) { w.say(atEnd, w.answers()...) }).takes(anEnd),
		row("ends-with-result", "a tool's result at the end", "the history", "the last message is the result of a tool",
			func(w *draft) { w.say(atEnd, w.calling("", w.prose(w.few()))...) }).takes(anEnd),
	}
}

func repetitions() []trait {
	row := family("repetitions")
	twice := func(name, text string, say func(w *draft, text string, n int) []message) trait {
		t := row(name, "a repeated text", "the history", text, func(w *draft) {
			text := "Error: " + w.prose(30)
			w.say(atOpening+100+w.Below(100), say(w, text, 1)...)
			w.between(say(w, text, 2)...)
		}).with(once...)
		t.uses |= aSize
		t.Needs = []string{"dedup"}
		return t
	}
	exchange := func(w *draft, text string, _ int) []message {
		return slices.Concat(w.asks(), w.calling("", text), w.answers())
	}
	return []trait{
		twice("result-repeated", "two tool results are equal: the later one becomes a reference", exchange),
		twice("result-three-times", "three tool results are equal: the later ones become references",
			func(w *draft, text string, _ int) []message {
				return slices.Concat(w.asks(), w.calling("", text), w.calling("", text), w.answers())
			}),
		twice("result-nearly-repeated", "two tool results differ in their last character: both stay",
			func(w *draft, text string, n int) []message { return exchange(w, text+string(rune('0'+n)), n) }),
		twice("error-repeated", "two error messages are equal: the later one becomes a reference",
			func(w *draft, text string, _ int) []message {
				return append([]message{user(text, history.TagError)}, w.answers()...)
			}),
		twice("error-without-tag", "two error messages of the user without a tag are equal, in any language: the later "+
			"one becomes a reference", func(w *draft, text string, _ int) []message {
			return append([]message{user(text, "")}, w.answers()...)
		}),
		twice("error-in-chinese", "two Chinese error messages are equal: the later one becomes a reference",
			func(w *draft, text string, _ int) []message {
				return append([]message{user("PlanPatch 内部冲突：同一步骤不能同时出现。"+text, "")}, w.answers()...)
			}),
		twice("chat-repeated", "two answers of the model are equal: both stay", func(w *draft, text string, _ int) []message {
			return append(w.asks(), assistant(text, ""))
		}),
		twice("question-repeated", "two untagged questions are equal: the later one becomes a reference",
			func(w *draft, text string, _ int) []message {
				return append([]message{user(strings.TrimPrefix(text, "Error: "), "")}, w.answers()...)
			}),
		twice("repeated-at-the-end", "the last question repeats an error message: it stays whole",
			func(w *draft, text string, _ int) []message {
				w.last(ofRole(history.User), func(m *message) { m.Content = text })
				return append([]message{user(text, "")}, w.answers()...)
			}).takes(anEnd),
	}
}

func forms() []trait {
	row := family("forms")
	// written changes how a message of the base is written.
	written := func(name, theme, where, text string, is func(*message) bool, change func(w *draft, m *message)) trait {
		return row(name, theme, where, text, func(w *draft) { w.last(is, func(m *message) { change(w, m) }) })
	}
	t := written("content-null", "null", "a content", "a message with a tool call has the content null",
		ofRole(history.Assistant), nil)
	t.plant = func(w *draft) {
		list := w.calling("", w.prose(w.few()))
		list[0].raw = `{"role":"assistant","content":null,"tool_calls":` + list[0].CallsText() + `}`
		w.between(slices.Concat(w.asks(), list, w.answers())...)
	}
	t.uses |= aSize
	return []trait{
		t,
		written("content-in-parts", "a content in parts", "a message",
			"the content of a message is a list of texts, which are joined",
			ofRole(history.Assistant), func(w *draft, m *message) {
				m.raw = `{"role":"assistant","content":[{"type":"text","text":` + generators.Quoted(m.Content[:3]) +
					`},{"type":"text","text":` + generators.Quoted(m.Content[3:]) + `}]}`
			}).takes(aForm),
		row("content-empty", "an empty content", "a message", "an answer is empty",
			func(w *draft) { w.between(append(w.asks(), assistant("", ""))...) }).takes(aForm),
		written("message-with-extras", "unknown members", "a message", "a message has unknown members: they are kept",
			ofRole(history.User), func(w *draft, m *message) {
				m.Extra = jsontext.Value(generators.Pick(&w.Choices,
					[]string{`{"name":"kim"}`, `{"cache_control":{"type":"ephemeral"},"id":7}`}))
			}).takes(aForm),
	}
}

func budgets() []trait {
	row := family("budget")
	at := func(name, text string, share int) trait {
		return row(name, "a history close to a threshold", "the case", text,
			func(w *draft) { w.share = share }).takes(aSize | aBudget | anEnd)
	}
	// few ends with an answer, so that the rule has a message to drop.
	few := func(name, text string, share int, system bool) trait {
		t := at(name, text, share).with("emergency", "emergency", "pinned")
		t.plant = func(w *draft) {
			w.share = share
			w.say(atEnd, assistant("I see.", ""))
			if !system {
				w.units = w.units[1:]
			}
		}
		t.size, t.Needs = 4, []string{"emergency", "pinned"}
		return t.takes(aSystem)
	}
	return []trait{
		row("within-budget", "a history within its budget", "in the case", "the history takes half of its budget or less",
			func(w *draft) { w.max *= 3 + w.Below(3) }).takes(aBudget | aSize),
		at("at-94.9", "the history takes just below 95 % of the budget: the emergency rule does not act", 949),
		at("at-95.0", "the history takes exactly 95 % of the budget: the emergency rule does not act yet", 950),
		at("at-95.1", "the history takes just above 95 % of the budget", 951),
		at("at-100", "the history takes its budget exactly: it fits", 1000),
		at("at-100.1", "the history takes a little more than its budget", 1001),
		row("within-budget-above-goal", "a history between goal and budget", "the case",
			"the history fits its budget, but exceeds the policy's percentage of it", func(w *draft) {
				w.max = w.total() * 5 / 4
			}).takes(aSize|aBudget).with("priority(60)", "priority(75)"),
		few("four-messages", "four messages take more than 95 % of the budget: too few for the emergency rule", 960, false),
		few("four-messages-over", "four messages take a little more than the budget: too few for the emergency rule", 1001,
			false),
		few("five-messages", "five messages take more than 95 % of the budget: the emergency rule acts", 960, true),
		few("five-messages-at-95", "five messages take 95 % of the budget: the emergency rule does not act yet", 950, true),
		row("far-over", "a history far over its budget", "in the case", "the history takes many times its budget",
			func(w *draft) { w.max = max(60, w.max/8) }).takes(aBudget),
		row("budget-of-one", "a budget too small for the protected messages", "in the case",
			"max_tokens is 1: a policy that claims to fit rejects", func(w *draft) { w.max = 1 }).takes(aBudget).
			with("priority", "pinned", "priority", "window", "none"),
	}
}

func pipelines() []trait {
	row := family("policy")
	piped := func(name, theme, where, text string, policies ...string) trait {
		return row(name, theme, where, text, func(*draft) {}).with(policies...).takes(aPolicy)
	}
	return []trait{
		piped("pipeline", "a pipeline of policies", "in the case",
			"the policy is a pipeline: each step trims the result of the previous one", "clamp|emergency",
			"section_caps|emergency|clamp(25)", "clamp(5)|pinned", "section_caps(5, 10)|priority(60)", "window(3)|clamp"),
		piped("threshold", "a threshold", "a policy", "the policy has thresholds other than the defaults", "window(1)",
			"window(3)", "window(0)", "emergency(60, 2, 2)", "clamp(5)", "priority(60)", "pinned(50, 0, 1)",
			"section_caps(5, 10)"),
		row("policy-as-text", "a policy in another form", "a text", "the policy is a string instead of a list",
			func(w *draft) { w.form = func(p string) string { return `"` + p + `"` } }).takes(aPolicy),
		row("policy-as-object", "a policy in another form", "an object", "a step of the policy is an object with its name",
			func(w *draft) {
				w.form = func(p string) string { return `[{"name":"` + p + `"}]` }
			}).takes(aPolicy).with(history.PolicyNames()...),
		row("policy-empty", "a policy without steps", "in the case",
			"the policy is an empty list: the history stays unchanged", func(w *draft) {
				w.policy, w.form = "none", func(string) string { return "[]" }
			}).takes(aPolicy).with("none"),
		row("history-empty", "no messages", "in the case", "the history is empty",
			func(w *draft) { w.units = nil }).takes(aSize | aSystem | anEnd | aForm),
	}
}
