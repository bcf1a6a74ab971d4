package measure

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
	return named(m.Name)
}
