package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/harness/score"
	"replanbench/reports/measure"
)

// groupMeasures returns the measures of a group of requests.
func groupMeasures(k measure.Keys, g *score.Group, budget int) []measure.Measure {
	list := []measure.Measure{k.Count("requests", g.Requests)}
	for _, reason := range slices.Sorted(maps.Keys(g.Unscored)) {
		n := g.Unscored[reason]
		m := k.With("reason", strings.TrimSpace(reason)).Portion("unscored", n, g.Requests).As("%d", n)
		list = append(list, m.In(style.Doubtful))
	}
	for _, rate := range g.Rates {
		list = append(list, rateMeasure(k, rate, rate.N != g.Requests))
	}
	for _, mean := range g.Means {
		m := rateMeasure(k, mean, true)
		if mean.Name != score.Saving {
			m.Name, m.Unit, m.Shown = m.Name+"_mean", measure.Tokens, ""
		}
		list = append(list, m)
	}
	for _, f := range g.Failures {
		m := k.With("code", string(f.Code)).Portion("rejected", f.N, g.Requests).As("%d", f.N)
		list = append(list, m.Saying(f.Example).In(style.Bad))
	}
	for _, d := range g.Dangers {
		m := k.With("kind", d.Kind, "step", d.Step).Portion("danger", d.N, g.Requests).As("%d", d.N)
		list = append(list, m.Saying(d.Example).In(style.Bad))
	}
	for _, x := range g.Rungs {
		list = append(list, k.With("rung", x.Name).Count("ended", x.N))
	}
	for _, p := range g.Passes {
		k := k.With("replies", strconv.Itoa(p.K))
		list = append(list, estimate(k, "pass_any", p.Cases, p.Any), estimate(k, "pass_all", p.Cases, p.All))
	}
	list = append(list, tokenMeasures(k, g.Tokens, budget)...)
	if g.Cost != nil {
		list = append(list, k.Figure("cost", measure.Money, g.Cost.Amount).Saying(g.Cost.Currency),
			k.Count("replies_without_price", g.Cost.Unpriced))
	}
	return append(list, promptMeasures(k, g.Prompts)...)
}

// rateMeasure returns a rate or a mean with its interval; of says that readers see its
// denominator.
func rateMeasure(k measure.Keys, r score.Rate, of bool) measure.Measure {
	m := k.Portion(r.Name, r.Yes, r.N)
	m.Better = "higher"
	if score.LowerIsBetter(r.Name) {
		m.Better = "lower"
	}
	if r.N == 0 {
		return m
	}
	m.Value = &r.Value
	if r.Bare {
		return m.As("%d of %d", r.Yes, r.N)
	}
	text := fmt.Sprintf("%.1f", 100*r.Value)
	if r.HasInterval() {
		m = m.Between(r.Low, r.High)
		text += fmt.Sprintf(" [%.1f–%.1f]", 100*r.Low, 100*r.High)
	}
	if of {
		text += fmt.Sprintf(" of %d", r.N)
	}
	return m.As("%s", text)
}

func estimate(k measure.Keys, name string, cases int, i score.Interval) measure.Measure {
	m := k.Figure(name, measure.Share, i.Value).Between(i.Low, i.High)
	m.N = new(int64(cases))
	return m
}

// tokenMeasures returns the distributions of tokens. Readers see p50, p95 and maximum
// together.
func tokenMeasures(k measure.Keys, t score.Tokens, budget int) (list []measure.Measure) {
	for _, x := range []struct {
		name string
		score.Spread
	}{{"prompt_tokens", t.Prompt}, {"reply_tokens", t.Reply}, {"total_tokens", t.Total}} {
		if x.N == 0 {
			continue
		}
		for _, q := range []struct {
			name string
			n    int
		}{{"p50", x.P50}, {"p95", x.P95}, {"max", x.Max}, {"sum", x.Sum}} {
			m := k.With("statistic", q.name).Tokens(x.name, q.n)
			m.N = new(int64(x.N))
			if q.name == "p50" {
				m = m.As("%d / %d / %d", x.P50, x.P95, x.Max)
				if budget > 0 {
					of := func(n int) float64 { return 100 * float64(n) / float64(budget) }
					m = m.Saying(fmt.Sprintf("%.1f / %.1f / %.1f", of(x.P50), of(x.P95), of(x.Max)))
				}
			}
			list = append(list, m)
		}
	}
	return list
}

