package reports

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"

	"replanbench/harness"
	"replanbench/harness/score"
	"replanbench/reports/escape"
	"replanbench/reports/style"
)

// Score is the section of recorded replies.
type Score struct {
	score.Result
	Ablations []score.Ablation `json:"ablations,omitempty"`
	// Breaches are the conditions of a gate that do not hold.
	Breaches []score.Breach `json:"breaches,omitempty"`
}

// AddScore adds the section of scored replies; what breaks its gate becomes
// failures. reproduce is the command line that gives the section again.
func (r *Report) AddScore(s Score, reproduce string) {
	r.Score = &s
	for _, b := range s.Breaches {
		f := Failure{
			Suite: "corpus", ID: strings.Join(append([]string{b.Rule}, b.Group...), " · "),
			Status: harness.Fail, Title: b.Message, Reproduce: reproduce,
		}
		if len(b.Cases) > 0 {
			f.Message = "cases that became worse: " + strings.Join(b.Cases, ", ")
		}
		r.Failures = append(r.Failures, f)
	}
}

func (s *Score) blocks() []block {
	blocks := []block{s.overview()}
	blocks = append(blocks, s.rates("Reading", "parse_rate", "parse_rate_after_retry", "strict_rate", "extracted_rate", "repaired_rate", "coerced_rate")...)
	blocks = append(blocks, s.rates("Applying", "apply_rate", "apply_rate_after_retry", "intent_rate", "danger_rate", "loss_rate", "cut_off_rate")...)
	blocks = append(blocks, s.ladder(), s.failures(), s.tokens())
	blocks = append(blocks, s.rates("Token budget", "overflow_rate")...)
	if s.priced() {
		blocks = append(blocks, s.costs())
	}
	for _, a := range s.Ablations {
		blocks = append(blocks, ablation(a)...)
	}
	return slices.DeleteFunc(blocks, func(b block) bool {
		return b.table != nil && len(b.table.rows) == 0 && len(b.notes) == 0
	})
}

// overview says what was read, and what could not be.
func (s *Score) overview() block {
	b := block{title: "Corpora", notes: []string{
		fmt.Sprintf("%s: %d records (%s), %d of them retries; %d bad lines skipped",
			strings.Join(s.Corpora, ", "), s.Records, strings.Join(s.Sources, ", "), s.Retries, s.Bad),
	}}
	for _, p := range s.Problems {
		b.notes = append(b.notes, "  "+p)
	}
	if n := s.Bad - len(s.Problems); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("  and %d more", n))
	}
	why := map[string]int{}
	for _, g := range s.Groups {
		for reason, n := range g.Unscored {
			why[reason] += n
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		b.notes = append(b.notes, fmt.Sprintf("%d requests could not be scored on applying: %s", why[reason], reason))
	}
	return b
}

// keyColumns heads the columns that tell the groups apart.
func (s *Score) keyColumns() []column {
	if len(s.By) == 0 {
		return []column{{name: "group"}}
	}
	var columns []column
	for _, k := range s.By {
		columns = append(columns, column{name: k})
	}
	return columns
}

func (s *Score) keyCells(key []string) []cell {
	if len(s.By) == 0 {
		return []cell{text("all")}
	}
	var cells []cell
	for _, k := range key {
		if k == "" {
			k = "–"
		}
		cells = append(cells, text(k))
	}
	return cells
}

// rates lays rates out in as many tables as it takes to keep each within the
// width. Rates that are 0 in every group, and questions that did not arise,
// are named below instead.
func (s *Score) rates(title string, metrics ...string) []block {
	shown, never := []string{}, []string{}
	for _, m := range metrics {
		yes, n := s.sum(m)
		switch {
		case yes > 0:
			shown = append(shown, m)
		case n > 0:
			never = append(never, fmt.Sprintf("%s (0 of %d)", words(m), n))
		}
	}
	var blocks []block
	for chunk := range slices.Chunk(shown, s.fitting()) {
		t := table{title: title, columns: append(s.keyColumns(), column{"n", true})}
		for _, m := range chunk {
			t.columns = append(t.columns, column{rateName(strings.TrimSuffix(words(m), " rate")), true})
		}
		for _, g := range s.Groups {
			row := append(s.keyCells(g.Key), number(g.Requests))
			for _, m := range chunk {
				r, _ := g.Rate(m)
				row = append(row, interval(r, r.N != g.Requests))
			}
			t.rows = append(t.rows, row)
		}
		blocks = append(blocks, block{table: &t})
	}
	if len(never) > 0 {
		blocks = append(blocks, block{title: title + ": never", notes: []string{strings.Join(never, ", ")}})
	}
	return blocks
}

