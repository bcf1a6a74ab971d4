package corpora

import (
	"embed"
	"io"
	"os"
	"slices"

	"replanbench/harness"
	"replanbench/harness/document/files"
)

// The names of corpora that are not files.
const (
	BuiltinName = "builtin"
	stdinName   = "-"
)

// Open resolves the names of corpora; no names mean the built-in corpora. It copies
// standard input and pipes (such as the shell's <(COMMAND)) to temporary files, because
// scoring reads corpora twice. The caller must call done after reading.
func Open(names []string, stdin io.Reader) (sources []Source, done func(), err error) {
	var spooled []string
	done = func() {
		for _, file := range spooled {
			os.Remove(file)
		}
	}
	if len(names) == 0 {
		names = []string{BuiltinName}
	}
	for i, name := range names {
		switch before := slices.Contains(names[:i], name); {
		case before && name == stdinName:
			err = harness.Mistakef("standard input (-) can be read only once")
		case before:
			err = harness.Mistakef("%s is named twice, so its replies would count twice (name it once)", name)
		case name == BuiltinName:
			sources = append(sources, Builtin()...)
			continue
		}
		file := name
		if err == nil && (name == stdinName || isPipe(name)) {
			if file, err = spool(name, stdin); err == nil {
				spooled = append(spooled, file)
			}
		}
		if err != nil {
			done()
			return nil, func() {}, err
		}
		s := File(file)
		if s.Name = name; name == stdinName {
			s.Name = "standard input"
		}
		sources = append(sources, s)
	}
	return sources, done, nil
}

func isPipe(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode()&os.ModeNamedPipe != 0
}

func spool(name string, stdin io.Reader) (string, error) {
	r := stdin
	if name != stdinName {
		f, err := os.Open(name)
		if err != nil {
			return "", harness.Mistaken(err)
		}
		defer f.Close()
		r = f
	}
	return files.Spool(r, "replanbench-corpus-*")
}

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
