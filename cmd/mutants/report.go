package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// reasons maps the keys of mutants that no test can notice to the reason.
type reasons map[string]string

// readReasons reads a file of keys, each with its reason after #. A key that matches no
// place in the rules is an error.
func readReasons(path string) (reasons, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%w (run it in the root of the module)", err)
	}
	defer f.Close()
	possible := map[string]bool{}
	targets, err := targets()
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		sites, err := t.sites()
		if err != nil {
			return nil, err
		}
		for _, s := range sites {
			possible[s.key()] = true
		}
	}
	known := reasons{}
	var stale error
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		key, why, ok := strings.Cut(strings.TrimSpace(lines.Text()), " # ")
		switch {
		case key == "" || key[0] == '#':
		case !ok:
			return nil, fmt.Errorf("%s:%d: the reason is missing (file function \"was\" → \"is\" # reason)", path, n)
		case !possible[key]:
			stale = errors.Join(stale, fmt.Errorf("%s:%d: the rules have no such place any more, remove the line: %s", path, n,
				key))
		default:
			known[key] = why
		}
	}
	return known, errors.Join(stale, lines.Err())
}

// judge marks the survivors that have a reason. The error names reasons of mutants that
// were noticed.
func (r reasons) judge(results []result) (wrong error) {
	for i, got := range results {
		if _, ok := r[got.key()]; ok && got.fate == survived {
			results[i].fate = equivalent
		} else if ok {
			wrong = errors.Join(wrong, fmt.Errorf("%s notice this mutant, remove it from the list: %s", got.fate, got.key()))
		}
	}
	return wrong
}

// enough is the share of the mutants that are not equivalent that the tests must notice.
const enough = 0.975

// report writes a row for each package, the survivors and the equivalent mutants. The error
// says that too few were noticed.
func report(w io.Writer, results []result, known reasons) error {
	order, counts := []string{"all"}, map[string]map[fate]int{"all": {}}
	for _, r := range results {
		if name := r.target.name; counts[name] == nil {
			order, counts[name] = append(order, name), map[fate]int{}
		}
		counts[r.target.name][r.fate]++
		counts["all"][r.fate]++
	}
	share := map[string]float64{}
	fmt.Fprintf(w, "%-14s %10s %9s %6s %11s %9s %9s\n",
		"rules", "scenarios", "campaign", "tests", "equivalent", "survived", "noticed")
	for _, name := range order {
		n := counts[name]
		noticed := n[byScenarios] + n[byCampaign] + n[byTests]
		share[name] = float64(noticed) / float64(max(1, noticed+n[survived]))
		fmt.Fprintf(w, "%-14s %10d %9d %11d %9d %7.1f %%\n",
			name, n[byScenarios], n[byCampaign], n[equivalent], n[survived], 100*share[name])
	}
	for _, r := range results {
		if r.fate == survived || r.fate == equivalent {
			fmt.Fprintf(w, "%s: %s %s\n", r.fate, r, known[r.key()])
		}
	}
	if share["all"] < enough {
		return fmt.Errorf("fewer than %.1f %% of the mutants that are not equivalent were noticed", 100*enough)
	}
	return nil
}
