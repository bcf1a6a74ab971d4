// Package generate makes samples of the dialect trim: a history, a budget and a
// policy, and the expected messages where the rule of the policy determines them.
//
// The plain history is a chat with an agent that is slightly larger than its budget,
// in messages of similar size. Traits add messages at places of their own, change
// some, or set the size of the history relative to its budget. Tokens are counted by
// the estimate chars/4, which every engine can compute.
package generate

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/generators/histories"
	"replanbench/harness"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// maxMessages bounds the base, but for what traits add.
const maxMessages = 200

// Traits lists the traits in the order of their families.
func Traits() []generators.Trait { return generators.Listed(traits()) }

// New returns the maker of histories under policies. The error names an unknown
// trait.
func New(opts generators.Options) (*generators.Maker, error) {
	tok, err := tokens.New(tokens.Chars4)
	if err != nil {
		return nil, err
	}
	return generators.Recipe[trait]{
		Traits: traits(), MaxSteps: maxMessages,
		Make: func(d generators.Draw[trait]) generators.Sample { return makeSample(d, tok) },
	}.New(opts)
}

// draft is a sample in the making.
type draft struct {
	generators.Choices // of who changes the draft at the moment

	tok    tokens.Tokenizer
	size   int // messages of the base
	max    int // tokens
	policy string
	form   func(policy string) string // how the policy is written; nil is as a list
	units  []unit
	share  int                 // of the budget that the history takes, in thousandths; 0 is as it comes
	spoil  func(*harness.Case) // makes a case that cannot be read
	code   harness.Code        // of such a case
	text   []byte              // the memory of the last prose
}

// unit is a part of the history that stands together, such as a question with its
// answer. Units stand in the order of their places.
type unit struct {
	at       int
	messages []message
}

// message is one with how it is written; "" is as usual.
type message struct {
	history.Message
	raw string
}

// Places of units. Those of turns lie between.
const (
	atHead     = 0
	atOpening  = 1000
	firstTurn  = 2000
	atQuestion = 1_000_000
	atEnd      = 2_000_001
)

func makeSample(d generators.Draw[trait], tok tokens.Tokenizer) generators.Sample {
	w := &draft{Choices: d.Choices, tok: tok, units: make([]unit, 0, 16), text: make([]byte, 0, 2<<10)}
	w.size = 8 + 2*w.Below(4)
	if d.Steps > 0 {
		w.size = d.Steps
	}
	w.size = min(w.size, d.Max)
	var allowed []string
	for _, t := range d.Traits {
		if t.size > 0 {
			w.size = t.size
		}
		switch {
		case allowed == nil:
			allowed = t.under
		case t.under != nil:
			allowed = slices.DeleteFunc(slices.Clone(allowed), func(p string) bool { return !slices.Contains(t.under, p) })
		}
	}
	w.policy = generators.Pick(&w.Choices, policies(allowed, d.Without))
	w.begin()
	sample := generators.Sample{Profile: d.Profile}
	for _, t := range d.Traits {
		if !d.Keeps(t) {
			continue
		}
		w.Choices = d.Stream(t.Name)
		t.plant(w)
		sample.Traits = append(sample.Traits, t.Name)
	}
	w.finish(&sample)
	return sample
}

// policies are those of the list, or, where there is none, the built-in ones, that
// an engine has.
func policies(list, without []string) []string {
	if list == nil {
		list = history.PolicyNames()
	}
	list = slices.DeleteFunc(slices.Clone(list), func(p string) bool {
		return slices.ContainsFunc(without, func(name string) bool { return strings.Contains(p, name) })
	})
	if len(list) == 0 {
		return []string{"none"}
	}
	return list
}

// begin writes the chat of the base.
func (w *draft) begin() {
	w.max = generators.Pick(&w.Choices, []int{200, 400, 1000})
	w.say(atHead, system("You are a coding agent.", history.TagSystemPrompt))
	left := w.size - 1
	if left >= 5 {
		w.say(atOpening, user(histories.ConstraintsText, history.TagConstraints),
			assistant(histories.PlanText, history.TagPlan))
		left -= 2
	}
	room := w.max*(110+w.Below(40))/100 - w.total()
	each := room / max(left, 1)
	for i := range left / 2 {
		turn := []message{user(w.prose(each), ""), assistant(w.prose(each), "")}
		if i == 1 { // with a call and its result
			turn = slices.Concat(turn[:1], w.calling("", w.prose(w.few())), turn[1:])
		}
		w.say(firstTurn+1000*i, turn...)
	}
	if left%2 == 1 {
		w.say(atQuestion, user(w.prose(room-each*(left-1)), ""))
	}
	w.occupy()
}

// occupy gives a policy that looks at single messages something to do.
func (w *draft) occupy() {
	var turns []unit
	for _, u := range w.units {
		if u.at >= firstTurn && u.at < atQuestion {
			turns = append(turns, u)
		}
	}
	if len(turns) < 2 {
		return
	}
	if strings.Contains(w.policy, "section_caps") {
		turns[0].messages[0] = user(lines(w.prose(w.max*3/10)), history.TagRepoMap)
	}
	if strings.Contains(w.policy, "clamp") {
		turns[0].messages[1].Content = w.prose(w.max * 3 / 10)
	}
	if strings.Contains(w.policy, "dedup") {
		text := "Error: " + w.prose(w.few()+20)
		turns[0].messages[0], turns[1].messages[0] = user(text, history.TagError), user(text, history.TagError)
	}
}

