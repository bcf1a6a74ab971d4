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

// The recorded replies are all replies that three small test models gave in the runs
// that their tags name: whole runs, so that no reply was chosen by its outcome. Each
// was asked for with
//
//	replanbench live --prompt tiny.j2 --retry-prompt retry.j2 --system system.txt --cases CASE \
//		--model MODEL --temperature T --seed RUN*100000+CASE --reply-tokens 400 --ladder patch
//
// with the templates in cmd/replanbench/testdata/tinylm, one case per command, so that
// each case has its own seed. The retries are those of the first twenty refused
// replies of each model (--ladder patch,retry). Ids, tags and provenance were then set by
// run, and latencies were left out.
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
