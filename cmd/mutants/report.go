package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// reason is why a mutant may survive, and the line that says so.
type reason struct {
	text string
	line int
}

// reasons are those of a file, by the mutant's key.
type reasons struct {
	path string
	of   map[string]reason
}

// readReasons reads why mutants may survive: a file, a function and a change, and
// behind # the reason. What the rules do not hold any more is an error.
func readReasons(path string) (*reasons, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w (run it in the root of the module)", err)
	}
	defer f.Close()
	stand, err := keys()
	if err != nil {
		return nil, err
	}
	r := &reasons{path, map[string]reason{}}
	var stale error
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, why, ok := strings.Cut(line, " # ")
		switch {
		case !ok:
			return nil, fmt.Errorf("%s:%d: the line has no reason (file function \"was\" → \"is\" # reason)", path, n)
		case !stand[key]:
			stale = errors.Join(stale, fmt.Errorf("%s:%d: the rules hold no such place any more; take the line out: %s", path, n, key))
		}
		r.of[key] = reason{why, n}
	}
	return r, errors.Join(stale, lines.Err())
}

// keys are those of all mutants that there can be.
func keys() (map[string]bool, error) {
	folders, err := rules()
	if err != nil {
		return nil, err
	}
	stand := map[string]bool{}
	for _, folder := range append(folders, shared...) {
		sites, _, err := sitesIn(folder)
		if err != nil {
			return nil, err
		}
		for _, s := range sites {
			stand[s.key()] = true
		}
	}
	return stand, nil
}

// judge sets apart the survivors that nobody can notice. One that was noticed has
// a reason that is wrong.
func (r *reasons) judge(results []result) (wrong error) {
	for i, got := range results {
		why, ok := r.of[got.key()]
		switch {
		case ok && got.fate == survived:
			results[i].fate = equivalent
		case ok:
			wrong = errors.Join(wrong, fmt.Errorf("%s:%d: this mutant is noticed by the %s; take the line out: %s", r.path, why.line, got.fate, got.key()))
		}
	}
	return wrong
}

// enough is the share of the mutants that are not equivalent which must be noticed.
const enough = 0.95

// report writes the table, the survivors and the equivalent mutants, and says
// whether enough were noticed.
func report(w io.Writer, results []result, known *reasons) bool {
	var order []string
	counts := map[string]map[fate]int{}
	total := map[fate]int{}
	for _, r := range results {
		if counts[r.dialect] == nil {
			order, counts[r.dialect] = append(order, r.dialect), map[fate]int{}
		}
		counts[r.dialect][r.fate]++
		total[r.fate]++
	}
	fmt.Fprintf(w, "%-14s %8s %10s %9s %11s %9s %9s\n", "rules", "mutants", "scenarios", "campaign", "equivalent", "survived", "noticed")
	for _, name := range order {
		row(w, name, counts[name])
	}
	share := row(w, "all", total)
	for _, r := range results {
		switch r.fate {
		case survived:
			fmt.Fprintf(w, "survived: %s\n", r)
		case equivalent:
			fmt.Fprintf(w, "equivalent: %s # %s\n", r, known.of[r.key()].text)
		}
	}
	return share >= enough
}

// row writes the counts of one dialect, and returns the share that was noticed of
// the mutants that can be.
func row(w io.Writer, name string, n map[fate]int) float64 {
	noticed := n[byScenarios] + n[byCampaign]
	can := noticed + n[survived]
	share := float64(noticed) / float64(max(1, can))
	fmt.Fprintf(w, "%-14s %8d %10d %9d %11d %9d %7.1f %%\n", name, can+n[equivalent], n[byScenarios], n[byCampaign], n[equivalent], n[survived], 100*share)
	return share
}
