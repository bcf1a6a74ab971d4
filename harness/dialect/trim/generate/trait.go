package generate

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
)

//go:embed traits.json
var table []byte

// row is a trait of the table. What it does beyond that is in [plants] under its name.
type row struct {
	generators.Row
	Uses     part     `json:"uses"`
	Takes    part     `json:"takes"`    // as the only one in a sample
	Policies []string `json:"policies"` // that it shows under; nil is all
	Size     int      `json:"size"`     // of the base; 0 is any
	Share    int      `json:"share"`    // of the budget that the history takes, in thousandths; 0 is as it comes
	// Forms are what makes the document that the trait needs unreadable, and Refused is the code for that. A form is an
	// item at the head of the messages, or the whole document, which budgets and policies always are.
	Forms   []jsontext.Value `json:"forms"`
	Whole   bool             `json:"whole"`
	Refused harness.Code     `json:"refused"`
}

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

// UnmarshalText reads the names of parts.
func (p *part) UnmarshalText(text []byte) (err error) {
	*p, err = generators.Bits[part](text, "size", "form", "end", "system", "policy", "budget", "reading")
	return err
}

// Clashes reports whether the two cannot stand in one sample: of two reasons not
// to read it nobody sees the second, and two that want other policies cannot have
// both.
func (t trait) Clashes(u trait) bool {
	apart := t.under != nil && u.under != nil &&
		!slices.ContainsFunc(t.under, func(p string) bool { return slices.Contains(u.under, p) })
	return apart || t.uses&u.spoils != 0 || t.spoils&u.uses != 0
}

// traits lists all, made once and never written.
var traits = sync.OnceValue(func() []trait {
	plants, others := plants(), otherForms()
	return collect.Map(generators.Rows[row](table), func(r row) trait {
		t := trait{
			Trait: r.Trait(nil), uses: r.Uses | r.Takes | aReading, spoils: r.Takes, under: r.Policies, size: r.Size,
		}
		if r.Name == "policy-as-object" {
			t.under = history.PolicyNames()
		}
		forms := append(slices.Clip(r.Forms), others[r.Name]...)
		t.plant = func(w *draft) {
			w.share = max(w.share, r.Share)
			if plant := plants[r.Name]; plant != nil {
				plant(w)
			}
			if forms != nil {
				r.spoil(w, forms)
			}
		}
		return t
	})
})

