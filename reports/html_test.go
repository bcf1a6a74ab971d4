package reports

import (
	"bytes"
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/history"
	"replanbench/harness/history/simulate"
	"replanbench/harness/hunt/campaign"
	"replanbench/harness/hunt/cause"
	"replanbench/harness/hunt/judge"
	"replanbench/harness/hunt/shard"
	"replanbench/harness/hunt/suite"
	"replanbench/harness/plan"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
	"replanbench/scenarios"
)

// markup leaves style and script out of a page.
func markup(page []byte) []byte {
	for _, name := range []string{"page.css", "page.js"} {
		page = bytes.ReplaceAll(page, []byte(pageFile(name)), []byte("/* "+name+" */"))
	}
	return regexp.MustCompile(`'sha256-[^']*'`).ReplaceAll(page, []byte("'sha256-…'"))
}

// full is a report with all that the page draws.
func full(t testing.TB) *Report {
	r := found(t)
	tok, err := tokens.New(tokens.Chars4)
	if err != nil {
		t.Fatal(err)
	}
	policy, err := history.ParsePolicy("clamp|emergency")
	if err != nil {
		t.Fatal(err)
	}
	one := simulate.NewSingle("The incident", simulate.Sample{
		History:   history.Count(simulate.Incident(tok), tok),
		MaxTokens: simulate.IncidentMaxTokens,
	}, []history.Policy{policy}, all.Trimmer().Trim)
	r.AddTrim(&Trim{Tokenizer: tok.Name(), Single: []simulate.Single{one}}, func(string, int) string { return "" })
	return r
}

