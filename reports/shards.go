package reports

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"replanbench/harness/agent"
	"replanbench/harness/hunt/calibrate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/live"
	"replanbench/reports/measure"
)

// Part names the shards of a run that a report covers. The report of a whole run has no Part.
type Part struct {
	Run    string `json:"run"`    // the command line of the whole run
	Config string `json:"config"` // hash of settings and version
	Shards []int  `json:"shards"`
	Of     int    `json:"of"`
	// Missing are the shards that a merged report lacks.
	Missing []int `json:"missing,omitempty"`
}

// AddPart marks the report as the report of a shard.
func (r *Report) AddPart(s shard.Shard, config string) {
	if !s.Whole() {
		r.Part = &Part{Run: wholeLine(r.Command), Config: config, Shards: []int{s.I}, Of: s.N}
	}
}

// same reports whether two reports belong to one run. A nil Part is a whole run.
func (p *Part) same(q *Part) bool {
	if p == nil || q == nil {
		return p == q
	}
	return p.Run == q.Run && p.Config == q.Config && p.Of == q.Of
}

// empty returns the part without its shards.
func (p *Part) empty() *Part {
	if p == nil {
		return nil
	}
	return &Part{Run: p.Run, Config: p.Config, Of: p.Of}
}

// lacking returns the part with its missing shards, or nil if no shard is missing.
func (p *Part) lacking() *Part {
	lacks := *p
	lacks.Missing = nil
	for i := 1; i <= p.Of; i++ {
		if !slices.Contains(p.Shards, i) {
			lacks.Missing = append(lacks.Missing, i)
		}
	}
	if lacks.Missing == nil {
		return nil
	}
	return &lacks
}

func (p *Part) String() string { return fmt.Sprintf("one of %d of %q", p.Of, p.Run) }

// differs explains why two parts with the same command line are different runs.
func (p *Part) differs(q *Part) string {
	if p.Run != q.Run || p.Of != q.Of {
		return ""
	}
	return " (with different settings or by another version)"
}

func (p *Part) tables() []measure.Table {
	note := fmt.Sprintf("Shards %s of %d of the run.", numbers(p.Shards), p.Of)
	if len(p.Missing) > 0 {
		note += fmt.Sprintf(" Missing: %s. Run them (--shard %d/%d) and merge all reports again with replanbench report.",
			numbers(p.Missing), p.Missing[0], p.Of)
	} else {
		note += " Figures cover these shards only; replanbench report merges the reports of all shards."
	}
	return []measure.Table{measure.Note("Part of a run", note)}
}

// numbers lists numbers, with ranges for consecutive ones: 1–3, 7.
func numbers(list []int) string {
	var words []string
	for i := 0; i < len(list); {
		k := i
		for k+1 < len(list) && list[k+1] == list[k]+1 {
			k++
		}
		if k == i {
			words = append(words, fmt.Sprint(list[i]))
		} else {
			words = append(words, fmt.Sprintf("%d–%d", list[i], list[k]))
		}
		i = k + 1
	}
	return strings.Join(words, ", ")
}

// remade reports whether merging computes a failure again from the sections of all shards.
func remade(f Failure) bool {
	return f.Suite == suiteTrim || f.Suite == suiteCorpus || f.Suite == suiteAgent || f.Suite == suiteCalibrate &&
		f.ID == scenariosID
}

// takeSections adds the sections except campaigns. It merges sections of shards. Other runs
// can have each section only once.
func (m *merging) takeSections(p *Report) error {
	r := m.all
	if err := m.takeMeasures(p); err != nil {
		return err
	}
	if m.part != nil {
		shard.Join(r, *p)
		return m.takeResults(p)
	}
	mine, theirs := reflect.ValueOf(r).Elem(), reflect.ValueOf(p).Elem()
	for field, section := range mine.Fields() {
		what := field.Tag.Get("alone")
		if what != "" && !section.IsNil() && !theirs.FieldByIndex(field.Index).IsNil() {
			return inTwo(what)
		}
	}
	shard.Join(r, *p)
	r.Score, r.Live, r.Agent = cmp.Or(r.Score, p.Score), cmp.Or(r.Live, p.Live), cmp.Or(r.Agent, p.Agent)
	return nil
}

// finishSections computes the results that need the sections of all shards.
func (m *merging) finishSections() error {
	r := m.all
	whole := m.part != nil && r.Part == nil
	if m.part == nil {
		return nil
	}
	for i := range r.Sections {
		measure.Conclude(r.Sections[i].Tables, whole)
	}
	m.finishScenarios(whole)
	m.finishTrim()
	m.finishCalibration(whole)
	m.finishShown(whole)
	m.finishAgent(whole)
	if l := m.all.Live; l != nil {
		l.Run.Conclude(whole)
	}
	return m.finishScore(whole)
}

