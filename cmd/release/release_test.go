package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestArchives(t *testing.T) {
	file := filepath.Join(t.TempDir(), "replanbench")
	if err := os.WriteFile(file, []byte("program"), 0o644); err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1_700_000_000, 0)
	for name, pack := range map[string]func([]string, time.Time) ([]byte, error){"tar": packTar, "zip": packZip} {
		first, err := pack([]string{file, file}, at)
		if err != nil {
			t.Fatal(err)
		}
		again, err := pack([]string{file, file}, at)
		if err != nil || !bytes.Equal(first, again) {
			t.Errorf("%s: other bytes the second time (%v)", name, err)
		}
	}
	data, err := packTar([]string{file}, at)
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if head, err := tar.NewReader(z).Next(); err != nil || head.Name != "replanbench" || head.Mode != 0o755 {
		t.Errorf("the archive begins with %+v (%v)", head, err)
	}
}

// TestBill lists what this test was built from.
func TestBill(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	data, err := bill(self, "v1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	var d document
	if err := json.Unmarshal(data, &d); err != nil {
		t.Fatal(err)
	}
	if d.Format != "CycloneDX" || d.Metadata.Component.Version != "v1.2.3" || len(d.Components) == 0 || d.Components[0].Name != "std" {
		t.Errorf("the bill is %s", data)
	}
	if got := module("example.org/a b", "v1.0.0+x").URL; got != "pkg:golang/example.org/a%20b@v1.0.0+x" {
		t.Errorf("a package URL is %s", got)
	}
}

// TestModule moves a copy of the module to another path: every import follows.
func TestModule(t *testing.T) {
	if os.Getenv("REPLANBENCH_TEST_LONG") == "" {
		t.Skip("it copies the module; REPLANBENCH_TEST_LONG=1 runs it")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", ".."))); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"make", "module", "TO=example.org/some/replanbench"}, {"go", "list", "-deps", "-test", "./..."}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		if args[0] == "go" && (!strings.Contains(string(out), "example.org/some/replanbench/harness\n") || strings.Contains(string(out), "\nreplanbench/")) {
			t.Error("some packages stay where they were")
		}
	}
}
