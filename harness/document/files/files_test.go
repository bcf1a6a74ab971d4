package files_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"replanbench/harness"
	"replanbench/harness/document/files"
)

// TestMain makes this binary a process that writes, for the tests that kill it or
// give it a small disk.
func TestMain(m *testing.M) {
	if name := os.Getenv("FILES_TEST_WRITE"); name != "" {
		os.Exit(write(name))
	}
	os.Exit(m.Run())
}

// write locks a file and writes 256 KiB to it when its input ends.
func write(name string) int {
	unlock, err := files.Lock(name, "the other")
	if err == nil {
		err = files.Write(name, func(w io.Writer) error {
			fmt.Println("writing")
			if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
				return err
			}
			_, err := io.WriteString(w, strings.Repeat("new ", 64<<10))
			return err
		})
		err = errors.Join(err, unlock())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// inDir lists a directory with what its files hold.
func inDir(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			all[e.Name()] = fmt.Sprintf("%d files", len(inDir(t, filepath.Join(dir, e.Name()))))
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[e.Name()] = string(data)
	}
	return all
}

func put(t *testing.T, name, text string) string {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// other starts a process that is about to write a file, and has locked it.
func other(t *testing.T, name string) (cmd *exec.Cmd, goOn io.Closer) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "FILES_TEST_WRITE="+name)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, in
}

// A write that fails leaves the file as it was and nothing beside it.
func TestWriteFails(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "good"), "good")
	broken := errors.New("broken")
	err := files.Write(name, func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Repeat("x", 1<<20))
		return errors.Join(err, broken)
	})
	if !errors.Is(err, broken) || !strings.Contains(err.Error(), "writing "+name) {
		t.Errorf("got %v", err)
	}
	if diff := cmp.Diff(map[string]string{"good": "good"}, inDir(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestWriteKeepsLinkAndMode(t *testing.T) {
	dir := t.TempDir()
	name, link := put(t, filepath.Join(dir, strings.Repeat("n", 230)), "old"), filepath.Join(dir, "link")
	if err := os.Symlink(name, link); err != nil {
		t.Skip("no links: ", err)
	}
	if err := files.WriteData(link, []byte("new")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{filepath.Base(name): "new", "link": "new"}, inDir(t, dir)); diff != "" {
		t.Error(diff)
	}
	to, err1 := os.Lstat(link)
	info, err2 := os.Stat(name)
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if to.Mode()&os.ModeSymlink == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("link %v, file %v", to.Mode(), info.Mode())
	}
}

// Every function reports a dangling link, and none replaces it.
func TestDanglingLink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Skip("no links: ", err)
	}
	_, read := files.Read(link, 10)
	_, lock := files.Lock(link, "")
	for what, err := range map[string]error{
		"Read": read, "Readable": files.Readable(link), "Writable": files.Writable(link),
		"Write": files.WriteData(link, nil), "Lock": lock,
	} {
		if err == nil || !strings.Contains(err.Error(), link+": is a link to nowhere, which does not exist") {
			t.Errorf("%s: got %v", what, err)
		}
	}
}

// Of two processes that want one file the second is told who has it, through
// links as well; when the first is killed the file is free, and what it was about
// to write is removed.
func TestLock(t *testing.T) {
	dir := t.TempDir()
	name := put(t, filepath.Join(dir, "out"), "old")
	cmd, _ := other(t, name)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(name, link); err != nil {
		link = name
	}
	_, err := files.Lock(link, "mine")
	want := fmt.Sprintf("%s: process %d (the other) is writing it (wait until it ends, or name another file)", link,
		cmd.Process.Pid)
	if err == nil || err.Error() != want || !harness.IsMistake(err) {
		t.Errorf("got %v, want %s", err, want)
	}
	files.Sweep(dir)
	beside := map[string]string{
		"out": "old", ".out.lock": fmt.Sprintf("process %d (the other)\n", cmd.Process.Pid),
		".replanbench-drafts": "1 files",
	}
	if diff := cmp.Diff(beside, inDir(t, dir)); diff != "" {
		t.Errorf("while a process writes (-want +got):\n%s", diff)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the other was not killed")
	}
	unlock, err := files.Lock(name, "mine")
	if err != nil {
		t.Fatal(err)
	}
	if err := unlock(); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(map[string]string{"out": "old"}, inDir(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// A lock that ends is free at once, whoever waits for it.
func TestLockAgain(t *testing.T) {
	name := filepath.Join(t.TempDir(), "out")
	for range 3 {
		unlock, err := files.Lock(name, "mine")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := files.Lock(name, "mine"); err == nil {
			t.Error("one process locks a file twice")
		}
		if err := unlock(); err != nil {
			t.Fatal(err)
		}
	}
	if unlock, err := files.Lock(os.DevNull, "mine"); err != nil || unlock() != nil {
		t.Errorf("a device is locked: %v", err)
	}
}

// TestNoRoom: a process that may not write a whole file leaves the old one.
func TestNoRoom(t *testing.T) {
	for _, tc := range []struct{ name, begin, want string }{
		{"full disk", "mount -t tmpfs -o size=128k tiny .", syscall.ENOSPC.Error()},
		{"limit", "ulimit -f 64", syscall.EFBIG.Error()},
	} {
		t.Run(tc.name, func(t *testing.T) {
			begin := tc.begin + " && "
			shell := []string{"unshare", "-Urm", "sh", "-c"}
			if out, err := exec.Command(shell[0], append(shell[1:], tc.begin)...).CombinedOutput(); err != nil {
				t.Skipf("no namespace for it: %v: %s", err, out)
			}
			script := begin + `cd "$PWD" && echo good >out && FILES_TEST_WRITE=out "$0" </dev/null 2>&1; echo "exit $?"; ls -A; cat out`
			cmd := exec.Command(shell[0], append(shell[1:], script, os.Args[0])...)
			cmd.Dir = t.TempDir()
			out, err := cmd.CombinedOutput()
			want := "writing\nwriting out: " + tc.want + "\nexit 1\nout\ngood\n"
			if diff := cmp.Diff(want, string(out)); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}
