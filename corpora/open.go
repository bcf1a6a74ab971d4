package corpora

import (
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
