package reports

import (
	"encoding/csv"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/score/stats"
)

// record is a figure or a failure: a row of the CSV. The CSV has the long form, so that
// spreadsheets and data frames can pivot it.
type record struct {
	section, subject, measure string
	// count and n: the figure is a share only if it has an n.
	count, n string
	share    string // a share from 0 to 1, or a mean
	low      string // of the 95 % interval
	high     string
	text     string
	again    string // the command line that reproduces it
}

func recordNames() []string {
	return []string{"section", "subject", "measure", "count", "n", "share", "low", "high", "text", "reproduce"}
}

// CSV writes every figure and every failure of the report as one table with a header
// (RFC 4180). Rates are shares from 0 to 1. Spreadsheets do not read foreign texts as
// formulas. With chosen columns of scores it writes only their table.
func (r *Report) CSV(w io.Writer) error {
	if table, ok := r.tabled(); ok {
		return csvTable(w, table)
	}
	out := csv.NewWriter(w)
	out.UseCRLF = true
	if err := out.Write(recordNames()); err != nil {
		return fmt.Errorf("write CSV: %w", err)
	}
	for _, x := range r.records() {
		row := []string{
			cellText(x.section), cellText(x.subject), cellText(x.measure), x.count, x.n, x.share, x.low, x.high,
			cellText(x.text), cellText(x.again),
		}
		if err := out.Write(row); err != nil {
			return fmt.Errorf("write CSV: %w", err)
		}
	}
	out.Flush()
	return out.Error()
}

// cellText escapes foreign text that a spreadsheet could read as a formula, with an
// apostrophe.
func cellText(s string) string {
	s = escape.Terminal(s)
	if s != "" && strings.Contains("=+-@\uff1d\uff0b\uff0d\uff20", string([]rune(s)[:1])) {
		return "'" + s
	}
	return s
}

func (r *Report) records() []record {
	list := []record{
		{section: "report", measure: "verdict", text: string(r.Verdict)},
		{section: "report", measure: "engine", text: strings.TrimSpace(r.Engine.Name + " " + r.Engine.Version)},
	}
	for _, t := range harness.Statuses() {
		list = append(list, portion("summary", "", t.Name, r.Summary.Counts[harness.Status(t.Name)], r.Summary.Cases))
	}
	list = slices.Concat(list,
		of(r.League, (*League).records), of(r.Scenarios, (*Scenarios).records), of(r.Fuzz, (*Fuzz).records),
		of(r.Trim, (*Trim).records), of(r.Agent, (*Agent).records), of(r.Calibration, (*Calibration).records),
		of(r.Naming, (*Naming).records), of(r.Shown, (*Shown).records), of(r.Score, (*Score).records),
		of(r.Comparison, (*Comparison).records), of(r.Live, (*Live).records),
		of(r.Protocols, (*Protocols).records),
	)
	for _, c := range r.Coverage {
		for _, i := range c.Items {
			list = append(list, record{section: "coverage", subject: c.Kind, measure: i.Name, count: strconv.Itoa(i.N)})
		}
	}
	for _, f := range r.Failures {
		list = append(list, record{
			section: "failure", subject: path.Join(f.Suite, f.name()), measure: string(f.Status),
			text: f.reason(), again: f.Reproduce,
		})
	}
	return list
}

// portion returns k of n with its Wilson interval.
func portion(section, subject, measure string, k, n int) record {
	x := record{section: section, subject: subject, measure: measure, count: strconv.Itoa(k), n: strconv.Itoa(n)}
	if n > 0 && k >= 0 && k <= n {
		lo, hi := stats.Wilson(k, n, confidence)
		x.share, x.low, x.high = decimal(float64(k)/float64(n)), decimal(lo), decimal(hi)
	}
	return x
}

func count(section, subject, measure string, n int) record {
	return record{section: section, subject: subject, measure: measure, count: strconv.Itoa(n)}
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

func (s *Scenarios) records() []record {
	list := make([]record, len(s.Results))
	for i, x := range s.Results {
		list[i] = record{section: "scenarios", subject: x.ID, measure: string(x.Status), text: x.Reason}
	}
	return list
}

func (f *Fuzz) records() []record {
	var list []record
	for i := range f.Campaigns {
		list = append(list, campaignRecords(&f.Campaigns[i])...)
	}
	return list
}

func campaignRecords(c *campaign.Result) []record {
	subject := fmt.Sprintf("%s seed %d", c.Dialect, c.Seed)
	if c.Source != "" {
		subject = c.Title()
	}
	list := []record{
		count("fuzz", subject, "cases", int(c.Cases)),
		portion("fuzz", subject, "valid", int(c.Valid), int(c.Cases)),
		portion("fuzz", subject, "accepted", int(c.Accepted), int(c.Valid)),
	}
	broken := brokenChecks(c)
	for _, k := range all.Rules(c.Dialect).Checks {
		if n := c.Coverage.Checks[k.Name]; n > 0 || broken[k.Name] > 0 {
			list = append(list, portion("fuzz", subject, "broken: "+k.Name, int(broken[k.Name]), int(n)))
		} else {
			list = append(list, record{section: "fuzz", subject: subject, measure: "broken: " + k.Name, text: c.Check(k.Name)})
		}
	}
	for _, k := range campaignTallies(c) {
		for _, name := range k.tally.Names() {
			list = append(list, count("fuzz", subject, k.name+": "+name, int(k.tally[name])))
		}
	}
	return list
}

func (t *Trim) records() []record {
	var list []record
	tallies := func(subject string, tallies []simulate.Tally) {
		list = append(list, trimRecords("trim", subject, tallies)...)
	}
	for i := range t.Single {
		for k := range t.Single[i].Policies {
			p := &t.Single[i].Policies[k]
			tallies(t.Single[i].Name, []simulate.Tally{p.Tally})
		}
	}
	if t.Many != nil {
		tallies(t.Many.Name, t.Many.Tallies)
		for _, b := range t.Many.Sweep {
			tallies(fmt.Sprintf("budget %d %%", b.Percent), b.Tallies)
		}
	}
	return list
}

// trimRecords returns the results of policies over histories.
func trimRecords(section, subject string, tallies []simulate.Tally) []record {
	var list []record
	for i := range tallies {
		x := &tallies[i]
		subject := subject + " · " + x.Policy
		for _, m := range trimMeasures(x) {
			list = append(list, portion(section, subject, m.name, m.rate.K, m.rate.N))
		}
		list = append(list, count(section, subject, "tokens before", x.TokensBefore),
			count(section, subject, "tokens after", x.TokensAfter))
	}
	return list
}

// trimMeasure is a named rate of a tally.
type trimMeasure struct {
	name string
	rate simulate.Rate
}

func trimMeasures(t *simulate.Tally) []trimMeasure {
	return []trimMeasure{
		{"over before", t.OverBefore},
		{"over after", t.OverAfter},
		{"cannot fit", t.CannotFit},
		{"constraints kept", t.Constraints},
		{"plan kept", t.Plan},
		{"user message kept", t.LastUser},
		{"roles broken", t.Alternation},
		{"orphans", t.Orphans},
		{"safe", t.Safe},
	}
}

func (c *Calibration) records() []record {
	var list []record
	for _, d := range c.Defects {
		x := portion("calibration", d.Name, "killed", d.Killed, len(d.Hunts))
		x.text = strings.Join(d.Checks, " ")
		list = append(list, x, count("calibration", d.Name, "cases until found", d.Cases),
			count("calibration", d.Name, "steps", d.Steps), count("calibration", d.Name, "operations", d.Operations))
	}
	return list
}
