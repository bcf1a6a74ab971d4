// Package measure holds the figures of reports.
//
// A section of a report is a list of tables of measures. Every format is written from
// them: tables and plots for readers, and one row per measure for programs (see [Rows]).
// [Join] merges the measures of shards.
package measure

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/harness/score/stats"
)

// Confidence is the confidence level of all intervals.
const Confidence = 0.95

// Key is a property of what a measure describes, such as the model.
type Key struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Keys say what a measure describes. Each is a column for programs.
type Keys []Key

// By returns keys from alternating names and values.
func By(pairs ...string) (k Keys) { return k.With(pairs...) }

// With returns the keys and further ones.
func (k Keys) With(pairs ...string) Keys {
	list := append(Keys(nil), k...)
	for i := 0; i+1 < len(pairs); i += 2 {
		list = append(list, Key{pairs[i], pairs[i+1]})
	}
	return list
}

// Get returns the value of a key, or "".
func (k Keys) Get(name string) string {
	for _, x := range k {
		if x.Name == name {
			return x.Value
		}
	}
	return ""
}

// Unit says what the value of a measure counts.
type Unit string

// The units.
const (
	Share      Unit = "share"      // K of N, from 0 to 1
	Number     Unit = "number"     // K things
	Tokens     Unit = "tokens"     // a number or a mean of tokens
	Difference Unit = "difference" // of two shares, from -1 to 1
	Money      Unit = "money"      // Text names the currency
	Millis     Unit = "ms"
	Micros     Unit = "µs"
	Words      Unit = "text" // no figure: see Text
)

// Measure is one figure. It has many fields because each is a column for programs.
type Measure struct {
	Name string `json:"metric"`
	Keys Keys   `json:"keys,omitempty"`
	Unit Unit   `json:"unit"`
	// Better is the direction that is better: higher or lower.
	Better string `json:"better,omitzero"`

	K     *int64   `json:"k,omitzero"`
	N     *int64   `json:"n,omitzero"`
	Value *float64 `json:"value,omitzero"`
	Low   *float64 `json:"low,omitzero"` // of the 95 % interval
	High  *float64 `json:"high,omitzero"`
	Test  *Test    `json:"test,omitzero"`
	// Parts are the sums of independent clusters, such as cases, from which merging
	// computes the interval. A share without them has independent observations.
	Parts []stats.Cluster `json:"parts,omitempty"`

	Text      string     `json:"text,omitzero"` // words, a verdict, or an example
	Reproduce string     `json:"reproduce,omitzero"`
	Tone      style.Tone `json:"tone,omitzero"`
	Shown     string     `json:"shown,omitzero"` // the figure for readers; "": as the unit says
}

// Test is a test of a difference.
type Test struct {
	P         float64 `json:"p"`
	Corrected float64 `json:"p_corrected"`
	// Needed is how many more cases the test needs, and Detectable the difference that
	// the present cases can detect.
	Needed     int     `json:"needed,omitzero"`
	Detectable float64 `json:"detectable,omitzero"`
}

// Share returns k of n with its Wilson interval.
func (k Keys) Share(name string, part, whole int) Measure {
	m := k.Portion(name, part, whole)
	if whole > 0 && part >= 0 && part <= whole {
		low, high := stats.Wilson(part, whole, Confidence)
		return m.Between(low, high)
	}
	return m
}

// Portion returns k of n without an interval.
func (k Keys) Portion(name string, part, whole int) Measure {
	m := Measure{Name: name, Keys: k, Unit: Share, K: new(int64(part)), N: new(int64(whole))}
	if whole != 0 {
		m.Value = new(float64(part) / float64(whole))
	}
	return m
}

// Count returns a number of things.
func (k Keys) Count(name string, n int) Measure {
	return Measure{Name: name, Keys: k, Unit: Number, K: new(int64(n)), Value: new(float64(n))}
}

// Tokens returns a number of tokens.
func (k Keys) Tokens(name string, n int) Measure {
	m := k.Count(name, n)
	m.Unit = Tokens
	return m
}

// Figure returns a value with a unit.
func (k Keys) Figure(name string, unit Unit, value float64) Measure {
	return Measure{Name: name, Keys: k, Unit: unit, Value: &value}
}

