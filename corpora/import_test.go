package corpora_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/corpora"
	"replanbench/harness/plan/toolmap"
	"replanbench/harness/testdata/golden"
)

// imported runs an importer and writes down what it yields, a line each.
func imported(t *testing.T, name string, files []string, o corpora.Options) string {
	t.Helper()
	var out []byte
	for r, err := range corpora.Import(name, files, o) {
		if err != nil {
			out = append(out, "! "+filepath.ToSlash(err.Error())+"\n"...)
			continue
		}
		line, err := r.Append(out)
		if err != nil {
			t.Fatal(err)
		}
		out = line
	}
	return string(out)
}

func TestImport(t *testing.T) {
	mapping := func(specs ...string) (list []corpora.Mapping) {
		for _, s := range specs {
			m, err := corpora.ParseMapping(s)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, m)
		}
		return list
	}
	plan, err := os.ReadFile("testdata/import/plan.json")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		golden, importer string
		files            []string
		options          corpora.Options
	}{
		{
			"pairs", "openai-pairs",
			[]string{"pairs.jsonl"},
			corpora.Options{
				Dialect: "planpatch", Map: mapping("case=id~^[^/]+"), Prompt: "replan@1",
				Provenance: "made for the tests",
			},
		},
		{
			"batch", "openai-batch",
			[]string{"batch-input.jsonl", "batch-output.jsonl"},
			corpora.Options{Dialect: "planpatch", Plan: plan},
		},
		{
			"batch-output-alone", "openai-batch",
			[]string{"batch-output.jsonl"},
			corpora.Options{Dialect: "planpatch", Map: mapping("case=custom_id", "plan=no.such.place")},
		},
		{"rows", "rows", []string{"rows.jsonl", "rows.json", "rows.csv", "rows.tsv"}, corpora.Options{Dialect: "planpatch"}},
		{
			"rows-mapped", "rows",
			[]string{"rows.json"},
			corpora.Options{Dialect: "planpatch", Map: mapping("reply=answer.text"), Prompt: "replan@2"},
		},
		{"rows-messages", "rows", []string{"rows.jsonl"}, corpora.Options{Dialect: "planpatch", Messages: true}},
		{"pairs-messages", "openai-pairs", []string{"pairs.jsonl"}, corpora.Options{Dialect: "planpatch", Messages: true}},
		{
			"promptfoo-messages", "promptfoo",
			[]string{"promptfoo.json"},
			corpora.Options{Dialect: "planpatch", Messages: true},
		},
		{"inspect-messages", "inspect", []string{"inspect.json"}, corpora.Options{Dialect: "planpatch", Messages: true}},
		{
			"cassettes-messages", "vcr",
			[]string{"vcrpy.yaml", "govcr.yaml", "ruby.yml"},
			corpora.Options{Dialect: "planpatch", Messages: true},
		},
		{"text", "text", []string{"text"}, corpora.Options{
			Dialect: "planpatch", Model: "by-hand", Source: corpora.Synthetic,
			Tags: []string{"lang:en"},
		}},
		{"text-without-model", "text", []string{"text"}, corpora.Options{Dialect: "planpatch"}},
		{"promptfoo", "promptfoo", []string{"promptfoo.json"}, corpora.Options{Dialect: "planpatch"}},
		{"inspect", "inspect", []string{"inspect.json"}, corpora.Options{Dialect: "planpatch"}},
		{
			"cassettes", "vcr",
			[]string{"vcrpy.yaml", "govcr.yaml", "ruby.yml"},
			corpora.Options{Dialect: "planpatch", Plan: plan, Map: mapping("case=request.messages.0.role")},
		},
		{
			"chat", "chat",
			[]string{"sharegpt.json", "chat.txt", "chat.jsonl"},
			corpora.Options{Dialect: "planpatch", Model: "unnamed", Plan: plan},
		},
		{"otel", "otel", []string{"otel.jsonl", "otel-console.json"}, corpora.Options{Dialect: "planpatch"}},
		{"langsmith", "langsmith", []string{"langsmith.jsonl"}, corpora.Options{Dialect: "planpatch", Messages: true}},
		{"anthropic", "anthropic-pairs", []string{"anthropic.jsonl"}, corpora.Options{Dialect: "planpatch"}},
		{
			"wrong-files", "promptfoo",
			[]string{"inspect.json", "pairs.jsonl", "no-such.json", "text"},
			corpora.Options{Dialect: "planpatch"},
		},
		{
			"wrong-cassettes", "vcr",
			[]string{"promptfoo.json", "text/one.txt", "text/bytes.bin"},
			corpora.Options{Dialect: "planpatch"},
		},
	}
	for _, test := range tests {
		t.Run(test.golden, func(t *testing.T) {
			t.Chdir("testdata/import")
			got := imported(t, test.importer, test.files, test.options)
			golden.Check(t, filepath.Join("..", "golden", test.golden+".jsonl"), []byte(got))
		})
	}
}

