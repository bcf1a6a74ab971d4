//go:build !windows

package files

import "github.com/google/renameio/v2"

type pending = renameio.PendingFile

// newPending creates a file in dir that can replace another one. It keeps the
// permissions of that one.
func newPending(name, dir string) (*pending, error) {
	return renameio.NewPendingFile(name, renameio.WithTempDir(dir), renameio.WithPermissions(0o644),
		renameio.WithExistingPermissions())
}
