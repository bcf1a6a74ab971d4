package reports

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"replanbench/harness/document/style"
	"replanbench/reports/measure"
	"replanbench/reports/screen"
	"replanbench/reports/table"
)

// AgentVersions compares runs with versions of agents: which cause occurs in which.
type AgentVersions struct {
	Names []string // of the runs, such as qwen-code@0.24.4
	Runs  []*Agent // in the same order
}

// Table writes the comparison for a terminal.
func (v AgentVersions) Table(w io.Writer, colour bool, columns int) error {
	t := v.causes()
	return table.Terminal(w, &t, style.Palette(colour), columns)
}

// Screen answers which version has which causes.
func (v AgentVersions) Screen() screen.Screen {
	t := v.causes()
	var heads []string
	for i, run := range v.Runs {
		failing := 0
		for _, c := range run.Causes {
			if !c.Advisory && !slices.Contains(run.Known, c.ID) {
				failing++
			}
		}
		heads = append(heads, v.Names[i]+": "+counted(failing, "failing cause"))
	}
	return screen.Screen{Head: strings.Join(heads, "; "), Lists: []screen.List{{Title: t.Title, Table: &t}}}
}

// Markdown writes the comparison as GitHub Flavored Markdown.
func (v AgentVersions) Markdown(w io.Writer) error {
	t := v.causes()
	return table.Markdown(w, &t)
}

func (v AgentVersions) causes() measure.Table {
	t := measure.Table{
		Title: "Versions and their causes", Columns: []measure.Column{measure.KeyCol("what the agent does", "text")},
		Notes: []string{"Turns that show a cause, of the turns that could. Advisory causes are not listed."},
	}
	for _, name := range v.Names {
		t.Columns = append(t.Columns, measure.WordCol(name, name))
	}
	t.Columns = append(t.Columns, measure.KeyCol("id", "cause"))
	var causes []measure.Measure
	for i, run := range v.Runs {
		failing := 0
		for _, c := range run.Causes {
			if c.Advisory {
				continue
			}
			shown, tone := fmt.Sprintf("%d of %d", c.Cases, c.Of), style.Bad
			if slices.Contains(run.Known, c.ID) {
				shown, tone = shown+", known", style.Doubtful
			} else {
				failing++
			}
			causes = append(causes, measure.By("text", c.Sentence, "cause", c.ID).Words(v.Names[i], shown).In(tone))
		}
		t.Measures = append(t.Measures, measure.By("text", "plan calls").Words(v.Names[i], fmt.Sprint(run.Calls)),
			measure.By("text", "failing causes").Words(v.Names[i], fmt.Sprint(failing)))
	}
	t.Measures = append(t.Measures, causes...)
	return t
}
