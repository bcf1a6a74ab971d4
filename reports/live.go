package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/live"
)

// Live is the section of a run against models.
type Live struct {
	Estimate *live.Estimate `json:"estimate,omitzero"` // of a dry run, which has no other member
	Run      *live.Result   `json:"run,omitzero"`
	// Comparisons compare every other prompt with the first.
	Comparisons []Comparison `json:"comparisons,omitempty"`
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

// raced returns how many cells a race saved. These are not gaps.
func (l *Live) raced() int {
	if l.Run == nil || l.Run.Race == nil {
		return 0
	}
	return l.Run.Race.Saved
}

func (l *Live) blocks() []block {
	if l.Estimate != nil {
		return append([]block{l.estimate()}, l.arms()...)
	}
	if l.Run == nil {
		return nil
	}
	blocks := append([]block{l.totals()}, l.traffic()...)
	blocks = append(blocks, l.problems()...)
	if l.Run.Race != nil {
		blocks = append(blocks, l.race())
	}
	for _, c := range l.Comparisons {
		blocks = append(blocks, c.blocks()...)
	}
	return blocks
}

func (l *Live) estimate() block {
	e := l.Estimate
	t := table{title: "Estimate", columns: []column{
		{name: ""},
		{"requests", true},
		{"prompt tokens", true},
		{"reply tokens", true},
		{"cost", true},
	}}
	for _, row := range []struct {
		name string
		live.Spent
	}{{"minimum", e.Least}, {"maximum", e.Most}} {
		t.rows = append(t.rows, []cell{
			text(row.name), number(row.Requests), number(row.PromptTokens),
			number(row.ReplyTokens), money(row.Cost, e.Currency),
		})
	}
	notes := []string{
		fmt.Sprintf("%s; the estimate assumes %s per reply. Nothing was sent.", counted(e.Cells, "cell"), counted(e.Reply,
			"token")),
		"Minimum: every first reply applies. Maximum: every case needs all rungs.",
	}
	if e.Recorded > 0 {
		notes = append(notes, "Already recorded, so without a request: "+counted(e.Recorded, "first reply")+".")
	}
	if e.Unsent > 0 {
		notes = append(notes, "To be skipped, because the policy cannot make the prompt fit its budget: "+
			counted(e.Unsent, "cell")+".")
	}
	if e.Unpriced > 0 {
		notes = append(notes, "With a model without a price: "+counted(e.Unpriced, "cell")+".")
	}
	return block{table: &t, notes: notes}
}

// arms shows the prompts that each arm of a dry run would send.
func (l *Live) arms() []block {
	if l.Estimate.Arms == nil {
		return nil
	}
	t := table{title: "First prompts of the arms", columns: []column{
		{name: "policy · budget"},
		{"cells", true},
		{"over budget", true},
		{"cannot fit", true},
		{"tokens before", true},
		{"after", true},
	}}
	for _, a := range l.Estimate.Arms {
		t.rows = append(t.rows, []cell{
			text(fmt.Sprintf("%s · %d", a.Policy, a.Budget)), number(a.Cells), number(a.Over), number(a.Unsent),
			number(a.Before), number(a.After),
		})
	}
	return []block{{table: &t}}
}

func money(amount float64, currency string) cell {
	return textIf(currency != "", "%.4f %s", amount, currency)
}

func (l *Live) totals() block {
	r := l.Run
	lines := []string{
		fmt.Sprintf("%s: %d complete, %d failed, %d not requested; %s", counted(r.Cells, "cell"), r.Whole, r.Failed,
			r.NotAsked,
			counted(r.Replies, "reply")),
		strings.Join([]string{
			counted(r.Spent.Requests, "request"), counted(r.Spent.PromptTokens, "prompt token"),
			counted(r.Spent.ReplyTokens, "reply token"),
		}, ", "),
	}
	if r.Currency != "" {
		lines = append(lines, fmt.Sprintf("%.4f %s", r.Spent.Cost, r.Currency))
	}
	if r.Overflows > 0 {
		lines = append(lines, fmt.Sprintf("in %s the ladder ended because the prompt of a retry did not fit the "+
			"model or the budget", counted(r.Overflows, "cell")))
	}
	if r.Stopped != "" {
		lines = append(lines, "stopped: reached "+r.Stopped)
	}
	return block{title: "Live run", notes: lines}
}

// traffic shows latency, and the drift of token counts.
func (l *Live) traffic() []block {
	keys := "prompt · model · temperature · format"
	if slices.ContainsFunc(l.Run.Groups, func(g live.Group) bool { return g.Policy != "" }) {
		keys += " · policy · budget"
	}
	latency := table{title: "Latency", columns: []column{
		{name: keys},
		{"replies", true},
		{"p50 ms", true},
		{"p95 ms", true},
	}}
	tokens := table{title: "Tokens that the endpoint reported", columns: []column{
		{name: keys},
		{"prompt", true},
		{"drift", true},
		{"reply", true},
		{"drift", true},
	}}
	for _, g := range l.Run.Groups {
		key := []string{g.Key.Prompt, g.Model, g.Temperature, g.Format}
		if g.Policy != "" {
			key = append(key, g.Policy, strconv.Itoa(g.Budget))
		}
		name := text(label(key))
		latency.rows = append(latency.rows, []cell{
			name, number(g.Replies), text(fmt.Sprintf("%.0f", g.P50)),
			text(fmt.Sprintf("%.0f", g.P95)),
		})
		tokens.rows = append(tokens.rows, []cell{
			name, number(g.Prompt.Said), drift(g.Prompt), number(g.Reply.Said),
			drift(g.Reply),
		})
	}
	return []block{{table: &latency}, {
		table: &tokens,
		notes: []string{"Drift: by how much the reported number exceeds the count of the program's tokenizer."},
	}}
}

func drift(d live.Drift) cell {
	share, ok := d.Share()
	return textIf(ok, "%+.1f %%", 100*share)
}

// problems lists failed tries and cells, skipped cells, and replies that are not plain text.
func (l *Live) problems() []block {
	var blocks []block
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
		b := block{title: part.title}
		for _, c := range part.list {
			line := fmt.Sprintf("%d × %s", c.N, c.Name)
			if c.Example != "" {
				line += ": " + c.Example
			}
			b.notes = append(b.notes, line)
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func (l *Live) race() block {
	r := l.Run.Race
	b := block{title: "Race", notes: []string{fmt.Sprintf("%s, overall level %g; %s saved",
		counted(r.Looks-1, "interim look"), r.Alpha, counted(r.Saved, "cell"))}}
	for _, o := range r.Out {
		b.notes = append(b.notes, fmt.Sprintf("%s stopped after %s: %s was better by %.1f points, %d times "+
			"better and %d times worse (p %.2g)", o.Prompt, counted(o.Cases, "case"), o.By, 100*o.Difference, o.Won, o.Lost,
			o.P))
	}
	if len(r.Out) == 0 {
		b.notes = append(b.notes, "no prompt was stopped early")
	}
	return b
}

// line summarizes the section.
func (l *Live) line() string {
	if l.Estimate != nil {
		return fmt.Sprintf("%d to %d requests", l.Estimate.Least.Requests, l.Estimate.Most.Requests)
	}
	return fmt.Sprintf("%d of %d cells complete, %d failed, %d not requested", l.Run.Whole, l.Run.Cells, l.Run.Failed,
		l.Run.NotAsked)
}
