package corpora

import (
	"embed"
	"io"
	"slices"
)

// The JSON Schema of a record is written by hand: the Go types do not say
// enough.
//
//go:embed record.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a line of a corpus.
func Schema() []byte { return slices.Clone(schema) }

// The recorded replies are all of those that the small test model gave in the
// runs that are listed in the provenance of each record: whole runs, none left
// out, so that nothing was chosen by its outcome. They were made with
//
//	replanbench corpus import openai-pairs s.*.jsonl m.*.jsonl l.*.jsonl retry.jsonl \
//		--map case=id~^[^/]+ --prompt tiny-replan@1 --messages \
//		--provenance 'tiny-replan (1.6 M parameters) behind llama.cpp, asked over HTTP' \
//		--out recorded.jsonl.zst
//
// The documented ones were written by hand after what their provenance names: no
// model gave them, and the incident among them is a reconstruction from its
// description. They are examples, and no sample.
//
//go:embed builtin/recorded.jsonl.zst builtin/documented.jsonl
var builtin embed.FS

// Builtin returns the corpora that come with the program: replies of a small
// language model, and replies written by hand after what documents describe.
func Builtin() []Source {
	var list []Source
	for _, name := range []string{"recorded.jsonl.zst", "documented.jsonl"} {
		list = append(list, Source{"builtin/" + name, func() (io.ReadCloser, error) { return builtin.Open("builtin/" + name) }})
	}
	return list
}
