package reports

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/harness/score"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
)

// Score is the section of scored replies.
type Score struct {
	score.Result
	Ablations []score.Ablation `json:"ablations,omitempty"`
	// Columns are the columns of the only table; nil: the report shows all tables.
	Columns []string `json:"columns,omitempty"`
	// Gate contains the conditions for the scores of all shards, in the report of a shard.
	Gate *score.Gate `json:"gate,omitzero"`
	// Reproduce is the command line of the whole run, in the report of a shard.
	Reproduce string `json:"reproduce,omitzero"`
	// Breaches are the violated conditions of the gate.
	Breaches []score.Breach `json:"breaches,omitempty"`
}

// readScore reads a section of this or the previous version, which repeated the figures
// of the chosen columns as a table.
func readScore(dec *jsontext.Decoder, s *Score) error {
	type section Score
	x := struct {
		section
		Table jsontext.Value `json:"table"`
	}{}
	err := json.UnmarshalDecode(dec, &x)
	*s = Score(x.section)
	return err
}

// AddScore adds the section of scored replies, and a failure for each violated condition
// of its gate. reproduce is the command line that makes the section.
func (r *Report) AddScore(s Score, reproduce string) {
	if r.Score = &s; r.Part != nil {
		s.Reproduce = reproduce
	}
	for _, b := range s.Breaches {
		f := Failure{
			Suite: suiteCorpus, ID: strings.Join(append([]string{b.Rule}, b.Group...), " · "),
			Status: harness.Fail, Title: b.Message, Reproduce: reproduce,
		}
		if len(b.Cases) > 0 {
			f.Message = "cases that became worse: " + strings.Join(b.Cases, ", ")
		}
		r.Failures = append(r.Failures, f)
	}
}

func (s *Score) tables() []measure.Table {
	first := s.overview()
	if s.Columns != nil {
		one := s.oneTable()
		one.Notes = append(first.Notes, s.legend()...)
		return []measure.Table{one}
	}
	list := []measure.Table{first, s.counts()}
	for _, v := range s.views() {
		list = append(list, v.tables()...)
	}
	list = append(list, s.overflow()...)
	for i := range s.Ablations {
		list = append(list, ablation(&s.Ablations[i])...)
	}
	return list
}

// subject names the corpora.
func (s *Score) subject() string {
	names := slices.Clone(s.Corpora)
	for i, name := range names {
		if strings.HasPrefix(name, corpora.BuiltinName+"/") {
			names[i] = corpora.BuiltinName
		}
	}
	return someOf(slices.Compact(names))
}

// next returns the command that compares the first two groups that differ in one key, after a score
// of one file with the usual rules.
func (s *Score) next(command string) []screen.Step {
	file, flags := s.subject(), strings.Count(command, " --")-strings.Count(command, " --by ")
	if !strings.HasPrefix(command, "score") || flags > 0 || strings.Contains(file, " ") {
		return nil
	}
	for i, a := range s.Groups {
		for _, b := range s.Groups[i+1:] {
			args, other := []string{"replanbench", "compare", file, file}, []string(nil)
			for k, key := range s.By {
				if a.Key[k] != "" {
					args = append(args, "--where", key+"="+a.Key[k])
				}
				if a.Key[k] != b.Key[k] {
					other = append(other, "--new-where", key+"="+b.Key[k])
				}
			}
			if len(other) == 2 && !strings.HasPrefix(other[1], "source=") {
				return []screen.Step{{Why: "Compare two groups", Command: escape.Shell(append(args, other...)...)}}
			}
		}
	}
	return nil
}

// answer returns the rates that matter most, by group; of an ablation what each rule gains.
func (s *Score) answer() (list []measure.Table) {
	if s.Columns != nil {
		return []measure.Table{s.oneTable()}
	}
	for i := range s.Ablations {
		list = append(list, ablation(&s.Ablations[i])[1])
	}
	if list != nil {
		return list
	}
	for _, v := range s.views() {
		if p := v.prompts(); len(p) > 1 { // trimming was asked for
			list = append(list, p[1])
		}
		list = append(list, v.rates("Replies", score.ApplyRate, "overflow_rate", "parse_rate", "danger_rate", "loss_rate"))
	}
	return list
}

