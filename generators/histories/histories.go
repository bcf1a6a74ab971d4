// Package histories makes chat histories for trimming to a budget, of
// kinds that fail in practice: long chats, loops of tools, giant results.
package histories

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"replanbench/generators"
	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/history"
	"replanbench/harness/score/tokens"
)

// History is a generated chat history with its token
// budget.
type History struct {
	Kind      string // see [Kinds]
	Messages  []history.Message
	MaxTokens int
}

// Options select the histories. The zero value makes all
// kinds, with drawn budgets, sized by the estimate chars/4.
type Options struct {
	Kinds     []string         // of [Kinds], at least one; nil: all
	MaxTokens int              // 0: drawn for each history
	Tokenizer tokens.Tokenizer // sizes the histories near a threshold; nil: chars/4
}

// Kind is a kind of history with its generator.
type Kind struct {
	Name, Text string
	grow       func(*chronicler)
}

// table lists the kinds; it is read-only.
var table = []Kind{
	{"short_chat", "a few turns, well within the budget", (*chronicler).shortChat},
	{"tool_loop", "one question and many tool calls, each with its result", (*chronicler).toolLoop},
	{"giant_result", "one tool result larger than the whole budget, at any position", (*chronicler).giantResult},
	{"giant_system", "a system prompt that takes most of the budget or more", (*chronicler).giantSystem},
	{"giant_repo_map", "a repo map that takes most of the budget or more", (*chronicler).giantRepoMap},
	{"many_tiny", "hundreds of messages of a few words", (*chronicler).manyTiny},
	{"parallel_calls", "several tool calls in one message", (*chronicler).parallelCalls},
	{"starts_with_assistant", "the assistant speaks first", (*chronicler).startsWithAssistant},
	{"ends_with_assistant", "the assistant has the last word", (*chronicler).endsWithAssistant},
	{"at_94.9", "just below 95 % of the budget", func(c *chronicler) { c.near(949) }},
	{"at_95.0", "at 95 % of the budget", func(c *chronicler) { c.near(950) }},
	{"at_95.1", "just above 95 % of the budget", func(c *chronicler) { c.near(951) }},
	{"broken", "orphaned tool results, unanswered calls and roles that do not alternate", (*chronicler).broken},
}

// Kinds lists the kinds of histories.
func Kinds() []harness.Term {
	return collect.Map(table, func(k Kind) harness.Term { return harness.Term{Name: k.Name, Text: k.Text} })
}

// At returns the history of a seed and an index, without making the
// earlier ones.
func At(o Options, seed, index uint64) History { return New(generators.Seeded(seed, index), o) }

// Case returns the history as a case of the dialect trim.
func (h History) Case(dialect, tokenizer string, policy history.Policy) harness.Case {
	steps := collect.Map(policy, func(s history.Step) string { return strconv.Quote(s.String()) })
	return harness.Case{
		Dialect:  dialect,
		Messages: history.Encode(h.Messages),
		Budget:   jsontext.Value(fmt.Sprintf(`{"max_tokens":%d,"tokenizer":%q}`, h.MaxTokens, tokenizer)),
		Policy:   jsontext.Value("[" + strings.Join(steps, ",") + "]"),
	}
}

// New makes a history from choices.
func New(c generators.Choices, o Options) History {
	kinds := table
	if o.Kinds != nil {
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k Kind) bool { return !slices.Contains(o.Kinds, k.Name) })
	}
	if o.Tokenizer == nil {
		o.Tokenizer, _ = tokens.New(tokens.Chars4) // always known
	}
	kind := generators.Pick(&c, kinds)
	w := chronicler{Choices: c, tok: o.Tokenizer, max: o.MaxTokens, voice: c.Below(len(voices))}
	if w.max == 0 {
		w.max = generators.Pick(&w.Choices, []int{400, 1000, 2000, 4000})
	}
	kind.grow(&w)
	return History{kind.Name, w.messages, w.max}
}

