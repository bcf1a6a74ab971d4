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

// fate is what became of a mutant.
type fate string

const (
	byScenarios fate = "scenarios"
	byCampaign  fate = "campaign"
	survived    fate = "survived"
	equivalent  fate = "equivalent" // survived, and nobody can notice
)

// result is a mutant with its fate.
type result struct {
	site
	fate fate
}

// trial tries mutants with the program as it is.
type trial struct {
	settings
	dir  string // of binaries and changed sources
	root string
}

func (t *trial) binary() string { return filepath.Join(t.dir, "replanbench") }

func (t *trial) engine() string { return filepath.Join(t.dir, "mutants") }

// prepare builds the program, and gets the scenarios ready.
func (t *trial) prepare(ctx context.Context) (err error) {
	if t.root, err = os.Getwd(); err != nil {
		return err
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", t.binary(), "./cmd/replanbench").CombinedOutput(); err != nil {
		return fmt.Errorf("building replanbench: %w\n%s", err, out)
	}
	return t.demand()
}

// demand copies the scenarios; what engines should do the reference must.
func (t *trial) demand() error {
	return filepath.WalkDir("scenarios", func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(filepath.Join(t.dir, path), 0o700))
		}
		text, err := os.ReadFile(path)
		text = bytes.Replace(text, []byte("\nlevel: should\n"), []byte("\nlevel: must\n"), 1)
		return errors.Join(err, os.WriteFile(filepath.Join(t.dir, path), text, 0o600))
	})
}

// all tries equally many mutants of each dialect, and before them, of each, the
// program with none of them at work, in which nothing may be found. Which mutants
// of a dialect are tried does not depend on which dialects are.
func (t *trial) all(ctx context.Context) ([]result, error) {
	names, err := dialects()
	if err != nil {
		return nil, err
	}
	if t.only != "" && !slices.Contains(names, t.only) {
		return nil, fmt.Errorf("no dialect %q", t.only)
	}
	match, err := regexp.Compile(t.match)
	if err != nil {
		return nil, err
	}
	share := (t.mutants + len(names) - 1) / len(names)
	var chosen []site
	for i, name := range names {
		sites, err := sitesOf(name, rand.New(rand.NewPCG(t.seed, uint64(i))))
		if err != nil {
			return nil, err
		}
		sites = slices.DeleteFunc(sites, func(s site) bool { return !match.MatchString(s.key()) })
		chosen = some(chosen, sites, share+share/2)
	}
	for i := range chosen {
		chosen[i].id = i + 1
	}
	if t.only != "" {
		names = []string{t.only}
		chosen = slices.DeleteFunc(chosen, func(s site) bool { return s.dialect != t.only })
	}
	if chosen, err = t.build(ctx, chosen); err != nil {
		return nil, err
	}
	var tried []site
	for _, name := range names {
		own := slices.DeleteFunc(slices.Clone(chosen), func(s site) bool { return s.dialect != name })
		tried = append(append(tried, site{dialect: name}), own[:min(share, len(own))]...)
	}
	return t.each(ctx, tried)
}

// some adds so many sites that do not overlap others.
func some(chosen, sites []site, n int) []site {
	n += len(chosen)
	for _, s := range sites {
		if len(chosen) < n && !slices.ContainsFunc(chosen, s.overlaps) {
			chosen = append(chosen, s)
		}
	}
	return chosen
}

// mutation is the package that the changed source asks which mutant it is.
const mutation = `// Package mutation says which mutant this program is.
package mutation

import "os"

var current = os.Getenv("MUTANT")

func Is(id int) bool { return current == itoa(id) }

func Pick[T any](id int, was, is T) T {
	if Is(id) {
		return is
	}
	return was
}

func itoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return itoa(n/10) + string(rune('0'+n%10))
}
`

// named and placed are what an error of the compiler says: the mutant, or, where its
// surroundings do not take it, the line.
var (
	named  = regexp.MustCompile(`mutant(\d+):`)
	placed = regexp.MustCompile(`(?m)^\S*(harness/\S+\.go:\d+):`)
)

// build makes one program of all mutants, and returns those that compile.
func (t *trial) build(ctx context.Context, sites []site) ([]site, error) {
	for {
		overlay, err := t.overlay(sites)
		if err != nil {
			return nil, err
		}
		out, err := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-gcflags=replanbench/harness/...=-e", "-o", t.engine(), "./cmd/mutants").CombinedOutput()
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

// blamed tells the mutants that do not compile.
func blamed(out []byte) func(site) bool {
	bad := map[string]bool{}
	for _, m := range slices.Concat(named.FindAllSubmatch(out, -1), placed.FindAllSubmatch(out, -1)) {
		bad[string(m[1])] = true
	}
	return func(s site) bool { return bad[strconv.Itoa(s.id)] || bad[fmt.Sprintf("%s:%d", s.file, s.line)] }
}

// overlay writes the changed files, and the list of what they stand for.
func (t *trial) overlay(sites []site) (string, error) {
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
	path := filepath.Join(t.dir, "overlay.json")
	return path, errors.Join(err, failed, os.WriteFile(path, list, 0o600))
}

// each has all mutants judged; the order stays.
func (t *trial) each(ctx context.Context, sites []site) ([]result, error) {
	var (
		workers sync.WaitGroup
		results = make([]result, len(sites))
		failed  = make([]error, len(sites))
		turn    = make(chan int)
	)
	for range t.workers {
		workers.Go(func() {
			for i := range turn {
				f, err := t.judge(ctx, sites[i])
				if sites[i].id == 0 && f != survived && err == nil {
					err = fmt.Errorf("%s: something is found in the rules as they are: %s", sites[i].dialect, f)
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

// judge says who notices that an engine is not the reference: the scenarios of the
// dialect and, of what others use as well, theirs; and else the dialect's campaign.
func (t *trial) judge(ctx context.Context, s site) (fate, error) {
	tries := []try{t.scenarios(s.dialect)}
	if s.also {
		names, err := dialects()
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if name != s.dialect {
				tries = append(tries, t.scenarios(name))
			}
		}
	}
	for _, try := range append(tries, t.campaign(s.dialect)) {
		if noticed, err := t.notices(ctx, try, s); noticed || err != nil {
			return try.fate, err
		}
	}
	return survived, nil
}

// try is a command that may notice a mutant, and what that makes of it.
type try struct {
	fate fate
	args []string
}

func (t *trial) scenarios(dialect string) try {
	return try{byScenarios, []string{"run", filepath.Join(t.dir, "scenarios", dialect)}}
}

func (t *trial) campaign(dialect string) try {
	return try{byCampaign, []string{"fuzz", "--dialect", dialect, "--cases", fmt.Sprint(t.cases), "--max-findings", "1"}}
}

// notices runs the command on a mutant. What hangs is noticed, too, so that the
// time for a case is long.
func (t *trial) notices(ctx context.Context, try try, s site) (bool, error) {
	args := append(try.args, "--quiet", "--timeout", "20s", "--max-restarts", "1", "--engine-memory", "512MiB", "--", t.engine(), "-serve")
	var complaint bytes.Buffer
	cmd := exec.CommandContext(ctx, t.binary(), args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), fmt.Sprint("MUTANT=", s.id)), &complaint
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3): // a finding, or an engine that was given up
		return true, nil
	case err != nil:
		return false, fmt.Errorf("%s: %w: %s", args, err, &complaint)
	}
	return false, nil
}