// counts returns the numbers of records, for programs.
func (s *Score) counts() measure.Table {
	k := measure.Keys(nil)
	return measure.Table{Hidden: true, Measures: []measure.Measure{
		k.Count("records", s.Records), k.Count("retries", s.Retries), k.Count("left_out", s.Left), k.Count("bad_lines", s.Bad),
		k.Count("requests_without_reply", s.Failed),
	}}
}

// scoreView contains the groups of one source. A table never mixes recorded, synthetic
// and documented replies.
type scoreView struct {
	source string
	by     []string // the keys of the groups, without the source
	groups []*score.Group
	keys   []measure.Keys // of the groups
	list   []measure.Measure
	budget int
	files  []string
}

func (s *Score) views() []scoreView {
	var views []scoreView
	for _, source := range s.Sources {
		v := scoreView{source: source, budget: s.Budget, files: s.Corpora}
		v.by = slices.DeleteFunc(slices.Clone(s.By), func(key string) bool { return key == "source" })
		for i := range s.Groups {
			k := s.keys(s.By, s.Groups[i].Key)
			if k.Get("source") == source {
				v.groups, v.keys = append(v.groups, &s.Groups[i]), append(v.keys, k)
				v.list = append(v.list, groupMeasures(k, &s.Groups[i], s.Budget)...)
			}
		}
		views = append(views, v)
	}
	return views
}

// keys returns the keys of a group, the source among them.
func (s *Score) keys(by, values []string) (k measure.Keys) {
	for i, name := range by {
		k = k.With(name, values[i])
	}
	if !slices.Contains(by, "source") && len(s.Sources) == 1 {
		k = k.With("source", s.Sources[0])
	}
	return k
}

func (v *scoreView) tables() []measure.Table {
	list := []measure.Table{
		{Hidden: true, Measures: v.list},
		v.rates("Reading", "parse_rate", "parse_rate_after_retry", "strict_rate", "extracted_rate", "repaired_rate",
			"coerced_rate"),
		v.rates("Applying", "apply_rate", "apply_rate_after_retry", "intent_rate", "metadata_only_rate", "danger_rate", "loss_rate",
			score.ConflictRate, "cut_off_rate"),
		v.items(),
		v.listed(),
		v.table("Replies that endanger finished work", []string{"danger"}, measure.KeyCol("kind", "kind"),
			measure.Col("cells", "danger"), measure.WordCol("example", "danger"), measure.KeyCol("step", "step")),
		v.table("Cells without an apply score", []string{"unscored"}, measure.Col("n", "unscored"),
			measure.NCol("of", "unscored"), measure.KeyCol("why", "reason")),
		v.passes(), v.ladder(),
		v.rates("Fallback", "fallback_rate", "retry_rate", "fullplan_rate", "react_rate", "failed_rate"),
		v.failures(), v.tokens(),
		v.rates("Token budget", "overflow_rate"),
	}
	list = append(list, v.prompts()...)
	return append(list, v.table("Cost", []string{"cost", "replies_without_price"}, measure.Col("amount", "cost"),
		measure.WordCol("currency", "cost"), measure.Col("without a price", "replies_without_price")))
}

// table returns a table of some metrics whose first column is the group.
func (v *scoreView) table(title string, metrics []string, columns ...measure.Column) measure.Table {
	t := measure.Table{Title: title + ", " + v.source + " replies", Again: true}
	t.Columns = append([]measure.Column{measure.KeyCol(cmp.Or(strings.Join(v.by, " · "), "group"), v.by...)}, columns...)
	for _, m := range v.list {
		if slices.Contains(metrics, m.Name) {
			t.Add(m)
		}
	}
	return t
}

// rates returns a table of rates. A note below it names the rates that are 0 in every
// group.
func (v *scoreView) rates(title string, metrics ...string) measure.Table {
	shown, never := []string{"requests"}, []string{}
	for _, m := range metrics {
		yes, n := v.sum(m)
		switch {
		case yes > 0:
			shown = append(shown, m)
		case n > 0:
			never = append(never, fmt.Sprintf("%s (0 of %d)", measure.Named(m), n))
		}
	}
	var notes measure.Notes
	notes.If(len(never) > 0, "Never: %s.", strings.Join(never, ", "))
	if len(shown) == 1 {
		if notes == nil {
			return measure.Table{}
		}
		return measure.Note(title+", "+v.source+" replies", notes...)
	}
	t := v.table(title+v.unit(), shown, measure.Col("n", "requests"))
	t.Repeated, t.Notes = len(t.Columns), notes
	for _, m := range shown[1:] {
		t.Columns = append(t.Columns, measure.Col(strings.Replace(measure.Named(m), " rate", "", 1), m))
	}
	return t
}

