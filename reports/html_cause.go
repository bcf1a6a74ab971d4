package reports

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/agent/fault"
	"replanbench/harness/agent/session"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/strictjson"
	"replanbench/harness/document/style"
	"replanbench/harness/plan"
	"replanbench/harness/score"
)

// pageCause is a failure. Members below Drawn are empty if readers cannot open it.
// It has a field for each value that the template shows.
type pageCause struct {
	ID                           string // of the cause, or the place of another failure
	Tone, Class, Dialect         string
	Suite, Engine                string
	Sentence, Often, Name, Again string
	Aside                        string // why it fails nothing, if so

	Facts       []string
	Differences []pageDifference
	Lists       []*pagePlan // the plan, or the lists of a dialect without plans
	Note        string
	Graph       *pageGraph
	Replies     []pageReply
	Turns       []pageTurn
	Documents   []pageDocument
}

// pageDifference is a member of an outcome with a wrong value. Before and After
// contain the text that both values share.
type pageDifference struct {
	At, Before, Want, Got, After string
}

// pageReply is a reply. Mark is the part to blame.
type pageReply struct {
	Name, Before, Mark, After string
	Cut                       bool
}

// pageTurn is an answer of the model to an agent.
type pageTurn struct{ With, Edit string }

// pageDocument is another part of the case.
type pageDocument struct{ Name, Text string }

// newPageCause returns the cause as its row in the list shows it.
func newPageCause(id int, f Failure, x detail) pageCause {
	c := pageCause{
		ID: strconv.Itoa(id), Suite: f.Suite, Engine: f.Engine, Tone: toneClass(statusTone(f.Status)),
		Class: string(f.Status), Name: f.name(), Again: f.Reproduce,
		Sentence: f.reason(),
	}
	if names := strings.Split(f.ID, "/"); all.Find(names[0]) != nil {
		if c.Dialect = names[0]; len(names) == 3 && (f.Suite == suiteFuzz || f.Suite == suiteAgent) {
			c.Class, c.ID = names[1], names[2]
			if f.Engine != "" {
				c.ID = strconv.Itoa(id) + "-" + names[2]
			}
		}
	}
	c.Often = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(f.ID, c.Dialect), "/"), f.Suite)
	if x.cause != nil {
		c.Sentence, c.Often = x.cause.Sentence, howOften(*x.cause)
	} else if often, _, _ := strings.Cut(f.Title, "\n"); f.Suite == suiteFuzz && often != "" { // of a league
		c.Sentence, c.Often = f.Message, strings.TrimSuffix(often, ".")
	}
	if f.Suite == suiteAgent && x.cause != nil {
		c.Often = fmt.Sprintf("%d of %s", x.cause.Cases, counted(int(x.cause.Of), "turn"))
	}
	switch {
	case f.Advisory:
		c.Tone, c.Aside = toneClass(style.Doubtful), "advisory"
	case f.Status == harness.Known:
		c.Aside = "known"
	}
	c.Sentence = escape.Cut(c.Sentence, 300)
	return c
}

// draw adds everything that readers see when they open the cause.
func (c *pageCause) draw(f Failure, x detail) {
	c.facts(f, x)
	for _, d := range f.Differences {
		c.Differences = append(c.Differences, newPageDifference(d))
	}
	c.Turns = pageTurns(x.turns)
	if x.evidence == nil {
		return
	}
	e := x.evidence.aligned()
	c.plans(e)
	for i, reply := range e.Case.Replies {
		var at *string
		if i == len(e.Case.Replies)-1 {
			at = e.At
		}
		c.Replies = append(c.Replies, newPageReply(i, string(reply), at))
	}
	if bounds := boundsOf(e.Case); bounds != "" {
		c.Documents = append(c.Documents, pageDocument{"limits", bounds})
	}
	for name, value := range e.Case.Documents() {
		if len(value) > 0 && (name != "plan" || len(c.Lists) == 0) {
			c.Documents = append(c.Documents, pageDocument{name, escape.Cut(string(value), longest)})
		}
	}
}

// facts adds what the row does not say.
func (c *pageCause) facts(f Failure, x detail) {
	first, rest, _ := strings.Cut(f.Title, "\n")
	facts := []string{f.Message, first, rest}
	if x.cause != nil {
		facts = []string{cmp.Or(x.message, f.Message)}
		if x.cause.LooksLike != "" {
			facts = append(facts, "The engine "+behaves(*x.cause)+".")
		}
		facts = append(facts, effects(*x.cause, showsWith(*x.cause, math.MaxInt))...)
	}
	for _, text := range facts {
		if text != "" && !strings.Contains(c.Sentence, text) {
			c.Facts = append(c.Facts, escape.Cut(text, longest))
		}
	}
}

func newPageDifference(d outcome.Path) pageDifference {
	before, want, got, after := unlike(escape.Unlike(d.Want, d.Got, longest))
	return pageDifference{placeOf(d), before, want, got, after}
}

