package reports

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/plan"
	"replanbench/harness/strictjson"
	"replanbench/reports/escape"
)

// pageDetail is a failure with all that can be shown of it.
type pageDetail struct {
	pageFailure
	Title, Message string
	Differences    []Difference
	Given          string // verdict and code
	Graph          template.HTML
	GraphNote      string
	Changes        []string
	Replies        []pageReply
	Documents      []pageDocument
}

// pageReply is a reply, with the place to blame between Before and After.
type pageReply struct {
	Name, Before, Mark, After string
	Cut                       bool
}

// pageDocument is another part of the case.
type pageDocument struct{ Name, Text string }

func newPageDetail(x pageFailure, f Failure, e *Evidence) pageDetail {
	d := pageDetail{pageFailure: x, Title: harmless(f.Title), Message: harmless(escape.Cut(f.Message, longest))}
	for _, diff := range f.Differences {
		d.Differences = append(d.Differences, Difference{
			harmless(diff.place()), harmless(escape.Cut(diff.Want, longest)), harmless(escape.Cut(diff.Got, longest)),
		})
	}
	if e == nil {
		return d
	}
	d.draw(e)
	for i, reply := range e.Case.Replies {
		var at *string
		if i == len(e.Case.Replies)-1 {
			at = e.At
		}
		d.Replies = append(d.Replies, newPageReply(i, string(reply), at))
	}
	for _, doc := range e.Case.Documents() {
		if doc.Value != &e.Case.Plan && len(*doc.Value) > 0 {
			d.Documents = append(d.Documents, pageDocument{doc.Name, harmless(escape.Cut(string(*doc.Value), longest))})
		}
	}
	return d
}

// draw shows the plan before and after.
func (d *pageDetail) draw(e *Evidence) {
	if e.Given == nil {
		d.Given = "no answer"
	} else if d.Given = string(e.Given.Verdict); e.Given.Code != "" {
		d.Given += " (" + string(e.Given.Code) + ")"
	}
	d.Given = harmless(d.Given)
	if len(e.Case.Plan) == 0 {
		return
	}
	before, err := all.Plan(e.Case)
	if err != nil {
		d.GraphNote = "The plan is unsound, so there is nothing to draw: " + harmless(escape.Cut(err.Error(), longest))
		d.Documents = append(d.Documents, pageDocument{"plan", harmless(escape.Cut(string(e.Case.Plan), longest))})
		return
	}
	after := before
	switch {
	case e.Given == nil || e.Given.Verdict != harness.Applied:
		d.GraphNote = "The plan stays as it was."
	case e.Given.Plan == nil:
		d.GraphNote = "The engine gave no plan."
	default:
		after = e.Given.Plan
	}
	g := newGraph(before, after)
	d.Graph = g.svg()
	if g.left > 0 {
		d.GraphNote = strings.TrimSpace(fmt.Sprintf("%s %d steps are not drawn.", d.GraphNote, g.left))
	}
	const most = 40
	lines := strings.Split(strings.TrimSuffix(plan.Diff(before, after).String(), "\n"), "\n")
	for i, line := range lines {
		if i == most {
			d.Changes = append(d.Changes, fmt.Sprintf("and %d more", len(lines)-most))
			break
		}
		if line != "" {
			d.Changes = append(d.Changes, harmless(escape.Cut(line, longest)))
		}
	}
}

// replyShown is how much of a reply is shown, in bytes, at most, on either side
// of the place to blame.
const replyShown = 2000

func newPageReply(i int, text string, at *string) pageReply {
	r := pageReply{Name: fmt.Sprintf("Reply %d", i+1)}
	start, end := 0, 0
	if at != nil {
		start, end = blamed(text, *at)
	}
	end = min(end, start+replyShown)
	from, to := max(0, start-replyShown), min(len(text), end+replyShown)
	for ; from > 0 && !utf8.RuneStart(text[from]); from-- {
	}
	for ; to < len(text) && !utf8.RuneStart(text[to]); to++ {
	}
	for ; end < len(text) && end > start && !utf8.RuneStart(text[end]); end++ {
	}
	r.Cut = from > 0 || to < len(text)
	r.Before, r.Mark, r.After = harmless(text[from:start]), harmless(text[start:end]), harmless(text[end:max(end, to)])
	return r
}

// blamed finds the place that a pointer names in the JSON object of a reply:
// the whole of it, or what stands from its first brace to its last. Where there
// is none, nothing is marked.
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
