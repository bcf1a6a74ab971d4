//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness/document/files"
)

// Where nothing can be written any more, what was written before stays, and the
// result goes to standard output.
func TestFullDisk(t *testing.T) {
	for _, tc := range []struct {
		name, begin, full string
		why               error
	}{
		{"full disk", "mount -t tmpfs -o size=400k tiny .", "dd if=/dev/zero of=fill bs=1k 2>/dev/null", syscall.ENOSPC},
		{"limit", ":", "ulimit -f 1", syscall.EFBIG},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if out, err := exec.Command("unshare", "-Urm", "sh", "-c", tc.begin).CombinedOutput(); err != nil {
				t.Skipf("no namespace for it: %v: %s", err, out)
			}
			script := tc.begin + ` && cd "$PWD"
fuzz="replanbench fuzz --engine defect:removes-done-steps --traits done-remove --workers 1 --dir o --quiet --verbose"
$fuzz --cases 100 --max-findings 1 >first; echo "first $?"
cp o/checkpoint.json "$OUTSIDE"
` + tc.full + `
$fuzz --cases 200 --max-findings 2 2>&1 | grep -o "^fail planpatch/[a-z]*\|o/.*: [nf].*\|^FAIL: .*" | sed "s,^FAIL: .*,FAIL: 200 cases," | sed "s,[0-9a-f]\{12\}/.*:,FINDING:," | sort -u
cmp o/checkpoint.json "$OUTSIDE/checkpoint.json" && echo "the checkpoint is as it was"
replanbench list codes --out first 2>&1 | grep "^no_document\|writing"
ls -A o; head -c 20 first`
			cmd := exec.Command("unshare", "-Urm", "sh", "-c", script)
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "OUTSIDE="+t.TempDir())
			out, err := cmd.CombinedOutput()
			want := strings.ReplaceAll(`first 1
FAIL: 200 cases
fail planpatch/loss
o/checkpoint.json: NO ROOM
o/findings/FINDING: NO ROOM
o/report.json: NO ROOM
the checkpoint is as it was
no_document           the reply holds no JSON object that could be the expected document
replanbench: writing first: NO ROOM
causes
checkpoint.json
evidence.json
findings
report.json
Causes, planpatch, s`, "NO ROOM", tc.why.Error())
			if diff := cmp.Diff(want, string(out)); err != nil || diff != "" {
				t.Error(err, diff)
			}
		})
	}
}

// TestTwoRuns: of two runs with one output the second is told who holds it,
// before it does anything.
func TestTwoRuns(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, tc := range []struct{ locked, args string }{
		{"o/checkpoint.json", "fuzz --cases 100 --dir o"},
		{"o/checkpoint-1-of-2.json", "fuzz --cases 100 --shard 1/2 --dir o"},
		{"report.json", "run --out report.json"},
		{"replies.jsonl", "live --model m --base-url http://127.0.0.1:1 --corpus replies.jsonl --resume"},
		{"replies.jsonl", "corpus import text . --plan x --out replies.jsonl"},
	} {
		if err := os.MkdirAll(filepath.Dir(tc.locked), 0o755); err != nil {
			t.Fatal(err)
		}
		unlock, err := files.Lock(tc.locked, "the first")
		if err != nil {
			t.Fatal(err)
		}
		code, stdout, stderr := call(t.Context(), strings.Fields(tc.args)...)
		if code != exitUsage || stdout != "" ||
			!strings.Contains(stderr, "(the first) is writing it (wait until it ends, or name another file)") {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", tc.args, code, stdout, stderr)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
}