// TestPageNeedsNothing looks for everything that would leave the page.
func TestPageNeedsNothing(t *testing.T) {
	for name, r := range map[string]*Report{"hostile": small(), "full": full(t)} {
		page := string(write(t, r, "html"))
		for _, bad := range []string{
			"src=", "@import", "url(", "fetch(", "XMLHttpRequest", "<iframe", "<object",
			"<script>|",
		} {
			if strings.Contains(page, bad) {
				t.Errorf("%s: the page has %s", name, bad)
			}
		}
		for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(link[1], "#") && link[1] != "data:," {
				t.Errorf("%s: a link leads to %s", name, link[1])
			}
		}
		ids := map[string]int{}
		for _, id := range regexp.MustCompile(` id="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			ids[id[1]]++
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: the id %s stands %d times", name, id, n)
			}
		}
		for _, link := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if ids[link[1]] == 0 {
				t.Errorf("%s: a link leads to no part: #%s", name, link[1])
			}
		}
	}
}

// The page shows both replies to a changed case side by side, and escapes them.
func TestPageShowsReplies(t *testing.T) {
	var r Report
	r.AddComparison(Comparison{
		Base: "old", New: "new",
		Comparison: score.Comparison{Rows: []score.Row{{
			Metric: score.ApplyRate, Pairs: 9, Difference: -0.2, Low: -0.5,
			High: 0.1, Verdict: score.TooFew,
		}}},
		Changes: []score.Change{{
			Case: "</details><script>1", Base: score.Reply{Verdict: harness.Applied, Text: `{"title":"<b>"}`},
			New: score.Reply{
				Verdict: harness.Rejected, Code: harness.NoDocument, Message: "no\x1b[31m document",
				Text: "\u202ereversed",
			},
		}},
	}, "")
	page := string(write(t, &r, "html"))
	for _, want := range []string{
		`<b class="bad">lost</b> &lt;/details&gt;&lt;script&gt;1`,
		`<b>old</b> <span class="good">applied</span></p><pre>{&#34;title&#34;:&#34;&lt;b&gt;&#34;}</pre>`,
		`<span class="bad">rejected (no_document): no\x1b[31m document</span></p><pre>\u202ereversed</pre>`,
		`<h3>What changed from old to new?</h3>`,
		`<i class="dot soft" style="left:33.33%;width:0.00%"></i></div></td><td class="">-20.0, too few</td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
}

func TestPageMarksThePlaceToBlame(t *testing.T) {
	r, alone := found(t), New("check", "devel", harness.Hello{})
	s, err := scenarios.Load("../scenarios/planpatch/conflicts/replace_remove_update_done.txtar")
	if err != nil {
		t.Fatal(err)
	}
	given := harness.Outcome{Verdict: harness.Rejected, Code: harness.Refused}
	alone.AddScenarios([]suite.Result{{Scenario: s[0], Status: harness.Fail, Outcome: given}}, shard.Shard{},
		func(scenarios.Scenario) string { return "" })
	r.Failures = append(r.Failures, alone.Failures...)
	page := string(write(t, r, "html"))
	if !strings.Contains(page, `<mark>{&#34;id&#34;:&#34;1&#34;,&#34;description&#34;:&#34;Book the bus&#34;}</mark>`) {
		t.Error("the update of a finished step is not marked")
	}
}

func TestBlamed(t *testing.T) {
	for _, test := range []struct{ reply, pointer, want string }{
		{`{"remove_steps":["a","b"]}`, "/remove_steps/1", `"b"`},
		{"Here:\n```json\n{\"add_steps\":[{\"id\":\"é\"}]}\n```", "/add_steps/0/id", `"é"`},
		{`{"a":1}`, "", `{"a":1}`},
		{`{"a":1}`, "/b", ""},
		{`no object`, "/a", ""},
		{`}{`, "/a", ""},
		{`{"a":`, "/a", ""},
		{strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), "/a", ""},
	} {
		start, end := blamed(test.reply, test.pointer)
		if got := test.reply[start:end]; got != test.want {
			t.Errorf("%.40q at %s: %q, want %q", test.reply, test.pointer, got, test.want)
		}
	}
}

// TestLongReplies are cut round the place to blame, and whole characters stay.
func TestLongReplies(t *testing.T) {
	reply := `{"reason":"` + strings.Repeat("é", 5000) + `","remove_steps":["x"],"more":"` + strings.Repeat("ü", 5000) +
		`"}`
	at := "/remove_steps/0"
	r := newPageReply(0, reply, &at)
	if r.Mark != `"x"` || !r.Cut || len(r.Before)+len(r.After) > 3*replyShown || strings.Contains(r.Before+r.After, `\x`) {
		t.Errorf("mark %q, cut %t, %d bytes round it", r.Mark, r.Cut, len(r.Before)+len(r.After))
	}
}

func decode(t *testing.T, s string) *plan.Plan {
	t.Helper()
	p, err := plan.Decode([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestPagePlan compares a plan with the expected plan and the actual plan.
func TestPagePlan(t *testing.T) {
	before := decode(t, `{"title":"t","steps":[{"id":"a","description":"Book the train","status":"done"},{"id":"b","description":"Pack","dependencies":["a"]},{"id":"c","description":"Go"}]}`)
	want, got := before.Clone(), before.Clone()
	want.Steps[1].Description = "Pack lightly"
	got.Title, got.Steps = "u", append(got.Steps[1:2:2], plan.Step{ID: "<d>", Description: "x\x1b", Status: plan.Pending})
	p := newPagePlan(before, &harness.Outcome{Verdict: harness.Applied, Plan: want},
		&harness.Outcome{Verdict: harness.Applied, Plan: got})
	same := pageFate{Known: true}
	gone := pageFate{true, []pageLine{{Tone: "bad", Name: "removed"}}}
	if diff := cmp.Diff(&pagePlan{
		Title:   "The plan before and after",
		Names:   []string{"before", "expected", "got"},
		Columns: []string{"step", "before", "expected: applied", "got: applied"},
		Rows: []pageStep{
			{"(the plan)", "t", []pageFate{same, {true, []pageLine{{"doubtful", "title", "", "t", "u", ""}}}}, true},
			{"a", "Book the train  [done]", []pageFate{same, gone}, true},
			{"b", "Pack  [after a]", []pageFate{
				{true, []pageLine{{"doubtful", "description", "Pack", "", " lightly", ""}}},
				same,
			}, true},
			{"c", "Go", []pageFate{same, gone}, true},
			{"<d>", "", []pageFate{same, {true, []pageLine{{Tone: "good", Name: "added", New: "x\x1b"}}}}, true},
		},
	}, p); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := newPagePlan(before, &harness.Outcome{Verdict: harness.Rejected, Code: harness.EmptyPatch}, nil)
	if refused.Columns[2] != "expected: rejected empty_patch" || refused.Columns[3] != "got: no answer" ||
		refused.Rows[0].Wrong || refused.Rows[0].Cells[1].Known {
		t.Errorf("of a refusal and no answer: %+v", refused)
	}
	var long plan.Plan
	for i := range 500 {
		long.Steps = append(long.Steps, plan.Step{ID: fmt.Sprint(i), Description: "x"})
	}
	after := long.Clone()
	after.Steps[7].Description = "y"
	if p := newPagePlan(&long, nil, &harness.Outcome{Verdict: harness.Applied, Plan: after}); len(p.Rows) != 1 ||
		p.Left != 499 || p.Rows[0].ID != "7" {
		t.Errorf("of 500 steps of which one changed %d are shown", len(p.Rows))
	}
}

// TestUnlike splits two texts into what they share and what not, at words.
func TestUnlike(t *testing.T) {
	for _, test := range [][6]string{
		{"Book the train now", "Book the bus now", "Book the ", "train", "bus", " now"},
		{"applied", "rejected", "", "applied", "rejected", ""},
		{"", "x", "", "", "x", ""},
		{"a a", "a a a", "a a", "", " a", ""},
		{"é!", "è!", "", "é", "è", "!"},
		{"same", "same", "same", "", "", ""},
	} {
		before, a, b, after := unlike(test[0], test[1])
		if got := [6]string{test[0], test[1], before, a, b, after}; got != test {
			t.Errorf("%q, want %q", got, test)
		}
	}
}

// The page shows a graph if edges changed, with dependencies that are missing.
func TestGraphOfEdges(t *testing.T) {
	text := `{"title":"t","steps":[{"id":"a","description":"x"},{"id":"b","description":"y","dependencies":["a"]}]}`
	draw := func(change func(*plan.Plan)) pageCause {
		after := decode(t, text)
		change(after)
		var c pageCause
		c.plans(&Evidence{
			Case:  harness.Case{Dialect: "planpatch", Plan: jsontext.Value(text)},
			Given: &harness.Outcome{Verdict: harness.Applied, Plan: after},
		})
		return c
	}
	if c := draw(func(p *plan.Plan) { p.Steps[0].Description = "z" }); c.Graph != nil {
		t.Error("a graph stands where no edge changed")
	}
	for name, change := range map[string]func(*plan.Plan){
		"never was": func(p *plan.Plan) { p.Steps[1].Dependencies = []string{"ghost"} },
		"is gone":   func(p *plan.Plan) { p.Steps = p.Steps[1:] },
	} {
		if svg := render(t, "graph", draw(change).Graph); strings.Count(svg, `class="step missing"`) != 1 {
			t.Errorf("a step that %s is not drawn: %s", name, svg)
		}
	}
}

func TestGraph(t *testing.T) {
	before := decode(t, `{"title":"t","steps":[{"id":"a","description":"x","status":"done"},{"id":"b","description":"x","dependencies":["a"]},{"id":"c","description":"x","dependencies":["b"]},{"id":"d","description":"x"}]}`)
	after := before.Clone()
	after.Steps = append(after.Steps[:1:1], plan.Step{ID: "b", Description: "changed", Dependencies: []string{"e"}},
		plan.Step{ID: "d", Description: "x", Status: plan.Pending},
		plan.Step{ID: "e", Description: "new", Dependencies: []string{"b"}})
	g := newGraph(before, after)
	got := map[string]string{}
	for _, n := range g.nodes {
		got[n.id] = n.class(n.change)
	}
	want := map[string]string{"a": "kept done", "b": "changed", "c": "removed", "d": "kept", "e": "added"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("classes (-want +got):\n%s", diff)
	}
	svg := render(t, "graph", g.view())
	for class, n := range map[string]int{
		`"step kept done"`: 2, `"step changed"`: 2, `"step removed"`: 1,
		`"step added"`: 1, `"edge back"`: 1,
	} {
		if got := strings.Count(svg, class); got != n {
			t.Errorf("%s stands %d times in the pictures, want %d", class, got, n)
		}
	}
	if got := strings.Count(svg+render(t, "graph", newGraph(before, &plan.Plan{}).view()), "no steps"); got != 1 {
		t.Errorf("an empty plan among four is told %d times", got)
	}
	var long plan.Plan
	for i := range 500 {
		long.Steps = append(long.Steps, plan.Step{ID: fmt.Sprint(i), Description: "x"})
	}
	if g := newGraph(&long, after); len(g.nodes) != drawn || g.left != 504-drawn {
		t.Errorf("%d steps drawn, %d left out", len(g.nodes), g.left)
	}
}

// render executes one template of the page.
func render(t *testing.T, name string, data any) string {
	t.Helper()
	templates, err := pageTemplates()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, data); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLargePageInBulk holds the page to what a browser can show.
func TestLargePageInBulk(t *testing.T) {
	r := large(100_000, 6_000)
	page := write(t, r, "html")
	if len(page) > 4<<20 {
		t.Errorf("the page has %d MiB", len(page)>>20)
	}
	for _, want := range []string{
		"omits 1000 more causes", "shows 4600 of these causes in one line only",
		"Paper shows the first 30 of 5000 causes",
	} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say: %s", want)
		}
	}
}

// TestRowsNameTheFailure: a row says which defect, policy or metric fails.
func TestRowsNameTheFailure(t *testing.T) {
	for _, x := range []struct{ suite, id, want string }{
		{suiteCalibrate, "keeps-ids", "keeps-ids"},
		{suiteScenarios, "planpatch/ids/blank", "ids/blank"},
		{suiteFuzz, "planpatch", "fuzz"},
	} {
		if got := newPageCause(1, Failure{Suite: x.suite, ID: x.id}, detail{}).Often; got != x.want {
			t.Errorf("%s: the row says %q, want %q", x.id, got, x.want)
		}
	}
}

// TestNoSuiteCrowdsOthersOut looks at which failures are drawn.
func TestNoSuiteCrowdsOthersOut(t *testing.T) {
	var list []Failure
	for i := range 4 * pageDrawn {
		list = append(list, Failure{Suite: map[bool]string{true: "scenarios", false: "fuzz"}[i < 3*pageDrawn]})
	}
	list = append(list, Failure{Suite: "trim"})
	drawn := map[string]int{}
	for i, d := range toDraw(list) {
		if d {
			drawn[list[i].Suite]++
		}
	}
	if diff := cmp.Diff(map[string]int{"scenarios": pageDrawn / 2, "fuzz": pageDrawn/2 - 1, "trim": 1},
		drawn); diff != "" {
		t.Errorf("drawn (-want +got):\n%s", diff)
	}
	if got := toDraw(list[:3]); !got[0] || !got[1] || !got[2] {
		t.Errorf("a few are not all drawn: %v", got)
	}
}

// large is a report of many cases and findings.
func large(cases, findings int) *Report {
	r := New("check", "devel", harness.Hello{Name: "planner"})
	r.Scenarios = &Scenarios{}
	for i := range cases {
		r.Scenarios.Results = append(r.Scenarios.Results, ScenarioResult{
			ID:    fmt.Sprintf("planpatch/group%d/%d", i%50, i),
			Level: "must", Status: harness.Pass,
		})
	}
	r.Summary.addMany(harness.Pass, cases)
	text := `{"title":"t","steps":[{"id":"a","description":"x","status":"done"},{"id":"b","description":"y","dependencies":["a"]}]}`
	after, _ := plan.Decode([]byte(`{"title":"t","steps":[{"id":"b","description":"y"}]}`))
	at := "/remove_steps/0"
	for i := range findings {
		c := cause.Cause{
			ID: fmt.Sprintf("%012x", i), Class: judge.Loss, Sentence: "a finished step is gone",
			Check: "done-immutable", Kind: "gone",
		}
		f := fuzzFailure(&campaign.Result{Dialect: "planpatch"}, c, "replanbench replay "+c.ID)
		f.Evidence = &Evidence{
			Case: harness.Case{
				Dialect: "planpatch", Plan: jsontext.Value(text),
				Replies: []harness.Reply{`{"remove_steps":["a"]}`},
			},
			Given: &harness.Outcome{Verdict: harness.Applied, Plan: after}, At: &at,
		}
		r.Failures = append(r.Failures, f)
	}
	r.Summary.addMany(harness.Fail, findings)
	r.Conclude()
	return r
}

func BenchmarkFormats(b *testing.B) {
	r := large(100_000, 5_000)
	for _, format := range Formats() {
		b.Run(format, func(b *testing.B) {
			for b.Loop() {
				write(b, r, format)
			}
		})
	}
}

// probe is what a browser saw of a page.
type probe struct {
	Errors    []string `json:"errors"`
	Requests  []string `json:"requests"`
	Ready     string   `json:"ready"`
	Plots     int      `json:"plots"`
	Steps     int      `json:"steps"` // rows of plans
	First     []string `json:"first"` // first cells of the table, sorted up and then down
	Shown     int      `json:"shown"` // causes that a filter for a trait leaves
	None      int      `json:"none"`  // causes that a filter for other words leaves
	Address   string   `json:"address"`
	Copy      int      `json:"copy"` // buttons in a cause that was opened
	Scroll    bool     `json:"scroll"`
	Backdrop  string   `json:"backdrop"`
	Unnamed   []string `json:"unnamed"` // what a screen reader cannot name, or keys cannot reach
	Operating bool     `json:"operating"`
}

// TestInBrowser opens the page in a headless Chromium.
func TestInBrowser(t *testing.T) {
	browser := chromium(t)
	for _, test := range []struct {
		name   string
		report *Report
		dark   bool
	}{
		{"light", full(t), false},
		{"dark", full(t), true},
		{"hostile", small(), false},
		{"poisoned", poisoned(t, strings.Join(poisons(), " ")), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := open(t, browser, write(t, test.report, "html"), test.dark)
			if len(got.Errors) > 0 || len(got.Requests) > 0 || got.Ready != "yes" || !got.Operating {
				t.Errorf("errors %q, requests %q, ready %q, the script ran to its end: %t", got.Errors, got.Requests, got.Ready,
					got.Operating)
			}
			if len(got.Unnamed) > 0 {
				t.Errorf("without a name, a header, or a way for keys: %q", got.Unnamed)
			}
			if got.Scroll {
				t.Error("the page is wider than its window")
			}
			if want := map[bool]string{false: "rgb(255, 255, 255)", true: "rgb(20, 23, 26)"}[test.dark]; got.Backdrop != want {
				t.Errorf("the page is %s, want %s", got.Backdrop, want)
			}
			if test.name == "hostile" || test.name == "poisoned" {
				return
			}
			if got.Plots == 0 || got.Steps == 0 || got.Copy != 1 {
				t.Errorf("%d marks in plots, %d steps in plans, %d buttons to copy", got.Plots, got.Steps, got.Copy)
			}
			if len(got.First) != 2 || got.First[0] >= got.First[1] {
				t.Errorf("the table does not sort: first %q", got.First)
			}
			if got.Shown != 1 || got.None != 0 || !strings.HasPrefix(got.Address, "?q=done-remove#cause-") {
				t.Errorf("a filter for a trait leaves %d causes, one for other words %d, and the address ends with %s", got.Shown,
					got.None, got.Address)
			}
		})
	}
}

func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("no Chromium in PATH, so the page is not opened (install chromium to run this test)")
	return ""
}

