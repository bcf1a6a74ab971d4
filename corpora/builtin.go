package corpora

import (
	"embed"
	"io"
	"slices"
)

// schema is the JSON Schema of a record. It is written by hand, because it has more
// constraints than the Go types.
//
//go:embed record.schema.json
var schema []byte

// Schema returns the JSON Schema (draft 2020-12) of a line of a corpus.
func Schema() []byte { return slices.Clone(schema) }

// The recorded replies are all replies of three small test models in the runs that their
// tags name, so no reply was selected by its outcome. The command of each reply was
//
//	replanbench live --prompt tiny.j2 --retry-prompt retry.j2 --system system.txt --cases CASE \
//		--model MODEL --temperature T --seed RUN*100000+CASE --reply-tokens 400 --ladder patch
//
// with the templates in cmd/replanbench/testdata/tinylm, one case per command, so that
// each case has its own seed. The first twenty rejected replies of each model have
// retries (--ladder patch,retry). Ids, tags and provenance name the run, and latencies
// were removed.
//
// The documented replies were written by hand from the documents in their provenance. No
// model wrote them, and the incident among them is a reconstruction. They are examples,
// not a sample.
//
//go:embed builtin/recorded.jsonl.zst builtin/documented.jsonl
var builtin embed.FS

// Builtin returns the built-in corpora: replies of small language models, and examples
// written by hand from documents.
func Builtin() []Source {
	var list []Source
	for _, name := range []string{"recorded.jsonl.zst", "documented.jsonl"} {
		list = append(list, Source{
			"builtin/" + name,
			func() (io.ReadCloser, error) { return builtin.Open("builtin/" + name) },
		})
	}
	return list
}