func system(content, tag string) message {
	return message{Message: history.Message{Role: history.System, Content: content, Tag: tag}}
}

func user(content, tag string) message {
	return message{Message: history.Message{Role: history.User, Content: content, Tag: tag}}
}

func assistant(content, tag string) message {
	return message{Message: history.Message{Role: history.Assistant, Content: content, Tag: tag}}
}

// calling is an assistant's message with so many calls; the results follow.
func (w *draft) calling(content string, results ...string) []message {
	list := []message{assistant(content, "")}
	for _, text := range results {
		id := "call_" + strconv.Itoa(w.Below(1_000_000))
		list[0].Calls = append(list[0].Calls, histories.Call(id, w.Below(100)))
		list = append(list, result(id, text))
	}
	return list
}

func result(id, content string) message {
	return message{Message: history.Message{Role: history.Tool, CallID: id, Content: content, Tag: history.TagToolResult}}
}

// prose is a plain text of about so many tokens, which hardly any other one equals.
func (w *draft) prose(size int) string {
	const words = " all is well"
	b := append(w.text[:0], generators.Pick(&w.Choices, []string{"Read", "Fix", "Test"})...)
	b = append(strconv.AppendInt(append(b, ' '), int64(w.Below(10_000)), 10), ':')
	if size*4 > len(b) {
		for len(b) < size*4-1 {
			b = append(b, words...)
		}
		if b = b[:size*4-1]; b[len(b)-1] == ' ' {
			b[len(b)-1] = '.'
		}
		b = append(b, '.')
	}
	w.text = b
	return string(b)
}

// few is a small part of the budget, in tokens.
func (w *draft) few() int { return w.max/20 + 1 }

// say puts a unit in at its place.
func (w *draft) say(at int, messages ...message) {
	i, _ := slices.BinarySearchFunc(w.units, at, func(u unit, at int) int {
		if u.at <= at {
			return -1
		}
		return 1
	})
	w.units = slices.Insert(w.units, i, unit{at, messages})
}

// between puts a unit in before a question of the base.
func (w *draft) between(messages ...message) {
	turns := 1 + w.Below(max(1, w.size/2))
	w.say(firstTurn+1000*turns-1-w.Below(900), messages...)
}

// messages lists the messages of all units.
func (w *draft) messages() []history.Message {
	list := make([]history.Message, 0, 2*len(w.units))
	for _, u := range w.units {
		for _, m := range u.messages {
			list = append(list, m.Message)
		}
	}
	return list
}

// total counts the tokens of all units.
func (w *draft) total() (n int) {
	for _, u := range w.units {
		for i := range u.messages {
			content, calls := u.messages[i].Tokens(w.tok)
			n += content + calls
		}
	}
	return n
}

// last changes the last message of the base for which is holds.
func (w *draft) last(is func(m *message) bool, change func(m *message)) {
	for _, u := range slices.Backward(w.units) {
		for k := len(u.messages) - 1; k >= 0 && u.at%1000 == 0; k-- {
			if is(&u.messages[k]) {
				change(&u.messages[k])
				return
			}
		}
	}
}

func ofRole(r history.Role) func(*message) bool {
	return func(m *message) bool { return m.Role == r && m.Tag == "" }
}

// maxDocument is the size of the messages of most cases, in bytes.
const maxDocument = 8 << 10

// finish writes the case, and what must come of it.
func (w *draft) finish(sample *generators.Sample) {
	w.fill()
	raw := append(make([]byte, 0, min(8*w.max, maxDocument)), '[')
	for _, u := range w.units {
		for i := range u.messages {
			m := &u.messages[i]
			if len(raw) > 1 {
				raw = append(raw, ',')
			}
			if m.raw != "" {
				raw = append(raw, m.raw...)
				continue
			}
			raw = m.AppendJSON(raw)
		}
	}
	policy := `["` + w.policy + `"]`
	if w.form != nil {
		policy = w.form(w.policy)
	}
	sample.Case = harness.Case{
		Dialect: "trim", Messages: append(raw, ']'), Policy: jsontext.Value(policy),
		Budget: jsontext.Value(`{"max_tokens":` + strconv.Itoa(w.max) + `,"tokenizer":"chars/4"}`),
	}
	if w.spoil != nil {
		w.spoil(&sample.Case)
		sample.Want = generators.Refused(unreadableCodes(w.code)...)
		return
	}
	messages := w.messages()
	sample.Decoded, sample.Want = messages, w.want(messages, len(sample.Traits) == 0)
}

// fill makes the history take its share of the budget, by the last question.
func (w *draft) fill() {
	if w.share == 0 {
		return
	}
	w.max = (w.max + 999) / 1000 * 1000
	room := w.max/1000*w.share - w.total()
	w.last(ofRole(history.User), func(m *message) {
		m.Content = tokens.Exactly(w.tok, max(1, w.tok.Count(m.Content)+room), "")
	})
}