// items returns the table of the shares of items. A note says how items without ids were
// matched.
func (v *scoreView) items() measure.Table {
	t := v.rates("Items", harness.Names(score.ItemRates())...)
	similar := 0
	for _, g := range v.groups {
		similar += g.Similar
	}
	t.Notes.If(similar > 0, "In %s the items have no ids. These shares match them by similar text (as identity=similar "+
		"does), so a reworded or split item is not a lost one.", counted(similar, "cell"))
	return t
}

// unit returns the unit in the title. Documented replies are no sample, so their rates
// are counts.
func (v *scoreView) unit() string {
	if v.source == corpora.Documented {
		return ", counts"
	}
	return " in % [95 % CI]"
}

// listed shows documented replies one by one.
func (v *scoreView) listed() measure.Table {
	t := measure.Table{Title: "One by one, " + v.source + " replies", Columns: []measure.Column{
		measure.KeyCol("reply", "reply"), measure.WordCol("outcome", "outcome"),
	}}
	for i, g := range v.groups {
		for n, l := range g.Listed {
			k := v.keys[i].With("reply", l.ID, "place", fmt.Sprint(i, " ", n))
			m := k.Words("outcome", "rung "+string(l.Rung))
			if l.Code != "" {
				m = m.Saying(fmt.Sprintf("%s, then %s", l.Code, cmp.Or(l.Rung, "nothing"))).In(style.Bad)
			}
			t.Add(m)
		}
	}
	t.Notes.If(t.Measures != nil, "Written by hand from documents, as examples. They are no sample of model replies, so "+
		"they have no intervals. Incidents among them are reconstructions.")
	return t
}

func (v *scoreView) sum(metric string) (yes, n int) {
	for _, g := range v.groups {
		r, _ := g.Rate(metric)
		yes, n = yes+r.Yes, n+r.N
	}
	return yes, n
}

// ladder shows the rungs on which the cells of a group ended.
func (v *scoreView) ladder() measure.Table {
	t := v.table("Where the ladder ended", []string{"ended"}, measure.RowCol("n", true, func(r measure.Row) measure.Cell {
		sum := 0
		for i := range r {
			n, _ := r[i].Whole()
			sum += n
		}
		return measure.Cell{Text: fmt.Sprint(sum)}
	}))
	groups, rungs := map[string]int64{}, map[string]int64{}
	for _, m := range t.Measures {
		groups[measure.Label(m.Keys, v.by...)] += *m.K
		rungs[m.Keys.Get("rung")] += *m.K
	}
	t.Measures = slices.DeleteFunc(t.Measures, func(m measure.Measure) bool {
		return groups[measure.Label(m.Keys, v.by...)] == 0
	})
	seen := map[string]bool{}
	for _, m := range t.Measures {
		rung := m.Keys.Get("rung")
		name, givesUp := rung, rung == string(harness.RungReact)
		if givesUp {
			name = "given up"
		}
		if seen[rung] || givesUp && rungs[rung] == 0 {
			continue
		}
		seen[rung] = true
		t.Columns = append(t.Columns, measure.Col(name, "ended", measure.Key{Name: "rung", Value: rung}))
	}
	return t
}

func (v *scoreView) failures() measure.Table {
	t := v.table("Why first replies were rejected", []string{"rejected"}, measure.KeyCol("code", "code"),
		measure.Col("n", "rejected"), measure.WordCol("example", "rejected"))
	t.Notes.If(t.Measures != nil, "To show one: %s", v.command())
	return t
}

// command returns a command line that shows one reply of the corpora.
func (v *scoreView) command() string {
	args := []string{"replanbench", "score"}
	for _, f := range v.files {
		if !strings.HasPrefix(f, "builtin/") {
			args = append(args, f)
		}
	}
	return escape.Shell(append(args, "--id", "EXAMPLE")...)
}