// Words returns a measure without a figure.
func (k Keys) Words(name, text string) Measure {
	return Measure{Name: name, Keys: k, Unit: Words, Text: text}
}

// Between returns the measure with the ends of its interval.
func (m Measure) Between(low, high float64) Measure { m.Low, m.High = &low, &high; return m }

// Saying returns the measure with a text.
func (m Measure) Saying(text string) Measure { m.Text = text; return m }

// In returns the measure with a tone.
func (m Measure) In(t style.Tone) Measure { m.Tone = t; return m }

// If returns the measure with a tone if ok.
func (m Measure) If(ok bool, t style.Tone) Measure {
	if ok {
		m.Tone = t
	}
	return m
}

// As returns the measure with its figure as readers see it.
func (m Measure) As(format string, args ...any) Measure {
	m.Shown = fmt.Sprintf(format, args...)
	return m
}

// Cell returns the figure for readers: a share in percent with its interval.
func (m *Measure) Cell() Cell {
	text := cmp.Or(m.Shown, m.figure())
	if text == "" && m.Unit != Words {
		return None()
	}
	return Cell{text, m.Tone}
}

func (m *Measure) figure() string {
	scale := 1.0
	switch {
	case m.Unit == Words:
		return m.Text
	case m.Value == nil && m.K == nil, m.Unit == Share && m.Value == nil:
		return ""
	case m.Unit == Number && m.K != nil:
		return fmt.Sprint(*m.K)
	case m.Unit == Tokens && m.K != nil:
		return Thousands(int(*m.K))
	case m.Unit == Money:
		return fmt.Sprintf("%.4f", *m.Value)
	case m.Unit == Millis:
		return fmt.Sprintf("%.0f", *m.Value)
	case m.Unit == Share:
		scale = 100
	}
	text := fmt.Sprintf("%.1f", scale**m.Value)
	if m.Low != nil {
		text += fmt.Sprintf(" [%.1f–%.1f]", scale**m.Low, scale**m.High)
	}
	return text
}

// Whole returns K and N, or 0.
func (m *Measure) Whole() (k, n int) {
	if m.K != nil {
		k = int(*m.K)
	}
	if m.N != nil {
		n = int(*m.N)
	}
	return k, n
}

// Named returns a metric in words.
func Named(metric string) string { return strings.ReplaceAll(metric, "_", " ") }

// Record is a measure as a row for programs: of a section, with the title of its table.
type Record struct {
	Section string
	Measure
}

// Rows returns a row for each measure of the tables.
func Rows(section string, tables []Table) (rows []Record) {
	for _, t := range tables {
		if t.Again {
			continue
		}
		for _, m := range t.Measures {
			rows = append(rows, Record{cmp.Or(t.Section, section), m})
		}
	}
	return rows
}

// KeyNames returns the names of all keys, in the order of their first row. A key without
// any value, or that only orders rows, is no column.
func KeyNames(rows []Record) (names []string) {
	for _, r := range rows {
		for _, k := range r.Keys {
			if k.Value != "" && k.Name != place && !slices.Contains(names, k.Name) {
				names = append(names, k.Name)
			}
		}
	}
	return names
}

// Plot is a question that a page answers by drawing measures.
type Plot struct {
	Title    string    `json:"title"`
	Note     string    `json:"note,omitzero"`
	Measures []Measure `json:"measures"`
	// Rows are the keys that name a row; without keys there is one row.
	Rows []string `json:"rows,omitempty"`
	// Marks is the key that names the marks of a row; "": the metric does.
	Marks string `json:"marks,omitzero"`
	// Bars: the marks are parts of a bar, K each. Otherwise they are dots with intervals.
	Bars bool `json:"bars,omitzero"`
	// Names orders the marks, so that they have the same colours in several plots.
	Names []string `json:"names,omitempty"`
	// Rest names the rest of a whole bar; "": it is not drawn.
	Rest string `json:"rest,omitzero"`
	// Line is a value with a line, and LineName its name.
	Line     *float64 `json:"line,omitzero"`
	LineName string   `json:"line_name,omitzero"`
}

// Mark returns the name of the mark of a measure.
func (p *Plot) Mark(m *Measure) string {
	if p.Marks != "" {
		return m.Keys.Get(p.Marks)
	}
	return Named(m.Name)
}
