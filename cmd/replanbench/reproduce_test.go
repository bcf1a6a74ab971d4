package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"replanbench/harness"
	"replanbench/harness/dialect/all"
	"replanbench/harness/document/escape"
	"replanbench/harness/engine/rpc"
)

// foreign is an engine with one defect that works by some rules, but declares the
// profile reference and takes no case with a profile.
type foreign struct {
	harness.Engine
	rules harness.Profile
}

func (f foreign) Hello(ctx context.Context) (harness.Hello, error) {
	hello, err := f.Engine.Hello(ctx)
	for name, d := range hello.Dialects {
		hello.Dialects[name] = harness.Declaration{
			Profile: d.Profile, Features: []string{harness.FeatureLadder},
			Gives: d.Gives,
		}
	}
	return hello, err
}

func (f foreign) Eval(ctx context.Context, c harness.Case) (harness.Outcome, error) {
	if c.Profile != nil {
		return harness.Outcome{Verdict: harness.Unsupported, Message: "a case with a profile"}, nil
	}
	c.Profile = &f.rules
	return f.Engine.Eval(ctx, c)
}

// serveForeign serves a foreign engine over HTTP and returns its address.
func serveForeign(t *testing.T, defect, rule string) string {
	t.Helper()
	f := foreign{all.Mutant(defect), harness.Reference()}
	if err := f.rules.Apply(rule, all.Words().Own...); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(rpc.Handler(f))
	t.Cleanup(server.Close)
	return server.URL
}