// passes shows how often any or all of k replies to a case apply.
func (v *scoreView) passes() measure.Table {
	t := v.table("Several replies to a case", []string{"pass_any", "pass_all"},
		measure.NumberCol("k", "replies"), measure.NCol("cases", "pass_any"),
		measure.Col("pass@k: "+measure.Rated("any applies"), "pass_any"),
		measure.Col("pass^k: "+measure.Rated("all apply"), "pass_all"))
	t.Notes.If(t.Measures != nil, "Over the cases with at least k replies, and with more than one.")
	for _, g := range v.groups {
		t.Notes.If(g.Pooled != nil, "No pass@k for %s: its replies have %d settings (%s). Group by them to compare "+
			"repetitions.", strings.Join(g.Key, ", "), len(g.Pooled), strings.Join(g.Pooled, "; "))
	}
	return t
}

func (v *scoreView) tokens() measure.Table {
	p50 := measure.Key{Name: "statistic", Value: "p50"}
	t := v.table("Tokens, p50 / p95 / max", []string{"prompt_tokens", "reply_tokens", "total_tokens", score.Saving},
		measure.NCol("n", "reply_tokens", p50), measure.Col("prompt", "prompt_tokens", p50), measure.Col("reply", "reply_tokens", p50),
		measure.Col("saving", score.Saving))
	if v.budget > 0 {
		t.Columns = append(t.Columns, measure.TextCol("of the budget %", true, "total_tokens", textOf, p50))
	}
	if !slices.ContainsFunc(v.groups, func(g *score.Group) bool { return g.Tokens.Reply.N > 0 }) {
		return measure.Table{}
	}
	t.Notes = []string{
		"As the endpoint reported them, or counted if it did not; retries included.",
		"Saving: how much shorter applied patches are than the resulting plans, in %, and the tokens of these plans.",
	}
	return t
}

// fewCases reports whether a group has several replies to few cases, so that its intervals are wide.
func fewCases(g score.Group) bool { return g.Listed == nil && g.Cases < 10 && g.Requests > g.Cases }

// overview says how many records were read, skipped and not scored.
func (s *Score) overview() measure.Table {
	b := measure.Table{Title: "Corpora", Notes: []string{
		strings.Join(s.Corpora, ", "),
		fmt.Sprintf("%s, %d of them retries; %s skipped", counted(s.Records, "record"), s.Retries, counted(s.Bad,
			"bad line")),
	}}
	b.Notes.If(s.Left > 0, "%s excluded by the filters", counted(s.Left, "record"))
	b.Notes.If(s.Failed > 0, "Not scored: %s without a reply (replanbench corpus stats shows why)", counted(s.Failed, "cell"))
	b.Notes = append(b.Notes, damaged("", s.Damaged)...)
	for _, p := range s.Problems {
		b.Notes = append(b.Notes, "  "+p)
	}
	b.Notes.If(s.Bad > len(s.Problems), "  and %d more", s.Bad-len(s.Problems))
	if i := slices.IndexFunc(s.Groups, fewCases); i >= 0 {
		b.Notes = append(b.Notes, "Intervals are over cases, and a group has only "+counted(s.Groups[i].Cases, "case")+
			": more replies to the same cases do not make them narrower.")
	}
	why := map[string]int{}
	for _, g := range s.Groups {
		for reason, n := range g.Unscored {
			if reason != score.NoReply { // counted above
				why[reason] += n
			}
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(why)) {
		b.Notes = append(b.Notes, "No apply score for "+counted(why[reason], "cell")+": "+reason)
	}
	return b
}

// damaged warns of prompts that showed wrong ids.
func damaged(side string, list []corpora.DamagedPrompt) []string {
	var notes []string
	for _, d := range list {
		notes = append(notes, fmt.Sprintf("%sWarning: the prompt %s showed ids and tools with added backslashes (%s for "+
			"%s) in %s, such as %s. Their figures are biased against the model. Record them again with replanbench live.",
			side, cmp.Or(d.Prompt, "without a name"), `step\_2`, "step_2", counted(d.Replies, "reply"), d.Example))
	}
	return notes
}

// line summarizes the section.
func (s *Score) line() string {
	cells := 0
	for _, g := range s.Groups {
		cells += g.Requests
	}
	line := counted(s.Records, "reply") + " scored in " + counted(cells, "cell")
	if s.Bad > 0 {
		line += ", " + counted(s.Bad, "bad line") + " skipped"
	}
	return line
}