// chronicler writes a history.
type chronicler struct {
	generators.Choices
	tok      tokens.Tokenizer
	max      int
	voice    int // index of voices
	calls    int
	messages []history.Message
}

func (c *chronicler) say(role history.Role, tag, content string) {
	c.messages = append(c.messages, history.Message{Role: role, Tag: tag, Content: content})
}

// text returns a text of about that many tokens.
func (c *chronicler) text(tokens int) string { return Text(&c.Choices, c.voice, tokens) }

// Text draws a text of about that many tokens in one of the voices.
func Text(c *generators.Choices, voice, tokens int) string {
	pieces := voices[voice]
	var b strings.Builder
	b.Grow(tokens * 5)
	for i := c.Below(len(pieces)); b.Len() < tokens*4; i++ {
		b.WriteString(pieces[i%len(pieces)])
	}
	return b.String()
}

// few returns a small share of the budget in tokens.
func (c *chronicler) few() int { return 1 + c.Below(c.max/50+2) }

// large returns half of the budget to four times the budget.
func (c *chronicler) large() int { return c.max * (2 + c.Below(15)) / 4 }

// opening writes the first messages of agents: the system prompt, and mostly constraints
// and plan, in one of their usual positions.
func (c *chronicler) opening() {
	if !c.OneIn(8) {
		c.say(history.System, history.TagSystemPrompt, "You are a coding agent. "+c.text(c.few()))
	}
	if c.OneIn(4) {
		c.repoMap(c.few())
	}
	switch c.Below(4) {
	case 0, 1:
		c.say(history.User, history.TagConstraints, ConstraintsText)
		c.say(history.Assistant, history.TagPlan, PlanText)
	case 2:
		c.say(history.System, history.TagConstraints, ConstraintsText)
		c.question()
		c.call(1)
		c.messages[len(c.messages)-1].Tag = history.TagPlan
		c.messages[len(c.messages)-1].Content = PlanText
		c.say(history.Assistant, "", c.text(c.few()))
	}
}

// The messages that agents must keep while they replan.
const (
	ConstraintsText = "Replan rules: one list per step id. Done steps stay as they are. At most 8 steps."
	PlanText        = "# Plan\n- [x] s1: read the handler\n- [ ] s2: change it (needs s1)\n- [ ] s3: run the tests " +
		"(needs s2)"
)

func (c *chronicler) repoMap(tokens int) {
	c.say(history.User, history.TagRepoMap, c.text(tokens))
	c.say(history.Assistant, "", "Ok.")
}

func (c *chronicler) question() { c.say(history.User, "", c.text(c.few())) }

// turn writes a question and its answer.
func (c *chronicler) turn() {
	c.question()
	c.say(history.Assistant, "", c.text(c.few()))
}

// call writes n tool calls in one message, and their results.
func (c *chronicler) call(n int) {
	m := history.Message{Role: history.Assistant}
	if c.OneIn(3) {
		m.Content = c.text(3)
	}
	first := c.calls
	for range n {
		c.calls++
		id := "call_" + strconv.Itoa(c.calls)
		m.Calls = append(m.Calls, Call(id, c.Below(100)))
	}
	c.messages = append(c.messages, m)
	for i := range n {
		c.messages = append(c.messages, history.Message{
			Role: history.Tool, Tag: history.TagToolResult, CallID: "call_" + strconv.Itoa(first+i+1), Content: c.text(c.few()),
		})
	}
}

// Call returns a search call with an id.
func Call(id string, what int) history.Call {
	return history.Call{ID: id, Raw: jsontext.Value(
		`{"id":"` + id + `","type":"function","function":{"name":"search","arguments":"{\"pattern\":\"x` +
			strconv.Itoa(what) + `\"}"}}`)}
}

func (c *chronicler) shortChat() {
	c.opening()
	for range c.Below(4) {
		c.turn()
	}
	c.question()
}

// loop writes a question and calls that about fill the budget.
func (c *chronicler) loop() {
	c.question()
	for range 4 + c.Below(36) {
		c.call(1)
	}
}

