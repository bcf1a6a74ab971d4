package reports

import (
	"fmt"
	"strconv"
	"strings"

	"replanbench/harness/protocols"
	"replanbench/reports/style"
)

// Protocols is the section that compares ways of writing changes.
type Protocols struct {
	protocols.Result
	Source    string `json:"source"`    // where the changes are from
	Rates     string `json:"rates"`     // where those of the channel are from
	Tokenizer string `json:"tokenizer"` // that counted
}

func (p *Protocols) blocks() []block {
	tokens := table{title: fmt.Sprintf("Tokens of %d changes (%s)", p.Changes, p.Source), columns: []column{
		{name: "protocol"}, {"says", true}, {"cannot say", true}, {"tokens each", true}, {"of the plan", true}, {name: "no place for"},
	}}
	fate := table{title: p.how(), columns: []column{
		{name: "protocol"}, {"replies", true}, {p.unlike(), true}, {rateName("right"), true}, {rateName("refused"), true},
	}}
	harm := table{title: "And worst, unnoticed", columns: []column{
		{name: "protocol"}, {"replies", true}, {rateName("another plan"), true}, {rateName("finished work lost"), true},
	}}
	for _, r := range p.Rows {
		name := text(r.Name)
		tokens.rows = append(tokens.rows, []cell{
			name, number(r.Said), number(r.Unsaid), textIf(p.written(r) > 0, "%.1f", float64(r.Tokens)/float64(max(1, p.written(r)))),
			textIf(r.Whole > 0 && p.written(r) > 0, "%.0f %%", 100*float64(r.Tokens)/float64(max(1, p.written(r)))*float64(r.Said)/float64(max(1, r.Whole))), textIf(r.Lacks != "", "%s", r.Lacks),
		})
		fate.rows = append(fate.rows, []cell{name, number(r.Replies), number(p.unlikely(r)), shareOf(r.Right, r.Replies, style.Plain), shareOf(r.Refused, r.Replies, style.Plain)})
		harm.rows = append(harm.rows, []cell{name, number(r.Replies), shareOf(r.Wrong, r.Replies, style.Bad), shareOf(r.LostDone, r.Replies, style.Bad)})
	}
	return []block{
		{table: &tokens, notes: []string{"By " + p.Tokenizer + "; the plan is the new one, written whole with every member. What a protocol cannot say it is not asked below."}},
		{table: &fate, notes: p.notes("Rates of the channel: "+p.Rates+".", "")},
		{table: &harm, notes: p.notes(
			"The channel's errors are independent and come by the token, the item or the id. So this says what a protocol makes of given errors; it does not say how many errors a model makes in it.",
			"The model was told each change in words, and how the protocol is written. So this says how well it writes what it is told; it does not say which changes it would choose.",
		)},
	}
}

// notes are one of two, by whether a model was asked; "" is none.
func (p *Protocols) notes(channel, live string) []string {
	if p.Model != "" {
		channel = live
	}
	if channel == "" {
		return nil
	}
	return []string{channel}
}

// how says what became of the changes.
func (p *Protocols) how() string {
	if p.Model != "" {
		return "Written by " + p.Model
	}
	return "Through the channel: " + p.channel()
}

// unlike heads the column of replies that are not as they were sent.
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

// written is how many replies the tokens of a row are of.
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
			count("protocols", r.Name, "tokens", r.Tokens), count("protocols", r.Name, "tokens of whole plans", r.Whole), count("protocols", r.Name, p.unlike(), p.unlikely(r)))
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
	return fmt.Sprintf("%d changes in %d protocols", p.Changes, len(p.Rows))
}
