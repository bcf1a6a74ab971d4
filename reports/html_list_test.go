package reports

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
)

// Outcomes without a plan are aligned with what should have come, item by item.
func TestLists(t *testing.T) {
	var c pageCause
	c.draw(Failure{}, detail{evidence: &Evidence{
		Case: harness.Case{Messages: jsontext.Value(`[{"role":"system","content":"s"},{"role":"user","content":"one two"},{"role":"user","content":"three"}]`)},
		Want: &harness.Outcome{
			Verdict:  harness.Applied,
			Messages: jsontext.Value(`[{"role":"system","content":"s"},{"role":"user","content":"three"}]`),
		},
		Given: &harness.Outcome{
			Verdict:  harness.Applied,
			Messages: jsontext.Value(`[{"role":"user","content":"one"},{"role":"user","content":"three"},{"role":"user","content":"<b>"}]`),
		},
	}})
	entered := func(slug, data string) *harness.Outcome { // the engine draws the name of the plan file
		path := "plans/" + slug + ".md"
		return &harness.Outcome{Verdict: harness.Applied, Mode: "plan", Path: path, Trace: []harness.TraceItem{
			{State: "normal", Step: "EnterPlanMode", Data: jsontext.Value(`{"path":"` + path + `","guidance":"` + slug[:4] + " " + path + `"}`)},
			{State: "explore", Event: "plan.enter", Data: jsontext.Value(`{"planFilePath":"` + path + `"` + data + `}`)},
			{State: "explore", Step: "read"},
		}}
	}
	c.draw(Failure{}, detail{evidence: &Evidence{
		Case: harness.Case{Dialect: "planmode"},
		Want: entered("calm-baking-fox", `,"isAgent":false`), Given: entered("vivid-sailing-gull", `,"isAgent":true`),
	}})
	c.draw(Failure{}, detail{evidence: &Evidence{
		Want: &harness.Outcome{Verdict: harness.Applied, Trace: []harness.TraceItem{
			{State: "normal", Step: "enter"},
			{State: "plan", Step: "write"},
		}, Mode: "normal"},
		Given: &harness.Outcome{Verdict: harness.Applied, Trace: []harness.TraceItem{
			{State: "normal", Step: "enter"},
			{State: "plan", Step: "write", Code: "bad_type"},
		}, Mode: "plan"},
	}})
	var got []string
	for _, l := range c.Lists {
		got = append(got, l.Title+": "+strings.Join(l.Columns, " | "))
		for _, row := range l.Rows {
			line := row.ID + " | " + row.Before
			for _, cell := range row.Cells {
				line += " |"
				for _, x := range cell.Lines {
					line += strings.TrimRight(" "+x.Name+" "+x.Before+"["+x.Old+">"+x.New+"]"+x.After, " ")
				}
			}
			if row.Wrong {
				line += " !"
			}
			got = append(got, line)
		}
	}
	want := []string{
		"The messages before and after: item | before | expected: applied | got: applied",
		"0 system | s | | removed [>] !",
		"1 user | one two | removed [>] | content one[ two>] !",
		"2 user | three | |",
		"2 user |  | | added [><b>] !",
		"Expected trace and actual trace: item | expected: applied | got: applied",
		`0 | normal · EnterPlanMode · data {"path":"plans/vivid-sailing-gull.md",` +
			`"guidance":"vivi plans/vivid-sailing-gull.md"} |`,
		`1 | explore · plan.enter · data {"planFilePath":"plans/vivid-sailing-gull.md","isAgent":false} |` +
			` data {"planFilePath":"plans/vivid-sailing-gull.md","isAgent":[false>true]} !`,
		"2 | explore · read |",
		"Expected trace and actual trace: item | expected: applied | got: applied",
		"0 | normal · enter |",
		"1 | plan · write | code [>bad_type] !",
		"the end: mode | normal | mode [normal>plan] !",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
