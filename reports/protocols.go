package reports

import (
	"cmp"
	"fmt"
	"strings"

	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/score/protocols"
	"replanbench/reports/measure"
)

// Protocols is the section that compares protocols for plan changes.
type Protocols struct {
	protocols.Result
	Source    string `json:"source"`    // the origin of the changes
	Rates     string `json:"rates"`     // the origin of the channel's rates
	Tokenizer string `json:"tokenizer"` // that counted the tokens
}

func (p *Protocols) tables() []measure.Table {
	list := collect.Flat(p.Rows, p.measures)
	name := measure.KeyCol("protocol", "protocol")
	tables := []measure.Table{
		{
			Title: "Tokens of " + counted(p.Changes, "change") + " (" + p.Source + ")", Measures: list,
			Columns: []measure.Column{
				name, measure.Col("expresses", "expresses"), measure.Col("cannot", "cannot_express"),
				measure.Col("tokens each", "tokens_each"), measure.Col("of the plan", "tokens_of_plan"),
				measure.WordCol("lacks", "lacks"),
			},
			Notes: []string{"Counted by " + p.Tokenizer +
				". The plan is the new plan, written whole with every member. The next tables leave out changes that a protocol " +
				"cannot express."},
		},
		{
			Title: either(p, "Written by "+p.Model, "Through the channel: "+p.channel()), Measures: list, Again: true, Columns: []measure.Column{
				name, measure.Col("replies", "replies"), measure.Col(p.unlike(), p.unlike()),
				measure.Col(measure.Rated("right"), "right"), measure.Col(measure.Rated("rejected"), "rejected"),
			},
			Notes: either(p, nil, []string{"Rates of the channel: " + p.Rates + "."}),
		},
		{
			Title: "Silently wrong replies", Measures: list, Again: true, Columns: []measure.Column{
				name, measure.Col("replies", "replies"), measure.Col(measure.Rated("another plan"), "silently_wrong"),
				measure.Col(measure.Rated("finished work lost"), "finished_lost"),
			},
			Notes: []string{either(p,
				"The prompt describes each change in words and the format of the protocol. The table shows how well the model "+
					"writes a given change, not which changes it would choose.",
				"The channel's errors are independent, per token, item or id. The table shows how a protocol handles given "+
					"errors, not how many errors a model makes in it.",
			)},
		},
	}
	if len(p.Pairs) > 0 {
		tables = append(tables, p.pairs())
	}
	return tables
}

// pairs returns the table of every two protocols.
func (p *Protocols) pairs() measure.Table {
	t := measure.Table{
		Title: "Right replies, pair by pair, over the changes that both can express",
		Columns: []measure.Column{
			measure.KeyCol("protocols", "pair"), measure.Col("changes", "changes"), measure.WordCol("difference [95 % CI]", "difference"),
			measure.WordCol("p", "p_corrected"),
		},
		Notes: []string{"Each change counts once and is paired with itself. p is Holm-corrected for " +
			counted(len(p.Pairs), "test") + "."},
	}
	for _, x := range p.Pairs {
		k := measure.By("pair", x.A+" → "+x.B)
		t.Add(k.Count("changes", x.Changes),
			k.Words("difference", fmt.Sprintf("%+.1f [%+.1f, %+.1f]", 100*x.Difference, 100*x.Low, 100*x.High)),
			k.Words("p_corrected", shortP(x.Corrected)))
	}
	return t
}

func (p *Protocols) measures(r protocols.Row) []measure.Measure {
	k := measure.By("protocol", r.Name)
	if p.Model != "" {
		k = k.With("model", p.Model)
	}
	list := []measure.Measure{
		k.Count("expresses", r.Said), k.Count("cannot_express", r.Unsaid), k.Count("replies", r.Replies),
		k.Count(p.unlike(), either(p, r.Failed, r.Damaged)),
	}
	if n := either(p, r.Replies, r.Said); n > 0 { // replies behind the tokens
		each := float64(r.Tokens) / float64(n)
		m := k.Figure("tokens_each", measure.Tokens, each)
		m.N = new(int64(n))
		list = append(list, m)
		if r.Whole > 0 {
			of := each * float64(r.Said) / float64(r.Whole)
			list = append(list, k.Figure("tokens_of_plan", measure.Share, of).As("%.0f %%", 100*of))
		}
	}
	if r.Lacks != "" {
		list = append(list, k.Words("lacks", r.Lacks))
	}
	for _, x := range []struct {
		name string
		protocols.Share
		tone style.Tone
	}{
		{"right", r.Right, style.Plain},
		{"rejected", r.Refused, style.Plain},
		{"silently_wrong", r.Wrong, style.Bad},
		{"finished_lost", r.LostDone, style.Bad},
	} {
		m := k.Portion(x.name, x.K, r.Replies)
		if r.Replies > 0 {
			m = m.Between(x.Low, x.High).If(x.K > 0, x.tone)
			m.Value = &x.Value
		}
		list = append(list, m)
	}
	return list
}

// either returns the value for the replies of a model or of the channel.
func either[T any](p *Protocols, model, channel T) T {
	if p.Model != "" {
		return model
	}
	return channel
}

// unlike returns the heading of the column of damaged or missing replies.
func (p *Protocols) unlike() string { return either(p, "no_reply", "damaged") }

func (p *Protocols) channel() string {
	var list measure.Notes
	for _, r := range p.Channel.Rates() {
		list.If(*r.Value > 0, "%s %.3g", r.Name, *r.Value)
	}
	return cmp.Or(strings.Join(list, ", "), "no errors")
}

func (p *Protocols) line() string {
	return counted(p.Changes, "change") + " in " + counted(len(p.Rows), "protocol")
}

// plots shows how many replies of each protocol are right, rejected and silently wrong.
func (p *Protocols) plots() []measure.Plot {
	fate := measure.Plot{
		Title: "Which protocol loses least on the way?", Rows: []string{"protocol"}, Bars: true,
		Note: "Shares of the replies, with the 95 % interval of the right ones.",
	}
	tones := map[string]style.Tone{"right": style.Good, "rejected": style.Faint, "silently_wrong": style.Bad}
	for _, r := range p.Rows {
		for _, m := range p.measures(r) {
			if tone, ok := tones[m.Name]; ok {
				fate.Measures = append(fate.Measures, m.In(tone))
			}
		}
	}
	return []measure.Plot{fate}
}
