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
	var spooled []string
	done = func() {
		for _, file := range spooled {
			os.Remove(file)
		}
	}
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
		if name == builtinCorpus {
			sources = append(sources, corpora.Builtin()...)
			continue
		}
		file := name
		if r, once := readOnce(e, name); once {
			if file, err = spool(r); err != nil {
				done()
				return nil, done, err
			}
			spooled = append(spooled, file)
		}
		s := corpora.File(file)
		s.Name = inputName(name)
		sources = append(sources, s)
	}
	return sources, done, nil
}

// readOnce opens what can be read once only: standard input, or a pipe, such as
// the shell makes of <(COMMAND).
func readOnce(e env, name string) (io.Reader, bool) {
	if name == stdinName {
		return e.stdin, true
	}
	info, err := os.Stat(name)
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return nil, false
	}
	f, err := os.Open(name)
	return f, err == nil
}

// spool copies what can be read once to a temporary file, since corpora are read
// twice.
func spool(r io.Reader) (name string, err error) {
	if c, ok := r.(io.Closer); ok && r != os.Stdin {
		defer c.Close()
	}
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