// fitting is how many rates go into a table beside the keys.
func (s *Score) fitting() int {
	const rateWidth, countWidth, padding = 20, 7, 2
	left := width - countWidth
	for i, c := range s.keyColumns() {
		most := twwidth.Width(c.name)
		for _, g := range s.Groups {
			most = max(most, twwidth.Width(escape.Terminal(s.keyCells(g.Key)[i].text)))
		}
		left -= most + padding
	}
	return max(1, left/rateWidth)
}

func (s *Score) sum(metric string) (yes, n int) {
	for _, g := range s.Groups {
		r, _ := g.Rate(metric)
		yes, n = yes+r.Yes, n+r.N
	}
	return yes, n
}

// words is the name of a metric as a column shows it.
func words(metric string) string { return strings.ReplaceAll(metric, "_", " ") }

// interval shows a rate in percent with its interval, and of how many where
// that is not said elsewhere.
func interval(r score.Rate, count bool) cell {
	if r.N == 0 {
		return cell{"–", style.Faint}
	}
	s := fmt.Sprintf("%.1f [%.1f–%.1f]", 100*r.Value, 100*r.Low, 100*r.High)
	if count {
		s += fmt.Sprintf(" of %d", r.N)
	}
	return text(s)
}

func (s *Score) ladder() block {
	t := table{title: "Where the ladder ended", columns: append(s.keyColumns(), column{"n", true})}
	if len(s.Groups) == 0 {
		return block{table: &t}
	}
	for _, r := range s.Groups[0].Rungs {
		t.columns = append(t.columns, column{r.Name, true})
	}
	t.columns = append(t.columns, column{rateName("fallback"), true})
	for _, g := range s.Groups {
		row, n := s.keyCells(g.Key), 0
		for _, r := range g.Rungs {
			n += r.N
		}
		row = append(row, number(n))
		for _, r := range g.Rungs {
			row = append(row, number(r.N))
		}
		fallback, _ := g.Rate(score.FallbackRate)
		t.rows = append(t.rows, append(row, interval(fallback, false)))
	}
	return block{table: &t, notes: []string{"n counts the requests that could be scored; fallback: the first rung did not do."}}
}

func (s *Score) failures() block {
	t := table{title: "Why first replies were refused", columns: append(s.keyColumns(), column{name: "code"}, column{"n", true}, column{name: "example"})}
	for _, g := range s.Groups {
		for _, f := range g.Failures {
			t.rows = append(t.rows, append(s.keyCells(g.Key), text(string(f.Code)), cell{strconv.Itoa(f.N), style.Bad}, text(f.Example)))
		}
	}
	if len(t.rows) == 0 {
		return block{table: &t}
	}
	files := "CORPUS"
	if len(s.Corpora) == 1 && !strings.HasPrefix(s.Corpora[0], "builtin/") {
		files = s.Corpora[0]
	} else if strings.HasPrefix(s.Corpora[0], "builtin/") {
		files = ""
	}
	command := strings.Join(strings.Fields("replanbench score "+files+" --id"), " ") + " EXAMPLE"
	return block{table: &t, notes: []string{"To see one: " + command}}
}

func (s *Score) tokens() block {
	t := table{title: "Tokens, p50 / p95 / most", columns: append(s.keyColumns(),
		column{"replies", true}, column{"prompt", true}, column{"reply", true}, column{"saving %", true})}
	if s.Budget > 0 {
		t.columns = append(t.columns, column{"of the budget %", true})
	}
	known := false
	for _, g := range s.Groups {
		known = known || g.Tokens.Reply.N > 0
		row := append(s.keyCells(g.Key), number(g.Tokens.Reply.N), spread(g.Tokens.Prompt), spread(g.Tokens.Reply), saving(g.Tokens))
		if s.Budget > 0 {
			row = append(row, share(g.Tokens.Total, s.Budget))
		}
		t.rows = append(t.rows, row)
	}
	if !known {
		t.rows = nil
		return block{table: &t}
	}
	return block{table: &t, notes: []string{
		"As the endpoint reported them, else counted. Saving: what applied patches are shorter than the plans that came of them.",
	}}
}