// TestReproductionsInBulk runs every line "reproduce:" of a report, and the file of every cause,
// where flags or a configuration name the rules of an engine. Each must fail again. The flags
// do not depend on the dialect, so without REPLANBENCH_TEST_LONG one dialect has all of them.
func TestReproductionsInBulk(t *testing.T) {
	for _, engine := range []struct{ dialect, defect, rule, without, traits string }{
		{"planpatch", "accepts-cycle", "orphans=detach", "tools_expected", "cycle-two-add,cycle-two-update"},
		{"operations", "accepts-update-cycle", "positions=any", "priority", "modify-cycle,modify-self-dependency"},
		{"orchestrator", "failed-is-complete", "parallel=2", "title", "step-gives-up,replans-used-up"},
		{"planmode", "path-in-any-case", "strict", "links", "path-looks-alike"},
		{"trim", "trim-drops-system", "strict", "dedup", "tool-call,far-over"},
		{"todos", "list-drops-done", "unchanged=allow", "max_depth", "lost-done"},
	} {
		address := serveForeign(t, engine.defect, engine.rule)
		cases := "150"
		if engine.dialect == "orchestrator" { // its defect shows in one of a hundred cases
			cases = "500"
		}
		fuzz := []string{"fuzz", "--format", "json", "--cases", cases, "--dialect", engine.dialect}
		for name, flags := range map[string][]string{
			"profile": {"--profile", engine.rule},
			"codes":   {"--profile", engine.rule, "--codes", "exact"},
			"without": {"--profile", engine.rule, "--without", engine.without},
		} {
			flags := append(flags, "--engine", address)
			if name != "profile" && !everyFlag(engine.dialect) {
				continue
			}
			t.Run(engine.dialect+"/"+name, func(t *testing.T) {
				t.Chdir(t.TempDir())
				failsAgain(t, runs(t, slices.Concat(fuzz, flags)...))
				failsAgain(t, runs(t, slices.Concat(fuzz, flags, []string{"--dir", "found"})...))
				showsAgain(t, flags)
			})
		}
		if !everyFlag(engine.dialect) {
			continue
		}
		flags := []string{"--profile", engine.rule, "--engine", address}
		t.Run(engine.dialect+"/traits", func(t *testing.T) {
			failsAgain(t, runs(t, slices.Concat(fuzz, flags, []string{"--traits", engine.traits})...))
		})
		t.Run(engine.dialect+"/shards", func(t *testing.T) {
			t.Chdir(t.TempDir())
			for _, shard := range []string{"1/2", "2/2"} {
				call(t.Context(), slices.Concat(fuzz, flags, []string{"--dir", "found", "--shard", shard})...)
			}
			_, merged, _ := call(t.Context(), "report", "found/report-1-of-2.json", "found/report-2-of-2.json", "--format",
				"json")
			failsAgain(t, merged)
			showsAgain(t, flags)
		})
		t.Run(engine.dialect+"/configuration", func(t *testing.T) {
			t.Chdir(t.TempDir())
			text := fmt.Sprintf(configuration, address, engine.rule, engine.dialect)
			if err := os.WriteFile("replanbench.yaml", []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			failsAgain(t, runs(t, "check", "--format", "json"))
			showsAgain(t, flags)
		})
	}
}

func everyFlag(dialect string) bool {
	return dialect == "planpatch" || os.Getenv("REPLANBENCH_TEST_LONG") != ""
}

const configuration = `
engine: {use: %q, profile: [%q]}
dialects: [%s]
suites:
  corpora: {run: false}
  trim: {run: false}
  fuzz: {cases: 150, out: found}
`

// runs returns what a command prints that finds a failure.
func runs(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := call(t.Context(), args...)
	if code != exitGate {
		t.Fatalf("%q: exit code %d, want %d:\n%s%s", args, code, exitGate, stdout, stderr)
	}
	return stdout
}

// failsAgain runs the lines of a report that reproduce its failures.
func failsAgain(t *testing.T, report string) {
	t.Helper()
	for _, line := range reproductions(t, report) {
		breaks(t, strings.Fields(line)[1:]...)
	}
}

// showsAgain replays the file of every cause, and runs all files together.
func showsAgain(t *testing.T, engine []string) {
	t.Helper()
	files, err := filepath.Glob("found/causes/*/repro.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of causes, %v", len(files), err)
	}
	for _, file := range files {
		breaks(t, slices.Concat([]string{"replay", file}, engine)...)
	}
	var r struct {
		Summary struct {
			Cases, Advisory int
			Counts          map[harness.Status]int
		}
	}
	report := runs(t, slices.Concat([]string{"run", "found/causes", "--format", "json"}, engine)...)
	if err := json.Unmarshal([]byte(report), &r, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	if r.Summary.Counts[harness.Fail] != len(files) {
		t.Errorf("of %d files, %v", len(files), r.Summary)
	}
}

// breaks replays a case: the engine must answer it, and break something or answer
// otherwise than the case wants.
func breaks(t *testing.T, args ...string) {
	t.Helper()
	var replayed []struct {
		Outcome     harness.Outcome
		Breaks      []any
		Differences []any
	}
	report := runs(t, append(args, "--format", "json")...)
	if err := json.Unmarshal([]byte(report), &replayed, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	last := replayed[len(replayed)-1]
	if len(last.Breaks)+len(last.Differences) == 0 || last.Outcome.Verdict == harness.Unsupported {
		t.Errorf("%q shows no failure:\n%s", args, report)
	}
}

// TestReproduceLinesPaste runs the lines "reproduce:" of campaigns in a shell, with engines, files
// and flags that contain every character that a shell takes for its own.
func TestReproduceLinesPaste(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh to run the lines: ", err)
	}
	const key = `p'a "$s\s`
	hostile := "it's \"a\" $HOME `id` \\n * ~ \n\x1b[31m 修\n\n"
	t.Setenv("WANT", hostile)
	t.Setenv("ENGINE_KEY", key)
	server := httptest.NewServer(keyed(key, rpc.Handler(all.Mutant("accepts-cycle"))))
	t.Cleanup(server.Close)
	address := strings.Replace(server.URL, "//", "//me:${ENGINE_KEY}@", 1) + "/?key=${ENGINE_KEY}"
	command := []string{
		"--", sh, "-c", `test "$1" = "$WANT" && exec replanbench engine serve --defect "$0"`, "accepts-cycle",
		hostile,
	}
	for name, engine := range map[string][]string{
		"command": command,
		"address": {"--engine", address},
		"flags": append([]string{
			"--profile", "strict", "--codes", "any", "--without", "tools_expected", "--gives", "none",
		}, command...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			fuzz := []string{"fuzz", "--cases", "60", "--traits", "cycle-two-add,cycle-two-update", "--format", "json"}
			pastes(t, slices.Concat(fuzz, engine))
			pastes(t, slices.Concat(fuzz, []string{"--dir", hostile}, engine))
			pastes(t, slices.Concat([]string{"run", filepath.Join(hostile, "causes"), "--format", "json"}, engine))
		})
	}
	t.Run("configuration", func(t *testing.T) {
		t.Chdir(t.TempDir())
		text := fmt.Sprintf("engine: {command: %s}\ndialects: [planpatch]\nsuites:\n  scenarios: {run: false}\n"+
			"  corpora: {run: false}\n  trim: {run: false}\n"+
			"  fuzz: {cases: 150, out: found}\n", strings.ReplaceAll(fmt.Sprintf("%q", command[1:]), `" "`, `", "`))
		if err := os.WriteFile(hostile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		pastes(t, []string{"check", "--config", hostile, "--format", "json"})
	})
	t.Run("score", func(t *testing.T) {
		replies, err := os.ReadFile(filepath.Join("..", "..", "corpora", "builtin", "documented.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		t.Chdir(t.TempDir())
		if err := os.WriteFile(hostile, replies, 0o600); err != nil {
			t.Fatal(err)
		}
		pastes(t, []string{"score", hostile, "--require", "apply_rate >= 0.99", "--format", "json"})
	})
}

// keyed serves requests that have the key as password and as a parameter.
func keyed(key string, h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != key || r.URL.Query().Get("key") != key {
			http.Error(w, "no key", http.StatusUnauthorized)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// pastes runs a command, and then the lines of its report in a shell.
func pastes(t *testing.T, args []string) {
	t.Helper()
	report, err := exec.CommandContext(t.Context(), "replanbench", args...).Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitGate {
		t.Fatalf("%q: %v, want exit code %d:\n%.2000s", args, err, exitGate, report)
	}
	for _, line := range reproductions(t, string(report)) {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", escape.Terminal(line)).CombinedOutput()
		if !errors.As(err, &exit) || exit.ExitCode() != exitGate {
			t.Errorf("%s: %v, want exit code %d:\n%.2000s", line, err, exitGate, out)
		}
	}
}

// reproductions returns the lines of a report that reproduce its failures.
func reproductions(t *testing.T, report string) (lines []string) {
	t.Helper()
	var r struct{ Failures []struct{ Reproduce string } }
	if err := json.Unmarshal([]byte(report), &r, json.MatchCaseInsensitiveNames(true)); err != nil ||
		len(r.Failures) == 0 {
		t.Fatalf("%d failures, %v", len(r.Failures), err)
	}
	for _, f := range r.Failures {
		lines = append(lines, f.Reproduce)
	}
	return lines
}
