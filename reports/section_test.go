package reports

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"replanbench/harness"
	"replanbench/harness/document/style"
	"replanbench/harness/score/stats"
	"replanbench/reports/measure"
)

// latency is a section that no part of the package knows: this function is all that a new
// section needs. Each model has a list of latencies and of replies in time.
func latency(models map[string][]float64) Section {
	t := measure.Table{Title: "Latency of models", Notes: []string{"In seconds."}}
	p := measure.Plot{Title: "Which model is fast enough?", Rows: []string{"model"}}
	for _, model := range []string{"large", "small"} {
		k := measure.By("model", model)
		fast, mean := 0, k.Figure("latency", measure.Millis, 0)
		for _, x := range models[model] {
			if x < 2 {
				fast++
			}
			mean.Parts = append(mean.Parts, stats.Cluster{Sum: x, N: 1})
		}
		in := k.Share("in_time", fast, len(models[model])).If(fast == 0, style.Bad)
		t.Measures = append(t.Measures, k.Count("requests", len(models[model])), in, mean)
		p.Measures = append(p.Measures, in)
	}
	s := Section{Name: "latency", Title: "Latency", Claim: "every model is fast enough"}
	s.Tables, s.Plots = []measure.Table{t}, []measure.Plot{p}
	measure.Conclude(s.Tables, false)
	return s
}

// TestNewSection: a section that only fills measures is in every format.
func TestNewSection(t *testing.T) {
	r := New("race", "devel", harness.Hello{Name: "reference"})
	r.AddSection(latency(map[string][]float64{"large": {1, 3, 5}, "small": {1, 1, 1, 2}}), Failure{
		ID: "large", Status: harness.Fail, Message: "too slow", Reproduce: "replanbench race",
	})
	r.Conclude()
	for format, want := range map[string][]string{
		"table":    {"Latency of models\n model  requests", "large         3      33.3 [6.1–79.2]", "FAIL: reference: 1 other failure; 1 case: 1 fail"},
		"markdown": {"## Latency of models", "| large |        3 |     33.3 [6.1–79.2] |", "### large: fail"},
		"latex":    {`\caption{Latency of models}`, "{}large & 3 & 33.3 [6.1--79.2]"},
		"csv":      {"latency,in_time,,large,,,share,0.33", "share,0.3333333333333333,", "failure,failure,"},
		"jsonl":    {`{"section":"latency","metric":"in_time","status":"","model":"large",`, `"k":1,"n":3,`},
		"parquet":  {"PAR1", "in_time"},
		"json":     {`"sections": [`, `"metric": "in_time"`},
		"junit":    {`<testsuite name="latency" tests="1" failures="1"`, "too slow"},
		"sarif":    {`"ruleId": "latency"`, "every model is fast enough"},
		"github":   {"::error title=fail%3A too slow::large"},
		"html":     {"Which model is fast enough?", "Latency of models", ">33.3 [6.1–79.2]</td>", `<i class="interval"`},
	} {
		out := string(write(t, r, format))
		for _, x := range want {
			if !strings.Contains(out, x) {
				t.Errorf("%s lacks %q:\n%.3000s", format, x, out)
			}
		}
	}
	if n := len(Formats()); n != 11 {
		t.Errorf("%d formats: the list above lacks some", n)
	}
	r.Failures, r.Summary = nil, Summary{}
	r.Conclude()
	if out := string(write(t, r, "junit")); !strings.Contains(out, "every model is fast enough") {
		t.Errorf("the claim that holds is no test case:\n%s", out)
	}
}

// TestSectionsOfShards: the merged measures of shards are those of the whole run, with
// their intervals.
func TestSectionsOfShards(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 4), 3, 12)
		whole := map[string][]float64{"large": values.Draw(rt, "large"), "small": values.Draw(rt, "small")}
		of := rapid.IntRange(2, 3).Draw(rt, "of")
		var m Merger
		for i := range of {
			part := map[string][]float64{}
			for model, list := range whole {
				part[model] = list[i*len(list)/of : (i+1)*len(list)/of]
			}
			r := &Report{V: Version, Part: &Part{Run: "race", Shards: []int{i + 1}, Of: of}, Command: "race"}
			r.AddSection(latency(part))
			r, err := Decode(write(t, r, "json"))
			if err != nil {
				rt.Fatal(err)
			}
			if err := m.Add(fmt.Sprint(i), r); err != nil {
				rt.Fatal(err)
			}
		}
		merged, err := m.Report()
		if err != nil {
			rt.Fatal(err)
		}
		want := latency(whole)
		measure.Conclude(want.Tables, true)
		rows := func(tables []measure.Table) (list []string) {
			for _, x := range measure.Rows("latency", tables) {
				list = append(list, fmt.Sprintf("%s %v %s %v", x.Name, x.Keys, new(x.Measure).Cell().Text, *x.Value))
			}
			return list
		}
		if diff := cmp.Diff(rows(want.Tables), rows(merged.Sections[0].Tables)); diff != "" {
			rt.Errorf("not the measures of the whole run (-whole +merged):\n%s", diff)
		}
	})
	r := &Report{}
	r.AddSection(latency(nil))
	if _, err := merge(r, r); err == nil || !strings.Contains(err.Error(), "two reports contain Latency") {
		t.Errorf("the same section of two runs: %v", err)
	}
}

// TestPreviousVersion: a report of version 1 is read and written as the present version.
func TestPreviousVersion(t *testing.T) {
	want := hostileTable(1)
	want.Score.Profile = harness.Reference()
	old := strings.Replace(string(write(t, want, "json")), `"v": 2`, `"v": 1`, 1)
	old = strings.Replace(old, `"columns": [`, `"table": [{"parse": 1}], "columns": [`, 1)
	r, err := Decode([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(write(t, want, "json")), string(write(t, r, "json"))); diff != "" {
		t.Errorf("(-version 2 +version 1 read):\n%s", diff)
	}
}
