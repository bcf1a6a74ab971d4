package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness"
	"replanbench/harness/document/collect"
	"replanbench/harness/document/style"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/score"
	"replanbench/reports/measure"
)

// Comparison is the section of two results side by side.
type Comparison struct {
	Base string `json:"base"` // name of the baseline
	New  string `json:"new"`
	score.Comparison
	// Changes are the cases that were lost and gained, with a reply of each side.
	Changes []score.Change `json:"changes,omitempty"`
}

func (c *Comparison) tables() []measure.Table {
	notes := c.legend()
	notes = append(notes, damaged(c.Base+": ", c.BaseDamaged)...)
	notes = append(notes, damaged(c.New+": ", c.NewDamaged)...)
	for _, r := range c.Rows {
		switch {
		case r.Verdict == score.TooFew && r.More() > 0:
			notes = append(notes, "  "+c.label(r)+": "+c.needed(r))
		case r.Verdict == score.NoDifference:
			notes = append(notes, "  "+c.label(r)+": "+c.ruledOut(r))
		}
	}
	for _, key := range c.Unmatched {
		notes = append(notes, "Only in one of the results: "+strings.Join(key, ", "))
	}
	effects, data := c.effects(true), measure.Table{Hidden: true}
	effects.Notes = notes
	for i := range c.Rows {
		data.Add(c.measures(&c.Rows[i])...)
	}
	list := append([]measure.Table{effects, data}, c.confusions()...)
	if flips := c.flips(); flips != nil {
		list = append(list, measure.Note("Cases that became worse", flips...))
	}
	for i := range list {
		list[i].Section = "comparison"
	}
	return list
}

// effects returns the differences of all groups in one table. full adds the number of cases and p.
func (c *Comparison) effects(full bool) measure.Table {
	var by []string
	for i, name := range c.By {
		if c.varies(i) {
			by = append(by, name)
		}
	}
	t := measure.Table{Title: c.New + " against " + c.Base, Long: true, Again: true, Columns: []measure.Column{
		measure.TextCol("metric", false, "", shortMetric),
	}}
	switch {
	case by != nil:
		t.Title += ", by " + strings.Join(by, " and ")
		t.Columns = append(t.Columns, measure.KeyCol(strings.Join(by, " · "), by...))
	case full && len(c.Rows) > 0:
		t.Title = keyed(append([]string{t.Title}, c.Rows[0].Key...)...)
	}
	difference, p := "difference", []measure.Column(nil)
	if full {
		t.Columns = append(t.Columns, measure.NCol("pairs", ""))
		p = []measure.Column{measure.TextCol("p", true, "", pValue)}
		if slices.ContainsFunc(c.Rows, func(r score.Row) bool { return !r.Bare }) {
			difference += " [95 % CI]"
		}
	}
	t.Columns = append(t.Columns,
		measure.KeyCol("was → is", "values"), measure.TextCol(difference, true, "", func(m *measure.Measure) string {
			return strings.Replace(m.Cell().Text, ", ", ",", 1) // so that no line ends in it
		}))
	t.Columns = append(append(t.Columns, p...), measure.CellCol("verdict", false, "", func(m *measure.Measure) measure.Cell {
		text := shortVerdict(score.Verdict(m.Text))
		if !full && m.Text == string(score.TooFew) && m.Test.Needed > 0 { // else a note says it
			text += fmt.Sprintf(" +%d", m.Test.Needed)
		}
		return measure.Cell{Text: text, Tone: m.Tone}
	}))
	rows := c.ranked()
	for i := range rows {
		t.Add(c.effect(&rows[i]))
	}
	return t
}

// certain is 1 if a metric became better or worse, otherwise 0.
func (c *Comparison) certain() int {
	return collect.One(slices.ContainsFunc(c.Rows, func(r score.Row) bool {
		return !r.Informational && (r.Verdict == score.Better || r.Verdict == score.Worse)
	}))
}

