package infer_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// The tests collect garbage as seldom as the command engine infer does.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
