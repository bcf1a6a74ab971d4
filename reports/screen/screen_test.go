package screen

import (
	"bytes"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"pgregory.net/rapid"

	"replanbench/harness/dialect/explain"
	"replanbench/harness/document/escape"
	"replanbench/harness/document/style"
	"replanbench/reports/measure"
)

// TestScreenFits: whatever a screen holds, it has at most 23 lines, none of them is wider
// than the terminal unless it is a single word, and no word is broken.
func TestScreenFits(t *testing.T) {
	word := rapid.StringMatching(`[a-z]{1,12}|計画|[a-z]{1,9}-[0-9]{1,6}`)
	text := rapid.Map(rapid.SliceOfN(word, 1, 60), func(list []string) string { return strings.Join(list, " ") })
	rapid.Check(t, func(t *rapid.T) {
		facts := rapid.SliceOfN(text, 1, 3).Draw(t, "head")
		s := Screen{Head: "FAIL: " + strings.Join(facts, "; "), Notes: rapid.SliceOfN(text, 0, 9).Draw(t, "notes")}
		for i := range rapid.IntRange(0, 5).Draw(t, "lists") {
			l := List{Title: fmt.Sprint("List ", i), Least: rapid.IntRange(0, 5).Draw(t, "least")}
			for k := range rapid.IntRange(0, 30).Draw(t, "items") {
				l.Items = append(l.Items, Item{Mark: fmt.Sprint(k + 1), Kind: word.Draw(t, "kind"), Text: text.Draw(t, "text")})
			}
			s.Lists = append(s.Lists, l)
		}
		command := rapid.SampledFrom([]string{"", "found/causes/f1f25efaf6c4/repro.txtar --judge safety "}).Draw(t, "command")
		s.Next = []Step{{"Show the first", "replanbench replay a:1:2 " + command + "-- python3 engine.py"}, {"Everything", "--verbose"}}
		columns := rapid.SampledFrom([]int{60, 80, 200}).Draw(t, "columns")
		var b bytes.Buffer
		if err := s.Write(&b, false, columns); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		if len(lines) > Lines {
			t.Fatalf("%d lines:\n%s", len(lines), &b)
		}
		given := map[string]bool{}
		for w := range strings.FieldsSeq(fmt.Sprint(s)) {
			given[strings.Trim(w, "{[]};")] = true
		}
		for _, l := range lines {
			if twwidth.Width(l) > columns {
				t.Fatalf("%d columns for %d: %s", twwidth.Width(l), columns, l)
			}
			for w := range strings.FieldsSeq(l) {
				if !given[strings.TrimSuffix(w, ";")] && !strings.ContainsAny(w, "…:\\") && w != "and" && w != "more" && w != "with" &&
					w != "--verbose" && strings.Trim(w, "0123456789") != "" && w != "note" && w != "notes" {
					t.Fatalf("a broken word %q in %q", w, l)
				}
			}
		}
	})
}

// TestLongItemKeepsItsCounts: a long item ends with its counts, and where a line is long enough also with the rest.
func TestLongItemKeepsItsCounts(t *testing.T) {
	long := strings.Repeat("when the patch removes a step, ", 20) + "and 3 more (9 of 12, like leaves-orphans)"
	items := slices.Repeat([]Item{{Mark: "1", Kind: "loss", Text: "Drops a finished step " + long}}, Lines)
	for columns, end := range map[int]string{60: " (9 of 12)", 80: " (9 of 12)", 200: " (9 of 12, like leaves-orphans)"} {
		var b bytes.Buffer
		s := Screen{Head: "FAIL", Lists: []List{{Title: "Causes", Items: items}}}
		if err := s.Write(&b, false, columns); err != nil {
			t.Fatal(err)
		}
		if n, all := strings.Count(b.String(), "…"+end+"\n"), strings.Count(b.String(), "loss"); n != all || n == 0 {
			t.Errorf("%d of %d items have their counts:\n%s", n, all, &b)
		}
	}
}

