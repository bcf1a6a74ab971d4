package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/escape"
	"replanbench/harness/live"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
)

// Live is the section of a run against models.
type Live struct {
	Estimate *live.Estimate `json:"estimate,omitzero"` // of a dry run, which has no other member
	Run      *live.Result   `json:"run,omitzero"`
	// Comparisons compare every other prompt with the first.
	Comparisons []Comparison `json:"comparisons,omitempty"`

	Corpus string `json:"-"` // the file of the replies, which the next command reads
}

// AddLive adds the section. Cells without all their replies count as not run.
func (r *Report) AddLive(l Live) {
	r.Live = &l
	r.Summary.addMany(harness.NotRun, l.gaps())
}

// gaps returns how many cells lack replies.
func (l *Live) gaps() int {
	if l == nil || l.Run == nil {
		return 0
	}
	return l.Run.Failed + l.Run.NotAsked - l.raced()
}

// next returns the command after a complete run or a dry run.
func (l *Live) next() []screen.Step {
	switch {
	case l.Estimate != nil && l.Estimate.Most.Requests > 0:
		return []screen.Step{{Why: "Send the requests", Command: "the same command without --dry-run"}}
	case l.Corpus != "":
		return []screen.Step{{Why: "Show why replies fail", Command: "replanbench score " + escape.Shell(l.Corpus) + " --verbose"}}
	}
	return nil
}

// raced returns how many cells a race saved. These are not gaps.
func (l *Live) raced() int {
	if l.Run == nil || l.Run.Race == nil {
		return 0
	}
	return l.Run.Race.Saved
}

func (l *Live) tables() []measure.Table {
	if l.Estimate != nil {
		return append([]measure.Table{l.estimate()}, l.arms()...)
	}
	if l.Run == nil {
		return nil
	}
	list := append([]measure.Table{l.totals(), {Hidden: true, Measures: l.measures()}}, l.traffic()...)
	list = append(list, l.problems()...)
	if l.Run.Race != nil {
		list = append(list, l.race())
	}
	for i := range l.Comparisons {
		list = append(list, l.Comparisons[i].tables()...)
	}
	return list
}

func (l *Live) estimate() measure.Table {
	e := l.Estimate
	t := measure.Table{Title: "Estimate", Columns: []measure.Column{
		measure.KeyCol("", "bound"), measure.Col("requests", "requests"), measure.Col("prompt tokens", "prompt_tokens"),
		measure.Col("reply tokens", "reply_tokens"), measure.Col("cost", "cost"),
	}}
	for _, row := range []struct {
		name string
		live.Spent
	}{{"minimum", e.Least}, {"maximum", e.Most}} {
		k := measure.By("bound", row.name)
		t.Add(k.Count("requests", row.Requests), k.Count("prompt_tokens", row.PromptTokens),
			k.Count("reply_tokens", row.ReplyTokens))
		if e.Currency != "" {
			t.Add(money(k, row.Cost, e.Currency))
		}
	}
	t.Notes = []string{
		fmt.Sprintf("%s; the estimate assumes %s per reply. Nothing was sent.", counted(e.Cells, "cell"), counted(e.Reply,
			"token")),
		"Minimum: every first reply applies. Maximum: every case needs all rungs.",
	}
	t.Notes.If(e.Recorded > 0, "Already recorded, so without a request: %s.", counted(e.Recorded, "first reply"))
	t.Notes.If(e.Unsent > 0, "To be skipped, because the policy cannot make the prompt fit its budget: %s.",
		counted(e.Unsent, "cell"))
	t.Notes.If(e.Unpriced > 0, "With a model without a price: %s.", counted(e.Unpriced, "cell"))
	return t
}

// arms shows the prompts that each arm of a dry run would send.
func (l *Live) arms() []measure.Table {
	if l.Estimate.Arms == nil {
		return nil
	}
	t := measure.Table{Title: "First prompts of the arms", Columns: []measure.Column{
		measure.KeyCol("policy · budget", "policy", "budget"), measure.Col("cells", "cells"),
		measure.Col("over budget", "over_budget"), measure.Col("cannot fit", "cannot_fit"),
		measure.Col("tokens before", "tokens_before"), measure.Col("after", "tokens_after"),
	}}
	for _, a := range l.Estimate.Arms {
		k := measure.By("policy", a.Policy, "budget", strconv.Itoa(a.Budget))
		t.Add(k.Count("cells", a.Cells), k.Count("over_budget", a.Over),
			k.Count("cannot_fit", a.Unsent), k.Count("tokens_before", a.Before), k.Count("tokens_after", a.After))
	}
	return []measure.Table{t}
}

