package corpora_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"

	"replanbench/corpora"
	"replanbench/harness"
)

func from(text string) corpora.Source {
	return corpora.Source{Name: "c.jsonl", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(text)), nil
	}}
}

// read returns the ids of the records and the texts of the errors, in order.
func read(s corpora.Source) []string {
	var out []string
	for r, err := range s.Records() {
		if err != nil {
			out = append(out, "! "+err.Error())
		} else {
			out = append(out, r.ID)
		}
	}
	return out
}

func line(id string) string {
	return fmt.Sprintf(`{"v":1,"id":%q,"dialect":"planpatch","model":"m","reply":"{}","source":"recorded"}`, id)
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func zstandard(text string) string {
	z, _ := zstd.NewWriter(nil)
	return string(z.EncodeAll([]byte(text), nil))
}

func TestRead(t *testing.T) {
	three := line("a") + "\n" + line("b") + "\n" + line("c") + "\n"
	var many strings.Builder
	for i := range 5000 {
		many.WriteString(line(fmt.Sprint(i*i*7919)) + "\n")
	}
	cut := gzipped(many.String())
	cut = cut[:len(cut)/2]
	with := func(old, new string) string { return strings.Replace(line("x"), old, new, 1) }

	tests := []struct {
		name, text string
		want       []string
	}{
		{"plain", three, []string{"a", "b", "c"}},
		{"without a last newline", strings.TrimSpace(three), []string{"a", "b", "c"}},
		{"CRLF", strings.ReplaceAll(three, "\n", "\r\n"), []string{"a", "b", "c"}},
		{"blank lines", "\n\n" + line("a") + "\n \t\n" + line("b") + "\n\n", []string{"a", "b"}},
		{"BOM", "\ufeff" + three, []string{"a", "b", "c"}},
		{"gzip", gzipped(three), []string{"a", "b", "c"}},
		{"gzip, two members", gzipped(three) + gzipped(line("d")), []string{"a", "b", "c", "d"}},
		{"gzip with BOM", gzipped("\ufeff" + three), []string{"a", "b", "c"}},
		{"zstd", zstandard(three), []string{"a", "b", "c"}},
		{"zstd, two frames", zstandard(three) + zstandard(line("d")), []string{"a", "b", "c", "d"}},
		{"empty", "", []string{"! c.jsonl: the file is empty (a corpus has one JSON record per line)"}},
		{"UTF-16", "\xff\xfe{\x00", []string{"! c.jsonl: the file is UTF-16 (save it as UTF-8)"}},
		{"zip", "PK\x03\x04....", []string{"! c.jsonl: a zip archive is not a corpus (unpack it; replanbench corpus " +
			"import inspect reads .eval logs directly)"}},
		{"gzip header alone", "\x1f\x8b\x08", []string{"! c.jsonl: damaged gzip file: unexpected EOF"}},
		{
			"a damaged line", line("a") + "\n" + line("b")[:40] + "\n" + line("c") + "\n",
			[]string{"a", "! c.jsonl:2:41: not JSON: the JSON is cut off", "c"},
		},
		{"a wrong type", with(`"m"`, `[1]`), []string{"! c.jsonl:1:47: the value must be a string at /model"}},
		{
			"a member twice", with(`"v":1`, `"v":1,"v":1`),
			[]string{`! c.jsonl:1:8: not JSON: duplicate object member name at /v`},
		},
		{"not an object", "[]\n" + line("a"), []string{"! c.jsonl:1:1: the value must be an object", "a"}},
		{"no v", with(`"v":1,`, ``), []string{`! c.jsonl:1: "v" is missing (the version of the format, 1)`}},
		{
			"v of tomorrow", with(`"v":1`, `"v":2`),
			[]string{`! c.jsonl:1: "v" is 2, and this program reads up to 1 (a newer one may read it)`},
		},
		{"no id", with(`"id":"x",`, ``), []string{`! c.jsonl:1: "id" is missing or empty`}},
		{
			"no dialect", with(`"dialect":"planpatch",`, ``),
			[]string{`! c.jsonl:1: "dialect" is missing (see replanbench list dialects)`},
		},
		{"no model", with(`"model":"m",`, ``), []string{`! c.jsonl:1: "model" is missing or empty`}},
		{
			"no reply", with(`"reply":"{}",`, ``),
			[]string{`! c.jsonl:1: "reply" is missing (the model's raw text; "" where it said nothing)`},
		},
		{"a report", `{"section":"report","metric":"verdict"}`, []string{
			"! c.jsonl:1: this is a row of a report, not a record (name the file of the replies)",
		}},
		{"null reply", with(`"{}"`, `null`), []string{`! c.jsonl:1: "reply" is missing (the model's raw text; "" where it said nothing)`}},
		{
			"no source", with(`,"source":"recorded"`, ``),
			[]string{`! c.jsonl:1: "source" is missing (recorded, synthetic or documented)`},
		},
		{
			"a wrong source", with(`"recorded"`, `"guessed"`),
			[]string{`! c.jsonl:1: "source" is "guessed" (it must be recorded, synthetic or documented)`},
		},
		{
			"a retry that is a first attempt", with(`"v":1`, `"v":1,"retry_of":"a"`),
			[]string{`! c.jsonl:1: "retry_of" is given, and "attempt" is 1 (a retry is attempt 2 or later)`},
		},
		{"unknown members", with(`"v":1`, `"v":1,"colour":"red"`), []string{"x"}},
		{
			"pairs", `{"request":{},"response":{}}`,
			[]string{"! c.jsonl:1: this looks like a request with its response, not like a record (import it first: " +
				"replanbench corpus import openai-pairs FILE)"},
		},
		{
			"a batch", `{"custom_id":"a","response":{}}`,
			[]string{"! c.jsonl:1: this looks like a line of a batch, not like a record (import it first: replanbench corpus " +
				"import openai-batch FILE)"},
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, read(from(test.text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}

	got := read(from(cut))
	last := got[len(got)-1]
	if want := fmt.Sprintf("! c.jsonl:%d: the file is damaged or cut off here: unexpected EOF (the lines before were read)", len(got)); last != want {
		t.Errorf("a gzip file cut in half ends with %q, want %q", last, want)
	}
	if len(got) < 1000 {
		t.Errorf("of a gzip file cut in half only %d lines were read", len(got)-1)
	}
}

// A line of 200 MB is counted, not held: reading it must allocate no more than
// a longest allowed line needs.
func TestReadHugeLine(t *testing.T) {
	const size = 200 << 20
	source := corpora.Source{Name: "huge", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(io.MultiReader(
			strings.NewReader(line("a")+"\n"), io.LimitReader(letters{}, size), strings.NewReader("\n"+line("b")+"\n"),
		)), nil
	}}
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			want := []string{"a", "! huge:2: skipped a line of 200.0 MiB (the limit is 16 MiB)", "b"}
			if diff := cmp.Diff(want, read(source)); diff != "" {
				b.Fatalf("-want +got:\n%s", diff)
			}
		}
	})
	if most := int64(6 * corpora.MaxLine); result.AllocedBytesPerOp() > most {
		t.Errorf("%d MiB allocated, want at most %d", result.AllocedBytesPerOp()>>20, most>>20)
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

func TestReadHugeLastLine(t *testing.T) {
	text := line("a") + "\n" + strings.Repeat("a", corpora.MaxLine+1)
	want := []string{"a", "! c.jsonl:2: skipped a line of 16.0 MiB (the limit is 16 MiB)"}
	if diff := cmp.Diff(want, read(from(text))); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestReadNoFile(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "none.jsonl")
	for _, name := range []string{missing, dir} {
		got := read(corpora.File(name))
		if len(got) != 1 || !strings.HasPrefix(got[0], "! "+name+": ") {
			t.Errorf("%s: got %q, want one error that names it", name, got)
		}
	}
}

// records draws records that a corpus may hold.
func records() *rapid.Generator[corpora.Record] {
	return rapid.Custom(func(t *rapid.T) corpora.Record {
		r := corpora.Record{
			V: 1, ID: rapid.StringN(1, 8, -1).Draw(t, "id"), Dialect: "planpatch",
			Model: rapid.StringN(1, 8, -1).Draw(t, "model"), Case: rapid.StringN(0, 4, -1).Draw(t, "case"),
			Reply:  harness.Reply(rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "reply")),
			Sample: rapid.IntRange(0, 9).Draw(t, "sample"), Attempt: rapid.IntRange(1, 3).Draw(t, "attempt"),
			Source: rapid.SampledFrom([]string{corpora.Recorded, corpora.Synthetic, corpora.Documented}).Draw(t, "source"),
		}
		if r.Attempt > 1 {
			r.RetryOf = rapid.StringN(0, 4, -1).Draw(t, "retry")
		}
		if rapid.Bool().Draw(t, "plan") {
			r.Plan = []byte(`{"title":"t","steps":[]}`)
			r.Params = []byte(`{"seed":3,"temperature":0.7}`)
			r.Usage = &corpora.Usage{PromptTokens: 3, CompletionTokens: 4}
			r.Intent = &corpora.Intent{FailedStep: "s"}
			r.Tags = []string{"a:b"}
		}
		return r
	})
}

// What is written is read back, however it is compressed and wherever batches
// end.
func TestWriteRead(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOfN(records(), 1, 20).Draw(t, "records")
		name := filepath.Join(dir, "c.jsonl"+rapid.SampledFrom([]string{"", ".gz", ".zst"}).Draw(t, "compression"))
		var file bytes.Buffer
		w, err := corpora.NewWriter(&file, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range want {
			if err := w.Write(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(w.Close(), os.WriteFile(name, file.Bytes(), 0o644)); err != nil {
			t.Fatal(err)
		}
		var got []corpora.Record
		for r, err := range corpora.File(name).Records() {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, r)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("-written +read:\n%s", diff)
		}
	})
}

func TestWriteRefuses(t *testing.T) {
	w, err := corpora.NewWriter(io.Discard, "")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(corpora.Record{V: 1, ID: "x"}); err == nil {
		t.Error("a record without dialect, model and source was written")
	}
}

func TestBatchesCoverEveryLine(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(line(fmt.Sprint(i)))
		text.WriteString(strings.Repeat(" ", i%700) + "\n")
	}
	next, batches := 1, 0
	for b, err := range from(text.String()).Batches() {
		if err != nil {
			t.Fatal(err)
		}
		if b.Line != next {
			t.Fatalf("batch %d begins with line %d, want %d", batches, b.Line, next)
		}
		next += bytes.Count(b.Data, []byte("\n"))
		batches++
	}
	if next != 3001 || batches < 3 {
		t.Errorf("%d lines in %d batches, want 3000 in several", next-1, batches)
	}
}

