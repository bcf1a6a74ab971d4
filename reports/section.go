package reports

import (
	"fmt"
	"slices"

	"replanbench/harness"
	"replanbench/reports/measure"
)

// Section is a section that consists of measures alone. Every format shows it, and
// merging adds up its measures.
type Section struct {
	Name  string `json:"name"`  // for programs, and the suite of its failures
	Title string `json:"title"` // for readers
	Line  string `json:"line,omitzero"`
	// Claim is what holds unless the section has failures; "": the section has only figures.
	Claim  string          `json:"claim,omitzero"`
	Tables []measure.Table `json:"tables"`
	Plots  []measure.Plot  `json:"plots,omitempty"`
}

// AddSection adds a section and its failures, which get its name as their suite. A section
// that claims something counts as one case.
func (r *Report) AddSection(s Section, failures ...Failure) {
	r.Sections = append(r.Sections, s)
	status := harness.Pass
	for _, f := range failures {
		f.Suite = s.Name
		r.Failures = append(r.Failures, f)
		if !f.Advisory {
			status = harness.Fail
		}
	}
	if s.Claim != "" {
		r.Summary.Add(status)
	}
}

// chapter returns the section for readers.
func (s *Section) chapter() chapter {
	return chapter{
		name: s.Name, title: s.Title, line: s.Line, judged: s.Claim != "", plots: s.Plots, tables: slices.Clone(s.Tables),
		suite: s.Name, claim: s.Claim,
	}
}

// takeMeasures adds the sections of a shard. Reports of other runs must have different
// sections.
func (m *merging) takeMeasures(p *Report) error {
	for _, s := range p.Sections {
		i := slices.IndexFunc(m.all.Sections, func(x Section) bool { return x.Name == s.Name })
		if i >= 0 && m.part == nil {
			return inTwo(s.Title)
		}
		if i < 0 {
			i = len(m.all.Sections)
			m.all.Sections = append(m.all.Sections, Section{Name: s.Name, Title: s.Title, Line: s.Line, Claim: s.Claim})
		}
		tables, err := measure.Join(m.all.Sections[i].Tables, s.Tables)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Title, err)
		}
		m.all.Sections[i].Tables = tables
	}
	return nil
}
