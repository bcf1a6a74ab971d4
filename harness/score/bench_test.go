package score_test

import (
	"bytes"
	stdjson "encoding/json"
	"io"
	"testing"

	"replanbench/corpora"
	"replanbench/harness"
	"replanbench/harness/score"
	"replanbench/harness/score/tokens"
)

// lines is the built-in corpus, uncompressed.
func lines(b *testing.B) []byte {
	b.Helper()
	var text []byte
	for r, err := range corpora.Builtin()[0].Records() {
		if err != nil {
			b.Fatal(err)
		}
		if text, err = r.Append(text); err != nil {
			b.Fatal(err)
		}
	}
	return text
}

func plain(text []byte) corpora.Source {
	return corpora.Source{Name: "bench", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(text)),
			nil
	}}
}

// BenchmarkDecodeStd is the yardstick: encoding/json decoding the same records
// into structs, and nothing else.
func BenchmarkDecodeStd(b *testing.B) {
	type step struct {
		ID            string   `json:"id"`
		Description   string   `json:"description"`
		Dependencies  []string `json:"dependencies"`
		Status        string   `json:"status"`
		ToolsExpected []string `json:"tools_expected"`
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type record struct {
		V       int    `json:"v"`
		ID      string `json:"id"`
		Dialect string `json:"dialect"`
		Case    string `json:"case"`
		Plan    struct {
			Type  string `json:"type"`
			Title string `json:"title"`
			Steps []step `json:"steps"`
		} `json:"plan"`
		Limits       map[string]int     `json:"limits"`
		Prompt       string             `json:"prompt"`
		PromptSHA256 string             `json:"prompt_sha256"`
		Messages     []message          `json:"messages"`
		Model        string             `json:"model"`
		Params       stdjson.RawMessage `json:"params"`
		Sample       int                `json:"sample"`
		Attempt      int                `json:"attempt"`
		RetryOf      *string            `json:"retry_of"`
		Reply        string             `json:"reply"`
		FinishReason string             `json:"finish_reason"`
		Usage        map[string]int     `json:"usage"`
		Source       string             `json:"source"`
		Tags         []string           `json:"tags"`
		Intent       map[string]string  `json:"intent"`
		Provenance   string             `json:"provenance"`
	}
	text := lines(b)
	b.SetBytes(int64(len(text)))
	n := 0
	for b.Loop() {
		for line := range bytes.Lines(text) {
			var r record
			if err := stdjson.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "replies/s")
}

// BenchmarkRun scores on one core.
func BenchmarkRun(b *testing.B) {
	exact, err := tokens.New(tokens.O200kBase)
	if err != nil {
		b.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		counter score.Counter
	}{{"tokens=none", nil}, {"tokens=o200k_base", exact}} {
		b.Run(test.name, func(b *testing.B) {
			text := lines(b)
			b.SetBytes(int64(len(text)))
			n := 0
			for b.Loop() {
				r, err := score.Run(b.Context(), []corpora.Source{plain(text)}, score.Options{
					By: []string{"model", "mode"}, Profile: harness.Reference(), Counter: test.counter, Workers: 1,
				})
				if err != nil || r.Bad > 0 {
					b.Fatal(err, r.Problems)
				}
				n += r.Records
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "replies/s")
		})
	}
}