func TestKeys(t *testing.T) {
	base := corpora.Record{
		V: 1, ID: "a", Model: "m", Plan: []byte(`{}`), Params: []byte(`{"seed":1,"temperature":0.70}`),
		Attempt: 1,
	}
	same := base
	same.ID, same.Params = "b", []byte(`{ "temperature": 0.7, "seed": 1 }`)
	if base.Key() != same.Key() {
		t.Errorf("the order of parameters changes the key:\n%s\n%s", base.Key(), same.Key())
	}
	for name, change := range map[string]func(*corpora.Record){
		"model":   func(r *corpora.Record) { r.Model = "n" },
		"prompt":  func(r *corpora.Record) { r.PromptSHA256 = "ff" },
		"name":    func(r *corpora.Record) { r.Prompt = "replan@2" },
		"params":  func(r *corpora.Record) { r.Params = []byte(`{"seed":2,"temperature":0.7}`) },
		"case":    func(r *corpora.Record) { r.Case = "other" },
		"plan":    func(r *corpora.Record) { r.Plan = []byte(`{"title":"t"}`) },
		"limits":  func(r *corpora.Record) { r.Limits.MaxPlanSteps = new(int) },
		"sample":  func(r *corpora.Record) { r.Sample = 1 },
		"attempt": func(r *corpora.Record) { r.Attempt = 2 },
	} {
		other := base
		change(&other)
		if other.Key() == base.Key() {
			t.Errorf("another %s does not change the key", name)
		}
	}
}

