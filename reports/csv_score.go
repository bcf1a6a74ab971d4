package reports

import (
	"maps"
	"slices"
	"strconv"

	"replanbench/harness/live"
	"replanbench/harness/score"
)

func (s *Score) records() []record {
	list := []record{
		count("score", "", "records", s.Records), count("score", "", "retries", s.Retries),
		count("score", "", "left out", s.Left),
		count("score", "", "bad lines", s.Bad), count("score", "", "requests without a reply", s.Failed),
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		subject := label(slices.Clone(g.Key))
		list = append(list, groupRecords(subject, g)...)
		list = append(list, tokenRecords(subject, g)...)
		list = append(list, promptRecords(subject, g.Prompts)...)
	}
	for i := range s.Ablations {
		list = append(list, ablationRecords(&s.Ablations[i])...)
	}
	return list
}

// groupRecords returns the results of the requests of a group.
func groupRecords(subject string, g *score.Group) []record {
	list := []record{count("score", subject, "requests", g.Requests)}
	for _, reason := range slices.Sorted(maps.Keys(g.Unscored)) {
		list = append(list, count("score", subject, "unscored: "+reason, g.Unscored[reason]))
	}
	for _, rate := range slices.Concat(g.Rates, g.Means) {
		list = append(list, rateRecord("score", subject, rate.Name, rate))
	}
	for _, f := range g.Failures {
		list = append(list, record{
			section: "score", subject: subject, measure: "refused: " + string(f.Code),
			count: strconv.Itoa(f.N), text: f.Example,
		})
	}
	for _, x := range g.Rungs {
		list = append(list, count("score", subject, "rung: "+x.Name, x.N))
	}
	for _, p := range g.Passes {
		k := strconv.Itoa(p.K)
		list = append(list, estimateRecord(subject, "pass@"+k, p.Cases, p.Any), estimateRecord(subject, "pass^"+k, p.Cases,
			p.All))
	}
	return list
}

// rateRecord returns a rate or a mean with its interval.
func rateRecord(section, subject, measure string, r score.Rate) record {
	x := record{section: section, subject: subject, measure: measure, count: strconv.Itoa(r.Yes), n: strconv.Itoa(r.N)}
	if r.N > 0 {
		x.share = decimal(r.Value)
	}
	if r.HasInterval() {
		x.low, x.high = decimal(r.Low), decimal(r.High)
	}
	return x
}

func estimateRecord(subject, measure string, cases int, i score.Interval) record {
	return record{
		section: "score", subject: subject, measure: measure, n: strconv.Itoa(cases),
		share: decimal(i.Value), low: decimal(i.Low), high: decimal(i.High),
	}
}

// tokenRecords returns the tokens and costs of the replies of a group.
func tokenRecords(subject string, g *score.Group) []record {
	var list []record
	for _, x := range []struct {
		name string
		score.Spread
	}{{"prompt", g.Tokens.Prompt}, {"reply", g.Tokens.Reply}, {"total", g.Tokens.Total}} {
		if x.N == 0 {
			continue
		}
		for _, q := range []struct {
			name string
			n    int
		}{{"p50", x.P50}, {"p95", x.P95}, {"most", x.Max}, {"sum", x.Sum}} {
			list = append(list, count("score", subject, x.name+" tokens: "+q.name, q.n))
		}
	}
	if g.Cost != nil {
		list = append(list, record{
			section: "score", subject: subject, measure: "cost", share: decimal(g.Cost.Amount),
			text: g.Cost.Currency,
		},
			count("score", subject, "cost: replies without a price", g.Cost.Unpriced))
	}
	return list
}

// promptRecords returns the sections of the prompts of a group, and the results of
// trimming policies on them.
func promptRecords(subject string, p *score.Prompts) []record {
	if p == nil {
		return nil
	}
	list := []record{count("prompts", subject, "measured", p.Measured), count("prompts", subject, "unread", p.Unread)}
	for _, s := range p.Sections {
		list = append(list, count("prompts", subject, "messages: "+s.Tag, s.Messages), record{
			section: "prompts", subject: subject, measure: "tokens: " + s.Tag, count: strconv.Itoa(s.Tokens),
			share: decimal(s.Share),
		})
	}
	return append(list, trimRecords("prompts", subject, p.Trimmed)...)
}

