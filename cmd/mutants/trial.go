package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json"
)

// fate is what happened to a mutant.
type fate string

const (
	byScenarios fate = "scenarios" // notice it
	byCampaign  fate = "campaign"  // notices it
	byTests     fate = "tests"     // of the packages notice it
	survived    fate = "survived"
	equivalent  fate = "equivalent" // survived, and no test can notice it
)

// result is a mutant with its fate.
type result struct {
	site
	fate fate
}

// trial runs mutants.
type trial struct {
	mutants, cases, workers int
	seed                    uint64
	only                    string // the target to mutate; "" is all
	dir, root               string // of binaries and changed sources, and of the module
}

func (t *trial) binary() string { return filepath.Join(t.dir, "replanbench") }

func (t *trial) engine() string { return filepath.Join(t.dir, "mutants") }

// overlay is the argument that makes go read the changed sources.
func (t *trial) overlay() string { return "-overlay=" + filepath.Join(t.dir, "overlay.json") }

// all tries equally many mutants of each target. The unchanged program runs first for each
// target: if something is found in it, the figures would mean nothing.
func (t *trial) all(ctx context.Context) (results []result, err error) {
	if t.root, err = os.Getwd(); err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", t.binary(),
		"./cmd/replanbench").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building replanbench: %w\n%s", err, out)
	}
	if err := t.copyScenarios(); err != nil {
		return nil, err
	}
	targets, err := targets()
	if err != nil {
		return nil, err
	}
	share := (t.mutants + len(targets) - 1) / len(targets)
	var chosen, tried []site
	for i, target := range targets {
		sites, err := target.sites()
		if err != nil {
			return nil, err
		}
		swap := func(i, j int) { sites[i], sites[j] = sites[j], sites[i] }
		rand.New(rand.NewPCG(t.seed, uint64(i))).Shuffle(len(sites), swap)
		if t.only == "" || t.only == target.name {
			chosen = choose(chosen, sites, share+share/2) // some do not compile
		}
	}
	for i := range chosen {
		chosen[i].id = i + 1
	}
	if chosen, err = t.build(ctx, chosen); err != nil {
		return nil, err
	}
	for _, target := range targets {
		own := slices.DeleteFunc(slices.Clone(chosen), func(s site) bool { return s.target.name != target.name })
		if len(own) > 0 {
			tried = append(append(tried, site{target: target}), own[:min(share, len(own))]...)
		}
	}
	return t.each(ctx, tried)
}

// copyScenarios copies the scenarios. The reference must do what engines only should do.
func (t *trial) copyScenarios() error {
	return filepath.WalkDir("scenarios", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(t.dir, path), 0o700))
		}
		text, err := os.ReadFile(path)
		text = bytes.Replace(text, []byte("\nlevel: should\n"), []byte("\nlevel: must\n"), 1)
		return errors.Join(err, os.WriteFile(filepath.Join(t.dir, path), text, 0o600))
	})
}