func money(k measure.Keys, amount float64, currency string) measure.Measure {
	return k.Figure("cost", measure.Money, amount).Saying(currency).As("%.4f %s", amount, currency)
}

func (l *Live) totals() measure.Table {
	r := l.Run
	lines := measure.Notes{
		fmt.Sprintf("%s: %d complete, %d failed, %d not requested; %s", counted(r.Cells, "cell"), r.Whole, r.Failed,
			r.NotAsked, counted(r.Replies, "reply")),
		counted(r.Spent.Requests, "request") + ", " + counted(r.Spent.PromptTokens, "prompt token") + ", " +
			counted(r.Spent.ReplyTokens, "reply token"),
	}
	lines.If(r.Currency != "", "%.4f %s", r.Spent.Cost, r.Currency)
	lines.If(r.Overflows > 0, "in %s the ladder ended because the prompt of a retry did not fit the model or the budget",
		counted(r.Overflows, "cell"))
	lines.If(r.Stopped != "", "stopped: reached %s", r.Stopped)
	return measure.Note("Live run", lines...)
}

// groupKeys returns the keys of a group of cells.
func groupKeys(g live.Group) measure.Keys {
	k := measure.By("prompt", g.Key.Prompt, "model", g.Model, "temperature", g.Temperature, "format", g.Format)
	if g.Policy != "" {
		k = k.With("policy", g.Policy, "budget", strconv.Itoa(g.Budget))
	}
	return k
}

// traffic shows latency, and the drift of token counts.
func (l *Live) traffic() []measure.Table {
	keys := []string{"prompt", "model", "temperature", "format"}
	if slices.ContainsFunc(l.Run.Groups, func(g live.Group) bool { return g.Policy != "" }) {
		keys = append(keys, "policy", "budget")
	}
	group := measure.KeyCol(strings.Join(keys, " · "), keys...)
	latency := measure.Table{Title: "Latency", Columns: []measure.Column{
		group, measure.Col("replies", "replies"), measure.Col("p50 ms", "latency_p50"), measure.Col("p95 ms", "latency_p95"),
	}}
	tokens := measure.Table{
		Title: "Tokens that the endpoint reported", Columns: []measure.Column{
			group, measure.Col("prompt", "prompt_tokens"), measure.Col("drift", "prompt_drift"),
			measure.Col("reply", "reply_tokens"), measure.Col("drift", "reply_drift"),
		},
		Notes: []string{"Drift: by how much the reported number exceeds the count of the program's tokenizer."},
	}
	for _, g := range l.Run.Groups {
		k := groupKeys(g)
		latency.Add(k.Count("replies", g.Replies),
			k.Figure("latency_p50", measure.Millis, g.P50), k.Figure("latency_p95", measure.Millis, g.P95))
		tokens.Measures = append(append(tokens.Measures, drift(k, "prompt", g.Prompt)...), drift(k, "reply", g.Reply)...)
	}
	if !slices.ContainsFunc(l.Run.Groups, func(g live.Group) bool { return g.Prompt.Said+g.Reply.Said > 0 }) {
		return []measure.Table{latency}
	}
	return []measure.Table{latency, tokens}
}

func drift(k measure.Keys, what string, d live.Drift) []measure.Measure {
	list := []measure.Measure{k.Count(what+"_tokens", d.Said), k.Count(what+"_tokens_counted", d.Counted)}
	if share, ok := d.Share(); ok {
		list = append(list, k.Figure(what+"_drift", measure.Difference, share).As("%+.1f %%", 100*share))
	}
	return list
}