func TestParams(t *testing.T) {
	r := corpora.Record{
		Params: []byte(`{"temperature":0.7,"response_format":"json_schema","stop":["a"],"x":"\u00e9"}`),
		Tags:   []string{"lang:en", "run:r1"},
	}
	got := []string{
		r.Param("temperature"), r.Param("stop"), r.Param("x"), r.Param("none"), r.Mode(), r.Tag("run"),
		r.Tag("none"),
	}
	if diff := cmp.Diff([]string{"0.7", `["a"]`, "é", "", "json_schema", "r1", ""}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if m := (&corpora.Record{}).Mode(); m != "free" {
		t.Errorf("without a response format the mode is %q", m)
	}
}

// The built-in corpus: read without a problem, unique keys and ids, provenance
// and source on every record, retries that name a first attempt.
func TestBuiltin(t *testing.T) {
	count, ids, keys := map[string]int{}, map[string]bool{}, map[string]string{}
	for _, source := range corpora.Builtin() {
		for r, err := range source.Records() {
			if err != nil {
				t.Fatal(err)
			}
			if r.Provenance == "" || r.Plan == nil || r.Case == "" {
				t.Errorf("%s lacks provenance, plan or case", r.ID)
			}
			if ids[r.ID] || keys[r.Key()] != "" {
				t.Errorf("%s stands twice (as %s)", r.ID, keys[r.Key()])
			}
			if r.RetryOf != "" && !ids[r.RetryOf] {
				t.Errorf("%s is a retry of %s, which must come before it", r.ID, r.RetryOf)
			}
			ids[r.ID], keys[r.Key()] = true, r.ID
			count[r.Source]++
		}
	}
	if diff := cmp.Diff(map[string]int{corpora.Recorded: 1610, corpora.Documented: 14}, count); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// Reading never panics and always ends, and what it takes for a record passes
// its own check.
func FuzzRead(f *testing.F) {
	f.Add([]byte(line("a") + "\n" + line("b")))
	f.Add([]byte(gzipped(line("a"))))
	f.Add([]byte(zstandard(line("a"))))
	f.Add([]byte("\ufeff{\"v\":1}\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		for r, err := range from(string(data)).Records() {
			if err == nil && r.Check() != nil {
				t.Errorf("a record came out that is none: %v", r.Check())
			}
		}
	})
}

func corpus(b *testing.B) []byte {
	var text bytes.Buffer
	for r, err := range corpora.Builtin()[0].Records() {
		if err != nil {
			b.Fatal(err)
		}
		line, err := r.Append(nil)
		if err != nil {
			b.Fatal(err)
		}
		text.Write(line)
	}
	return text.Bytes()
}

func BenchmarkRead(b *testing.B) {
	text := corpus(b)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for _, err := range from(string(text)).Records() {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}
