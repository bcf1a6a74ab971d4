package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
	"github.com/google/go-cmp/cmp"
)

// recorder writes sessions in the format of Claude Code, and counts what their agent did.
type recorder struct {
	rng    *rand.Rand
	calls  int
	copies int // calls that a resumed session repeats

	danger, lost, done, open int
}

type todo struct {
	Content    string `json:"content"`
	Status     string `json:"status"`
	ActiveForm string `json:"activeForm"`
}

// session plays an agent that works its list off. The tool empties a list whose items are
// all completed, refuses some calls, and records the lists before and after the others.
func (r *recorder) session(name string) (lines []string) {
	var list []todo
	for turn := range 4 + r.rng.IntN(16) {
		next, lost := r.step(list, fmt.Sprintf("%s.%d", name, turn))
		for _, item := range list {
			r.done += map[string]int{"completed": 1}[item.Status]
		}
		r.open += open(list)
		if lost > 0 {
			r.danger, r.lost = r.danger+1, r.lost+lost
		}
		refused := turn > 0 && r.rng.IntN(20) == 0 // nothing shows the list of a first call that is refused
		lines = append(lines, exchange(fmt.Sprintf("toolu_%s_%d", name, turn), name, list, next, refused)...)
		r.calls++
		if !refused {
			list = next
		}
		if done := open(list) == 0; done {
			list = nil
		}
	}
	return lines
}

// step returns the next list, and how many finished items it throws away beside open ones.
func (r *recorder) step(list []todo, turn string) (next []todo, lost int) {
	if len(list) == 0 {
		for i := range 2 + r.rng.IntN(4) {
			text := strings.Repeat(string(rune('a'+r.rng.IntN(26))), 9) + fmt.Sprintf(" %s of %d", turn, i)
			next = append(next, todo{text, "pending", "doing " + text})
		}
		return next, 0
	}
	careless := r.rng.IntN(25) == 0 && open(list) > 1
	advanced := false
	for _, item := range list {
		switch {
		case item.Status == "completed" && careless:
			lost++
			continue
		case item.Status == "in_progress":
			item.Status = "completed"
		case item.Status == "pending" && !advanced:
			item.Status, advanced = "in_progress", true
		}
		next = append(next, item)
	}
	return next, lost
}

func open(list []todo) (n int) {
	for _, item := range list {
		if item.Status != "completed" {
			n++
		}
	}
	return n
}

// exchange is the line of a call and the line of its result.
func exchange(id, session string, before, after []todo, refused bool) []string {
	result, content := any(map[string][]todo{"oldTodos": append([]todo{}, before...), "newTodos": after}), "ok"
	if refused {
		result, content = "Error: InputValidationError", "InputValidationError"
	}
	var lines []string
	for _, line := range []map[string]any{
		{"type": "assistant", "sessionId": session, "message": map[string]any{"model": "m", "content": []any{map[string]any{
			"type": "tool_use", "id": id, "name": "TodoWrite", "input": map[string]any{"todos": after},
		}}}},
		{"type": "user", "sessionId": session, "toolUseResult": result, "message": map[string]any{"content": []any{map[string]any{
			"type": "tool_result", "tool_use_id": id, "content": content, "is_error": refused,
		}}}},
	} {
		data, err := json.Marshal(line)
		if err != nil {
			panic(err)
		}
		lines = append(lines, string(data)+"\n")
	}
	return lines
}

// TestRecordedSessionsInBulk imports a directory of sessions, some of them resumed, some without a
// list, and some with task tools. The score counts what the agent did, not more.
func TestRecordedSessionsInBulk(t *testing.T) {
	dir, r := t.TempDir(), &recorder{rng: rand.New(rand.NewPCG(1, 2))}
	write := func(name string, lines []string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name+".jsonl"), []byte(strings.Join(lines, "")), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 150 {
		name := fmt.Sprintf("s%03d", i)
		switch i % 5 {
		case 0:
			write(name, []string{`{"type":"user","sessionId":"s","message":{"role":"user","content":"hello"}}` + "\n"})
		case 1:
			write(name, []string{fmt.Sprintf(`{"type":"assistant","sessionId":"s","message":{"model":"m","content":[`+
				`{"type":"tool_use","id":%q,"name":"TaskCreate","input":{"subject":"a"}}]}}`, name) + "\n"})
		default:
			lines := r.session(name)
			write(name, lines)
			if i%5 == 4 { // its first call and the result
				r.copies++
				write(name+"-resumed", lines[:2])
			}
		}
	}
	corpus := filepath.Join(t.TempDir(), "corpus.jsonl")
	code, _, notes := call(t.Context(), "corpus", "import", "claude-code", dir, "--dialect", "todos", "--out", corpus)
	want := fmt.Sprintf(`calls of TodoWrite read: %d
calls dropped because an earlier file or line contains them (resumed and forked sessions): %d
files without a call that is read: %d
calls of TaskCreate skipped: 30 (a tool that seems to keep a plan; --dialect tasks reads it)
%s records imported, 0 skipped
Score them: replanbench score %s
`, r.calls, r.copies, 60, humanize.Comma(int64(r.calls)), corpus)
	if diff := cmp.Diff(want, notes); code != 0 || diff != "" {
		t.Fatalf("import: exit code %d, standard error: -want +got:\n%s", code, diff)
	}
	if r.danger < 5 || r.lost < r.danger {
		t.Fatalf("the sessions lose %d items in %d calls: too few to see anything", r.lost, r.danger)
	}
	code, table, _ := call(t.Context(), "score", corpus, "--format", "csv")
	got := figures(t, table, "danger_rate", "done_items_lost", "open_items_lost")
	expected := map[string]string{
		"danger_rate":     fmt.Sprintf("%d of %d", r.danger, r.calls),
		"done_items_lost": fmt.Sprintf("%d of %d", r.lost, r.done),
		"open_items_lost": fmt.Sprintf("0 of %d", r.open),
	}
	if diff := cmp.Diff(expected, got); code != 0 || diff != "" {
		t.Errorf("score: exit code %d: -want +got:\n%s", code, diff)
	}
}

// figures are the counts of metrics in a tidy table.
func figures(t *testing.T, table string, metrics ...string) map[string]string {
	t.Helper()
	rows, err := csv.NewReader(bytes.NewReader([]byte(table))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	found := map[string]string{}
	for _, row := range rows[1:] {
		for _, m := range metrics {
			if row[column["metric"]] == m {
				found[m] = row[column["k"]] + " of " + row[column["n"]]
			}
		}
	}
	return found
}
