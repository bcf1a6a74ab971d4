package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"replanbench/harness"
	"replanbench/harness/document/escape"
	"replanbench/harness/plan"
)

// poisons returns texts that do harm where a page does not escape them.
func poisons() []string {
	return []string{
		`</script><script>alert(1)</script>`, `</style></title></textarea><svg onload=alert(1)>`,
		`<img src=x onerror=alert(1)>`, `<a href="javascript:alert(1)">`,
		`javascript:alert(1)`, `data:text/html,<script>alert(1)</script>`, `" onmouseover="alert(1)`,
		`' onfocus='alert(1)' autofocus='`, "` x=", `red;background:url(//x)`, `expression(alert(1))`,
		`<!-- `, `--> <b>`, `]]>`, `&lt;b&gt;&#60;`, `{{.}}{{template "page"}}`, "a\x00b", "\x1b[31mred\x07\r\n\tnext",
		"\u202e\u2066turned\u2069", "\u2028\u2029\ufeff\u200b", "\xff\xc3(", `=cmd|'/c calc'!A1`,
	}
}

// poisoned returns a report with the text in every member that can have it, and with
// every list, map and section.
func poisoned(t testing.TB, text string) *Report {
	t.Helper()
	r := &Report{}
	fill(t, reflect.ValueOf(r).Elem(), text, 0)
	c := &r.Failures[0].Evidence.Case
	for name := range c.Documents() {
		if name != "plan" {
			c.SetDocument(name, rawJSON(t, []any{map[string]string{"role": text, "content": text, text: text}}))
		}
	}
	r.V, r.Failures = Version, append(r.Failures, Failure{
		Suite: suiteFuzz, ID: "planpatch/" + text + "/" + text,
		Reproduce: text, Evidence: edited(t, text),
	})
	return r
}

// edited is an edit of a plan that changes, removes and adds steps and dependencies.
func edited(t testing.TB, text string) *Evidence {
	t.Helper()
	step := func(id string, after ...string) plan.Step {
		return plan.Step{ID: id, Description: text, Dependencies: after, Status: plan.Pending, ToolsExpected: []string{text}}
	}
	before := &plan.Plan{Title: text, Steps: []plan.Step{step(text), step("b"+text, text), step("c"+text, "b"+text)}}
	want, got := before.Clone(), before.Clone()
	want.Title, got.Title = "want"+text, "got"+text
	want.Steps[1].Description, got.Steps = "want"+text, append(got.Steps[1:], step("d"+text, "none"+text))
	at := "/add_steps/0"
	return &Evidence{
		Case: harness.Case{Dialect: "planpatch", Plan: rawJSON(t, before), Replies: []harness.Reply{
			harness.Reply(text),
			harness.Reply(rawJSON(t, map[string]any{"about": text, "add_steps": []string{text}, "why": text})),
		}},
		Given: &harness.Outcome{Verdict: harness.Applied, Plan: got, Message: text},
		Want:  &harness.Outcome{Verdict: harness.Applied, Plan: want}, At: &at,
	}
}

// fill puts the text into every text below v, and items into every list and map.
func fill(t testing.TB, v reflect.Value, text string, depth int) {
	const deepest = 12 // some types contain themselves
	if depth > deepest || !v.CanSet() {
		return
	}
	if v.Type() == reflect.TypeFor[jsontext.Value]() {
		v.SetBytes(rawJSON(t, map[string]any{
			"title": text,
			"steps": []any{map[string]string{"id": text, "description": text}}, text: text,
		}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	case reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(t, v.Elem(), text, depth+1)
	case reflect.Struct:
		for _, field := range v.Fields() {
			fill(t, field, text, depth+1)
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(t, v.Index(i), text, depth+1)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), text, depth+1)
		fill(t, v.Index(1), text, depth+1)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, text, depth+1)
		fill(t, value, text, depth+1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	}
}

func rawJSON(t testing.TB, v any) jsontext.Value {
	t.Helper()
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true), json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// elements returns the elements of a page with the names of their attributes. It fails
// on those that would load or run something.
func elements(t *testing.T, page []byte) map[string]bool {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(markup(page)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	style := regexp.MustCompile(`^left:-?[\d.]+%(;width:-?[\d.]+%)?$`)
	found := map[string]bool{}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("the page is not well formed: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		var names []string
		for _, a := range e.Attr {
			names = append(names, a.Name.Local)
			if name := a.Name.Local; name == "style" && !style.MatchString(a.Value) || name == "href" &&
				!strings.HasPrefix(a.Value, "#") && a.Value != "data:," {
				t.Errorf("<%s %s=%q>", e.Name.Local, name, a.Value)
			}
		}
		slices.Sort(names)
		found[e.Name.Local+" "+strings.Join(names, " ")] = true
	}
}

// A page has the same elements and attributes whatever texts a report contains. It shows
// the texts, and leaves the report as it was.
func TestPoisonedPagesInBulk(t *testing.T) {
	harmless := elements(t, write(t, poisoned(t, "harmless"), "html"))
	for _, text := range poisons() {
		r := poisoned(t, text)
		before := write(t, r, "json")
		page := write(t, r, "html")
		for e := range elements(t, page) {
			if !harmless[e] {
				t.Errorf("%q: the page has an element <%s>", text, e)
			}
		}
		if bytes.Contains(page, []byte("ZgotmplZ")) {
			t.Errorf("%q: html/template filters a text out", text)
		}
		if strings.HasPrefix(text, "<") && !bytes.Contains(page, []byte("<svg")) {
			t.Errorf("%q: no graph", text)
		}
		if bytes.ContainsAny(page, "\x00\x1b\u202e\u2066\u2028\ufeff") {
			t.Errorf("%q: the page has a control character", text)
		}
		if n := strings.Count(html.UnescapeString(string(page)), escape.Lines(text)); n < 100 {
			t.Errorf("%q: the page shows the text %d times only", text, n)
		}
		if !bytes.Equal(before, write(t, r, "json")) {
			t.Errorf("%q: the page changes the report", text)
		}
	}
}

// The templates escape every value, also those that no report makes foreign today.
func TestPoisonedValuesInBulk(t *testing.T) {
	draw := func(text string) []byte {
		p := &page{}
		fill(t, reflect.ValueOf(p).Elem(), text, 0)
		for _, c := range p.Causes {
			for _, l := range c.Lists {
				l.Names = []string{text, text, text}
			}
		}
		eachText(reflect.ValueOf(p), escape.Lines)
		return []byte(render(t, "page", p))
	}
	places := regexp.MustCompile(` style="left:[^"]*"`) // on an axis; the CSS filter of html/template makes them harmless
	plain := func(text string) map[string]bool {
		return elements(t, places.ReplaceAll(draw(text), []byte(` style="left:1%"`)))
	}
	harmless := plain("harmless")
	for _, text := range poisons() {
		for e := range plain(text) {
			if !harmless[e] {
				t.Errorf("%q: the page has an element <%s>", text, e)
			}
		}
	}
}

// The poisoned report has every section, a cause and a case.
func TestEveryMemberIsPoisoned(t *testing.T) {
	r := poisoned(t, "harmless")
	v := reflect.ValueOf(*r)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is empty", v.Type().Field(i).Name)
		}
	}
	if e := r.Failures[0].Evidence; r.Fuzz.Campaigns[0].Causes[0].Culprits[0] != "harmless" ||
		e.Given.Plan.Steps[0].ID != "harmless" || e.Case.Dialect != "harmless" {
		t.Error("a cause or a case is empty")
	}
}