// head collects what goes wrong from the beginning on, foot works the page.
const (
	head = `<script>
window.seen = {errors: [], requests: []};
window.alert = (x) => seen.errors.push("alert " + x);
addEventListener("error", e => seen.errors.push(e.message));
addEventListener("unhandledrejection", e => seen.errors.push(String(e.reason)));
addEventListener("securitypolicyviolation", e => seen.requests.push(e.blockedURI));
for (const level of ["error", "warn"]) console[level] = (...a) => seen.errors.push(a.join(" "));
</script>`
	foot = `<script>
addEventListener("load", async () => {
  const table = [...document.querySelectorAll("table.sortable")].find(e => e.rows.length > 3);
  if (table) {
    const head = table.tHead.rows[0].cells[0].querySelector("button");
    const first = () => table.tBodies[0].rows[0].cells[0].textContent;
    head.click(); seen.first = [first()];
    head.click(); seen.first.push(first());
  }
  const input = document.querySelector(".filter input");
  const left = (words) => {
    input.value = words;
    input.dispatchEvent(new Event("input", {bubbles: true}));
    return [...document.querySelectorAll("details.cause")].filter(e => !e.hidden).length;
  };
  seen.none = left("no cause says this");
  seen.shown = left("done-remove");
  document.querySelector("details.cause").open = true;
  await new Promise(done => setTimeout(done, 100));
  seen.copy = document.querySelectorAll("details.cause button").length;
  seen.address = location.search + location.hash;
  seen.ready = document.documentElement.dataset.ready;
  seen.plots = document.querySelectorAll("figure.plot i.bar, figure.plot i.dot").length;
  seen.steps = document.querySelectorAll("table.plan tbody tr").length;
  seen.scroll = document.documentElement.scrollWidth > document.documentElement.clientWidth;
  seen.backdrop = getComputedStyle(document.body).backgroundColor;
  for (const e of performance.getEntriesByType("resource")) seen.requests.push(e.name);
  const named = (e) => e.getAttribute("aria-label") || document.getElementById(e.getAttribute("aria-labelledby"))?.textContent;
  seen.unnamed = [...document.querySelectorAll("table, input, [role=img], [role=group], nav, svg[role]")].filter(e => !named(e) && !e.labels?.length).map(e => e.outerHTML.slice(0, 80));
  for (const row of document.querySelectorAll("tbody tr")) if (!row.querySelector("th[scope=row]")) seen.unnamed.push(row.outerHTML.slice(0, 80));
  for (const head of document.querySelectorAll("thead th")) if (head.scope !== "col") seen.unnamed.push(head.outerHTML.slice(0, 80));
  for (const e of document.querySelectorAll(".scroll")) if (e.checkVisibility({contentVisibilityAuto: true}) && e.scrollWidth > e.clientWidth && e.tabIndex !== 0) seen.unnamed.push(e.outerHTML.slice(0, 80));
  seen.operating = true;
  document.documentElement.dataset.probe = JSON.stringify(seen);
});
</script>`
)

func open(t *testing.T, browser string, page []byte, dark bool) probe {
	t.Helper()
	// the probe is a script as well
	page = regexp.MustCompile(`script-src '[^']*'`).ReplaceAll(page, []byte("script-src 'unsafe-inline'"))
	page = bytes.Replace(page, []byte("<title>"), []byte(head+"<title>"), 1)
	page = bytes.Replace(page, []byte("</body>"), []byte(foot+"</body>"), 1)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Minute)
	defer stop()
	args := []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir=" + t.TempDir(),
		"--window-size=1280,1000", "--virtual-time-budget=2000", "--dump-dom",
	}
	if dark {
		args = append(args, "--blink-settings=preferredColorScheme=0")
	}
	out, err := exec.CommandContext(ctx, browser, append(args, "file://"+file)...).Output()
	if err != nil {
		t.Fatalf("%s: %v", browser, err)
	}
	m := regexp.MustCompile(`data-probe="([^"]*)"`).FindSubmatch(out)
	if m == nil {
		t.Fatalf("the page did not come to its end; it begins with %.300s", out)
	}
	var got probe
	if err := json.Unmarshal([]byte(html.UnescapeString(string(m[1]))), &got); err != nil {
		t.Fatal(err)
	}
	return got
}