// ranked returns the rows in the order of readers: first what applies, as the answer, then the other metrics. Of both,
// certain differences come first and those that are ruled out last.
func (c *Comparison) ranked() []score.Row {
	order := []score.Verdict{score.Worse, score.Better, score.TooFew, score.NoDifference, score.NoSample}
	place := func(r score.Row) int {
		at := slices.Index(order, r.Verdict)
		switch {
		case r.Informational:
			at += 2 * len(order)
		case r.Metric != score.ApplyRate:
			at += len(order)
		}
		return at
	}
	rows := slices.Clone(c.Rows)
	metrics := collect.Map(rows, func(r score.Row) string { return r.Metric }) // one after the other, each of all groups
	slices.SortStableFunc(rows, func(a, b score.Row) int {
		return cmp.Or(place(a)-place(b), slices.Index(metrics, a.Metric)-slices.Index(metrics, b.Metric))
	})
	return rows
}

// effect returns the difference of a row with both values and what its cases can detect.
func (c *Comparison) effect(r *score.Row) measure.Measure {
	list := c.measures(r)
	d := list[2]
	d.Keys = d.Keys.With("values", list[0].Cell().Text+" → "+list[1].Cell().Text)
	return d.In(verdictOf(score.Verdict(d.Text)))
}

// certainty explains the verdicts of the tables of effects, and says which differences the
// cases can detect.
func certainty(list []*Comparison) []string {
	var found []float64
	none, tests := false, 0
	for _, c := range list {
		tests = max(tests, c.Questions)
		for _, r := range c.Rows {
			if r.Verdict == score.TooFew && r.Detectable > 0 && !isMean(r.Metric) {
				found = append(found, 100*r.Detectable)
			}
			none = none || r.Verdict == score.NoDifference
		}
	}
	notes := measure.Notes{"Rates in %, differences in points with 95 % intervals."}
	if tests > 1 && len(found) > 0 {
		notes[0] += " Verdicts are corrected for several tests, intervals are not."
	}
	if len(found) > 0 {
		notes = append(notes, fmt.Sprintf("Too few +N: these cases detect a difference of %s points (power 80 %%), "+
			"and with N more one of %.3g.",
			between(slices.Min(found), slices.Max(found)), 100*list[0].Detect))
	}
	notes.If(none, "None shown: a difference of %.3g points or more is ruled out.", 100*list[0].Detect)
	return notes
}

// between writes a range of numbers.
func between(low, high float64) string {
	if a, b := fmt.Sprintf("%.1f", low), fmt.Sprintf("%.1f", high); a != b {
		return a + " to " + b
	}
	return fmt.Sprintf("%.1f", low)
}

// legend returns the notes that explain the tables.
func (c *Comparison) legend() []string {
	notes := measure.Notes{"Rates in %; each case counts once."}
	bare := collect.Count(c.Rows, func(r score.Row) bool { return r.Bare })
	if bare < len(c.Rows) || bare == 0 {
		notes = append(notes, correction(c.Questions, len(c.Rows)-bare),
			fmt.Sprintf("None shown: a difference of %.3g points or more is ruled out. Too few: such a difference is still "+
				"possible.", 100*c.Detect))
	}
	notes.If(bare > 0, "No sample: documented replies are written by hand, so nothing is tested.")
	return notes
}

// keys returns the keys of a group: both sides, and the keys of the results.
func (c *Comparison) keys(values []string) measure.Keys {
	k := measure.By("before", c.Base, "after", c.New)
	for i, v := range values {
		name := fmt.Sprintf("key_%d", i+1) // a report of an old version lacks the name
		if i < len(c.By) {
			name = c.By[i]
		}
		k = k.With(name, v)
	}
	return k
}

