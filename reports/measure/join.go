package measure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"replanbench/harness/score/stats"
)

// Join adds the tables of another shard: measures with the same name and keys are added
// up, and others are appended. [Conclude] must follow the last Join.
func Join(tables, more []Table) ([]Table, error) {
	for _, t := range more {
		i := slices.IndexFunc(tables, func(x Table) bool { return x.Title == t.Title && x.Section == t.Section })
		if i < 0 {
			i = len(tables)
			tables = append(tables, Table{
				Title: t.Title, Section: t.Section, Long: t.Long, Hidden: t.Hidden, Notes: t.Notes,
			})
		}
		if err := tables[i].join(t.Measures); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

func (t *Table) join(list []Measure) error {
	places := make(map[string]int, len(t.Measures))
	for i, m := range t.Measures {
		places[m.id()] = i
	}
	for _, m := range list {
		at, ok := places[m.id()]
		if !ok {
			places[m.id()] = len(t.Measures)
			m.Parts = slices.Clip(m.Parts) // later ones must not go into the list of the shard
			t.Measures = append(t.Measures, m)
			continue
		}
		if err := t.Measures[at].join(m); err != nil {
			return err
		}
	}
	return nil
}

// id returns the name and the keys as one text.
func (m *Measure) id() string {
	parts := []string{m.Name}
	for _, k := range m.Keys {
		parts = append(parts, k.Name, k.Value)
	}
	return strings.Join(parts, "\x00")
}

// join adds the counts of a measure. Its interval is computed later.
func (m *Measure) join(o Measure) error {
	counted := m.K != nil && o.K != nil || m.Parts != nil || o.Parts != nil || m.Unit == Words
	if m.Unit != o.Unit || m.Test != nil || !counted {
		return fmt.Errorf("the measure %s has no counts, so shards of it cannot be merged (make one run of the whole)",
			m.Name)
	}
	m.K, m.N, m.Parts = sum(m.K, o.K), sum(m.N, o.N), append(m.Parts, o.Parts...)
	m.Shown = "" // it says the figure of one shard
	if m.Text == "" {
		m.Text = o.Text
	}
	if m.Reproduce == "" {
		m.Reproduce = o.Reproduce
	}
	return nil
}

func sum(a, b *int64) *int64 {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return new(*b)
	case b == nil:
		return new(*a)
	}
	return new(*a + *b)
}

// Conclude computes values and intervals after the last [Join]; whole says that no shard is
// missing, so that nothing more will be joined.
func Conclude(tables []Table, whole bool) {
	for i := range tables {
		for k := range tables[i].Measures {
			m := &tables[i].Measures[k]
			m.conclude()
			if whole {
				m.Parts = nil
			}
		}
	}
}

func (m *Measure) conclude() {
	k, n := m.Whole()
	switch {
	case len(m.Parts) == 0 && m.K == nil:
		return
	case len(m.Parts) > 0 && m.Unit == Share:
		value, low, high := stats.Rate(m.Parts, Confidence)
		m.Value, m.Low, m.High = &value, &low, &high
	case len(m.Parts) > 0:
		mean, low, high := stats.MeanInterval(m.Parts, Confidence)
		if m.Value = &mean; !math.IsInf(high-low, 0) && !math.IsNaN(high-low) {
			m.Low, m.High = &low, &high
		}
	case m.Unit == Share && n > 0:
		m.Value = new(float64(k) / float64(n))
		if m.Low != nil {
			low, high := stats.Wilson(k, n, Confidence)
			m.Low, m.High = &low, &high
		}
	case m.Unit != Share && m.K != nil:
		m.Value = new(float64(k))
	}
}