// What an importer yields must be a corpus that the reader takes back whole.
func TestImportedIsACorpus(t *testing.T) {
	files := map[string][]string{
		"openai-pairs": {"pairs.jsonl"}, "openai-batch": {"batch-output.jsonl"}, "text": {"text"},
		"promptfoo": {"promptfoo.json"}, "inspect": {"inspect.json"}, "claude-code": {"stream.jsonl"},
		"opencode": {"opencode.json", "opencode-storage"}, "codex": {"codex.jsonl"}, "gemini-cli": {"gemini.jsonl", "gemini.json"},
		"openhands": {"openhands", "openhands-trajectory.json"}, "langsmith": {"langsmith.jsonl"},
		"otel": {"otel.jsonl", "otel-console.json"}, "anthropic-pairs": {"anthropic.jsonl"},
		"chat": {"chat.jsonl", "sharegpt.json", "chat.txt"}, "vcr": {"vcrpy.yaml", "govcr.yaml", "ruby.yml"},
		"rows": {"rows.jsonl", "rows.csv", "rows.tsv"},
	}
	for _, term := range corpora.Importers() {
		var paths []string
		for _, f := range files[term.Name] {
			paths = append(paths, filepath.Join("testdata/import", f))
		}
		name := filepath.Join(t.TempDir(), "corpus.jsonl.gz")
		var file bytes.Buffer
		w, err := corpora.NewWriter(&file, name)
		if err != nil {
			t.Fatal(err)
		}
		var wrote, read []corpora.Record
		for r, err := range corpora.Import(term.Name, paths, corpora.Options{Dialect: "planpatch", Model: "unnamed"}) {
			if err == nil {
				wrote = append(wrote, r)
				err = w.Write(r)
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(name, file.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		for r, err := range corpora.File(name).Records() {
			if err != nil {
				t.Errorf("%s: %v", term.Name, err)
			}
			read = append(read, r)
		}
		if len(wrote) == 0 {
			t.Errorf("%s: no record came out of the fixture", term.Name)
		}
		if diff := cmp.Diff(wrote, read); diff != "" {
			t.Errorf("%s (-written +read):\n%s", term.Name, diff)
		}
	}
}

func TestImportUnknown(t *testing.T) {
	got := imported(t, "excel", nil, corpora.Options{Dialect: "planpatch"})
	if !strings.Contains(got, `unknown importer "excel" (the importers are rows, openai-pairs, openai-batch, text, promptfoo, inspect, claude-code, opencode, codex, gemini-cli, openhands, langsmith, otel, anthropic-pairs, chat, vcr)`) {
		t.Errorf("got %q", got)
	}
}

func TestParseMappingRefuses(t *testing.T) {
	for _, s := range []string{"", "plan", "plan=", "colour=a.b", "case=id~("} {
		if _, err := corpora.ParseMapping(s); err == nil {
			t.Errorf("ParseMapping(%q) gave no error", s)
		}
	}
}

// Whatever a file of another tool holds, importing it ends, and every yield is
// a record that may be written or an error.
func FuzzImport(f *testing.F) {
	for _, name := range []string{
		"pairs.jsonl", "batch-output.jsonl", "promptfoo.json", "inspect.json", "vcrpy.yaml",
		"govcr.yaml", "ruby.yml", "claude.jsonl", "codex.jsonl", "gemini.jsonl", "openhands-trajectory.json", "langsmith.jsonl",
		"otel.jsonl", "otel-console.json", "anthropic.jsonl", "chat.jsonl", "sharegpt.json", "chat.txt", "rows.csv", "rows.json",
	} {
		data, err := os.ReadFile(filepath.Join("testdata/import", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "input")
		table := name + ".csv"
		if err := errors.Join(os.WriteFile(name, data, 0o644), os.WriteFile(table, data, 0o644)); err != nil {
			t.Fatal(err)
		}
		for _, term := range corpora.Importers() {
			for _, calls := range []*corpora.Calls{nil, wholeLists()} {
				o := corpora.Options{Dialect: "planpatch", Model: "m", Calls: calls, Maps: toolmap.For("todos"), Tally: &corpora.Tally{}}
				for r, err := range corpora.Import(term.Name, []string{name, table}, o) {
					if err == nil && r.Check() != nil {
						t.Errorf("%s: %v", term.Name, r.Check())
					}
				}
			}
		}
	})
}

func TestGuess(t *testing.T) {
	want := map[string]string{
		"rows.jsonl": "rows", "rows.csv": "rows", "rows.tsv": "rows", "rows.json": "rows", "batch-output.jsonl": "openai-batch",
		"pairs.jsonl": "openai-pairs", "chat.jsonl": "chat", "sharegpt.json": "chat", "promptfoo.json": "promptfoo",
		"inspect.json": "inspect", "plan.json": "", "vcrpy.yaml": "", "no such file": "",
	}
	got := map[string]string{}
	for name := range want {
		got[name] = corpora.Guess(filepath.Join("testdata/import", name))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
