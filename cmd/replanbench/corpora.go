package main

import (
	"io"
	"os"
	"slices"

	"replanbench/corpora"
)

// builtinCorpus names the corpus that comes with the program.
const builtinCorpus = "builtin"

// openCorpora resolves the names of corpora; without any it is the built-in
// one. done must be called when they are no longer read.
func openCorpora(e env, names []string) (sources []corpora.Source, done func(), err error) {
	done = func() {}
	if len(names) == 0 {
		names = []string{builtinCorpus}
	}
	if fromStdin(names) > 1 {
		return nil, done, usagef("standard input (-) can be read once only")
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, done, usagef("%s is named twice, and its replies would count twice (name it once)", inputName(name))
		}
		switch name {
		case builtinCorpus:
			sources = append(sources, corpora.Builtin()...)
		case stdinName:
			file, err := spool(e.stdin)
			if err != nil {
				return nil, done, err
			}
			done = func() { os.Remove(file) }
			s := corpora.File(file)
			s.Name = "standard input"
			sources = append(sources, s)
		default:
			sources = append(sources, corpora.File(name))
		}
	}
	return sources, done, nil
}

// spool copies standard input to a temporary file, since corpora are read
// twice.
func spool(r io.Reader) (name string, err error) {
	f, err := os.CreateTemp("", "replanbench-corpus-*")
	if err != nil {
		return "", err
	}
	defer f.Close()
	if _, err := io.Copy(f, r); err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}