// choose appends up to n sites that do not overlap each other.
func choose(chosen, sites []site, n int) []site {
	n += len(chosen)
	for _, s := range sites {
		if len(chosen) < n && !slices.ContainsFunc(chosen, s.overlaps) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// mutation is the package that the changed source asks which mutant runs.
const mutation = `// Package mutation says which mutant this program is.
package mutation

import "os"
import "strconv"

var current, _ = strconv.Atoi(os.Getenv("MUTANT"))

func Is(id int) bool { return current == id }

func Pick[T any](id int, was, is T) T {
	if Is(id) {
		return is
	}
	return was
}
`

// An error of the compiler names the mutant or, if the code around it does not accept it,
// the line.
var (
	named  = regexp.MustCompile(`mutant(\d+):`)
	placed = regexp.MustCompile(`(?m)^\S*(harness/\S+\.go:\d+):`)
)

// build builds one program of all mutants, and returns those that compile.
func (t *trial) build(ctx context.Context, sites []site) ([]site, error) {
	for {
		if err := t.change(sites); err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, "go", "build", t.overlay(), "-gcflags=replanbench/harness/...=-e",
			"-o", t.engine(), "./cmd/mutants").CombinedOutput()
		if err == nil {
			return sites, nil
		}
		n := len(sites)
		sites = slices.DeleteFunc(sites, blamed(out))
		if len(sites) == n || ctx.Err() != nil {
			return nil, fmt.Errorf("building the mutants: %w\n%s", err, out)
		}
	}
}

// blamed returns a test for mutants that an error of the compiler names.
func blamed(out []byte) func(site) bool {
	bad := map[string]bool{}
	for _, m := range slices.Concat(named.FindAllSubmatch(out, -1), placed.FindAllSubmatch(out, -1)) {
		bad[string(m[1])] = true
	}
	return func(s site) bool { return bad[strconv.Itoa(s.id)] || bad[fmt.Sprintf("%s:%d", s.file, s.line)] }
}

// change writes the changed sources, and the list that go -overlay reads.
func (t *trial) change(sites []site) error {
	files := map[string][]site{}
	for _, s := range sites {
		files[s.file] = append(files[s.file], s)
	}
	here := filepath.Join(t.dir, "mutation.go")
	replace := map[string]string{filepath.Join(t.root, "harness", "internal", "mutation", "mutation.go"): here}
	err := os.WriteFile(here, []byte(mutation), 0o600)
	for file, list := range files {
		source, failed := switched(file, list)
		path := filepath.Join(t.dir, fmt.Sprintf("%d.go", len(replace)))
		err = errors.Join(err, failed, os.WriteFile(path, source, 0o600))
		replace[filepath.Join(t.root, file)] = path
	}
	list, failed := json.Marshal(map[string]any{"Replace": replace})
	return errors.Join(err, failed, os.WriteFile(filepath.Join(t.dir, "overlay.json"), list, 0o600))
}

// each judges all mutants, and keeps their order.
func (t *trial) each(ctx context.Context, sites []site) ([]result, error) {
	var workers sync.WaitGroup
	results, failed, turn := make([]result, len(sites)), make([]error, len(sites)), make(chan int)
	for range t.workers {
		workers.Go(func() {
			for i := range turn {
				f, err := t.judge(ctx, sites[i])
				if sites[i].id == 0 && f != survived && err == nil {
					err = fmt.Errorf("%s: the %s find something in the unchanged rules", sites[i].target.name, f)
				}
				results[i], failed[i] = result{sites[i], f}, err
				if sites[i].id > 0 {
					fmt.Fprintf(os.Stderr, "%-9s %s\n", f, sites[i])
				}
			}
		})
	}
	for i := range sites {
		turn <- i
	}
	close(turn)
	workers.Wait()
	return slices.DeleteFunc(results, func(r result) bool { return r.id == 0 }), errors.Join(failed...)
}

// judge runs the scenarios, the campaigns and then the tests on a mutant until one of them
// notices it. A mutant that hangs is noticed too, so the time for a case is long.
func (t *trial) judge(ctx context.Context, s site) (fate, error) {
	engine := []string{"--quiet", "--timeout=20s", "--max-restarts=1", "--engine-memory=512MiB", "--", t.engine(), "-serve"}
	run := append([]string{"run", filepath.Join(t.dir, "scenarios")}, engine...)
	if noticed, err := s.fails(exec.CommandContext(ctx, t.binary(), run...)); noticed || err != nil {
		return byScenarios, err
	}
	for _, d := range s.target.dialects {
		fuzz := append([]string{"fuzz", "--dialect", d, "--cases", fmt.Sprint(t.cases), "--max-findings=1"}, engine...)
		if noticed, err := s.fails(exec.CommandContext(ctx, t.binary(), fuzz...)); noticed || err != nil {
			return byCampaign, err
		}
	}
	tests := append([]string{"test", t.overlay(), "-vet=off", "-short", "-count=1", "-timeout=5m"}, s.target.tests...)
	if noticed, err := s.fails(exec.CommandContext(ctx, "go", tests...)); noticed || err != nil {
		return byTests, err
	}
	return survived, nil
}

// fails reports whether a command finds something in the mutant, or gives it up.
func (s site) fails(cmd *exec.Cmd) (bool, error) {
	var stderr bytes.Buffer
	cmd.Env, cmd.Stderr = append(os.Environ(), fmt.Sprint("MUTANT=", s.id)), &stderr
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w: %s", cmd, err, &stderr)
	}
	return false, nil
}
