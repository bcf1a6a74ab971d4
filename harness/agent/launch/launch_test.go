package launch_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"replanbench/harness/agent/launch"
)

// run runs a line of sh in a place of its own.
func run(t *testing.T, line string, most time.Duration) (launch.Exit, *launch.Place) {
	t.Helper()
	args, err := launch.Resolve([]string{"sh", "-c", line})
	if err != nil {
		t.Skip("there is no sh")
	}
	p, err := launch.NewPlace(launch.Variables{URL: "http://127.0.0.1:9", Key: "sk-test-" +
		strings.ReplaceAll(t.Name(), "/", "-"), Model: "m"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Remove(); err != nil {
			t.Error(err)
		}
	})
	if err := p.Write(".x/settings.json", true, `{"url":"{url}"}`); err != nil {
		t.Fatal(err)
	}
	r, err := launch.Start(p, launch.Command{Args: args, Env: []string{"MINE={key}"}})
	if err != nil {
		t.Fatal(err)
	}
	r.Wait(t.Context(), most)
	return r.Stop(), p
}

// TestPlace gives a command an empty place, its settings, and nothing else of the
// caller's.
func TestPlace(t *testing.T) {
	t.Setenv("ANTHROPIC_API_KEY", "sk-real-key")
	t.Setenv("SECRET_OF_THE_CALLER", "x")
	x, p := run(t, `env; cat "$HOME/.x/settings.json"; pwd; ls -A; exit 3`, 10*time.Second)
	for _, want := range []string{
		"HOME=" + p.Home(), "OPENAI_BASE_URL=http://127.0.0.1:9/v1", "MINE=sk-test-TestPlace",
		`{"url":"http://127.0.0.1:9"}`, p.Dir(),
	} {
		if !strings.Contains(x.Output, want) {
			t.Errorf("there is no %s in:\n%s", want, x.Output)
		}
	}
	if strings.Contains(x.Output, "sk-real-key") || strings.Contains(x.Output, "SECRET_OF_THE_CALLER") {
		t.Errorf("it sees the caller's variables:\n%s", x.Output)
	}
	if x.Code != 3 || x.Late {
		t.Errorf("exit %+v", x)
	}
}

// TestStop ends a command with the children that it left behind, even those that
// left its process group.
func TestStop(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("children outside the group are found on Linux only")
	}
	x, p := run(t, `setsid sh -c 'echo $$ > "$HOME/pid"; exec sleep 100' & while [ ! -s "$HOME/pid" ]; do sleep 0.05; done; sleep 100`, time.Second)
	pid, err := os.ReadFile(filepath.Join(p.Home(), "pid"))
	if err != nil {
		t.Skip("there is no setsid: ", err)
	}
	if !x.Late || x.Code != -1 || x.Behind == 0 {
		t.Errorf("exit %+v", x)
	}
	deadline := time.Now().Add(5 * time.Second)
	for {
		state, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("process %s lives on", pid)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestLeaves finds a child that left the group and cleared its environment, and its child.
func TestLeaves(t *testing.T) {
	if _, err := exec.LookPath("setsid"); err != nil || runtime.GOOS != "linux" {
		t.Skip("there is no setsid, or no subreaper")
	}
	x, _ := run(t, `env -i PATH="$PATH" setsid sh -c 'echo left >&2; sleep 600; :' & sleep 0.3`, time.Minute)
	if x.Behind != 2 {
		t.Errorf("found %d processes: %s", x.Behind, x.Output)
	}
}

// TestInterpreter runs a script that names no interpreter as a shell would.
func TestInterpreter(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{"wrapper": "sh", "cli.mjs": "node"} {
		if err := os.WriteFile(name, []byte("echo not installed\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		args, err := launch.Resolve([]string{"./" + name})
		if err != nil || args[0] != want || filepath.Base(args[1]) != name {
			t.Errorf("%s: %v, %v", name, args, err)
		}
	}
}

// TestResolve makes arguments that are files independent of the directory.
func TestResolve(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"agent.mjs", "run"} {
		if err := os.WriteFile(name, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	args, err := launch.Resolve([]string{"sh", "agent.mjs", "run", "missing.js", "-p"})
	if err != nil {
		t.Skip("there is no sh")
	}
	if !filepath.IsAbs(args[0]) || !filepath.IsAbs(args[1]) || args[2] != "run" || args[3] != "missing.js" {
		t.Errorf("got %v", args)
	}
	for _, bad := range [][]string{nil, {"no-such-program-here"}} {
		if _, err := launch.Resolve(bad); err == nil {
			t.Errorf("%v: no error", bad)
		}
	}
}