// confusions returns tables of the outcomes of cases: before in rows, after in columns.
// They omit outcomes that no case has.
func (c *Comparison) confusions() (list []measure.Table) {
	for _, x := range c.Confusions {
		t := measure.Table{
			Title:   keyed(append([]string{"Outcomes by case, " + c.Base + " (rows) → " + c.New + " (columns)"}, c.differing(x.Key)...)...),
			Columns: []measure.Column{measure.KeyCol("before", "outcome_before")},
		}
		met := func(i int) bool {
			for j := range x.Cells {
				if x.Cells[i][j]+x.Cells[j][i] > 0 {
					return true
				}
			}
			return false
		}
		for i, from := range x.Outcomes {
			if !met(i) {
				continue
			}
			t.Columns = append(t.Columns, measure.Col(from, "cases", measure.Key{Name: "outcome_after", Value: from}))
			for j, to := range x.Outcomes {
				n := x.Cells[i][j]
				m := c.keys(x.Key).With("outcome_before", from, "outcome_after", to).Count("cases", n)
				switch {
				case n == 0 || i == j:
					m = m.In(style.Faint)
				case j < i:
					m = m.In(style.Good)
				default:
					m = m.In(style.Bad)
				}
				t.Add(m)
			}
		}
		list = append(list, t)
	}
	return list
}

// correction says for how many tests the p-values of the rows are corrected.
func correction(tests, rows int) string {
	if tests == 0 {
		return "Too few cases changed, so nothing was tested."
	}
	note := "p is Holm-corrected for " + counted(tests, "test") + ", the intervals are not."
	if tests < rows {
		note += " (The other rows repeat a test, or too few of their cases changed.)"
	}
	return note
}

// measures returns the values of both sides and their difference.
func (c *Comparison) measures(r *score.Row) []measure.Measure {
	k, unit, scale := c.keys(r.Key), measure.Share, 100.0
	if isMean(r.Metric) {
		unit, scale = measure.Tokens, 1
	}
	side := func(name string, value float64) measure.Measure {
		m := k.With("side", name).Figure(r.Metric, unit, value).As("%.1f", scale*value)
		m.N = new(int64(r.Pairs))
		return m
	}
	d := side("difference", r.Difference).Saying(string(r.Verdict))
	if r.Informational && (r.Verdict == score.Better || r.Verdict == score.Worse) {
		d = d.Saying(informational(r))
	}
	if unit == measure.Share {
		d.Unit = measure.Difference
	}
	if score.LowerIsBetter(r.Metric) {
		d.Better = "lower"
	} else {
		d.Better = "higher"
	}
	switch {
	case r.Bare:
		d = d.As("%+.1f", scale*r.Difference)
	case isMean(r.Metric) && r.Pairs < 2: // the spread of a mean is unknown with a single pair
		d = d.As("%+.1f [unknown]", scale*r.Difference)
	default:
		d = d.Between(r.Low, r.High).As("%+.1f [%+.1f, %+.1f]", scale*r.Difference, scale*r.Low, scale*r.High)
	}
	if !r.Bare {
		d.Test = &measure.Test{P: r.P, Corrected: r.Corrected, Needed: r.More(), Detectable: r.Detectable}
	}
	return []measure.Measure{side("before", r.Base), side("after", r.New), d}
}

// informational is the verdict of tokens that fail nothing.
func informational(r *score.Row) string {
	if r.Difference > 0 {
		return "more"
	}
	return "fewer"
}

// pValue shows the corrected p-value of a difference.
func pValue(m *measure.Measure) string {
	if m.Test == nil {
		return "–"
	}
	return shortP(m.Test.Corrected)
}