// ablationRecords returns the rates, gains and losses of each rule.
func ablationRecords(a *score.Ablation) []record {
	list := []record{
		count("ablation", a.Source, "requests", a.Requests), count("ablation", a.Source, "unscored", a.Unscored),
	}
	for _, b := range a.Rules {
		subject := a.Source + " · " + b.Rule
		list = append(list, rateRecord("ablation", subject, "parsed", b.Parsed), rateRecord("ablation", subject, "applied",
			b.Applied))
		if b.Rule == score.NoRule {
			continue
		}
		list = append(list, count("ablation", subject, "gained", b.Gained), count("ablation", subject, "lost", b.Lost),
			count("ablation", subject, "changed", b.Changed),
			portion("ablation", subject, "against intent", b.Wrong, b.Judged), count("ablation", subject, "cut off", b.CutOff))
		for _, act := range b.Acts {
			list = append(list, count("ablation", subject, "gained by "+act.Rule, act.Gained),
				count("ablation", subject, "gained by it alone: "+act.Rule, act.Alone))
		}
	}
	return list
}

// records returns the values of both sides, the difference and the p-values of each row.
func (c *Comparison) records() []record {
	var list []record
	for _, r := range c.Rows {
		subject, n := c.Base+" → "+c.New+", "+c.label(r), strconv.Itoa(r.Pairs)
		row := func(measure string, value float64) record {
			return record{section: "comparison", subject: subject, measure: measure, n: n, share: decimal(value)}
		}
		difference := row("difference", r.Difference)
		difference.text = string(r.Verdict)
		if spreadKnown(r) && !r.Bare {
			difference.low, difference.high = decimal(r.Low), decimal(r.High)
		}
		list = append(list, row("before", r.Base), row("after", r.New), difference)
		if !r.Bare {
			list = append(list, row("p", r.P), row("p corrected", r.Corrected))
		}
	}
	return list
}

func (l *Live) records() []record {
	var list []record
	if l.Run != nil {
		list = runRecords(l.Run)
	}
	for i := range l.Comparisons {
		list = append(list, l.Comparisons[i].records()...)
	}
	return list
}

// runRecords returns the requests, costs, failures and latencies of a run.
func runRecords(r *live.Result) []record {
	list := []record{
		portion("live", "", "whole", r.Whole, r.Cells), portion("live", "", "failed", r.Failed, r.Cells),
		portion("live", "", "not asked", r.NotAsked, r.Cells),
		count("live", "", "replies", r.Replies), count("live", "", "requests", r.Spent.Requests),
		count("live", "", "prompt tokens", r.Spent.PromptTokens), count("live", "", "reply tokens", r.Spent.ReplyTokens),
	}
	if r.Currency != "" {
		list = append(list, record{section: "live", measure: "cost", share: decimal(r.Spent.Cost), text: r.Currency})
	}
	for _, part := range []struct {
		name string
		list []live.Count
	}{{"failed tries", r.Tries}, {"failed", r.Failures}, {"not asked", r.Skipped}, {"answers", r.Answers}} {
		for _, c := range part.list {
			list = append(list, record{
				section: "live", measure: part.name + ": " + c.Name, count: strconv.Itoa(c.N),
				text: c.Example,
			})
		}
	}
	for _, g := range r.Groups {
		subject := label([]string{g.Key.Prompt, g.Model, g.Temperature, g.Format})
		list = append(list, count("live", subject, "replies", g.Replies),
			portion("live", subject, "failed", g.Failed, g.Cells), portion("live", subject, "not asked", g.NotAsked, g.Cells),
			record{section: "live", subject: subject, measure: "latency p50 ms", share: decimal(g.P50)},
			record{section: "live", subject: subject, measure: "latency p95 ms", share: decimal(g.P95)},
			count("live", subject, "prompt tokens said", g.Prompt.Said), count("live", subject, "prompt tokens counted",
				g.Prompt.Counted),
			count("live", subject, "reply tokens said", g.Reply.Said), count("live", subject, "reply tokens counted",
				g.Reply.Counted))
	}
	return list
}