// plants returns what traits do to a history, by their names.
func plants() map[string]func(w *draft) {
	type move = func(w *draft)
	// adds puts messages between others, and voiced a giant message in a voice.
	adds := func(unit func(w *draft) []message) move { return func(w *draft) { w.between(unit(w)...) } }
	voiced := func(voice int) move {
		return adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling("", histories.Text(&w.Choices, voice, w.large())), w.answers())
		})
	}
	// twice repeats a text.
	twice := func(say func(w *draft, text string, n int) []message) move {
		return func(w *draft) {
			text := "Error: " + w.prose(30)
			w.say(atOpening+100+w.Below(100), say(w, text, 1)...)
			w.between(say(w, text, 2)...)
		}
	}
	exchange := func(w *draft, text string, _ int) []message {
		return slices.Concat(w.asks(), w.calling("", text), w.answers())
	}
	says := func(tag, before string) move {
		return twice(func(w *draft, text string, _ int) []message {
			return append([]message{user(before+text, tag)}, w.answers()...)
		})
	}
	// few ends with an answer, so that the rule has a message to drop.
	few := func(system bool) move {
		return func(w *draft) {
			w.say(atEnd, assistant("I see.", ""))
			if !system {
				w.units = w.units[1:]
			}
		}
	}
	return map[string]move{
		"tool-call": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling("", w.prose(w.few())), w.answers())
		}),
		"tool-loop": adds(func(w *draft) []message {
			list := w.asks()
			for range 4 + w.Below(8) {
				list = append(list, w.calling("", w.prose(w.few()))...)
			}
			return append(list, w.answers()...)
		}),
		"parallel-calls": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling("I look.", w.prose(w.few()), w.prose(w.few()), w.prose(w.few())),
				w.answers())
		}),
		"call-with-words": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling(w.prose(w.few()), w.prose(w.few())), w.answers())
		}),
		"call-id-twice": adds(func(w *draft) []message {
			list := slices.Concat(w.asks(), w.calling("", w.prose(w.few())), w.calling("", w.prose(w.few())), w.answers())
			list[3].Calls, list[4].CallID = list[1].Calls, list[2].CallID
			return list
		}),
		"orphaned-result": adds(func(w *draft) []message {
			return append(append(w.asks(), result("call_of_nobody", w.prose(w.few()))), w.answers()...)
		}),
		"unanswered-call": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling("", w.prose(1))[:1], w.answers())
		}),
		"many-tiny": adds(func(w *draft) (list []message) {
			for range 15 + w.Below(20) {
				list = append(list, user(generators.Pick(&w.Choices, []string{"go on", "yes", "why?"}), ""),
					assistant(generators.Pick(&w.Choices, []string{"ok", "done"}), ""))
			}
			return list
		}),
		"many-messages": adds(func(w *draft) (list []message) {
			for range 20 + w.Below(20) {
				list = append(list, user(w.prose(w.few()), ""), assistant(w.prose(w.few()), ""))
			}
			return list
		}),

		"giant-result": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.calling("", w.prose(w.large())), w.answers())
		}),
		"giant-result-at-the-end": func(w *draft) { w.say(atEnd, w.calling("", w.prose(w.large()))...) },
		"giant-answer": adds(func(w *draft) []message {
			return append(w.asks(), assistant(w.prose(w.large()), ""))
		}),
		"giant-question": func(w *draft) {
			w.last(ofRole(history.User), func(m *message) { m.Content = w.prose(w.large()) })
		},
		"giant-call": adds(func(w *draft) []message {
			return slices.Concat(w.asks(), w.callingAtLength(w.large()), w.answers())
		}),
		"giant-call-at-the-end": func(w *draft) { w.say(atEnd, w.callingAtLength(w.large())...) },
		"giant-system-prompt":   func(w *draft) { w.units[0].messages[0].Content = lines(w.prose(w.large())) },
		"giant-repo-map": adds(func(w *draft) []message {
			return []message{user(lines(w.prose(w.large())), history.TagRepoMap), assistant("Ok.", "")}
		}),
		"giant-repo-map-of-one-line": adds(func(w *draft) []message {
			text := histories.Text(&w.Choices, histories.Graphemes, w.large())
			return []message{user(text, history.TagRepoMap), assistant("Ok.", "")}
		}),
		"giant-in-chinese":   voiced(histories.Chinese),
		"giant-of-graphemes": voiced(histories.Graphemes),
		"giant-word":         voiced(histories.Unbroken),
		"giant-of-blanks":    voiced(histories.Blanks),
		"giant-of-json":      voiced(histories.Lines),
		"giant-of-code":      voiced(histories.Code),

		"constraints-late": adds(func(*draft) []message {
			return []message{
				user(histories.ConstraintsText, history.TagConstraints), assistant(histories.PlanText, history.TagPlan),
			}
		}),
		"constraints-of-system": func(w *draft) {
			w.say(atHead+1, system(histories.ConstraintsText, history.TagConstraints))
		},
		"plan-with-call": adds(func(w *draft) []message {
			list := w.calling(histories.PlanText, w.prose(w.few()))
			list[0].Tag = history.TagPlan
			return slices.Concat(w.asks(), list, w.answers())
		}),
		"plan-in-a-result": adds(func(w *draft) []message {
			list := w.calling("", histories.PlanText)
			list[1].Tag = history.TagPlan
			return slices.Concat(w.asks(), list, w.answers())
		}),
		"tag-unknown": adds(func(w *draft) []message {
			return []message{user(w.prose(w.few()), "memory"), assistant("Ok.", "")}
		}),
		"system-note-long": adds(func(w *draft) []message {
			return []message{system(lines(w.prose(w.max*3/10)), "memory")}
		}),
		"no-system": func(w *draft) { w.units = w.units[1:] },
		"system-in-the-middle": adds(func(*draft) []message {
			return []message{system("The user has gone to lunch.", "")}
		}),
		"roles-of-developer": func(w *draft) {
			m := system("Answer in English.", "")
			m.raw = `{"role":"developer","content":"Answer in English."}`
			w.say(atHead+2, m)
		},

		"two-questions": adds((*draft).asks),
		"two-answers": adds(func(w *draft) []message {
			return append(append(w.asks(), w.answers()...), w.answers()...)
		}),
		"starts-with-assistant": func(w *draft) { w.say(atHead+3, assistant("Hello! What shall we do?", "")) },
		"ends-with-assistant":   func(w *draft) { w.say(atEnd, w.answers()...) },
		"ends-with-result":      func(w *draft) { w.say(atEnd, w.calling("", w.prose(w.few()))...) },

		"result-repeated": twice(exchange),
		"result-three-times": twice(func(w *draft, text string, _ int) []message {
			return slices.Concat(w.asks(), w.calling("", text), w.calling("", text), w.answers())
		}),
		"result-nearly-repeated": twice(func(w *draft, text string, n int) []message {
			return exchange(w, text+string(rune('0'+n)), n)
		}),
		"error-repeated":    says(history.TagError, ""),
		"error-without-tag": says("", ""),
		"error-in-chinese":  says("", "PlanPatch 内部冲突：同一步骤不能同时出现。"),
		"chat-repeated": twice(func(w *draft, text string, _ int) []message {
			return append(w.asks(), assistant(text, ""))
		}),
		"question-repeated": twice(func(w *draft, text string, _ int) []message {
			return append([]message{user(strings.TrimPrefix(text, "Error: "), "")}, w.answers()...)
		}),
		"repeated-at-the-end": twice(func(w *draft, text string, _ int) []message {
			w.last(ofRole(history.User), func(m *message) { m.Content = text })
			return append([]message{user(text, "")}, w.answers()...)
		}),

		"content-null": adds(func(w *draft) []message {
			list := w.calling("", w.prose(w.few()))
			list[0].raw = `{"role":"assistant","content":null,"tool_calls":` + list[0].CallsText() + `}`
			return slices.Concat(w.asks(), list, w.answers())
		}),
		"content-in-parts": func(w *draft) {
			w.last(ofRole(history.Assistant), func(m *message) {
				m.raw = `{"role":"assistant","content":[{"type":"text","text":` + generators.Quoted(m.Content[:3]) +
					`},{"type":"text","text":` + generators.Quoted(m.Content[3:]) + `}]}`
			})
		},
		"content-empty": adds(func(w *draft) []message { return append(w.asks(), assistant("", "")) }),
		"message-with-extras": func(w *draft) {
			w.last(ofRole(history.User), func(m *message) {
				m.Extra = jsontext.Value(generators.Pick(&w.Choices,
					[]string{`{"name":"kim"}`, `{"cache_control":{"type":"ephemeral"},"id":7}`}))
			})
		},

		"within-budget":            func(w *draft) { w.max *= 3 + w.Below(3) },
		"within-budget-above-goal": func(w *draft) { w.max = w.total() * 5 / 4 },
		"four-messages":            few(false),
		"four-messages-over":       few(false),
		"five-messages":            few(true),
		"five-messages-at-95":      few(true),
		"far-over":                 func(w *draft) { w.max = max(60, w.max/8) },
		"budget-of-one":            func(w *draft) { w.max = 1 },
		"policy-as-text":           func(w *draft) { w.form = func(p string) string { return `"` + p + `"` } },
		"policy-as-object":         func(w *draft) { w.form = func(p string) string { return `[{"name":"` + p + `"}]` } },
		"policy-empty": func(w *draft) {
			w.policy, w.form = "none", func(string) string { return "[]" }
		},
		"history-empty": func(w *draft) { w.units = nil },
	}
}

func (w *draft) asks() []message    { return []message{user(w.prose(w.few()), "")} }
func (w *draft) answers() []message { return []message{assistant(w.prose(w.few()), "")} }

// large is from half of the budget to three times of it.
func (w *draft) large() int { return w.max * (2 + w.Below(11)) / 4 }

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
