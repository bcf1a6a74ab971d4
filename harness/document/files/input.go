package files

import "io"

// MaxInput limits the bytes of a file that is read whole. A plan of 10,000 steps has about 2 MB.
const MaxInput = 32 << 20

// Stdin names standard input among the inputs of a command.
const Stdin = "-"

// Inputs reads the files that a user names.
type Inputs struct{ Stdin io.Reader }

// InputName returns the name of an input in messages.
func InputName(name string) string {
	if name == Stdin {
		return "standard input"
	}
	return name
}

// Read reads a file of at most [MaxInput] bytes, or standard input for "-".
func (in Inputs) Read(name string) ([]byte, error) { return in.ReadUpTo(name, MaxInput) }

// ReadUpTo reads a file of at most limit bytes.
func (in Inputs) ReadUpTo(name string, limit int64) ([]byte, error) {
	if name == Stdin {
		return ReadFrom(in.Stdin, InputName(name), limit)
	}
	return Read(name, limit)
}