// TestCountsStayWhole: counts are in one line, and once, wherever the line is broken.
func TestCountsStayWhole(t *testing.T) {
	for columns := 40; columns < 100; columns++ {
		items := slices.Repeat([]Item{{Kind: "crash", Text: "Crashes when the patch leaves out empty lists and an " +
			"optional member is null (3 of 3, like null-empties-lists)"}}, Lines)
		var b bytes.Buffer
		head := "FAIL: my-planner 0.1: 2000 cases: 883 pass, 854 fail, 3 flaky, 229 crash, 34 protocol"
		s := Screen{Head: head, Lists: []List{{Title: "Causes", Items: items}}}
		if err := s.Write(&b, false, columns); err != nil {
			t.Fatal(err)
		}
		if n, all := strings.Count(b.String(), "(3 of 3"), strings.Count(b.String(), "crash  "); n != all || n == 0 {
			t.Errorf("at %d columns %d of %d items have their counts in one line:\n%s", columns, n, all, &b)
		}
		if first, _, _ := strings.Cut(b.String(), "\n"); strings.ContainsAny(first[len(first)-1:], "0123456789") {
			t.Errorf("at %d columns a number is not in the line of its noun: %s", columns, first)
		}
	}
}

// TestLongListCounts: what does not fit is counted, and the title of a later list stays.
// TestQuotationsStayWhole: no quoted value is cut or broken between two lines.
func TestQuotationsStayWhole(t *testing.T) {
	items := []Item{
		{Kind: "code", Text: `Rejects valid updates (refused) with "unknown member" when status is "not started yet" (5 of 5)`},
		{Kind: "code", Text: "x"},
	}
	for columns := 60; columns <= 120; columns++ {
		for most := 2; most <= 4; most++ {
			lines := (&List{Title: "t", Items: items}).render(style.Palette(false), columns, most)
			for _, line := range lines {
				if strings.Count(line, `"`)%2 == 1 || strings.Contains(line, "is …") {
					t.Errorf("%d columns: a quotation is cut: %q", columns, lines)
				}
			}
		}
	}
}

func TestLongListCounts(t *testing.T) {
	s := Screen{Head: "FAIL: e: 40 causes", Lists: []List{{Title: "Causes"}, {Title: "Known: 3", Items: []Item{{Text: "x"}}}}}
	for i := range 40 {
		s.Lists[0].Items = append(s.Lists[0].Items, Item{Mark: fmt.Sprint(i + 1), Kind: "loss", Text: "Drops a step"})
	}
	var b bytes.Buffer
	if err := s.Write(&b, style.Palette(false), 80); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" 17 loss  Drops a step", "… and 23 more", "Known: 3"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is missing in\n%s", want, &b)
		}
	}
}

// TestTitleCountsOnce: a title with a count gets no second one, also in colours.
func TestTitleCountsOnce(t *testing.T) {
	items := make([]Item, 40)
	s := Screen{Head: "FAIL", Lists: []List{{Title: "Causes", Items: items}, {Title: "Known: 40", Items: items}}}
	for _, colours := range []style.Palette{false, true} {
		var b bytes.Buffer
		if err := s.Write(&b, colours, 80); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), ": 40"); n != 1 {
			t.Errorf("the count is there %d times:\n%s", n, &b)
		}
	}
	headed := List{Title: "Causes: 40", Items: append([]Item{{Heading: true}}, items...)}
	if lines := headed.render(false, 80, 1); lines[0] != headed.Title {
		t.Errorf("without room for an item, the title is %q", lines[0])
	}
}