// promptMeasures returns the sections of the prompts of a group, and the results of
// trimming policies on them.
func promptMeasures(k measure.Keys, p *score.Prompts) []measure.Measure {
	if p == nil {
		return nil
	}
	list := []measure.Measure{k.Count("prompts_measured", p.Measured), k.Count("prompts_unread", p.Unread)}
	for _, s := range p.Sections {
		k := k.With("part", s.Tag)
		tokens := k.Tokens("section_tokens", s.Tokens)
		tokens.N = new(int64(p.Measured))
		list = append(list, number(k, "section_messages", s.Messages), tokens,
			k.Figure("section_share", measure.Share, s.Share).As("%.1f %%", 100*s.Share))
	}
	for i := range p.Trimmed {
		list = append(list, tallyMeasures(k, &p.Trimmed[i])...)
	}
	return list
}

// ablation shows the rates of each rule, and what it gains and loses.
func ablation(a *score.Ablation) []measure.Table {
	what := a.Source + " replies, " + counted(a.Requests-a.Unscored, "cell")
	rule := measure.KeyCol("rule", "rule")
	rates := measure.Table{Title: "Rates with each rule alone (" + what + ")", Columns: []measure.Column{
		rule, measure.Col(measure.Rated("parsed"), "parsed"), measure.Col(measure.Rated("applied"), "applied"),
	}}
	worth := measure.Table{Title: "Each rule compared with the strict rules (" + what + ")", Columns: []measure.Column{
		rule, measure.Col("gained", "gained"), measure.Col("lost", "lost"), measure.Col("changed", "changed"),
		measure.Col("against intent", "against_intent"), measure.Col("cut off", "cut_off"),
	}, Notes: []string{
		"Gained: applied only with the rule. Lost: applied only without it. Changed: applied " +
			"with a different plan. Against intent: gained replies that contradict the recorded " +
			"intent. Cut off: gained replies that are incomplete.",
	}}
	acts := measure.Table{Title: "Necessary repairs, coercions and resolutions", Columns: []measure.Column{
		rule, measure.KeyCol("act", "act"), measure.Col("gained", "gained_by_act"), measure.Col("alone", "gained_by_act_alone"),
	}}
	from := measure.By("source", a.Source)
	rules := slices.Clone(a.Rules) // behind the strict ones, those that change most replies come first
	slices.SortStableFunc(rules[min(1, len(rules)):], func(x, y score.Buy) int {
		return cmp.Compare(y.Gained+y.Lost+y.Changed, x.Gained+x.Lost+x.Changed)
	})
	for _, b := range rules {
		k := from.With("rule", b.Rule)
		b.Parsed.Name, b.Applied.Name = "parsed", "applied"
		rates.Add(rateMeasure(k, b.Parsed, false), rateMeasure(k, b.Applied, false))
		if b.Rule == score.NoRule {
			continue
		}
		against := k.Share("against_intent", b.Wrong, b.Judged).If(b.Wrong > 0, style.Bad)
		if b.Judged > 0 {
			against = against.As("%d of %d", b.Wrong, b.Judged)
		}
		worth.Add(k.Count("gained", b.Gained), k.Count("lost", b.Lost),
			k.Count("changed", b.Changed), against, k.Count("cut_off", b.CutOff))
		if b.WrongExample != "" {
			worth.Notes = append(worth.Notes, fmt.Sprintf("  %s, against intent: %s", b.Rule, b.WrongExample))
		} else if b.GainedExample != "" {
			worth.Notes = append(worth.Notes, fmt.Sprintf("  %s, gained: %s", b.Rule, b.GainedExample))
		}
		for _, act := range b.Acts {
			k := k.With("act", act.Rule)
			acts.Add(k.Count("gained_by_act", act.Gained), k.Count("gained_by_act_alone", act.Alone))
		}
	}
	counts := measure.Table{Hidden: true, Measures: []measure.Measure{
		from.Count("ablation_requests", a.Requests), from.Count("ablation_unscored", a.Unscored),
	}}
	return []measure.Table{rates, worth, acts, counts}
}