func (c *chronicler) toolLoop() {
	c.opening()
	for range c.Below(3) {
		c.turn()
	}
	c.loop()
	if c.OneIn(3) {
		c.say(history.Assistant, "", c.text(c.few()))
		c.question()
	}
}

func (c *chronicler) giantResult() {
	c.opening()
	c.question()
	n := 1 + c.Below(8)
	giant := c.Below(n)
	for i := range n {
		c.call(1)
		if i == giant {
			c.messages[len(c.messages)-1].Content = c.text(c.large())
		}
	}
	if c.OneIn(2) {
		c.say(history.Assistant, "", c.text(c.few()))
		c.question()
	}
}

func (c *chronicler) giantSystem() {
	c.say(history.System, history.TagSystemPrompt, c.text(c.large()))
	c.opening()
	c.turn()
	c.question()
}

func (c *chronicler) giantRepoMap() {
	c.opening()
	c.repoMap(c.large())
	c.turn()
	c.question()
}

func (c *chronicler) manyTiny() {
	c.opening()
	for range 50 + c.Below(150) {
		c.say(history.User, "", generators.Pick(&c.Choices, []string{"go on", "yes", "why?", "👍", "好", ""}))
		c.say(history.Assistant, "", generators.Pick(&c.Choices, []string{"ok", "done", "…", "完成"}))
	}
	c.question()
}

func (c *chronicler) parallelCalls() {
	c.opening()
	c.question()
	for range 1 + c.Below(10) {
		c.call(1 + c.Below(5))
	}
	if c.OneIn(2) {
		c.say(history.Assistant, "", c.text(c.few()))
		c.question()
	}
}

func (c *chronicler) startsWithAssistant() {
	c.say(history.Assistant, "", "Hello! What shall we do?")
	for range 2 + c.Below(4) {
		c.turn()
	}
	c.loop()
}

func (c *chronicler) endsWithAssistant() {
	c.opening()
	c.loop()
	c.say(history.Assistant, "", c.text(c.few()))
}

// near makes a history of exactly that many thousandths of the budget, which it
// rounds to a multiple of 1000.
func (c *chronicler) near(thousandths int) {
	c.max = max(1000, c.max/1000*1000)
	c.opening()
	c.turn()
	c.call(2)
	c.say(history.Assistant, "", "I see.")
	c.question()
	last := &c.messages[len(c.messages)-1]
	last.Content = ""
	want := c.max/1000*thousandths - history.Count(c.messages, c.tok).Total
	last.Content = tokens.Exactly(c.tok, want, "")
}

// broken drops random messages of a valid history.
func (c *chronicler) broken() {
	c.opening()
	c.loop()
	c.say(history.Assistant, "", c.text(c.few()))
	c.turn()
	for range 1 + c.Below(4) {
		i := c.Below(len(c.messages))
		if c.messages[i].Role != history.System {
			c.messages = slices.Delete(c.messages, i, i+1)
		}
	}
}

// The kinds of text.
const (
	prose = iota
	Code
	Lines // of JSON
	Chinese
	Graphemes // of several code points
	Unbroken  // one long word
	Blanks
)

// voices are the kinds of text, as pieces to be concatenated; read-only.
var voices = [][]string{
	{
		"The handler reads the request and calls the client. ", "Tests cover the happy path only.\n",
		"It fails when the list is empty. ",
	},
	{"func (s *Server) Close() error {\n", "\treturn s.listener.Close()\n", "}\n\n", "// TODO: drain first\n"},
	{`{"path":"a/b.go","line":12,"match":"x"},`, "\n", `{"path":"计划.go","line":3},`},
	{"这一步依赖于上一步的结果。", "先读取计划，再修改步骤。\n", "失败时重新规划。"},
	{"👍🏽", "👩‍👩‍👧‍👦", "🇩🇪🇫🇷", " ok ", "e\u0301", "नमस्ते", "각"},
	{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
	{"                ", "\t\t", "\r\n"},
}
