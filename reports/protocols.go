package reports

import (
	"fmt"
	"strconv"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/harness/score/protocols"
)

// Protocols is the section that compares protocols for plan changes.
type Protocols struct {
	protocols.Result
	Source    string `json:"source"`    // the origin of the changes
	Rates     string `json:"rates"`     // the origin of the channel's rates
	Tokenizer string `json:"tokenizer"` // that counted the tokens
}

func (p *Protocols) blocks() []block {
	tokens := table{title: "Tokens of " + counted(p.Changes, "change") + " (" + p.Source + ")", columns: []column{
		{name: "protocol"},
		{"expresses", true},
		{"cannot", true},
		{"tokens each", true},
		{"of the plan", true},
		{name: "lacks"},
	}}
	fate := table{title: p.how(), columns: []column{
		{name: "protocol"}, {"replies", true}, {p.unlike(), true}, {rateName("right"), true}, {rateName("refused"), true},
	}}
	harm := table{title: "Silently wrong replies", columns: []column{
		{name: "protocol"}, {"replies", true}, {rateName("another plan"), true}, {rateName("finished work lost"), true},
	}}
	for _, r := range p.Rows {
		name := text(r.Name)
		tokens.rows = append(tokens.rows, []cell{
			name, number(r.Said), number(r.Unsaid),
			textIf(p.written(r) > 0, "%.1f", float64(r.Tokens)/float64(max(1, p.written(r)))),
			textIf(r.Whole > 0 && p.written(r) > 0, "%.0f %%",
				100*float64(r.Tokens)/float64(max(1, p.written(r)))*float64(r.Said)/float64(max(1, r.Whole))),
			textIf(r.Lacks != "", "%s", r.Lacks),
		})
		fate.rows = append(fate.rows, []cell{
			name, number(r.Replies), number(p.unlikely(r)),
			shareOf(r.Right, r.Replies, style.Plain), shareOf(r.Refused, r.Replies, style.Plain),
		})
		harm.rows = append(harm.rows, []cell{
			name, number(r.Replies), shareOf(r.Wrong, r.Replies, style.Bad),
			shareOf(r.LostDone, r.Replies, style.Bad),
		})
	}
	return []block{
		{table: &tokens, notes: []string{"Counted by " + p.Tokenizer +
			". The plan is the new plan, written whole with every member. The next tables leave out changes that a protocol " +
			"cannot express."}},
		{table: &fate, notes: p.notes("Rates of the channel: "+p.Rates+".", "")},
		{table: &harm, notes: p.notes(
			"The channel's errors are independent, per token, item or id. The table shows how a protocol handles given "+
				"errors, not how many errors a model makes in it.",
			"The prompt describes each change in words and the format of the protocol. The table shows how well the model "+
				"writes a given change, not which changes it would choose.",
		)},
	}
}

// notes returns the first note for a channel or the second for a model, unless it is "".
func (p *Protocols) notes(channel, live string) []string {
	if p.Model != "" {
		channel = live
	}
	if channel == "" {
		return nil
	}
	return []string{channel}
}

// how returns the title of the table of outcomes.
func (p *Protocols) how() string {
	if p.Model != "" {
		return "Written by " + p.Model
	}
	return "Through the channel: " + p.channel()
}

// unlike returns the heading of the column of damaged or missing replies.
func (p *Protocols) unlike() string {
	if p.Model != "" {
		return "no reply"
	}
	return "damaged"
}

func (p *Protocols) unlikely(r protocols.Row) int {
	if p.Model != "" {
		return r.Failed
	}
	return r.Damaged
}

// written returns the number of replies behind the tokens of a row.
func (p *Protocols) written(r protocols.Row) int {
	if p.Model != "" {
		return r.Replies
	}
	return r.Said
}

func (p *Protocols) channel() string {
	var list []string
	for _, r := range p.Channel.Rates() {
		if *r.Value > 0 {
			list = append(list, fmt.Sprintf("%s %.3g", r.Name, *r.Value))
		}
	}
	if list == nil {
		return "no errors"
	}
	return strings.Join(list, ", ")
}

func shareOf(s protocols.Share, n int, tone style.Tone) cell {
	c := textIf(n > 0, "%.1f [%.1f–%.1f]", 100*s.Value, 100*s.Low, 100*s.High)
	if s.K > 0 {
		c.tone = tone
	}
	return c
}

func (p *Protocols) records() []record {
	var list []record
	for _, r := range p.Rows {
		list = append(list, count("protocols", r.Name, "says", r.Said), count("protocols", r.Name, "cannot say", r.Unsaid),
			count("protocols", r.Name, "tokens", r.Tokens), count("protocols", r.Name, "tokens of whole plans", r.Whole),
			count("protocols", r.Name, p.unlike(), p.unlikely(r)))
		for _, x := range []struct {
			name string
			protocols.Share
		}{{"right", r.Right}, {"refused", r.Refused}, {"silently wrong", r.Wrong}, {"finished work lost", r.LostDone}} {
			list = append(list, record{
				section: "protocols", subject: r.Name, measure: x.name, count: strconv.Itoa(x.K), n: strconv.Itoa(r.Replies),
				share: decimal(x.Value), low: decimal(x.Low), high: decimal(x.High),
			})
		}
	}
	return list
}

func (p *Protocols) line() string {
	return counted(p.Changes, "change") + " in " + counted(len(p.Rows), "protocol")
}
