package reports

import (
	"fmt"
	"io"
	"slices"

	"replanbench/harness/document/style"
)

// AgentVersions compares runs with versions of agents: which cause occurs in which.
type AgentVersions struct {
	Names []string // of the runs, such as qwen-code@0.24.4
	Runs  []*Agent // in the same order
}

// versionRow is a cause with its turns in each run.
type versionRow struct {
	agent, sentence, id string
	cells               []cell
}

// Table writes the comparison for a terminal.
func (v AgentVersions) Table(w io.Writer, colour bool, columns int) error {
	return v.block().terminal(w, screen{style.Palette(colour), columns})
}

// Markdown writes the comparison as GitHub Flavored Markdown.
func (v AgentVersions) Markdown(w io.Writer) error { return v.block().markdown(w) }

func (v AgentVersions) block() block {
	t := table{title: "Versions and their causes", columns: []column{{name: "what the agent does"}}}
	for _, name := range v.Names {
		t.columns = append(t.columns, column{name, true})
	}
	t.columns = append(t.columns, column{name: "id"})
	failing := func(title string, count func(*Agent) int) {
		row := []cell{text(title)}
		for _, run := range v.Runs {
			row = append(row, number(count(run)))
		}
		t.rows = append(t.rows, append(row, none()))
	}
	failing("plan calls", func(a *Agent) int { return a.Calls })
	failing("failing causes", func(a *Agent) (n int) {
		for _, c := range a.Causes {
			if !c.Advisory && !slices.Contains(a.Known, c.ID) {
				n++
			}
		}
		return n
	})
	for _, row := range v.rows() {
		t.rows = append(t.rows, append(append([]cell{text(row.sentence)}, row.cells...), text(row.id)))
	}
	return block{table: &t, listed: true, notes: []string{
		"Turns that show a cause, of the turns that could. Advisory causes are not listed.",
	}}
}

// rows lists the failing causes of all runs, in the order of the runs.
func (v AgentVersions) rows() (list []versionRow) {
	for i, run := range v.Runs {
		for _, c := range run.Causes {
			if c.Advisory {
				continue
			}
			k := slices.IndexFunc(list, func(r versionRow) bool { return r.agent == run.Profile && r.id == c.ID })
			if k < 0 {
				k = len(list)
				row := versionRow{agent: run.Profile, sentence: c.Sentence, id: c.ID}
				for range v.Runs {
					row.cells = append(row.cells, none())
				}
				list = append(list, row)
			}
			shown := cell{fmt.Sprintf("%d of %d", c.Cases, c.Of), style.Bad}
			if slices.Contains(run.Known, c.ID) {
				shown = cell{shown.text + ", known", style.Doubtful}
			}
			list[k].cells[i] = shown
		}
	}
	return list
}
