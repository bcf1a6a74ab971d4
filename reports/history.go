package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"replanbench/harness/document/style"
	"replanbench/harness/hunt/judge"
	"replanbench/reports/measure"
)

// History lists the results of the same run over time, oldest first.
type History struct {
	Runs []Past `json:"runs"`
}

// pastVersion is the version of a line of a history file.
const pastVersion = 1

// Past is the result of one run: a line of a history file.
type Past struct {
	V       int     `json:"v"`
	At      string  `json:"at"` // RFC 3339
	Commit  string  `json:"commit,omitzero"`
	Command string  `json:"command"`
	Engine  Engine  `json:"engine"`
	Verdict Verdict `json:"verdict"`
	Cases   int     `json:"cases"`
	// Causes are the causes of fuzzing. Failures are the other failures of the gate.
	Causes   []PastCause `json:"causes"`
	Failures []string    `json:"failures"`
	Rates    []PastRate  `json:"rates,omitempty"`
}

// PastCause is a cause with its name.
type PastCause struct {
	Name     string      `json:"name"`
	Class    judge.Class `json:"class"`
	Sentence string      `json:"sentence"`
	Groups   []string    `json:"groups,omitempty"` // the names of its groups; the cause has one of them
	// Scenarios are the failing scenarios that it explains. They are not among the failures.
	Scenarios []string `json:"scenarios,omitempty"`
}

// PastRate is a rate of a group of scored replies.
type PastRate struct {
	Group string  `json:"group"`
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	N     int     `json:"n"`
}

// Past returns the line of the report for a history file.
func (r *Report) Past(commit string) Past {
	p := Past{
		V: pastVersion, At: r.Environment.Started, Commit: commit, Command: r.Command, Engine: r.Engine, Verdict: r.Verdict,
		Cases: r.Summary.Cases, Causes: []PastCause{}, Failures: []string{},
	}
	for _, c := range r.campaigns() {
		for _, g := range c.ByCause() {
			if x := g.Cause; !x.Advisory {
				p.Causes = append(p.Causes, PastCause{x.Name(c.Dialect), x.Class, x.Sentence, g.Names(), x.Scenarios})
			}
		}
	}
	for _, f := range r.Failures {
		if !f.Advisory && f.Suite != suiteFuzz {
			p.Failures = append(p.Failures, f.ID)
		}
	}
	if r.Score != nil {
		for _, g := range r.Score.Groups {
			for _, x := range g.Rates {
				if x.N > 0 {
					p.Rates = append(p.Rates, PastRate{Group: strings.Join(g.Key, " "), Name: x.Name, Value: x.Value, N: x.N})
				}
			}
		}
	}
	return p
}

// Same reports whether two lines describe one run.
func (p Past) Same(o Past) bool {
	return p.At == o.At && p.Commit == o.Commit && p.Command == o.Command && p.Engine.Name == o.Engine.Name
}

// newSince lists the failures that an earlier run does not have, with descriptions. A cause is not new if the earlier
// run has one of its groups.
func (p Past) newSince(before Past) (list []string) {
	had := slices.Clone(before.Failures)
	for _, c := range before.Causes {
		had = slices.Concat(had, []string{c.Name}, c.Groups, c.Scenarios)
	}
	known := func(name string) bool { return slices.Contains(had, name) }
	for _, c := range p.Causes {
		if !known(c.Name) && !slices.ContainsFunc(c.Groups, known) {
			list = append(list, strings.TrimSuffix(c.Name+": "+c.Sentence, ": "))
		}
	}
	return append(list, slices.DeleteFunc(slices.Clone(p.Failures), known)...)
}

// DecodePast reads a line of a history file.
func DecodePast(line []byte) (Past, error) {
	var p Past
	if err := json.Unmarshal(line, &p); err != nil {
		return p, fmt.Errorf("not a line of a history file: %w", err)
	}
	if p.V != pastVersion {
		return p, fmt.Errorf("the line has version %d, and this program reads version %d", p.V, pastVersion)
	}
	return p, nil
}

// shownRuns is how many runs the table of a history has.
const shownRuns = 12

func (h *History) tables() []measure.Table {
	t := measure.Table{Title: "History", Notes: h.news()}
	for i := max(0, len(h.Runs)-shownRuns); i < len(h.Runs); i++ {
		p := h.Runs[i]
		k := measure.By("run", p.when(), "commit", p.short(), "engine", p.Engine.String(), "command", p.verb(),
			"place", fmt.Sprint(i+1))
		t.Add(k.Words("verdict", string(p.Verdict)).In(style.Bad).If(p.Verdict == Passed, style.Good),
			k.Count("causes", len(p.Causes)), k.Count("failures", len(p.Failures)))
		if i > 0 {
			t.Add(k.Count("new", len(p.newSince(h.Runs[i-1]))), k.Count("gone", len(h.Runs[i-1].newSince(p))))
		}
	}
	return []measure.Table{t}
}

// plots returns one plot: the causes and other failures of the last runs, newest last.
func (h *History) plots() []measure.Plot {
	p := measure.Plot{
		Title: "Are there fewer causes than before?", Note: "The last runs, newest last.",
		Rows: []string{"run"}, Bars: true,
	}
	for i := max(0, len(h.Runs)-shownRuns); i < len(h.Runs); i++ {
		run := h.Runs[i]
		k := measure.By("run", strings.TrimSuffix(run.when()+" · "+run.short(), " · "), "place", fmt.Sprint(i))
		p.Measures = append(p.Measures, k.Count("causes", len(run.Causes)), k.Count("other_failures", len(run.Failures)))
	}
	return []measure.Plot{p}
}

// verb returns the command without its arguments.
func (p Past) verb() string {
	verb, _, _ := strings.Cut(p.Command, " ")
	return verb
}

// when returns the time of the run for readers. short returns its short commit.
func (p Past) when() string  { return strings.Replace(strings.TrimSuffix(p.At, "Z"), "T", " ", 1) }
func (p Past) short() string { return p.Commit[:min(12, len(p.Commit))] }

// news lists the changes between the last two runs.
func (h *History) news() (list []string) {
	n := len(h.Runs)
	if n < 2 {
		return nil
	}
	last, before := h.Runs[n-1], h.Runs[n-2]
	for _, x := range last.newSince(before) {
		list = append(list, "New: "+x)
	}
	for _, x := range before.newSince(last) {
		list = append(list, "Gone: "+x)
	}
	if len(list) == 0 {
		return []string{"No change since the previous run."}
	}
	return list
}