func spread(s score.Spread) cell {
	if s.N == 0 {
		return cell{"–", style.Faint}
	}
	return text(fmt.Sprintf("%d / %d / %d", s.P50, s.P95, s.Max))
}

func saving(t score.Tokens) cell {
	share, ok := t.Saving()
	if !ok {
		return cell{"–", style.Faint}
	}
	return text(fmt.Sprintf("%.1f", 100*share))
}

func share(s score.Spread, budget int) cell {
	if s.N == 0 {
		return cell{"–", style.Faint}
	}
	of := func(n int) float64 { return 100 * float64(n) / float64(budget) }
	return text(fmt.Sprintf("%.1f / %.1f / %.1f", of(s.P50), of(s.P95), of(s.Max)))
}

func (s *Score) priced() bool {
	return slices.ContainsFunc(s.Groups, func(g score.Group) bool { return g.Cost != nil })
}

func (s *Score) costs() block {
	t := table{title: "Cost", columns: append(s.keyColumns(), column{"amount", true}, column{name: "currency"}, column{"without a price", true})}
	for _, g := range s.Groups {
		if c := g.Cost; c != nil {
			t.rows = append(t.rows, append(s.keyCells(g.Key), text(fmt.Sprintf("%.4f", c.Amount)), text(c.Currency), number(c.Unpriced)))
		}
	}
	return block{table: &t}
}

// ablation shows what the rules read and apply, and then what that is worth.
func ablation(a score.Ablation) []block {
	what := fmt.Sprintf("%s replies, %d requests", a.Source, a.Requests-a.Unscored)
	rates := table{title: "What each rule takes, alone (" + what + ")", columns: []column{
		{name: "rule"}, {rateName("parsed"), true}, {rateName("applied"), true},
	}}
	worth := table{title: "What each rule buys over the strict rules", columns: []column{
		{name: "rule"}, {"gained", true}, {"lost", true}, {"changed", true}, {"against intent", true}, {"cut off", true}, {name: "example"},
	}}
	acts := table{title: "What had to be mended, bent or resolved for it", columns: []column{
		{name: "rule"}, {name: "act"}, {"gained", true}, {"alone", true},
	}}
	for _, b := range a.Rules {
		rates.rows = append(rates.rows, []cell{text(b.Rule), interval(b.Parsed, false), interval(b.Applied, false)})
		if b.Rule == "none" {
			continue
		}
		example := b.GainedExample
		if b.WrongExample != "" {
			example = b.WrongExample
		}
		worth.rows = append(worth.rows, []cell{
			text(b.Rule), number(b.Gained), number(b.Lost), number(b.Changed), wrong(b), number(b.CutOff), text(example),
		})
		for _, act := range b.Acts {
			acts.rows = append(acts.rows, []cell{text(b.Rule), text(act.Rule), number(act.Gained), number(act.Alone)})
		}
	}
	return []block{{table: &rates}, {table: &worth, notes: []string{
		"Gained, lost: applied with the rule only, without it only. Changed: another plan came out.",
		"Against intent: of the gained, those that do something else than the record says was meant. Cut off: gained from a reply that was not finished.",
	}}, {table: &acts}}
}

func wrong(b score.Buy) cell {
	if b.Judged == 0 {
		return cell{"–", style.Faint}
	}
	c := text(fmt.Sprintf("%d of %d", b.Wrong, b.Judged))
	if b.Wrong > 0 {
		c.tone = style.Bad
	}
	return c
}

// line is the section in a few words.
func (s *Score) line() string {
	requests := 0
	for _, g := range s.Groups {
		requests += g.Requests
	}
	line := fmt.Sprintf("%d replies scored in %d requests", s.Records, requests)
	if s.Bad > 0 {
		line += fmt.Sprintf(", %d bad lines skipped", s.Bad)
	}
	return line
}
