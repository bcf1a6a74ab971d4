package reports

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/dialect/explain"
	"replanbench/harness/dialect/outcome"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/harness/plan"
	"replanbench/harness/score"
	"replanbench/harness/testdata/golden"
	"replanbench/reports/measure"
	"replanbench/reports/table"
	"replanbench/scenarios"
)

// small is a report with every kind of result and hostile text in every field.
func small() *Report {
	const hostile = "<script>|`x`\x1b[31m\u202e]]>\x00\nnext"
	r := &Report{
		V: Version, Command: "run " + hostile, Verdict: Failed,
		Engine:    Engine{Name: "planner " + hostile, Version: "1.2"},
		Scenarios: &Scenarios{},
		Failures: []Failure{
			{
				Suite: "scenarios", ID: "planpatch/done/update", Status: harness.Fail,
				Title: "An update of a finished step is refused.\nIt was once accepted.",
				Differences: []outcome.Path{
					{Pointer: "/code", Want: `"done_immutable"`, Got: "nothing"}, {Want: `{"verdict":"rejected"}`, Got: hostile},
				},
				Reproduce: "replanbench replay planpatch/done/update.txtar",
			},
			{
				Suite: "scenarios", ID: "planpatch/" + hostile, Status: harness.Crash, Title: hostile,
				Message: hostile, Reproduce: "replanbench replay " + hostile, Evidence: hostileEvidence(hostile),
			},
			{
				Suite: "fuzz", ID: "=cmd|'/c calc'!A1", Status: harness.Fail, File: hostile, Message: "@SUM(1)",
				Reproduce: "-2+3" + hostile, Engine: "+1",
			},
			{
				Suite: "scenarios", ID: "planpatch/ids/taste", Status: harness.Fail, Advisory: true, Title: "Taste.",
				Reproduce: "replanbench replay x",
			},
		},
		Coverage: []Coverage{
			cover("tiers", harness.Tiers(), campaign.Tally{"strict": 7, "extracted": 2, "none": 1}),
			cover("rungs", harness.Rungs(), campaign.Tally{"patch": 7, "retry": 1, "fullplan": 1, "react": 1}),
		},
		Environment: Environment{
			Version: "devel", Go: "go1.26.0", OS: "linux", Arch: "amd64",
			Started: "2026-01-02T03:04:05Z", Seconds: 0.25,
		},
	}
	add := func(id string, status harness.Status) {
		r.Scenarios.Results = append(r.Scenarios.Results, ScenarioResult{ID: id, Level: "must", Status: status})
		r.Summary.Add(status)
	}
	for range 40 {
		add("planpatch/done/x", harness.Pass)
	}
	add("planpatch/done/update", harness.Fail)
	add("planpatch/"+hostile, harness.Crash)
	add("planpatch/ids/taste", harness.Fail)
	add("planpatch/ids/ladder", harness.NotSupported)
	r.Summary.Advisory = 1
	return r
}

// hostileEvidence has the text in every field of case and answer.
func hostileEvidence(text string) *Evidence {
	step := func(id string) plan.Step {
		return plan.Step{
			ID: id, Description: text, Dependencies: []string{text}, Status: plan.Pending,
			ToolsExpected: []string{text},
		}
	}
	before := &plan.Plan{Title: text, Steps: []plan.Step{step(text), step("gone" + text)}}
	after := &plan.Plan{Title: "other", Steps: []plan.Step{step(text), step("new" + text)}}
	raw, err := json.Marshal(before, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	at := "/remove_steps"
	return &Evidence{
		Case: harness.Case{
			Dialect: "planpatch", Plan: raw, Calls: []byte(`["<script>alert(1)</script>\u202e"]`),
			Replies: []harness.Reply{harness.Reply(text), `{"remove_steps":["</pre><script>alert(1)</script>` + "\u202e" +
				`"]}`},
		},
		Given: &harness.Outcome{Verdict: harness.Applied, Plan: after}, At: &at,
	}
}

func TestFormats(t *testing.T) {
	for _, format := range Formats() {
		if format == "parquet" {
			continue // its bytes are the library's; see TestParquetIsTheCSV
		}
		t.Run(format, func(t *testing.T) {
			var b bytes.Buffer
			if err := small().Write(&b, format); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, filepath.Join("testdata", "small."+format+".golden"), markup(b.Bytes()))
		})
	}
	if err := small().Write(&bytes.Buffer{}, "xml"); err == nil {
		t.Error("an unknown format is accepted")
	}
}