// unlike splits two texts into their common beginning, the parts that differ, and their
// common end. It splits at words only.
func unlike(a, b string) (before, onlyA, onlyB, after string) {
	if a == b {
		return a, "", "", ""
	}
	inWord := func(s string, at int) bool {
		return at > 0 && at < len(s) && (s[at] >= utf8.RuneSelf || isLetter(s[at]) && isLetter(s[at-1]))
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	for inWord(a, n) || inWord(b, n) {
		n--
	}
	k := 0
	for k < min(len(a), len(b))-n && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	for k > 0 && (inWord(a, len(a)-k) || inWord(b, len(b)-k)) {
		k--
	}
	return a[:n], a[n : len(a)-k], b[n : len(b)-k], a[len(a)-k:]
}

func isLetter(c byte) bool { return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' }

// plans shows the plan before the edit, the expected plan and the plan that came out,
// and their graph if edges changed.
func (c *pageCause) plans(e *Evidence) {
	if len(e.Case.Plan) == 0 {
		c.messages(e)
		c.trace(e, false)
		return
	}
	before, err := all.Plan(e.Case)
	if err != nil {
		c.Note = "The plan is invalid: " + escape.Cut(err.Error(), longest)
		return
	}
	c.Lists = append(c.Lists, newPagePlan(before, e.Want, e.Given))
	c.trace(e, true)
	after := before
	if e.Given != nil && e.Given.Plan != nil && e.Given.Verdict == harness.Applied {
		after = e.Given.Plan
	}
	if maps.Equal(edges(before), edges(after)) {
		return
	}
	g := newGraph(before, after)
	if c.Graph = g.view(); g.left > 0 {
		c.Note = "The graph omits " + counted(g.left, before.Unit()) + "."
	}
}

// edges returns the pairs of a step and a dependency, and whether the plan contains
// the dependency.
func edges(p *plan.Plan) map[[2]string]bool {
	list, places := map[[2]string]bool{}, p.Index()
	for _, s := range p.Steps {
		for _, d := range s.Dependencies {
			_, list[[2]string{s.ID, d}] = places[d]
		}
	}
	return list
}

func pageTurns(turns []session.Turn) (list []pageTurn) {
	for _, t := range turns {
		x := pageTurn{With: strings.Join(t.Names(), ", "), Edit: escape.Cut(t.Edit, replyShown)}
		if f, err := fault.Find(t.Fault); err == nil && f.Arrives == fault.Nothing {
			x.Edit = "(no answer of the model arrives: " + f.Text + ")"
		}
		if t.Setup {
			x.With = "prepares the plan for the next turn"
		}
		list = append(list, x)
	}
	return list
}

// replyShown is how many bytes of a reply the page shows at most on either side of
// the part to blame.
const replyShown = 2000

func newPageReply(i int, text string, at *string) pageReply {
	r := pageReply{Name: fmt.Sprintf("Reply %d", i+1)}
	if strings.TrimSpace(text) == "" { // which nobody sees
		text = strconv.Quote(text)
	}
	start, end := 0, 0
	if at != nil {
		start, end = blamed(text, *at)
	}
	end = min(end, start+replyShown)
	from, to := max(0, start-replyShown), min(len(text), end+replyShown)
	for from > 0 && !utf8.RuneStart(text[from]) {
		from--
	}
	for to < len(text) && !utf8.RuneStart(text[to]) {
		to++
	}
	for end < len(text) && end > start && !utf8.RuneStart(text[end]) {
		end++
	}
	r.Cut = from > 0 || to < len(text)
	r.Before, r.Mark, r.After = text[from:start], text[start:end], text[end:max(end, to)]
	return r
}

// blamed finds the value that a pointer names in the JSON object of a reply, which
// reaches from the first brace to the last. Without such a value start equals end.
func blamed(text, pointer string) (start, end int) {
	from, to := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if from < 0 || to < from {
		return 0, 0
	}
	const deepest = 1000
	doc, err := strictjson.Parse([]byte(text[from:to+1]), deepest)
	if err != nil {
		return 0, 0
	}
	v := doc.Root.At(pointer)
	if v == nil {
		return 0, 0
	}
	return from + v.Start, from + v.End
}

// pageChange is a case that two sides of a comparison answered differently, with both
// replies.
type pageChange struct {
	Sides, Case, Word, Tone string
	Answers                 []pageAnswer
}

// pageAnswer is a reply and its outcome.
type pageAnswer struct{ Name, Outcome, Tone, Text string }

// pageChanges returns at most pageDrawn changes of the comparisons.
func pageChanges(comparisons []*Comparison) (list []pageChange) {
	for _, c := range comparisons {
		for _, x := range c.Changes {
			if len(list) == pageDrawn {
				return list
			}
			p := pageChange{
				Sides: keyed(append([]string{c.Base + " → " + c.New}, x.Key...)...),
				Case:  x.Case, Word: "lost", Tone: "bad",
				Answers: []pageAnswer{newPageAnswer(c.Base, x.Base, !x.Gained), newPageAnswer(c.New, x.New, x.Gained)},
			}
			if x.Gained {
				p.Word, p.Tone = "gained", "good"
			}
			list = append(list, p)
		}
	}
	return list
}

// changedCases counts the cases that the comparisons lost and gained.
func changedCases(comparisons []*Comparison) (n int) {
	for _, c := range comparisons {
		for _, r := range c.Rows {
			if r.Metric == score.ApplyRate && !r.Bare {
				n += r.Worsened + r.Improved
			}
		}
	}
	return n
}

func newPageAnswer(name string, r score.Reply, better bool) pageAnswer {
	a := pageAnswer{Name: name, Outcome: string(r.Verdict), Tone: "bad", Text: r.Text}
	if r.Code != "" {
		a.Outcome += " (" + string(r.Code) + ")"
	}
	if r.Message != "" {
		a.Outcome += ": " + r.Message
	}
	if better {
		a.Tone = "good"
	}
	return a
}
