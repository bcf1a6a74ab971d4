package files

import (
	"os"
	"path/filepath"

	"replanbench/harness"
)

// Apart refuses outputs that are the same file as an input or as another output,
// by whatever name or link, so that nothing is overwritten that is read. Devices
// and pipes may be both.
func Apart(outputs, inputs []string) error {
	for i, out := range outputs {
		for _, in := range inputs {
			if same(out, in) {
				return harness.Mistakef("%s is also read as %s, and the result would overwrite it (name another file for the "+
					"result)", out, in)
			}
		}
		for _, other := range outputs[:i] {
			if path := whole(out); same(out, other) || path != "" && path == whole(other) {
				return harness.Mistakef("%s and %s would write the same file (name two different files)", other, out)
			}
		}
	}
	return nil
}

// stdin is standard input among the names of inputs.
const stdin = "-"

// same reports whether a file that exists has both names.
func same(out, in string) bool {
	written, err1 := os.Stat(out)
	read, err2 := os.Stat(in)
	if in == stdin {
		read, err2 = os.Stdin.Stat()
	}
	return err1 == nil && err2 == nil && written.Mode().IsRegular() && os.SameFile(written, read)
}

// whole is the path of a file that need not exist, without links to its directory;
// "" is a device, which several may write.
func whole(name string) string {
	dir, base := filepath.Split(name)
	if real, err := filepath.EvalSymlinks(filepath.Clean(dir)); err == nil {
		dir = real
	}
	path, err := filepath.Abs(filepath.Join(dir, base))
	if info, stat := os.Stat(name); err != nil || stat == nil && !info.Mode().IsRegular() {
		return ""
	}
	return path
}