// measures returns the requests, costs and failures of a run, for programs.
func (l *Live) measures() []measure.Measure {
	r, k := l.Run, measure.Keys(nil)
	list := []measure.Measure{
		k.Share("cells_complete", r.Whole, r.Cells), k.Share("cells_failed", r.Failed, r.Cells),
		k.Share("cells_not_requested", r.NotAsked, r.Cells), k.Count("replies", r.Replies),
		k.Count("requests", r.Spent.Requests), k.Tokens("prompt_tokens", r.Spent.PromptTokens),
		k.Tokens("reply_tokens", r.Spent.ReplyTokens),
	}
	if r.Currency != "" {
		list = append(list, money(k, r.Spent.Cost, r.Currency))
	}
	for _, part := range []struct {
		name string
		list []live.Count
	}{{"failed_tries", r.Tries}, {"failures", r.Failures}, {"skipped", r.Skipped}, {"answers", r.Answers}} {
		for _, c := range part.list {
			list = append(list, measure.By("reason", c.Name).Count(part.name, c.N).Saying(c.Example))
		}
	}
	for _, g := range r.Groups {
		list = append(list, groupKeys(g).Share("cells_failed", g.Failed, g.Cells),
			groupKeys(g).Share("cells_not_requested", g.NotAsked, g.Cells))
	}
	return list
}

// problems lists failed tries and cells, skipped cells, and replies that are not plain text.
func (l *Live) problems() []measure.Table {
	var list []measure.Table
	for _, part := range []struct {
		title string
		list  []live.Count
	}{
		{"Failed tries, including retried ones", l.Run.Tries},
		{"Cells that failed", l.Run.Failures},
		{"Cells that were not requested", l.Run.Skipped},
		{"Replies that were not plain, whole text", l.Run.Answers},
	} {
		if len(part.list) == 0 {
			continue
		}
		t := measure.Note(part.title)
		for _, c := range part.list {
			line := fmt.Sprintf("%d × %s", c.N, c.Name)
			if c.Example != "" {
				line += ": " + c.Example
			}
			t.Notes = append(t.Notes, line)
		}
		list = append(list, t)
	}
	return list
}

func (l *Live) race() measure.Table {
	r := l.Run.Race
	b := measure.Table{Title: "Race", Notes: []string{fmt.Sprintf("%s, overall level %g; %s saved",
		counted(r.Looks-1, "interim look"), r.Alpha, counted(r.Saved, "cell"))}}
	for _, o := range r.Out {
		b.Notes = append(b.Notes, fmt.Sprintf("%s stopped after %s: %s was better by %.1f points [%.1f, %.1f], "+
			"%d times better and %d times worse (p %.2g)", o.Prompt, counted(o.Cases, "case"), o.By, 100*o.Difference,
			100*o.Low, 100*o.High, o.Won, o.Lost, o.P))
	}
	b.Notes.If(len(r.Out) > 0, "A difference at a stop tends to be too large. Its interval allows for all looks and "+
		"covers the true difference in 95 %% of races.")
	b.Notes.If(len(r.Out) == 0, "no prompt was stopped early")
	return b
}

// line summarizes the section.
func (l *Live) line() string {
	if l.Estimate != nil {
		least, most := l.Estimate.Least.Requests, l.Estimate.Most.Requests
		if least == most {
			return counted(most, "request")
		}
		return fmt.Sprintf("%d to %d requests", least, most)
	}
	line := fmt.Sprintf("%d of %d cells complete", l.Run.Whole, l.Run.Cells)
	if l.Run.Failed > 0 {
		line += fmt.Sprintf(", %d failed", l.Run.Failed)
	}
	if l.Run.NotAsked > 0 {
		line += fmt.Sprintf(", %d not requested", l.Run.NotAsked)
	}
	return line
}

// lost says why cells failed or were not requested.
func (l *Live) lost() (notes []string) {
	for i, list := range [][]live.Count{l.Run.Failures, l.Run.Skipped} {
		for _, c := range list {
			note := counted(c.N, "cell") + []string{" failed: ", " not requested: "}[i] + c.Name
			if c.Example != "" {
				note += ", such as: " + c.Example
			}
			notes = append(notes, note)
		}
	}
	return notes
}

// subject names the prompts and the models of a run.
func (l *Live) subject() string {
	var prompts, models []string
	for _, g := range l.Run.Groups {
		prompts, models = append(prompts, g.Key.Prompt), append(models, g.Model)
	}
	for _, list := range []*[]string{&prompts, &models} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return someOf(prompts) + " with " + someOf(models)
}

// comparisons returns the comparisons of a run, or none without a run.
func (l *Live) comparisons() (list []*Comparison) {
	if l != nil {
		for i := range l.Comparisons {
			list = append(list, &l.Comparisons[i])
		}
	}
	return list
}

func (l *Live) plots() []measure.Plot {
	return collect.Flat(l.comparisons(), func(c *Comparison) []measure.Plot { return c.plots() })
}
