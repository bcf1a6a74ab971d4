package reports

import (
	"bytes"
	"encoding/csv"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
)

// TestParquetIsTheCSV: the Parquet file has the rows of the CSV, with types.
func TestParquetIsTheCSV(t *testing.T) {
	r := scored()
	rows, err := csv.NewReader(bytes.NewReader(write(t, r, "csv"))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Section string   `parquet:"section"`
		Metric  string   `parquet:"metric"`
		Prompt  string   `parquet:"prompt"`
		Value   *float64 `parquet:"value"`
		K       *int64   `parquet:"k"`
	}
	data := write(t, r, "parquet")
	got, err := parquet.Read[row](bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(rows)-1 || len(got) < 20 {
		t.Fatalf("%d rows, and %d in the CSV", len(got), len(rows)-1)
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	for i, x := range got {
		k, value := "", ""
		if x.K != nil {
			k = strconv.FormatInt(*x.K, 10)
		}
		if x.Value != nil {
			value = strconv.FormatFloat(*x.Value, 'f', -1, 64)
		}
		want := rows[i+1]
		if x.Section != want[0] || x.Metric != want[1] || x.Prompt != want[at("prompt")] || k != want[at("k")] ||
			value != want[at("value")] {
			t.Errorf("row %d is %+v, and in the CSV %v", i, x, want)
		}
	}
	if !bytes.Equal(data, write(t, r, "parquet")) {
		t.Error("the same report gives other bytes")
	}
}

// reader is a program that counts the applied replies of a Parquet file.
type reader struct{ name, look, run string }

// readers are what may be on the machine, each with how to see that it is there.
func readers() []reader {
	const query = `select count(*) from '$FILE' where verdict='applied'`
	return []reader{
		{"duckdb", `duckdb --version`, `duckdb -noheader -list -c "` + query + `"`},
		{"duckdb for Python", `python3 -c 'import duckdb'`, `python3 -c "import duckdb; print(duckdb.sql(\"` + query +
			`\").fetchone()[0])"`},
		{
			"pyarrow", `python3 -c 'import pyarrow.parquet'`,
			`python3 -c "import pyarrow.parquet as p; print(p.read_table('$FILE')['verdict'].to_pylist().count('applied'))"`,
		},
		{
			"duckdb for Node", `node -e 'require("@duckdb/node-api")'`,
			`node -e 'const {DuckDBInstance: D} = require("@duckdb/node-api"); D.create(":memory:").then(d => d.connect()).then(c => c.runAndReadAll("` + strings.ReplaceAll(query, "'", `\x27`) + `")).then(r => console.log(String(r.getRows()[0][0])))'`,
		},
	}
}

// Another program reads what was written, where there is one.
func TestAnotherProgramReadsRepliesInBulk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replies.parquet")
	var buf bytes.Buffer
	out := NewReplies(&buf)
	want := 0
	for r, err := range corpora.Builtin()[0].Records() {
		if err != nil {
			t.Fatal(err)
		}
		s := score.Judge(&r, nil, harness.Reference(), nil)
		if s.Verdict == "applied" {
			want++
		}
		if err := out.Write(s, &r); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, buf.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	type row struct {
		Verdict string `parquet:"verdict"`
	}
	rows, err := parquet.ReadFile[row](file)
	if err != nil || want < 1000 {
		t.Fatalf("%v, %d applied", err, want)
	}
	got := 0
	for _, x := range rows {
		if x.Verdict == "applied" {
			got++
		}
	}
	if got != want {
		t.Errorf("%d replies were applied, and %d are read back", want, got)
	}
	asked := false
	for _, x := range readers() {
		if exec.Command("sh", "-c", x.look).Run() != nil {
			continue
		}
		asked = true
		said, err := exec.Command("sh", "-c", strings.ReplaceAll(x.run, "$FILE", file)).CombinedOutput()
		if got, _ := strconv.Atoi(strings.TrimSpace(string(said))); err != nil || got != want {
			t.Errorf("%s says %s (%v)", x.name, said, err)
		}
	}
	if !asked {
		t.Skip("no other reader of Parquet is here: install duckdb, or pyarrow for Python")
	}
}
