package reports

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

// hostileTable returns a report whose one table holds every character that LaTeX takes
// for a command, and n rows.
func hostileTable(n int) *Report {
	r := New("score", "devel", harness.Hello{Name: "reference"})
	var groups []score.Group
	for range n {
		groups = append(groups, score.Group{
			Key:      []string{"[a]*\\{}$&#%_^~<>|\"`'-- ,, ?` 模型 żółć đ é \u202e", ""},
			Requests: 3, Rates: []score.Rate{{Name: "parse_rate", Yes: 2, N: 3, Cases: 3, Value: 2. / 3, Low: 0.2, High: 0.9}},
		})
	}
	r.AddScore(Score{
		Result: score.Result{
			By: []string{"model", "param.a_b"}, Sources: []string{corpora.Recorded},
			Corpora: []string{"a%b\n\\end{document}"}, Groups: groups,
		},
		Columns: []string{"requests", "parse", "apply"},
	}, "")
	r.Conclude()
	return r
}

// TestLaTeXCompiles needs pdflatex with booktabs (Debian: texlive-latex-recommended).
func TestLaTeXCompiles(t *testing.T) {
	if _, err := exec.LookPath("pdflatex"); err != nil {
		t.Skip("pdflatex is not installed (Debian: texlive-latex-base, texlive-latex-recommended), so nothing compiles "+
			"the LaTeX: ", err)
	}
	paper := `\documentclass{article}\usepackage{booktabs,longtable,graphicx}\begin{document}Before \input{table.tex} after\end{document}`
	for _, tc := range []struct {
		name  string
		r     *Report
		paper bool
	}{
		{"all tables", small(), false},
		{"one table", hostileTable(2), false},
		{"long", hostileTable(40 + 1), false},
		{"in a paper", hostileTable(2), true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			dir, main := t.TempDir(), "table.tex"
			files := map[string][]byte{main: write(t, tc.r, "latex")}
			if tc.paper {
				main = "paper.tex"
				files[main] = []byte(paper)
			}
			for name, data := range files {
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.CommandContext(t.Context(), "pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", main)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if bytes.Contains(out, []byte("No pages of output")) {
				t.Errorf("the document is empty:\n%s", out)
			}
		})
	}
}

// TestOneTable checks that each format holds one table with a row for each group.
func TestOneTable(t *testing.T) {
	for _, tc := range []struct {
		format, row string
		rows        int
		once        string // of the heading
	}{
		{"table", "2 of 3, 66.7", 2, "Scores: k of n"},
		{"markdown", "2 of 3, 66.7 [20.0–90.0]", 2, "## Scores: k of n"},
		{"latex", "2 of 3, 66.7 [20.0--90.0]", 2, `\begin{tabular}`},
		{"html", "2 of 3, 66.7 [20.0–90.0]", 2, "<table"},
		{"csv", "share,0.6666666666666666,0.2,0.9,2,3,", 2, "section,metric,"},
		{"jsonl", `"value":0.6666666666666666,"low":0.2,"high":0.9,"k":2,"n":3`, 2, `"metric":"engine"`},
		{"json", `"columns": [`, 1, `"columns": [`},
	} {
		out := string(write(t, hostileTable(2), tc.format))
		if n := strings.Count(out, tc.row); n != tc.rows {
			t.Errorf("%s: %d rows with %q:\n%s", tc.format, n, tc.row, out)
		}
		if n := strings.Count(out, tc.once); n != 1 {
			t.Errorf("%s: %q occurs %d times:\n%s", tc.format, tc.once, n, out)
		}
	}
}
