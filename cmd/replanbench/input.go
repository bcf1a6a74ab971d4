package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// maxInput bounds every file that is read whole. A plan of 10,000 steps has
// about 2 MB.
const maxInput = 32 << 20

// stdinName stands for standard input among the inputs of a command.
const stdinName = "-"

// inputName is what messages call an input.
func inputName(name string) string {
	if name == stdinName {
		return "standard input"
	}
	return name
}

// fromStdin counts the inputs that come from standard input.
func fromStdin(names []string) int {
	n := 0
	for _, name := range names {
		if name == stdinName {
			n++
		}
	}
	return n
}

// readInput reads a file, or standard input for "-". It refuses directories
// and anything larger than maxInput, before reading it where the size is known.
func readInput(e env, name string) ([]byte, error) { return readUpTo(e, name, maxInput) }

// maxReport bounds a stored report. One of 100,000 cases and 5,000 findings has
// about 20 MB.
const maxReport = 512 << 20

// readUpTo reads a file as readInput does, with a bound of its own.
func readUpTo(e env, name string, limit int64) ([]byte, error) {
	if name == stdinName {
		return readCapped(e.stdin, inputName(name), limit)
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usagef("%s: no such file", name)
	case err != nil:
		return nil, usagef("%s: %w", name, cause(err))
	case info.IsDir():
		return nil, usagef("%s: is a directory (name a file)", name)
	case info.Size() > limit:
		return nil, tooLarge(name, fmt.Sprintf("%.1f MiB", float64(info.Size())/(1<<20)), limit)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, usagef("%s: %w", name, cause(err))
	}
	defer f.Close()
	return readCapped(f, name, limit)
}

func readCapped(r io.Reader, name string, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, usagef("reading %s: %w", name, cause(err))
	}
	if int64(len(data)) > limit {
		return nil, tooLarge(name, "more", limit)
	}
	return data, nil
}

func tooLarge(name, size string, limit int64) error {
	return usagef("%s: the file has %s, and at most %d MiB are read (is it the right file?)", name, size, limit>>20)
}