// TestHarmless checks what the goldens show, so that an update cannot hide it.
func TestHarmless(t *testing.T) {
	for _, format := range []string{"table", "markdown", "csv", "junit", "github", "html"} {
		var b bytes.Buffer
		if err := small().Write(&b, format); err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"\x1b", "\u202e", "\x00"} {
			if strings.Contains(b.String(), bad) {
				t.Errorf("%s lets %q through", format, bad)
			}
		}
		if format == "html" {
			if page := b.String(); strings.Contains(page, "<script>alert") || strings.Contains(page, "<script>|") ||
				!strings.Contains(page, "&lt;script&gt;alert") {
				t.Error("html lets a script of the report through")
			}
		}
		if format == "markdown" {
			outside := true
			for line := range strings.Lines(b.String()) {
				if strings.HasPrefix(line, "```") {
					outside = !outside
				} else if outside && strings.Contains(line, "<script>") {
					t.Errorf("markdown lets HTML through: %s", line)
				}
			}
		}
	}
}

func TestTableFits80Columns(t *testing.T) {
	var b bytes.Buffer
	r := small()
	r.Failures = nil // values are shown whole, for copying
	if err := r.everything(&b, View{Columns: width}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n ")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// TestTableOfPiecesFits breaks and splits the one table of scores. Every figure remains.
func TestTableOfPiecesFits(t *testing.T) {
	r := hostileTable(2)
	r.Score.By = []string{"model", "mode", "prompt"}
	for i := range r.Score.Groups {
		g := &r.Score.Groups[i]
		g.Key = []string{"organisation/a-model-with-a-very-long-name-70b", "json_schema", strings.Repeat("模", 40)}
		for k, name := range []string{"parse_rate", "apply_rate", "fallback_rate", "danger_rate"} {
			g.Rates = append(g.Rates, score.Rate{
				Name: name, Yes: 70001 + k, N: 100000, Cases: 9, Value: 0.7, Low: 0.691, High: 0.712,
			})
		}
		g.Means = []score.Rate{{Name: score.Saving, Yes: 60001, N: 100000, Cases: 9, Value: 0.6, Low: 0.591, High: 0.612}}
	}
	r.Score.Columns = []string{"apply", "fallback", "danger", "saving"}
	for _, columns := range []int{50, 60, 80, 100, 200} {
		var b bytes.Buffer
		if err := r.everything(&b, View{Columns: columns}); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(b.String()) {
			if n := twwidth.Width(strings.TrimRight(line, "\n")); n > columns {
				t.Errorf("%d columns for %d: %s", n, columns, line)
			}
		}
		for _, figure := range []string{"70002 of 100000", "70003 of", "70004 of", "60001 of", "json_schema", "59.1–61.2"} {
			if strings.Count(b.String(), figure) < 2 {
				t.Errorf("%d columns: %s is not in both rows:\n%s", columns, figure, &b)
			}
		}
	}
}

func TestColourOnlyAddsSequences(t *testing.T) {
	var plain, coloured bytes.Buffer
	if err := small().Terminal(&plain, View{Columns: width, Verbose: true}); err != nil {
		t.Fatal(err)
	}
	if err := small().Terminal(&coloured, View{Columns: width, Verbose: true, Colour: true}); err != nil {
		t.Fatal(err)
	}
	s := coloured.String()
	for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
		s = strings.ReplaceAll(s, "\x1b["+code+"m", "")
	}
	if s == coloured.String() {
		t.Error("the coloured report has no colour")
	}
	if diff := cmp.Diff(plain.String(), s); diff != "" {
		t.Errorf("colour changes the text (-plain +coloured):\n%s", diff)
	}
}

func TestDecode(t *testing.T) {
	var b bytes.Buffer
	if err := small().JSON(&b); err != nil {
		t.Fatal(err)
	}
	r, err := Decode(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	var again bytes.Buffer
	if err := r.JSON(&again); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(b.String(), again.String()); diff != "" {
		t.Errorf("a report read back differs (-written +read):\n%s", diff)
	}
	for name, bad := range map[string]string{
		"not JSON": "report", "a list": "[]", "no version": "{}", "a later version": `{"v":3}`, "no verdict": `{"v":1}`,
		"unknown member": `{"v":1,"colour":"red"}`, "twice": `{"v":1,"v":1}`, "wrong type": `{"v":1,"failures":{}}`,
	} {
		if _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// TestEveryScenarioIsEvidenceInBulk makes a failure of every built-in scenario, some of
// which hold documents that no strict writer of JSON would write.
func TestEveryScenarioIsEvidenceInBulk(t *testing.T) {
	list, err := scenarios.Builtin()
	if err != nil {
		t.Fatal(err)
	}
	results := make([]suite.Result, len(list))
	for i, s := range list {
		results[i] = suite.Result{Scenario: s, Status: harness.Crash}
	}
	r := New("run", "devel", harness.Hello{Name: "broken"})
	r.AddScenarios(results, shard.Shard{}, func(s scenarios.Scenario) string { return "replanbench replay " + s.ID })
	for _, format := range Formats() {
		if err := r.Write(io.Discard, format); err != nil {
			t.Errorf("%s: %v", format, err)
		}
	}
	written := write(t, r, "json")
	again, err := Decode(written)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(written), string(write(t, again, "json"))); diff != "" {
		t.Errorf("a report read back differs (-written +read):\n%s", diff)
	}
}

// TestUnsupportedGroups are not shown one by one, but for an engine that
// supports nothing.
func TestUnsupportedGroups(t *testing.T) {
	result := func(id string, s harness.Status) ScenarioResult {
		return ScenarioResult{ID: id, Level: "must", Status: s}
	}
	none := []ScenarioResult{
		result("operations/add/a", harness.NotSupported), result("operations/add/b", harness.NotSupported),
		result("operations/wire/a", harness.NotSupported), result("planpatch/repair/a", harness.NotSupported),
	}
	some := append(slices.Clone(none), result("planpatch/ids/a", harness.Pass),
		result("planpatch/ids/b", harness.NotSupported))
	for _, c := range []struct {
		name    string
		results []ScenarioResult
		groups  []string
		note    string
	}{
		{"nothing is supported", none, []string{"operations/add", "operations/wire", "planpatch/repair", "all"}, ""},
		{
			"some is", some,
			[]string{"planpatch/ids", "all"},
			"Not shown, because the engine supports no scenario in it: operations (3), planpatch/repair (1).",
		},
	} {
		b := (&Scenarios{Results: c.results}).tables()[0]
		var groups []string
		for _, row := range b.Grid().Rows {
			groups = append(groups, row[0].Text)
		}
		if diff := cmp.Diff(c.groups, groups); diff != "" {
			t.Errorf("%s: groups (-want +got):\n%s", c.name, diff)
		}
		if got := strings.Join(b.Notes, "\n"); c.note == "" && strings.Contains(got, "Not shown") ||
			!strings.Contains(got, c.note) {
			t.Errorf("%s: notes %q", c.name, got)
		}
	}
}

func TestReportsFitTheSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report", unmarshal(t, Schema())); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("report")
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := small().JSON(&b); err != nil {
		t.Fatal(err)
	}
	handmade := Report{Verdict: Passed}
	handmade.AddComparison(Comparison{Comparison: score.Comparison{Rows: []score.Row{{Bare: true}}}}, "")
	handmade.Score = &Score{Result: score.Result{Groups: []score.Group{{Rates: []score.Rate{{Bare: true}}}}}}
	for name, doc := range map[string][]byte{
		"hostile": b.Bytes(), "full": write(t, full(t), "json"),
		"documented": write(t, &handmade, "json"),
	} {
		if err := schema.Validate(unmarshal(t, doc)); err != nil {
			t.Errorf("%s: a report does not fit its own schema: %v", name, err)
		}
	}
	for _, bad := range []string{
		`{}`,
		strings.Replace(b.String(), `"verdict": "fail"`, `"verdict": "perhaps"`, 1),
		strings.Replace(b.String(), `"status": "crash"`, `"status": "boom"`, 1),
		strings.Replace(b.String(), `"failures"`, `"failings"`, 1),
		strings.Replace(b.String(), `"cases": 44`, `"cases": "44"`, 1),
		strings.Replace(b.String(), `"crash": 1`, `"crashed": 1`, 1),
	} {
		if err := schema.Validate(unmarshal(t, []byte(bad))); err == nil {
			t.Errorf("a damaged report fits the schema: %.80s…", bad)
		}
	}
}

func unmarshal(t *testing.T, raw []byte) any {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// FuzzDecode reads foreign reports: whatever is accepted must render in every
// format, harmlessly, and read back.
func FuzzDecode(f *testing.F) {
	var b bytes.Buffer
	if err := small().JSON(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(`{"v":1,"scenarios":{"results":[{"id":"..","status":"\u202e"}]},"coverage":[{"kind":"\u001b"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := Decode(data)
		if err != nil {
			return
		}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := r.Write(&b, format); err != nil {
				t.Fatalf("%s: %v", format, err)
			}
			if format == "json" {
				if _, err := Decode(b.Bytes()); err != nil {
					t.Fatalf("does not read back: %v", err)
				}
			} else if format != "parquet" && strings.ContainsAny(b.String(), "\x1b\u202e\x00") { // which holds texts as they are
				t.Fatalf("%s lets a control character through", format)
			}
		}
	})
}

// TestNotesFit80Columns folds longer notes, and nothing else.
func TestNotesFit80Columns(t *testing.T) {
	long := "  " + strings.Repeat("four ", 40) + strings.Repeat("x", 100)
	lines := strings.Split(explain.Wrap(long, "  "), "\n")
	for _, l := range lines[:len(lines)-1] {
		if len(l) > width || !strings.HasPrefix(l, "  four") {
			t.Errorf("a line of %d columns: %q", len(l), l)
		}
	}
	if got, want := strings.Fields(strings.Join(lines, " ")), strings.Fields(long); !slices.Equal(got, want) {
		t.Errorf("words are lost: %q", got)
	}
	json := `  {"type":"object","required":["todos"],"properties":{"todos":{"type":"array"}}}`
	if got, want := explain.WrapTo(40, json, "    "), `  {"type":"object","required":["todos"],
    "properties":{"todos":{
    "type":"array"}}}`; got != want {
		t.Errorf("JSON without spaces became\n%s", got)
	}
	if got := explain.Wrap("short", ""); got != "short" {
		t.Errorf("a short note became %q", got)
	}
}

// TestTablesLoseNothing looks for the letters of words that are longer than
// their columns.
func TestTablesLoseNothing(t *testing.T) {
	long := strings.Repeat("abcdefghij", 12)
	k, l := measure.By("row", "1"), measure.By("row", "2")
	tab := measure.Table{
		Title: "t", Columns: []measure.Column{measure.WordCol(long, "a"), measure.WordCol("b", "b"), measure.KeyCol("c", "row")},
		Measures: []measure.Measure{k.Words("a", long), k.Words("b", "short"), l.Words("a", "x y"), l.Words("b", long)},
	}
	var b bytes.Buffer
	if err := table.Terminal(&b, &tab, false, width); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(b.String(), "j"); got != 3*12 {
		t.Errorf("%d of 36 letters are left:\n%s", got, b.String())
	}
	for line := range strings.Lines(b.String()) {
		if utf8.RuneCountInString(line) > width+1 {
			t.Errorf("%d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

// TestUnitsStay: no line ends between a number and its unit.
func TestUnitsStay(t *testing.T) {
	k := measure.By("row", "1")
	tab := measure.Table{
		Columns:  []measure.Column{measure.WordCol("words", "a"), measure.Col("of budget", "b"), measure.WordCol("more", "c")},
		Measures: []measure.Measure{k.Words("a", "several short words"), k.Words("b", "811.0 %"), k.Words("c", "and some more")},
	}
	for columns := 30; columns < 50; columns++ {
		text := strings.Join(table.Fit(&tab, false, columns, 20), "\n")
		if !strings.Contains(text, "811.0 %") {
			t.Errorf("%d columns:\n%s", columns, text)
		}
	}
}

// TestCoverageOfWhatWasRun: what belongs to dialects that the engine does not
// know is not missing.
func TestCoverageOfWhatWasRun(t *testing.T) {
	result := func(dialect string, s harness.Status) suite.Result {
		return suite.Result{
			Scenario: scenarios.Scenario{ID: dialect, Case: harness.Case{Dialect: dialect}}, Status: s,
			Outcome: harness.Outcome{Verdict: harness.Rejected, Code: harness.DependencyDeadlock},
		}
	}
	var r Report
	r.AddScenarios([]suite.Result{
		result("orchestrator", harness.Pass), result("planmode", harness.NotSupported), result("operations", harness.NotRun),
	}, shard.Shard{}, func(scenarios.Scenario) string { return "" })
	var want, got []string
	for _, c := range all.Vocabulary("orchestrator").Codes {
		want = append(want, c.Name)
	}
	for _, c := range r.Coverage {
		if c.Kind == "results" {
			t.Errorf("results of operations are asked for: %v", c)
		}
		if c.Kind == "codes" {
			for _, i := range c.Items {
				got = append(got, i.Name)
			}
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("codes (-want +got):\n%s", d)
	}
}

// TestDecodeCorpus: a corpus is not called a damaged report.
func TestDecodeCorpus(t *testing.T) {
	_, err := Decode([]byte(`{"v":1,"id":"a","dialect":"planpatch","case":"c"}`))
	if want := "a corpus, not a report (for recorded replies use score)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