// finishScenarios sorts results and failures by scenario, and the coverage by closed list.
func (m *merging) finishScenarios(whole bool) {
	r := m.all
	if r.Scenarios == nil {
		return
	}
	list := r.Scenarios.Results
	slices.SortStableFunc(list, func(a, b ScenarioResult) int { return a.At - b.At })
	at := map[string]int{}
	for i := range list {
		if at[list[i].ID] = i; whole {
			list[i].At = 0
		}
	}
	m.order[suiteScenarios] = at
	if r.Coverage == nil {
		return
	}
	hits := map[string]campaign.Tally{}
	for _, c := range r.Coverage {
		hits[c.Kind] = campaign.Tally{}
		for _, x := range c.Items {
			hits[c.Kind][x.Name] = uint64(x.N)
		}
	}
	r.Coverage = coverage(list, hits)
}

// finishTrim adds the failures of the policies.
func (m *merging) finishTrim() {
	if m.all.Trim != nil {
		m.all.addBroken(func(policy string, i int) string {
			return regexp.MustCompile(` --case \d+ --explain`).ReplaceAllString(m.made[suiteTrim+"/"+policy].Reproduce,
				fmt.Sprintf(" --case %d --explain", i))
		})
	}
}

func (m *merging) finishCalibration(whole bool) {
	c := m.all.Calibration
	if c == nil {
		return
	}
	c.Conclude(whole)
	at := map[string]int{referenceID: len(c.Defects)}
	for i, d := range c.Defects {
		at[d.Name] = i
	}
	m.order[suiteCalibrate] = at
}

func (m *merging) finishShown(whole bool) {
	s := m.all.Shown
	if s == nil {
		return
	}
	for i := range s.Dialects {
		rows := s.Dialects[i].Defects
		slices.SortStableFunc(rows, func(a, b calibrate.ShownRow) int { return a.At - b.At })
		for k := range rows {
			if whole {
				rows[k].At = 0
			}
		}
	}
	if whole {
		m.all.judgeShown("replanbench " + m.all.Command)
	}
}

// takeResults adds the results that know how to join themselves.
func (m *merging) takeResults(p *Report) (err error) {
	r := m.all
	joined := func(what string, failed error) {
		if failed != nil {
			err = cmp.Or(err, fmt.Errorf("%s: %w", what, failed))
		}
	}
	if p.Live != nil {
		if p.Live.Run == nil {
			return errors.New("estimates of shards cannot be merged (run --dry-run without --shard)")
		}
		r.Live = cmp.Or(r.Live, &Live{Run: &live.Result{}})
		joined("the run against models", r.Live.Run.Join(p.Live.Run))
	}
	if p.Agent != nil {
		r.Agent = cmp.Or(r.Agent, &Agent{})
		r.Agent.Known = append(r.Agent.Known, p.Agent.Known...)
		joined("the sessions", r.Agent.Join(&p.Agent.Result))
	}
	if s := p.Score; s != nil {
		r.Score = cmp.Or(r.Score, &Score{})
		r.Score.Gate, r.Score.Reproduce, r.Score.Columns = cmp.Or(r.Score.Gate, s.Gate), s.Reproduce, s.Columns
		joined("the scores", r.Score.Join(&s.Result))
	}
	return err
}

func (m *merging) finishAgent(whole bool) {
	a := m.all.Agent
	if a == nil {
		return
	}
	a.Conclude(whole)
	reported := func(c agent.Cause) Failure { return m.made[suiteAgent+"/"+c.Name(a.Dialect)] }
	m.all.addAgent(a.Result, func(id, _ string) bool { return slices.Contains(a.Known, id) },
		func(c agent.Cause) string { return reported(c).Reproduce }, func(c agent.Cause) string { return reported(c).File })
}

// finishScore computes the groups of all shards, and checks the gate.
func (m *merging) finishScore(whole bool) error {
	s := m.all.Score
	if s == nil {
		return nil
	}
	s.Conclude(whole)
	if !whole {
		return nil
	}
	section := Score{Result: s.Result, Columns: s.Columns}
	if s.Gate != nil {
		var err error
		if section.Breaches, err = s.Gate.Check(&section.Result); err != nil {
			return err
		}
	}
	m.all.AddScore(section, s.Reproduce)
	return nil
}
