// Release builds what a release consists of: for each system a static program in
// an archive with the licence, a bill of materials (CycloneDX) made from what Go
// recorded in the program, and one list of checksums.
//
//	go run ./cmd/release -version v1.2.3 -out bin/release
//
// runs in the root of the module. The same source gives the same bytes.
package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

const program = "replanbench"

// release is what is built.
type release struct {
	version string
	dir     string
	time    time.Time // of every file in an archive
	made    []string
}

func run(ctx context.Context) error {
	var r release
	var targets string
	flag.StringVar(&r.version, "version", "", "of the release (default what git describe says)")
	flag.StringVar(&r.dir, "out", filepath.Join("bin", "release"), "the directory to write to")
	flag.StringVar(&targets, "targets", "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64", "systems to build for")
	flag.Parse()
	described, err := git(ctx, "describe", "--tags", "--always", "--dirty")
	if err != nil {
		described = "devel" // a source archive has no history
	}
	r.version = cmp.Or(r.version, described)
	r.time = time.Unix(0, 0).UTC()
	if at, err := git(ctx, "log", "-1", "--format=%ct"); err == nil {
		if seconds, err := strconv.ParseInt(at, 10, 64); err == nil {
			r.time = time.Unix(seconds, 0).UTC()
		}
	}
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	for target := range strings.SplitSeq(targets, ",") {
		if err := r.target(ctx, target); err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
	}
	return r.checksums()
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	return strings.TrimSpace(string(out)), err
}

// target builds for one system, such as linux/amd64.
func (r *release) target(ctx context.Context, target string) error {
	system, arch, ok := strings.Cut(target, "/")
	if !ok {
		return fmt.Errorf("a target is a system and an architecture, such as linux/amd64")
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, program)
	if system == "windows" {
		file += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w -X main.release="+r.version, "-o", file, "./cmd/"+program)
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+arch)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	name := strings.Join([]string{program, r.version, system, arch}, "_")
	bill, err := bill(file, r.version)
	if err != nil {
		return err
	}
	if err := r.write(name+".cdx.json", bill); err != nil {
		return err
	}
	pack, ending := packTar, ".tar.gz"
	if system == "windows" {
		pack, ending = packZip, ".zip"
	}
	data, err := pack([]string{file, "LICENSE", "README.md"}, r.time)
	if err != nil {
		return err
	}
	fmt.Printf("%s%s %.1f MB\n", name, ending, float64(len(data))/1e6)
	return r.write(name+ending, data)
}

func (r *release) write(name string, data []byte) error {
	r.made = append(r.made, name)
	return os.WriteFile(filepath.Join(r.dir, name), data, 0o644)
}

// checksums writes the list that sha256sum -c reads.
func (r *release) checksums() error {
	slices.Sort(r.made)
	var b strings.Builder
	for _, name := range r.made {
		data, err := os.ReadFile(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(data), name)
	}
	return os.WriteFile(filepath.Join(r.dir, "SHA256SUMS"), []byte(b.String()), 0o644)
}