// shortP writes a p-value; no test makes it zero.
func shortP(p float64) string {
	if p < 0.001 {
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", p)
}

// shortMetric returns the name of a metric for a narrow column.
func shortMetric(m *measure.Measure) string {
	return strings.Replace(measure.Named(m.Name), " rate", "", 1)
}

// needed says which difference the cases can detect, and how many more cases detect the
// difference of interest.
func (c *Comparison) needed(r score.Row) string {
	size := func(difference float64) string {
		if isMean(r.Metric) {
			return fmt.Sprintf("%.1f tokens", difference)
		}
		return fmt.Sprintf("%.3g points", 100*difference)
	}
	interest := c.Detect
	if isMean(r.Metric) {
		interest *= r.Base
	}
	more := "needs " + counted(r.More(), "more case")
	switch {
	case r.Detectable == 0:
		return "detecting " + size(interest) + " " + more
	case r.Detectable <= interest: // the difference seen is the obstacle
		return "deciding between no difference and " + size(interest) + " " + more
	}
	return fmt.Sprintf("%s can detect a difference of %s or more (power 80 %%); detecting %s %s",
		counted(r.Pairs, "case"), size(r.Detectable), size(interest), more)
}

// ruledOut shows the interval that rules a difference out. It is narrower than the one of the
// table, because only one side can be wrong.
func (c *Comparison) ruledOut(r score.Row) string {
	scale := 100.0
	if isMean(r.Metric) {
		scale = 1
	}
	return fmt.Sprintf("%.3g %% CI [%+.1f, %+.1f]", 100*(1-2*c.Alpha), scale*r.RulesOutLow, scale*r.RulesOutHigh)
}

// isMean reports whether a metric is a mean number of tokens.
func isMean(metric string) bool { return strings.HasSuffix(metric, "_tokens") }

func (c *Comparison) label(r score.Row) string {
	return keyed(append(c.differing(r.Key), measure.Named(r.Metric))...)
}

// varies reports whether the groups differ in the key at this place.
func (c *Comparison) varies(i int) bool {
	value := func(key []string) string { // a damaged report may lack some
		if i < len(key) {
			return key[i]
		}
		return ""
	}
	return slices.ContainsFunc(c.Rows, func(r score.Row) bool { return value(r.Key) != value(c.Rows[0].Key) })
}

// differing returns the values of a group in which the groups differ; of a single group, all.
func (c *Comparison) differing(key []string) (values []string) {
	for i, v := range key {
		if c.varies(i) {
			values = append(values, v)
		}
	}
	if values == nil {
		return slices.Clip(key)
	}
	return values
}

// keyed joins values of a group; an empty value is "–".
func keyed(values ...string) string { return strings.Join(shownKeys(values), ", ") }

func shownKeys(values []string) []string {
	return collect.Map(values, func(v string) string { return cmp.Or(v, "–") })
}

// shortVerdict returns a verdict that fits into a column.
func shortVerdict(v score.Verdict) string {
	if v == score.NoDifference {
		return "none shown"
	}
	return string(v)
}

func verdictOf(v score.Verdict) style.Tone {
	return map[score.Verdict]style.Tone{score.Better: style.Good, score.Worse: style.Bad, score.TooFew: style.Doubtful}[v]
}

// flips names the cases that became worse: all known ones if the metric became worse, else
// at most five.
func (c *Comparison) flips() []string {
	const few = 5
	var lines []string
	for _, r := range c.Rows {
		names := r.Flipped
		if r.Verdict != score.Worse || r.Informational {
			names = names[:min(few, len(names))]
		}
		if len(names) == 0 {
			continue
		}
		line := c.label(r) + ": " + strings.Join(names, ", ")
		if n := r.Worsened - len(names); n > 0 {
			line += fmt.Sprintf(" and %d more", n)
		}
		lines = append(lines, line)
	}
	return lines
}

// line summarizes the section.
func (c *Comparison) line() string {
	counts, n := map[score.Verdict]int{}, 0
	for _, r := range c.Rows {
		if !r.Informational {
			counts[r.Verdict]++
			n++
		}
	}
	var parts measure.Notes
	for _, v := range []score.Verdict{score.Better, score.Worse, score.NoDifference, score.TooFew, score.NoSample} {
		parts.If(counts[v] > 0, "%d %s", counts[v], v)
	}
	return counted(n, "comparison") + ": " + strings.Join(parts, ", ")
}

// AddComparison adds the section. A metric that became worse fails the gate.
func (r *Report) AddComparison(c Comparison, reproduce string) {
	r.Comparison = &c
	for _, row := range c.Rows {
		if row.Verdict == score.Worse && !row.Informational {
			r.Failures = append(r.Failures, Failure{
				Suite: suiteCompare, ID: strings.Join(append(slices.Clip(row.Key), row.Metric), " · "), Status: "fail",
				Title:     fmt.Sprintf("%s became worse: %.4f → %.4f (p %.2g)", row.Metric, row.Base, row.New, row.Corrected),
				Reproduce: reproduce,
			})
		}
	}
}

// plots returns one plot: the differences of rates, with a line at no difference.
func (c *Comparison) plots() []measure.Plot {
	p := measure.Plot{
		Title: "What changed from " + c.Base + " to " + c.New + "?", Rows: []string{"name"}, Marks: "side",
		Note: "Differences in points with 95 % intervals; right of the line a rate is higher.", Line: new(0.0),
	}
	for _, r := range c.ranked() {
		if r.Bare || isMean(r.Metric) {
			continue
		}
		name := strings.Join(append([]string{measure.Named(r.Metric)}, shownKeys(c.differing(r.Key))...), " · ")
		d := measure.By("name", name, "side", "difference").Figure(r.Metric, measure.Difference, r.Difference)
		p.Measures = append(p.Measures, d.Between(r.Low, r.High).In(verdictOf(r.Verdict)).
			As("%+.1f, %s", 100*r.Difference, shortVerdict(r.Verdict)))
	}
	return []measure.Plot{p}
}

// Wrong returns the sorted names of all failures, scenarios and causes that are wrong,
// including known ones. A cause is named by its groups.
func (r *Report) Wrong() (names []string) {
	names = collect.Map(r.Failures, func(f Failure) string { return f.ID })
	for _, s := range r.Scenarios.wrong() {
		names = append(names, s.ID)
	}
	for _, c := range r.campaigns() {
		for _, x := range c.Causes {
			names = append(names, x.Name(c.Dialect))
		}
		for _, g := range c.Groups {
			names = append(names, g.Name(c.Dialect))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Comparable reports whether both reports have failures of one suite, or could have them.
func (r *Report) Comparable(before *Report) bool {
	list := before.chapters()
	return slices.ContainsFunc(r.chapters(), func(a chapter) bool {
		return a.judged && slices.ContainsFunc(list, func(b chapter) bool { return a.suite == b.suite && b.judged })
	})
}

// Forgive makes causes and scenarios known that were wrong in an earlier report too, and other
// failures advisory.
func (r *Report) Forgive(before *Report, why string) {
	names, again := before.Wrong(), map[string]bool{}
	for _, c := range r.campaigns() {
		isKnown := c.KnownGroups(func(name string) bool { return slices.Contains(names, name) })
		groups := map[string]bool{}
		for _, x := range c.Causes {
			name := x.Name(c.Dialect)
			fails := slices.ContainsFunc(r.Failures, func(f Failure) bool { return f.Suite == suiteFuzz && f.ID == name })
			if _, fresh := c.Fresh(x, isKnown); fresh == "" && fails {
				again[name] = true
				for _, id := range x.Groups {
					groups[id] = true
				}
			}
		}
		now := c.Statuses(func(g cause.Group) bool { return groups[g.ID] && isKnown(g) })
		for status, n := range c.Statuses(nil) {
			r.Summary.know(status, int(n)-int(now[status]))
		}
	}
	for _, x := range r.Scenarios.wrong() {
		if x.Status != harness.Known && slices.Contains(names, x.ID) {
			r.Summary.know(x.Status, 1)
			x.Status, x.Reason, again[x.ID] = harness.Known, why, true
		}
	}
	r.Failures = slices.DeleteFunc(r.Failures, func(f Failure) bool {
		return (f.Suite == suiteFuzz || f.Suite == suiteScenarios) && again[f.ID]
	})
	for i := range r.Failures {
		f := &r.Failures[i]
		explained := f.Suite == suiteScenarios && slices.Contains(names, f.ID) // by a cause, or a failure
		if !f.Advisory && (explained || slices.ContainsFunc(before.Failures, func(o Failure) bool {
			return o.Suite == f.Suite && o.ID == f.ID
		})) {
			f.Advisory, f.Title = true, why
		}
	}
}