// TestAmountsAreWords: only a number that is a word stays with the next word, so that a line has places to break at.
func TestAmountsAreWords(t *testing.T) {
	var b bytes.Buffer
	s := Screen{Head: "a-000 a-000 a-000000 aa-000000 aaaaaa-0000 aaaaaaa-0000 a 計画"}
	if err := s.Write(&b, false, 60); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "a-000 a-000 a-000000 aa-000000 aaaaaa-0000 aaaaaaa-0000 a\n  計画\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLongWord: a word as long as the line, or longer, keeps its beginning.
func TestLongWord(t *testing.T) {
	for _, n := range []int{76, 77, 78, 79, 80, 81, 200} {
		items := make([]Item, Lines)
		for i := range items {
			items[i] = Item{Text: strings.Repeat("x", n) + ": more"}
		}
		var b bytes.Buffer
		s := Screen{Head: "FAIL", Lists: []List{{Title: "Scenarios", Items: items}}}
		if err := s.Write(&b, false, 80); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(b.String()) {
			if l = strings.TrimSpace(l); twwidth.Width(l) > 80 || l == "…" || l == ": more" {
				t.Errorf("a word of %d: %q", n, l)
			}
		}
		if !strings.Contains(b.String(), strings.Repeat("x", 70)) {
			t.Errorf("a word of %d is lost:\n%s", n, &b)
		}
	}
}

// TestContinuedCommand: a broken command line is still one command with the same arguments.
func TestContinuedCommand(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	args := []string{
		"replay", "a b c", "it's a 'quoted' one with spaces", "--flag=value", strings.Repeat("long-word", 9), "end",
	}
	lines := continued(escape.Shell(append([]string{"printf", `%s\n`}, args...)...), 40)
	if len(lines) < 3 {
		t.Fatalf("not broken: %q", lines)
	}
	out, err := exec.Command(sh, "-c", strings.Join(lines, "\n")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Join(args, "\n")+"\n", string(out)); diff != "" {
		t.Errorf("the shell reads other arguments (-want +got):\n%s", diff)
	}
}

// TestTablesShowARow: each table on the screen has a row, and a line counts the tables that have no room.
func TestTablesShowARow(t *testing.T) {
	table := measure.Table{Columns: []measure.Column{measure.KeyCol("metric", "metric"), measure.Col("n", "n")}}
	for i := range 12 {
		table.Add(measure.By("metric", fmt.Sprintf("row-%d", i)).Count("n", i))
	}
	for n, want := range map[int][]string{1: {"row-11"}, 2: {"B", "row-1"}, 3: {"C"}, 5: {"C", "… and 2 more tables"}} {
		s := Screen{Head: "PASS", Notes: []string{"a note"}}
		for i := range n {
			s.Lists = append(s.Lists, List{Title: string(rune('A' + i)), Table: &table})
		}
		var b bytes.Buffer
		if err := s.Write(&b, false, 80); err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(b.String(), w) {
				t.Errorf("%d tables: %q is missing in\n%s", n, w, &b)
			}
		}
		shown, lines := strings.Count(b.String(), "metric"), strings.Count(b.String(), "\n")
		if rows := strings.Count(b.String(), "row-0 "); rows != shown || lines > Lines {
			t.Errorf("%d tables, %d with a row, %d lines:\n%s", shown, rows, lines, &b)
		}
	}
}

// TestSectionsAreCounted: what a screen leaves out of a story, it counts.
func TestSectionsAreCounted(t *testing.T) {
	for n, want := range map[int]string{5: "", 6: "… and 2 more sections\n", 9: "… and 5 more sections\n"} {
		var b bytes.Buffer
		s := Screen{Head: "FAIL", Next: []Step{{"Everything", "--verbose"}}}
		for range n {
			s.Lists = append(s.Lists, Sections([]explain.Section{explain.Quoted("plan", strings.Repeat("x\n", 9))})...)
		}
		if err := s.Write(&b, false, 80); err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(b.String(), "\n"); lines > Lines || strings.Contains(b.String(), "more section") != (want != "") ||
			!strings.Contains(b.String(), want) {
			t.Errorf("%d sections: %d lines, want %q:\n%s", n, lines, want, &b)
		}
	}
}

// TestFirstListShowsItems: a later list does not take the room for the first items of the causes.
func TestFirstListShowsItems(t *testing.T) {
	items := slices.Repeat([]Item{{Kind: "loss", Text: "Drops a step"}}, 9)
	s := Screen{Head: "FAIL", Notes: slices.Repeat([]string{strings.Repeat("a note ", 20)}, 4), Lists: []List{
		{Title: "Causes", Items: items}, {Title: "Other failures", Items: items, Least: 15},
	}}
	var b bytes.Buffer
	if err := s.Write(&b, false, 80); err != nil {
		t.Fatal(err)
	}
	causes, _, _ := strings.Cut(b.String(), "Other failures")
	if n := strings.Count(causes, "Drops a step"); n < 2 || strings.Count(b.String(), "\n") > Lines {
		t.Errorf("%d causes:\n%s", n, &b)
	}
}
