package reports

import (
	"replanbench/harness"
	"replanbench/reports/measure"
)

// records returns the measures of all sections, and the failures.
func (r *Report) records() []measure.Record {
	k := measure.Keys(nil)
	list := measure.Rows("report", []measure.Table{{Measures: []measure.Measure{
		k.Words("verdict", string(r.Verdict)), k.Words("engine", r.Engine.String()),
	}}})
	statuses := measure.Table{}
	for _, t := range harness.Statuses() {
		n := r.Summary.Counts[harness.Status(t.Name)]
		statuses.Measures = append(statuses.Measures, k.With("status", t.Name).Share("cases", n, r.Summary.Cases))
	}
	list = append(list, measure.Rows("summary", []measure.Table{statuses})...)
	for _, c := range r.chapters() {
		list = append(list, measure.Rows(c.name, c.tables)...)
	}
	failures := measure.Table{}
	for _, f := range r.Failures {
		m := measure.By("suite", f.Suite, "id", f.ID, "status", string(f.Status), "engine", f.Engine).
			Words("failure", f.reason())
		m.Reproduce = f.Reproduce
		failures.Measures = append(failures.Measures, m)
	}
	return append(list, measure.Rows("failure", []measure.Table{failures})...)
}
